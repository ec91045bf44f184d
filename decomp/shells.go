// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Messages between ranks for levels and for patches of a level. Every rank derives its part alone from the boxes: the
// exchanged cells are boxes between a part of one patch and a part of another, and only their surfaces are ever listed.

// Passing is a kind of data exchanged between levels or patches. All are items of one size: a cell's values, or sums at a face.
type Passing int

const (
	Shells   Passing = iota // cells of a level that interpolation to the next one reads, to the rank with the overlap cells
	Means                   // mirror cells of a level, from the rank with the children to the rank with the cell
	Fluxes                  // faces of a level, from the rank with the covered cell's children to the rank with the other cell
	Siblings                // cells of a level that overlap cells of its other patches, or of images, are copies of
	passings
)

// Traffic is a rank's part in one kind of data at one level. Its buffer has a slot per item. First come the items that the rank
// needs, its own and other ranks' alike, in an order independent of ranks: of faces by axis and side, then by the patch of the level,
// z, y and x of the cell in the domain. Those for other ranks follow, by rank and in the same order. A rank writes the items
// that it has (Sources) and the others arrive.
type Traffic struct {
	Tag   int    // of its messages, in both directions: no other kind or level has it, nor has a Link
	Needs int    // items that the rank needs
	Slots int    // items of the buffer
	Peers []Peer // other ranks with which it exchanges, by rising Rank
	rank  int
	needs items
	sends []items // by peer
	level Level
}

// Peer is a rank with the slots of the items it sends and receives. Either may be empty, not both.
type Peer struct {
	Rank int
	Recv []Range // rising
	Send Range
}

// Item is a cell, or a face of the kind Fluxes.
type Item struct {
	Patch      int    // of the level, that owns Cell
	Cell       [3]int // in the domain; of a face Face.Cell
	Axis, Side int    // of a face; otherwise 0
}

// Traffic lists the items of a kind that a rank sends and receives. The level is the coarser one of two, and has traffic only to siblings if it
// is the finest.
func (h *Hierarchy) Traffic(kind Passing, level, rank int) *Traffic {
	t := &Traffic{Tag: listedTag + 1 + level*int(passings) + int(kind), rank: rank, level: h.Levels[level]}
	flows := h.flows(kind, level)
	ranks := h.Levels[0].Patches[0].Plan.Ranks()
	got, sent := make([][]Range, ranks), make([][]piece, ranks)
	var pieces []piece
	for _, f := range flows {
		need, have := f.to(rank), f.from(rank)
		if need.Cells()+have.Cells() == 0 {
			continue
		}
		for r := range ranks {
			if b := need.intersect(f.from(r)); b.Cells() > 0 {
				pieces = append(pieces, piece{f.key, b, r})
			}
			if b := have.intersect(f.to(r)); r != rank && b.Cells() > 0 {
				sent[r] = append(sent[r], piece{f.key, b, rank})
			}
		}
	}
	t.needs = newItems(pieces)
	t.Needs = t.needs.count
	for _, s := range t.needs.runs {
		lo, hi := int(s.place), int(s.place+s.hi-s.lo)
		if list := got[s.from]; len(list) > 0 && list[len(list)-1].Hi == lo {
			list[len(list)-1].Hi = hi
		} else {
			got[s.from] = append(list, Range{lo, hi})
		}
	}
	t.Slots = t.Needs
	for r := range ranks {
		if r == rank || len(got[r])+len(sent[r]) == 0 {
			continue
		}
		s := newItems(sent[r])
		t.Peers = append(t.Peers, Peer{Rank: r, Recv: got[r], Send: Range{t.Slots, t.Slots + s.count}})
		t.sends = append(t.sends, s)
		t.Slots += s.count
	}
	return t
}

// Place returns the slot of a cell of the domain that the rank needs, -1 if the rank does not need it.
func (t *Traffic) Place(cell [3]int) int {
	place, _ := t.needs.place(0, len(t.level.Patches), cell)
	return place
}

// FacePlace returns the slot of a face that the rank needs, -1 if the rank does not need it.
func (t *Traffic) FacePlace(f Face) int {
	lo, hi := t.facing(f)
	place, _ := t.needs.place(lo, hi, f.Cell)
	return place
}

// Source returns the slot to which the rank writes a cell that it has, for the rank that needs it: of the kind Means, where that is
// one rank. -1: the rank does not have it.
func (t *Traffic) Source(cell [3]int) int { return t.source(0, len(t.level.Patches), cell) }

// FaceSource returns the slot to which the rank writes a face whose children it has. -1: the rank does not have them.
func (t *Traffic) FaceSource(f Face) int {
	lo, hi := t.facing(f)
	return t.source(lo, hi, f.Cell)
}

// facing returns the keys of faces in the direction of a face.
func (t *Traffic) facing(f Face) (lo, hi int) {
	lo = facing(f.Axis, f.Side) * len(t.level.Patches)
	return lo, lo + len(t.level.Patches)
}

