// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"errors"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// [refine.NAME]: boxes of finer cells.

// refineTable describes [refine.NAME].
func refineTable() language.Table {
	return language.Table{Path: "refine.*", OneOf: [][]string{{"from", "around"}, {"to", "around"}}, Keys: []language.Key{
		{Name: "level", Kind: language.Integer, Within: language.Counts(1, decomp.MaxLevel), Doc: "level of the cells: their edge is the spacing divided by 2 for level 1, by 4 for level 2, up to 32 for level 5. A box of a level above 1 lies inside boxes of the level below, two of their cells away from their ends"},
		{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "the box's lower corner. Boxes are extended to whole cells of the level below and clipped to the domain"},
		{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "the box's upper corner"},
		{Name: "around", Kind: language.Name, Doc: "instead of corners, a [body.NAME] with a shape: the bounding box of the body, with a margin"},
		{Name: "margin", Kind: language.Quantity, Dim: model.Length, Within: language.AtLeast(0), DefaultDoc: "6 cells of the level; with a wall model plus its sample or layer, plus 2", Doc: "around: distance of the box's ends from the body. Boxes of several levels around one body nest with the default"},
	}, Doc: "A box of finer cells ([when and how](refine.md)): a cell of level l has half the edge of a cell of level l-1 and takes two steps per step of it. [domain] describes level 0. Boxes of a level may overlap or touch."}
}

// marginCells is the default distance of a box's ends from the body, in cells of its level. The body needs 4 of them. With 6 boxes of
// several levels around one body fit into each other: 3 cells of the coarser level are taken by the finer box, up to one by snapping,
// and 2 by nesting.
const marginCells = 6

// MarginAround returns the default margin of a box around a body, in cells of its level: the ghost cells of a wall model read more.
func MarginAround(b Body) float64 {
	return marginCells - interfaceMargin + max(interfaceMargin, float64(boundary.ModelledNear([]boundary.Wall{{Law: b.Kind.Law, Model: b.Model}})))
}

// levels reads [refine.NAME], after the bodies.
type levels struct {
	*frame
	*Flow
	*Solids
}

func (r *levels) read() {
	whole := true
	for _, s := range r.All("refine") {
		if b, ok := r.box(s); ok {
			r.Refine = append(r.Refine, b)
		} else {
			whole = false
		}
	}
	unsure := !whole || !r.haveBox || r.Section("domain").Broken("periodic") // one box may be missing around others
	if len(r.Refine) == 0 || unsure {
		return
	}
	h, err := r.fitted(r.dims)
	var wrong decomp.Misfits
	if errors.As(err, &wrong) {
		for _, m := range wrong {
			r.misfit(m)
		}
	}
	if err != nil {
		return
	}
	r.finer = h
	r.apart()
	r.finestTau()
}

// finestTau checks the relaxation time of the finest level: tau - 1/2 doubles with each.
func (r *levels) finestTau() {
	finest := len(r.finer.Levels) - 1
	tau := 0.5 + (r.Tau-0.5)*float64(int(1)<<finest)
	if r.haveTime && tau > 2 && r.Tau <= 2 {
		r.warn(finding.TauLarge, "tau = %s on level %d is above 2: errors grow with tau^2; fewer levels, or a smaller lattice velocity or time step lower it", language.Short(tau), finest)
	}
}

// misfit reports a box that cannot be refined, with the text to write instead.
func (r *levels) misfit(m *decomp.Misfit) {
	s, axis := r.tableOf(m.Box), axes()[m.Axis]
	place := func(cells float64) string { return r.lengthOf(r.Origin[m.Axis] + cells*r.Units.Length) }
	from, to := place(m.Box.From[m.Axis]), place(m.Box.To[m.Axis])
	end := r.Origin
	for a := range end {
		end[a] += r.size[a]
	}
	switch m.Why {
	case decomp.EmptyBox:
		r.Add(s.Get("to").Values[m.Axis].At, "from is the corner with the smallest coordinates", "%s is empty: its %s runs from %s to %s", s.Head(), axis, from, to)
	case decomp.BoxOutside:
		r.Add(s.At, "the domain runs from "+r.point(r.Origin)+" to "+r.point(end), "%s lies outside the domain: its %s runs from %s to %s", s.Head(), axis, from, to)
	case decomp.NarrowDomain:
		r.Add(s.At, "make "+axis+" periodic, or the domain wider", "%s: the domain has only %d cells across %s: too few to refine them", s.Head(), r.Cells[m.Axis], axis)
	case decomp.OverSeam:
		r.Add(s.At, "write a box at each end instead:\n"+r.toPaste(s.Name(), m.Instead), "%s crosses the periodic face along %s: its %[2]s runs from %[3]s to %[4]s", s.Head(), axis, from, to)
	case decomp.LooseBox:
		reason := "a box must be at least " + r.cellsInUnits(decomp.Nesting, m.Box.Level-1) + " inside that level. Add\n" + r.toPaste(s.Name(), m.Instead)
		if m.Within.Level > 0 && !s.Has("around") { // a body needs its margin
			reason += "\nor give " + s.Head() + "\n" + r.corners(m.Within)
		}
		r.Add(s.At, reason, "%s of level %d lies outside level %d", s.Head(), m.Box.Level, m.Box.Level-1)
	default:
		panic(m) // the schema has the levels
	}
}

