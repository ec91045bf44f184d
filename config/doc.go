// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package config reads a case file and resolves it: strict TOML with units in the
// values becomes a Case in lattice units. Load reports all errors of a text at once,
// each with its place, the nearest valid word and the reason.
//
// # The language
//
// A case has the tables [domain], [fluid], [scaling], [collision], [turbulence], [force], [initial],
// [boundary.NAME], [body.NAME], [run], [output] with [output.fields],
// [output.picture], [output.probe.NAME], [output.series.NAME] and others, [checkpoint] and
// [expect]. The table schema (schema.go) holds every key with its kind, dimension, default,
// range and meaning; parsing, suggestions, the resolved copy and docs/reference.md
// (Reference) come from it.
//
// A value with a dimension is a number or an expression followed by a unit:
//
//	size = ["20 mm", "2*pi m"]
//	viscosity = "1e-6 m2/s"                          also m^2/s, m²/s, cSt
//	velocity = ["0.1*sin(2*pi*y/Ly) m/s", 0]         in [initial]
//	reference = ["exp(-2*0.05*t)*cos(x) m/s", 0]     in [expect.velocity]
//
// Bare numbers are lattice units. A case is written in one style: the lengths of
// [domain] decide which, or the majority when it has none, and every value of the
// other style is an error. Zero, percentages and dimensionless numbers fit both.
//
// Expressions know + - * / ^, comparisons, pi, e, a few functions, the position x, y,
// z, the domain's sizes Lx, Ly, Lz (metres, or cells in lattice units) and, in
// references, the time t (seconds, or steps). Nothing else can be reached from them.
//
// # From text to Case
//
//	language/       text to sections of values, by the schema
//	schema.go       the tables and keys that there are
//	resolve.go      the parts of a case, one after the other, each with what it needs of those before
//	source.go, frame.go   what they all have: the file, SI and lattice units; every conversion
//	domain.go, scaling.go, run.go, rheology.go, forcing.go, temperature.go, boundaries.go, bodies.go,
//	shapes.go, outputs.go, averages.go, spectrum.go, forces.go, series.go, expect.go   their tables
//	openings.go, speeds.go, everywhere.go   checks that need all parts
//	table.go        the derived quantities
//	echo.go         what may differ between two resolved copies
//
// The resolved copy is canonical: quantities in SI with the shortest digits that read
// back to the same bits. Reading it gives the same Case, so a checkpoint is compared
// with a case by Diff of their copies.
package config
