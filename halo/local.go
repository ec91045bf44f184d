// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package halo

import "lbmsim/device"

// copyLoops fills the ghost planes of a rank that is its own neighbour: copies from one
// end of its box to the other, inside its device.
func copyLoops(s device.Stream, state device.Buffer, self []loop) {
	for _, l := range self {
		queueCopies(s, state, state, l.copies)
	}
}
