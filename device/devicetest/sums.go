// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"math"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// planes: Planes agrees with sums over Fields, and finds a non-finite value in any component, and
// the first of several.
func planes(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 6, 5}, {130, 9, 3}, {5, 33, 4}} {
			e := NewExample(spec, n, [3]bool{true, true, true}, int64(2+k))
			s := Start(t, d, e)
			want := e.sums(s.fields(t))
			for k, got := range s.planes(t) {
				// Two sums of the same values in another order: their rounding, no more.
				near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
				w := want[k]
				ok := got.Cells == w.Cells && near(got.Mass, w.Mass) && near(got.Energy, w.Energy) && near(got.MaxSpeed, w.MaxSpeed) && got.MaxAt == w.MaxAt && got.Bad == 0
				for a := range got.Momentum {
					ok = ok && near(got.Momentum[a], w.Momentum[a])
				}
				if !ok {
					t.Errorf("%s of %v: plane %d is %+v, want %+v", spec, e.N, k, got, w)
				}
			}
		}
		notFiniteValues(t, d, spec)
	})
}

// rows returns the sums of all rows, if there is one part.
func (s *Slabs) rows(t *testing.T) []device.Plane {
	t.Helper()
	p := s.parts[0]
	rows, err := p.program.Rows(p.state[0], s.e.Params)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.parts) != 1 || len(rows) != s.e.N[1]*s.e.N[2] {
		t.Fatalf("%s of %v: %d rows of the first of %d parts", s.e.Spec, s.e.N, len(rows), len(s.parts))
	}
	return rows
}

// rowsOf verifies that Planes equals the sequential sums of the rows to the bit: ranks that share
// planes add up rows.
func rowsOf(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for k, n := range [][3]int{{37, 6, 5}, {130, 300, 2}, {5, 1, 4}} {
			e := NewExample(spec, n, [3]bool{true, k == 0, true}, int64(12+k))
			s := Start(t, d, e)
			s.Step(t, 2)
			rows := s.rows(t)
			n = e.N // of the lattice's dimensions
			for k, want := range s.planes(t) {
				var got device.Plane
				for i, row := range rows {
					if at := [3]int{0, i % n[1], i / n[1]}; at[e.axis()] == k {
						got.Add(row)
					}
				}
				if got != want {
					t.Errorf("%s of %v: the rows of plane %d are %+v, the plane is %+v", spec, n, k, got, want)
				}
			}
		}
	})
}

// countedRows compares Rows of a patch with sums over Fields of its counted cells.
func countedRows(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		e := NewExample(spec, [3]int{70, 6, 5}, [3]bool{true, true, true}, 14)
		counted := func(y, z int) []decomp.Range {
			switch (y + z) % 3 {
			case 0:
				return nil
			case 1:
				return []decomp.Range{{Lo: 2, Hi: 31}, {Lo: 33, Hi: 68}}
			}
			return []decomp.Range{{Lo: 0, Hi: 70}}
		}
		e.Cells.Patch = &boundary.Patch{Role: func([3]int) decomp.Role { return decomp.Counted }, Counted: counted}
		s := Start(t, d, e)
		s.Step(t, 2)
		rows := s.rows(t)
		fields, n, dims := s.fields(t), e.N, spec.Lattice.Dims
		for i, got := range rows {
			var cells int
			var mass, most float64
			for _, run := range counted(i%n[1], i/n[1]) {
				for x := run.Lo; x < run.Hi; x++ {
					at, uu := [3]int{x, i % n[1], i / n[1]}, 0.0
					if e.Cells.At(at[0], at[1], at[2]) != 0 {
						continue
					}
					for a := range dims {
						uu += fields[e.at(at, 1+a, 1+dims)] * fields[e.at(at, 1+a, 1+dims)]
					}
					cells, mass, most = cells+1, mass+fields[e.at(at, 0, 1+dims)], max(most, math.Sqrt(uu))
				}
			}
			if got.Cells != cells || math.Abs(got.Mass-mass) > 1e-12 || math.Abs(got.MaxSpeed-most) > 1e-12 || got.Bad != 0 {
				t.Errorf("%s: row %d is %+v; want %d cells, mass %g, speed %g", spec, i, got, cells, mass, most)
			}
		}
	})
}

