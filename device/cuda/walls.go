// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"math/bits"
	"sync"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// wallBlocks is the description of a box of cells for kernels/gpu/api.h.
type wallBlocks struct {
	blocks   []block    // pitch/32 for each interior row z*ny + y
	words    [][]uint32 // of the cells beside walls, of one range of rows each
	sets     [][]uint32 // for each word the number of its set of momentum sources; nil if all walls are at rest
	count    int        // words in all
	momentum []float64  // [set][Q]; set 0 is zeros
	found    *boundary.Walls
	mirror   [2]bool // models of populations: whether kernels handle the face before x = 0, or after the last x, themselves
	rowEnds  rowEnds // models of moments: content beyond the ends of rows

	// Cells with laws beyond half-way bounce-back; nil: none. A separate kernel computes them after the
	// others, so they have no words.
	special *boundary.Links
}

// momentumSet is the momentum sources of all directions into one cell.
type momentumSet [1 << 5]float64

// findWalls examines every block of 32 cells. On the given sides of x the kernels can treat walls that
// are boundary.Cells.Still without words for their links.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells, sides [2]bool) (*wallBlocks, error) {
	found, err := boundary.FindWalls(spec.Lattice, l, periodic, cells, blockCells)
	if err != nil {
		return nil, err
	}
	n, across := l.N, l.Pitch/blockCells
	w := &wallBlocks{found: found, blocks: make([]block, n[1]*n[2]*across)}
	if w.special, err = found.Special(); err != nil {
		return nil, err
	}
	drop := func(x, y, z int) uint32 { return w.rowEnds.drop(spec.Lattice, n, x, y, z) }
	if spec.Collision.Scheme == model.Moments {
		if !periodic[0] {
			w.rowEnds = findRowEnds(found, l, periodic, sides)
		}
	} else if drop, err = w.mirrors(spec.Lattice, n, cells, sides); err != nil {
		return nil, err
	}
	// Ranges of rows on all processors: each numbers its own words and sets from 0.
	var parts []*wallPart
	var mu sync.Mutex
	parallel.Ranges(n[1]*n[2], func(lo, hi int) {
		p := &wallPart{lo: lo, hi: hi, blocks: w.blocks[lo*across : hi*across], drop: drop, ids: map[momentumSet]uint32{{}: 0}, momentum: make([]momentumSet, 1)}
		p.find(w, l, cells)
		mu.Lock()
		parts = append(parts, p)
		mu.Unlock()
	})
	return w, w.join(spec.Lattice.Q(), n[1]*n[2], parts)
}

// mirrors finds the ends of rows that are at rest in the whole domain, and gives the directions of a
// cell that need no word.
func (w *wallBlocks) mirrors(lattice model.Lattice, n [3]int, cells boundary.Cells, sides [2]bool) (drop func(x, y, z int) uint32, err error) {
	var links [2]uint32
	for side, x := range []int{-1, n[0]} {
		w.mirror[side] = sides[side] && cells.Rest[side]
		if w.mirror[side] && !cells.AtRest(x, lattice.Dims) {
			return nil, fmt.Errorf("the cells say that all before and after the rows is at rest, and at x = %d it is not", x)
		}
		for i, c := range lattice.Velocities {
			if w.mirror[side] && c[0] == 1-2*side {
				links[side] |= 1 << i
			}
		}
	}
	return func(x, _, _ int) (mask uint32) {
		if x == 0 {
			mask = links[0]
		}
		if x == n[0]-1 {
			mask |= links[1]
		}
		return mask
	}, nil
}

// wallPart is the walls of rows lo to hi.
type wallPart struct {
	lo, hi   int
	blocks   []block
	drop     func(x, y, z int) uint32 // directions of a cell that need no word
	words    []uint32
	sets     []uint32 // of the words
	ids      map[momentumSet]uint32
	momentum []momentumSet // by number
}

