// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// docs/reference.md, from the same tables as the parser.

// Reference returns the description of the case file in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, t := range caseLanguage().Tables {
		head := "Top level"
		if t.Path != "" {
			head = "`" + t.Head() + "`"
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| key | value | default | |\n|---|---|---|---|\n", head, t.Doc)
		for _, k := range t.Keys {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, cell(k.Form()), cell(k.Standard()), cell(k.Doc))
		}
	}
	b.WriteString(referenceUnits)
	var u []string
	for _, n := range language.NamedUnits() {
		u = append(u, "`"+n.Name+"`")
	}
	fmt.Fprintf(&b, "Units: %s; SI units accept a prefix `n u m c d h k M G`. They are joined by a space, `*` or `/`; powers are `m2`, `m^2`, `m²` or `s-1`. A product after `/` needs brackets: `kg/(m s)`.\n", strings.Join(u, " "))
	b.WriteString("\n## Expressions\n\nNumbers, `+ - * / ^`, brackets, comparisons (`< <= > >= == !=`, giving 1 or 0) and the constants `pi` and `e`. The position `x y z` and the domain's sizes `Lx Ly Lz` are in metres, or in cells in lattice units. References may also use the time `t` (seconds or steps). These functions:\n\n| function | |\n|---|---|\n")
	for _, f := range language.Functions() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, f.Doc)
	}
	b.WriteString("\n## Collision models\n\nHow to choose one, and the stability range of each: [models.md](models.md).\n\n| model | state | | parameters | source |\n|---|---|---|---|---|\n")
	for _, c := range model.Collisions {
		var p []string
		for _, q := range c.Params {
			p = append(p, fmt.Sprintf("`%s` (default %.6g): %s", q.Name, q.Default, q.Doc))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, c.Scheme, cell(c.Doc), cell(strings.Join(p, "; ")), cell(c.Paper))
	}
	b.WriteString("\n## Viscosity laws\n\nsmagorinsky and wale are models of `[turbulence]`, the others are for `[fluid]`. All but wale compute the shear rate from the cell's own stress.\n\n| law | | source |\n|---|---|---|\n")
	for _, l := range model.ViscosityLaws {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.Name, cell(l.Doc), cell(l.Paper))
	}
	b.WriteString("\n## Boundaries\n\n| type | on | keys | | source |\n|---|---|---|---|---|\n")
	for _, d := range boundary.Kinds {
		var on []string
		if d.Faces {
			on = append(on, "faces")
		}
		if d.Bodies {
			on = append(on, "bodies")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, strings.Join(on, ", "), keysOf(d), cell(d.Doc), cell(d.Paper))
	}
	b.WriteString("\nWhere two faces meet at an edge, this table shows the content of the cells behind the edge; corners behave likewise. Both faces act: the ghost cell passes through the rule of each face, which changes its density or a component of its velocity. Where `moving_wall` bounces back (bgk, trt, closed boxes without slip) it counts as a wall.\n\n| face | meets | cell behind the edge |\n|---|---|---|\n")
	for _, e := range boundary.Edges {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", e.One, e.Other, e.Wins)
	}
	b.WriteString("\n## Fields\n\n| field | components | unit | |\n|---|---|---|---|\n")
	for _, f := range model.Fields {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", f.Name, f.Components, language.Symbol(f.Dim), cell(f.Doc))
	}
	b.WriteString("\n## Averages\n\nFields of `[output.averages]`. Sums use 64 bits and Welford's recurrence (Technometrics 4 (1962) 419), cell by cell, so that they depend neither on the number of ranks nor on restarts. They are divided by the number of samples.\n\n| field | components | unit | |\n|---|---|---|---|\n")
	for _, f := range model.AverageFields() {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", f.Name, f.Components, language.Symbol(f.Dim), cell(f.Doc))
	}
	b.WriteString("\n## Profiles\n\nFields of `[output.profile.NAME]`: all of the averages but those at walls, and these. Means are over time and over the plane, and deviations from them.\n\n| field | components | unit | |\n|---|---|---|---|\n")
	for _, f := range model.ProfileFields()[len(model.Averages):] {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", f.Name, f.Components, language.Symbol(f.Dim), cell(f.Doc))
	}
	b.WriteString("\n## Spectra\n\nFields of `[output.spectrum.NAME]`, as Pope defines them (Turbulent Flows, 2000, section 6.5): one-sided, over the angular wave number k = 2 pi n/L in rad/m, n = 1, 2, ... L is the length of the domain along the lines. So the sum of E times 2 pi/L over all k is the variance along the line, of the deviations from the line's own mean.\n\n| field | components | unit | |\n|---|---|---|---|\n")
	for _, f := range model.Spectra() {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", f.Name, f.Components, language.Symbol(f.Dim), cell(f.Doc))
	}
	b.WriteString("\n## Series\n\nQuantities of `[output.series.NAME]`. Means and maxima are over the fluid cells of the whole domain, with sums in an order that does not depend on the number of ranks.\n\n| quantity | unit | definition |\n|---|---|---|\n")
	for _, q := range SeriesQuantities() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", q.Name, language.Symbol(q.Dim), cell(q.Doc))
	}
	b.WriteString("\n## Quantities of `[expect]`\n\nThey are evaluated at the end of the run; sums and maxima run over the fluid cells.\n\n| quantity | key | unit | definition |\n|---|---|---|---|\n")
	for _, q := range Quantities() {
		unit := language.Symbol(q.Dim)
		if q.PerField {
			unit = "of the field"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", q.Name, q.Key, unit, cell(q.Doc))
	}
	return b.String()
}

// cell of a table: no bar may end it early.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

const referenceHead = `<!-- Generated from the tables in config and model by "go test ./config -update". Do not edit. -->
# The case file

This page lists every key of a case with its unit, default and meaning.

A case is one TOML file. An unknown key is an error,
shown with its position and the nearest known key. All errors are shown at once.

A case is written either with units or in lattice units, never a mixture of both:

- with units, values are texts such as ` + "`\"0.1 m/s\"`" + `; outputs are in SI;
- bare numbers are lattice units: cells, steps, and densities in multiples of the
  reference density. Zero and dimensionless numbers are bare in both.

Cells are cubes; cell i along an axis has its centre at (i + 1/2) spacings from the
domain's lower corner. Walls on faces are located exactly on the faces.

## Keys
`

const referenceUnits = `
## Units

A value is a number, or an expression without variables, followed by a unit:
` + "`\"20 mm\"`, `\"2*pi m\"`, `\"1e-6 m2/s\"`, `\"10 1/s\"`" + `.

`

// keysOf names a boundary's keys, those in brackets that it may do without.
func keysOf(d boundary.Kind) string {
	list := append([]string{}, d.Keys...)
	for _, k := range d.May {
		list = append(list, "("+k+")")
	}
	return strings.Join(list, ", ")
}
