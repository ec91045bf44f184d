// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// newScalarExample returns an example of all laws of walls with a scalar, all scalar laws at walls
// and faces, and buoyancy.
func newScalarExample(spec model.Spec, n [3]int, periodic [3]bool, seed int64) Example {
	spec.Scalar = true
	e := newOpenExample(spec, n, periodic, seed)
	buoyancy := [3]float64{0.03, -0.05, 0.02}
	if spec.Lattice.Dims == 2 {
		buoyancy[2] = 0
	}
	if seed%3 == 0 {
		buoyancy = [3]float64{} // passive
	}
	e.Params = e.Params.WithScalar(0.03, buoyancy)
	if spec.Viscosity == model.Smagorinsky || spec.Viscosity.LooksAround() {
		e.Params = e.Params.WithEddies(0.4)
	}
	walls := []boundary.ScalarWall{
		{Law: boundary.ScalarFixed, Value: 0.02}, {}, {Law: boundary.ScalarFlux, Value: 0.003}, {Law: boundary.ScalarFixed, Value: -0.01},
		{Law: boundary.ScalarFixed, Value: 0.01}, {Law: boundary.ScalarOpen}, {Law: boundary.ScalarOpen}, {}, {},
	}
	if switches(spec, seed) { // faces with outflow prescribe the value of the inflow
		walls[5], walls[6] = boundary.ScalarWall{Law: boundary.ScalarFixed, Value: 0.03}, boundary.ScalarWall{Law: boundary.ScalarFixed, Value: -0.02}
		e.Cells.Walls[4].MayExit = true
	}
	if seed%4 == 1 { // solids conduct, at rest or moving, one with curved walls
		walls[0] = boundary.ScalarWall{Law: boundary.ScalarConducts, Value: 1e-4, Capacity: 3, Conductivity: 0.4}
		walls[2] = boundary.ScalarWall{Law: boundary.ScalarConducts, Capacity: 0.7, Conductivity: 0.01}
	}
	if seed%2 == 0 {
		e.Cells.Slope = func(x, c [3]int) float64 { return 0.3 + 0.1*float64((x[0]+2*c[1]+5)%5) }
	}
	for i, w := range walls {
		e.Cells.Walls[i].Scalar = w
	}
	eachCell(e.N, 0, func(x [3]int) {
		if k := e.Cells.At(x[0], x[1], x[2]); k != 0 && !e.Cells.Conducts(k) {
			e.set(x, spec.InitValues()-1, 0)
		}
	})
	return e
}

