// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"lbmsim/boundary"
	"lbmsim/internal/vector"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// wallShear returns the stress of the fluid along the wall at a cell that shares a face with
// one, in lattice units: rho nu (I - n n).d_n w, w the velocity relative to the wall. At a no-slip wall w changes
// across the wall only, so that its derivatives along the axes that lead to the wall make up d_n w. The rigid
// motion of a wall that spins has a gradient, but no strain.
//
// The stress at the wall is by the line through the stresses half-way to the wall and half-way to
// the next cell, each with the viscosity at its shear rate. With one viscosity this is the parabola through the
// wall and two cells. Where a law changes the viscosity, stresses are smooth and rates are not: in a channel with a power law the
// stress is a line and the rate a power.
func (s *Sampler[In, Out]) wallShear(x, y, z int) (tau [3]float64) {
	if s.cells.At(x, y, z) != 0 {
		return tau
	}
	w, beside := s.wallAt(x, y, z)
	if !beside {
		return tau
	}
	var from [3]slope
	for a := range s.dims {
		if w.normal[a] != 0 {
			from[a] = s.slopes(w, a)
		}
	}
	slip := s.slip(w, from)
	for a := range s.dims {
		from[a].correct(slip)
	}
	near, far := s.relaxation(w, from, wallSide)-0.5, s.relaxation(w, from, farSide)-0.5
	for a, f := range from {
		for c := range s.dims {
			tau[c] += w.normal[a] * model.CS2 * ((1+f.share)*near*f.at[wallSide][c] - f.share*far*f.at[farSide][c])
		}
	}
	rho := s.density(x, y, z)
	for c, v := range along(w.normal, tau) {
		tau[c] = rho * v
	}
	return tau
}

// slope is d w / d x_axis, w the velocity relative to the wall on one side of a cell, half-way between the cell and the
// wall and half-way between the cell and the next.
type slope struct {
	at [2][3]float64
	// The derivative at the wall is (1 + share) times the first less share times the second. 0 where there is no next cell,
	// or where the wall is so near that the cell's own velocity is not significant, and where that side is open: both are at the cell.
	share   float64
	halfway bool // a half-way wall with a next cell
}

const (
	wallSide = iota
	farSide
)

// correct accounts for the velocity that the flow has at a half-way wall: slip is what slip returns.
func (f *slope) correct(slip float64) {
	if f.halfway {
		for c, v := range f.at[farSide] {
			f.at[wallSide][c] = (f.at[wallSide][c] + slip*v) / (1 + slip)
		}
	}
}

// slip returns the share of the second derivative of a slope that belongs to the first: the velocity of the flow at a
// half-way wall is u”/8 - 2/3 Lambda stress'/nu (model.Collision.WallLambda), primes derivatives along the normal.
func (s *Sampler[In, Out]) slip(w wallCell, from [3]slope) float64 {
	tau := s.relaxation(w, from, wallSide)
	lambda := s.params.Lambda
	if s.wallLambda != nil {
		lambda = s.wallLambda(tau)
	}
	near, far := rate(w, from, wallSide), rate(w, from, farSide)
	stiff := 1.0 // stress'/(nu u'')
	if near != far {
		stiff = ((s.relaxation(w, from, farSide)-0.5)/(tau-0.5)*far - near) / (far - near)
		stiff = max(0, min(stiff, 2)) // for all laws; beyond it is rounding
	}
	return 16./9*lambda*stiff - 1./3
}

// relaxation returns the relaxation time at a wall cell of the shear rate on one side of it, by the law
// and, in a sponge, the cell's own numbers. A law that reads neighbours has no eddies at a wall.
func (s *Sampler[In, Out]) relaxation(w wallCell, from [3]slope, side int) float64 {
	numbers := s.params
	if s.cells.Rates != nil {
		if own := s.cells.Rates(w.at); own != nil {
			numbers = *own
		}
	}
	return numbers.Tau(s.law, rate(w, from, side))
}

// rate returns the shear rate on one side of a wall cell.
func rate(w wallCell, from [3]slope, side int) float64 {
	var d [3]float64
	for a, f := range from {
		for c := range d {
			d[c] += w.normal[a] * f.at[side][c]
		}
	}
	return vector.Length(along(w.normal, d))
}

