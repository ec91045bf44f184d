// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Lists of the cells exchanged between levels, and between patches of a level. They follow from the boxes alone, so every
// rank can list the items that it sends and receives (shells.go): a cell's rank is Patch.Owner. A coarse step of level l uses this order:
//
//	Overlap   cells of level l+1 beyond its interfaces, interpolated from level l or copied from a sibling patch
//	Faces     of level l, where the flux through a coarse face gives way to the sum of its fine faces' over two steps
//	Mirror    cells of level l that get the mean of their children

// Wrap returns the cell of a level that a cell is an image of, and whether it lies in the domain: not beyond a wall or an open face.
func (h *Hierarchy) Wrap(level int, cell [3]int) ([3]int, bool) {
	for a, n := range h.Levels[level].N {
		switch {
		case cell[a] >= 0 && cell[a] < n:
		case a < h.dims && h.Periodic[a]:
			cell[a] = (cell[a]%n + n) % n
		default:
			return cell, false
		}
	}
	return cell, true
}

// Find returns the patch of a level that owns a cell of the domain; false: the level has no cell there.
func (h *Hierarchy) Find(level int, cell [3]int) (patch int, ok bool) {
	for k := range h.Levels[level].Patches {
		if h.Levels[level].Patches[k].Owned.Contains(cell) {
			return k, true
		}
	}
	return 0, false
}

// Covered reports whether a cell of the domain has children.
func (h *Hierarchy) Covered(level int, cell [3]int) bool {
	_, ok := above(h, level, cell)
	return ok
}

// above returns the patch that owns the children of a cell of the domain; false: it has none.
func above(h *Hierarchy, level int, cell [3]int) (patch int, ok bool) {
	if level+1 == len(h.Levels) {
		return 0, false
	}
	return h.Find(level+1, h.refined(1, cell))
}

// Role is the use of a cell that a level owns.
type Role int

const (
	Counted  Role = iota // the finest cell in its place: sums and outputs have it
	Mirrored             // covered, but read by steps and interpolations beside the interface: holds the mean of its children
	Hidden               // covered, and never read: solid
	Overlap              // of a patch that does not own it (Part.Role)
)

// Role returns the role of a cell that the level owns.
//
// Read are the covered cells within one cell of others, which stream and are interpolated from; and the third cell from a wall,
// where the first is not covered: it takes part in the extrapolation beyond the wall (Inwards).
func (h *Hierarchy) Role(level int, cell [3]int) Role {
	above, ok := above(h, level, cell)
	if !ok {
		return Counted
	}
	near := Box{Lo: cell, Hi: plus(cell, [3]int{1, 1, 1})}
	for a := range h.dims {
		near.Lo[a], near.Hi[a] = cell[a]-1, cell[a]+2
		if n := h.Levels[level].N[a]; !h.Periodic[a] {
			if cell[a] == narrowest-1 {
				near.Lo[a] = 0
			}
			if cell[a] == n-narrowest {
				near.Hi[a] = n
			}
			near.Lo[a], near.Hi[a] = max(near.Lo[a], 0), min(near.Hi[a], n)
		}
	}
	if h.parents(h.Levels[level+1].Patches[above].Owned).holds(near) { // most hidden cells
		return Hidden
	}
	var c [3]int
	for c[2] = near.Lo[2]; c[2] < near.Hi[2]; c[2]++ {
		for c[1] = near.Lo[1]; c[1] < near.Hi[1]; c[1]++ {
			for c[0] = near.Lo[0]; c[0] < near.Hi[0]; c[0]++ {
				if at, _ := h.Wrap(level, c); !h.Covered(level, at) {
					return Mirrored
				}
			}
		}
	}
	return Hidden
}

// rows visits the rows of a box along x, y fastest: the first cell of each and the number of its cells.
func (b Box) rows(visit func(first [3]int, cells int)) {
	if b.Cells() == 0 {
		return
	}
	for z := b.Lo[2]; z < b.Hi[2]; z++ {
		for y := b.Lo[1]; y < b.Hi[1]; y++ {
			visit([3]int{b.Lo[0], y, z}, b.Hi[0]-b.Lo[0])
		}
	}
}

