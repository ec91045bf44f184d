package devicetest

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// newScalarExample is an example of all laws of walls whose flow carries a scalar, with
// every law of one at walls and faces, and is driven by it.
func newScalarExample(spec model.Spec, n [3]int, periodic [3]bool, seed int64) Example {
	spec.Scalar = true
	e := newOpenExample(spec, n, periodic, seed)
	buoyancy := [3]float64{0.03, -0.05, 0.02}
	if spec.Lattice.Dims == 2 {
		buoyancy[2] = 0
	}
	if seed%3 == 0 {
		buoyancy = [3]float64{} // only carried
	}
	e.Params = e.Params.WithScalar(0.03, buoyancy)
	for i, w := range []boundary.ScalarWall{
		{Law: boundary.ScalarFixed, Value: 0.02}, {}, {Law: boundary.ScalarFlux, Value: 0.003}, {Law: boundary.ScalarFixed, Value: -0.01},
		{Law: boundary.ScalarFixed, Value: 0.01}, {Law: boundary.ScalarOpen}, {Law: boundary.ScalarOpen}, {},
	} {
		e.Cells.Walls[i].Scalar = w
	}
	return e
}

// scalars: a scalar and its force against the reference, with what leaves through walls
// and the fields; slabs of any thickness give the bits and the sums of one box.
func scalars(t *testing.T, d device.Device, o Options) {
	const steps = 3
	type key struct {
		lattice, collision string
		size, mask         int
	}
	type answer struct{ state, lost, fields []float64 }
	known := map[key]answer{}
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 9, 8}, {7, 5, 6}, {130, 7, 3}, {2, 3, 4}, {1, 1, 3}} {
			for _, mask := range []int{0, k + 1} {
				e := newScalarExample(spec, n, periodic(mask), int64(700+8*k+mask))
				at := key{spec.Lattice.Name, spec.Collision.Name, k, mask}
				want, ok := known[at]
				if !ok {
					f := e.oracle(steps)
					want = answer{e.values(f), f.Lost(), e.scalarFields(f)}
					known[at] = want
				}
				whole := Start(t, d, e)
				whole.Step(t, steps)
				limit := 2 * rounding(spec)
				if spec.Precision == model.Float16 {
					limit = max(limit, 0.6/(1<<11)) // velocities lie beside populations
				}
				e.within(t, whole.Values(t), want.state, limit)
				loads, sums, fields := whole.loads(t), whole.planes(t), whole.fields(t)
				for i, l := range loads {
					got := float64(l.Scalar) / device.ScalarUnits
					if diff := math.Abs(got - want.lost[i]); !(diff <= 40*rounding(spec)+1e-9) {
						t.Fatalf("%s of %v: %.9g of the scalar leaves through type %d, of the oracle's %.9g", e.Spec, n, got, i+1, want.lost[i])
					}
				}
				for i, v := range fields {
					if diff := math.Abs(v - want.fields[i]); !(diff <= 4*rounding(spec)) {
						t.Fatalf("%s of %v: value %d of the fields is %.9g, of the oracle's %.9g", e.Spec, n, i, v, want.fields[i])
					}
				}
				bits := whole.Bits(t)
				m := e.N[e.axis()]
				every := make([]int, m-1)
				for i := range every {
					every[i] = i + 1
				}
				for _, at := range [][]int{{1}, every} {
					if m == 1 {
						break
					}
					s := Start(t, d, e, at...)
					s.Step(t, steps)
					what := fmt.Sprint("cut before planes ", at)
					sameBits(t, e, what, s.Bits(t), bits)
					if got := s.loads(t); !reflect.DeepEqual(got, loads) {
						t.Fatalf("%s of %v %s: loads of %v, uncut %v", e.Spec, n, what, got, loads)
					}
					if got := s.planes(t); !reflect.DeepEqual(got, sums) {
						t.Fatalf("%s of %v %s: sums of planes are\n%+v, uncut\n%+v", e.Spec, n, what, got, sums)
					}
					if got := s.fields(t); !reflect.DeepEqual(got, fields) {
						t.Fatalf("%s of %v %s: the fields differ", e.Spec, n, what)
					}
				}
			}
		}
	})
}

// scalarAt is the initial value of the scalar of a cell, and the force of all kinds there.
func (e Example) scalarAt(x [3]int) (theta float64, force [3]float64) {
	force = e.Params.Force
	if e.Spec.Scalar {
		theta = e.Fields[e.at(x, e.Spec.Lattice.Moments(), e.Spec.InitValues())]
		for a := range force {
			force[a] += e.Params.Buoyancy[a] * theta
		}
	}
	return theta, force
}

// scalarFields is what device.Program.Fields gives for a reference.
func (e Example) scalarFields(f *ref.Flow) []float64 {
	values := e.Spec.FieldValues()
	out := make([]float64, values*e.N[0]*e.N[1]*e.N[2])
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			return
		}
		rho, u, theta := f.Fields(cell)
		out[e.at(x, 0, values)] = rho - 1
		for a := range e.Spec.Lattice.Dims {
			out[e.at(x, 1+a, values)] = u[a]
		}
		out[e.at(x, values-1, values)] = theta
	})
	return out
}

// scalarWaves: a wave that goes with the flow across the lattice decays by the diffusivity,
// cos(k.(x - u t)) exp(-D k^2 t), with an error of second order in the spacing.
func scalarWaves(t *testing.T, d device.Device, o Options) {
	const diffusivity = 0.05
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 || spec.Collision.Name != "regularized" && spec.Lattice.Name != "D3Q27" || spec.Collision.Name == "cumulant" {
			return // the model has no part in it
		}
		spec.Scalar = true
		var errors []float64
		for _, n := range []int{16, 32} {
			box := [3]int{n, n, 1}
			if spec.Lattice.Dims == 3 {
				box[2] = 2
			}
			u, k, steps := [2]float64{0.8 / float64(n), 0.3 / float64(n)}, 2*math.Pi/float64(n), n*n/4
			e := still(spec, 0.8, box)
			e.Params = e.Params.WithScalar(diffusivity, [3]float64{})
			values := spec.InitValues()
			phase := func(x [3]int) float64 { return k * (float64(x[0]) + float64(x[1])) }
			eachCell(box, 0, func(x [3]int) {
				for a, v := range u {
					e.set(x, 1+a, v)
				}
				e.set(x, values-1, math.Cos(phase(x)))
			})
			s := Start(t, d, e)
			s.Step(t, steps)
			f, worst := s.fields(t), 0.0
			now := float64(steps)
			eachCell(box, 0, func(x [3]int) {
				want := math.Cos(phase(x)-k*(u[0]+u[1])*now) * math.Exp(-2*diffusivity*k*k*now)
				worst = max(worst, math.Abs(f[e.at(x, spec.FieldValues()-1, spec.FieldValues())]-want))
			})
			errors = append(errors, worst)
		}
		t.Logf("%s: errors %.3g", spec, errors)
		if order := math.Log2(errors[0] / errors[1]); !(order > 1.8) || errors[1] > 0.01 {
			t.Errorf("%s: a wave that goes with the flow is off by %.3g, of order %.2f", spec, errors, order)
		}
	})
}
