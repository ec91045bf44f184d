package cpu

import (
	"math/bits"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/device"
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
	found    *device.Walls
}

// findWalls looks at every block of 16 cells and its neighbours.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells model.Cells) (*walls, error) {
	found, err := device.FindWalls(spec.Lattice, l, periodic, cells, kernels.Block)
	if err != nil {
		return nil, err
	}
	n, blocks := l.N, l.Pitch/kernels.Block
	w := &walls{found: found}
	ids := map[string]uint32{}
	for z := 0; z < n[2]; z++ {
		for y := 0; y < n[1]; y++ {
			w.rows = append(w.rows, uint32(len(w.entries)))
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
				if p, kicks, any := pattern(found, cells, b*kernels.Block, y, z); any {
					w.entries = append(w.entries, kernels.Entry{Block: uint32(b), Pattern: w.share(ids, p, kicks)})
				}
			}
		}
	}
	w.rows = append(w.rows, uint32(len(w.entries)))
	return w, nil
}

// pattern describes the block of cells that starts at (x0, y, z).
func pattern(found *device.Walls, cells model.Cells, x0, y, z int) (p kernels.Pattern, kicks []float64, any bool) {
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
			if kick[i][k] = found.Kick(index, i); kick[i][k] != 0 {
				p.Moving |= 1 << i
			}
		}
	}
	for rest := p.Moving; rest != 0; rest &= rest - 1 {
		kicks = append(kicks, kick[bits.TrailingZeros32(rest)][:]...)
	}
	return p, kicks, any
}

// share finds an equal pattern or adds this one. The same kicks may belong to other
// directions of the same cells, as on both sides of a part of a face that moves.
func (w *walls) share(ids map[string]uint32, p kernels.Pattern, kicks []float64) uint32 {
	key := bytesOf(p.Cell[:]) + bytesOf([]uint32{p.Moving}) + bytesOf(kicks)
	id, ok := ids[key]
	if !ok {
		id = uint32(len(w.patterns))
		ids[key] = id
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
