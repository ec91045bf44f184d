// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

import (
	"encoding/json"
	"fmt"
	"strings"

	"lbmsim/config"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

const (
	boxWidth     = 32 // cells of the box around the place
	HistorySteps = 8  // the last of which is the step of the first bad cell
)

// Blowup is the report on the first bad cell of a run; lattice units unless stated otherwise.
type Blowup struct {
	Case, Version string
	Step          int
	Time          float64    // in the case's unit
	Level         int        `json:",omitempty"` // of a refined grid
	Box           string     `json:",omitempty"` // that has the cell; none of level 0
	Cell          [3]int     // in cells of the level
	Position      [3]float64 // of its centre, in the case's unit
	What          string     // description of the fault
	Seen          int        // step at which the watch detected the failure
	From          int        // step that the run went back to
	Lo, Hi        [3]int     // the box of the fields, in cells of the level
	Fields        string     // the index of its files, below the output folder
	History       []Moment   // of the cell
	Around        []Moment   // cells along x at the last step
	Borders       []string   // boundaries close by, nearest first
	Evidence      []string   // what to check, the strongest first

	found found
}

// found holds the search's data besides its report.
type found struct {
	cut   bool // a signal ended the search for more than step and cell
	kept  bool // the report is on disk
	near  []domain.Border
	speed float64 // the largest in the box, before it went wrong
}

// Moment is the values of a cell at a step.
type Moment struct {
	Step     int
	X        int
	Density  number64
	Velocity [3]number64
	Speed    number64
	Mach     number64
	// Temperature in the case's unit; null: the case has none.
	Temperature *number64
}

// number64 is written as text in JSON where it is not finite.
type number64 float64

// MarshalJSON implements json.Marshaler.
func (n number64) MarshalJSON() ([]byte, error) {
	if v := float64(n); derive.Finite(v) != v {
		return json.Marshal(fmt.Sprint(v))
	}
	return json.Marshal(float64(n))
}

// place names the cell.
func (b *Blowup) place(c *config.Case) string {
	text := fmt.Sprintf("cell (%d, %d, %d)", b.Cell[0], b.Cell[1], b.Cell[2])
	if len(c.Refine) > 0 {
		text += fmt.Sprintf(" of level %d", b.Level)
	}
	if b.Box != "" {
		text += ", box " + b.Box
	}
	return text
}

// text returns the report, from its first line on: what goes wrong, and where.
func (b *Blowup) text(c *config.Case) string {
	var t strings.Builder
	fmt.Fprintf(&t, "step %d: %s in %s", b.Step, b.What, b.place(c))
	if c.Units.Physical {
		p := b.Position
		fmt.Fprintf(&t, " at (%.6g, %.6g, %.6g) m, %.6g s", p[0], p[1], p[2], b.Time)
	}
	fmt.Fprintf(&t, ", the first one (seen at step %d, found from step %d on)", b.Seen, b.From)
	for i, near := range b.Borders {
		if i == 0 {
			near = "nearest boundary: " + near
		}
		fmt.Fprintf(&t, "\n  %s", near)
	}
	table := func(head string, label func(Moment) string, list []Moment) {
		unit := ""
		if c.Spec.Scalar {
			unit = ", temperature"
			if c.Units.Physical {
				unit = "; temperature in K"
			}
		}
		fmt.Fprintf(&t, "\n  %s (rho, u, Mach in lattice units%s):", head, unit)
		for _, m := range list {
			fmt.Fprintf(&t, "\n    %s: %.5g", label(m), m.Density)
			for a := range c.Dims() {
				fmt.Fprintf(&t, " %.4g", m.Velocity[a])
			}
			fmt.Fprintf(&t, " %.3g", m.Mach)
			if m.Temperature != nil {
				fmt.Fprintf(&t, " %.5g", *m.Temperature)
			}
		}
	}
	table("its last steps", func(m Moment) string { return fmt.Sprint("step ", m.Step) }, b.History)
	table("its neighbourhood along x", func(m Moment) string { return fmt.Sprint("x = ", m.X) }, b.Around)
	t.WriteString("\n  what to check:")
	for _, e := range b.Evidence {
		fmt.Fprintf(&t, "\n    - %s", e)
	}
	return t.String()
}
