// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"

	"lbmsim/report"
)

// reporters are the reporters of a run, in the order in which they are called.
type reporters struct {
	report.Many
	start  *startSign
	status *report.Status
}

// newReporters returns the reporters for a format of the log. The state is on disk before the
// log ends.
func newReporters(format string, verbose bool) (*reporters, error) {
	var log report.Reporter
	switch format {
	case "text":
		log = report.NewText(os.Stdout, verbose)
	case "json":
		log = report.NewJSON(os.Stdout)
	default:
		return nil, usageError{fmt.Errorf("--log %s: must be text or json", format)}
	}
	r := &reporters{start: &startSign{}, status: report.NewStatus(log.Warn)}
	r.Many = report.Many{r.start, r.status, log}
	return r, nil
}
