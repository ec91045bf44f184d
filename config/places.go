// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"slices"

	"lbmsim/config/language"
)

// Places of outputs that take the values of one cell, or of one layer of cells: those asked for, and the centres that they get.

const (
	besideCentre = 1e-6 // cells from which on a place is beside a centre: far above rounding
	mostPlaces   = 6    // that are listed
)

// onCentre notes that an output at a place has the values of cells beside it. Both are in cells; axes are those along which the place counts.
func (r *frame) onCentre(s *language.Section, place, centre [3]float64, along ...int) {
	var off [3]float64
	for _, a := range along {
		off[a] = place[a] - centre[a]
	}
	distance := sizeOf(off)
	if distance < besideCentre {
		return
	}
	for a := range centre {
		centre[a] = r.Origin[a] + centre[a]*r.Units.Length
	}
	text := r.point(centre)
	if len(along) == 1 {
		text = axes()[along[0]] + " = " + r.lengthOf(centre[along[0]])
	}
	away := " cells away"
	if r.finer != nil {
		away = " cells of level 0 away"
	}
	r.places = append(r.places, Row{"place of " + s.Head(), "nearest cell centre, " + language.Short(math.Round(1e3*distance)/1e3) + away, text})
}

// onLayer calls onCentre for a coordinate in cells across a layer of cells. A refined grid has another layer there on each level.
func (r *frame) onLayer(s *language.Section, place float64, axis, cell int) {
	if r.finer != nil {
		return
	}
	var p, centre [3]float64
	p[axis], centre[axis] = place, float64(cell)+0.5
	r.onCentre(s, p, centre, axis)
}

// onSlice calls onCentre for a slice across an axis, which shows the finest level that has cells there, and returns its place in the
// cells of level 0.
func (r *frame) onSlice(s *language.Section, place float64, axis, cell int) (within float64) {
	within = math.Min(math.Max(place-float64(cell), 0), math.Nextafter(1, 0))
	fine := float64(int(1) << finest{r.finer}.slice(axis, cell))
	var p, centre [3]float64
	p[axis], centre[axis] = place, float64(cell)+(math.Floor(within*fine)+0.5)/fine
	r.onCentre(s, p, centre, axis)
	return within
}

// lengthOf writes a coordinate in the user's length.
func (r *frame) lengthOf(v float64) string {
	if r.Units.Physical {
		return language.Short(v) + " m"
	}
	return language.Short(v)
}

// placeRows lists the outputs that are beside their places.
func (r *summary) placeRows() {
	list := r.places
	if n := len(list) - mostPlaces; n > 0 {
		list = append(slices.Clone(list[:mostPlaces]), Row{"other places", "nearest cell centres, of " + language.Grouped(n) + " more", ""})
	}
	for _, p := range list {
		r.Table, r.Details = append(r.Table, p), append(r.Details, p.Name)
	}
}
