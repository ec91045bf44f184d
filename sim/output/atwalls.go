// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"slices"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// place is a set of cells at which an output samples a field of cells beside walls.
type place struct {
	head  string
	field string
	cells []decomp.Place
}

// warnOfNoWalls warns of outputs of a field of cells beside walls that sample none of them. Collective.
func (s *Set) warnOfNoWalls() {
	places := s.placesAtWalls()
	if len(places) == 0 {
		return
	}
	beside := make([]int64, len(places))
	for i, p := range places {
		if slices.ContainsFunc(p.cells, func(at decomp.Place) bool { return derive.BesideWall(s.Run.View, at) }) {
			beside[i] = 1
		}
	}
	if comm.Max(s.Rank.Comm, beside) != nil || !s.Rank.Root { // ranks that cannot communicate fail at the first step
		return
	}
	for i, p := range places {
		if beside[i] == 0 {
			s.Rank.Warn(finding.NoWall.Says("[%s]: none of its cells is adjacent to a no-slip wall, so %s is 0: move it to cells at the wall", p.head, p.field))
		}
	}
}

// placesAtWalls lists the probes, lines and expectations of such a field.
func (s *Set) placesAtWalls() (list []place) {
	for _, p := range s.Case.Probes {
		if i := slices.IndexFunc(p.Fields, model.Field.AtWalls); i >= 0 {
			list = append(list, place{"output.probe." + p.Name, p.Fields[i].Name, []decomp.Place{s.Run.View.Cell(p.Cell, p.Within).Place()}})
		}
	}
	for _, l := range s.Case.Lines {
		if i := slices.IndexFunc(l.Fields, model.Field.AtWalls); i >= 0 {
			l := lines{Line: l}
			list = append(list, place{"output.line." + l.Name, l.Fields[i].Name, derive.Around(s.Run.View, l.points(0, min(l.Points, chunk))).Cells})
		}
	}
	for _, e := range s.Case.Expect {
		if e.Field.AtWalls() {
			list = append(list, place{e.Name, e.Field.Name, derive.CellsOf(s.Run.View, e)})
		}
	}
	return list
}
