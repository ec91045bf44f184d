// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"

	"lbmsim/boundary"
	"lbmsim/decomp"
)

// The cut of the domain into parts.

// Cut gives each of a number of ranks its box, as set by the case or as is best.
func (c *Case) Cut(ranks int) (decomp.Plan, error) {
	if ranks < 1 {
		return decomp.Plan{}, fmt.Errorf("%d ranks: at least 1 is required", ranks)
	}
	p, err := decomp.Cut(c.Cells, c.Periodic, c.Dims(), ranks, c.Run.Ranks)
	if err != nil && c.Run.Ranks != [3]int{} {
		err = fmt.Errorf("[run] ranks of the case is invalid here: %w", err)
	}
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			p.Faces[f.Axis] = p.Faces[f.Axis] || b.Kind.Law.Open()
		}
		for a := range c.Dims() { // a wall that moves has ghost cells behind its edges with walls at rest
			p.Faces[a] = p.Faces[a] || b.Kind.Law == boundary.MovingFace && !c.Periodic[a]
		}
	}
	return p, err
}

// Hierarchy returns the levels of the case's grid, each cut over a number of ranks: level 0 by Cut, which is all of them without
// refinement.
func (c *Case) Hierarchy(ranks int) (*decomp.Hierarchy, error) {
	p, err := c.Cut(ranks)
	if err != nil {
		return nil, err
	}
	return decomp.NewHierarchy(p, c.Refine)
}

// LeastRanks returns the smallest number of ranks that [run] ranks allows.
func (c *Case) LeastRanks() int {
	n := 1
	for _, parts := range c.Run.Ranks {
		n *= max(1, parts)
	}
	return n
}
