// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// Example is one flow in one box.
type Example struct {
	Spec     model.Spec
	N        [3]int
	Periodic [3]bool
	Cells    boundary.Cells
	Params   model.Params
	Fields   []float64           // the initial state, as for device.Program.Init
	tuning   []device.WallTuning // of two walls with a model; nil: none
}

// NewExample draws a flow with all features: solids at rest and moving, a force and a random state.
// Non-periodic faces are walls; those at the upper ends move. In 2D the box has one plane.
func NewExample(spec model.Spec, n [3]int, periodic [3]bool, seed int64) Example {
	r := rand.New(rand.NewSource(seed))
	dims := spec.Lattice.Dims
	velocity := [][3]float64{{}, {0.02, 0.01, -0.03}, {-0.01, 0.02, 0.015}}
	force := [3]float64{1e-3, -2e-3, 1.5e-3}
	if dims == 2 {
		n[2], periodic[2], force[2] = 1, true, 0
		velocity = [][3]float64{{}, {0.02, 0.01}, {-0.01, 0.02}}
	}
	e := Example{Spec: spec, N: n, Periodic: periodic, Cells: boundary.NewCells(n)}
	e.Cells.Walls, e.Cells.Periodic = boundary.BounceWalls(velocity...), periodic
	solid := map[[3]int]uint8{}
	eachCell(n, 1, func(x [3]int) {
		if r.Float64() < 0.1 {
			solid[x] = 1 + uint8(r.Intn(3))
		}
	})
	eachCell(n, 1, func(x [3]int) {
		home, wall := x, uint8(0)
		for a := range x {
			switch {
			case periodic[a]:
				home[a] = (x[a] + n[a]) % n[a]
			case x[a] < 0:
				wall = 1
			case x[a] >= n[a]:
				wall = 2
			}
		}
		if wall == 0 {
			wall = solid[home]
		}
		e.Cells.Type[e.Cells.Index(x[0], x[1], x[2])] = wall
	})
	e.Cells = e.Cells.WithRest(periodic[0], dims)
	e.Params = lawful(spec, model.NewParams(spec.Collision, 0.63, values(spec.Collision, 0.21), force))
	e.Fields = make([]float64, spec.InitValues()*n[0]*n[1]*n[2])
	for i := range e.Fields {
		e.Fields[i] = 0.04 * (r.Float64() - 0.5)
	}
	return e
}

// lawful sets viscosity law numbers that matter for the random states of NewExample; some cells
// reach the bounds of a power law.
func lawful(spec model.Spec, p model.Params) model.Params {
	switch spec.Viscosity {
	case model.Smagorinsky:
		p = p.WithSmagorinsky(0.4)
	case model.PowerLaw:
		p = p.WithPowerLaw(0.0433, 0.03, 0.5, 0.03, 0.06)
	case model.Carreau:
		p = p.WithCarreau(0.2, 0.02, 50, 0.4)
	case model.Wale:
		p = p.WithWale(0.7)
	}
	if spec.Bulk {
		p = p.WithBulk(0.15, spec.Lattice.Dims)
	}
	return p
}

// restFaces sets the walls at both ends of the rows, with their edges, to rest.
func (e *Example) restFaces() {
	eachCell(e.N, 1, func(x [3]int) {
		if x[0] < 0 || x[0] >= e.N[0] {
			e.Cells.Type[e.Cells.Index(x[0], x[1], x[2])] = 1
		}
	})
	e.Cells = e.Cells.WithRest(e.Periodic[0], e.Spec.Lattice.Dims)
}

// channel returns a fluid at rest between two walls across y, otherwise periodic; the upper
// wall moves with the lid's velocity.
func channel(spec model.Spec, tau float64, force [3]float64, n [3]int, lid [3]float64) Example {
	e := Example{Spec: spec, N: n, Periodic: [3]bool{true, false, true}, Cells: boundary.NewCells(n)}
	e.Cells.Walls = boundary.BounceWalls([3]float64{}, lid)
	eachCell(n, 1, func(x [3]int) {
		at := &e.Cells.Type[e.Cells.Index(x[0], x[1], x[2])]
		switch x[1] {
		case -1:
			*at = 1
		case n[1]:
			*at = 2
		}
	})
	e.Params = model.NewParams(spec.Collision, tau, values(spec.Collision, 3./16), force)
	e.Fields = make([]float64, spec.Lattice.Moments()*n[0]*n[1]*n[2])
	return e
}

