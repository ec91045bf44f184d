//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// scalar is what a program has for a scalar: the functions of kernels/gpu/scalar.h and
// lists of walls.
type scalar struct {
	module     cu.Module
	loaded     bool
	step, lost cu.Function
	walls      *buffer // scalarABI
	sums       *buffer // by type
	links      int     // to measured walls
}

// placeScalar loads the kernels and makes the lists of a spec with a scalar.
func (p *program) placeScalar(found *boundary.Walls) error {
	if !p.spec.Scalar {
		return nil
	}
	s := &p.scalar
	laws := bytesOf(boundary.ScalarLaws[float32](found))
	if p.spec.Precision == model.Float64 {
		laws = bytesOf(boundary.ScalarLaws[float64](found))
	}
	links := found.ScalarLinks()
	s.links = len(links)
	var abi scalarABI
	for to, data := range map[*uint64][]byte{&abi.types: found.ScalarTypes(), &abi.laws: laws, &abi.links: bytesOf(links)} {
		b, err := p.put(data)
		if err != nil {
			return fmt.Errorf("walls of the scalar: %w", err)
		}
		*to = uint64(b.at)
	}
	var err error
	if s.walls, err = p.put(bytesOf([]scalarABI{abi})); err == nil {
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
		if s.step, err = s.module.Function("lbm_scalar"); err != nil {
			return fmt.Errorf("lbm_scalar: %w", err)
		}
		if s.lost, err = s.module.Function("lbm_lost"); err != nil {
			return fmt.Errorf("lbm_lost: %w", err)
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

// stepScalar queues the scalar of a step, behind all of the flow's of the box.
func (p *program) stepScalar(s *stream, in, out *buffer, box decomp.Box) {
	if !p.spec.Scalar {
		return
	}
	for z := box.Lo[2]; z < box.Hi[2]; z += maxGrid {
		for y := box.Lo[1]; y < box.Hi[1]; y += maxGrid {
			grid := [3]int{ceil(p.layout.N[0], rowThreads), min(maxGrid, box.Hi[1]-y), min(maxGrid, box.Hi[2]-z)}
			s.queue("scalar", func() error {
				return launch(p.scalar.step, grid, [2]int{rowThreads, 1}, 0, s.s,
					uint64(p.box.at), uint64(in.at), uint64(out.at), uint64(p.scalar.walls.at), uint64(y), uint64(z))
			})
		}
	}
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
		return launch(s.lost, [3]int{ceil(s.links, rowThreads), 1, 1}, [2]int{rowThreads, 1}, 0, l.stream,
			uint64(p.box.at), uint64(state.at), uint64(s.walls.at), uint64(s.sums.at), uint64(s.links))
	})
	if err == nil {
		err = l.read(bytesOf(sums), s.sums.at)
	}
	for k, v := range sums {
		loads[k].Scalar = v
	}
	return err
}
