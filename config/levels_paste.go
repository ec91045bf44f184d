// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Boxes as the text of a case, for messages that suggest them.

// tableOf returns the table of a box.
func (r *levels) tableOf(b decomp.Refinement) *language.Section {
	return r.Named("refine", strings.TrimPrefix(b.Name, "refine."))
}

// toPaste writes boxes as tables of the case. Their names follow another one.
func (r *levels) toPaste(after string, boxes []decomp.Refinement) string {
	var tables []string
	after = after[:min(len(after), longestStem)]
	for k, n := 0, 1; k < len(boxes); n++ {
		name := fmt.Sprintf("%s_%d", after, n)
		if r.Named("refine", name) == nil {
			tables = append(tables, fmt.Sprintf("[refine.%s]\nlevel = %d\n%s", name, boxes[k].Level, r.corners(boxes[k])))
			k++
		}
	}
	return strings.Join(tables, "\n")
}

// longestStem leaves room for a number in the longest name of a table.
const longestStem = 50

// corners writes the corners of a box as keys.
func (r *levels) corners(b decomp.Refinement) string {
	return "from = " + r.corner(b.From) + "\nto = " + r.corner(b.To)
}

// corner writes a point in cells of level 0, in as many digits as boxes are snapped by.
func (r *levels) corner(p [3]float64) string {
	var parts []string
	for a := range r.dims {
		parts = append(parts, r.length(r.Origin[a]+p[a]*r.Units.Length))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// length writes a length of the case's unit without the last digits, which are rounding.
func (r *levels) length(v float64) string {
	v, _ = strconv.ParseFloat(fmt.Sprintf("%.12g", v), 64)
	if math.Abs(v) < 1e-9*r.Units.Length {
		v = 0
	}
	return language.Amount{Value: v, Bare: !r.Units.Physical, Dim: model.Length}.TOML()
}

// cellsInUnits writes a number of cells of a level, with their length where the case has units.
func (r *levels) cellsInUnits(n, level int) string {
	text := fmt.Sprintf("%d cells of level %d", n, level)
	if r.Units.Physical {
		text += fmt.Sprintf(" (%s m)", language.Short(float64(n)*r.Units.Length/float64(int(1)<<level)))
	}
	return text
}
