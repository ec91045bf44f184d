// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// The derived table: the derived quantities of the case, in both units.

// summary writes the derived table of a case that has been read.
type summary struct {
	*timing
	*Flow
	*Solids
	speeds *speeds
}

func (r *summary) write() {
	if !r.haveTime {
		return
	}
	u := r.Units
	row := func(name, lattice, si string) {
		if !u.Physical {
			si = ""
		}
		r.Table = append(r.Table, Row{name, lattice, si})
	}
	detail := func(yes bool) { // the row before
		if yes {
			r.Details = append(r.Details, r.Table[len(r.Table)-1].Name)
		}
	}
	nu, base := (r.Tau-0.5)/3, "" // what differs between levels is level 0's
	if r.finer != nil {
		base = " of level 0"
	}
	r.gridRows(base, row, detail)
	row("viscosity nu", language.Short(nu), language.Short(nu*u.Factor(model.Viscosity))+" m2/s")
	if l := r.lawRow(); l != "" {
		row("viscosity law", l, "")
	}
	if b := r.Rheology.Bulk; r.Spec.Bulk {
		row("bulk viscosity", language.Short(b), language.Short(b*u.Factor(model.Viscosity))+" m2/s")
	}
	row("relaxation time tau"+base, TauText(r.Tau), "")
	if finest := r.finestLevel(); finest > 0 {
		width := 1 / cellsAt(finest, 1)
		row(fmt.Sprintf("on level %d", finest), fmt.Sprintf("dx and dt 1/%g, tau %s", 1/width, TauText(0.5+(r.Tau-0.5)/width)), language.Short(u.Length*width)+" m, "+language.Short(u.Time*width)+" s")
	}
	r.temperatureRows(row)
	r.inflowRows(row)
	if u.Physical {
		row("reference density", "1", language.Short(u.Density)+" kg/m3")
		detail(u.Density == 1) // as where the case gives none
	}
	fluid := r.Section("fluid")
	if l, v := fluid.Get("length"), fluid.Get("velocity"); l != nil && v != nil {
		re := r.lattice(l.Values[0], model.Length) * r.lattice(v.Values[0], model.Velocity) / nu
		row("Reynolds number Re", language.Short(re), "")
	}
	r.Mean, _, _ = r.speeds.fastest(false)
	if v, what, _ := r.speeds.fastest(true); v > 0 {
		row("velocity", language.Short(v), language.Short(v*u.Factor(model.Velocity))+" m/s, "+what)
		row("Mach number Ma", language.Short(v/math.Sqrt(model.CS2)), "")
		row("cell Reynolds number"+base, language.Short(v/nu), "")
		detail(v/nu <= mostCellReynolds) // otherwise a warning reports it
	}
	if r.Force.At != nil {
		row("body force", "an expression of t", "")
	} else if f := r.Force.Density; f != [3]float64{} {
		m := sizeOf(f)
		row("body force", language.Short(m), language.Short(m*u.Factor(model.ForceDensity))+" N/m3")
	}
	if d := r.Force.Drive; d != nil {
		row("body force", fmt.Sprintf("adjusted every %d steps", d.Every), fmt.Sprintf("deviations corrected within %s steps", language.Short(d.Response)))
	}
	r.wallRows()
	r.placeRows()
	if len(r.Boundaries)+len(r.Bodies) > 0 {
		row("wall law"+base, r.wallLaw(), "")
		// It is of flows that a force drives between walls.
		detail(r.Force.Density == [3]float64{} && r.Force.At == nil && r.Force.Drive == nil || !r.halfway())
	}
}

// gridRows writes the rows of cells and steps.
func (r *summary) gridRows(base string, row func(name, lattice, si string), detail func(yes bool)) {
	u := r.Units
	cells, n := "", 1
	for a := 0; a < r.dims; a++ {
		if a > 0 {
			cells += " x "
		}
		cells += fmt.Sprint(r.Cells[a])
		n *= r.Cells[a]
	}
	row("model", model.SpecInWords(r.Spec.String()), "")
	row("cells"+base, fmt.Sprintf("%s = %s", cells, language.Grouped(n)), r.point(r.size))
	row("spacing dx"+base, "1", language.Short(u.Length)+" m")
	detail(!u.Physical)
	row("time step dt"+base, "1", language.Short(u.Time)+" s")
	detail(!u.Physical)
	row("steps"+base, language.Grouped(r.Run.Steps), language.Short(float64(r.Run.Steps)*u.Time)+" s")
}

// halfway reports whether some no-slip wall is half-way between cells.
func (r *summary) halfway() bool {
	still := func(k boundary.Kind) bool { return k.Law == boundary.Bounce }
	for _, b := range r.Boundaries {
		if still(b.Kind) {
			return true
		}
	}
	for _, b := range r.Bodies {
		if still(b.Kind) {
			return true
		}
	}
	return false
}

// wallLaw reports how far half-way walls are from their place for parabolic flow:
// a channel of width H has u = F/(2 nu) (y (H-y) + 4/3 (Lambda - 3/16)).
func (r *summary) wallLaw() string {
	lambda := 0.0
	if f := r.Spec.Collision.WallLambda; f != nil {
		lambda = f(r.Tau)
	} else if len(r.Values) > 0 {
		lambda = r.Values[0]
	}
	slip := 4. / 3 * (lambda - 3./16)
	if math.Abs(slip) < 1e-12 {
		return "Lambda = 3/16: straight walls are exactly half-way"
	}
	return fmt.Sprintf("Lambda = %s: channel flow has an error of %s F/(2 nu) cells^2", language.Short(lambda), language.Short(slip))
}
