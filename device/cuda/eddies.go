//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"

	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// eddies is what a program has for a law that looks at neighbours: the kernel of kernels/gpu/eddies.h and its numbers.
type eddies struct {
	module cu.Module
	loaded bool
	find   cu.Function
	tile   [3]int // cells of a block; a thread has one of each of its planes
	at     *buffer
}

// placeEddies loads the kernel, and takes the memory before the box is told of it.
func (p *program) placeEddies() error {
	if !p.spec.Viscosity.LooksAround() {
		return nil
	}
	e := &p.eddies
	n := p.layout.N
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
		if e.find, err = e.module.Function("lbm_eddies"); err != nil {
			return err
		}
		var tile [3]int32
		if err := numbersIn(e.module, "lbm_eddies_shape", tile[:]); err != nil {
			return err
		}
		if rows := int(tile[1]) * maxGrid; n[1] > rows {
			return fmt.Errorf("at most %d cells along y on a rank have eddies: more ranks along y, or the long axis along x", rows)
		}
		e.tile = [3]int{int(tile[0]), int(tile[1]), int(tile[2])}
		return nil
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
	tile := p.eddies.tile
	var grid [3]int
	for a, n := range p.layout.N {
		grid[a] = raw.Ceil(n, tile[a])
	}
	own.queue("eddies", func() error {
		return launch(p.eddies.find, grid, [2]int{tile[0], tile[1]}, 0, own.s, uint64(p.box.at), uint64(from.at))
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
