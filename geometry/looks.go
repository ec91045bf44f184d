// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import "math"

// Estimates of shapes from sample cells, before a run computes all of their cells.

// Limits beyond which the numbers of a surface in cells are warnings; spheres of 6 cells across are 4 % off in volume and
// 1 % in area. Edges that taper to nothing have narrow gaps and thin parts on every grid.
const (
	MostVolumeOff = 0.05
	MostAreaOff   = 0.1
	MostNarrow    = 0.05 // of the area
	MostThin      = 0.05
)

// mostLooks is the approximate largest number of sampled cells; beyond it the run decides.
const mostLooks = 1 << 18

// AnyCell reports whether some cell between two corners is in the shape, or, with in false, outside:
// it checks the middle and the ends first, then all cells in order.
func AnyCell(s Shape, lo, hi [3]float64, n [3]int, in bool) bool {
	var from, to [3]int
	for a := range from {
		from[a] = int(math.Min(math.Max(math.Floor(lo[a]), 0), float64(n[a]-1)))
		to[a] = int(math.Min(math.Max(math.Floor(hi[a]), 0), float64(n[a]-1)))
	}
	is := func(i, j, k int) bool {
		return s.Contains(float64(i)+0.5, float64(j)+0.5, float64(k)+0.5) == in
	}
	at := func(a, k int) int { return [3]int{(from[a] + to[a]) / 2, from[a], to[a]}[k] }
	for k := range 27 {
		if is(at(0, k%3), at(1, k/3%3), at(2, k/9)) {
			return true
		}
	}
	looks := 0
	for k := from[2]; k <= to[2]; k++ {
		for j := from[1]; j <= to[1]; j++ {
			for i := from[0]; i <= to[0]; i++ {
				if is(i, j, k) {
					return true
				}
				if looks++; looks > mostLooks {
					return true
				}
			}
		}
	}
	return false
}

// Reach returns the box of the domain's cells that a shape may have: from <= cell < to.
func Reach(s Shape, cells [3]int, dims int) (from, to [3]int) {
	lo, hi := s.Bounds()
	for a := range from {
		from[a] = int(math.Max(math.Min(math.Floor(lo[a]), float64(cells[a])), 0))
		to[a] = int(math.Max(math.Min(math.Ceil(hi[a]), float64(cells[a])), 0))
	}
	if dims == 2 {
		from[2], to[2] = 0, 1
	}
	return from, to
}

// Inside reports whether the cells of a shape are all in another. It checks each cell; of more than
// mostLooks, samples at equal distances.
func Inside(in, around Shape, cells [3]int, dims int) bool {
	from, to := Reach(in, cells, dims)
	least, most := Reach(around, cells, dims)
	for a := range from {
		if from[a] < least[a] || to[a] > most[a] {
			return false
		}
	}
	step := 1
	for looks := func(s int) (n int) {
		n = 1
		for a := range from {
			n *= (to[a] - from[a] + s - 1) / s
		}
		return n
	}; looks(step) > mostLooks; step++ {
	}
	any := false
	for z := from[2]; z < to[2]; z += step {
		for y := from[1]; y < to[1]; y += step {
			for x := from[0]; x < to[0]; x += step {
				p := [3]float64{float64(x) + 0.5, float64(y) + 0.5, float64(z) + 0.5}
				if in.Contains(p[0], p[1], p[2]) {
					if any = true; !around.Contains(p[0], p[1], p[2]) {
						return false
					}
				}
			}
		}
	}
	return any
}

