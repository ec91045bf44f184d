package devicetest

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/model"
)

// solid is a body by its signed distance, negative inside.
type solid func(p [3]float64) float64

// ball is a sphere of radius 5 in the middle of a box.
func ball(n [3]int) solid {
	return func(p [3]float64) float64 {
		return math.Hypot(math.Hypot(p[0]-float64(n[0])/2-0.13, p[1]-float64(n[1])/2+0.21), p[2]-float64(n[2])/2-0.31) - 5
	}
}

// slope is a band of 6 cells along (2, 1) in a box that is twice as long as high.
func slope(n [3]int) solid {
	return func(p [3]float64) float64 {
		d, period := (2*p[1]-p[0])/math.Sqrt(5)-0.4387, float64(n[1])*2/math.Sqrt(5)
		d -= period * math.Floor(d/period)
		if d < 6 {
			return -math.Min(d, 6-d)
		}
		return math.Min(d-6, period-d)
	}
}

// cells returns the cells of a periodic box, with some more around it, in which the body is solid and has a wall model.
func (s solid) cells(n [3]int, more int, wall boundary.Wall) boundary.Cells {
	big := n
	for a := range big {
		big[a] += 2 * more
	}
	c := boundary.NewCells(big)
	c.Global, c.Origin, c.Periodic, c.Walls = n, [3]int{-more, -more, -more}, [3]bool{true, true, true}, []boundary.Wall{wall}
	centre := func(at [3]int) (p [3]float64) {
		for a := range p {
			p[a] = float64((at[a]-more+4*n[a])%n[a]) + 0.5
		}
		return p
	}
	eachCell(big, 1, func(x [3]int) {
		if s(centre(x)) < 0 {
			c.Type[c.Index(x[0], x[1], x[2])] = 1
		}
	})
	c.Distance = func(x, v [3]int) float64 {
		p := centre([3]int{x[0] - v[0], x[1] - v[1], x[2] - v[2]})
		lo, hi := 0.0, 1.0
		for range 60 {
			q := (lo + hi) / 2
			if s([3]float64{p[0] + (1-q)*float64(v[0]), p[1] + (1-q)*float64(v[1]), p[2] + (1-q)*float64(v[2])}) > 0 {
				lo = q
			} else {
				hi = q
			}
		}
		return lo
	}
	return c
}

// modelled compares flows beside walls with a model with the oracle, and the forces on them: from below the law of the wall to
// above it, smooth and rough, beside a plane that is oblique in the grid and beside a sphere that turns.
func modelled(t *testing.T, d device.Device, o Options) {
	if _, ok := d.(device.WallModels); !ok {
		t.Skip("the device has no wall model yet")
	}
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Lattice.Dims == 2 || spec.Collision.Scheme != model.Moments || spec.Precision == model.Float16 {
			return // they have no wall model
		}
		if testing.Short() && (spec.Collision.Name == "recursive_regularized" || (spec.Precision == model.Float64) != (spec.Lattice.Q() == 27)) {
			t.Skip("the same formulas with another closure or precision: make test-all runs it")
		}
		spec.Viscosity = model.Smagorinsky
		for k, nu := range []float64{2e-2, 1.5e-3, 2e-4} { // laminar, blended, turbulent
			n := [3]int{52, 26, 6}
			body, wall := slope(n), boundary.Wall{Law: boundary.ModelledWall, Measured: true, Model: boundary.WallModel{Sample: 3.5, Layer: 4}}
			if k > 0 {
				n = [3]int{28, 27, 26}
				body, wall.Motion = ball(n), boundary.Spin{Angular: [3]float64{0.002, 0.001, 0}, Centre: [3]float64{14, 13, 13}}
			}
			if k == 2 {
				wall.Model.Roughness = 0.2
			}
			e := modelledExample(spec, n, body, wall, nu)
			const steps = 3
			s := Start(t, d, e)
			s.Step(t, steps)
			want, forces := e.OracleForces(steps)
			e.within(t, s.Values(t), want, 10*rounding(spec)) // the blend of both laws multiplies rounding: six times was seen
			e.checkLoads(t, s.loads(t), forces)
		}
	})
}

// modelledExample returns a smooth flow along x past a body.
func modelledExample(spec model.Spec, n [3]int, body solid, wall boundary.Wall, nu float64) Example {
	e := Example{Spec: spec, N: n, Periodic: [3]bool{true, true, true}, Cells: body.cells(n, 0, wall)}
	around := body.cells(n, boundary.ModelledMargin(e.Cells.Walls), wall)
	var err error
	if e.Cells.Modelled, err = boundary.FindModelled(spec.Lattice, [3]int{}, n, around); err != nil {
		panic(fmt.Sprint("the example's walls: ", err))
	}
	e.Params = model.NewParams(spec.Collision, 0.5+3*nu, values(spec.Collision, 0.2), [3]float64{1e-5, -2e-5, 1e-5}).WithSmagorinsky(0.1)
	e.Fields = make([]float64, spec.InitValues()*n[0]*n[1]*n[2])
	wave := func(x [3]int, k int) float64 {
		sum := float64(k)
		for a := range x {
			sum += 2 * math.Pi * float64((a+k)%2+1) * float64(x[a]) / float64(n[a])
		}
		return 0.01 * math.Sin(sum)
	}
	eachCell(n, 0, func(x [3]int) {
		for c := range 4 {
			v := wave(x, c)
			if c == 1 {
				v += 0.06
			}
			e.Fields[e.at(x, c, spec.InitValues())] = v
		}
	})
	return e
}
