// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "lbmsim/io/probe"

// parts writes the forces on each solid in the file of an [output.surface.NAME]: a row per time.
type parts struct {
	rows
	surface *surfaces
}

// partsTable is the kind of their tables.
const partsTable = "parts"

// Write adds the forces of the present step.
func (p *parts) Write(r *Run) error {
	p.at = r.Step()
	values, err := p.surface.present(r)
	if err != nil || !r.Rank.Root {
		return err
	}
	_ = p.file.Append(int64(r.Step()), r.Time(), p.surface.row(values, r.Case.Units, 1, 1+len(p.surface.solids))...) // a failure is reported at the next sync
	return nil
}

// header names the columns.
func (p *parts) header(r *Run) probe.Header {
	var of []string
	for _, name := range p.surface.solids {
		of = append(of, name+" ")
	}
	return r.forceHeader(p.surface.Means, of...)
}
