package device

import (
	"lbmsim/boundary"
	"lbmsim/model"
)

// WallModeler is a Program that computes the ghost cells of walls with a model (boundary.Modelled). Found by type assertion.
type WallModeler interface {
	// FillModelled computes the ghost cells from a state, in the order of s: before the step, or the forces, that read them.
	FillModelled(s Stream, state Buffer, p model.Params)
	// ModelledWalls returns what the last FillModelled found at each ghost cell, in the order of boundary.Modelled.Cells, once
	// all queued work is done.
	ModelledWalls() ([]ModelledWall, error)
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
