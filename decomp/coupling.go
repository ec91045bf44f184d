// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"maps"
	"math"
	"slices"

	"lbmsim/internal/parallel"
)

// facesOfPiece is the number of faces that a thread takes at a time.
const facesOfPiece = 4096

// Lists for the kernels that couple two levels (kernels/levels.h), for one rank's part of a patch. Cells of the other level travel in
// compact buffers, cell after cell, in an order that the caller gives: a function returns the place of a cell in the buffer, and is
// called from several threads at once. A place in a state is the index of a cell's first component.
//
// Planes are listed in parallel and joined in their order, so that lists do not depend on the number of threads.

// Part is the cells of a patch that a rank stores, and their layout.
type Part struct {
	Hierarchy   *Hierarchy
	Level       int
	Patch, Rank int
	Layout      Layout // of Box
}

// Box returns the cells, the overlap included.
func (p Part) Box() Box { return p.Hierarchy.Levels[p.Level].Patches[p.Patch].Part(p.Rank) }

// At returns the place in a state of a cell of Box or of its ghost layers.
func (p Part) At(cell [3]int) int { return p.Places()(cell) }

// Places returns At for many cells.
func (p Part) Places() func(cell [3]int) int {
	lo, l := p.Box().Lo, p.Layout
	return func(cell [3]int) int { return l.At(cell[0]-lo[0], cell[1]-lo[1], cell[2]-lo[2], 0) }
}

// owned returns the cells that the part stores and its patch owns.
func (p Part) owned() Box {
	return p.Hierarchy.Levels[p.Level].Patches[p.Patch].Owned.intersect(p.Box())
}

// listed lists what each cell of a box that is not in a hole adds, x fastest.
func listed[T any](b, hole Box, add func(list []T, cell [3]int) []T) []T {
	planes := 2 // across the slowest axis that has several
	if b.Size()[2] == 1 {
		planes = 1
	}
	return parallel.List(b.Size()[planes], 1, func(lo, hi int) (list []T) {
		part := b
		part.Lo[planes], part.Hi[planes] = b.Lo[planes]+lo, b.Lo[planes]+hi
		part.each(hole, func(c [3]int) { list = add(list, c) })
		return list
	})
}

// overlap lists what the part's overlap cells add.
func overlap[T any](p Part, add func(list []T, cell [3]int) []T) []T {
	return listed(p.Box(), p.Hierarchy.Levels[p.Level].Patches[p.Patch].Owned, add)
}

// below lists what the cells of the coarser level add that are near the patch's ends and whose children the part owns.
func below[T any](p Part, add func(list []T, cell [3]int) []T) []T {
	h := p.Hierarchy
	patch := h.Levels[p.Level].Patches[p.Patch]
	return listed(h.owners(patch, p.Rank), shellOf(h, patch).inner, add)
}

// Role returns the role that a cell of the domain, or an image of it, has for the patch: Hidden also where the patch stores none.
func (p Part) Role(cell [3]int) Role {
	h, patch := p.Hierarchy, p.Hierarchy.Levels[p.Level].Patches[p.Patch]
	for a, spans := range patch.Plan.Periodic {
		if n := patch.Stored.Size()[a]; spans {
			cell[a] = (cell[a]%n + n) % n
		}
	}
	at, inside := h.Wrap(p.Level, cell)
	switch {
	case !inside || !patch.Stored.Contains(cell):
		return Hidden
	case !patch.Owned.Contains(cell):
		return Overlap
	}
	return h.Role(p.Level, at)
}

