// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"testing"
)

// Every motion has the velocity of its definition, and is steady exactly if this velocity is constant in time.
func TestMotions(t *testing.T) {
	p, now := [3]float64{3, -2, 0.5}, 0.75
	swing := Formula{Timed: true, Velocity: func(p [3]float64, t float64) [3]float64 { return [3]float64{0.01 * p[0] * math.Cos(t), 0.02} }}
	shear := Formula{Velocity: func(p [3]float64, _ float64) [3]float64 { return [3]float64{0.01 * p[1]} }}
	waves := newWaves()
	half := func(p [3]float64) float64 { return 0.25 * (p[1] + 4) }
	rise := func(t float64) float64 { return 2 * t }
	gust := waves.Add([3]float64{0.01 * p[1]}, p, now)
	for name, c := range map[string]struct {
		m      Motion
		want   [3]float64
		steady bool
	}{
		"rest":                    {Constant{}, [3]float64{}, true},
		"constant":                {Constant{0.1, 0.2, 0.3}, [3]float64{0.1, 0.2, 0.3}, true},
		"spin about z":            {Spin{Velocity: [3]float64{0, 0, 0.1}, Angular: [3]float64{0, 0, 0.5}, Centre: [3]float64{1, 2, 9}}, [3]float64{2, 1, 0.1}, true},
		"spin about x":            {Spin{Angular: [3]float64{0.5, 0, 0}, Centre: [3]float64{7, -1, 4.5}}, [3]float64{0, 2, -0.5}, true},
		"formula":                 {shear, [3]float64{-0.02}, true},
		"formula of the time":     {swing, [3]float64{0.01 * 3 * math.Cos(now), 0.02}, false},
		"turbulent":               {Turbulent{Mean: shear, Waves: waves}, gust, false},
		"profiled":                {Profiled{Motion: Constant{0.1, 0.2, 0.3}, Gain: half}, [3]float64{0.05, 0.1, 0.15}, true},
		"profiled turbulent":      {Profiled{Motion: Turbulent{Mean: shear, Waves: waves}, Gain: half}, [3]float64{gust[0] / 2, gust[1] / 2, gust[2] / 2}, false},
		"scaled":                  {Scaled{Motion: Constant{0.125, 0, -0.25}, Factor: rise}, [3]float64{0.1875, 0, -0.375}, false},
		"scaled profiled formula": {Scaled{Motion: Profiled{Motion: swing, Gain: half}, Factor: rise}, [3]float64{0.01 * 3 * math.Cos(now) / 2 * 1.5, 0.02 / 2 * 1.5}, false},
	} {
		if got := c.m.At(p, now); got != c.want {
			t.Errorf("%s: %v instead of %v", name, got, c.want)
		}
		if c.m.Steady() != c.steady {
			t.Errorf("%s: steady is %v", name, c.m.Steady())
		}
		if later := c.m.At(p, now+1); c.steady != (later == c.want) {
			t.Errorf("%s: steady is %v, and one step later the velocity is %v instead of %v", name, c.steady, later, c.want)
		}
	}
}

func newWaves() *Turbulence {
	s := Spectrum{Length: 4, Modes: 12, Seed: 3, Dims: 3, Mean: [3]float64{0.05, 0, 0}}
	return NewTurbulence(s.Draw(), Sheet{Axis: 0, U: 1, V: 2}, func([3]float64, float64) float64 { return 0.01 }, "0.01")
}

// Queries of a wall's motion by lists of links and ghost cells.
func TestMotionsOfWalls(t *testing.T) {
	one := func(float64) float64 { return 1 }
	along := func([3]float64) float64 { return 2 }
	swing := Formula{Timed: true}
	ghost := Ghost{Out: [3]int{-1}, Types: [3]uint8{1}}
	for name, c := range map[string]struct {
		m                                Motion
		plain, still, rests, timed, free bool // of a half-way wall; timed: Cells.Timed, free: the motion without its factor
		bare                             Motion
	}{
		"none":             {m: nil, plain: true, still: true, rests: true, bare: nil},
		"rest":             {m: Constant{}, plain: true, still: true, rests: true, bare: Constant{}},
		"constant":         {m: Constant{0.1}, plain: true, bare: Constant{0.1}},
		"spin":             {m: Spin{}, still: true, bare: Spin{}},
		"profiled":         {m: Profiled{Constant{0.1}, along}, still: true, bare: Constant{0.1}},
		"scaled":           {m: Scaled{Constant{0.1}, one}, still: true, timed: true, bare: Constant{0.1}},
		"scaled, at rest":  {m: Scaled{Constant{}, one}, still: true, rests: true, timed: true, bare: Constant{}},
		"formula in time":  {m: swing, still: true, timed: true, free: true},
		"of all factors":   {m: Scaled{Profiled{Spin{}, along}, one}, still: true, timed: true, bare: Spin{}},
		"turbulent, times": {m: Scaled{Profiled{Turbulent{Mean: swing}, along}, one}, still: true, timed: true, free: true},
	} {
		cells := NewCells([3]int{1, 1, 1})
		cells.Walls = []Wall{{Motion: c.m}}
		if got := []bool{cells.Plain(1), cells.Still(1), cells.Rests(1), cells.Timed()}; got[0] != c.plain || got[1] != c.still || got[2] != c.rests || got[3] != c.timed {
			t.Errorf("%s: plain, still, at rest, timed are %v", name, got)
		}
		_, scaled := c.m.(Scaled)
		if byTime, byFactor := cells.Changes(ghost); byTime != c.free || byFactor != scaled {
			t.Errorf("%s: changes by time %v, by a factor %v", name, byTime, byFactor)
		}
		if c.bare != nil && Bare(c.m) != c.bare {
			t.Errorf("%s: bare it is %v", name, Bare(c.m))
		}
		term := cells.term(1, [3]float64{7, 8, 9}, [4]float64{})
		gain := 1.0
		if _, profiled := Unscaled(c.m).(Profiled); profiled && c.free {
			gain = 2
		}
		if place := term.At == [3]float64{7, 8, 9}; place != c.free || term.Timed != c.free || term.Gain != gain {
			t.Errorf("%s: term %+v", name, term)
		}
	}
	if w := (Wall{Motion: Scaled{Constant{}, func(t float64) float64 { return 3 * t }}}); w.Strength(2) != 6 || (Wall{}).Strength(2) != 1 {
		t.Errorf("strength %v", w.Strength(2))
	}
}
