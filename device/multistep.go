// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import "lbmsim/model"

// Multistepper is a Program that computes several steps of a whole box as one piece of work, without a return to memory
// between them. Found by type assertion.
type Multistepper interface {
	// Stride returns the number of steps that Steps computes; 1: this case is computed step by step, and Steps must not be
	// called.
	Stride() int
	// Steps queues on s the equivalent of Stride calls of Step for all cells from in, with the same bits, and leaves
	// the last state in out. Intermediate states are not stored.
	Steps(s Stream, in, out Buffer, p model.Params)
}

// InPieces returns p if it computes k steps in an even number of pieces, so that they end in the initial buffer;
// otherwise nil.
func InPieces(p Program, k int) Multistepper {
	if m, ok := p.(Multistepper); ok && m.Stride() > 1 && k%(2*m.Stride()) == 0 {
		return m
	}
	return nil
}
