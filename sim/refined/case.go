package refined

import (
	"fmt"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

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
	case len(c.Bodies) > 0:
		return fmt.Errorf("refined grids take no bodies: remove [body.%s], or the refinement", c.Bodies[0].Name)
	case c.Initial.From != nil:
		return fmt.Errorf("refined grids start from formulas: remove [initial] from")
	case len(c.Boundaries) >= 255: // cells that are blocked have a type of their own
		return fmt.Errorf("refined grids take at most 254 boundaries, the case has %d", len(c.Boundaries))
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

// atLevel returns a case at the spacing of a level with so many cells: what is given by the place in cells of level 0, or by steps of
// it, in cells and steps of the level. Velocities and densities are the same.
func atLevel(c *config.Case, level int, n [3]int) *config.Case {
	own := *c // ranks of one process share theirs
	own.Cells = n
	width := 1 / float64(int(1)<<level) // of a cell, and of a step
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
