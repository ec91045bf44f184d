// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"math/rand"
	"testing"

	"lbmsim/internal/vector"
)

// search finds where a segment enters a shape by Contains alone: the oracle of every closed form.
// ok is false where the entrance is narrower than its steps.
func search(s Shape, p, d [3]float64) (t float64, ok bool) {
	const steps = 500
	for k := 1; k <= steps; k++ {
		if holds(s, at(p, d, float64(k)/steps)) {
			lo, hi := float64(k-1)/steps, float64(k)/steps
			for range 60 {
				if mid := (lo + hi) / 2; holds(s, at(p, d, mid)) {
					hi = mid
				} else {
					lo = mid
				}
			}
			return hi, true
		}
	}
	return 0, false
}

// everyHit compares Hit with the search on lattice links and arbitrary segments, from all around a
// shape.
func everyHit(t *testing.T, name string, s Shape) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	lo, hi := s.Bounds()
	hits := 0
	for trial := 0; trial < 3000; trial++ {
		var p, d [3]float64
		for a := range p {
			l, h := math.Max(lo[a], -4), math.Min(hi[a], 6)
			p[a] = l - 1 + (h-l+2)*rng.Float64()
			d[a] = float64(rng.Intn(3) - 1)
			if trial%2 == 0 {
				d[a] = 4 * (rng.Float64() - 0.5)
			}
		}
		if d == [3]float64{} || holds(s, p) {
			continue
		}
		want, enters := search(s, p, d)
		got, ok := s.Hit(p, d)
		if ok {
			hits++
			if !(got > 0 && got <= 1) {
				t.Fatalf("%s: from %v along %v: hit at %v, not in (0, 1]", name, p, d, got)
			}
		}
		switch {
		case enters && (!ok || math.Abs(got-want) > 1e-8 && got > want): // an earlier one may be a chord that the search stepped over
			t.Fatalf("%s: from %v along %v: hit %v at %v, the search finds it at %v", name, p, d, ok, got, want)
		case ok && (got < want-1e-8 || !enters) && !nearBelow(s, p, d, got):
			t.Fatalf("%s: from %v along %v: hit at %v, but there is no solid", name, p, d, got)
		}
		if generic, ok2 := firstHit(s, p, d); ok2 != ok || math.Abs(generic-got) > 1e-8 && ok {
			t.Fatalf("%s: from %v along %v: hit %v at %v, from the crossings %v at %v", name, p, d, ok, got, ok2, generic)
		}
	}
	if hits < 100 {
		t.Errorf("%s: only %d segments entered it: the test says little", name, hits)
	}
}

// nearBelow reports whether the shape begins right after t.
func nearBelow(s Shape, p, d [3]float64, t float64) bool {
	for _, e := range []float64{1e-8, 1e-7, 1e-6, 1e-5} {
		if holds(s, at(p, d, t+e)) {
			return true
		}
	}
	return false
}

func TestHitsAreWhereTheShapeBegins(t *testing.T) {
	for name, s := range map[string]Shape{
		"box":      Box{[3]float64{-1.3, 0.2, 4}, [3]float64{2, 3.7, 5.1}},
		"sphere":   Sphere{[3]float64{1.2, -3, 0.4}, 2.3},
		"cylinder": Cylinder{[3]float64{3, 1, 2}, 1.4, 1, 3},
		"disc":     Cylinder{[3]float64{3, 1, 0.5}, 1.4, 2, math.Inf(1)},

		"ellipsoid":        Ellipsoid{[3]float64{1.2, -3, 0.4}, [3]float64{1, 2.3, 3}},
		"cone":             Cone{[3]float64{1, 2, 3}, [3]float64{3, 1, 5}, 2, 0},
		"truncated cone":   Cone{[3]float64{1, 2, 3}, [3]float64{2, 2, 3.5}, 1, 2.5},
		"oblique pipe":     Cone{[3]float64{0, 0, 0}, [3]float64{2, 2, 1}, 1.3, 1.3},
		"capsule":          Capsule{[3]float64{0, 0, 0}, [3]float64{2, 2, 1}, 1.3},
		"half-space":       HalfSpace{[3]float64{1, 2, 3}, [3]float64{0.2, -1, 0.4}},
		"turned box":       Moved{Box{[3]float64{-1, -2, -1}, [3]float64{2, 1, 1}}, NewMotion(1.5, [3]float64{20, 200, -30}, [3]float64{3, 1, 4})},
		"bowl":             Combination{Difference, []Shape{Sphere{[3]float64{0, 0, 0}, 3}, Sphere{[3]float64{0, 0, 1}, 2.5}}},
		"lens":             Combination{Intersection, []Shape{Sphere{[3]float64{0, 0, -1}, 3}, Sphere{[3]float64{0, 0, 1}, 3}}},
		"two boxes, flush": Combination{Union, []Shape{Box{[3]float64{0, 0, 0}, [3]float64{2, 2, 2}}, Box{[3]float64{2, 0, 0}, [3]float64{4, 3, 2}}, Sphere{[3]float64{3, 3, 3}, 1}}},
		"a bore": Combination{Difference, []Shape{Box{[3]float64{0, 0, 0}, [3]float64{4, 4, 4}},
			Combination{Union, []Shape{Cylinder{[3]float64{2, 2, 2}, 1, 2, 4}, Cylinder{[3]float64{2, 2, 2}, 1, 0, 9}}}}},
	} {
		everyHit(t, name, s)
		everyBound(t, name, s)
	}
}

