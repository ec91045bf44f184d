//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/model"
)

// eddies is what a program has for a law that looks at neighbours: the kernel of kernels/gpu/eddies.h and its numbers.
type eddies struct {
	module cu.Module
	loaded bool
	find   cu.Function
	at     *buffer
}

// placeEddies loads the kernel, and takes the memory before the box is told of it.
func (p *program) placeEddies() error {
	if !p.spec.Viscosity.LooksAround() {
		return nil
	}
	e := &p.eddies
	n := p.layout.N
	if max(n[1], n[2]) > maxGrid {
		return fmt.Errorf("eddies of %s: a grid of blocks has at most %d rows along an axis", p.spec, maxGrid)
	}
	var err error
	if e.at, err = p.d.alloc(p.layout.Pitch * n[1] * n[2] * p.spec.EddyBytes()); err != nil {
		return fmt.Errorf("eddies of %s: %w", p.spec, err)
	}
	p.lists = append(p.lists, e.at)
	code, err := p.d.codeOf(eddiesFile, p.spec, ownPitch(p.layout.Pitch))
	if err != nil {
		return err
	}
	return p.d.call("loading the kernel for the eddies of "+p.spec.String(), func() (err error) {
		if e.module, err = cu.LoadData(string(code)); err != nil {
			return err
		}
		e.loaded = true
		e.find, err = e.module.Function("lbm_eddies")
		return err
	})
}

func (e *eddies) unload(d *Device) {
	if e.loaded {
		_ = d.call("unloading kernels", e.module.Unload)
		e.loaded = false
	}
}

// FindEddies queues the pass.
func (p *program) FindEddies(s device.Stream, state device.Buffer, q model.Params) {
	own := p.stream(s)
	from, err := p.state(state)
	if err == nil && p.eddies.at == nil {
		err = fmt.Errorf("there are none")
	}
	if err == nil {
		err = p.tellStep(q)
	}
	if err != nil {
		own.fail(fmt.Errorf("eddies of %s: %w", p.spec, err))
		return
	}
	n := p.layout.N
	own.queue("eddies", func() error {
		return launch(p.eddies.find, [3]int{ceil(n[0], rowThreads), n[1], n[2]}, [2]int{rowThreads, 1}, 0, own.s, uint64(p.box.at), uint64(from.at))
	})
}

// Eddies is their memory.
func (p *program) Eddies() device.Buffer {
	if p.eddies.at == nil {
		return nil
	}
	return p.eddies.at
}

var _ device.EddyKeeper = (*program)(nil)
