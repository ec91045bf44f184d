// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// solid is a body by its signed distance, negative inside.
type solid func(p [3]float64) float64

// ball is a sphere of radius 5 in the middle of a box.
func ball(n [3]int) solid {
	return func(p [3]float64) float64 {
		return math.Hypot(math.Hypot(p[0]-float64(n[0])/2-0.13, p[1]-float64(n[1])/2+0.21), p[2]-float64(n[2])/2-0.31) - 6
	}
}

// band is a solid layer across a normal, in a box whose period along that normal is given.
func band(normal [3]float64, thick, period float64) solid {
	size := math.Hypot(math.Hypot(normal[0], normal[1]), normal[2])
	return func(p [3]float64) float64 {
		d := (p[0]*normal[0]+p[1]*normal[1]+p[2]*normal[2])/size - 0.4387
		d -= period * math.Floor(d/period)
		if d < thick {
			return -math.Min(d, thick-d)
		}
		return math.Min(d-thick, period-d)
	}
}

// cells returns the cells of a periodic box, with some more around it, in which the body is solid and has a wall model.
func (s solid) cells(n [3]int, more int, walls []boundary.Wall) boundary.Cells {
	big := n
	for a := range big {
		big[a] += 2 * more
	}
	c := boundary.NewCells(big)
	c.Global, c.Origin, c.Periodic, c.Walls = n, [3]int{-more, -more, -more}, [3]bool{true, true, true}, walls
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

// between returns the cells of a box that is periodic along x and between slip faces of type 2, with some more at the ends of x.
func (s solid) between(n [3]int, more int, walls []boundary.Wall) boundary.Cells {
	c := boundary.NewCells([3]int{n[0] + 2*more, n[1], n[2]})
	c.Global, c.Origin, c.Periodic, c.Walls = n, [3]int{-more, 0, 0}, [3]bool{true, false, false}, walls
	whole := s.cells(n, more, walls)
	of := func(x [3]int) [3]int { return [3]int{x[0], x[1] + more, x[2] + more} }
	eachCell(c.N, 1, func(x [3]int) {
		k := uint8(2)
		if at := of(x); x[1] >= 0 && x[1] < n[1] && x[2] >= 0 && x[2] < n[2] {
			k = whole.At(at[0], at[1], at[2])
		}
		c.Type[c.Index(x[0], x[1], x[2])] = k
	})
	c.Distance = func(x, v [3]int) float64 { return whole.Distance(of(x), v) }
	return c
}

// quarter is a quarter of a sphere, where two faces of a box meet.
func quarter(p [3]float64) float64 { return math.Hypot(math.Hypot(p[0]-12.13, p[1]), p[2]) - 6.1 }

// block is a box with sharp edges in the middle of n cells, turned about z. Its two planes normal to z are at different
// positions between cells.
func block(n [3]int) solid {
	sin, cos := math.Sincos(0.35)
	return func(p [3]float64) float64 {
		x, y, z := p[0]-float64(n[0])/2, p[1]-float64(n[1])/2, p[2]-float64(n[2])/2
		return math.Max(math.Max(math.Abs(cos*x+sin*y)-6.2, math.Abs(cos*y-sin*x)-5.1), math.Abs(z-0.25)-5.3)
	}
}

// room returns the cells of a box between four faces, of which the upper one across y has type 2 and the others have type 1, with
// some more at the ends of x.
func room(n [3]int, more int, walls []boundary.Wall) boundary.Cells {
	long := [3]int{n[0] + 2*more, n[1], n[2]}
	c := boundary.NewCells(long)
	c.Global, c.Origin, c.Periodic, c.Walls = n, [3]int{-more, 0, 0}, [3]bool{true, false, false}, walls
	eachCell(long, 1, func(x [3]int) {
		at := &c.Type[c.Index(x[0], x[1], x[2])]
		switch {
		case x[1] == n[1]:
			*at = 2
		case x[1] < 0 || x[2] < 0 || x[2] == n[2]:
			*at = 1
		}
	})
	return c
}

// modelledFlow is a flow beside walls with a model.
type modelledFlow struct {
	name     string
	n        [3]int
	body     solid // nil: a room
	slips    bool  // the box is between slip faces
	wall     boundary.Wall
	nu       float64
	law      model.ViscosityLaw // with eddy viscosity; newtonian: no layer
	constant float64            // of the law
	heat     boundary.ScalarWall
	half     [2]float64 // bounds of the mean of y+ at half a cell, so that each flow is in the regime of its name
}

// modelledFlows returns planes along (2, 1) and across a normal with three components, a rotating sphere, a block with
// edges, and a room with a moving face: from below the law of the wall (boundary.LaminarPlus) to above it
// (boundary.TurbulentPlus), smooth and rough, with eddy viscosity in the box and only in the layer, and walls without
// friction.
func modelledFlows() []modelledFlow {
	const below, above = boundary.LaminarPlus, boundary.TurbulentPlus
	inclined := band([3]float64{-1, 2, 0}, 6, 26*2/math.Sqrt(5))
	tilted := band([3]float64{1, 2, 2}, 3, 10)
	wide, cube, box := [3]int{52, 26, 4}, [3]int{30, 15, 15}, [3]int{24, 22, 21}
	wall := func(layer, roughness float64, motion boundary.Motion) boundary.Wall {
		return boundary.Wall{Law: boundary.ModelledWall, Measured: true, Motion: motion, Model: boundary.WallModel{Sample: 3.5, Layer: layer, Roughness: roughness}}
	}
	frictionless := boundary.Wall{Law: boundary.ModelledWall, Measured: true, Model: boundary.WallModel{Frictionless: true}}
	fixed, flux, closed := boundary.ScalarWall{Law: boundary.ScalarFixed, Value: 0.3}, boundary.ScalarWall{Law: boundary.ScalarFlux, Value: 0.0003}, boundary.ScalarWall{}
	spin := boundary.Spin{Angular: [3]float64{0.002, 0.001, 0}, Centre: [3]float64{12, 11, 10.5}}
	return []modelledFlow{
		{"inclined, laminar", wide, inclined, false, wall(4, 0, nil), 2e-2, model.Smagorinsky, 0.1, fixed, [2]float64{0, below}},
		{"room, blended", [3]int{12, 16, 14}, nil, false, wall(4, 0, boundary.Constant{0.03, 0, 0.02}), 4.1e-4, model.Smagorinsky, 0.1, flux, [2]float64{below, above}},
		{"sphere, blended", box, ball(box), false, wall(4, 0, spin), 3.6e-4, model.Smagorinsky, 0.1, fixed, [2]float64{below, above}},
		{"tilted, blended", cube, tilted, false, wall(4, 0, nil), 3.75e-4, model.Smagorinsky, 0, closed, [2]float64{below, above + 0.5}}, // 5.5 with the ghost cells of D3Q19
		{"sphere, rough", box, ball(box), false, wall(4, 0.2, spin), 2e-4, model.Smagorinsky, 0.1, flux, [2]float64{above, 1e3}},
		{"inclined, without a layer", wide, inclined, false, wall(0, 0, nil), 5e-5, model.Newtonian, 0, fixed, [2]float64{above, 1e3}},
		{"tilted, turbulent", cube, tilted, false, wall(4, 0, nil), 5e-5, model.Smagorinsky, 0.1, fixed, [2]float64{above, 1e3}},
		{"room, laminar", [3]int{12, 16, 14}, nil, false, wall(4, 0, boundary.Constant{0.03, 0, 0.02}), 1e-2, model.Smagorinsky, 0, fixed, [2]float64{0, below}},
		{"sphere, with eddies by gradients", box, ball(box), false, wall(4, 0, nil), 3.6e-4, model.Wale, 0.325, fixed, [2]float64{below, 1e3}},
		{"tilted, frictionless", cube, tilted, false, frictionless, 5e-5, model.Newtonian, 0, flux, [2]float64{0, 0}},
		{"block, turbulent", box, block(box), false, wall(4, 0, nil), 5e-5, model.Smagorinsky, 0.1, fixed, [2]float64{above, 1e3}},
		{"quarter of a sphere, turbulent", [3]int{24, 18, 17}, quarter, true, wall(4, 0, nil), 5e-5, model.Smagorinsky, 0.1, fixed, [2]float64{above, 1e3}},
		{"sphere, frictionless", box, ball(box), false, frictionless, 1e-3, model.Smagorinsky, 0.1, closed, [2]float64{0, 0}},
	}
}

// modelled compares flows beside walls with a model with the oracle, and the forces on the walls, the traction and y+ that the
// ghost cells report.
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
		for k, flow := range modelledFlows() {
			if leaves(spec, k) {
				continue
			}
			e := flow.example(spec)
			s, oracle := flow.steps(t, d, &e)
			if flow.law == model.Wale {
				near(t, e, s.eddies(t), oracle.Eddies)
			}
			e.within(t, s.Values(t), e.values(oracle), modelledLimit(spec, 40))
			e.checkLoads(t, s.loads(t), oracle.Forces())
			flow.check(t, e, s, oracle)
			flow.checkMomentum(t, e, s, oracle)
		}
	})
}

