// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import "testing"

// A tube is hollow along its axis, a closed box along no axis.
func TestHollow(t *testing.T) {
	same := func(p [3]float64) [3]float64 { return p }
	turned := func(p [3]float64) [3]float64 { return [3]float64{p[1], p[2], p[0]} }
	var tube, box Surface
	square := func(s *Surface, x float64) (first int) {
		first = len(s.V)
		s.V = append(s.V, [3]float64{x, 0, 0}, [3]float64{x, 1, 0}, [3]float64{x, 1, 1}, [3]float64{x, 0, 1})
		return first
	}
	for _, s := range []*Surface{&tube, &box} {
		a, b := square(s, 0), square(s, 5)
		for k := range 4 {
			next := (k + 1) % 4
			s.T = append(s.T, [3]int32{int32(a + k), int32(a + next), int32(b + next)}, [3]int32{int32(a + k), int32(b + next), int32(b + k)})
		}
	}
	box.T = append(box.T, [3]int32{0, 2, 1}, [3]int32{0, 3, 2}, [3]int32{4, 5, 6}, [3]int32{4, 6, 7})
	for name, c := range map[string]struct {
		s    *Surface
		move func([3]float64) [3]float64
		want [3]bool
	}{
		"a tube":   {&tube, same, [3]bool{true, false, false}},
		"a turned": {&tube, turned, [3]bool{false, false, true}},
		"a box":    {&box, same, [3]bool{}},
	} {
		if got := c.s.Hollow(c.move); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
