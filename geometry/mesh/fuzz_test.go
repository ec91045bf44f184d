// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import "testing"

// For any triangles the repair closes them, the winding along lines of cells adds up to zero, and
// rows, points and hits agree.
func FuzzSurface(f *testing.F) {
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 9, 0})
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9, 9, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9})
	f.Add([]byte{1, 1, 1, 3, 1, 1, 1, 3, 1, 1, 3, 1, 3, 1, 1, 3, 3, 1, 1, 1, 1, 1, 3, 1, 3, 1, 1, 15, 15, 15, 2, 2, 2, 8, 0, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Surface{}
		for ; len(b) >= 9 && len(s.T) < 200; b = b[9:] {
			var v [3][3]float64
			for k := range 9 {
				v[k/3][k%3] = float64(b[k]%16) / 2 // corners in centres and in corners of cells
			}
			s.Add(v, [3]float64{0, 0, 1})
		}
		s.Done()
		if len(s.T) == 0 {
			return
		}
		before := s.Inspect()
		if _, _, err := s.Look(); err != nil {
			t.Fatal(err)
		}
		s.Repair(nil)
		after := s.Inspect()
		if !after.Watertight() && after.Triangles > 0 {
			t.Fatalf("still open: %+v, before %+v", after, before)
		}
		body := NewBody(Whole([3]int{8, 8, 8}))
		for i := range s.T {
			if err := body.Add(s.Corners(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := body.Close(); err != nil {
			t.Fatal(err)
		}
		row := make([]bool, 8)
		for z := range 8 {
			for y := range 8 {
				body.Row(y, z, row)
				for x, in := range row {
					p := [3]float64{float64(x) + 0.5, float64(y) + 0.5, float64(z) + 0.5}
					if body.Contains(p[0], p[1], p[2]) != in {
						t.Fatalf("%v: in the row %v", p, in)
					}
					for _, d := range [3][3]float64{{1, 0, 0}, {-1, 1, 0}, {1, -1, 1}} {
						if in || !body.Contains(p[0]+d[0], p[1]+d[1], p[2]+d[2]) {
							continue
						}
						if q, ok := body.Hit(p, d); !ok || !(q > 0) || q > 1 {
							t.Fatalf("the link from %v along %v: %v %v", p, d, q, ok)
						}
					}
				}
			}
		}
	})
}