// Blocked visits runs of cells of the domain, or of their images, along x in Box and the layer around it that are to be solid though they
// are fluid: hidden cells, and those beyond the overlap, which the patch does not store. A run begins at a cell.
func (p Part) Blocked(visit func(cell [3]int, run int)) {
	h := p.Hierarchy
	patch, around := h.Levels[p.Level].Patches[p.Patch], p.Box()
	for a := range h.dims {
		around.Lo[a], around.Hi[a] = around.Lo[a]-1, around.Hi[a]+1
	}
	beyond := []Box{around}
	for _, stored := range p.repeated(patch.Stored) {
		beyond = subtract(beyond, stored)
	}
	for _, b := range beyond {
		for a := range h.dims {
			if !h.Periodic[a] {
				b.Lo[a], b.Hi[a] = max(b.Lo[a], 0), min(b.Hi[a], h.Levels[p.Level].N[a])
			}
		}
		b.rows(visit)
	}
	if p.Level+1 == len(h.Levels) {
		return
	}
	for _, covered := range h.coveredImages(p.Level) {
		inner := h.within(covered).intersect(around)
		inner.rows(visit)
		covered.intersect(around).each(inner, func(c [3]int) {
			if at, _ := h.Wrap(p.Level, c); h.Role(p.Level, at) == Hidden {
				visit(c, 1)
			}
		})
	}
}

// repeated returns a box of the patch and, along the axes that the patch spans fully, its images beyond both ends.
func (p Part) repeated(b Box) []Box {
	patch, list := p.Hierarchy.Levels[p.Level].Patches[p.Patch], []Box{b}
	for a, spans := range patch.Plan.Periodic {
		if n := patch.Stored.Size()[a]; spans {
			for _, b := range list {
				for _, by := range []int{-n, n} {
					moved := b
					moved.Lo[a], moved.Hi[a] = moved.Lo[a]+by, moved.Hi[a]+by
					list = append(list, moved)
				}
			}
		}
	}
	return list
}

// Counted returns the runs of cells along x, from the lower end on, that are the finest in their places, in a row of the level: of the
// whole patch, since rows are not cut. A row that the patch does not own has none.
func (p Part) Counted(y, z int) (runs []Range) {
	h := p.Hierarchy
	row := h.Levels[p.Level].Patches[p.Patch].Owned.intersect(Box{Lo: [3]int{math.MinInt, y, z}, Hi: [3]int{math.MaxInt, y + 1, z + 1}})
	if row.Cells() == 0 {
		return nil
	}
	left := []Box{row}
	if p.Level+1 < len(h.Levels) {
		for _, finer := range h.Levels[p.Level+1].Patches {
			left = subtract(left, h.parents(finer.Owned))
		}
	}
	for _, b := range left {
		runs = append(runs, Range{b.Lo[0], b.Hi[0]})
	}
	slices.SortFunc(runs, func(a, b Range) int { return a.Lo - b.Lo })
	return runs
}

// Copied is a cell and its place in a compact buffer (lbm_copied).
type Copied struct{ At, Place int64 }

// Owned lists the cells among some of the domain that the part owns: to be gathered, or to get the means of their children.
func (p Part) Owned(cells [][3]int, place func(cell [3]int) int) (list []Copied) {
	owned := p.owned()
	for _, c := range cells {
		if owned.Contains(c) {
			list = append(list, Copied{int64(p.At(c)), int64(place(c))})
		}
	}
	return list
}

// Siblings lists the overlap cells that the part gets from other patches of its level, before each step.
func (p Part) Siblings(place func(cell [3]int) int) []Copied {
	at := p.Places()
	return overlap(p, func(list []Copied, c [3]int) []Copied {
		if f := filled(p.Hierarchy, p.Level, p.Patch, c); f.Sibling >= 0 {
			list = append(list, Copied{int64(at(c)), int64(place(f.Source))})
		}
		return list
	})
}

// around is the cells that interpolation reads around a parent: those that share a face or an edge with it, by rising z, y, x; 9 in
// 2D.
var around = func() (list [2][][3]int) {
	Box{Lo: [3]int{-1, -1, -1}, Hi: [3]int{2, 2, 2}}.each(Box{}, func(d [3]int) {
		if d[2] == 0 {
			list[0] = append(list[0], d)
		}
		if d[0]*d[1]*d[2] == 0 {
			list[1] = append(list[1], d)
		}
	})
	return list
}()

