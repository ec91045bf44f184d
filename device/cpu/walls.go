package cpu

import (
	"fmt"
	"unsafe"

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
}

// findWalls looks at every block of 16 cells and its neighbours.
func findWalls(spec model.Spec, l decomp.Layout, periodic [3]bool, cells model.Cells) (*walls, error) {
	if err := checkFaces(spec.Lattice, l, periodic, cells); err != nil {
		return nil, err
	}
	n, blocks := l.N, l.Pitch/kernels.Block
	w := &walls{}
	ids := map[string]uint32{}
	special := specialBlocks(n, blocks, cells)
	row := func(y, z int) []bool { return special[((z+1)*(n[1]+2)+y+1)*blocks:][:blocks] }
	depth := 0
	if spec.Lattice.Dims == 3 {
		depth = 1
	}
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
				plain := (b+1)*kernels.Block <= n[0]
				for dz := -depth; dz <= depth && plain; dz++ {
					plain = !row(y-1, z+dz)[b] && !row(y, z+dz)[b] && !row(y+1, z+dz)[b]
				}
				if plain {
					continue
				}
				if p, kicks, any := pattern(spec.Lattice, cells, b*kernels.Block, y, z); any {
					w.entries = append(w.entries, kernels.Entry{Block: uint32(b), Pattern: w.share(ids, p, kicks)})
				}
			}
		}
	}
	w.rows = append(w.rows, uint32(len(w.entries)))
	return w, nil
}

// specialBlocks tells for each row of the box and its layer, block by block, if
// some cell of the block or next to it in x is solid.
func specialBlocks(n [3]int, blocks int, cells model.Cells) []bool {
	special := make([]bool, (n[2]+2)*(n[1]+2)*blocks)
	for r := 0; r < (n[2]+2)*(n[1]+2); r++ {
		row := cells.Type[r*(n[0]+2):][:n[0]+2] // x = -1 to n
		for i, t := range row {
			if t != 0 {
				for x := i - 2; x <= i; x++ {
					if x >= 0 && x < blocks*kernels.Block {
						special[r*blocks+x/kernels.Block] = true
					}
				}
			}
		}
	}
	return special
}

// pattern describes the block of cells that starts at (x0, y, z).
func pattern(l model.Lattice, cells model.Cells, x0, y, z int) (p kernels.Pattern, kicks []float64, any bool) {
	var kick [32][kernels.Block]float64
	for k := range p.Cell {
		x := x0 + k
		if x >= cells.N[0] || cells.At(x, y, z) != 0 {
			p.Cell[k], any = 1<<kernels.Solid, true
			continue
		}
		for i, c := range l.Velocities {
			t := cells.At(x-c[0], y-c[1], z-c[2])
			if t == 0 {
				continue
			}
			any = true
			p.Cell[k] |= 1 << i
			p.Links |= 1 << i
			u := cells.Velocity[t-1]
			cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
			if cu != 0 {
				kick[i][k] = 6 * l.Weights[i] * cu
				p.Moving |= 1 << i
			}
		}
	}
	for i := range l.Velocities {
		if p.Moving>>i&1 == 1 {
			kicks = append(kicks, kick[i][:]...)
		}
	}
	return p, kicks, any
}

// share finds an equal pattern or adds this one.
func (w *walls) share(ids map[string]uint32, p kernels.Pattern, kicks []float64) uint32 {
	key := bytesOf(p.Cell[:]) + bytesOf(kicks)
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

// checkFaces makes sure that what lies outside is either stored (ghosts), wrapped
// to (periodic) or a wall, and that every boundary has a velocity.
func checkFaces(l model.Lattice, layout decomp.Layout, periodic [3]bool, cells model.Cells) error {
	n := layout.N
	if cells.N != n || len(cells.Type) != (n[0]+2)*(n[1]+2)*(n[2]+2) {
		return fmt.Errorf("the cells (%v, %d of them) do not fit a box of %v", cells.N, len(cells.Type), n)
	}
	most := uint8(0)
	for _, t := range cells.Type {
		most = max(most, t)
	}
	if int(most) > len(cells.Velocity) {
		return fmt.Errorf("cells belong to boundary %d, but only %d have a velocity", most-1, len(cells.Velocity))
	}
	for axis := 0; axis < l.Dims; axis++ {
		if layout.Ghost[axis] > 0 || periodic[axis] {
			continue
		}
		lo, hi := [3]int{-1, -1, -1}, n
		if l.Dims == 2 {
			lo[2], hi[2] = 0, n[2]-1
		}
		for _, side := range []int{-1, n[axis]} {
			from, to := lo, hi
			from[axis], to[axis] = side, side
			for z := from[2]; z <= to[2]; z++ {
				for y := from[1]; y <= to[1]; y++ {
					for x := from[0]; x <= to[0]; x++ {
						if cells.At(x, y, z) == 0 {
							return fmt.Errorf("cell %v outside the box is fluid, but axis %c is neither periodic nor cut: it needs a boundary", [3]int{x, y, z}, "xyz"[axis])
						}
					}
				}
			}
		}
	}
	return nil
}