// steps takes a few steps of an example, with corrections of its ghost cells.
func (m modelledFlow) steps(t *testing.T, d device.Device, e *Example) (*Slabs, *ref.Flow) {
	t.Helper()
	const steps = 3
	s := Start(t, d, *e)
	e.tuning = []device.WallTuning{{Factor: 0.9, Density: 1e-3, Exchange: 2e-3}, {Factor: 1.15, Density: -5e-4, Exchange: 7e-4}}
	if err := s.parts[0].program.(device.WallModeler).TuneWalls(e.tuning[:len(e.Cells.Walls)]); err != nil {
		t.Fatal(err)
	}
	s.Step(t, steps)
	return s, e.oracle(steps)
}

// modelledHeat compares a scalar in these flows, and its flux at the walls, with the oracle: walls with a value, with a flux
// and closed ones.
func modelledHeat(t *testing.T, d device.Device, o Options) {
	if _, ok := d.(device.WallModels); !ok {
		t.Skip("the device has no wall model yet")
	}
	o.all(t, func(t *testing.T, spec model.Spec) {
		if spec.Lattice.Dims == 2 || spec.Collision.Scheme != model.Moments || spec.Precision == model.Float16 {
			return // they have no wall model
		}
		if testing.Short() && (spec.Collision.Name != "cumulant" || (spec.Precision == model.Float64) != (spec.Lattice.Q() == 27)) {
			t.Skip("the same formulas with another closure or precision: make test-all runs it")
		}
		spec.Scalar = true
		for k, flow := range modelledFlows() {
			if leaves(spec, k) {
				continue
			}
			e := flow.example(spec)
			s, oracle := flow.steps(t, d, &e)
			e.within(t, s.Values(t), e.values(oracle), modelledLimit(spec, 40))
			lost := oracle.Lost()
			for i, l := range s.loads(t) {
				got, want := float64(l.Scalar)/device.ScalarUnits, lost[i]
				if diff := math.Abs(got - want); !(diff <= modelledLimit(spec, 400)+1e-9) {
					t.Errorf("%s, %s: %.9g of the scalar leaves through type %d, of the oracle's %.9g", e.Spec, flow.name, got, i+1, want)
				}
			}
			if spec.Precision == model.Float64 {
				flow.balance(t, e, s)
			}
		}
	})
}

