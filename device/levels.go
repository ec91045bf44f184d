// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import (
	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// LevelCoupler is a Device whose programs couple levels of refined grids. Found by type assertion.
type LevelCoupler interface {
	// CouplesLevels reports whether programs of a spec support coupling: moments of 32 or 64 bits.
	CouplesLevels(spec model.Spec) bool
}

// Compiler is a Device that compiles kernels when it loads programs. Found by type assertion.
type Compiler interface {
	// Begin compiles kernels of a patch in the background, for its spec, layout and walls. Load waits for them.
	Begin(spec model.Spec, layout decomp.Layout, walls []boundary.Wall)
}

// Coupler is a Program of a patch of a refined grid. Found by type assertion.
type Coupler interface {
	// Couple uploads lists of one rank's part of a patch, which must not change afterwards.
	Couple(CouplingLists) (Coupling, error)
}

// CouplingLists describe the transfer between a part of a patch and other levels or patches; lists may be empty. The formats
// are in decomp/coupling.go and boundary/crossings.go.
type CouplingLists struct {
	Gathered, Scattered []decomp.Copied
	Values              []decomp.Copied // cells from which a finer level is interpolated
	Parents             decomp.Parents  // of the part's overlap
	Families            []decomp.Family
	Crossings           *boundary.Crossings // nil: no crossings
	Corrected           []decomp.Corrected
	Faces               []uint32 // of Corrected
}

// SumNumbers returns the number of values in a flux sum: mass, momentum and the heat of a scalar.
func SumNumbers(spec model.Spec) int {
	if spec.Scalar {
		return 2 + spec.Lattice.Dims
	}
	return 1 + spec.Lattice.Dims
}

// Coupling is uploaded lists. A compact buffer has as many numbers per cell as a state, in its number type, cell after cell:
// the components, or rho - 1, u and P for a finer level, with the scalar unchanged. Sums are float64, SumNumbers per place.
// All work is queued on s, may be recorded, and gives the same bits for any decomposition and any number of threads. A step
// of level l consists of:
//
//	GatherValues        of level l
//	Prolong             the overlap of level l+1 from them
//	FillFaces, Count    of level l, in the state that the step starts from: the coarse side of level l+1's faces, and the fine side of
//	                    its own, set in the first step within one of level l-1 and added to in the second one
//	Step                level l
//	twice               the same of level l+1
//	Restrict, Scatter   cells of level l beside the interface from their children
//	Correct             cells of level l outside the interface
//
// Count uses memory of the Coupling: two counts of one Coupling must not overlap.
type Coupling interface {
	// Gather copies cells of Gathered to a compact buffer, Scatter the cells of Scattered from one.
	Gather(s Stream, state, buffer Buffer)
	Scatter(s Stream, buffer, state Buffer)
	// GatherValues writes rho - 1, u and P of the cells of Values to a compact buffer: once each, since many parents read
	// them.
	GatherValues(s Stream, state, buffer Buffer, p model.Params)
	// Prolong fills the interpolated overlap from a compact buffer of values of the coarser level, with room for Parents.Extrapolated behind
	// its cells; coarse are the numbers of that level, own the numbers of the program's.
	Prolong(s Stream, buffer, state Buffer, coarse, own model.Params)
	// Restrict writes the means of Families to a compact buffer, in the coarser level's moments.
	Restrict(s Stream, state, buffer Buffer, own, coarse model.Params)
	// Count sets sums of Crossings from the state before a step, or adds to them.
	Count(s Stream, state, sums Buffer, add bool)
	// Correct adds to each cell of Corrected its own sum, by CoarseCrossings, and its faces' in fine. P and a scalar's flux
	// are unchanged.
	Correct(s Stream, own, fine, state Buffer, p model.Params)
	// Bytes is the memory of the lists.
	Bytes() int
	Close()
}