// box reads one table.
func (r *levels) box(s *language.Section) (b decomp.Refinement, ok bool) {
	b.Name = "refine." + s.Name()
	ok = r.need(s, "level", "level = 1 halves the spacing, level = 2 divides it by 4") && s.Get("level") != nil
	if ok {
		b.Level = s.Get("level").Ints[0]
	}
	if s.Has("around") {
		r.exclusive(s, "a box is around a body, or from one corner to the other", "around", "from")
		r.exclusive(s, "a box is around a body, or from one corner to the other", "around", "to")
		return b, r.around(s, &b) && ok && !s.Has("from") && !s.Has("to")
	}
	if s.Has("margin") {
		r.Add(s.KeyAt("margin"), "it is the distance of the ends from the body that around names", "%s has margin but no around", s.Head())
		ok = false
	}
	if !s.Has("from") && !s.Has("to") {
		r.missing(s, "from and to are corners; around = \"NAME\" is the box around [body.NAME]", "%s needs from and to, or around", s.Head())
		return b, false
	}
	ok = r.need(s, "from", "the lower corner of the box") && ok
	ok = r.need(s, "to", "the upper corner of the box") && ok
	from, to := r.vector(s, "from"), r.vector(s, "to")
	if !ok || from == nil || to == nil || !r.haveBox {
		return b, false
	}
	b.From, b.To = r.position(from), r.position(to)
	if r.dims == 2 {
		b.From[2], b.To[2] = 0, 1
	}
	return b, true
}

// around makes the box around a body.
func (r *levels) around(s *language.Section, b *decomp.Refinement) bool {
	e := s.Get("around")
	if e == nil || !r.haveBox || b.Level == 0 || s.Broken("margin") {
		return false
	}
	k := slices.IndexFunc(r.Bodies, func(b Body) bool { return b.Name == e.Text })
	if k < 0 {
		r.noBody(s, e)
		return false
	}
	// For a case on another grid it is in cells of the coarser one.
	width := r.Units.Length * math.Max(1, r.refinement.factor()) / float64(int(1)<<b.Level)
	if s.Get("margin") == nil {
		r.SetDefault(s, "margin", r.length(MarginAround(r.Bodies[k])*width))
	}
	margin := r.cellsOf(s.Get("margin"))
	lo, hi, ok := r.extent(s, e, r.Bodies[k])
	if !ok {
		return false
	}
	b.From, b.To = [3]float64{}, [3]float64{1, 1, 1}
	for a := range r.dims {
		n := float64(r.Cells[a])
		if lo[a] >= n || hi[a] <= 0 {
			return false // refused as a body
		}
		b.From[a], b.To[a] = math.Max(lo[a]-margin, -n), math.Min(hi[a]+margin, 2*n)
		if !r.Periodic[a] {
			b.From[a], b.To[a] = math.Max(b.From[a], 0), math.Min(b.To[a], n)
		}
	}
	return true
}

// extent returns the box around a body.
func (r *levels) extent(s *language.Section, e *language.Entry, b Body) (lo, hi [3]float64, ok bool) {
	boxes := make([]geometry.Shape, len(r.Files))
	for _, k := range b.solid.fromFiles() {
		f := r.Files[k]
		if r.refinement.Extents == nil {
			r.Add(e.At, "give from and to; lbmsim stl prints the extent of a surface", "%s is around [body.%s], whose extent is in a file", s.Head(), e.Text)
			return lo, hi, false
		}
		if r.Err() != nil {
			return lo, hi, false // a large file takes long, and other errors come first
		}
		lo, hi, err := r.refinement.Extents(f)
		if err != nil {
			r.Add(r.Named("body", f.Body).ValueAt("file"), "a relative path starts at the folder of the case file", "[body.%s]: %v", f.Body, err)
			return lo, hi, false
		}
		boxes[k] = geometry.Box{Lo: lo, Hi: hi}
	}
	lo, hi = b.Shape(boxes).Bounds()
	return lo, hi, true
}

// noBody explains a name that is not a body's.
func (r *levels) noBody(s *language.Section, e *language.Entry) {
	var known []string
	for _, b := range r.All("body") {
		known = append(known, b.Name())
		if b.Name() != e.Text {
			continue
		}
		for _, o := range r.All("body") {
			if of := o.Get("of"); of != nil && slices.Contains(of.Words, e.Text) {
				r.Add(e.At, "", "[body.%s] is part of %s: put the box around that", e.Text, o.Head())
			}
		}
		return // otherwise the body has an error
	}
	r.Add(e.At, "", "there is no [body.%s]%s", e.Text, language.Meant(e.Text, known))
}