func (t *Traffic) source(lo, hi int, cell [3]int) int {
	if place, from := t.needs.place(lo, hi, cell); from == t.rank {
		return place
	}
	for k, s := range t.sends {
		if place, _ := s.place(lo, hi, cell); place >= 0 {
			return t.Peers[k].Send.Lo + place
		}
	}
	return -1
}

// Needed visits the items that the rank needs by rising slot, and the ranks that have them.
func (t *Traffic) Needed(visit func(i Item, slot, from int)) { t.each(t.needs, 0, visit) }

// Sources visits the items that the rank has, by rising slot: those that it needs itself, then those for other ranks. An item is
// visited for each rank that needs it.
func (t *Traffic) Sources(visit func(i Item, slot int)) {
	t.Needed(func(i Item, slot, from int) {
		if from == t.rank {
			visit(i, slot)
		}
	})
	for k, s := range t.sends {
		t.each(s, t.Peers[k].Send.Lo, func(i Item, slot, _ int) { visit(i, slot) })
	}
}

// each visits a set whose first slot is given.
func (t *Traffic) each(s items, first int, visit func(i Item, slot, from int)) {
	for _, sheet := range s.sheets {
		i := Item{Patch: sheet.key % len(t.level.Patches)}
		if d := sheet.key / len(t.level.Patches); d > 0 {
			i.Axis, i.Side = (d-1)/2, (d-1)%2*2-1
		}
		row := 0
		for i.Cell[2] = sheet.area.Lo[2]; i.Cell[2] < sheet.area.Hi[2]; i.Cell[2]++ {
			for i.Cell[1] = sheet.area.Lo[1]; i.Cell[1] < sheet.area.Hi[1]; i.Cell[1]++ {
				for _, r := range s.runs[sheet.first[row]:sheet.first[row+1]] {
					for x := r.lo; x < r.hi; x++ {
						i.Cell[0] = int(x)
						visit(i, first+int(r.place+x-r.lo), int(r.from))
					}
				}
				row++
			}
		}
	}
}

// flow is items of one key between two patches: boxes of a level's cells in the domain that a rank needs, or has.
type flow struct {
	key      int // patch of the level, plus facing times their number
	to, from func(rank int) Box
}

// facing numbers the directions of faces from 1.
func facing(axis, side int) int { return 1 + 2*axis + (side+1)/2 }

// flows returns all flows of a kind, on any rank.
func (h *Hierarchy) flows(kind Passing, level int) []flow {
	switch {
	case kind == Siblings:
		return h.copies(level)
	case level+1 == len(h.Levels):
		return nil
	case kind == Means:
		return h.means(level)
	case kind == Fluxes:
		return h.fluxes(level)
	}
	return h.reads(level)
}

// reads returns the flows of the cells of a level that interpolation to the next one reads.
func (h *Hierarchy) reads(level int) (list []flow) {
	for k, overlap := range h.interpolated(level + 1) {
		p := h.Levels[level+1].Patches[k]
		for _, o := range overlap {
			h.onto(level, h.stencils(level, o), func(k int, b Box, by [3]int) {
				q := h.Levels[level].Patches[k]
				list = append(list, flow{key: k, from: q.Part, to: func(rank int) Box {
					part := o.intersect(p.Part(rank))
					if part.Cells() == 0 {
						return Box{}
					}
					return b.intersect(h.stencils(level, part).moved(by))
				}})
			})
		}
	}
	return list
}

// stencils returns the cells of a level that interpolation to a box of the next one reads: those within one cell of the parents,
// and the cells that Inwards names in place of those beyond the domain. It may reach beyond periodic ends.
func (h *Hierarchy) stencils(level int, fine Box) Box {
	b := h.parents(fine)
	for a := range h.dims {
		n := h.Levels[level].N[a]
		b.Lo[a]--
		b.Hi[a]++
		if h.Periodic[a] {
			continue
		}
		below, above := b.Lo[a] < 0, b.Hi[a] > n
		b.Lo[a], b.Hi[a] = max(b.Lo[a], 0), min(b.Hi[a], n)
		if below {
			b.Hi[a] = max(b.Hi[a], narrowest)
		}
		if above {
			b.Lo[a] = min(b.Lo[a], n-narrowest)
		}
	}
	return b
}

// parents returns the cells of a level with some child in a box of the next one.
func (h *Hierarchy) parents(b Box) Box {
	for a := range h.dims {
		b.Lo[a], b.Hi[a] = b.Lo[a]>>1, (b.Hi[a]+1)>>1
	}
	return b
}

