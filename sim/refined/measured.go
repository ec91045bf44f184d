package refined

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/geometry"
)

// measurable returns an error if a force is of walls whose cells a level stores twice: the device's sums are over all that a patch
// stores, overlap included.
func measurable(c *config.Case, solids []geometry.Shape, h *decomp.Hierarchy) error {
	for _, f := range c.Forces {
		for _, t := range f.Types {
			if t := int(t); t <= len(c.Boundaries) {
				if b := c.Boundaries[t-1]; anyAtFaces(b, h) {
					return fmt.Errorf("[output.force.%s] is of [boundary.%s], whose faces boxes of refinement touch: forces on refined grids are of bodies, or of faces that no box touches", f.Name, b.Name)
				}
				continue
			}
			b := c.Bodies[int(t)-1-len(c.Boundaries)]
			for l := range h.Levels {
				lo, hi := geometry.Finer(b.Shape(solids), l, h.Dims()).Bounds()
				if patches := meeting(h.Levels[l].Patches, lo, hi); l > 0 && patches > 1 {
					return fmt.Errorf("[output.force.%s] is of [body.%s], which lies in %d boxes of level %d: let one box of the level contain it", f.Name, b.Name, patches, l)
				}
			}
		}
	}
	return nil
}

// anyAtFaces reports whether a patch above level 0 touches a face that a boundary has a part of.
func anyAtFaces(b config.Boundary, h *decomp.Hierarchy) bool {
	for _, level := range h.Levels[1:] {
		for _, p := range level.Patches {
			for _, f := range b.Faces {
				if f.Side == 0 && p.Owned.Lo[f.Axis] == 0 || f.Side == 1 && p.Owned.Hi[f.Axis] == level.N[f.Axis] {
					return true
				}
			}
		}
	}
	return false
}

// meeting counts the patches that store cells between corners, and those beside them.
func meeting(patches []decomp.Patch, lo, hi [3]float64) (n int) {
	for _, p := range patches {
		meets := true
		for a := range lo {
			meets = meets && lo[a]-2 < float64(p.Stored.Hi[a]) && hi[a]+2 > float64(p.Stored.Lo[a])
		}
		if meets {
			n++
		}
	}
	return n
}
