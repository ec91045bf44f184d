// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"math"
	"testing"
)

// Values at points of a linear field are exact, except within half a cell of a face: at ends and corners of boxes of three
// levels, beside faces and along a periodic axis. Weights are of finest cells only, and their sum is 1.
func TestTermsAreExactForLinearFields(t *testing.T) {
	for _, c := range []struct {
		n     [3]int
		dims  int
		boxes []Refinement
	}{
		{[3]int{16, 12, 1}, 2, []Refinement{
			{"a", 1, [3]float64{2, 3, 0}, [3]float64{9, 12, 1}}, {"b", 1, [3]float64{9, 6, 0}, [3]float64{12, 12, 1}},
			{"c", 2, [3]float64{4, 7, 0}, [3]float64{7, 12, 1}}}},
		{[3]int{10, 9, 8}, 3, []Refinement{
			{"a", 1, [3]float64{2, 0, 2}, [3]float64{8, 6, 8}}, {"b", 2, [3]float64{4, 0, 4}, [3]float64{6, 3, 8}}}},
	} {
		plan, err := Cut(c.n, [3]bool{true, false, false}, c.dims, 1, [3]int{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHierarchy(plan, c.boxes)
		if err != nil {
			t.Fatal(err)
		}
		field := func(p [3]float64) float64 { return 2 + 0.5*p[1] - 0.25*p[2] } // x is periodic
		centre := func(at Place) (p [3]float64) {
			for a := range p {
				if p[a] = float64(at.Cell[a]) + 0.5; a < c.dims {
					p[a] /= float64(int(1) << at.Level)
				}
			}
			return p
		}
		levels := map[int]int{}
		for k := range 20000 {
			var p [3]float64
			for a := range c.dims { // a low-discrepancy sequence, half a cell away from faces
				_, f := math.Modf(float64(k+1) * []float64{0.8191725134, 0.6710436067, 0.5497004779}[a])
				p[a] = f * float64(c.n[a])
				if a > 0 {
					p[a] = 0.5 + f*float64(c.n[a]-1)
				}
			}
			if c.dims == 2 {
				p[2] = 0.5
			}
			levels[Finest(h, p).Level]++
			got, sum := 0.0, 0.0
			for _, term := range Terms(h, p, nil) {
				if q, ok := h.Find(term.Level, term.Cell); !ok || h.Covered(term.Level, term.Cell) {
					t.Fatalf("the value at %v has the cell %v of patch %d, which is not the finest", p, term.Place, q)
				}
				got += term.Weight * field(centre(term.Place))
				sum += term.Weight
			}
			if want := field(p); math.Abs(got-want) > 1e-13 || math.Abs(sum-1) > 1e-14 {
				t.Fatalf("%g at %v, want %g; the weights' sum is %g", got, p, want, sum)
			}
		}
		if len(levels) != 3 {
			t.Errorf("points are of the levels %v", levels)
		}
	}
}

// The finest cells along a line follow each other without gaps, and only those between two coordinates count.
func TestAlong(t *testing.T) {
	plan, err := Cut([3]int{10, 8, 1}, [3]bool{}, 2, 1, [3]int{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHierarchy(plan, []Refinement{{"a", 1, [3]float64{2, 2, 0}, [3]float64{8, 6, 1}}, {"b", 2, [3]float64{4, 3, 0}, [3]float64{5, 5, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2.25, 2.75, 3.25, 3.75, 4.125, 4.375, 4.625, 4.875, 5.25, 5.75, 6.25, 6.75, 7.25, 7.75, 8.5, 9.5}
	got := Along(h, 0, [3]float64{0, 4, 0.5}, 2.25, 10)
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("%v, want %v", got, want)
			break
		}
	}
}
