package derive

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/sim/domain"
)

// wallShear is the stress of the fluid along the wall at a cell that shares a face with
// one, in lattice units: rho nu (I - n n).d_n u. At a no-slip wall the velocity
// changes across the wall only, so that its derivatives along the axes that lead to
// the wall make up d_n u.
func (s *Sampler[In, Out]) wallShear(x, y, z int) (tau [3]float64) {
	if s.cells.At(x, y, z) != 0 {
		return tau
	}
	n, beside := s.wallNormal(x, y, z)
	if !beside {
		return tau
	}
	along := 0.0
	for c := range s.dims {
		for a := range s.dims {
			if n[a] != 0 {
				tau[c] += n[a] * s.slopeAtWall(x, y, z, a, c, n[a])
			}
		}
		along += n[c] * tau[c]
	}
	mu := s.density(x, y, z) * s.viscosity
	for c := range s.dims {
		tau[c] = mu * (tau[c] - along*n[c])
	}
	return tau
}

// noSlip tells whether a cell is one of a wall that fluid sticks to.
func (s *Sampler[In, Out]) noSlip(x, y, z int) bool {
	return domain.NoSlip(s.cells, s.cells.At(x, y, z))
}

// wallNormal is the unit vector out of the walls around a cell, and whether one of them
// has a face in common with it.
func (s *Sampler[In, Out]) wallNormal(x, y, z int) (n [3]float64, beside bool) {
	depth := s.dims - 2
	weight := [4]float64{0, 16, 4, 1}
	for dz := -depth; dz <= depth; dz++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				far := dx*dx + dy*dy + dz*dz
				if far == 0 || !s.noSlip(x+dx, y+dy, z+dz) {
					continue
				}
				beside = beside || far == 1
				for a, d := range [3]int{dx, dy, dz} {
					n[a] -= weight[far] * float64(d)
				}
			}
		}
	}
	norm := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if norm == 0 { // walls on both sides of one cell
		return n, false
	}
	for a := range n {
		n[a] /= norm
	}
	return n, beside
}

// slopeAtWall is d u_c / d x_axis at the wall on the side of the cell that the fluid's
// normal comes from: by the parabola through the wall at its distance q, this cell and
// the next; linear where there is no next, or where the wall is so near that the cell's
// own velocity says little; where that side is open, at the cell.
func (s *Sampler[In, Out]) slopeAtWall(x, y, z, axis, c int, normal float64) float64 {
	var out [3]int
	if out[axis] = 1; normal < 0 {
		out[axis] = -1
	}
	t := s.cells.At(x-out[0], y-out[1], z-out[2])
	if !domain.NoSlip(s.cells, t) {
		return s.gradient(x, y, z)[c][axis]
	}
	q := 0.0
	if s.cells.Wall(t).Law == boundary.Interpolated && s.cells.Distance != nil {
		q = s.cells.Distance([3]int{x, y, z}, out)
	}
	if q == 0 {
		q = 0.5
	}
	wall := s.cells.Motion(t, s.cells.Place([3]int{x, y, z}, q, out), 0)[c] * s.cells.Wall(t).Strength(s.time)
	mid, _ := s.velocity(x, y, z, axis, 0, c)
	next, fluid := s.velocity(x, y, z, axis, out[axis], c)
	slope := (mid - wall) / q
	switch {
	case fluid && q < 0.1:
		slope = (next - wall) / (q + 1)
	case fluid:
		slope = (q+1)/q*mid - q/(q+1)*next - (2*q+1)/(q*(q+1))*wall
	}
	return float64(out[axis]) * slope
}

// density of a cell in lattice units.
func (s *Sampler[In, Out]) density(x, y, z int) float64 {
	plane, row := s.window[1], 0
	if s.axis() == 2 {
		row = y + s.rim()
	}
	return 1 + float64(plane[row*s.stored*s.layout.N[0]+x])
}
