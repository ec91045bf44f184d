// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package render

import "math"

// Margin is the number of layers of cells around a block whose values it has as well: two for interpolation up to a cell beside its ends
// and one more for gradients there.
const Margin = 3

// Block is a box of cells of a level with the values of two fields.
type Block struct {
	Level  int
	Lo, N  [3]int    // the cells, from the domain's lower corner
	Shape  []float32 // the field whose surface is drawn, Margin included, [z][y][x]; NaN: there is no value, such as in a solid
	Colour []float32 // the field that colours it
	Finest []bool    // of the cells without the margin: none of a finer level is in their place; nil: of all

	scale         float64   // cells of the level along one of level 0
	ends          [2][3]int // the domain's outermost cells, from the block's corner
	bricks, piles grid
	lo, hi        [3]float64 // box around all bricks that may hold the surface
}

// Bytes returns the approximate memory for a picture of so many pixels: of the stored cells of all blocks, margins included, both fields,
// and each with the bodies as it is read, with their components together; and of hits as a rank finds, receives and joins them. A pixel
// has four rays, of which about half hit something.
func Bytes(cells int64, components, pixels int) int64 {
	const number, hit, lists, rays = 4, 20, 3, 4
	return cells*int64(number*(2+components+2)) + int64(pixels)*rays*hit*lists/2
}

// grid marks the boxes of a block that may hold the surface: rays pass over all others.
type grid struct {
	shift  int // log2 of the cells along each edge of a box
	n      [3]int
	active []bool
}

func newGrid(cells [3]int, shift int) (g grid) {
	g.shift = shift
	for a, n := range cells {
		g.n[a] = (n-1)>>shift + 1
	}
	g.active = make([]bool, g.n[0]*g.n[1]*g.n[2])
	return g
}

// of returns the index of the box around a cell.
func (g *grid) of(cell [3]int) int {
	return ((cell[2]>>g.shift)*g.n[1]+cell[1]>>g.shift)*g.n[0] + cell[0]>>g.shift
}

// Bricks have edges of 8 cells, piles of 32.
const (
	BrickShift = 3
	PileShift  = 5
	brick      = 1 << BrickShift
)

var inf = math.Inf(1)

// Slack is the rounding of an interpolated value, as a share of the level: with it a brick that is passed over has no surface in any
// other division into bricks.
const Slack = 1e-9

// Each visits the values of the field whose surface is drawn, in the cells that are the finest in their places.
func (b *Block) Each(visit func(value float32)) {
	i := 0
	for z := range b.N[2] {
		for y := range b.N[1] {
			for _, v := range b.Shape[b.place(Margin, y+Margin, z+Margin):][:b.N[0]] {
				if v-v == 0 && (b.Finest == nil || b.Finest[i]) { // neither infinite nor NaN
					visit(v)
				}
				i++
			}
		}
	}
}

