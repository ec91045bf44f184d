// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/model"
)

// recorded returns a force output of drag and lift with samples every five steps.
func recorded(n int, lift func(t float64) float64) *forces {
	f := &forces{
		ForceOutput: config.ForceOutput{Name: "disc", Coefficient: 1, Strouhal: 2, Schedule: config.Schedule{Period: 5}},
		list:        []config.ForceSeries{{Name: "drag"}, {Name: "lift"}},
		series:      make([]stats.Series, 2),
		course:      make([]stats.Record, 2),
	}
	for k := range n {
		t := 5 * float64(k)
		for i, v := range []float64{1.5, lift(t)} {
			f.series[i].Add(t, v)
			f.course[i].Add(v)
		}
	}
	return f
}

func TestOscillation(t *testing.T) {
	lattice := &config.Case{Grid: config.Grid{Units: config.Units{Length: 1, Time: 1}}}
	lattice.Spec.Lattice.Dims, lattice.Cells, lattice.Periodic = 2, [3]int{20, 20, 1}, [3]bool{true, true}
	sine := func(f, a float64) func(t float64) float64 {
		return func(t float64) float64 { return a * math.Sin(2*math.Pi*f*t+0.3) }
	}
	const f = 0.00462
	main, third := sine(f, 1), sine(f/3, 0.9)
	for _, c := range []struct {
		name  string
		n     int
		lift  func(t float64) float64
		doubt *finding.Kind
		note  string
	}{
		{"regular", 3000, main, nil, "69.3 periods"},
		{"one in three is weak", 3000, func(t float64) float64 { return main(t) + third(t) }, finding.UnconfirmedFrequency, "and 0.00308 with 90 % of its amplitude"},
		{"few periods", 220, main, nil, "5.08 periods, interval from their scatter"},
		{"weak", 3000, sine(f, 1e-5), finding.WeakOscillation, "69.3 periods"},
		{"beside a transient", 3000, func(t float64) float64 { return main(t) + t/1000 }, finding.BuriedOscillation, "69.3 periods"},
	} {
		o := recorded(c.n, c.lift).oscillation("lift", true, lattice)
		kind := ""
		if c.doubt != nil {
			kind = c.doubt.Name
		}
		if math.Abs(o.value/(2*f)-1) > 2e-3 || !(o.half < 0.01*o.value) || o.doubt.Kind != kind || !strings.HasSuffix(o.note, c.note) {
			t.Errorf("%s: %+v instead of %v", c.name, o, 2*f)
		}
		if got := recorded(c.n, c.lift).oscillation("lift", false, lattice).value; math.Abs(got/f-1) > 2e-3 {
			t.Errorf("%s: the frequency is %v instead of %v", c.name, got, f)
		}
	}
	if o := recorded(3000, func(t float64) float64 { return math.Exp(-t / 1000) }).oscillation("lift", true, lattice); !math.IsNaN(o.value) || !strings.Contains(o.note, "above the noise") {
		t.Errorf("a decay: %+v", o)
	}
	uneven := recorded(3000, main)
	uneven.uneven = true
	if o := uneven.oscillation("lift", true, lattice); !math.IsNaN(o.value) || !strings.Contains(o.note, "equally spaced") {
		t.Errorf("uneven samples: %+v", o)
	}
	warnsOfOscillations(t, recorded(3000, func(t float64) float64 { return main(t) + third(t) }), "[expect.force.a]: the spectrum of lift peaks at 0.00924")
	warnsOfOscillations(t, recorded(3000, sine(f, 1e-5)), "[expect.force.a]: lift varies by only 7e-06 of its largest value")
	warnsOfOscillations(t, recorded(3000, main), "")
}

