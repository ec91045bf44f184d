//go:build cuda

package cuda

import (
	"fmt"
	"math/bits"
	"sync"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// walls is what kernels/gpu/api.h wants to know of a box of cells.
type walls struct {
	blocks []block    // pitch/32 for each interior row z*ny + y
	words  [][]uint32 // of the special cells, of one range of rows each
	count  int        // words in all
	kicks  []float64  // [set][Q]; set 0 is zeros
	mirror [2]bool    // is the face before x = 0, or after the last x, one for the kernels' own hand?
}

// kickSet is the kicks of all directions into one cell.
type kickSet [1 << 5]float64

// findWalls looks at every block of 32 cells. The kernels can treat walls at rest on
// the faces that cut rows off (mirrors) without words for their links.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells model.Cells, mirrors [2]bool) (*walls, error) {
	found, err := device.FindWalls(spec.Lattice, l, periodic, cells, blockCells)
	if err != nil {
		return nil, err
	}
	n, across := l.N, l.Pitch/blockCells
	w := &walls{blocks: make([]block, n[1]*n[2]*across)}
	var drop [2]uint32 // directions out of a face that is mirrored
	for side, x := range []int{-1, n[0]} {
		w.mirror[side] = mirrors[side] && !periodic[0] && atRest(spec.Lattice, cells, x)
		for i, c := range spec.Lattice.Velocities {
			if w.mirror[side] && c[0] == 1-2*side {
				drop[side] |= 1 << i
			}
		}
	}
	// Ranges of rows on all processors: each numbers its own words and sets from 0.
	var parts []*wallPart
	var mu sync.Mutex
	device.InParallel(n[1]*n[2], func(lo, hi int) {
		p := &wallPart{lo: lo, hi: hi, blocks: w.blocks[lo*across : hi*across], drop: drop, ids: map[kickSet]uint32{{}: 0}, sets: make([]kickSet, 1)}
		p.find(found, l, cells)
		mu.Lock()
		parts = append(parts, p)
		mu.Unlock()
	})
	return w, w.join(spec.Lattice.Q(), n[1]*n[2], parts)
}

// atRest tells if all cells of a face x = const are walls at rest. All ranks have to
// find the same, for the order of additions differs by an ulp: they do, because an edge
// belongs to the slower of its walls (geometry.Domain).
func atRest(l model.Lattice, cells model.Cells, x int) bool {
	depth := l.Dims - 2 // in 2D nothing comes from above or below
	for z := -depth; z < cells.N[2]+depth; z++ {
		for y := -1; y <= cells.N[1]; y++ {
			t := cells.At(x, y, z)
			if t == 0 || cells.Velocity[t-1] != [3]float64{} {
				return false
			}
		}
	}
	return true
}

// wallPart is the walls of rows lo to hi.
type wallPart struct {
	lo, hi int
	blocks []block
	drop   [2]uint32
	words  []uint32
	ids    map[kickSet]uint32
	sets   []kickSet
}

func (p *wallPart) find(found *device.Walls, l decomp.Layout, cells model.Cells) {
	ny, across := l.N[1], l.Pitch/blockCells
	for r := p.lo; r < p.hi; r++ {
		y, z := r%ny, r/ny
		for b := 0; b < across; b++ {
			e := &p.blocks[(r-p.lo)*across+b]
			e.first = uint32(len(p.words))
			index := cells.Index(b*blockCells, y, z)
			for near := found.Near(b, y, z); near != 0; near &= near - 1 {
				k := bits.TrailingZeros64(near)
				if b*blockCells+k >= l.N[0] {
					break // a wall behind the end of the row
				}
				x, keep := b*blockCells+k, ^uint32(0)
				if x == 0 {
					keep &^= p.drop[0]
				}
				if x == l.N[0]-1 {
					keep &^= p.drop[1]
				}
				if word := p.word(found, cells, index+k, keep); word != 0 {
					e.mask |= 1 << k
					p.words = append(p.words, word)
				}
			}
		}
	}
}

// word describes one cell, 0 if there is nothing special; keep is the links to look at.
func (p *wallPart) word(found *device.Walls, cells model.Cells, index int, keep uint32) uint32 {
	if cells.Type[index] != 0 {
		return 1 << solidBit
	}
	links := found.Links(index) & keep
	if links == 0 {
		return 0
	}
	var set kickSet
	moving := false
	for rest := links; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		set[i] = found.Kick(index, i)
		moving = moving || set[i] != 0
	}
	if !moving {
		return links
	}
	id, ok := p.ids[set]
	if !ok {
		id = uint32(len(p.sets))
		p.ids[set] = id
		if id < kickSets {
			p.sets = append(p.sets, set)
		}
	}
	return links | id<<kickShift
}

// join numbers the words and the sets of all parts as one.
func (w *walls) join(q, rows int, parts []*wallPart) error {
	ordered := make([]*wallPart, 0, len(parts))
	for next := 0; next < rows; {
		for _, p := range parts {
			if p.lo == next && p.hi > next {
				ordered, next = append(ordered, p), p.hi
				break
			}
		}
	}
	ids := map[kickSet]uint32{{}: 0}
	w.kicks = make([]float64, q)
	for _, p := range ordered {
		number := make([]uint32, len(p.sets))
		for k, set := range p.sets {
			id, ok := ids[set]
			if !ok {
				id = uint32(len(ids))
				ids[set] = id
				w.kicks = append(w.kicks, set[:q]...)
			}
			number[k] = id
		}
		if len(ids) > kickSets || len(p.ids) > kickSets {
			return fmt.Errorf("the moving walls touch their cells in more than %d different ways, which is all that a cell's word can number on a GPU", kickSets-1)
		}
		for i, word := range p.words {
			if set := word >> kickShift & (kickSets - 1); set != 0 && word>>solidBit == 0 {
				p.words[i] = word&(1<<kickShift-1) | number[set]<<kickShift
			}
		}
		for i := range p.blocks {
			p.blocks[i].first += uint32(w.count)
		}
		w.words = append(w.words, p.words)
		w.count += len(p.words)
	}
	if w.count >= 1<<32 {
		return fmt.Errorf("%d cells are solid or at walls, more than a GPU's lists can number", w.count)
	}
	return nil
}