// onto visits the parts of a box of a level, which may reach beyond periodic ends, that patches own: moved by so many cells into the
// domain.
func (h *Hierarchy) onto(level int, box Box, visit func(patch int, b Box, by [3]int)) {
	for k, p := range h.Levels[level].Patches {
		for _, image := range h.images(p.Owned, h.Levels[level].N) {
			by := minus(p.Owned.Lo, image.Lo)
			if b := box.intersect(image); b.Cells() > 0 {
				visit(k, b.moved(by), by)
			}
		}
	}
}

// means returns the flows of mirror cells.
func (h *Hierarchy) means(level int) (list []flow) {
	covered := h.coveredImages(level)
	for _, p := range h.Levels[level+1].Patches {
		parents := h.parents(p.Owned)
		for _, u := range h.uncovered(level, parents, covered) {
			h.onto(level, parents.intersect(h.mirrored(level, u)), func(k int, b Box, _ [3]int) {
				q := h.Levels[level].Patches[k]
				list = append(list, flow{
					key:  k,
					to:   func(rank int) Box { return b.intersect(q.Part(rank)) },
					from: func(rank int) Box { return b.intersect(h.owners(p, rank)) },
				})
			})
		}
	}
	return list
}

// coveredImages returns the boxes of cells of a level that have children, and their images.
func (h *Hierarchy) coveredImages(level int) (list []Box) {
	for _, p := range h.Levels[level+1].Patches {
		list = append(list, h.images(h.parents(p.Owned), h.Levels[level].N)...)
	}
	return list
}

// uncovered returns the cells near a covered box that have no children: of periodic axes the images beside it, of others those near
// enough to a wall for the box to take part in an extrapolation to it (Role).
func (h *Hierarchy) uncovered(level int, box Box, covered []Box) []Box {
	for a := range h.dims {
		if h.Periodic[a] {
			box.Lo[a], box.Hi[a] = box.Lo[a]-1, box.Hi[a]+1
		} else {
			box.Lo[a], box.Hi[a] = max(box.Lo[a]-narrowest+1, 0), min(box.Hi[a]+narrowest-1, h.Levels[level].N[a])
		}
	}
	list := []Box{box}
	for _, c := range covered {
		list = subtract(list, c)
	}
	return list
}

// mirrored returns the cells that are mirror cells, if covered, because of uncovered ones: their neighbours, and the third cell
// from a wall with the first. Role has the same rule from the mirror cell's point of view.
func (h *Hierarchy) mirrored(level int, uncovered Box) Box {
	b := uncovered
	for a := range h.dims {
		n := h.Levels[level].N[a]
		b.Lo[a]--
		b.Hi[a]++
		if h.Periodic[a] {
			continue
		}
		if uncovered.Lo[a] == 0 {
			b.Hi[a] = max(b.Hi[a], narrowest)
		}
		if uncovered.Hi[a] == n {
			b.Lo[a] = min(b.Lo[a], n-narrowest)
		}
	}
	return b
}

// owners returns the cells whose children a rank stores as owned cells of a patch.
func (h *Hierarchy) owners(p Patch, rank int) Box {
	b := p.Owned.intersect(p.Part(rank))
	if b.Cells() == 0 {
		return Box{}
	}
	return h.parents(b) // cuts lie between parents
}

// fluxes returns the flows of faces.
func (h *Hierarchy) fluxes(level int) (list []flow) {
	covered := h.coveredImages(level)
	patches := len(h.Levels[level].Patches)
	for _, p := range h.Levels[level+1].Patches {
		for axis := range h.dims {
			for side := -1; side <= 1; side += 2 {
				beside := h.parents(p.Owned)
				if side < 0 {
					beside.Lo[axis], beside.Hi[axis] = beside.Lo[axis]-1, beside.Lo[axis]
				} else {
					beside.Lo[axis], beside.Hi[axis] = beside.Hi[axis], beside.Hi[axis]+1
				}
				open := []Box{beside}
				for _, c := range covered {
					open = subtract(open, c)
				}
				for _, o := range open {
					h.onto(level, o, func(k int, b Box, by [3]int) {
						q := h.Levels[level].Patches[k]
						by[axis] += side // from the covered cell to the other one, in the domain
						list = append(list, flow{
							key:  facing(axis, side)*patches + k,
							to:   func(rank int) Box { return b.intersect(q.Part(rank)) },
							from: func(rank int) Box { return b.intersect(h.owners(p, rank).moved(by)) },
						})
					})
				}
			}
		}
	}
	return list
}

// copies returns the flows of cells that overlap cells of a level are copies of.
func (h *Hierarchy) copies(level int) (list []flow) {
	for _, p := range h.Levels[level].Patches {
		for _, o := range subtract([]Box{p.Stored}, p.Owned) {
			h.onto(level, o, func(k int, b Box, by [3]int) {
				q := h.Levels[level].Patches[k]
				list = append(list, flow{
					key:  k,
					to:   func(rank int) Box { return b.intersect(p.Part(rank).moved(by)) },
					from: func(rank int) Box { return b.intersect(q.Part(rank)) },
				})
			})
		}
	}
	return list
}
