package cpu

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/kernels"
	"lbmsim/model"
)

// walls is the sparse list of blocks of cells that have a wall beside them or are
// not all fluid. Equal blocks share a pattern, so a box with plain walls has a few
// dozen of them, and the list costs eight bytes for each block at a wall.
type walls struct {
	rows     []uint32
	entries  []kernels.Entry
	patterns []kernels.Pattern
	kicks    []float64
	fluid    []int // fluid cells of each row
	found    *boundary.Walls
	special  *boundary.Links // cells with laws beyond half-way bounce-back; nil: none
	kicked   *boundary.Links // of these the ones for which kicks are enough, and ...
	left     *boundary.Links // ... the others
	lawful   []kernels.Kick
	planes   []uint32 // of lawful: see kernels.Kicks
}

// findWalls looks at every block of 16 cells and its neighbours.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (*walls, error) {
	found, err := boundary.FindWalls(spec.Lattice, l, periodic, cells, kernels.Block)
	if err != nil {
		return nil, err
	}
	n, blocks := l.N, l.Pitch/kernels.Block
	w := &walls{found: found}
	if w.special, err = found.Special(); err != nil {
		return nil, err
	}
	w.kicked, w.left = found.Split(w.special)
	ids := map[string]uint32{}
	for z := 0; z < n[2]; z++ {
		kicks := make([][]kernels.Kick, len(spec.Lattice.Velocities)) // of the plane, by direction
		for y := 0; y < n[1]; y++ {
			w.rows = append(w.rows, uint32(len(w.entries)))
			lawful := w.kicked.Of(z*n[1] + y)
			fluid := 0
			for _, t := range cells.Type[cells.Index(0, y, z):][:n[0]] {
				if t == 0 {
					fluid++
				}
			}
			w.fluid = append(w.fluid, fluid)
			for b := 0; b < blocks; b++ {
				if (b+1)*kernels.Block <= n[0] && found.Plain(b, y, z) {
					continue
				}
				own := 0 // of the row's cells those of the block
				for own < len(lawful) && int(lawful[own].X) < (b+1)*kernels.Block {
					own++
				}
				p, constant, any := pattern(found, cells, b*kernels.Block, y, z, w.moving(lawful[:own]))
				if any {
					id := w.share(ids, p, constant, own > 0)
					w.entries = append(w.entries, kernels.Entry{Block: uint32(b), Pattern: id})
					w.place(kicks, w.patterns[id], lawful[:own])
				}
				lawful = lawful[own:]
			}
		}
		for _, of := range kicks {
			w.planes = append(w.planes, uint32(len(w.lawful)))
			w.lawful = append(w.lawful, of...)
		}
	}
	if most := max(len(w.kicks), len(w.lawful), len(w.patterns)); most > math.MaxUint32 {
		return nil, fmt.Errorf("%d numbers of links to curved walls are more than the lists can number: cut the domain for more ranks", most)
	}
	w.planes = append(w.planes, uint32(len(w.lawful)))
	w.rows = append(w.rows, uint32(len(w.entries)))
	return w, nil
}

// each visits the links of a cell whose law is more than half-way bounce-back at rest.
func (w *walls) each(c boundary.LinkCell, visit func(direction int, law uint32)) {
	at := c.First
	for rest := c.Links; rest != 0; rest &= rest - 1 {
		law := w.special.List[at]
		at++
		if l := w.special.Laws[law]; int(law) >= w.special.Steady || l.A != 1 || l.B != 0 || l.C != 0 || l.K != 0 {
			visit(bits.TrailingZeros32(rest), law)
		}
	}
}

// moving has, for each cell of a block, the directions whose kicks follow from the state.
func (w *walls) moving(lawful []boundary.LinkCell) (set [kernels.Block]uint32) {
	for _, c := range lawful {
		w.each(c, func(i int, _ uint32) { set[c.X%kernels.Block] |= 1 << i })
	}
	return set
}

// place lists the links of cells of a block with that pattern.
func (w *walls) place(kicks [][]kernels.Kick, p kernels.Pattern, lawful []boundary.LinkCell) {
	for _, c := range lawful {
		w.each(c, func(i int, law uint32) {
			at := p.Kicks + uint64(bits.OnesCount32(p.Moving&(1<<i-1))*kernels.Block+int(c.X)%kernels.Block)
			kicks[i] = append(kicks[i], kernels.Kick{X: c.X, Row: c.Row, Law: law, Kick: uint32(at)})
		})
	}
}

// pattern describes the block of cells that starts at (x0, y, z); moving are directions of its
// cells whose kicks follow from the state.
func pattern(found *boundary.Walls, cells boundary.Cells, x0, y, z int, moving [kernels.Block]uint32) (p kernels.Pattern, kicks []float64, any bool) {
	var kick [32][kernels.Block]float64
	for k := range p.Cell {
		x := x0 + k
		if x >= cells.N[0] || cells.At(x, y, z) != 0 {
			p.Cell[k], any = 1<<kernels.Solid, true
			continue
		}
		index := cells.Index(x, y, z)
		p.Cell[k] = found.Links(index)
		p.Links |= p.Cell[k]
		any = any || p.Cell[k] != 0
		for rest := p.Cell[k]; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			if moving[k]>>i&1 != 0 {
				p.Moving |= 1 << i
			} else if kick[i][k] = found.Kick(index, i); kick[i][k] != 0 {
				p.Moving |= 1 << i
			}
		}
	}
	for rest := p.Moving; rest != 0; rest &= rest - 1 {
		kicks = append(kicks, kick[bits.TrailingZeros32(rest)][:]...)
	}
	return p, kicks, any
}

// share finds an equal pattern or adds this one, and adds it in any case if its kicks are its own.
// The same kicks may belong to other directions of the same cells, as on both sides of a part of
// a face that moves.
func (w *walls) share(ids map[string]uint32, p kernels.Pattern, kicks []float64, own bool) uint32 {
	key := ""
	if !own {
		key = bytesOf(p.Cell[:]) + bytesOf([]uint32{p.Moving}) + bytesOf(kicks)
	}
	id, ok := ids[key]
	if !ok {
		id = uint32(len(w.patterns))
		if !own {
			ids[key] = id
		}
		p.Kicks = uint64(len(w.kicks))
		w.patterns = append(w.patterns, p)
		w.kicks = append(w.kicks, kicks...)
	}
	return id
}

// bytesOf is the memory image of a slice of numbers.
func bytesOf[T uint32 | float64](s []T) string {
	if len(s) == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}
