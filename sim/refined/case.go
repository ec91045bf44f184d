package refined

import (
	"fmt"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/geometry"
	"lbmsim/model"
)

// firstTag is the first tag of the messages of patches beyond level 0: those of refined grids end below (decomp.Traffic), as do
// all others of a run. Each patch has room for the tags of decomp.Link.
const (
	firstTag = 256
	tags     = 28
)

// possible returns an error that names what of a case and its boxes refined grids do not have.
func possible(c *config.Case, h *decomp.Hierarchy, dev device.Device) error {
	if err := able(c, dev); err != nil {
		return err
	}
	if err := apart(c, h); err != nil {
		return err
	}
	return few(h)
}

// few returns an error if there are more patches than tags.
func few(h *decomp.Hierarchy) error {
	patches := -len(h.Levels[0].Patches)
	for _, l := range h.Levels {
		patches += len(l.Patches)
	}
	if most := (comm.MaxTag + 1 - firstTag) / tags; patches > most {
		return fmt.Errorf("the boxes of refinement make %d patches, more than %d: use fewer and larger boxes", patches, most)
	}
	return nil
}

// able returns an error that names what of a case refined grids do not have.
func able(c *config.Case, dev device.Device) error {
	d, ok := dev.(device.LevelCoupler)
	switch {
	case !ok || !d.CouplesLevels(c.Spec):
		return fmt.Errorf("refined grids do not run with %s on %s: they take models of moments in float32 or float64, without temperature", c.Spec, dev.Info().Name)
	case c.Spec.Viscosity != model.Newtonian:
		return fmt.Errorf("refined grids take a constant viscosity, not %s: remove it, or the refinement", c.Spec.Viscosity)
	case c.Force.At != nil || c.Force.Drive != nil:
		return fmt.Errorf("refined grids take a force that is constant: [force] changes with time")
	case len(c.Files) > 0:
		return fmt.Errorf("refined grids take no bodies from files: remove [body.%s], or the refinement", c.Files[0].Body)
	case c.Initial.From != nil:
		return fmt.Errorf("refined grids start from formulas: remove [initial] from")
	case len(c.Boundaries)+len(c.Bodies) >= 255: // cells that are blocked have a type of their own
		return fmt.Errorf("refined grids take at most 254 boundaries and bodies, the case has %d", len(c.Boundaries)+len(c.Bodies))
	}
	for _, b := range c.Bodies {
		switch {
		case b.Kind.Law == boundary.ModelledWall:
			return fmt.Errorf("refined grids do not take [body.%s]: it has a wall model", b.Name)
		case b.Thicken:
			return fmt.Errorf("refined grids do not take [body.%s]: it is thickened", b.Name)
		}
	}
	for _, b := range c.Boundaries {
		why := ""
		switch {
		case b.Timed || b.Ramp > 0 || b.Table != nil:
			why = "it changes with time"
		case b.Inflow != nil:
			why = "it is turbulent"
		case b.Outline != nil:
			why = "its profile is from a file"
		case len(b.Sponge) > 0:
			why = "it has a sponge"
		case b.Kind.Law == boundary.ModelledWall:
			why = "it has a wall model"
		}
		if why != "" {
			return fmt.Errorf("refined grids do not take [boundary.%s]: %s", b.Name, why)
		}
	}
	return nil
}

// margin is the number of cells of a level between the overlap that is interpolated and a body on either side: two cells hold the
// mirror cells' children, or are read by the interpolation; the next two are the cells beside these, of the coarser level.
const margin = 4

// apart returns an error if a body is too near to an interface: its cells then have no values to interpolate from.
func apart(c *config.Case, h *decomp.Hierarchy) error {
	for l := 1; l < len(h.Levels); l++ {
		for _, b := range c.Bodies {
			if meets(geometry.Finer(b.Shape(nil), l, c.Dims()), h, l) {
				return fmt.Errorf("[body.%s] is within %d cells of level %d of an end of that level, overlap included: let a box of the level contain the body with %d cells to spare, or end before it by %d",
					b.Name, margin, l, margin, margin+decomp.OverlapDeep)
			}
		}
	}
	return nil
}

