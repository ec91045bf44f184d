// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"

	"lbmsim/device"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// scenery is two fields of this rank's cells, with the cells around them that other ranks have: in the device's memory, where rays are
// cast if the device does that and has the formulas of both fields, otherwise in blocks on the host.
type scenery struct {
	blocks  []render.Block
	caster  *render.Caster // of the blocks; nil: none yet
	volumes []device.Volume
}

// scenery returns the present state of two fields, for pictures of so many pixels. Collective.
func (r *Run) scenery(shape, colour model.Field, size [2]int) (*scenery, error) {
	list, fields, g := [2]model.Field{shape, colour}, 2, &scenery{}
	if shape.Name == colour.Name {
		fields = 1
	}
	for _, s := range r.stored() {
		own := s.owned(r.Rank.ID)
		rays := 0
		if len(g.volumes) == 0 { // the first one casts them through all
			rays = render.Rays(size)
		}
		if v := r.volume(s, list, rays); v != nil {
			g.volumes = append(g.volumes, v)
			if err := s.fill(r, &deviceFields{Volume: v, rays: r.State.Rays(s.mine), part: s.view.Part, alike: fields == 1}, fields); err != nil {
				g.close()
				return nil, r.ofView(err)
			}
			continue
		}
		h := &hostFields{r: r, view: s.view, list: list, around: margined(own)}
		if s.view != nil {
			h.mine = s.part(r.Rank.ID)
		}
		if err := s.fill(r, h, fields); err != nil {
			g.close()
			return nil, r.ofView(err)
		}
		if own.Cells() > 0 {
			g.blocks = append(g.blocks, render.Block{Level: s.level, Lo: own.Lo, N: own.Size(), Shape: h.to[0], Colour: h.to[fields-1], Finest: s.finest(own)})
		}
	}
	return g, nil
}

// ofView says where an error was met.
func (r *Run) ofView(err error) error {
	return fmt.Errorf("rank %d: view at step %d: %w", r.Rank.ID, r.Step(), err)
}

// volume returns memory for the rank's cells of a box on the device; nil: the host has to cast their rays.
func (r *Run) volume(s stored, list [2]model.Field, rays int) device.Volume {
	own := s.owned(r.Rank.ID)
	if own.Cells() == 0 {
		return nil
	}
	var fields [2]device.Shown
	for i, f := range list {
		var ok bool
		if fields[i], ok = s.view.Shown(f); !ok {
			return nil
		}
	}
	at := device.VolumeBox{Block: render.Block{Level: s.level, Lo: own.Lo, N: own.Size(), Finest: s.finest(own)}, Local: s.view.Part.Local(own).Lo, Rays: rays}
	for a, n := range r.Case.Cells {
		at.Domain[a] = n << s.level
	}
	return r.State.Rays(s.mine).NewVolume(at, fields)
}

// cast casts the rays of a scene, whose value stays the same. The hits follow from the result, beside the steps and once.
func (g *scenery) cast(r *Run, s render.Scene) (func() []render.Hit, error) {
	if g.caster == nil {
		g.caster = render.NewCaster(s, g.blocks)
	}
	var hits []render.Hit
	if len(g.blocks) > 0 {
		hits = cast(r, s, g.caster.From(s.Camera).Row)
	}
	if len(g.volumes) == 0 {
		return func() []render.Hit { return hits }, nil
	}
	seen, err := g.volumes[0].Cast(s, g.volumes[1:]...)
	if err != nil {
		return nil, r.ofView(err)
	}
	return func() []render.Hit { return render.Nearest(seen.Hits(), hits) }, nil
}

// close frees the device's memory.
func (g *scenery) close() {
	for _, v := range g.volumes {
		v.Close()
	}
	g.volumes = nil
}
