// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"bytes"
	"testing"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/kernels"
	"lbmsim/model"
)

// Tiles that end within the rows give the bits of whole rows, also of numbers so small that half of one is
// rounded to zero, as at the front of a disturbance. Curved walls read cells of other tasks.
func TestTilesAlongRows(t *testing.T) {
	n := [3]int{300, 6, 5}
	for _, isa := range kernels.ISAs() {
		d := newDevice(t, 1, isa.String())
		for _, spec := range model.Pairs() {
			if spec.Collision.Scheme == model.Populations {
				continue // they read the stored neighbours
			}
			for _, around := range []string{"periodic", "walls", "outflows", "curved"} {
				curved := around == "curved"
				periodic, open := around == "periodic" || curved, around == "outflows"
				step := func(width int) []byte {
					m, ghost := n, [3]int{0, 0, 1}
					if spec.Lattice.Dims == 2 {
						m[2], ghost = 1, [3]int{0, 1, 0}
					} else if open {
						ghost[1] = 1
					}
					cells := boundary.NewCells(m)
					cells.Walls = make([]boundary.Wall, 1)
					for z := -1; z <= m[2] && !periodic; z++ {
						for y := -1; y <= m[1]; y++ {
							cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(m[0], y, z)] = 1, 1
						}
					}
					if open { // across x and y: each cell of the end belongs to a single task
						cells.Walls = []boundary.Wall{{Law: boundary.Outflow, Relax: 0.01}}
						for z := -1; z <= m[2]; z++ {
							for x := -1; x <= m[0]; x++ {
								cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, m[1], z)] = 1, 1
							}
						}
					}
					if curved { // solid cells beside the ends of each tile and elsewhere
						cells.Walls = []boundary.Wall{{Law: boundary.Interpolated}}
						cells.Distance = func(x, c [3]int) float64 { return float64(1+(7*x[0]+5*x[1]+3*x[2]+c[0]+2*c[1]+4*c[2]+7)%97) / 100 }
						for z := range m[2] {
							for y := range m[1] {
								for x := range m[0] {
									if (x+3*y+2*z)%16 == 0 && (y+z)%3 == 0 {
										cells.Type[cells.Index(x, y, z)] = 1
									}
								}
							}
						}
					}
					layout := decomp.NewLayout(m, ghost, spec.Components())
					q, err := d.Load(spec, layout, [3]bool{periodic, !open, true}, cells)
					if err != nil {
						t.Fatal(err)
					}
					defer q.Close()
					p := q.(*program)
					p.rule.width = width
					if curved && p.wallMomentum.single == nil {
						t.Fatal("no laws")
					}
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
							if open || curved {
								in[i] *= 1e34
							}
						}
					}
					s := d.NewStream(false)
					p.FillFaces(s, state[0], false)
					p.FillFaces(s, state[0], true)
					p.Step(s, state[0], state[1], decomp.Box{Hi: m}, model.NewParams(spec.Collision, 0.6, nil, [3]float64{}))
					if err := s.Sync(); err != nil {
						t.Fatal(err)
					}
					return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&state[1].view[0])), 4*layout.Len()))
				}
				whole := step(1 << 20)
				for _, width := range []int{32, 96, 160} {
					if !bytes.Equal(step(width), whole) {
						t.Errorf("%s with %s, %s: tiles of %d cells give other bits than whole rows", spec, isa, around, width)
					}
				}
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
