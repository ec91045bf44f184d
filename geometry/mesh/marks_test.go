// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"math"
	"testing"

	"lbmsim/internal/vector"
)

// A block with a triangle missing, one flipped and one duplicated has marks there: three edges of the hole, the edges of the
// turned triangle and of the duplicate, which are the border, and both triangles.
func TestMarks(t *testing.T) {
	s := block([3]float64{0, 0, 0}, [3]float64{3, 2, 1})
	if m := s.Marks(); m.Marked != 0 || m.Edges != nil {
		t.Errorf("a whole block: %+v", m)
	}
	s.T = s.T[1:]
	if m := s.Marks(); m.Marked != 0 || len(m.Edges) != 3 {
		t.Errorf("with a hole: %+v", m)
	}
	s = block([3]float64{0, 0, 0}, [3]float64{3, 2, 1})
	s.T[4][1], s.T[4][2] = s.T[4][2], s.T[4][1]
	if m := s.Marks(); m.Marked != 1 || !m.Triangles[4] || len(m.Edges) != 3 {
		t.Errorf("with a turned triangle: %+v", m)
	}
	s = block([3]float64{0, 0, 0}, [3]float64{3, 2, 1})
	s.T = append(s.T, s.T[7])
	if m := s.Marks(); m.Marked != 1 || m.Triangles[7] == m.Triangles[12] || len(m.Edges) != 3 {
		t.Errorf("with a duplicate: %+v", m)
	}
}

// The faces of a plate have its thickness, inside out or not; its rim is not thin.
func TestThinnerThan(t *testing.T) {
	for _, turned := range []bool{false, true} {
		s := join(block([3]float64{0, 0, 0}, [3]float64{4, 3, 0.1}), block([3]float64{10, 0, 0}, [3]float64{12, 2, 2}))
		for i := range s.T {
			if c := &s.T[i]; turned {
				c[1], c[2] = c[2], c[1]
			}
		}
		thin := s.ThinnerThan(0.2)
		want := 2 * 12 / (2*12 + 2*(4+3)*0.1 + 6*4)
		if math.Abs(thin.Share-want) > 1e-12 || math.Abs(thin.Least-0.1) > 1e-9 || !(thin.At[0] < 4) {
			t.Errorf("turned %v: %g of the area, want %g, %g thick at %v", turned, thin.Share, want, thin.Least, thin.At)
		}
		if thin := s.ThinnerThan(0.05); thin.Share != 0 || !math.IsInf(thin.Least, 1) {
			t.Errorf("turned %v: %+v", turned, thin)
		}
	}
}

// Parts that overlap or touch count as one solid: a wheel that reaches into a body does not make it thin, nor does a plate
// on another one, while protruding parts count.
func TestThicknessOfOverlappingParts(t *testing.T) {
	body := block([3]float64{0, 0, 0}, [3]float64{4, 2, 1})
	for name, c := range map[string]struct {
		other *Surface
		want  float64 // area of thin parts
	}{
		"within":      {block([3]float64{1, 1.9, 0.2}, [3]float64{2, 1.95, 0.8}), 0},
		"reaches in":  {block([3]float64{1, 1.9, 0.2}, [3]float64{2, 3, 0.8}), 0},
		"on the face": {block([3]float64{0, 2, 0}, [3]float64{4, 2.05, 1}), 0},
		"apart":       {block([3]float64{0, 3, 0}, [3]float64{4, 3.05, 1}), 2 * 4},
	} {
		s := join(body, c.other)
		area := 0.0
		for i, thin := range s.ThinnerThan(0.2).Triangles {
			if thin {
				area += vector.Length(s.vector(i)) / 2
			}
		}
		if math.Abs(area-c.want) > 1e-9 {
			t.Errorf("%s: an area of %g is thin, want %g", name, area, c.want)
		}
		s.Move(func(p [3]float64) [3]float64 { return [3]float64{5*p[0] + 2, 5*p[1] + 2, 5*p[2] + 2} }) // in cells of 0.2
		b, all := solid(t, s, Whole([3]int{24, 24, 12})), 0.0
		for i := range s.T {
			all += vector.Length(s.vector(i)) / 50
		}
		thin, narrow, _ := b.Shares()
		if math.Abs(thin*all-c.want) > 1e-9 {
			t.Errorf("%s: as a body an area of %g is thin, want %g", name, thin*all, c.want)
		}
		for i := range s.T {
			s.T[i][1], s.T[i][2] = s.T[i][2], s.T[i][1]
		}
		if turned, gap, _ := solid(t, s, Whole([3]int{24, 24, 12})).Shares(); math.Abs(turned-thin) > 1e-12 || math.Abs(gap-narrow) > 1e-12 {
			t.Errorf("%s: inside out %g is thin and %g narrow, else %g and %g", name, turned, gap, thin, narrow)
		}
	}
}
