// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/kernels"
	"lbmsim/model"
)

// Ghost cells from sources kept by steps equal ghost cells from the state, for any order of the computation,
// writes between the steps, and cells changed after the step.
func TestKeptCells(t *testing.T) {
	for _, isa := range kernels.ISAs() {
		d := newDevice(t, 2, isa.String())
		defer d.Close()
		for _, spec := range model.Pairs() {
			for _, precision := range model.Precisions {
				for _, n := range [][3]int{{2, 5, 4}, {33, 6, 5}, {48, 40, 3}} {
					for _, beside := range []string{"periodic", "outflows", "sponge"} {
						if spec.Precision = precision; spec.Collision.Scheme != model.Populations || spec.Lattice.Dims == 2 && beside == "outflows" {
							continue
						}
						kept, plain := keptRun(t, d, spec, n, beside, true), keptRun(t, d, spec, n, beside, false)
						if !bytes.Equal(kept, plain) {
							t.Errorf("%s with %s, %v, %s: other bits with cells that were kept", spec, isa, n, beside)
						}
					}
				}
			}
		}
	}
}

// keptRun returns the state after some steps between an inlet and an outflow.
func keptRun(t *testing.T, d *Device, spec model.Spec, n [3]int, beside string, keep bool) []byte {
	values := []float64{3. / 16}[:len(spec.Collision.Params)]
	ghost := [3]int{}
	if spec.Lattice.Dims == 2 {
		n[2] = 1
	} else if beside == "outflows" {
		ghost[1] = 1
	}
	cells := boundary.NewCells(n)
	cells.Walls = []boundary.Wall{{Law: boundary.VelocityFace, Motion: boundary.Constant{0.05}}, {Law: boundary.Outflow, Relax: 0.01}}
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(n[0], y, z)] = 1, 2
		}
		for x := -1; x <= n[0] && beside == "outflows"; x++ {
			cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, n[1], z)] = 2, 2
		}
	}
	if beside == "sponge" {
		thick := model.NewParams(spec.Collision, 0.8, values, [3]float64{})
		cells.Rates = func(x [3]int) *model.Params {
			if x[0] < n[0]-1 || x[1] < 2 {
				return nil
			}
			return &thick
		}
	}
	layout := decomp.NewLayout(n, ghost, spec.Components())
	loaded, err := d.Load(spec, layout, [3]bool{false, beside != "outflows", true}, cells)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	p := loaded.(*program)
	if p.faces.kept == 0 {
		t.Fatal("nothing is kept")
	}
	var state [2]*memory
	for i := range state {
		if state[i], err = newMemory(layout.Len() * spec.Precision.Bytes()); err != nil {
			t.Fatal(err)
		}
		defer state[i].Free()
	}
	init := make([]float64, spec.InitValues()*n[0]*n[1]*n[2])
	for i := range init {
		init[i] = float64(i*7919%1009-504) * 1e-5
	}
	q := model.NewParams(spec.Collision, 0.6, values, [3]float64{})
	whole := decomp.Box{Hi: n}
	if err := p.Init(state[0], whole, init, q); err != nil {
		t.Fatal(err)
	}
	s := d.NewStream(false)
	lower, upper := whole, whole
	lower.Hi[1], upper.Lo[1] = 2, 2
	for step := range 8 {
		in, out := state[step%2], state[1-step%2]
		if !keep {
			in.author.Store(nil)
		}
		// Sources are kept from the second step on, except of states changed by others.
		if want := keep && !slices.Contains([]int{0, 4, 6, 7}, step); p.holds(in) != want {
			t.Errorf("%s, %s, step %d: sources are held: %v", spec, beside, step, !want)
		}
		p.FillFaces(s, in, false)
		p.FillFaces(s, in, true)
		p.Step(s, in, out, upper, q)
		p.Step(s, in, out, lower, q)
		switch step {
		case 3: // other numbers, without kept sources
			s.Copy(out, 0, in, 0, in.Bytes())
		case 5: // the host writes, once the steps are done
			if err = s.Sync(); err != nil {
				t.Fatal(err)
			}
			err = out.Write(bytes.Repeat([]byte{0}, 64), layout.Row(0, 0)*layout.RowLen()*spec.Precision.Bytes())
		case 6: // a state with only a part computed
			p.Step(s, out, in, lower, q)
		}
		if e := s.Sync(); e != nil || err != nil {
			t.Fatal(e, err)
		}
	}
	return bytes.Clone(unsafe.Slice((*byte)(state[0].pointer()), state[0].Bytes()))
}
