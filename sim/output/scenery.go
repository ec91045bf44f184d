// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"

	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/render"
	"lbmsim/model"
)

// scenery is two fields of this rank's cells, with the cells around them that other ranks have: in the device's memory, where rays are
// cast if the device does that and has the formulas of both fields, otherwise in blocks on the host.
type scenery struct {
	fields  [2]model.Field // of the shape and of the colour
	pixels  int
	pieces  []piece
	caster  *render.Caster // of the blocks; nil: none yet
	blocks  []render.Block
	volumes []device.Volume
}

// piece is the rank's cells of a box.
type piece struct {
	stored
	own    decomp.Box
	volume device.Volume // nil: the host casts their rays
}

// reserve allocates the device's memory for pictures of so many pixels of two fields.
func (r *Run) reserve(shape, colour model.Field, size [2]int) *scenery {
	g := &scenery{fields: [2]model.Field{shape, colour}, pixels: size[0] * size[1]}
	for _, s := range r.stored() {
		p := piece{stored: s, own: s.owned(r.Rank.ID)}
		rays := 0
		if len(g.volumes) == 0 { // the first one casts them through all
			rays = render.Rays(size)
		}
		if p.volume = r.volume(s, p.own, g.fields, rays); p.volume != nil {
			g.volumes = append(g.volumes, p.volume)
		}
		g.pieces = append(g.pieces, p)
	}
	return g
}

// bytes returns the host's memory for the fields that the device does not have, and for the hits.
func (g *scenery) bytes() int64 {
	cells := 0
	for _, p := range g.pieces {
		if p.volume == nil {
			cells += margined(p.own).Cells()
		}
	}
	return render.Bytes(int64(cells), g.fields[0].Components+g.fields[1].Components, g.pixels)
}

// gather takes the present state of both fields. After an error the memory is free. Collective.
func (g *scenery) gather(r *Run) error {
	fields := 2
	if g.fields[0].Name == g.fields[1].Name {
		fields = 1
	}
	for _, p := range g.pieces {
		var err error
		if p.volume != nil {
			err = p.fill(r, &deviceFields{Volume: p.volume, rays: r.State.Rays(p.mine), part: p.view.Part, alike: fields == 1}, fields)
		} else {
			err = g.hold(r, p, fields)
		}
		if err != nil {
			g.close()
			return r.ofView(err)
		}
	}
	return nil
}

// hold gathers a piece whose rays the host casts. Collective.
func (g *scenery) hold(r *Run, p piece, fields int) error {
	h := &hostFields{r: r, view: p.view, list: g.fields, around: margined(p.own)}
	if p.view != nil {
		h.mine = p.part(r.Rank.ID)
	}
	if err := p.fill(r, h, fields); err != nil || p.own.Cells() == 0 {
		return err
	}
	g.blocks = append(g.blocks, render.Block{Level: p.level, Lo: p.own.Lo, N: p.own.Size(), Shape: h.to[0], Colour: h.to[fields-1], Finest: p.finest(p.own)})
	return nil
}

// volume returns memory for the rank's cells of a box on the device; nil: the host has to cast their rays.
func (r *Run) volume(s stored, own decomp.Box, list [2]model.Field, rays int) device.Volume {
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
func (g *scenery) cast(r *Run, s render.Scene) (listing, error) {
	if g.caster == nil {
		g.caster = render.NewCaster(s, g.blocks)
	}
	var hits []render.Hit
	var failed error
	if len(g.blocks) > 0 {
		hits, failed = cast(r, s, g.caster.From(s.Camera).Row)
	}
	if len(g.volumes) == 0 {
		return func() ([]render.Hit, error) { return hits, failed }, nil
	}
	seen, err := g.volumes[0].Cast(s, g.volumes[1:]...)
	if err != nil {
		return nil, r.ofView(err)
	}
	return func() ([]render.Hit, error) {
		theirs, err := seen.Hits()
		return render.Nearest(theirs, hits), errors.Join(failed, err)
	}, nil
}

// close frees the device's memory.
func (g *scenery) close() {
	for _, v := range g.volumes {
		v.Close()
	}
	g.volumes = nil
}