// Parents lists what fills the interpolated overlap of a part from a compact buffer of cells of the coarser level.
type Parents struct {
	List []Parent
	// Cells beyond the ends of the domain, placed after the buffer's Cells. Each round needs the previous ones: cells beyond one
	// end, edges, corners; Rounds has the first of each and the end.
	Cells        int
	Extrapolated []Extrapolated
	Rounds       [4]int
}

// Parent is a cell of the coarser level by the place of its first child in the state and, by velocities of D3Q19 or D2Q9, of the cells
// around it in the compact buffer (lbm_parent).
type Parent struct {
	First  int64
	Around [19]uint32
	_      uint32
}

// Extrapolated holds the places of the three cells inwards (lbm_extrapolated): Hierarchy.Inwards.
type Extrapolated struct{ From [narrowest]uint32 }

// Parents lists the interpolated overlap of a part. place returns the places of cells of the coarser level, below cells.
func (p Part) Parents(cells int, place func(cell [3]int) int) (list Parents) {
	h, coarse := p.Hierarchy, p.Level-1
	found, beyond := overlap(p, p.parent), p.beyond()
	list.Cells = cells
	in := func(cell [3]int) uint32 {
		at, inside := h.Wrap(coarse, cell)
		if inside {
			return uint32(place(at))
		}
		return uint32(beyond[axesBeyond(h, coarse, at)-1][at])
	}
	for round, m := range beyond {
		order := slices.SortedFunc(maps.Keys(m), func(a, b [3]int) int {
			return slices.Compare([]int{a[2], a[1], a[0]}, []int{b[2], b[1], b[0]})
		})
		for _, cell := range order {
			m[cell] = cells + len(list.Extrapolated)
			var e Extrapolated
			for k, from := range h.Inwards(coarse, cell) {
				e.From[k] = in(from)
			}
			list.Extrapolated = append(list.Extrapolated, e)
		}
		list.Rounds[round+1] = len(list.Extrapolated)
	}
	list.List = make([]Parent, len(found))
	at := p.Places()
	parallel.Ranges(len(found), func(lo, hi int) {
		for k, f := range found[lo:hi] {
			parent := &list.List[lo+k]
			parent.First = int64(at(f.Cell))
			for k, d := range around[h.dims-2] {
				parent.Around[k] = in(plus(f.Source, d))
			}
		}
	})
	return list
}

// parent appends an overlap cell that is interpolated and the first child of its parent, which stands for all.
func (p Part) parent(list []Filled, cell [3]int) []Filled {
	for a := range p.Hierarchy.dims {
		if cell[a]&1 != 0 { // as of the cell in the domain: all levels above 0 have even numbers of cells
			return list
		}
	}
	if f := filled(p.Hierarchy, p.Level, p.Patch, cell); f.Sibling < 0 {
		list = append(list, f)
	}
	return list
}

// Extrapolated returns the number of cells beyond the ends of the domain that Parents lists.
func (p Part) Extrapolated() (cells int) {
	for _, round := range p.beyond() {
		cells += len(round)
	}
	return cells
}

// beyond returns the cells of the coarser level beyond ends of the domain that interpolation to the part's overlap reads, by the number of
// axes along which they are. Only parents at such an end have any.
func (p Part) beyond() (cells [3]map[[3]int]int) {
	h, coarse := p.Hierarchy, p.Level-1
	for k := range cells {
		cells[k] = map[[3]int]int{}
	}
	var note func(cell [3]int)
	note = func(cell [3]int) {
		at, inside := h.Wrap(coarse, cell)
		if inside {
			return
		}
		if m := cells[axesBeyond(h, coarse, at)-1]; m[at] == 0 {
			m[at] = 1
			for _, in := range h.Inwards(coarse, at) {
				note(in)
			}
		}
	}
	for a, n := range h.Levels[p.Level].N {
		if a >= h.dims || h.Periodic[a] {
			continue
		}
		for _, end := range []Range{{0, 2}, {n - 2, n}} {
			at := p.Box()
			at.Lo[a], at.Hi[a] = max(at.Lo[a], end.Lo), min(at.Hi[a], end.Hi)
			at.each(p.Hierarchy.Levels[p.Level].Patches[p.Patch].Owned, func(c [3]int) {
				for _, f := range p.parent(nil, c) {
					for _, d := range around[h.dims-2] {
						note(plus(f.Source, d))
					}
				}
			})
		}
	}
	return cells
}

