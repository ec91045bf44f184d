// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// faces is the ghost cells behind faces: kernels/gpu/face.h and boundary.Faces in the GPU's memory.
type faces struct {
	*core
	module        module
	fill, outflow cu.Function
	links         *links
	list          *boundary.Faces // nil: no faces

	// Cells and outlets not computed by the march, and the number of the box's own cells.
	cells, outlets           *buffer
	count, own, outletsCount int
	rules, outletRules       *buffer
}

// place lists the ghost cells and allocates those beyond the ends of rows.
func (f *faces) place(in *placing) error {
	w := in.walls
	list, err := boundary.FindFaces(f.spec.Lattice, f.layout, in.periodic, in.cells)
	if err != nil {
		return err
	}
	if list != nil {
		if err = f.placeGhosts(w, list); err != nil {
			return fmt.Errorf("lists of ghost cells: %w", err)
		}
	}
	w.rowEnds.wrap(f.layout.N, f.wraps)
	for side, rowEnds := range w.rowEnds {
		if rowEnds != nil {
			if err := f.uploadBox(unsafe.Offsetof(boxABI{}.rowEnds)+8*uintptr(side), raw.Bytes(rowEnds)); err != nil {
				return fmt.Errorf("lists of what lies beyond the ends of rows: %w", err)
			}
		}
	}
	return nil
}

func (f *faces) placeGhosts(w *wallBlocks, list *boundary.Faces) (err error) {
	n := f.layout.N
	fill := func(bytes []byte) (b *buffer) {
		if err == nil {
			b, err = f.putList(bytes)
		}
		return b
	}
	others := []*boundary.Links{w.special}
	if f.links.measures != nil {
		others = append(others, f.links.measures.links)
	}
	ghosts, own := w.rowEnds.addGhosts(list, f.layout, f.wraps, endCellsOf(n, f.wraps, others...))
	outlets := w.rowEnds.addOutlets(list, f.layout, w.special, f.spec.Scalar)
	f.count, f.own, f.outletsCount = len(ghosts), own, len(outlets)
	f.cells, f.outlets, f.rules = fill(raw.Bytes(ghosts)), fill(raw.Bytes(outlets)), fill(f.ruleBytes(list))
	if f.spec.Precision == model.Float64 {
		f.outletRules = fill(raw.Bytes(boundary.OutletRuleNumbers[float64](list)))
	} else {
		f.outletRules = fill(raw.Bytes(boundary.OutletRuleNumbers[float32](list)))
	}
	if err != nil {
		return err
	}
	if err = f.box.Write(raw.Bytes([]uint64{uint64(f.rules.at)}), int(unsafe.Offsetof(boxABI{}.faceRules))); err != nil {
		return err
	}
	if err = f.box.Write(raw.Bytes([]uint64{uint64(f.outletRules.at)}), int(unsafe.Offsetof(boxABI{}.outletRules))); err != nil {
		return err
	}
	if slices.ContainsFunc(ghosts, func(c boundary.FaceCell) bool { return c.X < 0 || int(c.X) >= n[0] }) {
		if err = f.uploadBox(unsafe.Offsetof(boxABI{}.ends), make([]byte, list.EndValues(f.spec, f.layout)*f.spec.Precision.Bytes())); err != nil {
			return err
		}
	}
	f.list = list
	if f.count == 0 && f.outletsCount == 0 {
		return nil
	}
	return f.loadShared(&f.module, "loading the kernel for ghost cells of "+f.spec.String(), facesFile, functions{"lbm_faces": &f.fill, "lbm_outflow": &f.outflow})
}

func (f *faces) free() { f.module.unload(f.d) }

// ruleBytes returns the numbers of the rules as the kernel reads them.
func (f *faces) ruleBytes(list *boundary.Faces) []byte {
	if f.spec.Precision == model.Float64 {
		return raw.Bytes(boundary.FaceRuleNumbers[float64](list, 0))
	}
	return raw.Bytes(boundary.FaceRuleNumbers[float32](list, 0))
}

// FillFaces queues the ghost cells of a state.
func (f *faces) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	own := f.stream(s)
	b, err := f.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", f.spec, err))
		return
	}
	first, last := 0, f.own
	if exchanged {
		first, last = last, f.count
	}
	if first == last {
		return
	}
	own.queue("ghost cells", func() error {
		return launch(f.fill, [3]int{raw.Ceil(last-first, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(f.box.at), uint64(b.at), uint64(f.cells.at), uint64(f.rules.at), uint64(first), uint64(last))
	})
}

// queue adds the outflows' corrections beside the cells of a box to the result of a step.
func (f *faces) queue(own *stream, from, to *buffer, box decomp.Box) {
	if f.outletsCount == 0 {
		return
	}
	own.queue("outflow", func() error {
		return launch(f.outflow, [3]int{raw.Ceil(f.outletsCount, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(f.box.at), uint64(from.at), uint64(to.at), uint64(f.outlets.at), uint64(f.outletRules.at), uint64(f.outletsCount),
			uint64(box.Lo[1]), uint64(box.Hi[1]), uint64(box.Lo[2]), uint64(box.Hi[2]))
	})
}

// changed lists the cells beside outflows.
func (f *faces) changed() (list []changedCell) {
	if f.list == nil {
		return nil
	}
	n := f.layout.N
	for _, o := range f.list.Outlets {
		if y, z := rowOf(f.layout, o.Row); y >= 0 && y < n[1] && z >= 0 && z < n[2] {
			list = append(list, changedCell{uint32(o.X), uint32(z*n[1] + y)})
		}
	}
	return list
}
