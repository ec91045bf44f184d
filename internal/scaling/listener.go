// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package scaling

import (
	"lbmsim/sim"

	"lbmsim/internal/finding"
)

// listener is a reporter that keeps the report of a run's start.
type listener struct{ start sim.Start }

func (l *listener) Start(s sim.Start)     { l.start = s }
func (*listener) Progress(sim.Progress)   {}
func (*listener) Wrote(kind, path string) {}
func (*listener) Warn(finding.Finding)    {}
func (*listener) Finish(s sim.Summary)    {}