// each visits the cells of a box that are not in a hole, x fastest.
func (b Box) each(hole Box, visit func(cell [3]int)) {
	var c [3]int
	for c[2] = b.Lo[2]; c[2] < b.Hi[2]; c[2]++ {
		for c[1] = b.Lo[1]; c[1] < b.Hi[1]; c[1]++ {
			for c[0] = b.Lo[0]; c[0] < b.Hi[0]; c[0]++ {
				if hole.Contains(c) {
					c[0] = hole.Hi[0] - 1
					continue
				}
				visit(c)
			}
		}
	}
}

// Filled is a cell of a patch's overlap, and the source of its values before a step.
type Filled struct {
	Patch   int
	Cell    [3]int // in Stored
	Sibling int    // the patch of the level that owns it, -1: none does, it is interpolated from the coarser level
	Source  [3]int // the sibling's cell; otherwise the parent of Cell, in the domain
	Child   [3]int // of an interpolated cell: -1 or +1 along each axis, on which side of the parent's centre it lies
}

// Overlap visits the overlap cells of all patches of a level above 0, patch by patch. Interpolated cells are set once per step of
// the parent level; they read the 3x3x3 cells around their parent, 3x3 in 2D, of which those beyond walls are extrapolated
// (Inwards). Cells of siblings are copied before each step of the level.
func (h *Hierarchy) Overlap(level int, visit func(Filled)) {
	for k, p := range h.Levels[level].Patches {
		p.Stored.each(p.Owned, func(c [3]int) { visit(filled(h, level, k, c)) })
	}
}

// Rim returns boxes of a level above 0 that cover its interpolated overlap, and so many cells around it in the domain. They may reach
// beyond periodic ends, and share cells.
func (h *Hierarchy) Rim(level, cells int) (list []Box) {
	for _, overlap := range h.interpolated(level) {
		for _, o := range overlap {
			list = append(list, h.grown(o, h.Levels[level].N, cells))
		}
	}
	return list
}

// interpolated returns the interpolated overlap of each patch of a level.
func (h *Hierarchy) interpolated(level int) (list [][]Box) {
	var owned []Box
	for _, p := range h.Levels[level].Patches {
		owned = append(owned, h.images(p.Owned, h.Levels[level].N)...)
	}
	for _, p := range h.Levels[level].Patches {
		overlap := []Box{p.Stored}
		for _, b := range owned {
			if b.Overlaps(p.Stored) { // only few of many overlap
				overlap = subtract(overlap, b)
			}
		}
		list = append(list, overlap)
	}
	return list
}

// filled returns an overlap cell of a patch with its source.
func filled(h *Hierarchy, level, patch int, cell [3]int) Filled {
	f := Filled{Patch: patch, Cell: cell, Sibling: -1}
	f.Source, _ = h.Wrap(level, cell)
	if q, ok := h.Find(level, f.Source); ok {
		f.Sibling = q
		return f
	}
	for a := range h.dims {
		f.Child[a] = f.Source[a]&1*2 - 1
		f.Source[a] >>= 1
	}
	return f
}

// Inwards returns the cells from which a cell beyond an end of the domain is extrapolated, the nearest first: along the first axis
// along which it lies beyond. Some may lie beyond the ends of other axes, and are then extrapolated in turn. Velocities take the
// parabola of all three, 3, -3 and 1 times, other values the line through the first two, 2 and -1 times.
func (h *Hierarchy) Inwards(level int, cell [3]int) (cells [narrowest][3]int) {
	for a := range h.dims {
		n := h.Levels[level].N[a]
		if h.Periodic[a] || cell[a] >= 0 && cell[a] < n {
			continue
		}
		for k := range cells {
			if cells[k] = cell; cell[a] < 0 {
				cells[k][a] = k
			} else {
				cells[k][a] = n - 1 - k
			}
		}
		return cells
	}
	return cells
}

// Children returns the cells of the next level that a cell has, x fastest.
func (h *Hierarchy) Children(cell [3]int) (list [][3]int) {
	first := h.refined(1, cell)
	Box{Lo: first, Hi: plus(first, h.refined(1, [3]int{1, 1, 1}))}.each(Box{}, func(c [3]int) { list = append(list, c) })
	return list
}

// Mirror visits the cells of a level that hold the mean of their children after two steps of the next level, patch by patch of that
// level.
func (h *Hierarchy) Mirror(level int, visit func(cell [3]int)) {
	for _, s := range shells(h, level) {
		s.each(s.inner, func(c [3]int) {
			if h.Role(level, c) == Mirrored {
				visit(c)
			}
		})
	}
}

