//go:build cuda

package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// stepFields is what a program has to leave fields in its steps (kernels/gpu/step_fields.h), once it
// was asked to.
type stepFields struct {
	kernelSet             // of these functions and shapes lbm_step_fields alone
	at        cu.Function // for cells of a list

	// Cells that something changes behind the step: their fields are read from the state.
	changed *buffer
	rows    []uint32 // first of each interior row; one more at the end
}

// changedCell is a cell of that list; row is z*ny + y.
type changedCell struct{ x, row uint32 }

// PrepareStepFields compiles the step that leaves fields. Moments have theirs in the state: a second pass
// reads little more than it writes.
func (p *program) PrepareStepFields() (bool, error) {
	if p.spec.Collision.Scheme == model.Moments {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.stepFields
	if f.loaded {
		return true, nil
	}
	if err := f.place(p); err != nil {
		f.unload(p.d)
		return false, fmt.Errorf("steps of %s that leave fields: %w", p.spec, err)
	}
	return true, nil
}

func (f *stepFields) place(p *program) (err error) {
	cells := p.changedCells()
	if f.changed == nil {
		if f.changed, err = p.put(raw.Bytes(cells)); err != nil {
			return err
		}
	}
	f.rows = make([]uint32, p.layout.N[1]*p.layout.N[2]+1)
	for _, c := range cells {
		f.rows[c.row+1]++
	}
	for i := range f.rows[1:] {
		f.rows[i+1] += f.rows[i]
	}
	code, err := p.d.codeOf(stepFieldsFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	return p.d.call("loading the kernels", func() (err error) {
		if f.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		f.loaded = true
		for name, fn := range map[string]*cu.Function{"lbm_step_fields": &f.step, "lbm_fields_at": &f.at} {
			if *fn, err = f.module.Function(name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		var shape stepShape
		if err = numbersIn(f.module, "lbm_step_fields_shape", shape[:]); err != nil {
			return err
		}
		f.threads, f.tile = [2]int{int(shape[0]), int(shape[1])}, [3]int{int(shape[2]), int(shape[3]), int(shape[4])}
		f.shared, f.slots = int(shape[5]), p.kernels.slots
		return nil
	})
}

// changedCells are those of stepSpecial, stepScalar and stepOutflow, row after row.
func (p *program) changedCells() (list []changedCell) {
	n := p.layout.N
	if p.laws != nil {
		for _, c := range p.laws.links.Cells {
			list = append(list, changedCell{c.X, c.Row})
		}
	}
	for _, places := range [...][]boundary.ScalarPlace{p.scalar.plain.Cells, p.scalar.mixed.Cells} {
		for _, c := range places {
			list = append(list, changedCell{c.X, c.Row})
		}
	}
	if p.faces.list != nil {
		for _, o := range p.faces.list.Outlets {
			if y, z := rowOf(p.layout, o.Row); y >= 0 && y < n[1] && z >= 0 && z < n[2] {
				list = append(list, changedCell{uint32(o.X), uint32(z*n[1] + y)})
			}
		}
	}
	slices.SortFunc(list, func(a, b changedCell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.x, b.x)) })
	return slices.Compact(list)
}

// StepFields is Step with fields.
func (p *program) StepFields(s device.Stream, in, out device.Buffer, box decomp.Box, fields device.Buffer, frame decomp.Box, q model.Params) {
	own, f := p.stream(s), &p.stepFields
	to, err := p.rowsIn(fields, frame, box)
	if err == nil && !f.loaded {
		err = fmt.Errorf("PrepareStepFields comes first")
	}
	if err != nil {
		own.fail(fmt.Errorf("step with fields of %s: %w", p.spec, err))
		return
	}
	more := []uint64{uint64(to), uint64(frame.Size()[1])}
	p.stepBy(&f.kernelSet, s, in, out, box, q, more...)
	first, last := p.cellsOf(f.rows, box)
	state, err := p.state(out)
	if err != nil || first == last { // stepBy tells of an error
		return
	}
	own.queue("fields of changed cells", func() error {
		args := []uint64{uint64(p.box.at), uint64(state.at), uint64(f.changed.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last}
		return launch(f.at, [3]int{raw.Ceil(int(last-first), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, own.s, append(args, more...)...)
	})
}

// rowsIn is where the first cell of the interior has its fields in a buffer with those of frame, which
// holds box.
func (p *program) rowsIn(fields device.Buffer, frame, box decomp.Box) (cu.DevicePtr, error) {
	if err := p.inside(frame, p.layout.Ghost, true); err != nil {
		return 0, err
	}
	row := p.spec.FieldValues() * p.layout.N[0] * p.valueBytes()
	rows := frame.Size()
	for a := range box.Lo {
		if box.Cells() > 0 && (box.Lo[a] < frame.Lo[a] || box.Hi[a] > frame.Hi[a]) {
			return 0, fmt.Errorf("box %v reaches out of the frame %v of the fields", box, frame)
		}
	}
	at, err := p.d.part(fields, 0, rows[1]*rows[2]*row)
	return at - cu.DevicePtr(int64((frame.Lo[2]*rows[1]+frame.Lo[1])*row)), err
}

// SendFields sends what steps have left, with the ghost planes of the state.
func (p *program) SendFields(s device.Stream, state, fields device.Buffer, frame decomp.Box, q model.Params) (device.Snapshot, device.Event, error) {
	own, axis := p.stream(s), p.layout.Axis()
	from, err := p.state(state)
	if err == nil {
		_, err = p.rowsIn(fields, frame, frame)
	}
	var at cu.DevicePtr
	if err == nil {
		at, err = p.d.part(fields, 0, p.snapshotBytes(frame))
	}
	if err == nil {
		err = p.tell(q)
	}
	var m *snapshotMemory
	if err == nil {
		m, err = p.memory(p.snapshotBytes(frame))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("snapshot of %s: %w", p.spec, err)
	}
	below, above := frame, frame
	below.Hi[axis], above.Lo[axis] = 0, p.layout.N[axis]
	p.fieldsOn(own, from.at, below, at)
	before := frame
	before.Hi[axis] = above.Lo[axis]
	p.fieldsOn(own, from.at, above, at+cu.DevicePtr(p.snapshotBytes(before)))
	shot := p.send(own, m, at)
	return shot, shot.arrived, nil
}