// balance verifies that a step changes the scalar in the box by what it reports at the walls, within the rounding of each link to
// device.ScalarUnits.
func (m modelledFlow) balance(t *testing.T, e Example, s *Slabs) {
	t.Helper()
	sum := func() (all float64) {
		f, values := s.fields(t), e.Spec.FieldValues()
		eachCell(e.N, 0, func(x [3]int) {
			if e.Cells.At(x[0], x[1], x[2]) == 0 {
				all += (1 + f[e.at(x, 0, values)]) * f[e.at(x, values-1, values)]
			}
		})
		return all
	}
	enters := -sum()
	for _, l := range s.loads(t) {
		enters += float64(l.Scalar) / device.ScalarUnits
	}
	s.Step(t, 1)
	if off := enters + sum(); !(math.Abs(off) <= 5e-9) {
		t.Errorf("%s, %s: a step changes the scalar by %.3g more than passes the walls", e.Spec, m.name, off)
	}
}

// warm sets a scalar law for the walls of an example, and a varying scalar in the fluid.
func (m modelledFlow) warm(e *Example) {
	const prandtl = 1.3
	if !e.Spec.Scalar {
		return
	}
	e.Params = e.Params.WithScalar(m.nu/prandtl, [3]float64{0.01, -0.02, 0.01})
	if m.law != model.Newtonian {
		e.Params = e.Params.WithEddies(0.8)
	}
	for k := range e.Cells.Walls {
		w := &e.Cells.Walls[k]
		w.Model.Prandtl = prandtl
		if w.Law == boundary.Slip {
			continue
		}
		if w.Scalar = m.heat; k > 0 { // of a room
			w.Scalar = boundary.ScalarWall{Law: boundary.ScalarFlux, Value: -0.0002}
		}
	}
	eachCell(e.N, 0, func(x [3]int) {
		if e.Cells.At(x[0], x[1], x[2]) == 0 {
			e.Fields[e.at(x, 4, e.Spec.InitValues())] = 0.1 * math.Cos(2*math.Pi*float64(x[0])/float64(e.N[0])+0.3*float64(x[1]+2*x[2]))
		}
	})
}

