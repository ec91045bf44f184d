// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"math/bits"

	"lbmsim/internal/vector"
)

// Voxels is a solid of cubes, or of any bricks, on their own grid.
type Voxels struct {
	Origin, Spacing [3]float64 // lower corner of brick 0, 0, 0 and the edges of a brick
	n               [3]int     // bricks
	lo, hi          [3]int     // kept bricks: lo <= i < hi
	bits            []uint64
}

// NewVoxels returns an image of n empty bricks that stores only bricks from lo to hi: the rest need
// no memory and stay empty.
func NewVoxels(n [3]int, origin, spacing [3]float64, lo, hi [3]int) *Voxels {
	v := &Voxels{Origin: origin, Spacing: spacing, n: n, lo: lo, hi: hi}
	size := 1
	for a := range n {
		v.lo[a] = min(max(lo[a], 0), n[a])
		v.hi[a] = max(min(hi[a], n[a]), v.lo[a])
		size *= v.hi[a] - v.lo[a]
	}
	v.bits = make([]uint64, (size+63)/64)
	return v
}

func (v *Voxels) index(x, y, z int) int {
	return ((z-v.lo[2])*(v.hi[1]-v.lo[1])+y-v.lo[1])*(v.hi[0]-v.lo[0]) + x - v.lo[0]
}

// Fill makes brick (x, y, z) solid if it is kept.
func (v *Voxels) Fill(x, y, z int) {
	if x >= v.lo[0] && x < v.hi[0] && y >= v.lo[1] && y < v.hi[1] && z >= v.lo[2] && z < v.hi[2] {
		i := v.index(x, y, z)
		v.bits[i/64] |= 1 << (i % 64)
	}
}

// Solid returns the box of the solid bricks that are kept; it is empty if there are none.
func (v *Voxels) Solid() Box {
	from, to, any := v.hi, v.lo, false
	for i, word := range v.bits {
		for ; word != 0; word &= word - 1 {
			at, nx, ny := 64*i+bits.TrailingZeros64(word), v.hi[0]-v.lo[0], v.hi[1]-v.lo[1]
			for a, k := range [3]int{at % nx, at / nx % ny, at / nx / ny} {
				from[a], to[a], any = min(from[a], v.lo[a]+k), max(to[a], v.lo[a]+k+1), true
			}
		}
	}
	var b Box
	for a := range from {
		if any {
			b.Lo[a], b.Hi[a] = v.Origin[a]+float64(from[a])*v.Spacing[a], v.Origin[a]+float64(to[a])*v.Spacing[a]
		}
	}
	return b
}

// Contains reports whether the brick around the point is solid.
func (v *Voxels) Contains(x, y, z float64) bool {
	var at [3]int
	for a, p := range [3]float64{x, y, z} {
		i := math.Floor((p - v.Origin[a]) / v.Spacing[a])
		if !(i >= float64(v.lo[a]) && i < float64(v.hi[a])) {
			return false
		}
		at[a] = int(i)
	}
	i := v.index(at[0], at[1], at[2])
	return v.bits[i/64]>>(i%64)&1 == 1
}

// Bounds returns the box of all bricks, solid or not, kept or not.
func (v *Voxels) Bounds() (lo, hi [3]float64) {
	for a := range lo {
		lo[a], hi[a] = v.Origin[a], v.Origin[a]+float64(v.n[a])*v.Spacing[a]
	}
	return lo, hi
}

// Hit returns the parameter at which the segment enters a solid brick.
func (v *Voxels) Hit(p, d [3]float64) (float64, bool) { return firstHit(v, p, d) }

// Crossings appends to ts all parameters where the line passes from one brick to the next, solid or
// not: between them the state is constant.
func (v *Voxels) Crossings(p, d [3]float64, ts []float64) []float64 {
	for a := range p {
		if d[a] == 0 {
			continue
		}
		from, to := (p[a]-v.Origin[a])/v.Spacing[a], (p[a]+d[a]-v.Origin[a])/v.Spacing[a]
		first, last := max(0, math.Ceil(min(from, to))), min(float64(v.n[a]), math.Floor(max(from, to)))
		for i := first; i <= last; i++ {
			if t := (i - from) / (to - from); t >= 0 && t <= 1 {
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// Kept returns the box of bricks that the rows of a rank can reach: Rows gives the rows, m maps the
// bricks' coordinates to cells.
func (v *Voxels) Kept(m Motion, cells [3]int, rows [2][]bool) (lo, hi [3]int) {
	const around = 2. // cells: a link and some rounding
	from, to := [3]float64{-around, 0, 0}, [3]float64{float64(cells[0]) + around, 0, 0}
	for k, r := range rows {
		from[k+1], to[k+1] = math.Inf(1), math.Inf(-1)
		for i, in := range r {
			if in {
				from[k+1], to[k+1] = min(from[k+1], float64(i)-around), max(to[k+1], float64(i)+1+around)
			}
		}
	}
	for k := range 8 {
		p := [3]float64{}
		for a := range p {
			p[a] = from[a]
			if k>>a&1 == 1 {
				p[a] = to[a]
			}
		}
		p = m.back(vector.Minus(p, m.Shift))
		for a := range p {
			i := (p[a] - v.Origin[a]) / v.Spacing[a]
			down, up := int(min(max(math.Floor(i)-1, 0), float64(v.n[a]))), int(min(max(math.Ceil(i)+1, 0), float64(v.n[a])))
			if k == 0 {
				lo[a], hi[a] = down, up
			}
			lo[a], hi[a] = min(lo[a], down), max(hi[a], up)
		}
	}
	return lo, hi
}
