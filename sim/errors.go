// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import "lbmsim/sim/exit"

// Exit codes of the program, as package exit has them for the parts of a run.
const (
	ExitOK       = exit.OK
	ExitFailure  = exit.Failure
	ExitUsage    = exit.Usage
	ExitUnstable = exit.Unstable
	ExitExpect   = exit.Expect
	ExitDiffer   = exit.Differ
)

// Error carries the exit code of an error known to every rank.
type Error = exit.Error

// ExitCode of an error returned by Run; agreed reports whether every rank returns
// one, so that no rank is left waiting.
func ExitCode(err error) (code int, agreed bool) { return exit.Code(err) }

// Agreed gives the error of a collective call its exit code when it is the error that the ranks agreed on.
func Agreed(code int, err error) error { return exit.Agreed(code, err) }

// all makes an error of one rank an error of all, so that every rank returns the same way.
// Collective.
func (r *run) all(what string, err error) error { return exit.All(r.Rank.Comm, r.Step(), what, err) }
