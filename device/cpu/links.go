package cpu

import (
	"fmt"
	"sync/atomic"

	"lbmsim/device"
	"lbmsim/kernels"
	"lbmsim/model"
)

// linkLists is device.Links where the kernels can point to.
type linkLists struct {
	memory *memory
	at     *kernels.Links // in memory
	rows   []uint32
}

// placeLinks makes the lists of special cells and of measured walls.
func (p *program) placeLinks(found *device.Walls) (err error) {
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
	laws := make([]float64, 0, len(l.Laws)*device.LinkNumbers)
	for _, n := range l.Laws {
		laws = append(laws, n.A, n.B, n.C, n.D, n.K, n.Velocity[0], n.Velocity[1], n.Velocity[2], n.Distance)
	}
	align := func(bytes int) int { return ceil(bytes, 64) * 64 }
	rows := align(64)
	cells := rows + align(4*len(l.Rows))
	list := cells + align(20*len(l.Cells))
	types := list + align(4*len(l.List))
	numbers := types + align(len(l.Types))
	m, err := newMemory(numbers + align(8*len(laws)))
	if err != nil {
		return nil, fmt.Errorf("lists of links: %w", err)
	}
	links := kernels.Links{
		Rows: place(m, rows, l.Rows), Cells: place(m, cells, l.Cells), List: place(m, list, l.List), Types: place(m, types, l.Types),
	}
	if precision == model.Float64 {
		links.Laws = place(m, numbers, laws)
	} else {
		single := make([]float32, len(laws))
		for i, v := range laws {
			single[i] = float32(v)
		}
		links.Laws = place(m, numbers, single)
	}
	return &linkLists{memory: m, at: (*kernels.Links)(place(m, 0, []kernels.Links{links})), rows: l.Rows}, nil
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
		if p.measures.rows[row] == p.measures.rows[row+1] {
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
	return loads, err
}
