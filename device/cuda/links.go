//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// linkKernels is the functions of kernels/gpu/special.h, loaded only where a case has
// special cells or measured walls.
type linkKernels struct {
	module         cu.Module
	loaded         bool
	special, force cu.Function
}

// linkLists is boundary.Links in the GPU's memory.
type linkLists struct {
	links *boundary.Links
	at    *buffer // linksABI

	list, types *buffer
	laws        *buffer // of the kernels' number type
	sums        *buffer // [type][force, torque]
}

// placeLinks makes the lists of special cells and of measured walls.
func (p *program) placeLinks(w *walls) error {
	p.found = w.found
	measured, err := w.found.Measured()
	if err == nil && w.special != nil {
		p.laws, err = p.placeLists(w.special)
	}
	if err == nil && measured != nil {
		p.measures, err = p.placeLists(measured)
	}
	if err != nil {
		return fmt.Errorf("lists of links: %w", err)
	}
	if p.laws == nil && p.measures == nil {
		return nil
	}
	code, err := p.d.codeOf(specialFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	k := &p.links
	return p.d.call("loading the kernels for special cells of "+p.spec.String(), func() (err error) {
		if k.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		k.loaded = true
		if k.special, err = k.module.Function("lbm_special"); err != nil {
			return fmt.Errorf("lbm_special: %w", err)
		}
		if k.force, err = k.module.Function("lbm_forces"); err != nil {
			return fmt.Errorf("lbm_forces: %w", err)
		}
		return nil
	})
}

func (k *linkKernels) unload(d *Device) {
	if k.loaded {
		_ = d.call("unloading kernels", k.module.Unload)
		k.loaded = false
	}
}

func (p *program) placeLists(l *boundary.Links) (*linkLists, error) {
	lists := &linkLists{links: l}
	var cells *buffer
	for to, data := range map[**buffer][]byte{&cells: raw.Bytes(l.Cells), &lists.laws: p.lawBytes(l), &lists.list: raw.Bytes(l.List), &lists.types: l.Types, &lists.sums: make([]byte, 48*p.types)} {
		var err error
		if *to, err = p.put(data); err != nil {
			return nil, err
		}
	}
	var err error
	lists.at, err = p.put(raw.Bytes([]linksABI{{uint64(cells.at), uint64(lists.list.at), uint64(lists.types.at), uint64(lists.laws.at)}}))
	return lists, err
}

// lawBytes is the numbers of the laws as the kernels read them.
func (p *program) lawBytes(l *boundary.Links) []byte {
	if p.spec.Precision == model.Float64 {
		return raw.Bytes(boundary.LawNumbers[float64](l, 0))
	}
	return raw.Bytes(boundary.LawNumbers[float32](l, 0))
}

// cellsOf is the range of a list's cells, by the first of each row, that a box may have: those of whole planes; of these the kernels
// take the box's rows.
func (p *program) cellsOf(rows []uint32, box decomp.Box) (first, last uint64) {
	ny := p.layout.N[1]
	from, to := box.Lo[2]*ny, box.Hi[2]*ny
	if p.spec.Lattice.Dims == 2 || box.Lo[2]+1 == box.Hi[2] {
		from, to = box.Lo[2]*ny+box.Lo[1], box.Lo[2]*ny+box.Hi[1]
	}
	return uint64(rows[from]), uint64(rows[to])
}

// specialLanes are the threads of a special cell: LBM_LANES of kernels/gpu/special.h.
const specialLanes = 8

// stepSpecial queues the special cells of a step, behind the others of the box.
func (p *program) stepSpecial(s *stream, in, out *buffer, box decomp.Box) {
	if p.laws == nil {
		return
	}
	if first, last := p.cellsOf(p.laws.links.Rows, box); first < last {
		s.queue("special cells", func() error {
			return launch(p.links.special, [3]int{raw.Ceil(specialLanes*int(last-first), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s.s,
				uint64(p.box.at), uint64(in.at), uint64(out.at), uint64(p.laws.at.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last)
		})
	}
}

// Forces adds up the links of measured walls.
func (p *program) Forces(state device.Buffer, q model.Params) ([]device.Load, error) {
	loads := make([]device.Load, p.types)
	if p.measures == nil {
		return loads, nil
	}
	own, err := p.state(state)
	if err == nil {
		err = p.tell(q)
	}
	sums := make([]int64, 6*p.types)
	if err == nil {
		l := <-p.d.lanes
		defer func() { p.d.lanes <- l }()
		cells := p.measures.links.Rows[len(p.measures.links.Rows)-1]
		if err = l.open(); err == nil {
			err = p.d.call("forces", func() error {
				to := p.measures.sums
				if err := cu.MemsetD8Async(to.at, 0, int64(to.bytes), l.stream); err != nil || cells == 0 {
					return err
				}
				return launch(p.links.force, [3]int{raw.Ceil(int(cells), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
					uint64(p.box.at), uint64(own.at), uint64(p.measures.at.at), uint64(to.at),
					uint64(p.origin[0]), uint64(p.origin[1]), uint64(p.origin[2]), uint64(cells))
			})
		}
		if err == nil {
			err = l.read(raw.Bytes(sums), p.measures.sums.at)
		}
		if err == nil {
			err = p.addScalar(l, own, loads)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("forces of %s: %w", p.spec, err)
	}
	for k := range loads {
		for a := range 3 {
			loads[k].Force[a], loads[k].Torque[a] = sums[6*k+a], sums[6*k+3+a]
		}
	}
	return loads, nil
}
