// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/config/language"
	"lbmsim/model"
)

// [domain]: cells, size and spacing, any two of which give the third.

// domain reads [domain].
type domain struct {
	*frame
	*Flow
}

func (r *domain) read() {
	s := r.Section("domain")
	if !r.dimensions(s) {
		return
	}
	cells, spacing, ok := r.grid(s)
	if !ok {
		return
	}
	u := &r.Units
	u.Length = spacing
	total := 1
	r.Cells = [3]int{1, 1, 1}
	for a, n := range cells {
		r.Cells[a] = n
		if total *= n; total > maxCells { // each is at most MaxAxis: no overflow
			r.Add(s.At, fmt.Sprintf("at most %s; a larger spacing gives fewer", language.Grouped(maxCells)), "the domain has too many cells: %s", language.Crossed(cells))
			return
		}
	}
	r.haveBox = !s.Broken("origin")
	for a := range cells {
		r.size[a] = float64(r.Cells[a]) * spacing
	}
	if r.dims == 2 {
		r.size[2] = spacing
	}
	if v := r.vector(s, "origin"); v != nil {
		for a := range v {
			r.Origin[a] = v[a].Value
		}
	}
	if e := s.Get("periodic"); e != nil {
		for i, w := range e.Words {
			a := axisOf(w)
			if a >= r.dims {
				r.Add(e.WordAt[i], "", "a 2D case has no axis %s", w)
				continue
			}
			r.Periodic[a] = true
		}
	}
}

// dimensions finds the lattice and whether the case is 2D or 3D.
func (r *domain) dimensions(s *language.Section) bool {
	n := 0
	for _, k := range []string{"cells", "size"} {
		if e := s.Get(k); e != nil && n == 0 {
			n = max(len(e.Ints), len(e.Values))
		}
	}
	if e := s.Get("lattice"); e != nil {
		r.Spec.Lattice = of(model.FindLattice(e.Text))
	} else if n > 0 && !s.Has("lattice") {
		if n == 2 || n == 3 {
			name := model.DefaultCollision
			if e := r.Section("collision").Get("model"); e != nil {
				name = e.Text
			}
			r.Spec.Lattice = of(model.FindCollision(name)).DefaultLattice(n)
		}
		r.SetDefault(s, "lattice", language.Quote(r.Spec.Lattice.Name))
	}
	r.dims = r.Spec.Lattice.Dims
	if r.dims == 0 && !s.Has("cells") && !s.Has("size") {
		r.missing(s, "any two of cells = [128, 128], size = [\"1 m\", \"1 m\"] and spacing give the third", "[domain] needs cells or size")
	}
	return r.dims != 0
}

// grid derives cells, size and spacing from two of them.
func (r *domain) grid(s *language.Section) (cells []int, spacing float64, ok bool) {
	ec, size, ed := s.Get("cells"), r.vector(s, "size"), s.Get("spacing")
	if s.Has("cells") && ec == nil || s.Has("size") && size == nil || s.Has("spacing") && ed == nil {
		return nil, 0, false
	}
	if ec != nil && len(ec.Ints) != r.dims {
		r.Add(ec.At, "", "cells has %d values, but %s is a lattice in %d dimensions", len(ec.Ints), r.Spec.Lattice.Name, r.dims)
		return nil, 0, false
	}
	switch {
	case ed != nil:
		spacing = ed.Values[0].Value
	case !r.Units.Physical:
		spacing = 1
	}
	if !r.Units.Physical && spacing != 1 {
		r.Add(ed.At, "in lattice units the spacing is the unit of length", "spacing = %s, but it is 1 in lattice units", language.Short(spacing))
		return nil, 0, false
	}
	const two = "any two of cells, size and spacing give the third"
	switch {
	case ec == nil && size == nil:
		r.missing(s, two, "[domain] needs cells or size")
		return nil, 0, false
	case spacing == 0 && (ec == nil || size == nil):
		r.missing(s, two+"; in a case with units one of them must be a length", "[domain] needs a spacing, or cells and size")
		return nil, 0, false
	case ec != nil && size == nil:
		cells = ec.Ints
	case ec != nil:
		cells = ec.Ints
		if spacing == 0 {
			spacing = size[0].Value / float64(cells[0])
		}
		for a := range cells {
			if want := float64(cells[a]) * spacing; math.Abs(want-size[a].Value) > 1e-6*size[a].Value {
				r.Add(size[a].At, "cells are cubes: size = cells * spacing on every axis",
					"size along %s is %s, but %d cells of %s make %s", axes()[a], r.si(size[a].Value, model.Length),
					cells[a], r.si(spacing, model.Length), r.si(want, model.Length))
				return nil, 0, false
			}
		}
	default:
		if cells = r.divide(size, spacing); cells == nil {
			return nil, 0, false
		}
	}
	if !(spacing > 1e-100) || spacing > 1e100 {
		r.Add(s.At, "", "a spacing of %s is out of range", language.Short(spacing))
		return nil, 0, false
	}
	text := ""
	for a, n := range cells {
		if a > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	if ec == nil {
		r.SetDefault(s, "cells", "["+text+"]")
	}
	if ed == nil {
		r.SetDefault(s, "spacing", language.Amount{Value: spacing, Bare: !r.Units.Physical, Dim: model.Length}.TOML())
	}
	return cells, spacing, true
}

// divide a size into cells; whole numbers only.
func (r *domain) divide(size []language.Amount, spacing float64) []int {
	cells := make([]int, len(size))
	for a := range size {
		n := size[a].Value / spacing
		if n > MaxAxis+0.5 {
			r.Add(size[a].At, fmt.Sprintf("at most %s; a larger spacing gives fewer", language.Grouped(MaxAxis)),
				"%s along %s are %s cells", r.si(size[a].Value, model.Length), axes()[a], language.Short(n))
			return nil
		}
		k := math.Round(n)
		if math.Abs(n-k) > 1e-6*math.Max(n, 1) || k < 1 {
			lo, hi := math.Max(1, math.Floor(n)), math.Max(1, math.Ceil(n))
			near := fmt.Sprintf("%s (%g cells)", r.si(lo*spacing, model.Length), lo)
			if hi != lo {
				near += fmt.Sprintf(" and %s (%g cells)", r.si(hi*spacing, model.Length), hi)
			}
			r.Add(size[a].At, "the nearest valid sizes: "+near,
				"size along %s is not a whole number of spacings: %s / %s = %s",
				axes()[a], r.si(size[a].Value, model.Length), r.si(spacing, model.Length), language.Short(n))
			return nil
		}
		cells[a] = int(k)
	}
	return cells
}
