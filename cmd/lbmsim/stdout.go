// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import "os"

// stdout is the standard output of commands that end once they have printed: a table that did not reach a full disk or device
// is an error. Runs print through a report, and continue without it.
var stdout = &standard{}

// standard writes to the standard output and keeps the first error.
type standard struct{ err error }

// Write implements io.Writer.
func (s *standard) Write(b []byte) (int, error) {
	n, err := os.Stdout.Write(b)
	if s.err == nil {
		s.err = err
	}
	return n, err
}
