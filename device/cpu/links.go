package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// linkLists is device.Links where the kernels can point to.
type linkLists struct {
	memory  *memory
	at      *kernels.Links // in memory
	links   *device.Links
	numbers int // where the laws are in memory
}

// placeLinks makes the lists of special cells and of measured walls.
func (p *program) placeLinks(found *device.Walls) (err error) {
	p.found = found
	if p.special, err = p.device.isa.Special(p.spec); err != nil {
		return err
	}
	for _, list := range []struct {
		to   **linkLists
		find func() (*device.Links, error)
	}{{&p.laws, found.Special}, {&p.measures, found.Measured}} {
		l, err := list.find()
		if err == nil && l != nil {
			*list.to, err = newLinkLists(l, p.spec.Precision)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newLinkLists(l *device.Links, precision model.Precision) (*linkLists, error) {
	align := func(bytes int) int { return ceil(bytes, 64) * 64 }
	rows := align(64)
	cells := rows + align(4*len(l.Rows))
	list := cells + align(20*len(l.Cells))
	types := list + align(4*len(l.List))
	numbers := types + align(len(l.Types))
	m, err := newMemory(numbers + align(8*device.LinkNumbers*len(l.Laws)))
	if err != nil {
		return nil, fmt.Errorf("lists of links: %w", err)
	}
	links := kernels.Links{
		Rows: place(m, rows, l.Rows), Cells: place(m, cells, l.Cells), List: place(m, list, l.List), Types: place(m, types, l.Types),
	}
	links.Laws = placeLaws(m, numbers, l, 0, precision)
	return &linkLists{memory: m, at: (*kernels.Links)(place(m, 0, []kernels.Links{links})), links: l, numbers: numbers}, nil
}

// placeLaws writes the numbers of the laws from one on; those of all begin at the offset.
func placeLaws(m *memory, offset int, l *device.Links, first int, precision model.Precision) unsafe.Pointer {
	if precision == model.Float64 {
		return place(m, offset+8*device.LinkNumbers*first, device.LawNumbers[float64](l, first))
	}
	return place(m, offset+4*device.LinkNumbers*first, device.LawNumbers[float32](l, first))
}

// Retime brings walls and faces that change with time to time t.
func (p *program) Retime(t float64) error {
	for _, list := range []*linkLists{p.laws, p.measures} {
		if list != nil && list.links.Timed() {
			p.found.Retime(list.links, t)
			placeLaws(list.memory, list.numbers, list.links, list.links.Steady, p.spec.Precision)
		}
	}
	if f := p.faces.list; f.Timed() {
		f.Retime(t)
		p.placeRules(f.Steady)
	}
	return nil
}

func (l *linkLists) bytes() int {
	if l == nil {
		return 0
	}
	return l.memory.Bytes()
}

func (l *linkLists) free() {
	if l != nil {
		l.memory.Free()
	}
}

// Forces adds up the links of measured walls.
func (p *program) Forces(state device.Buffer, _ model.Params) ([]device.Load, error) {
	loads := make([]device.Load, p.types)
	if p.measures == nil {
		return loads, nil
	}
	sums := make([]atomic.Int64, 6*p.types)
	n := p.layout.N
	err := p.sums(state, n[2]*n[1], func(m *memory, row int) {
		if p.measures.links.Rows[row] == p.measures.links.Rows[row+1] {
			return
		}
		part := make([]int64, 6*p.types)
		p.special.Forces(p.box, p.measures.at, m.pointer(), p.origin, row%n[1], row/n[1], part)
		for i, v := range part {
			sums[i].Add(v)
		}
	})
	for k := range loads {
		for a := range 3 {
			loads[k].Force[a], loads[k].Torque[a] = sums[6*k+a].Load(), sums[6*k+3+a].Load()
		}
	}
	if err == nil {
		err = p.addScalar(state, loads)
	}
	return loads, err
}
