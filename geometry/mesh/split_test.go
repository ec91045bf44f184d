package mesh

import (
	"math"
	"testing"
)

// A split surface is as closed as before, with the same volume, in the same order each time, and no edge is too long.
func TestSplit(t *testing.T) {
	most := func(p [3]float64) float64 { // finer on one side, as beside the end of a box of finer cells
		if p[0] > 3 {
			return 0.4
		}
		return 0.8
	}
	cut := func() (*Surface, []int32) {
		s := &Surface{}
		corner := func(k int) [3]float64 {
			return [3]float64{float64(k & 1 * 7), float64(k >> 1 & 1 * 2), float64(k >> 2)}
		}
		for _, q := range [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
			s.Add([3][3]float64{corner(q[0]), corner(q[1]), corner(q[2])}, [3]float64{})
			s.Add([3][3]float64{corner(q[0]), corner(q[2]), corner(q[3])}, [3]float64{})
		}
		s.Done()
		from, ok := s.Split(most, 1e6)
		if !ok {
			t.Fatal("too many triangles")
		}
		return s, from
	}
	s, from := cut()
	if f := s.Inspect(); !f.Watertight() {
		t.Errorf("open: %+v", f)
	}
	if v := s.Volume(); math.Abs(v-14) > 1e-12 {
		t.Errorf("volume %g", v)
	}
	for i := range s.T {
		c := s.Corners(i)
		for k := range c {
			p, q := c[k], c[(k+1)%3]
			if l := length(sub(p, q)); l > most([3]float64{(p[0] + q[0]) / 2}) {
				t.Fatalf("an edge of %g at %v", l, p)
			}
		}
		if i > 0 && from[i] < from[i-1] || int(from[i]) >= 12 {
			t.Fatalf("triangle %d is of %d", i, from[i])
		}
	}
	again, _ := cut()
	for i := range s.T {
		if s.T[i] != again.T[i] {
			t.Fatal("another order")
		}
	}
	if _, ok := again.Split(func([3]float64) float64 { return 0.01 }, 1000); ok {
		t.Error("no limit")
	}
}
