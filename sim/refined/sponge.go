// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// Sponges through interfaces: their cells have relaxation times of their own, by which stress is rescaled. Cells of one
// layer of level 0 share them, and have a separate coupling.

// layer is the cells of one, and their numbers on the coarser level and on their own.
type layer struct {
	lists       device.CouplingLists
	coarse, own *model.Params
}

// spongy couples the cells of a layer with the coarser level.
type spongy struct {
	device.Coupling
	layer
}

// in returns the numbers of a level in a sponge.
func in(sponge *model.Params, level model.Params) model.Params {
	level.Omega, level.OmegaMinus, level.Viscosity = sponge.Omega, sponge.OmegaMinus, sponge.Viscosity
	return level
}

// layers takes the cells in sponges out of lists with the coarser level, into lists for each layer.
func (p *Patch) layers(lists *device.CouplingLists) (list []layer) {
	if p.Part.Cells.Rates == nil {
		return nil
	}
	sponges, level := domain.NewSponges(p.Part), p.cut.Level
	places := map[int64]*model.Params{} // of first children, and their layers
	note := func(child [3]int) {
		if p.Part.Box.Contains(child) {
			if own := sponges.At(child, level); own != nil {
				places[int64(p.cut.At(child))] = own
			}
		}
	}
	coarse := map[*model.Params]*model.Params{} // of the layers
	h := p.cut.Hierarchy
	h.Overlap(level, func(f decomp.Filled) {
		if f.Patch == p.cut.Patch {
			note(f.Cell)
			if own := sponges.At(f.Cell, level); own != nil {
				coarse[own] = sponges.At(f.Cell, level-1)
			}
		}
	})
	h.Mirror(level-1, func(cell [3]int) {
		for a := range h.Dims() {
			cell[a] *= 2
		}
		note(cell)
		if own := sponges.At(cell, level); own != nil {
			coarse[own] = sponges.At(cell, level-1)
		}
	})
	all := *lists
	lists.Parents.List, lists.Families = nil, nil
	layers, order := map[*model.Params]*device.CouplingLists{nil: lists}, []*model.Params{}
	listsOf := func(first int64) *device.CouplingLists {
		own := places[first]
		if layers[own] == nil {
			layers[own] = &device.CouplingLists{Parents: decomp.Parents{Cells: all.Parents.Cells, Extrapolated: all.Parents.Extrapolated, Rounds: all.Parents.Rounds}}
			order = append(order, own)
		}
		return layers[own]
	}
	for _, parent := range all.Parents.List {
		to := listsOf(parent.First)
		to.Parents.List = append(to.Parents.List, parent)
	}
	for _, family := range all.Families {
		to := listsOf(family.First)
		to.Families = append(to.Families, family)
	}
	for _, own := range order {
		list = append(list, layer{*layers[own], coarse[own], own})
	}
	return list
}

// prolong and restrict apply the coupling with the coarser level, including sponges.
func (p *Patch) prolong(on device.Stream, buffer device.Buffer, coarse, own model.Params) {
	p.up.Prolong(on, buffer, p.State[0], coarse, own)
	for _, s := range p.spongy {
		s.Prolong(on, buffer, p.State[0], in(s.coarse, coarse), in(s.own, own))
	}
}

func (p *Patch) restrict(on device.Stream, means device.Buffer, own, coarse model.Params) {
	p.up.Restrict(on, p.State[0], means, own, coarse)
	for _, s := range p.spongy {
		s.Restrict(on, p.State[0], means, in(s.own, own), in(s.coarse, coarse))
	}
}
