// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/decomp"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/io/probe"
)

// The abilities that outputs may have, found by type assertion.

// placed is an output with its own folder.
type placed interface{ folder() string }

// seriesWriter is an output that writes a series of files with an index.
type seriesWriter interface {
	Output
	indexed() fields.Series
}

// numberedFiles is an output with one file per step: those in its folder, of any run.
type numberedFiles interface{ stepFiles() []string }

// prepared is an output that takes memory before the first step.
type prepared interface {
	// prepare returns an error only where the run cannot continue. Collective.
	prepare(*Run) error
}

// snapping is an output that takes snapshots beside the steps.
type snapping interface {
	Output
	// snaps reports the cells, local; false where it is better that steps do not write them.
	snaps(*Run) (box decomp.Box, ok bool)
}

// remembered is an output that stores more in a checkpoint than the length of its rows.
type remembered interface {
	Output
	// remember adds the state that the next run needs. Collective.
	remember(*Run, *Memory) error
	// beside begins files that belong to the checkpoint with this header, in its folder;
	// written reports of each, once it has been committed, whether it is on disk. Collective.
	beside(r *Run, h checkpoint.Header, dir string) (written []*bool, err error)
	// recall continues with the state in the checkpoint of a path. Collective.
	recall(r *Run, path string, m *Memory) error
}

// tabular is an output that adds rows to a CSV file, on rank 0.
type tabular interface {
	Output
	table() *rows
	header(*Run) probe.Header
}

// renewed is a table whose statistics may differ from the checkpoint's: one file must not mix rows of both.
type renewed interface{ isOther() bool }

// with returns the outputs that have an ability.
func with[Ability any](list []Output) (able []Ability) {
	for _, o := range list {
		if a, ok := o.(Ability); ok {
			able = append(able, a)
		}
	}
	return able
}