// along returns the tangential part of a vector at a wall with this normal.
func along(n, v [3]float64) [3]float64 {
	across := n[0]*v[0] + n[1]*v[1] + n[2]*v[2]
	for c := range v {
		v[c] -= across * n[c]
	}
	return v
}

// wallCell is a cell beside a no-slip wall.
type wallCell struct {
	at     [3]int
	normal [3]float64 // the unit vector out of the walls around it
	kind   uint8      // of a wall that shares a face with it
}

// noSlip reports whether a cell is one of a wall that fluid sticks to.
func (s *Sampler[In, Out]) noSlip(x, y, z int) bool {
	return domain.NoSlip(s.cells, s.cells.At(x, y, z))
}

// wallAt describes a cell, and reports whether a wall shares a face with it.
func (s *Sampler[In, Out]) wallAt(x, y, z int) (w wallCell, beside bool) {
	w.at = [3]int{x, y, z}
	depth := s.dims - 2
	weight := [4]float64{0, 16, 4, 1}
	n := &w.normal
	for dz := -depth; dz <= depth; dz++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				far := dx*dx + dy*dy + dz*dz
				if far == 0 || !s.noSlip(x+dx, y+dy, z+dz) {
					continue
				}
				if far == 1 {
					w.kind, beside = s.cells.At(x+dx, y+dy, z+dz), true
				}
				for a, d := range [3]int{dx, dy, dz} {
					n[a] -= weight[far] * float64(d)
				}
			}
		}
	}
	norm := vector.Length(*n)
	if norm == 0 { // walls on both sides of one cell
		return w, false
	}
	for a := range n {
		n[a] /= norm
	}
	return w, beside
}

// slopes returns the slope along an axis on the side of a cell that the normal comes from.
func (s *Sampler[In, Out]) slopes(w wallCell, axis int) (f slope) {
	var out [3]int
	if out[axis] = 1; w.normal[axis] < 0 {
		out[axis] = -1
	}
	x, y, z := w.at[0], w.at[1], w.at[2]
	t := s.cells.At(x-out[0], y-out[1], z-out[2])
	way := float64(out[axis])
	if !domain.NoSlip(s.cells, t) {
		g, low, high := s.gradient(x, y, z), s.motion(w, w.kind, out, 0.5), s.motion(w, w.kind, out, -0.5)
		for c := range s.dims {
			f.at[wallSide][c] = g[c][axis] - way*(high[c]-low[c])
		}
		f.at[farSide] = f.at[wallSide]
		return f
	}
	q := s.wallDistance(w, t, out)
	here, next := s.motion(w, t, out, 0), s.motion(w, t, out, -1)
	for c := range s.dims {
		u, _ := s.velocity(x, y, z, axis, 0, c)
		v, fluid := s.velocity(x, y, z, axis, out[axis], c)
		u, v = u-here[c], v-next[c]
		f.at[wallSide][c] = way * u / q
		switch {
		case !fluid:
			f.at[farSide][c] = way * u / q
		case q < 0.1:
			f.at[wallSide][c], f.at[farSide][c] = way*v/(q+1), way*v/(q+1)
		default:
			f.at[farSide][c], f.share = way*(v-u), q/(q+1)
		}
	}
	f.halfway = f.share > 0 && s.cells.Wall(t).Law == boundary.Bounce
	return f
}

// wallDistance returns the distance of the wall of a type behind a cell, along out.
func (s *Sampler[In, Out]) wallDistance(w wallCell, t uint8, out [3]int) float64 {
	if s.cells.Wall(t).Law == boundary.Interpolated && s.cells.Distance != nil {
		if q := s.cells.Distance(w.at, out); q != 0 {
			return q
		}
	}
	return 0.5
}

// motion returns the velocity of a wall of a type, extended where necessary, at the distance q behind a cell.
func (s *Sampler[In, Out]) motion(w wallCell, t uint8, out [3]int, q float64) [3]float64 {
	return s.cells.Motion(t).At(s.cells.Place(w.at, q, out), s.time)
}

// density of a cell in lattice units.
func (s *Sampler[In, Out]) density(x, y, z int) float64 {
	plane, row := s.window[1], 0
	if s.axis() == 2 {
		row = y + s.margin()
	}
	return 1 + float64(plane[row*s.stored*s.layout.N[0]+x])
}
