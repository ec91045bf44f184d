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
	list        *boundary.Faces // nil: there are none
	module      cu.Module
	loaded      bool
	fill, drain cu.Function

	// Cells and outlets that the march does not see to itself, and of the cells how many are the box's own.
	cells, outlets           *buffer
	count, own, outletsCount int
	rules, outletRules       *buffer
}

// placeFaces lists the ghost cells and makes room for those beyond the ends of rows.
func (p *program) placeFaces(w *walls, periodic [3]bool, cells boundary.Cells) error {
	list, err := boundary.FindFaces(p.spec.Lattice, p.layout, periodic, cells)
	if err != nil {
		return err
	}
	if list != nil {
		if err = p.placeGhosts(w, list); err != nil {
			return fmt.Errorf("lists of ghost cells: %w", err)
		}
	}
	w.rims.wrap(p.layout.N, p.wraps)
	for side, rims := range w.rims {
		if rims != nil {
			if err := p.tellBox(unsafe.Offsetof(boxABI{}.rims)+8*uintptr(side), raw.Bytes(rims)); err != nil {
				return fmt.Errorf("lists of what lies beyond the ends of rows: %w", err)
			}
		}
	}
	return nil
}

// tellBox places a list and its address in the box.
func (p *program) tellBox(field uintptr, data []byte) error {
	b, err := p.put(data)
	if err == nil {
		err = p.box.Write(raw.Bytes([]uint64{uint64(b.at)}), int(field))
	}
	return err
}

func (p *program) placeGhosts(w *walls, list *boundary.Faces) (err error) {
	f, n := &p.faces, p.layout.N
	fill := func(bytes []byte) (b *buffer) {
		if err == nil {
			b, err = p.put(bytes)
		}
		return b
	}
	others := w.special.Touches(n[0]) || p.measures != nil && p.measures.links.Touches(n[0])
	ghosts, own := w.rims.addGhosts(list, p.layout, p.wraps, others)
	outlets := w.rims.addOutlets(list, p.layout, w.special, p.spec.Scalar)
	f.count, f.own, f.outletsCount = len(ghosts), own, len(outlets)
	f.cells, f.outlets, f.rules = fill(raw.Bytes(ghosts)), fill(raw.Bytes(outlets)), fill(p.ruleBytes(list))
	if p.spec.Precision == model.Float64 {
		f.outletRules = fill(raw.Bytes(boundary.OutletRuleNumbers[float64](list)))
	} else {
		f.outletRules = fill(raw.Bytes(boundary.OutletRuleNumbers[float32](list)))
	}
	if err != nil {
		return err
	}
	if err = p.box.Write(raw.Bytes([]uint64{uint64(f.rules.at)}), int(unsafe.Offsetof(boxABI{}.faceRules))); err != nil {
		return err
	}
	if err = p.box.Write(raw.Bytes([]uint64{uint64(f.outletRules.at)}), int(unsafe.Offsetof(boxABI{}.outletRules))); err != nil {
		return err
	}
	if slices.ContainsFunc(ghosts, func(c boundary.FaceCell) bool { return c.X < 0 || int(c.X) >= n[0] }) {
		if err = p.tellBox(unsafe.Offsetof(boxABI{}.ends), make([]byte, list.EndValues(p.spec, p.layout)*p.spec.Precision.Bytes())); err != nil {
			return err
		}
	}
	f.list = list
	if f.count == 0 && f.outletsCount == 0 {
		return nil
	}
	code, err := p.d.codeOf(facesFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	return p.d.call("loading the kernel for ghost cells of "+p.spec.String(), func() (err error) {
		if f.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		f.loaded = true
		if f.fill, err = f.module.Function("lbm_faces"); err != nil {
			return fmt.Errorf("lbm_faces: %w", err)
		}
		if f.drain, err = f.module.Function("lbm_outflow"); err != nil {
			return fmt.Errorf("lbm_outflow: %w", err)
		}
		return nil
	})
}

func (f *faces) unload(d *Device) {
	if f.loaded {
		_ = d.call("unloading kernels", f.module.Unload)
		f.loaded = false
	}
}

// ruleBytes is the numbers of the rules as the kernel reads them.
func (p *program) ruleBytes(list *boundary.Faces) []byte {
	if p.spec.Precision == model.Float64 {
		return raw.Bytes(boundary.FaceRuleNumbers[float64](list, 0))
	}
	return raw.Bytes(boundary.FaceRuleNumbers[float32](list, 0))
}

// FillFaces queues the ghost cells of a state.
func (p *program) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	own := p.stream(s)
	b, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", p.spec, err))
		return
	}
	f := &p.faces
	first, last := 0, f.own
	if exchanged {
		first, last = last, f.count
	}
	if first == last {
		return
	}
	own.queue("ghost cells", func() error {
		return launch(f.fill, [3]int{raw.Ceil(last-first, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(p.box.at), uint64(b.at), uint64(f.cells.at), uint64(f.rules.at), uint64(first), uint64(last))
	})
}

// stepOutflow queues what the outflows beside the cells of a box make of the state that a step leads to.
func (p *program) stepOutflow(own *stream, from, to *buffer, box decomp.Box) {
	f := &p.faces
	if f.outletsCount == 0 {
		return
	}
	own.queue("outflow", func() error {
		return launch(f.drain, [3]int{raw.Ceil(f.outletsCount, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(p.box.at), uint64(from.at), uint64(to.at), uint64(f.outlets.at), uint64(f.outletRules.at), uint64(f.outletsCount),
			uint64(box.Lo[1]), uint64(box.Hi[1]), uint64(box.Lo[2]), uint64(box.Hi[2]))
	})
}
