package cpu

import (
	"bytes"
	"testing"
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/kernels"
	"lbmsim/model"
)

// Tiles that end within the rows give the bits of whole rows, also of numbers so small that
// half of one is taken for zero, as at the front of a disturbance.
func TestTilesAlongRows(t *testing.T) {
	n := [3]int{100, 6, 5}
	for _, isa := range kernels.ISAs() {
		d := newDevice(t, 1, isa.String())
		for _, spec := range model.Pairs() {
			if spec.Collision.Scheme == model.Populations {
				continue // they read the neighbours as they are stored
			}
			for _, periodic := range []bool{true, false} {
				step := func(width int) []byte {
					m, ghost := n, [3]int{0, 0, 1}
					if spec.Lattice.Dims == 2 {
						m[2], ghost = 1, [3]int{0, 1, 0}
					}
					cells := model.NewCells(m)
					cells.Velocity = [][3]float64{{}}
					for z := -1; z <= m[2] && !periodic; z++ {
						for y := -1; y <= m[1]; y++ {
							cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(m[0], y, z)] = 1, 1
						}
					}
					layout := decomp.NewLayout(m, ghost, spec.Components())
					q, err := d.Load(spec, layout, [3]bool{periodic, true, true}, cells)
					if err != nil {
						t.Fatal(err)
					}
					defer q.Close()
					p := q.(*program)
					p.rule.width = width
					var state [2]*memory
					for i := range state {
						if state[i], err = newMemory(4 * layout.Len()); err != nil {
							t.Fatal(err)
						}
						defer state[i].Free()
					}
					in := unsafe.Slice((*float32)(unsafe.Pointer(&state[0].view[0])), layout.Len())
					for i := range in {
						if i%layout.Pitch < m[0] {
							in[i] = float32(i*7919%1009-504) * 1e-39
						}
					}
					s := d.NewStream(false)
					p.Step(s, state[0], state[1], decomp.Box{Hi: m}, model.NewParams(spec.Collision, 0.6, nil, [3]float64{}))
					if err := s.Sync(); err != nil {
						t.Fatal(err)
					}
					return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&state[1].view[0])), 4*layout.Len()))
				}
				whole := step(1 << 20)
				for _, width := range []int{16, 48, 64} {
					if !bytes.Equal(step(width), whole) {
						t.Errorf("%s with %s, periodic %v: tiles of %d cells give other bits than whole rows", spec, isa, periodic, width)
					}
				}
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
