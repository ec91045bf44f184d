// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"fmt"
	"math"
	"math/bits"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/internal/raw"
	"lbmsim/kernels"
	"lbmsim/model"
)

// wallBlocks is the sparse list of blocks of cells that have a wall beside them or are not all
// fluid. Equal blocks share a pattern, so a box with plain walls has a few dozen patterns, and the
// list needs eight bytes per block at a wall.
type wallBlocks struct {
	rows      []uint32
	entries   []kernels.Entry
	patterns  []kernels.Pattern
	momentum  []float64
	fluid     []int    // fluid cells of each row that sums have
	uncounted []uint32 // boundary.Patch.Uncounted
	found     *boundary.Walls
	special   *boundary.Links // cells with laws beyond half-way bounce-back; nil: none
	left      *boundary.Links // special cells computed by a separate kernel
	timed     []timedMomentum
}

// timedMomentum is a time-dependent law of a link, and the index of its momentum source.
type timedMomentum struct {
	law uint32
	at  uint64
}

// findWalls examines every block of 16 cells and its neighbours.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (*wallBlocks, error) {
	found, err := boundary.FindWalls(spec.Lattice, l, periodic, cells, kernels.Block)
	if err != nil {
		return nil, err
	}
	n, blocks := l.N, l.Pitch/kernels.Block
	w := &wallBlocks{found: found, uncounted: cells.Patch.Uncounted(l.N, cells.Origin, l.Pitch)}
	if w.special, err = found.Special(); err != nil {
		return nil, err
	}
	plain, left := found.Split(w.special)
	w.left = left
	ids := map[string]uint32{}
	for z := 0; z < n[2]; z++ {
		for y := 0; y < n[1]; y++ {
			first, err := listIndex(len(w.entries))
			if err != nil {
				return nil, err
			}
			w.rows = append(w.rows, first)
			lawful := plain.Of(z*n[1] + y)
			fluid := 0
			for x, t := range cells.Type[cells.Index(0, y, z):][:n[0]] {
				if t == 0 && (w.uncounted == nil || w.uncounted[(z*n[1]+y)*(l.Pitch/32)+x/32]>>(x%32)&1 == 0) {
					fluid++
				}
			}
			w.fluid = append(w.fluid, fluid)
			for b := 0; b < blocks; b++ {
				if (b+1)*kernels.Block <= n[0] && found.Plain(b, y, z) {
					continue
				}
				own := 0 // number of the row's cells in the block
				for own < len(lawful) && int(lawful[own].X) < (b+1)*kernels.Block {
					own++
				}
				if p, numbers, any := w.pattern(cells, b*kernels.Block, y, z, lawful[:own]); any {
					id, err := w.share(ids, p, numbers, own > 0)
					if err != nil {
						return nil, err
					}
					w.entries = append(w.entries, kernels.Entry{Block: uint32(b), Pattern: id})
					w.follow(w.patterns[id], lawful[:own])
				}
				lawful = lawful[own:]
			}
		}
	}
	last, err := listIndex(len(w.entries))
	w.rows = append(w.rows, last)
	return w, err
}

// listIndex returns n as an index of the kernels' lists, which have 32 bits.
func listIndex(n int) (uint32, error) {
	if n > math.MaxUint32 {
		return 0, fmt.Errorf("the blocks of cells at walls of a rank exceed the 32-bit indices of their lists: use more ranks")
	}
	return uint32(n), nil
}

// each visits the links of a cell whose law is more than half-way bounce-back at rest.
func (w *wallBlocks) each(c boundary.LinkCell, visit func(direction int, law uint32)) {
	at := c.First
	for rest := c.Links; rest != 0; rest &= rest - 1 {
		law := w.special.List[at]
		at++
		if l := w.special.Laws[law]; int(law) >= w.special.Steady || l.A != 1 || l.B != 0 || l.C != 0 || l.K != 0 {
			visit(bits.TrailingZeros32(rest), law)
		}
	}
}