// warnsOfOscillations verifies the warning of an expected Strouhal number.
func warnsOfOscillations(t *testing.T, f *forces, want string) {
	t.Helper()
	var warned []string
	s := &Set{Run: (&reports{}).run(), List: []Output{f}}
	s.Rank.Warn = func(w finding.Finding) { warned = append(warned, w.Text) }
	s.Case = &config.Case{Grid: config.Grid{Units: config.Units{Length: 1, Time: 1, Density: 1}}}
	s.ForceValue(config.Expectation{Name: "expect.force.a", Force: "disc", Series: "lift", Statistic: "strouhal"})
	if text := strings.Join(warned, "\n"); !strings.HasPrefix(text, want) || want == "" && text != "" {
		t.Errorf("%q instead of %q", text, want)
	}
}

// Frequencies of standing sound waves between two faces are doubted: c/(2L) n where both reflect alike, (2n-1) c/(4L)
// where one gives the pressure, c/L n along a periodic axis. Faces that absorb have none, and other frequencies are not doubted.
func TestStandingSoundIsDoubted(t *testing.T) {
	const cells = 62
	half := math.Sqrt(1./3) / (2 * cells) // per step
	slip, _ := boundary.FindKind("slip")
	wall, _ := boundary.FindKind("moving_wall")
	pressure, _ := boundary.FindKind("pressure")
	outflow, _ := boundary.FindKind("outflow")
	layer := []model.Params{{}}
	for _, c := range []struct {
		name      string
		low, high []config.Boundary // without: periodic
		frequency float64           // in half waves between the faces
		sound     bool
	}{
		{"road and ceiling", []config.Boundary{{Kind: wall}}, []config.Boundary{{Kind: slip}}, 1, true},
		{"shifted by a body", []config.Boundary{{Kind: wall}}, []config.Boundary{{Kind: slip}}, 0.985, true},
		{"second mode", []config.Boundary{{Kind: slip}}, []config.Boundary{{Kind: slip}}, 2, true},
		{"a wake", []config.Boundary{{Kind: wall}}, []config.Boundary{{Kind: slip}}, 0.7, false},
		{"between two modes", []config.Boundary{{Kind: wall}}, []config.Boundary{{Kind: slip}}, 1.5, false},
		{"one face gives the pressure", []config.Boundary{{Kind: slip}}, []config.Boundary{{Kind: pressure}}, 1.5, true},
		{"both faces give the pressure", []config.Boundary{{Kind: pressure}}, []config.Boundary{{Kind: pressure}}, 1, true},
		{"outflow", []config.Boundary{{Kind: slip}}, []config.Boundary{{Kind: outflow}}, 1, false},
		{"sponge", []config.Boundary{{Kind: slip}}, []config.Boundary{{Kind: pressure, Sponge: layer}}, 0.5, false},
		{"an opening in a wall", []config.Boundary{{Kind: slip}}, []config.Boundary{{Kind: slip}, {Kind: pressure}}, 1, false},
		{"periodic", nil, nil, 2, true},
		{"periodic, half a wave", nil, nil, 1, false},
	} {
		tunnel := &config.Case{Grid: config.Grid{Units: config.Units{Length: 1, Time: 1}, Cells: [3]int{500, cells, 1}, Periodic: [3]bool{false, c.low == nil}}}
		tunnel.Spec.Lattice.Dims = 2
		tunnel.Boundaries = []config.Boundary{{Kind: outflow, Faces: []config.Face{{Axis: 0}, {Axis: 0, Side: 1}}}}
		for side, list := range [][]config.Boundary{c.low, c.high} {
			for _, b := range list {
				b.Faces = []config.Face{{Axis: 1, Side: side}}
				tunnel.Boundaries = append(tunnel.Boundaries, b)
			}
		}
		run := recorded(3000, func(t float64) float64 { return math.Sin(2 * math.Pi * c.frequency * half * t) })
		o := run.oscillation("lift", false, tunnel)
		if (o.doubt.Kind == finding.StandingSound.Name) != c.sound || math.Abs(o.value/(c.frequency*half)-1) > 2e-3 {
			t.Errorf("%s: %+v", c.name, o)
		}
		if n, found := run.shedding(tunnel); !found || (n.Doubt == "standing_sound") != c.sound || c.sound && !strings.Contains(n.Note, "sound standing ") {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
}
