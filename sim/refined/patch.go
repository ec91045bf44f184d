// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/level"
)

// Patch is this rank's part of a patch.
type Patch struct {
	*level.Level
	cut decomp.Part
	own device.Buffer // sums of faces to the next level, from this side

	up, down, beside device.Coupling // with the coarser and the finer level, and with other patches; nil: there is no such
	spongy           []spongy        // with the coarser level in sponges
}

// ahead returns the step after the level's step n. Of the overlap the first one within a step of the coarser level computes
// a layer, which the second one reads; along x rows are stepped whole.
func (p *Patch) ahead(n int) level.Ahead {
	needed := p.cut.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned
	for a := range needed.Lo {
		needed.Lo[a], needed.Hi[a] = needed.Lo[a]-1+n%2, needed.Hi[a]+1-n%2
	}
	needed = p.Part.Local(domain.Intersect(needed, p.Part.Box))
	needed.Lo[0], needed.Hi[0] = 0, p.Part.Layout.N[0]
	return level.Ahead{Level: p.Level, Needed: needed}
}

// couple uploads lists.
func (p *Patch) couple(lists device.CouplingLists) (device.Coupling, error) {
	return p.Program.(device.Coupler).Couple(lists)
}

// uplists returns the lists with the coarser level.
func (p *Patch) uplists(coarse *between) (lists device.CouplingLists, err error) {
	cells, spec := p.Part.Cells, p.Part.Case.Spec
	lists = device.CouplingLists{Parents: p.cut.Parents(coarse.shells.Slots, coarse.shells.Place), Families: p.cut.Families(coarse.means.Source)}
	lists.Crossings, err = boundary.FineCrossings(spec, p.cut, cells, p.cut.Inside(), coarse.fluxes.FaceSource)
	return lists, err
}

// downlists returns the lists with the finer level, and the number of cells that it corrects.
func (p *Patch) downlists(fine *between) (lists device.CouplingLists, corrected int, err error) {
	cells, spec := p.Part.Cells, p.Part.Case.Spec
	lists = device.CouplingLists{Values: p.sources(fine.shells), Scattered: p.needs(fine.means)}
	outside := p.cut.Outside()
	lists.Corrected, lists.Faces = p.cut.Corrected(outside, fine.fluxes.FacePlace)
	lists.Crossings, err = boundary.CoarseCrossings(spec, p.cut, cells, outside)
	return lists, len(outside), err
}

// sources lists the cells of the patch that traffic sends, needs the cells that it receives.
func (p *Patch) sources(t *traffic) (list []decomp.Copied) {
	at := p.cut.Places()
	t.Sources(func(i decomp.Item, slot int) {
		if i.Patch == p.cut.Patch {
			list = append(list, decomp.Copied{At: int64(at(i.Cell)), Place: int64(slot)})
		}
	})
	return list
}

func (p *Patch) needs(t *traffic) (list []decomp.Copied) {
	at := p.cut.Places()
	t.Needed(func(i decomp.Item, slot, _ int) {
		if i.Patch == p.cut.Patch {
			list = append(list, decomp.Copied{At: int64(at(i.Cell)), Place: int64(slot)})
		}
	})
	return list
}

// build makes the couplings: coarse leads to the coarser level, fine to the finer one, and is nil on the finest level.
func (p *Patch) build(siblings *traffic, coarse, fine *between) error {
	fail := func(err error) error {
		return fmt.Errorf("what patch %d of level %d exchanges: %w", p.cut.Patch, p.cut.Level, err)
	}
	if siblings != nil {
		lists := device.CouplingLists{Gathered: p.sources(siblings), Scattered: p.cut.Siblings(siblings.Place)}
		var err error
		if p.beside, err = p.couple(lists); err != nil {
			return fail(err)
		}
	}
	if coarse != nil {
		lists, err := p.uplists(coarse)
		for _, in := range p.layers(&lists) {
			own := spongy{layer: in}
			if err == nil {
				own.Coupling, err = p.couple(in.lists)
			}
			if err == nil {
				p.spongy = append(p.spongy, own)
			}
		}
		if err == nil {
			p.up, err = p.couple(lists)
		}
		if err != nil {
			return fail(err)
		}
	}
	if fine != nil {
		lists, corrected, err := p.downlists(fine)
		if err == nil {
			p.down, err = p.couple(lists)
		}
		if err == nil {
			p.own, err = p.Device.Alloc(max(1, corrected) * sumBytes(p.Part.Case.Spec))
		}
		if err != nil {
			return fail(err)
		}
	}
	return nil
}

// sumBytes returns the size of the sums at a face.
func sumBytes(spec model.Spec) int { return 8 * device.SumNumbers(spec) }

// couplings returns the patch's couplings.
func (p *Patch) couplings() (list []device.Coupling) {
	for _, c := range []device.Coupling{p.up, p.down, p.beside} {
		if c != nil {
			list = append(list, c)
		}
	}
	for _, s := range p.spongy {
		list = append(list, s.Coupling)
	}
	return list
}

// bytes returns the memory of a patch that has been built.
func (p *Patch) bytes() int {
	n := p.Level.Bytes()
	for _, c := range p.couplings() {
		n += c.Bytes()
	}
	if p.own != nil {
		n += p.own.Bytes()
	}
	return n
}

// close is collective.
func (p *Patch) close() {
	for _, c := range p.couplings() {
		c.Close()
	}
	if p.own != nil {
		p.own.Free()
	}
	p.Level.Close()
}