// prepare finds the bricks that may hold the surface.
func (b *Block) prepare(level float64, size [3]float64) {
	b.scale, b.bricks, b.piles = float64(int(1)<<b.Level), newGrid(b.N, BrickShift), newGrid(b.N, PileShift)
	for a := range size {
		b.ends[0][a], b.ends[1][a] = -b.Lo[a], int(size[a]*b.scale)-1-b.Lo[a]
	}
	around := Slack * math.Abs(level)
	b.lo, b.hi = [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for k := range b.bricks.active {
		n := b.bricks.n
		from := [3]int{k % n[0] * brick, k / n[0] % n[1] * brick, k / n[0] / n[1] * brick}
		low, high := b.extremes(from)
		if low-around-Slack*math.Abs(low) > level || high+around+Slack*math.Abs(high) < level {
			continue
		}
		b.bricks.active[k], b.piles.active[b.piles.of(from)] = true, true
		for a := range from {
			b.lo[a] = min(b.lo[a], float64(b.Lo[a]+from[a])/b.scale)
			b.hi[a] = max(b.hi[a], float64(b.Lo[a]+min(from[a]+brick, b.N[a]))/b.scale)
		}
	}
}

// extremes returns the least and the largest value that interpolation meets in a brick and up to a cell around it.
func (b *Block) extremes(from [3]int) (low, high float64) {
	low, high = inf, -inf
	var lo, hi [3]int // of the stored values
	for a, k := range from {
		lo[a] = k + Margin - 2
		hi[a] = min(k+brick, b.N[a]) + Margin + 2
	}
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			row := b.Shape[b.place(lo[0], y, z):][:hi[0]-lo[0]]
			for _, v := range row {
				if v := float64(v); v == v { // a number
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	return low, high
}

// place returns the index of a stored value.
func (b *Block) place(x, y, z int) int {
	return (z*(b.N[1]+2*Margin)+y)*(b.N[0]+2*Margin) + x
}

// cell returns the cell of the level at a place, from the block's corner, and whether it is one of the block. Places that rounding puts outside
// the domain are in its outermost cells.
func (b *Block) cell(p [3]float64) (at [3]int, ok bool) {
	for a := range p {
		at[a] = min(max(int(math.Floor(p[a]*b.scale))-b.Lo[a], b.ends[0][a]), b.ends[1][a])
		if at[a] < 0 || at[a] >= b.N[a] {
			return at, false
		}
	}
	return at, true
}

// corner is where a point lies between the centres of eight cells.
type corner struct {
	index int // of the stored value of the first
	share [3]float64
}

// between returns the corner of a point in the block or up to a cell around it.
func (b *Block) between(p [3]float64) (c corner) {
	var at [3]int
	for a := range p {
		q := p[a]*b.scale - 0.5
		i := math.Floor(q)
		c.share[a] = q - i
		at[a] = min(max(int(i)-b.Lo[a]+Margin, 1), b.N[a]+2*Margin-3) // clamped, so that rounding stays within the values
	}
	c.index = b.place(at[0], at[1], at[2])
	return c
}

// value interpolates linearly along each axis; where some of the eight cells have no value the others count. NaN: none has one.
func (b *Block) value(of []float32, c corner) float64 {
	dy := b.N[0] + 2*Margin
	dz := dy * (b.N[1] + 2*Margin)
	x, y, z := c.share[0], c.share[1], c.share[2]
	i := c.index
	line := func(i int) float64 { return float64(of[i]) + x*(float64(of[i+1])-float64(of[i])) }
	low, high := line(i), line(i+dz)
	low += y * (line(i+dy) - low)
	high += y * (line(i+dy+dz) - high)
	if v := low + z*(high-low); v == v {
		return v
	}
	sum, weights := 0.0, 0.0
	b.eachOf(c, func(i int, weight float64) {
		if v := float64(of[i]); v == v {
			sum += weight * v
			weights += weight
		}
	})
	return sum / weights
}

// eachOf visits the eight cells of a corner with their weights.
func (b *Block) eachOf(c corner, visit func(i int, weight float64)) {
	dy := b.N[0] + 2*Margin
	dz := dy * (b.N[1] + 2*Margin)
	for k := range 8 {
		weight, i := 1.0, c.index
		for a, step := range [3]int{1, dy, dz} {
			if k>>a&1 == 1 {
				weight *= c.share[a]
				i += step
			} else {
				weight *= 1 - c.share[a]
			}
		}
		visit(i, weight)
	}
}

// gradient interpolates central differences of the shape's field; beside cells without a value they are one-sided.
func (b *Block) gradient(c corner) (g [3]float64) {
	dy := b.N[0] + 2*Margin
	dz := dy * (b.N[1] + 2*Margin)
	b.eachOf(c, func(i int, weight float64) {
		here := float64(b.Shape[i])
		if here != here {
			return
		}
		for a, step := range [3]int{1, dy, dz} {
			lo, hi := float64(b.Shape[i-step]), float64(b.Shape[i+step])
			if lo != lo {
				lo = here
			}
			if hi != hi {
				hi = here
			}
			g[a] += weight * (hi - lo)
		}
	})
	return g
}
