package device

import (
	"lbmsim/boundary"
	"lbmsim/model"
)

// WallModeler is a Program that computes the ghost cells of walls with a model (boundary.Modelled). Found by type assertion.
type WallModeler interface {
	// FillModelled computes the ghost cells from a state, and the eddies of the layer, in the order of s: before the step, or the
	// forces, that read them. It computes those that follow from the box's own cells (boundary.Modelled.Early) or, exchanged, the
	// others, when the state's listed cells have been exchanged.
	FillModelled(s Stream, state Buffer, p model.Params, exchanged bool)
	// ModelledWalls returns what the last FillModelled found at each ghost cell, in the order of boundary.Modelled.Cells, once
	// all queued work is done.
	ModelledWalls() ([]ModelledWall, error)
}

// Gatherer is a Program with a wall model on several ranks. Found by type assertion.
type Gatherer interface {
	// Gather copies the cells that other ranks' ghost cells read (boundary.Modelled.Sent) to their places behind a state, in the
	// order of s: behind the steps of the edges, and before the exchange.
	Gather(s Stream, state Buffer)
}

// WallModels is a Device that has programs with a wall model. Found by type assertion.
type WallModels interface{ WallModels() }

// ModelledWall is the flow at a ghost cell of a wall with a model.
type ModelledWall struct {
	Traction [3]float64 // of the fluid on the wall, by the law of the wall; 0 where the cell has no model
	HalfPlus float64    // y+ of half a cell; 0 where the cell has no model
}

// NoSlip reports whether the wall is the no-slip wall there.
func (w ModelledWall) NoSlip() bool { return w.HalfPlus <= boundary.LaminarPlus }
