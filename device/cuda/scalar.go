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

// scalar is what a program has for a scalar: the functions of kernels/gpu/scalar.h and
// lists of walls.
type scalar struct {
	module    cu.Module
	loaded    bool
	lost      cu.Function
	mend, mix cu.Function // of cells beside walls and faces
	walls     *buffer     // scalarABI
	sums      *buffer     // by type
	links     int         // to measured walls
	// Cells that mend and mix compute.
	plain, mixed boundary.ScalarPlaces
}

// placeScalar loads the kernels and makes the lists of a spec with a scalar.
func (p *program) placeScalar(w *walls) error {
	if !p.spec.Scalar {
		return nil
	}
	s, found := &p.scalar, w.found
	laws := raw.Bytes(boundary.ScalarLaws[float32](found))
	if p.spec.Precision == model.Float64 {
		laws = raw.Bytes(boundary.ScalarLaws[float64](found))
	}
	links := found.ScalarLinks()
	s.links = len(links)
	s.plain, s.mixed = found.ScalarPlaces(w.special, p.spec.Viscosity == model.Smagorinsky)
	var abi scalarABI
	for to, data := range map[*uint64][]byte{&abi.types: found.ScalarTypes(), &abi.laws: laws, &abi.links: raw.Bytes(links), &abi.mend: raw.Bytes(s.plain.Cells), &abi.mix: raw.Bytes(s.mixed.Cells), &abi.distances: raw.Bytes(s.mixed.Distances)} {
		b, err := p.put(data)
		if err != nil {
			return fmt.Errorf("walls of the scalar: %w", err)
		}
		*to = uint64(b.at)
	}
	var err error
	if s.walls, err = p.put(raw.Bytes([]scalarABI{abi})); err == nil {
		s.sums, err = p.put(make([]byte, 8*p.types))
	}
	if err != nil {
		return fmt.Errorf("walls of the scalar: %w", err)
	}
	code, err := p.d.codeOf(scalarFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	return p.d.call("loading the kernels for the scalar of "+p.spec.String(), func() (err error) {
		if s.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		s.loaded = true
		functions := map[string]*cu.Function{"lbm_lost": &s.lost, "lbm_mend": &s.mend, "lbm_mix": &s.mix}
		for name, f := range functions {
			if *f, err = s.module.Function(name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// put brings a list to the GPU; Close frees it.
func (p *program) put(data []byte) (*buffer, error) {
	b, err := p.d.alloc(len(data))
	if err != nil {
		return nil, err
	}
	p.lists = append(p.lists, b)
	if len(data) > 0 {
		err = b.Write(data, 0)
	}
	return b, err
}

func (s *scalar) unload(d *Device) {
	if s.loaded {
		_ = d.call("unloading kernels", s.module.Unload)
		s.loaded = false
	}
}

// stepScalar queues what walls and faces do to the scalar in a step, behind all of the flow's of the box.
func (p *program) stepScalar(s *stream, in, out *buffer, box decomp.Box) {
	if !p.spec.Scalar {
		return
	}
	p.stepPlaces(s, p.scalar.mend, &p.scalar.plain, in, out, box)
	p.stepPlaces(s, p.scalar.mix, &p.scalar.mixed, in, out, box)
}

// stepPlaces queues those of a list that lie in the box.
func (p *program) stepPlaces(s *stream, fn cu.Function, list *boundary.ScalarPlaces, in, out *buffer, box decomp.Box) {
	first, last := p.cellsOf(list.Rows, box)
	if first == last {
		return
	}
	s.queue("scalar", func() error {
		return launch(fn, [3]int{raw.Ceil(int(last-first), rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, s.s,
			uint64(p.box.at), uint64(in.at), uint64(out.at), uint64(p.scalar.walls.at), uint64(box.Lo[1]), uint64(box.Hi[1]), first, last)
	})
}

// addScalar adds what of a scalar leaves through measured walls, with a lane at hand.
func (p *program) addScalar(l *lane, state *buffer, loads []device.Load) error {
	s := &p.scalar
	if !p.spec.Scalar || s.links == 0 {
		return nil
	}
	sums := make([]int64, p.types)
	err := p.d.call("what leaves of a scalar", func() error {
		if err := cu.MemsetD8Async(s.sums.at, 0, int64(s.sums.bytes), l.stream); err != nil {
			return err
		}
		return launch(s.lost, [3]int{raw.Ceil(s.links, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
			uint64(p.box.at), uint64(state.at), uint64(s.walls.at), uint64(s.sums.at), uint64(s.links))
	})
	if err == nil {
		err = l.read(raw.Bytes(sums), s.sums.at)
	}
	for k, v := range sums {
		loads[k].Scalar = v
	}
	return err
}