// values sets each parameter of a model to the same value.
func values(c model.Collision, v float64) []float64 {
	var list []float64
	for range c.Params {
		list = append(list, v)
	}
	return list
}

// eachCell visits the cells of a box with some layers around it, x fastest.
func eachCell(n [3]int, layers int, visit func(x [3]int)) {
	var x [3]int
	for x[2] = -layers; x[2] < n[2]+layers; x[2]++ {
		for x[1] = -layers; x[1] < n[1]+layers; x[1]++ {
			for x[0] = -layers; x[0] < n[0]+layers; x[0]++ {
				visit(x)
			}
		}
	}
}

// layout of a part of n cells; cuts are along z in 3D and along y in 2D.
func (e Example) layout(n [3]int) decomp.Layout {
	ghost := [3]int{0, 0, 1}
	if e.Spec.Lattice.Dims == 2 {
		ghost = [3]int{0, 1, 0}
	}
	for k := range e.Cells.Walls {
		if e.Cells.Open(uint8(k+1)) && !e.Periodic[1] { // their ghost cells
			ghost[1] = 1
		}
	}
	return decomp.NewLayout(n, ghost, e.Spec.Components())
}

// axis returns the axis along which the box is cut.
func (e Example) axis() int { return e.Spec.Lattice.Dims - 1 }

// at returns the index of component c of a cell in values laid out [z][y][c][x].
func (e Example) at(x [3]int, c, components int) int {
	return ((x[2]*e.N[1]+x[1])*components+c)*e.N[0] + x[0]
}

// Oracle computes steps of the example with the reference; the values are the state's,
// [z][y][c][x] without padding or ghosts.
func (e Example) Oracle(steps int) []float64 { return e.values(e.oracle(steps)) }

// oracle computes steps of the example with the reference and returns its flow.
func (e Example) oracle(steps int) *ref.Flow {
	f := ref.New(e.Spec.Lattice, e.Spec.Collision.Name, e.Params, e.Periodic, e.Cells)
	f.Law = e.Spec.Viscosity
	// Initial populations are of second order; moments follow by the model.
	first := ref.New(e.Spec.Lattice, "regularized", e.Params, e.Periodic, e.Cells)
	first.Params.OmegaBulk = 0
	if e.Spec.Scalar {
		f.NewScalar()
	}
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			if e.Spec.Scalar {
				theta, _ := e.scalarAt(x)
				f.SetScalar(cell, theta)
			}
			return
		}
		var theta float64
		theta, first.Params.Force = e.scalarAt(x)
		f.F[cell] = f.Close(first.Collide(e.arriving(x)))
		if e.Spec.Scalar {
			f.SetScalar(cell, theta)
		}
	})
	if e.tuning != nil {
		for k, w := range e.tuning[:len(f.Factors)] {
			f.Factors[k], f.Eps[k], f.Exchange[k] = w.Factor, w.Density, w.Exchange
		}
	}
	for k := range steps {
		f.Time = float64(k) + 0.5
		f.Step()
	}
	return f
}

// drivenOracle computes Oracle with a force that changes: step n, counted from 1, has force(n).
func (e Example) drivenOracle(steps int, force func(n int) [3]float64) []float64 {
	f := e.oracle(0)
	for k := range steps {
		f.Time, f.Params.Force = float64(k)+0.5, force(k+1)
		f.Step()
	}
	return e.values(f)
}

