// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/internal/vector"
)

// Grid is the voxelization of a surface, in cells of size 1.
type Grid struct {
	Cells [3]int  // of the box around it, with a layer on every side
	Scale float64 // cells of the case per cell here, if the box had to be coarser

	Solid    int // cells inside
	Leaked   int // solid cells that fluid reaches through holes from outside
	Enclosed int // cells outside the solid that fluid from outside does not reach
	Broken   int // rows of cells with a ray parity error

	Faces float64 // faces between solid cells and others
	Meant float64 // the same for a resolved surface: sum of |n_x|+|n_y|+|n_z| over the area

	Thin   [3]float64 // share of the area where the solid behind is thinner than 1, 2 and 4 cells
	Narrow [3]float64 // the same for the gap in front of it
	Least  float64    // least thickness, in cells; infinite if no part is thinner than 4
	At     [3]float64 // its position
}

// MostCells is the largest number of cells that Look fills; larger boxes get coarser cells.
const MostCells = 1 << 26

// The thickness is sampled at this many triangles at most.
const samples = 20000

// Look fills the box around the surface with cells of size 1 (in units of the vertices)
// whose centres are at whole numbers and a half, and reports its voxelization. The surface may be
// open: then a majority of the three directions decides which cells are inside. depth is the number
// of solid cells in line along the axis with the largest projection of the body, as [row][column]:
// a depth image.
func (s *Surface) Look() (g Grid, depth Depth, err error) {
	if len(s.T) == 0 {
		return g, depth, fmt.Errorf("all triangles have zero area")
	}
	lo, hi := s.Bounds()
	g.Scale = 1
	var from [3]float64
	for {
		cells := 1.0
		for a := range lo {
			from[a] = math.Floor(lo[a]/g.Scale) - 1
			g.Cells[a] = int(min(math.Floor(hi[a]/g.Scale)+2-from[a], 1e9))
			cells *= float64(g.Cells[a])
		}
		if cells <= MostCells {
			break
		}
		g.Scale *= 2
		if g.Scale > 1e9 {
			return g, depth, fmt.Errorf("the surface spans %.3g cells", cells)
		}
	}
	tri := make([][3][3]float64, len(s.T))
	for i := range tri {
		tri[i] = s.Corners(i)
		for v := range tri[i] {
			for a := range tri[i][v] {
				tri[i][v][a] = tri[i][v][a]/g.Scale - from[a]
			}
		}
		n := vector.Cross(vector.Minus(tri[i][1], tri[i][0]), vector.Minus(tri[i][2], tri[i][0]))
		g.Meant += (math.Abs(n[0]) + math.Abs(n[1]) + math.Abs(n[2])) / 2
	}
	state := make([]uint8, g.Cells[0]*g.Cells[1]*g.Cells[2])
	for axis := range 3 {
		broken, err := look(tri, g.Cells, axis, state)
		if err != nil {
			return g, depth, err
		}
		g.Broken += broken
	}
	g.flood(state)
	depth = g.depth(state)
	for a := range from {
		depth.From[a] = from[a] * g.Scale
	}
	g.thickness(tri)
	for a := range g.At {
		g.At[a] = (g.At[a] + from[a]) * g.Scale
	}
	g.Least *= g.Scale
	return g, depth, nil
}

// bits of a cell's state: two of votes for inside, one for each surface on its lower sides, whether
// fluid has reached it, and whether the surface passes through its centre. By rounding the surface
// may then be before the centre on one axis and behind it on another: fluid could cross the cell,
// so it gets none.
const (
	voteMask = 3
	sideBit  = 4 // << axis
	reached  = 32
	within   = 64
)

