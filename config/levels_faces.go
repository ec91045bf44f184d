// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/decomp"
)

// Boxes at faces with a wall model. Each level has ghost cells of its own behind such a face, which read the column of its cells above
// them: the columns that a level has beside a face must reach as high as the law reads and the layer is.

// overModels refuses boxes that end, or begin, within these columns, and boxes at edges with walls that send populations back: links
// to such an edge are bounced back on one side and not on the other.
func (r *levels) overModels() {
	if r.finer == nil {
		return
	}
	for _, b := range r.Boundaries {
		if b.Kind.Law != boundary.ModelledWall {
			continue
		}
		reach := 1 + int(math.Ceil(math.Max(b.Model.Sample, b.Model.Layer)))
		for _, f := range b.Faces {
			for l := 1; l < len(r.finer.Levels); l++ {
				for _, p := range r.finer.Levels[l].Patches {
					r.overModel(b, f, l, p.Owned, reach)
				}
			}
		}
	}
}

// overModel refuses a patch of a level that is too low over a face, or begins too near to it.
func (r *levels) overModel(b Boundary, f Face, level int, patch decomp.Box, reach int) {
	n, whole := r.finer.Levels[level].N[f.Axis], patch
	from, to := patch.Lo[f.Axis], patch.Hi[f.Axis] // heights over the face
	if f.Side == 1 {
		from, to = n-to, n-from
	}
	face := func(height int) decomp.Box { // the patch, or the cells below it, up to a height over the face
		if whole.Lo[f.Axis] = 0; f.Side == 1 {
			whole.Lo[f.Axis] = n - height
		}
		whole.Hi[f.Axis] = whole.Lo[f.Axis] + height
		return whole
	}
	s := r.tableOver(level, patch)
	instead := func(height int) string {
		boxes := r.finer.Around("", level, face(height), 0)
		if len(boxes) == 0 { // several boxes make up what one has to be
			return "write a box that reaches the face before the others of its level"
		}
		return "add\n" + r.toPaste(s.Name(), boxes)
	}
	wall, beside, edge := r.atEdge(f, level, patch)
	switch {
	case from == 0 && edge:
		r.Add(s.At, fmt.Sprintf("end it before face %s, or give [boundary.%s] type \"slip\" or \"wall_model\"", beside, wall), "%s reaches the edge of face %s, where [boundary.%s] has a wall model, and face %s of [boundary.%s]: not with [refine] yet", s.Head(), f, b.Name, beside, wall)
	case from == 0 && to < min(reach, n):
		r.Add(s.At, instead(min(reach+reach%2, n)), "%s ends %s above face %s, where [boundary.%s] has a wall model that reads %s", s.Head(), r.cellsInUnits(to, level), f, b.Name, r.cellsInUnits(reach, level))
	case from > 0 && from < 2*reach && !r.finer.Contains(level, face(2)):
		r.Add(s.At, instead(to)+"\nor begin it "+r.cellsInUnits(reach, level-1)+" above the face", "%s begins %s above face %s, where [boundary.%s] has a wall model", s.Head(), r.cellsInUnits(from, level), f, b.Name)
	}
}

// atEdge returns a wall without ghost cells that a patch of a level reaches beside a face.
func (r *levels) atEdge(f Face, level int, patch decomp.Box) (wall string, beside Face, ok bool) {
	for _, b := range r.Boundaries {
		for _, beside := range b.Faces {
			a := beside.Axis
			reaches := beside.Side == 0 && patch.Lo[a] == 0 || beside.Side == 1 && patch.Hi[a] == r.finer.Levels[level].N[a]
			if a != f.Axis && reaches && !b.Kind.Law.Open() && b.Kind.Law != boundary.ModelledWall {
				return b.Name, beside, true
			}
		}
	}
	return "", Face{}, false
}

// tableOver returns the table of a box of a level that has cells of a patch.
func (r *levels) tableOver(level int, patch decomp.Box) *language.Section {
	width := 1 / float64(int(1)<<level)
	k := slices.IndexFunc(r.Refine, func(o decomp.Refinement) bool {
		has := o.Level == level
		for a := range r.dims {
			has = has && o.From[a] < width*float64(patch.Hi[a]) && o.To[a] > width*float64(patch.Lo[a])
		}
		return has
	})
	return r.tableOf(r.Refine[k])
}
