// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import "lbmsim/internal/parallel"

// Time-dependent rules and laws, in a form that devices evaluate at each step: sums of
// contributions of walls, each a fixed share of the wall's velocity and density at that time.

// Later is four related numbers, Velocity and Density of a CodedRule or K and Velocity of a LinkLaw:
// Base plus the contributions of Terms.
type Later struct {
	Base  [4]float64
	Terms []Term
}

// Term is the contribution of one wall. With its velocity u at the time, times its factor: to a rule
// Share[a] u_a and Share[3], to a law the sum of Share[a] u_a, and u without the components along the axes that are bits of Share[3].
type Term struct {
	// At is the position on the wall if Timed, with the factor Gain for the velocity there; otherwise the velocity
	// itself, without the time factor.
	At    [3]float64
	Gain  float64
	Share [4]float64
	Wall  uint8 // its type
	Timed bool  // the Bare motion depends on time
}

// term of wall k, with its velocity at a position.
func (c Cells) term(k uint8, p [3]float64, share [4]float64) Term {
	m, t := Unscaled(c.Motion(k)), Term{At: p, Gain: 1, Share: share, Wall: k}
	if t.Timed = !m.Steady(); !t.Timed {
		t.At = m.At(p, 0)
	} else if m, ok := m.(Profiled); ok {
		t.Gain = m.Gain(p)
	}
	return t
}

// Later returns the rules from Steady on.
func (f *Faces) Later() []Later {
	list := make([]Later, len(f.timed))
	parallel.Ranges(len(list), func(lo, hi int) {
		for n := lo; n < hi; n++ {
			list[n] = f.cells.laterRule(f.timed[n])
		}
	})
	return list
}

func (c Cells) laterRule(ghost Ghost) (l Later) {
	numbers := func(r FaceRule) [4]float64 {
		return [4]float64{r.Velocity[0].B, r.Velocity[1].B, r.Velocity[2].B, r.Density.B}
	}
	steady := func(axis int) bool { return c.Motion(ghost.Types[axis]).Steady() }
	l.Base = numbers(c.rule(ghost, func(axis int) (u [3]float64, density float64) {
		if k := ghost.Types[axis]; steady(axis) {
			u, density = c.Motion(k).At(c.facePlace(ghost, axis), 0), c.Wall(k).Density
		}
		return u, density
	}))
	for a, out := range ghost.Out {
		if k := ghost.Types[a]; out != 0 && c.Open(k) && !steady(a) {
			share := numbers(c.rule(ghost, func(axis int) (u [3]float64, density float64) {
				if axis == a {
					u, density = [3]float64{1, 1, 1}, c.Wall(k).Density
				}
				return u, density
			}))
			l.Terms = append(l.Terms, c.term(k, c.facePlace(ghost, a), share))
		}
	}
	return l
}

// Later returns the laws of l from Steady on.
func (w *Walls) Later(l *Links) []Later {
	list := make([]Later, len(l.timed))
	parallel.Ranges(len(list), func(lo, hi int) {
		for n := lo; n < hi; n++ {
			list[n] = w.laterLaw(l.timed[n])
		}
	})
	return list
}

func (w *Walls) laterLaw(at timedLaw) (l Later) {
	q := w.distance(at.x, at.i, at.k)
	p, moves := w.given.linkPlace(at.k, at.x, q, w.lattice.Velocities[at.i], w.lattice.Dims)
	if !moves {
		return l
	}
	var share [4]float64
	for a := range 3 {
		var u [3]float64
		u[a] = 1
		u = w.given.mirrored(at.k, at.x, w.lattice.Velocities[at.i], w.lattice.Dims, u)
		if share[a] = w.lawOf(at.i, at.k, q, u).K; u[a] == 0 {
			share[3] += float64(int(1) << a)
		}
	}
	l.Terms = []Term{w.given.term(at.k, p, share)}
	return l
}