// sums of fields as Planes gives them.
func (e Example) sums(fields []float64) []device.Plane {
	dims, axis := e.Spec.Lattice.Dims, e.axis()
	out := make([]device.Plane, e.N[axis])
	eachCell(e.N, 0, func(x [3]int) {
		if e.Cells.At(x[0], x[1], x[2]) != 0 {
			return
		}
		p := &out[x[axis]]
		rho, uu := 1+fields[e.at(x, 0, 1+dims)], 0.0
		p.Cells++
		p.Mass += rho - 1
		for a := 0; a < dims; a++ {
			u := fields[e.at(x, 1+a, 1+dims)]
			p.Momentum[a] += rho * u
			uu += u * u
		}
		p.Energy += rho * uu / 2
		if v := math.Sqrt(uu); v > p.MaxSpeed {
			p.MaxSpeed, p.MaxAt = v, x
		}
	})
	return out
}

func notFiniteValues(t *testing.T, d device.Device, spec model.Spec) {
	e := NewExample(spec, [3]int{37, 6, 5}, [3]bool{true, true, true}, 2)
	s := Start(t, d, e)
	p, axis, b := s.parts[0], e.axis(), spec.Precision.Bytes()
	// Cells in the order of memory: in a plane, in the next one, at its end.
	var fluid [][3]int
	eachCell(e.N, 0, func(x [3]int) {
		if e.Cells.At(x[0], x[1], x[2]) == 0 && x[axis] == 3 {
			fluid = append(fluid, x)
		}
	})
	first, later := fluid[len(fluid)/2], fluid[len(fluid)-1]
	at := func(x [3]int, c int) int { return b * p.layout.At(x[0], x[1], x[2], c) }
	put := func(offset int, value []byte) (old []byte) {
		t.Helper()
		old = make([]byte, len(value))
		if err := p.state[0].Read(old, offset); err != nil {
			t.Fatal(err)
		}
		if err := p.state[0].Write(value, offset); err != nil {
			t.Fatal(err)
		}
		return old
	}
	check := func(what string, bad int) {
		t.Helper()
		for k, plane := range s.planes(t) {
			if k == first[axis] && (plane.Bad != bad || plane.BadAt != first) || k != first[axis] && plane.Bad != 0 {
				t.Errorf("%s, %s in %v: plane %d has %d bad cells, first %v", spec, what, first, k, plane.Bad, plane.BadAt)
			}
		}
	}
	for c := 0; c < spec.Components(); c++ {
		for _, v := range notFinite(spec.Precision) {
			old := put(at(first, c), v)
			check("one value that is not finite", 1)
			put(at(first, c), old)
		}
	}
	// Two cells, and two values of one cell, which count once.
	nan := notFinite(spec.Precision)[0]
	put(at(later, 1), nan)
	put(at(first, 0), nan)
	put(at(first, 2), nan)
	check("NaN", 2)
}

// firstOfEquals: among cells of equal speed the first in memory order is reported.
func firstOfEquals(t *testing.T, d device.Device, o Options) {
	o.each(t, func(t *testing.T, spec model.Spec) {
		for _, n := range [][3]int{{37, 6, 5}, {130, 9, 2}, {300, 2, 3}} {
			e := NewExample(spec, n, [3]bool{true, true, true}, 3)
			e.Params.Force = [3]float64{}
			axis, m := e.axis(), spec.Lattice.Moments()
			set := func(x [3]int, u float64) {
				for c := 0; c < m; c++ {
					e.Fields[e.at(x, c, m)] = 0
				}
				e.Fields[e.at(x, 1, m)] = u
			}
			// All plane at rest; then all cells equally fast; then two of them faster still.
			for _, trial := range []struct {
				base, fast float64
			}{{0, 0}, {1. / 64, 1. / 64}, {1. / 64, 1. / 32}, {0, -1. / 32}} {
				want := make([][3]int, e.N[axis])
				seen := make([]int, e.N[axis])
				eachCell(e.N, 0, func(x [3]int) {
					set(x, trial.base)
					if e.Cells.At(x[0], x[1], x[2]) != 0 {
						return
					}
					k := x[axis]
					seen[k]++
					if seen[k] == 1 && trial.fast == trial.base || seen[k] == 23 && trial.fast != trial.base {
						want[k] = x
					}
					if seen[k] == 23 || seen[k] == 31 {
						set(x, trial.fast)
					}
				})
				s := Start(t, d, e)
				for k, p := range s.planes(t) {
					if seen[k] >= 31 && (p.MaxAt != want[k] || math.Abs(p.MaxSpeed-math.Abs(trial.fast)) > 1e-4) {
						t.Errorf("%s of %v: the fastest cell of plane %d is %v (%g), want %v (%g), the first of equals", spec, e.N, k, p.MaxAt, p.MaxSpeed, want[k], math.Abs(trial.fast))
					}
				}
			}
		}
	})
}
