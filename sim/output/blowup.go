// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"os"
	"slices"

	"lbmsim/io/fields"
)

// Names of the report of an unstable run, in the output folder; package postmortem writes it.
const (
	BlowupText = "blowup.txt"
	BlowupJSON = "blowup.json"
	BlowupDir  = "blowup" // fields around the first bad cell
)

// BlowupSeries returns the files of fields of the report.
func (r *Run) BlowupSeries() fields.Series {
	return fields.Series{Dir: r.Path(BlowupDir), Name: "blowup"}
}

// blowup lists the files of an earlier run's report, by name and content. A folder behind a link may be another run's.
func (r *Run) blowup() (paths []string) {
	if info, err := os.Lstat(r.Path(BlowupDir)); err == nil && info.IsDir() {
		s := r.BlowupSeries()
		paths = append(numbered(s.Dir, s.Name), s.Indices()...)
	}
	paths = append(paths, r.Path(BlowupText), r.Path(BlowupJSON))
	return slices.DeleteFunc(paths, func(path string) bool { return !written(path) })
}

// ForgetBlowup removes an earlier run's report, and its folder unless the folder has other files.
func (r *Run) ForgetBlowup() {
	for _, path := range append(r.blowup(), r.Path(BlowupDir)) {
		_ = os.Remove(path) // a file that cannot be removed is replaced, or its replacement fails
	}
}
