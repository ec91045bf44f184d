package decomp

import (
	"maps"
	"math"
	"slices"
)

// Lists for the kernels that couple two levels (kernels/levels.h), for one rank's part of a patch. Cells of the other level travel in
// compact buffers, cell after cell, in an order that the caller gives: a function returns the place of a cell in the buffer. A place
// in a state is the index of a cell's first component.

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
func (p Part) At(cell [3]int) int {
	c := minus(cell, p.Box().Lo)
	return p.Layout.At(c[0], c[1], c[2], 0)
}

// owns reports whether a cell of the domain is one that the part stores and its patch owns.
func (p Part) owns(cell [3]int) bool {
	return p.Hierarchy.Levels[p.Level].Patches[p.Patch].Owned.Contains(cell) && p.Box().Contains(cell)
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

// Blocked visits the cells of the domain, or their images, in Box and the layer around it that are to be solid though they are fluid:
// hidden cells, and those beyond the overlap, which the patch does not store.
func (p Part) Blocked(visit func(cell [3]int)) {
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
		b.each(Box{}, func(c [3]int) {
			if _, inside := h.Wrap(p.Level, c); inside {
				visit(c)
			}
		})
	}
	if p.Level+1 == len(h.Levels) {
		return
	}
	for _, covered := range h.coveredImages(p.Level) {
		inner := h.within(covered)
		covered.intersect(around).each(Box{}, func(c [3]int) {
			if inner.Contains(c) {
				visit(c)
			} else if at, _ := h.Wrap(p.Level, c); h.Role(p.Level, at) == Hidden {
				visit(c)
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
	for _, c := range cells {
		if p.owns(c) {
			list = append(list, Copied{int64(p.At(c)), int64(place(c))})
		}
	}
	return list
}

// Siblings lists the overlap cells that the part gets from other patches of its level, before each step.
func (p Part) Siblings(place func(cell [3]int) int) (list []Copied) {
	box := p.Box()
	p.Hierarchy.overlap(p.Level, p.Patch, func(f Filled) {
		if f.Sibling >= 0 && box.Contains(f.Cell) {
			list = append(list, Copied{int64(p.At(f.Cell)), int64(place(f.Source))})
		}
	})
	return list
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
	h, box, coarse := p.Hierarchy, p.Box(), p.Level-1
	type parent struct {
		first int64
		at    [3]int
	}
	var found []parent
	beyond := [3]map[[3]int]int{{}, {}, {}} // by the number of axes
	count := func(cell [3]int) (axes int) {
		for a, n := range h.Levels[coarse].N {
			if !h.Periodic[a] && (cell[a] < 0 || cell[a] >= n) {
				axes++
			}
		}
		return axes
	}
	var note func(cell [3]int)
	note = func(cell [3]int) {
		at, inside := h.Wrap(coarse, cell)
		if inside {
			return
		}
		if m := beyond[count(at)-1]; m[at] == 0 {
			m[at] = 1
			for _, in := range h.Inwards(coarse, at) {
				note(in)
			}
		}
	}
	each := around[h.dims-2]
	h.overlap(p.Level, p.Patch, func(f Filled) {
		for a := range h.dims {
			if f.Child[a] > 0 {
				return // the first child stands for all
			}
		}
		if f.Sibling >= 0 || !box.Contains(f.Cell) {
			return
		}
		found = append(found, parent{int64(p.At(f.Cell)), f.Source})
		for _, d := range each {
			note(plus(f.Source, d))
		}
	})
	list.Cells = cells
	in := func(cell [3]int) uint32 {
		at, inside := h.Wrap(coarse, cell)
		if inside {
			return uint32(place(at))
		}
		return uint32(beyond[count(at)-1][at])
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
	for _, f := range found {
		parent := Parent{First: f.first}
		for k, d := range each {
			parent.Around[k] = in(plus(f.at, d))
		}
		list.List = append(list.List, parent)
	}
	return list
}

// Family is a mirror cell of the coarser level by its place in a compact buffer, and the place of its first child (lbm_family).
type Family struct{ First, Place int64 }

// Families lists the mirror cells of the coarser level whose children the part stores.
func (p Part) Families(place func(cell [3]int) int) (list []Family) {
	h := p.Hierarchy
	h.Mirror(p.Level-1, func(cell [3]int) {
		if first := h.refined(1, cell); p.owns(first) {
			list = append(list, Family{int64(p.At(first)), int64(place(cell))})
		}
	})
	return list
}

// Outside is a cell outside the interface with the next level, and its faces there.
type Outside struct {
	Cell  [3]int
	Faces []Face
}

// Outside lists these cells among the part's own, each with its faces in the order of Hierarchy.Faces.
func (p Part) Outside() (list []Outside) {
	index := map[[3]int]int{}
	p.Hierarchy.Faces(p.Level, func(f Face) {
		if !p.owns(f.Cell) {
			return
		}
		k, ok := index[f.Cell]
		if !ok {
			k = len(list)
			index[f.Cell] = k
			list = append(list, Outside{Cell: f.Cell})
		}
		list[k].Faces = append(list[k].Faces, f)
	})
	return list
}

// Inside lists the faces of the coarser level whose fine faces are the part's.
func (p Part) Inside() (list []Face) {
	h := p.Hierarchy
	h.Faces(p.Level-1, func(f Face) {
		if p.owns(h.refined(1, f.Covered)) {
			list = append(list, f)
		}
	})
	return list
}

// Corrected is a cell outside the interface (lbm_corrected): Count entries from First on in a list of its faces' places.
type Corrected struct {
	At           int64
	First, Count uint32
}

// Corrected lists the cells of Outside. place returns the place of a face among the sums of fine faces.
func (p Part) Corrected(cells []Outside, place func(Face) int) (list []Corrected, faces []uint32) {
	for _, o := range cells {
		list = append(list, Corrected{int64(p.At(o.Cell)), uint32(len(faces)), uint32(len(o.Faces))})
		for _, f := range o.Faces {
			faces = append(faces, uint32(place(f)))
		}
	}
	return list, faces
}