// shell is the cells that a patch of the next level covers. Cells of inner are hidden whatever lies around them.
type shell struct {
	Box
	inner Box
}

// shellOf returns the shell of a patch of the next level.
func shellOf(h *Hierarchy, p Patch) shell {
	parents := h.parents(p.Owned)
	return shell{parents, h.within(parents)}
}

// shells returns the shells of a level, none where it is the finest.
func shells(h *Hierarchy, level int) (list []shell) {
	if level+1 == len(h.Levels) {
		return nil
	}
	for _, p := range h.Levels[level+1].Patches {
		list = append(list, shellOf(h, p))
	}
	return list
}

// within returns the cells of a covered box that are hidden whatever lies around it.
func (h *Hierarchy) within(covered Box) Box {
	for a := range h.dims {
		covered.Lo[a], covered.Hi[a] = covered.Lo[a]+narrowest-1, covered.Hi[a]-narrowest+1
	}
	return covered
}

// Face is a face between a cell that is not covered and one that is.
type Face struct {
	Cell    [3]int // not covered; in the domain
	Covered [3]int // in the domain
	Axis    int
	Side    int // the direction along the axis from Covered to Cell
}

// Faces visits the faces of a level at its interface with the next one, patch by patch of that level.
func (h *Hierarchy) Faces(level int, visit func(Face)) {
	for _, s := range shells(h, level) {
		s.each(s.inner, func(c [3]int) { facesOf(h, level, c, visit) })
	}
}

// facesOf visits the faces of a covered cell.
func facesOf(h *Hierarchy, level int, covered [3]int, visit func(Face)) {
	for a := range h.dims {
		for side := -1; side <= 1; side += 2 {
			beside := covered
			beside[a] += side
			at, inside := h.Wrap(level, beside)
			if inside && !h.Covered(level, at) {
				visit(Face{Cell: at, Covered: covered, Axis: a, Side: side})
			}
		}
	}
}

// FineFaces returns the faces of the next level that make up a face, four in 3D and two in 2D: for each the cell that the level owns
// and the overlap cell beyond, which may be an image.
func (h *Hierarchy) FineFaces(f Face) (list [][2][3]int) {
	first := h.refined(1, f.Covered)
	beside := Box{Lo: first, Hi: plus(first, h.refined(1, [3]int{1, 1, 1}))}
	if f.Side < 0 {
		beside.Hi[f.Axis]--
	} else {
		beside.Lo[f.Axis]++
	}
	list = make([][2][3]int, 0, beside.Cells())
	beside.each(Box{}, func(c [3]int) {
		beyond := c
		beyond[f.Axis] += f.Side
		list = append(list, [2][3]int{c, beyond})
	})
	return list
}

// Crossing is one of the paths on which a population passes a face.
type Crossing struct {
	Before [3]int // its displacement before the face along other axes than the face's: it starts at the upstream cell less this
	Sixths int    // share of the population, in sixths
}

// Crossings returns the paths of a population with velocity c through a face across an axis. A diagonal population goes from cell to
// cell by all orders of its axes alike, so that a uniform flow passes all faces of a cell alike, at edges and corners of an
// interface too: in the plane half of it passes the face of the starting cell and half the face of the cell beside it, in space a third,
// a sixth, a sixth and a third.
func Crossings(c [3]int, axis int) (list []Crossing) {
	if c[axis] == 0 {
		return nil
	}
	for bits := range 8 {
		var p Crossing
		valid := true
		for a, v := range c {
			if bits>>a&1 == 0 {
				continue
			}
			p.Before[a] = v
			valid = valid && a != axis && v != 0
		}
		if valid {
			p.Sixths = sixths(c, axis, p.Before)
			list = append(list, p)
		}
	}
	return list
}

// sixths returns the share of a path.
func sixths(c [3]int, axis int, before [3]int) int {
	others, done := 0, 0
	for a, v := range c {
		if a != axis && v != 0 {
			others++
		}
		if before[a] != 0 {
			done++
		}
	}
	return [3][3]int{{6}, {3, 3}, {2, 1, 2}}[others][done]
}

// Along returns the share, in sixths, of the path through a face across an axis that a population takes which does not move across
// some other axes.
func (p Crossing) Along(c [3]int, axis int, across [3]bool) int {
	for a := range c {
		if across[a] {
			c[a], p.Before[a] = 0, 0
		}
	}
	return sixths(c, axis, p.Before)
}