// follow records the time-dependent momentum sources of a block with that pattern.
func (w *wallBlocks) follow(p kernels.Pattern, lawful []boundary.LinkCell) {
	for _, c := range lawful {
		w.each(c, func(i int, law uint32) {
			if int(law) >= w.special.Steady {
				n := bits.OnesCount32(p.Moving & (1<<i - 1))
				w.timed = append(w.timed, timedMomentum{law, p.WallMomentum + uint64(n*kernels.Block+int(c.X)%kernels.Block)})
			}
		})
	}
}

// wallMomentum is Case.WallMomentum, of the arithmetic's type.
type wallMomentum struct {
	single []float32
	double []float64
	timed  []timedMomentum
}

// advance updates the sources that change with time.
func (m *wallMomentum) advance(l *boundary.Links) {
	parallel.Ranges(len(m.timed), func(lo, hi int) {
		for _, t := range m.timed[lo:hi] {
			if v := l.Laws[t.law].K; m.double != nil {
				m.double[t.at] = v
			} else {
				m.single[t.at] = float32(v)
			}
		}
	})
}

// pattern describes the block of cells that starts at (x0, y, z), of which some have links with laws.
func (w *wallBlocks) pattern(cells boundary.Cells, x0, y, z int, lawful []boundary.LinkCell) (p kernels.Pattern, numbers []float64, any bool) {
	var momentum, share [32][kernels.Block]float64
	for k := range p.Cell {
		x := x0 + k
		if x >= cells.N[0] || cells.At(x, y, z) != 0 {
			p.Cell[k], any = 1<<kernels.Solid, true
			continue
		}
		index := cells.Index(x, y, z)
		p.Cell[k] = w.found.Links(index)
		p.Links |= p.Cell[k]
		any = any || p.Cell[k] != 0
		var own uint32
		if len(lawful) > 0 && int(lawful[0].X) == x {
			w.each(lawful[0], func(i int, number uint32) {
				own |= 1 << i
				law := w.special.Laws[number]
				if momentum[i][k] = law.K; law.K != 0 || int(number) >= w.special.Steady {
					p.Moving |= 1 << i
				}
				if share[i][k] = law.B - law.C; share[i][k] != 0 {
					p.Curved |= 1 << i
				}
				if law.C != 0 {
					p.Beyond |= 1 << i
				}
			})
			lawful = lawful[1:]
		}
		for rest := p.Cell[k] &^ own; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			if momentum[i][k] = w.found.Momentum(index, i); momentum[i][k] != 0 {
				p.Moving |= 1 << i
			}
		}
	}
	for rest := p.Moving; rest != 0; rest &= rest - 1 {
		numbers = append(numbers, momentum[bits.TrailingZeros32(rest)][:]...)
	}
	for rest := p.Curved; rest != 0; rest &= rest - 1 {
		numbers = append(numbers, share[bits.TrailingZeros32(rest)][:]...)
	}
	return p, numbers, any
}

// share finds an equal pattern or adds this one; it always adds a pattern with its own momentum sources.
// Equal sources may belong to other directions of the same cells, as on both sides of a moving part of a
// face.
func (w *wallBlocks) share(ids map[string]uint32, p kernels.Pattern, momentum []float64, own bool) (uint32, error) {
	key := ""
	if !own {
		key = string(raw.Bytes(p.Cell[:])) + string(raw.Bytes([]uint32{p.Moving})) + string(raw.Bytes(momentum))
	}
	id, ok := ids[key]
	if !ok {
		var err error
		if id, err = listIndex(len(w.patterns)); err != nil {
			return 0, err
		}
		if !own {
			ids[key] = id
		}
		p.WallMomentum = uint64(len(w.momentum))
		w.patterns = append(w.patterns, p)
		w.momentum = append(w.momentum, momentum...)
	}
	return id, nil
}
