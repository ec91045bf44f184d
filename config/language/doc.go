// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package language reads a file of a language that a Schema describes: strict TOML with units and
// expressions in the values. It knows no physics; the Schema defines the tables and keys.
//
// Read gives a Reader with all sections and, collected, all problems: each with its place, the
// nearest valid word and the reason. The package that resolves the values adds its own problems to them.
//
// A value with a dimension is a number or an expression followed by a unit, "20 mm" or
// "0.1*sin(2*pi*y/Ly) m/s"; its Amount is in SI. Expressions are functions in Go, intervals of
// their values over a box, and text in C.
//
//	scan.go      the position of every key and value
//	keys.go      kinds of values, keys, tables: a Schema
//	set.go       changes of the command line, put into the text
//	read.go      TOML to sections, by the schema
//	value.go     one value by its kind; units.go and expr.go its parts
//	search.go    expressions that are not finite somewhere; interval.go, boxes at a time
//	write.go     the canonical text, and the comparison of two of them
//	errors.go    how problems are shown; suggest.go, the nearest word
//
// Asking a Section for a key, or a Reader for a table, that the schema does not have is a mistake
// in lbmsim and panics.
package language