// everyBound searches for points of a shape beyond its bounds, and for rows that disagree with
// points.
func everyBound(t *testing.T, name string, s Shape) {
	t.Helper()
	rng := rand.New(rand.NewSource(3))
	lo, hi := s.Bounds()
	for range 20000 {
		p := [3]float64{16 * (rng.Float64() - 0.5), 16 * (rng.Float64() - 0.5), 16 * (rng.Float64() - 0.5)}
		if !holds(s, p) {
			continue
		}
		for a := range p {
			if p[a] < lo[a]-1e-12 || p[a] > hi[a]+1e-12 {
				t.Fatalf("%s: %v lies in it, but not in its bounds %v %v", name, p, lo, hi)
			}
		}
	}
	row := make([]bool, 9)
	for y := -3; y < 9; y++ {
		for z := -3; z < 9; z++ {
			rowOf(s, y, z, row)
			for x, in := range row {
				if want := s.Contains(float64(x)+0.5, float64(y)+0.5, float64(z)+0.5); in != want {
					t.Fatalf("%s: cell %d %d %d: %v in the row", name, x, y, z, in)
				}
			}
		}
	}
}

func TestMotions(t *testing.T) {
	// A quarter turn about z takes x to y, exactly.
	m := NewMotion(2, [3]float64{0, 0, 90}, [3]float64{1, 1, 1})
	if got := m.Apply([3]float64{3, 0, 0}); got != [3]float64{1, 7, 1} {
		t.Errorf("%v", got)
	}
	if got := NewMotion(1, [3]float64{90, 0, 90}, [3]float64{}).Apply([3]float64{0, 1, 0}); got != [3]float64{0, 0, 1} {
		t.Errorf("about x, then z: %v", got)
	}
	rng := rand.New(rand.NewSource(1))
	for range 100 {
		m := NewMotion(0.1+rng.Float64(), [3]float64{400 * rng.Float64(), 400 * rng.Float64(), 400 * rng.Float64()}, [3]float64{1, 2, 3})
		p := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
		q := m.back(vector.Minus(m.Apply(p), m.Shift))
		if e := vector.Minus(p, q); vector.Dot(e, e) > 1e-24 {
			t.Fatalf("%v there and back is %v", p, q)
		}
	}
}

// Where the surface passes through cell centres, rounding must not lose the link.
func TestHitsOnTheSurface(t *testing.T) {
	box := Box{[3]float64{2.5, 0, 0}, [3]float64{5.5, 9, 9}}
	for _, c := range []struct {
		p, d [3]float64
		want float64
	}{
		{[3]float64{1.5, 4.5, 4.5}, [3]float64{1, 0, 0}, 1},
		{[3]float64{5.5, 4.5, 4.5}, [3]float64{-1, 0, 0}, least}, // the upper face is not part of it
		{[3]float64{1.5, 3.5, 4.5}, [3]float64{1, 1, 0}, 1},
	} {
		if got, ok := box.Hit(c.p, c.d); !ok || got != c.want {
			t.Errorf("from %v along %v: %v at %v, want %v", c.p, c.d, ok, got, c.want)
		}
	}
	// Every link between a cell outside and one inside has a length.
	rng := rand.New(rand.NewSource(5))
	for trial := 0; trial < 3000; trial++ {
		// Radii of lattice points put many centres exactly on the surface.
		r := math.Sqrt(float64(1 + rng.Intn(30)))
		shapes := []Shape{
			Sphere{[3]float64{8.5, 8.5, 8.5}, r}, Cylinder{[3]float64{8.5, 8.5, 8.5}, r, trial % 3, 4},
			Box{[3]float64{8.5 - r, 6, 6}, [3]float64{8.5 + r, 9, 9.5}},
		}
		for _, s := range shapes {
			var p, d [3]float64
			for a := range p {
				p[a] = float64(rng.Intn(17)) + 0.5
				d[a] = float64(rng.Intn(3) - 1)
			}
			if !holds(s, p) && holds(s, at(p, d, 1)) {
				if got, ok := s.Hit(p, d); !ok || !(got > 0) || got > 1 {
					t.Fatalf("%T %v: from %v along %v: %v at %v", s, s, p, d, ok, got)
				}
			}
		}
	}
}
