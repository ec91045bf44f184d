// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import "math"

// The parts of a step of Levels one by one, for kernels that compute them: between a level and the next coarser one.

// Prolong fills the overlap of a level.
func (s *Levels) Prolong(level int) { s.prolong(s.Grids[level]) }

// CountCoarse subtracts the flux through the interface of a level in the coming step of the coarser one, CountFine adds the flux in
// the level's coming step.
func (s *Levels) CountCoarse(level int) {
	c := &s.Grids[level].coupling
	c.count(s.Grids[level-1], c.coarse)
}
func (s *Levels) CountFine(level int) {
	c := &s.Grids[level].coupling
	c.count(s.Grids[level], c.fine)
}

// Excess visits the cells of the coarser level outside the interface, with the counted mass, momentum and heat.
func (s *Levels) Excess(level int, visit func(cell [3]int, excess [5]float64)) {
	c := &s.Grids[level].coupling
	for k, cell := range c.cells {
		visit(s.Grids[level-1].position(cell), c.excess[k])
	}
}

// Restrict gives the mirror cells of the coarser level the means of their children, Correct adds the counted
// excess to the cells outside the interface.
func (s *Levels) Restrict(level int) { s.restrict(s.Grids[level]) }
func (s *Levels) Correct(level int)  { s.correct(s.Grids[level]) }

// Stores reports whether a level has values for a cell: it stores the cell, and the cell is neither hidden nor of the step before.
func (g *Grid) Stores(cell int) bool {
	return g.depth[cell] != nothing && g.F[cell] != nil && !math.IsNaN(g.F[cell][0])
}
