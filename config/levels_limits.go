// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/config/language"
	"lbmsim/model"
)

// Features that refined grids do not have yet. Each is refused by name, at its key.

// unrefined refuses features that a case with boxes of finer cells cannot have.
type unrefined struct {
	*frame
	*Flow
	*Solids
}

func (r *unrefined) refuse() {
	if len(r.All("refine")) == 0 {
		return
	}
	r.models()
	r.heat()
	r.surfaces()
	r.outputs()
}

// add reports something that a case cannot have with boxes of finer cells.
func (r *unrefined) add(at language.Mark, instead, what string) {
	reason := "remove it, or the tables [refine.NAME]"
	if instead != "" {
		reason = instead + ", or remove the tables [refine.NAME]"
	}
	r.Add(at, reason, "%s: not with [refine] yet", what)
}

// models refuses models that the kernels between levels do not compute.
func (r *unrefined) models() {
	s := r.Section("collision")
	if e := s.Get("model"); e != nil && r.Spec.Collision.Scheme == model.Populations {
		r.add(e.At, `use "cumulant", "regularized" or "recursive_regularized", which store moments`, "model "+language.Quote(e.Text))
	}
	if e := s.Get("precision"); e != nil && precisionOf(e.Text) == model.Float16 {
		r.add(e.At, `use "float32" or "float64"`, "precision "+language.Quote(e.Text))
	}
}

// heat refuses solids that conduct too well for the cells of their level.
func (r *unrefined) heat() {
	for _, b := range r.Bodies {
		if !b.Conducts() || r.finer == nil {
			continue
		}
		lo, hi := r.shape(b).Bounds()
		l := FinestAt(lo, hi, r.finer)
		at := math.Ldexp(b.Temperature.Conductivity, l)
		if s := r.Named("body", b.Name); at/model.ScalarCS2+0.5 > mostConductive {
			r.Add(s.KeyAt("diffusivity"), "put it on a coarser level, or give it a temperature: such a conductor is isothermal",
				"%s: the conductivity, diffusivity times heat_capacity, is %s cells^2/step on level %d, out of range", s.Head(), language.Short(at), l)
		}
	}
}

// surfaces refuses more of them than types of cells.
func (r *unrefined) surfaces() {
	// A cell's type is a byte, and cells that no step computes have one of their own.
	if n := len(r.Boundaries) + len(r.Bodies); n >= 255 {
		r.Add(r.Named("body", r.Bodies[len(r.Bodies)-1].Name).At, "", "%d boundaries and bodies: at most 254 are possible with [refine]", n)
	}
}

// outputs refuses outputs that need lines or layers of cells of one size.
func (r *unrefined) outputs() {
	for _, s := range r.Sections {
		if !s.Given {
			continue
		}
		if s.Table.Path == "output.averages" {
			r.over(s)
		}
	}
}

// over refuses averages over an axis along which a box ends: beyond its end a column would have cells of two sizes.
func (r *unrefined) over(s *language.Section) {
	e := s.Get("over")
	if e == nil || r.dims == 2 || r.finer == nil {
		return
	}
	a := axisOf(e.Text)
	for l, level := range r.finer.Levels {
		for _, p := range level.Patches {
			if p.Owned.Lo[a] > 0 || p.Owned.Hi[a] < level.N[a] {
				r.Add(e.At, "make all boxes span the axis, or omit over", "over = %s: a box of level %d ends within %s", language.Quote(e.Text), l, e.Text)
				return
			}
		}
	}
}
