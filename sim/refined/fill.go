// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import "lbmsim/sim/level"

// Fill sets overlap and ghost cells of all levels to the values of the current state, as their next steps would, and waits for
// them: for readers of a cell's neighbours. Collective.
func (g *Grid) Fill() error {
	if g.filled {
		return nil
	}
	for l := range g.levels {
		at := &g.levels[l]
		g.side.fork(g.Bulk)
		if g.refines(l) {
			if err := g.sendValues(l + 1); err != nil {
				return err
			}
		}
		if err := g.copySiblings(at); err != nil {
			return err
		}
		for _, p := range at.patches {
			if err := level.Present(p.Level); err != nil {
				return err
			}
			if err := (level.Ahead{Level: p.Level}).Begin(); err != nil {
				return err
			}
		}
		if g.refines(l) {
			if err := g.prolong(l + 1); err != nil {
				return err
			}
		}
		for _, p := range at.patches {
			if err := (level.Ahead{Level: p.Level}).Arrive(); err != nil {
				return err
			}
		}
	}
	g.side.join(g.Bulk)
	g.filled = true
	return g.Sync()
}
