// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import "lbmsim/model"

// EddyKeeper is a Program that stores the eddy viscosity of its cells, for viscosity laws that read
// neighbours (model.ViscosityLaw.LooksAround). Found by type assertion.
type EddyKeeper interface {
	// FindEddies computes it from a state with valid ghost cells, in the order of s. All steps queued behind it
	// use the result. It may be recorded.
	FindEddies(s Stream, state Buffer, p model.Params)
	// Eddies returns their memory, 3 nu_t of each interior cell as [z][y][Layout.Pitch] numbers of Spec.EddyBytes bytes, 0
	// at first, with arbitrary padding; nil: the law reads no neighbours.
	Eddies() Buffer
}