// look traces lines along an axis: every cell inside gets a vote, every crossed side its bit. It
// returns the number of lines whose changes do not add up to zero: they have no vote.
func look(tri [][3][3]float64, n [3]int, axis int, state []uint8) (broken int, err error) {
	b, c := (axis+1)%3, (axis+2)%3
	turned := Whole([3]int{n[axis], n[b], n[c]})
	body := NewBody(turned)
	stride := [3]int{1, n[0], n[0] * n[1]}
	rows := n[b] * n[c]
	count := make([]int32, rows+1)
	total := 0
	each := func(do func(row int, x float64, turn int)) error {
		for i := range tri {
			if total > mostChanges+64*rows {
				return tooFolded(total, rows)
			}
			t := tri[i]
			for v := range t {
				t[v] = [3]float64{t[v][axis], t[v][b], t[v][c]}
			}
			body.scan(&t, do)
		}
		return nil
	}
	err = each(func(row int, _ float64, _ int) {
		count[row+1]++
		total++
	})
	if err != nil {
		return 0, err
	}
	for r := range rows {
		count[r+1] += count[r]
	}
	change := make([]int32, count[rows])
	at := append([]int32{}, count[:rows]...)
	_ = each(func(row int, x float64, turn int) { // the same for the votes
		change[at[row]] = 2*int32(min(max(math.Ceil(x-0.5), 0), float64(n[axis]))) + int32(1-turn)/2
		at[row]++
		if k := math.Round(x - 0.5); math.Abs(x-0.5-k) < touch && k >= 0 && k < float64(n[axis]) {
			state[row%n[b]*stride[b]+row/n[b]*stride[c]+int(k)*stride[axis]] |= within
		}
	})
	for row := range rows {
		list := change[count[row]:count[row+1]]
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		sum := 0
		base := row%n[b]*stride[b] + row/n[b]*stride[c]
		for _, k := range list {
			sum += 1 - 2*int(k&1)
			if int(k>>1) < n[axis] {
				state[base+int(k>>1)*stride[axis]] |= sideBit << axis
			}
		}
		if sum != 0 {
			broken++
			continue
		}
		wind, next := 0, 0
		for i := range n[axis] {
			for ; next < len(list) && int(list[next]>>1) <= i; next++ {
				wind += 1 - 2*int(list[next]&1)
			}
			if wind != 0 {
				state[base+i*stride[axis]]++
			}
		}
	}
	return broken, nil
}