// axesBeyond returns the number of axes along which a cell lies beyond an end of the domain.
func axesBeyond(h *Hierarchy, level int, cell [3]int) (axes int) {
	for a, n := range h.Levels[level].N {
		if !h.Periodic[a] && (cell[a] < 0 || cell[a] >= n) {
			axes++
		}
	}
	return axes
}

// Family is a mirror cell of the coarser level by its place in a compact buffer, and the place of its first child (lbm_family).
type Family struct{ First, Place int64 }

// Families lists the mirror cells of the coarser level whose children the part stores.
func (p Part) Families(place func(cell [3]int) int) []Family {
	h, at := p.Hierarchy, p.Places()
	return below(p, func(list []Family, cell [3]int) []Family {
		if h.Role(p.Level-1, cell) == Mirrored {
			list = append(list, Family{int64(at(h.refined(1, cell))), int64(place(cell))})
		}
		return list
	})
}

// Outside is a cell outside the interface with the next level, and its faces there.
type Outside struct {
	Cell  [3]int
	Faces []Face
}

// Outside lists these cells among the part's own, each with its faces in the order of Hierarchy.Faces.
func (p Part) Outside() (list []Outside) {
	h, owned := p.Hierarchy, p.owned()
	var faces []Face
	for _, s := range shells(h, p.Level) {
		faces = append(faces, listed(s.Box, s.inner, func(list []Face, c [3]int) []Face {
			facesOf(h, p.Level, c, func(f Face) {
				if owned.Contains(f.Cell) {
					list = append(list, f)
				}
			})
			return list
		})...)
	}
	several := parallel.List(len(faces), facesOfPiece, func(lo, hi int) []bool {
		list := make([]bool, hi-lo)
		for k, f := range faces[lo:hi] {
			list[k] = corner(h, p.Level, f.Cell)
		}
		return list
	})
	list, index := make([]Outside, 0, len(faces)), map[[3]int]int{} // of cells with several faces
	for i, f := range faces {
		if k, ok := index[f.Cell]; several[i] && ok {
			list[k].Faces = append(list[k].Faces, f)
			continue
		}
		if several[i] {
			index[f.Cell] = len(list)
		}
		list = append(list, Outside{f.Cell, faces[i : i+1 : i+1]})
	}
	return list
}

// corner reports whether several cells beside a cell are covered.
func corner(h *Hierarchy, level int, cell [3]int) bool {
	covered := 0
	for a := range h.dims {
		for side := -1; side <= 1; side += 2 {
			beside := cell
			beside[a] += side
			if at, inside := h.Wrap(level, beside); inside && h.Covered(level, at) {
				covered++
			}
		}
	}
	return covered > 1
}

// Inside lists the faces of the coarser level whose fine faces are the part's.
func (p Part) Inside() []Face {
	return below(p, func(list []Face, c [3]int) []Face {
		facesOf(p.Hierarchy, p.Level-1, c, func(f Face) { list = append(list, f) })
		return list
	})
}

// Corrected is a cell outside the interface (lbm_corrected): Count entries from First on in a list of its faces' places.
type Corrected struct {
	At           int64
	First, Count uint32
}

// Corrected lists the cells of Outside. place returns the place of a face among the sums of fine faces.
func (p Part) Corrected(cells []Outside, place func(Face) int) (list []Corrected, faces []uint32) {
	at := p.Places()
	for _, o := range cells {
		list = append(list, Corrected{int64(at(o.Cell)), uint32(len(faces)), uint32(len(o.Faces))})
		for _, f := range o.Faces {
			faces = append(faces, uint32(place(f)))
		}
	}
	return list, faces
}
