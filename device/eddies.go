package device

import "lbmsim/model"

// EddyKeeper is a Program that keeps eddies of its cells, for viscosity laws that read neighbours
// (model.ViscosityLaw.LooksAround). Found by type assertion.
type EddyKeeper interface {
	// FindEddies finds them from a state whose ghost cells are valid, in the order of s. All steps that are queued
	// behind it have these. It may be recorded.
	FindEddies(s Stream, state Buffer, p model.Params)
	// Eddies returns their memory, 3 nu_t of each interior cell as [z][y][Layout.Pitch] numbers of Spec.EddyBytes bytes, 0
	// at first, with anything in the padding; nil: the law reads no neighbours.
	Eddies() Buffer
}
