// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import "lbmsim/model"

// Footprint is the disk space of an output.
type Footprint struct {
	Head     string // of its table in the case file
	Schedule Schedule
	Files    int     // of one time; 0: it adds rows to one file
	Each     float64 // bytes of one time
}

// Approximate overhead of a file beside its numbers, and size of numbers as text.
const (
	headBytes = 16 << 10 // HDF5's own, on average; the resolved case is added
	csvStep   = 24       // step and time
	csvNumber = 20       // a number in its shortest digits, with the comma
)

// FileBytes estimates the size of a file with so many bytes of numbers.
func FileBytes(c *Case, numbers float64) float64 {
	return float64(headBytes+len(c.Resolved)) + numbers
}

// tableFootprint returns the footprint of a file to which rows are appended; columns are counted without step and time.
func tableFootprint(head string, s Schedule, rows, columns int) Footprint {
	return Footprint{Head: head, Schedule: s, Each: float64(rows) * float64(csvStep+csvNumber*columns)}
}

// columnsOf fields in a CSV file: components that are always 0 are left out.
func columnsOf(c *Case, fields []model.Field) (n int) {
	for _, f := range fields {
		if c.Dims() == 2 && f.Name == "vorticity" {
			n++
		} else {
			n += min(f.Components, c.Dims())
		}
	}
	return n
}

// bytesOf the numbers of fields.
func bytesOf(fields []model.Field, precision model.Precision, cells [3]int) int64 {
	values := int64(0)
	for _, f := range fields {
		values += int64(f.Components)
	}
	return int64(cells[0]) * int64(cells[1]) * int64(cells[2]) * values * int64(precision.Bytes())
}