// example returns a smooth flow along x beside the walls.
func (m modelledFlow) example(spec model.Spec) Example {
	spec.Viscosity = m.law
	e := Example{Spec: spec, N: m.n, Periodic: [3]bool{true, true, true}}
	still := m.wall
	still.Motion = nil
	var around boundary.Cells
	if m.body == nil {
		e.Cells = room(m.n, 0, []boundary.Wall{still, m.wall})
		e.Periodic, around = e.Cells.Periodic, room(m.n, boundary.ModelledMargin(e.Cells.Walls), e.Cells.Walls)
	} else if m.slips {
		e.Cells = m.body.between(m.n, 0, []boundary.Wall{m.wall, {Law: boundary.Slip}})
		e.Periodic, around = e.Cells.Periodic, m.body.between(m.n, boundary.ModelledMargin(e.Cells.Walls), e.Cells.Walls)
	} else {
		e.Cells = m.body.cells(m.n, 0, []boundary.Wall{m.wall})
		around = m.body.cells(m.n, boundary.ModelledMargin(e.Cells.Walls), e.Cells.Walls)
	}
	var err error
	if e.Cells.Modelled, err = boundary.FindModelled(spec.Lattice, [3]int{}, m.n, around); err != nil {
		panic(fmt.Sprintf("the walls of %s: %v", m.name, err))
	}
	e.Params = model.NewParams(spec.Collision, 0.5+3*m.nu, values(spec.Collision, 0.2), [3]float64{1e-5, -2e-5, 1e-5})
	switch m.law {
	case model.Smagorinsky:
		e.Params = e.Params.WithSmagorinsky(m.constant)
	case model.Wale:
		e.Params = e.Params.WithWale(m.constant)
	default:
	}
	e.Fields = make([]float64, spec.InitValues()*m.n[0]*m.n[1]*m.n[2])
	wave := func(x [3]int, k int) float64 {
		sum := float64(k)
		for a := range x {
			sum += 2 * math.Pi * float64((a+k)%2+1) * float64(x[a]) / float64(m.n[a])
		}
		return 0.01 * math.Sin(sum)
	}
	eachCell(m.n, 0, func(x [3]int) {
		for c := range 4 {
			v := wave(x, c)
			if c == 1 {
				v += 0.06
			}
			e.Fields[e.at(x, c, spec.InitValues())] = v
		}
	})
	m.warm(&e)
	return e
}

