package cpu

import (
	"fmt"
	"unsafe"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// faces is boundary.Faces where the kernels can point to.
type faces struct {
	list *boundary.Faces // nil: there are none
	*ghosts
	memory *memory
	rules  int // where the rules are in memory
	ends   *memory

	count                  int // of ghost cells in memory
	outletsAt, outletRules unsafe.Pointer
}

// placeFaces lists the ghost cells behind faces and makes room for those beyond the ends of rows.
func (p *program) placeFaces(periodic [3]bool, cells boundary.Cells) error {
	f, err := boundary.FindFaces(p.spec.Lattice, p.layout, periodic, cells)
	if f == nil || err != nil {
		return err
	}
	size := int(unsafe.Sizeof(boundary.FaceCell{}))
	align := func(bytes int) int { return ceil(bytes, 64) * 64 }
	g := p.parts(f)
	p.faces = faces{list: f, ghosts: g, count: len(g.cells), rules: align(size * len(g.cells))}
	outlets := p.faces.rules + align(8*boundary.FaceNumbers*len(f.Rules))
	outletRules := outlets + align(int(unsafe.Sizeof(boundary.OutletCell{}))*len(g.outlets))
	rims := outletRules + align(8*boundary.OutletNumbers*len(f.OutletRules))
	waves := rims + align(int(unsafe.Sizeof(kernels.Rim{}))*len(g.rims))
	bytes := waves
	if p.spec.Collision.Scheme == model.Populations {
		bytes += 8 * len(g.rims)
	}
	if p.faces.memory, err = newMemory(bytes); err != nil {
		return fmt.Errorf("lists of ghost cells: %w", err)
	}
	place(p.faces.memory, 0, g.cells)
	p.box.FaceRules = p.placeRules(0)
	p.faces.outletsAt = place(p.faces.memory, outlets, g.outlets)
	if p.spec.Precision == model.Float64 {
		p.faces.outletRules = place(p.faces.memory, outletRules, boundary.OutletRuleNumbers[float64](f))
	} else {
		p.faces.outletRules = place(p.faces.memory, outletRules, boundary.OutletRuleNumbers[float32](f))
	}
	p.box.OutletRules = p.faces.outletRules
	if g.rims != nil {
		p.box.Rims, p.box.Beyond = place(p.faces.memory, rims, g.rims), p.special.Ghost()
		if p.spec.Collision.Scheme == model.Populations {
			p.box.Waves = unsafe.Add(p.faces.memory.pointer(), waves)
		}
	}
	if n := f.EndValues(p.spec, p.layout); n > 0 && g.reach(p.layout.N[0]) {
		if p.faces.ends, err = newMemory(n * p.spec.Precision.Bytes()); err != nil {
			return fmt.Errorf("ghost cells beyond the ends of rows: %w", err)
		}
		p.box.Ends = p.faces.ends.pointer()
	}
	// The kernels have copies of their own.
	g.cells, g.outlets, g.rims, f.Cells, f.Outlets = nil, nil, nil, nil, nil
	return nil
}

// placeRules writes the numbers of the rules from one on.
func (p *program) placeRules(first int) unsafe.Pointer {
	f := &p.faces
	if p.spec.Precision == model.Float64 {
		return place(f.memory, f.rules+8*boundary.FaceNumbers*first, boundary.FaceRuleNumbers[float64](f.list, first))
	}
	return place(f.memory, f.rules+4*boundary.FaceNumbers*first, boundary.FaceRuleNumbers[float32](f.list, first))
}

// FillFaces queues the ghost cells of a state in pieces.
func (p *program) FillFaces(s device.Stream, state device.Buffer, exchanged bool) {
	own, ok := s.(*stream)
	if !ok || own.pool != p.device.pool {
		panic(fmt.Sprintf("ghost cells on a stream of another device (%T)", s))
	}
	m, err := p.state(state)
	if err != nil {
		own.fail(fmt.Errorf("ghost cells of %s: %w", p.spec, err))
		return
	}
	if p.faces.list == nil {
		return
	}
	first, last := 0, p.faces.own
	if exchanged {
		first, last = last, p.faces.count
	}
	cells, rules := p.faces.memory.pointer(), unsafe.Add(p.faces.memory.pointer(), p.faces.rules)
	var tasks []task
	const piece = 4096
	for ; first < last; first += piece {
		lo, hi := first, min(first+piece, last)
		tasks = append(tasks, func(*worker) error {
			p.special.Fill(p.box, cells, rules, lo, hi, m.pointer())
			return nil
		})
	}
	if len(tasks) > 0 {
		own.pool.push(own, &operation{tasks: tasks})
	}
}

// drain applies the outflows beside the cells of a part to the state that a step from in leads to.
func (p *program) drain(in, out unsafe.Pointer, part decomp.Box) {
	f := &p.faces
	if f.list == nil || f.outletRows[len(f.outletRows)-1] == 0 {
		return
	}
	for z := part.Lo[2]; z < part.Hi[2]; z++ {
		rows := f.outletRows[z*p.layout.N[1]:]
		if first, last := int(rows[part.Lo[1]]), int(rows[part.Hi[1]]); first < last {
			p.special.Drain(p.box, f.outletsAt, f.outletRules, first, last, [2]int{part.Lo[0], part.Hi[0]}, in, out)
		}
	}
}

func (f *faces) bytes() int {
	if f.list == nil {
		return 0
	}
	n := f.memory.Bytes()
	if f.ends != nil {
		n += f.ends.Bytes()
	}
	return n
}

func (f *faces) free() {
	if f.list == nil {
		return
	}
	f.memory.Free()
	if f.ends != nil {
		f.ends.Free()
	}
}
