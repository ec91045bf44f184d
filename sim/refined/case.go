// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"regexp"
	"slices"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// firstTag is the first tag of the messages of patches beyond level 0: the tags of refined grids end below (decomp.Traffic), as do
// all others of a run. Each patch has room for the tags of decomp.Link.
const (
	firstTag = 256
	tags     = 28
)

// possible returns an error if a device does not support these levels, with the reason. Features that no refined grid has are
// rejected when the case is read (config).
func possible(c *config.Case, h *decomp.Hierarchy, dev device.Device) error {
	if d, ok := dev.(device.LevelCoupler); !ok || !d.CouplesLevels(c.Spec) {
		return fmt.Errorf("refined grids do not run with %s on %s: they take models of moments in float32 or float64", c.Spec, dev.Info().Name)
	}
	return few(h)
}

// few returns an error if there are not enough tags for the patches.
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

// atLevel returns a case at the spacing of a level with a number of cells: values given by the place in cells of level 0, or
// by steps of it, in cells and steps of the level, but the shapes of bodies (domain.NewPatch). Velocities and densities are
// the same.
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
		own.Temperature.Buoyancy[a] *= width
	}
	own.Temperature.Diffusivity /= width
	if c.Force.At != nil {
		own.Force.At = func(t float64) [3]float64 { return forceAt(c, level, t) }
	}
	place := func(x, y, z float64) (float64, float64, float64) {
		if c.Dims() == 2 {
			return width * x, width * y, z
		}
		return width * x, width * y, width * z
	}
	own.Initial.Density, own.Temperature.Initial = scaled(c.Initial.Density, width, c.Dims()), scaled(c.Temperature.Initial, width, c.Dims())
	for a := range own.Initial.Velocity {
		own.Initial.Velocity[a] = scaled(c.Initial.Velocity[a], width, c.Dims())
	}
	own.Boundaries = slices.Clone(c.Boundaries)
	for i := range own.Boundaries {
		b := &own.Boundaries[i]
		b.Relax *= width
		b.Model.Roughness /= width // heights of samples and layers are counted in cells
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
				b.Code[a] = codeAt(b.Code[a], c.Dims(), width)
			}
			b.Profile = &at
		}
		changesAt(b, c.Dims(), width)
	}
	own.Bodies = slices.Clone(c.Bodies)
	for i := range own.Bodies {
		own.Bodies[i].Model.Roughness /= width
		if w := &own.Bodies[i].Temperature; w.Law == boundary.ScalarConducts {
			w.Conductivity /= width
			w.Value *= width // of a unit of time
		}
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

// variables are the position and the time in code for devices.
var variables = regexp.MustCompile(`\b[xyzt]\b`)

// codeAt returns code of the place in cells and the time in steps of level 0 as code of these on cells of another width.
func codeAt(code string, dims int, width float64) string {
	return variables.ReplaceAllStringFunc(code, func(name string) string {
		if name == "z" && dims == 2 {
			return name
		}
		return fmt.Sprintf("(%s*%g)", name, width) // a power of 2
	})
}

// changesAt converts the time dependence and the profile of a boundary to cells of another width.
func changesAt(b *config.Boundary, dims int, width float64) {
	b.Ramp /= width
	for _, f := range []**config.TableFile{&b.Table, &b.Outline} {
		if *f != nil {
			own := **f
			own.Unit *= width
			*f = &own
		}
	}
	if in := b.Inflow; in != nil {
		own := *in
		own.RMS = func(p [3]float64, speed float64) float64 {
			for a := range dims {
				p[a] *= width
			}
			return in.RMS(p, speed)
		}
		own.Code = codeAt(in.Code, dims, width)
		b.Inflow = &own
	}
}

// forceAt returns a force that depends on the time, at a time in steps of a level.
func forceAt(c *config.Case, level int, t float64) [3]float64 {
	width := 1 / float64(int(1)<<level)
	return times(c.Force.At(width*t), width)
}

func times(f [3]float64, by float64) [3]float64 {
	for a := range f {
		f[a] *= by
	}
	return f
}

// numbers returns the numbers of a step of a level.
func numbers(c *config.Case, level int) model.Params {
	p := c.Params()
	for range level {
		p = p.Finer(c.Spec.Viscosity)
	}
	return p
}

// planOf returns the plan of a patch, with the ghost cells that the domain's faces need.
func planOf(h *decomp.Hierarchy, level, patch int) decomp.Plan {
	plan := h.Levels[level].Patches[patch].Plan
	plan.Faces = h.Levels[0].Patches[0].Plan.Faces
	return plan
}

// scaled returns a function of positions in units of width.
func scaled(f config.Function, width float64, dims int) config.Function {
	if f == nil {
		return nil
	}
	return func(values, x []float64, y, z float64) {
		at := make([]float64, len(x))
		for i, v := range x {
			at[i] = width * v
		}
		if dims == 3 {
			z *= width
		}
		f(values, at, width*y, z)
	}
}