// check compares the results of ghost cells with the oracle, and verifies that the mean y+ is in the regime of the flow's
// name.
func (m modelledFlow) check(t *testing.T, e Example, s *Slabs, oracle *ref.Flow) {
	t.Helper()
	got, err := s.parts[0].program.(device.WallModeler).ModelledWalls()
	if err != nil {
		t.Fatal(err)
	}
	traction, half, share := ref.ModelledWalls(oracle)
	if len(got) != len(half) || len(got) == 0 {
		t.Fatalf("%s, %s: %d ghost cells, the oracle has %d", e.Spec, m.name, len(got), len(half))
	}
	sum := 0.0
	for i, w := range got {
		sum += half[i] / float64(len(half))
		for a := range 3 {
			if diff := math.Abs(w.Traction[a] - traction[i][a]); !(diff <= modelledLimit(e.Spec, 0.02)) {
				t.Fatalf("%s, %s: traction %c at ghost cell %d is %.9g, the oracle has %.9g", e.Spec, m.name, "xyz"[a], i, w.Traction[a], traction[i][a])
			}
		}
		if diff := math.Abs(w.HalfPlus - half[i]); !(diff <= modelledLimit(e.Spec, 1500)*math.Max(1, half[i])) {
			t.Fatalf("%s, %s: y+ at half a cell at ghost cell %d is %.9g, the oracle has %.9g", e.Spec, m.name, i, w.HalfPlus, half[i])
		}
	}
	for i, w := range got {
		if diff := math.Abs(w.Share - share[i]); !(diff <= modelledLimit(e.Spec, 15000)) { // of y+ over one unit, or of angles by EdgeFast
			t.Fatalf("%s, %s: the share of the model at ghost cell %d is %.9g, of the oracle %.9g", e.Spec, m.name, i, w.Share, share[i])
		}
	}
	if !(sum >= m.half[0] && sum <= m.half[1]) {
		t.Errorf("%s, %s: the mean y+ at half a cell is %.3g, not in %v", e.Spec, m.name, sum, m.half)
	}
}

// checkMomentum compares the sums over the links of each wall with the oracle's. Of float64 the rounding to device.ForceUnits was
// seen, of float32 13 of rounding (planes 67 in the area, up to 170 where the law is blended: rounding decides which ghost cells are in
// the sum).
func (m modelledFlow) checkMomentum(t *testing.T, e Example, s *Slabs, oracle *ref.Flow) {
	t.Helper()
	got, err := s.parts[0].program.(device.WallModeler).WallMomentum(s.parts[0].state[0], e.Params)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range ref.WallMomentum(oracle) {
		for i, v := range [5]int64{got[k].Exchanged, got[k].Law, got[k].All, got[k].Area, got[k].Passed} {
			units, links := float64(device.ForceUnits), 1e-9
			if i == 3 {
				units, links = device.WallAreaUnits, 1e-6 // half a unit for each of some thousand links
			}
			sum := float64(v) / units
			if diff := math.Abs(sum - want[i]); !(diff <= links+modelledLimit(e.Spec, 360)) {
				t.Errorf("%s, %s: sum %d of wall %d is %.9g, the oracle has %.9g", e.Spec, m.name, i, k, sum, want[i])
			}
		}
	}
}

// modelledLimit returns the largest difference from the oracle, which reads the same table of the law of the wall. Of float64
// 0.0075 of rounding was seen in the state, 1e-6 in the traction and 0.09 in y+; of float32, which stores the geometry rounded, 6
// (spheres; 0.6 of planes, 12 of spheres where the law is blended over one unit of y+), 0.005 and 490, since y+ is the rounded velocity by a small viscosity: single has room for three times
// the latter.
func modelledLimit(spec model.Spec, single float64) float64 {
	if spec.Precision == model.Float64 {
		return rounding(spec)
	}
	return single * rounding(spec)
}