// meets reports whether a shape in cells of a level has a cell of the level, or of the coarser one, near the level's interface.
func meets(s geometry.Shape, h *decomp.Hierarchy, level int) bool {
	lo, hi := s.Bounds()
	n := h.Levels[level].N
	for _, rim := range h.Rim(level, margin) {
		for z := rim.Lo[2]; z < rim.Hi[2]; z++ {
			for y := rim.Lo[1]; y < rim.Hi[1]; y++ {
				for x := rim.Lo[0]; x < rim.Hi[0]; x++ {
					var fine, coarse [3]float64
					near := true
					for a, k := range [3]int{x, y, z} {
						k = (k + n[a]) % n[a]
						fine[a] = float64(k) + 0.5
						if coarse[a] = fine[a]; a < h.Dims() {
							coarse[a] = float64(k&^1) + 1
						}
						near = near && fine[a] > lo[a]-2 && fine[a] < hi[a]+2
					}
					if near && (s.Contains(fine[0], fine[1], fine[2]) || s.Contains(coarse[0], coarse[1], coarse[2])) {
						return true
					}
				}
			}
		}
	}
	return false
}

// atLevel returns a case at the spacing of a level with so many cells: what is given by the place in cells of level 0, or by steps of
// it, in cells and steps of the level, but the shapes of bodies (domain.NewPatch). Velocities and densities are the same.
func atLevel(c *config.Case, level int, n [3]int) *config.Case {
	own := *c // ranks of one process share theirs
	own.Cells = n
	width := 1 / float64(int(1)<<level) // of a cell, and of a step
	own.Units.Length *= width
	own.Units.Time *= width
	own.Tau = 0.5 + (c.Tau-0.5)/width
	for a := range c.Dims() {
		own.Force.Density[a] *= width
		own.Force.Most[a] *= width
	}
	place := func(x, y, z float64) (float64, float64, float64) {
		if c.Dims() == 2 {
			return width * x, width * y, z
		}
		return width * x, width * y, width * z
	}
	scaled := func(f config.Function) config.Function {
		if f == nil {
			return nil
		}
		return func(x, y, z float64) float64 { return f(place(x, y, z)) }
	}
	own.Initial.Density = scaled(c.Initial.Density)
	for a := range own.Initial.Velocity {
		own.Initial.Velocity[a] = scaled(c.Initial.Velocity[a])
	}
	own.Boundaries = slices.Clone(c.Boundaries)
	for i := range own.Boundaries {
		b := &own.Boundaries[i]
		b.Relax *= width
		if r := b.Region; r != nil {
			at := *r
			for a := range c.Dims() {
				at.Lo[a], at.Hi[a], at.Centre[a] = at.Lo[a]/width, at.Hi[a]/width, at.Centre[a]/width
			}
			at.Radius /= width
			b.Region = &at
		}
		if p := b.Profile; p != nil {
			at := *p
			for a, f := range p {
				at[a] = func(x, y, z, t float64) float64 {
					x, y, z = place(x, y, z)
					return f(x, y, z, width*t)
				}
			}
			b.Profile = &at
		}
	}
	own.Bodies = slices.Clone(c.Bodies)
	for i := range own.Bodies {
		if m := own.Bodies[i].Motion; m != nil {
			at := *m
			for a := range at.Angular {
				at.Angular[a] *= width
				at.Centre[a] /= width
			}
			own.Bodies[i].Motion = &at
		}
	}
	return &own
}

// numbers returns the numbers of a step of a level.
func numbers(c *config.Case, level int) model.Params {
	p := c.Params()
	for range level {
		p = p.Finer()
	}
	return p
}

// planOf returns the plan of a patch, with the ghost cells that the domain's faces need.
func planOf(h *decomp.Hierarchy, level, patch int) decomp.Plan {
	plan := h.Levels[level].Patches[patch].Plan
	plan.Faces = h.Levels[0].Patches[0].Plan.Faces
	return plan
}
