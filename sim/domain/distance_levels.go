// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"encoding/binary"
	"math"
	"slices"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/sim/rank"
)

// Distances to walls on a refined grid: of each cell's centre to the nearest of the walls' cells, which are of the finest level in their
// places. Lines of cells have no single spacing, so these cells are searched instead, in a tree of boxes. Coordinates are
// whole numbers of half a cell of the finest level.

// LevelDistances sets Distance of this rank's parts of a refined grid, in cells of each part's level, in their owned cells; +Inf in a domain
// without walls. Collective.
func LevelDistances(on *rank.Rank, h *decomp.Hierarchy, parts []*Part, owned []decomp.Box) error {
	var own []byte
	for i, p := range parts {
		own = appendWalls(own, p, h, owned[i])
	}
	all, err := comm.Gather(on.Comm, own)
	if err != nil {
		return err
	}
	list, err := comm.Broadcast(on.Comm, slices.Concat(all...))
	if err != nil {
		return err
	}
	tree := &wallTree{dims: h.Dims()}
	for ; len(list) > 0; list = list[wallBytes:] {
		level, b := int(int32(binary.LittleEndian.Uint32(list))), span{}
		for a := range h.Dims() {
			k := int32(binary.LittleEndian.Uint32(list[4+4*a:]))
			b.lo[a], b.hi[a] = k<<halves(h, level), (k+1)<<halves(h, level)
		}
		tree.boxes = append(tree.boxes, b)
	}
	if len(tree.boxes) > 0 {
		tree.build(0, len(tree.boxes))
	}
	for i, p := range parts {
		p.Distance = make([]float32, p.Box.Cells())
		if err := searchWalls(on, p, h, owned[i], tree); err != nil {
			return err
		}
	}
	return nil
}

// halves returns the logarithm of the size of a level's cell in halves of the finest.
func halves(h *decomp.Hierarchy, level int) int { return len(h.Levels) - level }

// wallBytes is the size of a wall's cell in a message: its level and place.
const wallBytes = 16

// appendWalls appends a part's cells of no-slip walls beside others, those behind the domain's faces included, that no finer level
// covers.
func appendWalls(list []byte, p *Part, h *decomp.Hierarchy, owned decomp.Box) []byte {
	if owned.Cells() == 0 {
		return list
	}
	box, from := p.withFaces(owned), p.Box.Lo
	wall := func(x, y, z int) bool { return NoSlip(p.Cells, p.Cells.At(x-from[0], y-from[1], z-from[2])) }
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			for x := box.Lo[0]; x < box.Hi[0]; x++ {
				if !wall(x, y, z) {
					continue
				}
				at, inside := [3]int{x, y, z}, true
				for a := range h.Dims() {
					for _, d := range []int{-1, 1} {
						b := at
						if b[a] += d; b[a] >= from[a]-1 && b[a] <= p.Box.Hi[a] { // the part has a layer of cells around it
							inside = inside && wall(b[0], b[1], b[2])
						}
					}
				}
				in := at
				for a := range in {
					in[a] = min(max(at[a], owned.Lo[a]), owned.Hi[a]-1)
				}
				if inside || h.Covered(p.level, in) {
					continue
				}
				for _, k := range []int{p.level, x, y, z} {
					list = binary.LittleEndian.AppendUint32(list, uint32(int32(k)))
				}
			}
		}
	}
	return list
}

// searchWalls sets the distances of the owned cells of a part.
func searchWalls(on *rank.Rank, p *Part, h *decomp.Hierarchy, owned decomp.Box, tree *wallTree) error {
	if owned.Cells() == 0 {
		return nil
	}
	box, n := p.Local(owned), owned.Size()
	whole, size := h.Levels[len(h.Levels)-1].N, halves(h, p.level)
	return on.Share(n[1]*n[2], func(lo, hi int) error {
		for row := lo; row < hi; row++ {
			y, z := box.Lo[1]+row%n[1], box.Lo[2]+row/n[1]
			for x := box.Lo[0]; x < box.Hi[0]; x++ {
				cell := (z*p.Layout.N[1]+y)*p.Layout.N[0] + x
				if NoSlip(p.Cells, p.Cells.At(x, y, z)) {
					continue
				}
				var at, period [3]int32
				for a, k := range p.Global([3]int{x, y, z}) {
					if a < h.Dims() {
						at[a] = int32(2*k+1) << (size - 1)
						if h.Periodic[a] {
							period[a] = int32(2 * whole[a])
						}
					}
				}
				p.Distance[cell] = float32(math.Inf(1))
				if d := tree.nearest(at, period); d < math.MaxInt64 {
					p.Distance[cell] = float32(math.Sqrt(float64(d)) / float64(int(1)<<size))
				}
			}
		}
		return nil
	})
}

// span is a box of half cells.
type span struct{ lo, hi [3]int32 }

// away returns the squared distance of a point from a box.
func (b span) away(at [3]int32) (d int64) {
	for a, x := range at {
		k := int64(max(b.lo[a]-x, x-b.hi[a], 0))
		d += k * k
	}
	return d
}

// wallTree is a tree of boxes; each half of a node's boxes is a child node.
type wallTree struct {
	dims  int
	boxes []span
	nodes []wallNode
}

// wallNode is the boxes from one number to another in a common box; more than fewBoxes have two nodes below.
type wallNode struct {
	span
	from, to, left, right int
}

// fewBoxes are searched one by one.
const fewBoxes = 8

// build makes the node of some boxes, which it sorts, and returns its number.
func (t *wallTree) build(from, to int) int {
	list, k := t.boxes[from:to], len(t.nodes)
	whole := list[0]
	for _, b := range list {
		for a := range b.lo {
			whole.lo[a], whole.hi[a] = min(whole.lo[a], b.lo[a]), max(whole.hi[a], b.hi[a])
		}
	}
	t.nodes = append(t.nodes, wallNode{span: whole, from: from, to: to})
	if len(list) <= fewBoxes {
		return k
	}
	axis := 0
	for a := range t.dims {
		if whole.hi[a]-whole.lo[a] > whole.hi[axis]-whole.lo[axis] {
			axis = a
		}
	}
	slices.SortFunc(list, func(a, b span) int { return int(a.lo[axis]) - int(b.lo[axis]) })
	middle := (from + to) / 2
	left := t.build(from, middle)
	right := t.build(middle, to)
	t.nodes[k].left, t.nodes[k].right = left, right
	return k
}

// nearest returns the squared distance of a point to the nearest box, or to an image of it where an axis has a period;
// math.MaxInt64: there is no box.
func (t *wallTree) nearest(at, period [3]int32) int64 {
	best := int64(math.MaxInt64)
	if len(t.boxes) == 0 {
		return best
	}
	best = t.search(0, at, best)
	for image := range 27 {
		moved, other := at, false
		for a, k := range [3]int{image%3 - 1, image/3%3 - 1, image/9 - 1} {
			moved[a] += int32(k) * period[a]
			other = other || k != 0 && period[a] == 0
		}
		if !other {
			best = t.search(0, moved, best)
		}
	}
	return best
}

// search returns the smaller of best and the squared distance to the nearest box of a node.
func (t *wallTree) search(node int, at [3]int32, best int64) int64 {
	n := &t.nodes[node]
	if n.away(at) >= best {
		return best
	}
	if n.right == 0 {
		for _, b := range t.boxes[n.from:n.to] {
			best = min(best, b.away(at))
		}
		return best
	}
	first, second := n.left, n.right
	if t.nodes[second].away(at) < t.nodes[first].away(at) {
		first, second = second, first
	}
	return t.search(second, at, t.search(first, at, best))
}