func (p *wallPart) find(w *wallBlocks, l decomp.Layout, cells boundary.Cells) {
	found, ny, across := w.found, l.N[1], l.Pitch/blockCells
	for r := p.lo; r < p.hi; r++ {
		y, z := r%ny, r/ny
		special := w.special.Of(r)
		for b := 0; b < across; b++ {
			e := &p.blocks[(r-p.lo)*across+b]
			e.first = uint32(len(p.words))
			index := cells.Index(b*blockCells, y, z)
			for near := found.Near(b, y, z); near != 0; near &= near - 1 {
				k := bits.TrailingZeros64(near)
				if b*blockCells+k >= l.N[0] {
					break // a wall behind the end of the row
				}
				x := b*blockCells + k
				if cells.Type[index+k] != 0 {
					e.solid |= 1 << k
					continue
				}
				for len(special) > 0 && int(special[0].X) < x {
					special = special[1:]
				}
				if len(special) > 0 && int(special[0].X) == x {
					continue
				}
				if links := found.Links(index+k) &^ found.Unread(index+k) &^ p.drop(x, y, z); links != 0 {
					e.links |= 1 << k
					p.add(found, index+k, links)
				}
			}
		}
	}
}

// add appends the word of a cell with links to walls.
func (p *wallPart) add(found *boundary.Walls, index int, links uint32) {
	var set momentumSet
	moving := uint32(0)
	for rest := links; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		if set[i] = found.Momentum(index, i); set[i] != 0 {
			moving = 1 << movingBit
		}
	}
	id := uint32(0)
	if moving != 0 {
		var known bool
		if id, known = p.ids[set]; !known {
			id = uint32(len(p.momentum))
			p.ids[set] = id
			p.momentum = append(p.momentum, set)
		}
	}
	p.words = append(p.words, links|moving)
	p.sets = append(p.sets, id)
}

// join numbers the words and the sets of all parts as one.
func (w *wallBlocks) join(q, rows int, parts []*wallPart) error {
	ordered := make([]*wallPart, 0, len(parts))
	for next := 0; next < rows; {
		for _, p := range parts {
			if p.lo == next && p.hi > next {
				ordered, next = append(ordered, p), p.hi
				break
			}
		}
	}
	ids := map[momentumSet]uint32{{}: 0}
	w.momentum = make([]float64, q)
	for _, p := range ordered {
		number := make([]uint32, len(p.momentum))
		for k, set := range p.momentum {
			id, ok := ids[set]
			if !ok {
				id = uint32(len(ids))
				ids[set] = id
				w.momentum = append(w.momentum, set[:q]...)
			}
			number[k] = id
		}
		for i, set := range p.sets {
			p.sets[i] = number[set]
		}
		for i := range p.blocks {
			p.blocks[i].first += uint32(w.count)
		}
		w.words, w.sets = append(w.words, p.words), append(w.sets, p.sets)
		w.count += len(p.words)
	}
	if len(ids) == 1 {
		w.sets = nil
	}
	if w.count >= 1<<32 {
		return fmt.Errorf("%d cells are at walls, more than a GPU's lists can number", w.count)
	}
	return nil
}

// momentsOf turns sets of populations, [set][Q], into their plain moments, [set][M]: the
// sums of f, c_a f and c_a c_b f (model.Lattice.Moments has the order).
func momentsOf(l model.Lattice, sets []float64) []float64 {
	var list []float64
	for ; len(sets) > 0; sets = sets[l.Q():] {
		m := make([]float64, 0, l.Moments())
		sum := func(factor func(c [3]int) int) {
			s := 0.0
			for i, c := range l.Velocities {
				s += float64(factor(c)) * sets[i]
			}
			m = append(m, s)
		}
		sum(func([3]int) int { return 1 })
		for a := range l.Dims {
			sum(func(c [3]int) int { return c[a] })
		}
		for a := range l.Dims {
			sum(func(c [3]int) int { return c[a] * c[a] })
		}
		for a := range l.Dims {
			for b := a + 1; b < l.Dims; b++ {
				sum(func(c [3]int) int { return c[a] * c[b] })
			}
		}
		list = append(list, m...)
	}
	return list
}
