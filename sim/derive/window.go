// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

// margin returns the number of window rows beyond each end of the region along y:
// ghosts, where y is cut and neighbours are read. Elsewhere rows beyond the ends are
// periodic images.
func (s *Sampler[In, Out]) margin() int {
	if s.axis() == 2 && s.neighbours {
		return s.layout.Ghost[1]
	}
	return 0
}

func (s *Sampler[In, Out]) axis() int { return s.layout.Axis() }

// gradient of the velocity at a cell, g[c][axis] = d u_c / d x_axis, by central
// differences over two cells; beside a wall, where there is no fluid neighbour on one
// side, one-sided.
func (s *Sampler[In, Out]) gradient(x, y, z int) (g [3][3]float64) {
	if s.cells.At(x, y, z) != 0 {
		return g
	}
	for c := range s.dims {
		for axis := range s.dims {
			lo, okLo := s.velocity(x, y, z, axis, -1, c)
			hi, okHi := s.velocity(x, y, z, axis, +1, c)
			mid, _ := s.velocity(x, y, z, axis, 0, c)
			switch {
			case okLo && okHi:
				g[c][axis] = (hi - lo) / 2
			case okHi:
				g[c][axis] = hi - mid
			case okLo:
				g[c][axis] = mid - lo
			}
		}
	}
	return g
}

// velocity component c of the cell `step` cells along axis; false when it is
// solid or outside the domain.
func (s *Sampler[In, Out]) velocity(x, y, z, axis, step, c int) (float64, bool) {
	p := [3]int{x, y, z}
	p[axis] += step
	if s.cells.At(p[0], p[1], p[2]) != 0 {
		return 0, false
	}
	slow := s.axis()
	plane := s.window[1+p[slow]-s.first]
	// Fluid cells beyond the ends of the uncut axes are periodic images.
	for a := 0; a < slow; a++ {
		if a == 0 || s.margin() == 0 {
			p[a] = (p[a] + s.layout.N[a]) % s.layout.N[a]
		}
	}
	row := 0
	if slow == 2 {
		row = p[1] + s.margin()
	}
	return float64(plane[(row*s.stored+1+c)*s.layout.N[0]+p[0]]), true
}
