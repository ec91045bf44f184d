//go:build cuda

package cuda

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// faces is the ghost cells behind faces: kernels/gpu/face.h and device.Faces in the GPU's memory.
type faces struct {
	list         *device.Faces // nil: there are none
	module       cu.Module
	loaded       bool
	fill, drain  cu.Function
	cells, rules *buffer

	outlets, outletRules *buffer
}

// placeFaces lists the ghost cells and makes room for those beyond the ends of rows.
func (p *program) placeFaces(periodic [3]bool, cells model.Cells) error {
	list, err := device.FindFaces(p.spec.Lattice, p.layout, periodic, cells)
	if list == nil || err != nil {
		return err
	}
	f := &p.faces
	room := func(bytes int) (b *buffer) {
		if err == nil && bytes > 0 {
			if b, err = p.d.alloc(bytes); err == nil {
				p.lists = append(p.lists, b)
			}
		}
		return b
	}
	fill := func(bytes []byte) (b *buffer) {
		if b = room(len(bytes)); b != nil {
			err = b.Write(bytes, 0)
		}
		return b
	}
	f.cells, f.rules = fill(bytesOf(list.Cells)), fill(p.ruleBytes(list, 0))
	f.outlets = fill(bytesOf(list.Outlets))
	if p.spec.Precision == model.Float64 {
		f.outletRules = fill(bytesOf(device.OutletRuleNumbers[float64](list)))
	} else {
		f.outletRules = fill(bytesOf(device.OutletRuleNumbers[float32](list)))
	}
	var ends *buffer
	if n := list.EndValues(p.spec, p.layout); n > 0 {
		ends = room(n * p.spec.Precision.Bytes())
	}
	if err == nil && ends != nil {
		err = p.box.Write(bytesOf([]uint64{uint64(ends.at)}), int(unsafe.Offsetof(boxABI{}.ends)))
	}
	if err != nil {
		return fmt.Errorf("lists of ghost cells: %w", err)
	}
	code, err := p.d.codeOf(facesFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	f.list = list
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

// ruleBytes is the numbers of the rules from one on as the kernel reads them.
func (p *program) ruleBytes(list *device.Faces, first int) []byte {
	if p.spec.Precision == model.Float64 {
		return bytesOf(device.FaceRuleNumbers[float64](list, first))
	}
	return bytesOf(device.FaceRuleNumbers[float32](list, first))
}

// retimeFaces brings the rules that change with time to time t.
func (p *program) retimeFaces(t float64) error {
	list := p.faces.list
	if !list.Timed() {
		return nil
	}
	list.Retime(t)
	numbers := p.ruleBytes(list, list.Steady)
	if err := p.faces.rules.Write(numbers, len(numbers)/(len(list.Rules)-list.Steady)*list.Steady); err != nil {
		return fmt.Errorf("faces that change with time: %w", err)
	}
	return nil
}

// FillFaces queues the ghost cells of a state.
func (p *program) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	own := p.stream(s)
	b, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", p.spec, err))
		return
	}
	if p.faces.list == nil {
		return
	}
	f := &p.faces
	first, last := 0, f.list.Own
	if exchanged {
		first, last = last, len(f.list.Cells)
	}
	if first == last {
		return
	}
	own.queue("ghost cells", func() error {
		return launch(f.fill, [3]int{ceil(last-first, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(p.box.at), uint64(b.at), uint64(f.cells.at), uint64(f.rules.at), uint64(first), uint64(last))
	})
}

// stepOutflow queues what the outflows beside the cells of a box make of the state that a step leads to.
func (p *program) stepOutflow(own *stream, from, to *buffer, box decomp.Box) {
	f := &p.faces
	if f.list == nil || len(f.list.Outlets) == 0 {
		return
	}
	own.queue("outflow", func() error {
		return launch(f.drain, [3]int{ceil(len(f.list.Outlets), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s,
			uint64(p.box.at), uint64(from.at), uint64(to.at), uint64(f.outlets.at), uint64(f.outletRules.at), uint64(len(f.list.Outlets)),
			uint64(box.Lo[1]), uint64(box.Hi[1]), uint64(box.Lo[2]), uint64(box.Hi[2]))
	})
}