// Hollow reports whether points at equal distances on the line along an axis through the middle of a shape's box are
// all outside the shape.
func Hollow(s Shape, lo, hi [3]float64, axis int) bool {
	const samples = 200
	p := [3]float64{(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2}
	for k := range samples {
		p[axis] = lo[axis] + (hi[axis]-lo[axis])*(float64(k)+0.5)/samples
		if s.Contains(p[0], p[1], p[2]) {
			return false
		}
	}
	return true
}

// Leaving returns the share of a shape's outermost cells that a motion of its surface moves out of the shape: after returns
// the position of a point after a number of cells along the motion. The staircase of a voxel image that turns about its axis
// moves across itself by a voxel at most; so points in such shapes move by two more voxels, and points that end within a
// voxel of the shape count as inside.
func Leaving(shape Shape, cells [3]int, dims int, after func(p [3]float64, by float64) [3]float64) float64 {
	grain := Grain(shape)
	surface, out := 0, 0
	eachCell(shape, cells, dims, func(p [3]float64) {
		if !outermost(shape, p, cells, dims) {
			return
		}
		surface++
		q := after(p, 1+2*grain)
		inside := true // of the domain
		for a := range dims {
			inside = inside && q[a] > 0 && q[a] < float64(cells[a])
		}
		if inside && !near(shape, q, grain) {
			out++
		}
	})
	if surface == 0 {
		return 0
	}
	return float64(out) / float64(surface)
}

// eachCell calls do with the centre of each cell of a shape; of a box of more than mostLooks cells it samples some, at
// distances that meet all columns.
func eachCell(s Shape, cells [3]int, dims int, do func(centre [3]float64)) {
	from, to := Reach(s, cells, dims)
	nx, ny, nz := to[0]-from[0], to[1]-from[1], to[2]-from[2]
	step := nx*ny*nz/mostLooks + 1
	for step > 1 && common(step, nx*ny) > 1 {
		step++
	}
	for i := 0; i < nx*ny*nz; i += step {
		if p := centre([3]int{from[0] + i%nx, from[1] + i/nx%ny, from[2] + i/nx/ny}); s.Contains(p[0], p[1], p[2]) {
			do(p)
		}
	}
}

// common returns the greatest common divisor.
func common(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Most returns the largest value at the centres of a shape's cells, as visited by eachCell; 0 if there are no cells.
func Most(s Shape, cells [3]int, dims int, value func(p [3]float64) float64) (most float64) {
	eachCell(s, cells, dims, func(p [3]float64) { most = max(most, value(p)) })
	return most
}

// outermost reports whether a cell of a shape has a neighbour of the domain outside the shape.
func outermost(s Shape, p [3]float64, cells [3]int, dims int) bool {
	for a := range dims {
		for _, d := range []float64{-1, 1} {
			q := p
			if q[a] += d; q[a] > 0 && q[a] < float64(cells[a]) && !s.Contains(q[0], q[1], q[2]) {
				return true
			}
		}
	}
	return false
}

// near reports whether a point, or one of the 26 around it at a distance along the axes, is in a shape.
func near(s Shape, p [3]float64, by float64) bool {
	if by == 0 {
		return s.Contains(p[0], p[1], p[2])
	}
	for k := range 27 {
		if s.Contains(p[0]+by*float64(k%3-1), p[1]+by*float64(k/3%3-1), p[2]+by*float64(k/9-1)) {
			return true
		}
	}
	return false
}

// Grain returns the longest edge of the voxels of a shape, in cells; 0 without voxels.
func Grain(s Shape) (edge float64) {
	switch s := s.(type) {
	case *Voxels:
		return max(s.Spacing[0], s.Spacing[1], s.Spacing[2])
	case Moved:
		return s.Motion.Scale * Grain(s.Shape)
	case Combination:
		for _, p := range s.Parts {
			edge = max(edge, Grain(p))
		}
	}
	return edge
}

// Middle of the box around a shape; the middle of the domain along axes where the box is unbounded.
func Middle(s Shape, cells [3]int) (p [3]float64) {
	lo, hi := s.Bounds()
	for a := range p {
		if n := float64(cells[a]); hi[a]-lo[a] > 3*n {
			p[a] = n / 2
		} else {
			p[a] = (lo[a] + hi[a]) / 2
		}
	}
	return p
}

// Share estimates the fraction of cells in any of some shapes, from sample cells at equal distances.
func Share(shapes []Shape, cells [3]int, dims int) float64 {
	if len(shapes) == 0 {
		return 0
	}
	n, looks := cells, 32
	if dims == 2 {
		looks = 181
	}
	in, all := 0, 0
	at := func(a, i int) float64 { return float64((2*i+1)*n[a]/(2*min(looks, n[a]))) + 0.5 }
	for k := range min(looks, n[2]) {
		for j := range min(looks, n[1]) {
			for i := range min(looks, n[0]) {
				all++
				for _, s := range shapes {
					if s.Contains(at(0, i), at(1, j), at(2, k)) {
						in++
						break
					}
				}
			}
		}
	}
	return float64(in) / float64(all)
}

// Volume estimates the number of cells of a shape from whole rows of cells, a sample of them where there are many.
func Volume(s Shape, cells [3]int) float64 {
	from, to := Reach(s, cells, 3)
	step := 1
	for ((to[1]-from[1])/step+1)*((to[2]-from[2])/step+1) > mostRows {
		step++
	}
	inside := make([]bool, cells[0])
	n, rows := 0, 0
	for z := from[2] + step/2; z < to[2]; z += step {
		for y := from[1] + step/2; y < to[1]; y += step {
			rowOf(s, y, z, inside)
			rows++
			for _, in := range inside {
				if in {
					n++
				}
			}
		}
	}
	if rows == 0 {
		return 0
	}
	return float64(n) / float64(rows) * float64(to[1]-from[1]) * float64(to[2]-from[2])
}

// mostRows is the approximate number of rows that Volume samples.
const mostRows = 1 << 14

// Faces estimates the number of faces between the cells of a shape and others in the domain.
func Faces(s Shape, cells [3]int, dims int) float64 { return faces(s, cells, dims, false) }

// AllFaces estimates the same, including faces on the domain's faces, as under a house on the ground.
func AllFaces(s Shape, cells [3]int, dims int) float64 { return faces(s, cells, dims, true) }

// faces counts the crossings of cell lines along each axis with the shape, by a sample of lines where there are many, and,
// with ends, the lines that begin or end in it.
func faces(s Shape, cells [3]int, dims int, ends bool) (faces float64) {
	lo, hi := s.Bounds()
	var from, to [3]int
	for a := range from {
		from[a] = int(max(min(lo[a]-1, float64(cells[a])), 0))
		to[a] = int(max(min(hi[a]+2, float64(cells[a])), 0))
	}
	for a := range dims {
		u, v := Along(a)
		step := 1
		for (to[a]-from[a])*((to[u]-from[u])/step+1)*((to[v]-from[v])/step+1) > mostLooks>>2 && step < max(to[u]-from[u], to[v]-from[v]) {
			step++
		}
		found := 0
		for k := from[v]; k < to[v]; k += step {
			for j := from[u]; j < to[u]; j += step {
				var at [3]int
				at[u], at[v] = j, k
				before := false
				for at[a] = from[a]; at[a] < to[a]; at[a]++ {
					in := s.Contains(float64(at[0])+0.5, float64(at[1])+0.5, float64(at[2])+0.5)
					if in != before && (ends || at[a] > from[a]) {
						found++
					}
					before = in
				}
				if ends && before {
					found++
				}
			}
		}
		faces += float64(found) * float64(min(step, max(to[u]-from[u], 1))) * float64(min(step, max(to[v]-from[v], 1)))
	}
	return faces
}
