// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package rank has the resources of one rank for its computations: messages to the other ranks, threads of its host, and
// warnings.
package rank

import (
	"lbmsim/comm"
	"lbmsim/internal/finding"
)

// Rank is this rank of a run.
type Rank struct {
	Comm      comm.Comm
	ID, Size  int
	Root      bool                  // rank 0
	Heartbeat *comm.Heartbeat       // nil: no watchdog runs
	Threads   int                   // of the host that this rank may keep busy
	Warn      func(finding.Finding) // warns through rank 0's reporter; nil on the other ranks
}

// New returns this process's rank of c.
func New(c comm.Comm, threads int, warn func(finding.Finding)) *Rank {
	return &Rank{Comm: c, ID: c.Rank(), Size: c.Size(), Root: c.Rank() == 0, Heartbeat: comm.HeartbeatOf(c), Threads: threads, Warn: warn}
}
