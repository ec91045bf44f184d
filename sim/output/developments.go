// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// developments writes the development of the drag of an [output.surface.NAME] along x: a block of rows per time.
type developments struct {
	rows
	surface *surfaces
}

const (
	// development is the kind of their tables.
	development = "development"
	// slicesOfDrag is the number of parts of the body along x.
	slicesOfDrag = 200
)

// Write adds the forces along x on all that is before the end of each slice.
func (d *developments) Write(r *Run) error {
	d.at = r.Step()
	values, err := d.surface.present(r)
	if err != nil || !r.Rank.Root || int64(r.Step()) <= d.file.Step() { // the table has the block
		return err
	}
	_ = d.file.Add(int64(r.Step()), r.Time(), developed(d.surface.body, values, r.Case)...) // a failure is reported at the next sync
	return nil
}

// developed returns the rows of a time.
func developed(s *derive.Surface, values *derive.SurfaceValues, c *config.Case) (table []float64) {
	first, last := s.Facets.Span()
	var sums [slicesOfDrag][2]float64
	for i := range values.Pressure {
		centre, _ := s.Facets.Middle(i)
		pressure, friction := s.Force(values, i)
		k := max(0, min(slicesOfDrag-1, int(slicesOfDrag*(centre[0]-first)/(last-first))))
		sums[k][0] += pressure[0]
		sums[k][1] += friction[0]
	}
	factor, all := c.Units.Factor(model.Force), [2]float64{}
	for k, sum := range sums {
		all[0] += sum[0]
		all[1] += sum[1]
		end := first + (last-first)*float64(k+1)/slicesOfDrag
		table = append(table, c.Origin[0]+end*c.Units.Length, factor*all[0], factor*all[1])
	}
	return table
}

// header names the columns.
func (d *developments) header(r *Run) probe.Header {
	u := r.Case.Units
	return probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true, Columns: []probe.Column{
		{Name: "x", Unit: unitOf(u, model.Length)}, {Name: "pressure_x", Unit: unitOf(u, model.Force)}, {Name: "friction_x", Unit: unitOf(u, model.Force)}}}
}
