// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import "lbmsim/model"

// WallModeler is a Program that computes the ghost cells of modelled walls (boundary.Modelled). Found by type assertion.
type WallModeler interface {
	// FillModelled computes the ghost cells and the layer's eddy viscosity from a state, in the order of s: before the step,
	// or the forces, that read them. It computes those that depend only on the box's own cells (boundary.Modelled.Early) or,
	// with exchanged, the others, once the state's listed cells have been exchanged.
	FillModelled(s Stream, state Buffer, p model.Params, exchanged bool)
	// ModelledWalls returns the results of the last FillModelled at each ghost cell, in the order of
	// boundary.Modelled.Cells, once all queued work is done. Forces of a rank with links to a measured wall fills them too.
	ModelledWalls() ([]ModelledWall, error)
	// WallMomentum fills the ghost cells from a state and returns the exchange of the links of each type in the next step.
	WallMomentum(state Buffer, p model.Params) ([]WallMomentum, error)
	// TuneWalls sets the corrections of each type once all queued work is done; at the start factors are 1 and densities 0.
	TuneWalls(walls []WallTuning) error
}

// WallTuning holds the corrections of ghost cells of a modelled wall: the factor of the slope of their velocity, a density that is added to
// theirs, and one that is added as far as the model applies.
type WallTuning struct{ Factor, Density, Exchange float64 }

// TuningNumbers returns the corrections as kernels read them.
func TuningNumbers(walls []WallTuning) (list []float64) {
	for _, w := range walls {
		list = append(list, w.Factor, w.Density, w.Exchange)
	}
	return list
}

// Gatherer is a Program with a wall model on several ranks. Found by type assertion.
type Gatherer interface {
	// Gather copies the cells that other ranks' ghost cells read (boundary.Modelled.Sent) to their places behind a state, in the
	// order of s: after the steps of the edges and before the exchange.
	Gather(s Stream, state Buffer)
}

// WallMomentum holds the exchange of the links of a modelled wall in a step, momentum in units of 1/ForceUnits: sums that
// depend neither on their order nor on the decomposition.
type WallMomentum struct {
	Exchanged int64 // momentum along the traction, from the fluid to the wall, where the model fully applies
	Law       int64 // the same from the law of the wall: traction times area
	All       int64 // traction times area, also where the model applies in part
	Area      int64 // in units of 1/WallAreaUnits
	Passed    int64 // mass, from the wall into the fluid
}

// WallAreaUnits is the number of units of an area, in cells, of WallMomentum.
const WallAreaUnits = ForceUnits / 4096

// Add adds another part of the same wall.
func (m *WallMomentum) Add(n WallMomentum) {
	m.Exchanged, m.Law, m.All, m.Area = m.Exchanged+n.Exchanged, m.Law+n.Law, m.All+n.All, m.Area+n.Area
	m.Passed += n.Passed
}

// WallModels is a Device with programs that support the wall model. Found by type assertion.
type WallModels interface{ WallModels() }

// ModelledWall is the flow at a ghost cell of a modelled wall.
type ModelledWall struct {
	Traction [3]float64 // of the fluid on the wall, by the law of the wall; 0 where the cell has no model
	HalfPlus float64    // y+ at half a cell; 0 where the cell has no model
	Share    float64    // of the model, from 0 at a no-slip wall to 1 where the law of the wall fully applies
}

// NoSlip reports whether the wall is a no-slip wall there.
func (w ModelledWall) NoSlip() bool { return w.Share == 0 }