// flood fills fluid from the corner, which is outside, through every side that the surface does not
// cross, and counts cells.
func (g *Grid) flood(state []uint8) {
	n := g.Cells
	stride := [3]int{1, n[0], n[0] * n[1]}
	stack := []int32{0}
	state[0] |= reached
	for len(stack) > 0 {
		k := int(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		at := [3]int{k % n[0], k / n[0] % n[1], k / stride[2]}
		for a := range 3 {
			if at[a] > 0 && state[k]&(sideBit<<a) == 0 && state[k-stride[a]]&(reached|within) == 0 {
				state[k-stride[a]] |= reached
				stack = append(stack, int32(k-stride[a]))
			}
			if at[a] < n[a]-1 && state[k+stride[a]]&(sideBit<<a|reached|within) == 0 {
				state[k+stride[a]] |= reached
				stack = append(stack, int32(k+stride[a]))
			}
		}
	}
	for k, s := range state {
		in := s&voteMask >= 2
		switch {
		case in:
			g.Solid++
			if s&reached != 0 {
				g.Leaked++
			}
		case s&(reached|within) == 0:
			g.Enclosed++
		}
		for a := range 3 { // no cell of the outermost layer is solid
			if k >= stride[a] && in != (state[k-stride[a]]&voteMask >= 2) {
				g.Faces++
			}
		}
	}
}

// Depth is the number of solid cells in line along an axis.
type Depth struct {
	Axis   int
	W, H   int
	Values []float64 // [row][column]
	From   [3]float64
}

// Empty reports whether no cell is solid.
func (d Depth) Empty() bool {
	return !slices.ContainsFunc(d.Values, func(v float64) bool { return v > 0 })
}

// depth projects along the axis on which the box is shortest.
func (g *Grid) depth(state []uint8) Depth {
	n := g.Cells
	d := Depth{Axis: 2}
	for a := range 2 {
		if n[a] < n[d.Axis] {
			d.Axis = a
		}
	}
	b, c := [3]int{1, 0, 0}[d.Axis], [3]int{2, 2, 1}[d.Axis]
	d.W, d.H = n[b], n[c]
	d.Values = make([]float64, d.W*d.H)
	for k, s := range state {
		if s&voteMask >= 2 {
			at := [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}
			d.Values[at[c]*d.W+at[b]] += g.Scale
		}
	}
	for i, v := range d.Values {
		if v == 0 {
			d.Values[i] = math.NaN()
		}
	}
	return d
}

// cellWide is the length, in cells, below which a part or a gap is thinner than a cell: a plate of exactly one cell has one
// everywhere, however its position is rounded.
const cellWide = 1 - 1e-6

// Shares of the area of a closed body: where the solid behind is thinner than a cell, and where the gap in front is
// narrower. least is the least thickness, infinite if no part is thinner than a cell. Parts that overlap or touch count as
// one solid.
func (b *Body) Shares() (thin, narrow, least float64) {
	step := max(1, len(b.tri)/samples)
	all := 0.0
	least = math.Inf(1)
	r, side := ray{outwards: 1, tri: b.tri, tree: b.tree}, 1.0
	volume := 0.0
	for _, c := range b.tri {
		volume += vector.Dot(c[0], vector.Cross(c[1], c[2]))
	}
	if volume < 0 { // inside out
		r.outwards, side = -1, -1
	}
	far := vector.Length(vector.Minus(b.hi, b.lo))
	for i := step / 2; i < len(b.tri); i += step {
		c := &b.tri[i]
		n := vector.Cross(vector.Minus(c[1], c[0]), vector.Minus(c[2], c[0]))
		area := vector.Length(n)
		if area == 0 {
			continue
		}
		all += area
		var mid, out, in, before [3]float64
		for a := range mid {
			mid[a] = (c[0][a] + c[1][a] + c[2][a]) / 3
			out[a], in[a] = side*n[a]/area, -side*n[a]/area
		}
		const skin = 1e-6
		t := b.tree.first(b.tri, mid, out, skin, 1, 1e-12)
		for a := range mid {
			before[a] = mid[a] + t/2*out[a]
		}
		if t < cellWide && !b.Contains(before[0], before[1], before[2]) { // within another part there is no gap
			narrow += area
		}
		if b.tree.first(b.tri, mid, in, skin, 1, 1e-12) >= cellWide {
			continue // most triangles
		}
		if around, _ := r.through(mid, [3]float64{far * out[0], far * out[1], far * out[2]}, 0); around != 0 {
			continue // within another part it is no boundary
		}
		if _, w := r.through(mid, in, 1); w < cellWide {
			thin += area
			least = min(least, w)
		}
	}
	if all == 0 {
		return 0, 0, least
	}
	return thin / all, narrow / all, least
}

// thickness casts rays from the middle of triangles into the solid and out of it.
func (g *Grid) thickness(tri [][3][3]float64) {
	const far = 4
	var t tree
	t.build(tri)
	step := max(1, len(tri)/samples)
	all := 0.0
	g.Least = math.Inf(1)
	for i := step / 2; i < len(tri); i += step {
		c := tri[i]
		n := vector.Cross(vector.Minus(c[1], c[0]), vector.Minus(c[2], c[0]))
		area := vector.Length(n)
		if area == 0 {
			continue
		}
		all += area
		var mid, in, out [3]float64
		for a := range mid {
			mid[a] = (c[0][a] + c[1][a] + c[2][a]) / 3
			in[a], out[a] = -far*n[a]/area, far*n[a]/area
		}
		const skin = 1e-6
		solid := far * t.first(tri, mid, in, skin, 1, 1e-12)
		gap := far * t.first(tri, mid, out, skin, 1, 1e-12)
		for k, limit := range [3]float64{1, 2, 4} {
			if solid*g.Scale < limit*cellWide {
				g.Thin[k] += area
			}
			if gap*g.Scale < limit*cellWide {
				g.Narrow[k] += area
			}
		}
		if solid <= far && solid < g.Least {
			g.Least, g.At = solid, mid
		}
	}
	for k := range g.Thin {
		g.Thin[k] /= all
		g.Narrow[k] /= all
	}
}
