// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/model"
)

// probes writes one [output.probe.NAME]: a CSV row per sample, on rank 0.
type probes struct {
	config.Probe
	rows
}

// probeOutputs returns the outputs of [output.probe].
func probeOutputs(s *Set) (list []Output) {
	for _, p := range s.Case.Probes {
		list = append(list, &probes{Probe: p, rows: newRows(s.Run, p.Schedule, "probe", p.Name, p.Name)})
	}
	return list
}

// Write samples the cell. The writer keeps a failure of the file and reports it
// at the next sync, so that a sample costs one message and no agreement.
func (p *probes) Write(r *Run) error {
	p.at = r.Step()
	cell := r.View.Cell(p.Cell, p.Within)
	var row []float64
	for _, f := range p.Fields {
		for _, c := range components(f, r.Case.Dims()) {
			v, err := r.View.Collect(f, c, cell)
			if err != nil {
				return err
			}
			row = append(row, v...)
		}
	}
	if r.Rank.Root {
		_ = p.file.Append(int64(r.Step()), r.Time(), row...)
	}
	return nil
}

// components of a field that are not always 0: x and y of vectors in 2D, and z of the
// vorticity.
func components(f model.Field, dims int) []int {
	switch {
	case f.Components == 1:
		return []int{0}
	case dims == 3:
		return []int{0, 1, 2}
	case f.Name == "vorticity":
		return []int{2}
	}
	return []int{0, 1}
}

// componentName returns the name of a component in the header of its column.
func componentName(f model.Field, c int) string {
	if f.Components == 1 {
		return f.Name
	}
	return f.Name + " " + "xyz"[c:c+1]
}

// header names the columns.
func (p *probes) header(r *Run) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical}
	for a := range h.Position {
		h.Position[a] = r.centre(r.View.Cell(p.Cell, p.Within), a)
	}
	for _, f := range p.Fields {
		for _, c := range components(f, r.Case.Dims()) {
			h.Columns = append(h.Columns, probe.Column{Name: componentName(f, c), Unit: u.Symbol(f.Dim)})
		}
	}
	return h
}