// values returns the values of a reference, arranged as the state.
func (e Example) values(f *ref.Flow) []float64 {
	l := e.Spec.Lattice
	components := e.Spec.Components()
	out := make([]float64, len(f.F)*components)
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid && !e.Spec.Scalar {
			return
		}
		v := make([]float64, components)
		if solid {
			g := f.G[cell]
			copy(v[e.Spec.FlowComponents():], append([]float64{g.Theta}, g.Q[:l.Dims]...))
		} else if e.Spec.Collision.Scheme == model.Moments {
			copy(v, f.Moments(f.F[cell]))
		} else {
			for i, w := range l.Weights {
				v[i] = f.F[cell][i] - w
			}
		}
		if e.Spec.Scalar && !solid {
			g, d := f.G[cell], l.Dims
			more := append([]float64{g.Theta}, g.Q[:d]...)
			copy(v[e.Spec.FlowComponents():], append(more, g.U[:d]...))
		}
		for c := range v {
			out[e.at(x, c, components)] = v[c]
		}
	})
	return out
}

// arriving returns the populations before collision of a cell's initial fields: the
// second-order Hermite expansion of density, momentum and the stress of the strain
// rate (Krueger et al., The Lattice Boltzmann Method, Springer 2017, eqs. 4.14 and
// 6.25 to 6.28 for the force's part).
func (e Example) arriving(x [3]int) []float64 {
	l := e.Spec.Lattice
	get := func(c int) float64 { return e.Fields[e.at(x, c, e.Spec.InitValues())] }
	_, force := e.scalarAt(x)
	rho := 1 + get(0)
	var u, j [3]float64
	for a := 0; a < l.Dims; a++ {
		u[a] = get(1 + a)
		j[a] = rho*u[a] - force[a]/2
	}
	in := make([]float64, l.Q())
	for i, c := range l.Velocities {
		in[i] = rho
		for a := 0; a < l.Dims; a++ {
			in[i] += 3 * float64(c[a]) * j[a]
		}
		for k, ab := range ref.Pairs(l.Dims) {
			a, b := ab[0], ab[1]
			s := rho*u[a]*u[b] - 2*rho/3/e.Params.Omega*get(1+l.Dims+k) - (u[a]*force[b]+u[b]*force[a])/2
			h := float64(c[a] * c[b])
			if a == b {
				h -= 1. / 3
			} else {
				s *= 2
			}
			in[i] += 4.5 * h * s
		}
		in[i] *= l.Weights[i]
	}
	return in
}

// rounding returns the largest difference of a stored value from the exact one after a
// few steps, for values up to 0.1: float64 and float32 keep differences from rest to 16
// and 7 digits. Halves of 0.1 are 6e-5 apart, and of populations, up to 0.05, half of
// that; each step is off by up to as much. The tests of three steps came to 8.2e-5 and
// 3.6e-5 at worst; twice as much is allowed.
func rounding(spec model.Spec) float64 {
	half := 1.6e-4
	if spec.Collision.Scheme == model.Populations {
		half = 7e-5
	}
	return map[int]float64{8: 2e-13, 4: 3e-7, 2: half}[spec.Precision.Bytes()]
}

// check compares values of the state with the oracle's.
func (e Example) check(t testing.TB, got, want []float64) {
	t.Helper()
	e.within(t, got, want, rounding(e.Spec))
}

// within is check with another limit.
func (e Example) within(t testing.TB, got, want []float64, limit float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	worst, at := 0.0, 0
	for i := range got {
		if diff := math.Abs(got[i] - want[i]); !(diff <= worst) {
			worst, at = diff, i
		}
	}
	if !(worst <= limit) {
		t.Fatalf("%s of %v, periodic %v: %s is %.9g, the oracle has %.9g; %.2g is allowed between them", e.Spec, e.N, e.Periodic, e.where(at), got[at], want[at], limit)
	}
}

// where names a value of the state.
func (e Example) where(i int) string {
	components := e.Spec.Components()
	x, i := i%e.N[0], i/e.N[0]
	c, i := i%components, i/components
	return fmt.Sprintf("component %d of cell (%d, %d, %d)", c, x, i%e.N[1], i/e.N[1])
}
