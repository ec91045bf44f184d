// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package postmortem

// Steps is the search's view of the steps of a run.
type Steps interface {
	// Again recomputes one step, and writes nothing. Collective.
	Again() error
	// Save copies the present state of this rank's own cells into image, and returns the other
	// input of the coming steps.
	Save(image []byte) (Circumstances, error)
	// Back restores a saved state; image nil: the initial one. Collective.
	Back(image []byte, c Circumstances) error
	// Heard is more than 0 if this rank has received a signal, or knows that the job's time is over.
	Heard() int64
}
