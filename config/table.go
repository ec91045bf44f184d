package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// The derived table: what the numbers of the case come to, in both units.

func (r *resolver) table() {
	if !r.haveTime {
		return
	}
	c := r.c
	u := c.Units
	row := func(name, lattice, si string) {
		if !u.Physical {
			si = ""
		}
		c.Table = append(c.Table, Row{name, lattice, si})
	}
	detail := func(yes bool) { // the row before
		if yes {
			c.Details = append(c.Details, c.Table[len(c.Table)-1].Name)
		}
	}
	nu := (c.Tau - 0.5) / 3
	cells, n := "", 1
	for a := 0; a < r.dims; a++ {
		if a > 0 {
			cells += " x "
		}
		cells += fmt.Sprint(c.Cells[a])
		n *= c.Cells[a]
	}
	row("model", c.Spec.String(), "")
	row("cells", fmt.Sprintf("%s = %s", cells, language.Grouped(n)), r.point(r.size))
	row("spacing dx", "1", language.Short(u.Length)+" m")
	detail(!u.Physical)
	row("time step dt", "1", language.Short(u.Time)+" s")
	detail(!u.Physical)
	row("steps", language.Grouped(c.Run.Steps), language.Short(float64(c.Run.Steps)*u.Time)+" s")
	row("viscosity nu", language.Short(nu), language.Short(nu*u.Factor(model.Viscosity))+" m2/s")
	if l := r.lawRow(); l != "" {
		row("viscosity law", l, "")
	}
	if b := c.Rheology.Bulk; c.Spec.Bulk {
		row("bulk viscosity", language.Short(b), language.Short(b*u.Factor(model.Viscosity))+" m2/s")
	}
	tau := language.Short(c.Tau)
	if c.Tau-0.5 < 1e-4 { // five digits hide what matters
		tau = "1/2 + " + language.Short(c.Tau-0.5)
	}
	row("relaxation time tau", tau, "")
	r.temperatureRows(row)
	if u.Physical {
		row("reference density", "1", language.Short(u.Density)+" kg/m3")
		detail(u.Density == 1) // as where the case gives none
	}
	fluid := r.Section("fluid")
	if l, v := fluid.Get("length"), fluid.Get("velocity"); l != nil && v != nil {
		re := r.lattice(l.Values[0], model.Length) * r.lattice(v.Values[0], model.Velocity) / nu
		row("Reynolds number Re", language.Short(re), "")
	}
	if v, what, _ := r.fastest(); v > 0 {
		row("velocity", language.Short(v), language.Short(v*u.Factor(model.Velocity))+" m/s, "+what)
		row("Mach number Ma", language.Short(v/math.Sqrt(model.CS2)), "")
		row("Reynolds number of a cell", language.Short(v/nu), "")
		detail(v/nu <= mostCellReynolds) // else it is warned of
	}
	if c.Force.At != nil {
		row("body force", "an expression of t", "")
	} else if f := c.Force.Density; f != [3]float64{} {
		m := math.Hypot(math.Hypot(f[0], f[1]), f[2])
		row("body force", language.Short(m), language.Short(m*u.Factor(model.ForceDensity))+" N/m3")
	}
	if d := c.Force.Drive; d != nil {
		row("body force", fmt.Sprintf("every %d steps anew", d.Every), fmt.Sprintf("a deviation is mended in %s steps", language.Short(d.Response)))
	}
	if len(c.Boundaries)+len(c.Bodies) > 0 {
		row("wall law", r.wallLaw(), "")
		// It is of flows that a force drives between walls.
		detail(c.Force.Density == [3]float64{} && c.Force.At == nil && c.Force.Drive == nil || !r.halfway())
	}
}

// halfway tells that fluid sticks to something half-way between cells.
func (r *resolver) halfway() bool {
	still := func(k boundary.Kind) bool { return k.Law == boundary.Bounce }
	for _, b := range r.c.Boundaries {
		if still(b.Kind) {
			return true
		}
	}
	for _, b := range r.c.Bodies {
		if still(b.Kind) {
			return true
		}
	}
	return false
}

// wallLaw says how far half-way walls are from their place for parabolic flow:
// a channel of width H has u = F/(2 nu) (y (H-y) + 4/3 (Lambda - 3/16)).
func (r *resolver) wallLaw() string {
	lambda := 0.0
	if f := r.c.Spec.Collision.WallLambda; f != nil {
		lambda = f(r.c.Tau)
	} else if len(r.c.Values) > 0 {
		lambda = r.c.Values[0]
	}
	slip := 4. / 3 * (lambda - 3./16)
	if math.Abs(slip) < 1e-12 {
		return "Lambda = 3/16: straight walls lie exactly half-way"
	}
	return fmt.Sprintf("Lambda = %s: channel flow is off by %s F/(2 nu) cells^2", language.Short(lambda), language.Short(slip))
}
