// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"lbmsim/geometry"
	"lbmsim/model"
)

// Sponges are the layers of higher viscosity in front of faces, on the levels of a refined grid. A cell of a finer level has
// the viscosity of the cell of level 0 that contains it, so that the relaxation times of a parent and its children belong to
// each other.
type Sponges struct {
	part  *Part
	scene geometry.Scene // of level 0
	finer []map[*model.Params]*model.Params
}

// NewSponges returns the sponges of a patch's domain.
func NewSponges(p *Part) Sponges {
	s := Sponges{part: p, scene: p.whole.Geometry()}
	for l := range p.level + 1 {
		level := map[*model.Params]*model.Params{}
		for _, layer := range s.scene.Sponges {
			for k := range layer.Rates {
				base := &layer.Rates[k]
				own := *base
				for range l {
					own = own.Finer(p.Case.Spec.Viscosity)
				}
				level[base] = &own
			}
		}
		s.finer = append(s.finer, level)
	}
	return s
}

// At returns the numbers of a level, the patch's or a coarser one, in the place of a cell of the patch's level; nil outside all sponges.
func (s Sponges) At(cell [3]int, level int) *model.Params {
	for a := range s.part.Case.Dims() {
		if n := s.part.Case.Cells[a]; s.part.Case.Periodic[a] {
			cell[a] = (cell[a]%n + n) % n
		}
		cell[a] >>= s.part.level
	}
	base := s.scene.Rates(cell)
	if base == nil {
		return nil
	}
	return s.finer[level][base]
}