// scalars: a scalar, its force, its flux through walls and the fields are compared with the
// reference; slabs of any thickness give the bits and the sums of one box.
func scalars(t *testing.T, d device.Device, o Options) {
	const steps = 3
	type key struct {
		lattice, collision string
		size, mask         int
		switches           bool
	}
	type answer struct{ state, lost, fields []float64 }
	known := map[key]answer{}
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 9, 8}, {7, 5, 6}, {130, 7, 3}, {2, 3, 4}, {1, 1, 3}, {36, 8, 7}, {33, 7, 6}} {
			if leaves(spec, k) {
				continue
			}
			for _, mask := range []int{0, k + 1} {
				spec := spec
				if k >= 5 { // eddy diffusivity, too
					if spec.Precision != model.Float32 {
						break
					}
					spec.Viscosity = map[int]model.ViscosityLaw{5: model.Smagorinsky, 6: model.Wale}[k]
				}
				seed := int64(700 + 8*k + mask)
				e := newScalarExample(spec, n, periodic(mask), seed)
				at := key{spec.Lattice.Name, spec.Collision.Name, k, mask, switches(spec, seed)}
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
					limit = max(limit, 0.6/(1<<11)) // velocities are stored with populations
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

// scalarAt returns the initial value of the scalar of a cell, and the total force there.
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

// scalarFields returns the fields of a reference as device.Program.Fields gives them.
func (e Example) scalarFields(f *ref.Flow) []float64 {
	values := e.Spec.FieldValues()
	out := make([]float64, values*e.N[0]*e.N[1]*e.N[2])
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			out[e.at(x, values-1, values)] = f.G[cell].Theta
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

// scalarWaves: a wave convected across the lattice decays by the diffusivity, cos(k.(x - u t))
// exp(-D k^2 t), with an error of second order in the spacing.
func scalarWaves(t *testing.T, d device.Device, o Options) {
	const diffusivity = 0.05
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision != model.Float64 || spec.Collision.Name != "regularized" && spec.Lattice.Name != "D3Q27" || spec.Collision.Name == "cumulant" {
			return // the model does not matter here
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

// scalarSum: a closed box conserves the scalar in its fluid and solids, beside walls at rest, moving and curved ones
// and planes of symmetry, whatever the flow does.
func scalarSum(t *testing.T, d device.Device, o Options) {
	const steps = 200
	o.each(t, func(t *testing.T, spec model.Spec) {
		if spec.Precision == model.Float16 {
			return // it rounds the scalar itself
		}
		spec.Scalar = true
		for i, kind := range []string{"walls", "lid", "slip", "ball", "solid", "floor", "floor, slip", "flush"} {
			if leaves(spec, i) {
				continue
			}
			e := closedExample(spec, kind)
			s := Start(t, d, e)
			sum := func() (all, scale float64) {
				f, values := s.fields(t), e.Spec.FieldValues()
				eachCell(e.N, 0, func(x [3]int) {
					heat := (1 + f[e.at(x, 0, values)]) * f[e.at(x, values-1, values)]
					if k := e.Cells.At(x[0], x[1], x[2]); k != 0 {
						heat *= e.Cells.ScalarLaw(k).Capacity
					}
					all, scale = all+heat, scale+math.Abs(heat)
				})
				return all, scale
			}
			before, scale := sum()
			s.Step(t, steps)
			after, _ := sum()
			drift := (after - before) / scale / steps
			// Sums over some thousand cells; what float32 rounds to one side was seen to be less than half of that.
			limit := map[model.Precision]float64{model.Float64: 2e-15, model.Float32: 6e-9}[spec.Precision]
			t.Logf("%s %s: %.2g", spec, kind, drift)
			if !(math.Abs(drift) <= limit) {
				t.Errorf("%s: a box with %s gains %.2g of its scalar a step", spec, kind, drift)
			}
		}
	})
}

// closedExample returns a stirred, unevenly warm fluid in a closed box of a kind.
func closedExample(spec model.Spec, kind string) Example {
	const wall, lid, mirror, ball, solid = 1, 2, 3, 4, 5
	n := [3]int{20, 17, 12}
	if spec.Lattice.Dims == 2 {
		n = [3]int{48, 41, 1}
	}
	e := still(spec, 0.6, n)
	e.Periodic = [3]bool{kind == "lid", false, spec.Lattice.Dims == 2}
	e.Params = e.Params.WithScalar(0.03, [3]float64{0, 1e-3, 0})
	e.Cells.Walls = []boundary.Wall{{}, {Motion: boundary.Constant{0.05, 0, 0}}, {Law: boundary.Slip}, {Law: boundary.Interpolated, Conserve: true}, {
		Scalar: boundary.ScalarWall{Law: boundary.ScalarConducts, Capacity: 2, Conductivity: 0.2},
	}}
	e.Cells.Distance = func(x, c [3]int) float64 { return 0.1 + 0.2*float64((x[0]+2*x[1]+3*x[2]+c[0]+5)%5) }
	eachCell(n, 1, func(x [3]int) {
		k, far := uint8(0), 0.0
		for a := range spec.Lattice.Dims {
			far += math.Pow(float64(x[a])-0.45*float64(n[a]), 2)
		}
		switch {
		case strings.HasSuffix(kind, "slip") && x[0] >= n[0]:
			k = mirror
		case kind == "lid" && x[1] >= n[1] && x[2] >= 0 && x[2] < n[2]:
			k = lid // at its ends the flow would gain and lose mass
		case !e.Periodic[0] && (x[0] < 0 || x[0] >= n[0]) || x[1] < 0 || x[1] >= n[1] || !e.Periodic[2] && (x[2] < 0 || x[2] >= n[2]):
			k = wall
		case kind == "ball" && far < 15:
			k = ball
		case kind == "solid" && far < 15, strings.HasPrefix(kind, "floor") && x[1] < 5:
			k = solid
		case kind == "flush" && x[1] < 5: // in the surface of an insulated step
			if k = wall; x[0] > 5 && x[0] < 13 && x[1] > 1 {
				k = solid
			}
		}
		e.Cells.Type[e.Cells.Index(x[0], x[1], x[2])] = k
	})
	e.Cells = e.Cells.WithRest(e.Periodic[0], spec.Lattice.Dims)
	eachCell(n, 0, func(x [3]int) {
		k := e.Cells.At(x[0], x[1], x[2])
		if k != 0 && k != solid {
			return
		}
		p, q := float64(x[0]), float64(x[1]+2*x[2])
		e.set(x, 1, 0.04*math.Sin(0.3*q))
		e.set(x, 2, 0.03*math.Sin(0.4*p))
		e.set(x, spec.InitValues()-1, 0.3+0.5*math.Exp(-(p-6)*(p-6)/9)+0.01*math.Sin(q)-0.2*float64(min(k, 1)))
	})
	return e
}
