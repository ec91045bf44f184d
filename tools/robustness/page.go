// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"strings"

	"lbmsim/cases/robustness"
	"lbmsim/model"
)

const pageHead = `<!-- Written by "make robustness" (tools/robustness) from cases/robustness/results.csv. Do not edit. -->
# Choosing a collision model

This page shows the range of flows and viscosities in which each collision model is stable.

All models solve the same equations where the flow is resolved. They differ at the extremes of viscosity: in how close to tau = 1/2
a run stays stable, and in where a half-way wall is when tau is large. Both were measured.

## Which model

| flow | model | why |
|---|---|---|
| creeping flow: porous media, packings, narrow gaps | ` + "`trt`" + ` | the position of half-way walls, and so the permeability, does not depend on the viscosity; large tau saves steps |
| laminar and resolved, tau of about 0.52 or more | any; the default is ` + "`cumulant`" + ` | at these values of tau all are stable, and the grid error dominates. The moment-based models are the fastest on a GPU; on the same lattice in float32 they are within 7 %% of each other |
| unsteady flow, turbulence, cell Reynolds numbers above about 20 | ` + "`cumulant`" + ` or ` + "`recursive_regularized`" + `, in 3D preferably on D3Q27 | the second-order closure of ` + "`regularized`" + ` amplifies noise even in uniform grid-aligned flow; these two models damp noise. Downstream of an inlet ` + "`recursive_regularized`" + ` needs a bulk viscosity ([why](#downstream-of-an-inlet)) |
| large-eddy simulation, ` + "`[turbulence]`" + ` | the same two | an eddy viscosity masks an instability without curing it: the noise saturates at a finite amplitude, and the run does not stop with an error |
| comparison with older work | ` + "`bgk`" + ` | the textbook model; it needs a fine grid at high Reynolds numbers |

` + "`lbmsim check`" + ` compares the case with the tables below and warns:

| warning about | condition | recommendation |
|---|---|---|
| the model | it is unstable in uniform flow at the case's largest velocity and its tau | a stable model, if the tables have one; beyond the measured range no model counts as stable |
| half-way walls | at least 15 %% of the cells are solid | ` + "`trt`" + `, whose wall position does not depend on tau |

` + "`lbmsim list`" + ` prints each model's limit in uniform flow at 0.1 cells per step.

## Method

The cases are in [robustness](../cases/robustness) and run with one command each; ` + "`make robustness`" + ` repeats them all. They are in
single precision, in periodic boxes, on D2Q9, D3Q19 and D3Q27, with and without the Smagorinsky model (C = 0.1).

| flow | run | stable if |
|---|---|---|
| uniform flow | 32^2 or 32^3 cells, noise of 1e-5 of the velocity, %d steps | the final noise is below ten times the initial noise, or below 1 %% of the velocity without growth in the second half of the run |
| Taylor-Green | 64^3 cells, or 64^2 for the four vortices in 2D, 0.1 cells per step, 20 turnover times L/U | the run completes and the kinetic energy never exceeds its initial value by more than 2 %% |
| shear layer | the thin double shear layer of Minion & Brown (1997), 128^2 cells, in 3D with a depth of four cells, up to t = 1.5 | the same |
| jet | a plane or round jet at 0.1 cells per step, with shear layers two cells thick, 4000 steps | the same |

Noise is the excess of the maximum speed over the mean velocity, or the rms vorticity times the cell size if this is larger. In the
last three flows "stable" does not mean accurate: none of these grids resolves the flow.

| measured at | |
|---|---|
| tau | 0.50001, 0.5001, 0.501, 0.505, 0.51 and 0.52 (the jet up to 0.505) |
| Reynolds number, from ` + "`[fluid]`" + ` in the case file | each power of ten from 1e3 (Taylor-Green) or 1e4 (shear layer) to 1e7 |

A tau counts as stable only if all larger measured values are stable. So a model with one failure at a larger tau may look worse in
the table than in its picture.

The tables show the limit of each model. For the uniform flow and the jet the limit is the smallest tau down to which all measured
runs are stable. For the other flows it is the largest Reynolds number up to which they are. "None" means that not even the
easiest run is stable. The pictures show every run of the uniform flow. Filled symbols are stable, open symbols unstable. Circles
are runs without the Smagorinsky model, squares runs with it.
`

// words returns a remark on a model, to help the choice. Its limits are in the table.
func words(name string) string {
	return map[string]string{
		"regularized": "The second-order closure is accurate where the flow is resolved. Close to tau = 1/2 it amplifies noise that the flow convects,\n" +
			"even without shear.",
		"bgk": "With a single relaxation time, non-hydrodynamic modes are hardly damped close to tau = 1/2. The position of half-way walls\n" +
			"depends on tau.",
		"trt": "The model for creeping flow: straight half-way walls are at the exact position for every tau. Its parameter Lambda = 3/16 is\n" +
			"chosen for this property, not for stability close to tau = 1/2.",
		"recursive_regularized": "A model for high Reynolds numbers: the regularized closure, with third-order moments computed from the second-order moments.\n" +
			"Without the third-order moments, noise grows in a uniform flow.",
		"cumulant": "The default, for high Reynolds numbers. Cumulants above the second order vanish. D3Q27 has enough velocities for all moments;\n" +
			"D3Q19 does not.",
	}[name]
}

// page returns docs/models.md and its pictures by their files.
func page(m robustness.Map) (map[string][]byte, error) {
	files := map[string][]byte{}
	var b strings.Builder
	plan := flows(false)
	all := m
	m = all.With(0)
	steps := 0
	for _, p := range m {
		if p.Flow == robustness.Uniform {
			steps = max(steps, p.Steps)
		}
	}
	fmt.Fprintf(&b, pageHead, steps)
	for _, c := range model.Collisions {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.Name, words(c.Name))
		head, line := "| lattice | eddy viscosity |", "|---|---|"
		for _, f := range plan {
			for _, u := range f.velocities {
				title := map[robustness.Flow]string{
					robustness.Uniform: fmt.Sprintf("uniform flow at %g: tau", u), robustness.TaylorGreen: "Taylor-Green: Re",
					robustness.ShearLayer: "shear layer: Re", robustness.Jet: "jet: tau",
				}[f.name]
				head, line = head+" "+title+" |", line+"---|"
			}
		}
		b.WriteString(head + "\n" + line + "\n")
		for _, l := range model.Lattices {
			for _, eddies := range []bool{false, true} {
				fmt.Fprintf(&b, "| %s | %s |", l.Name, map[bool]string{false: "none", true: "Smagorinsky"}[eddies])
				for _, f := range plan {
					for _, u := range f.velocities {
						fmt.Fprintf(&b, " %s |", wall(m.Wall(f.name, l.Name, c.Name, eddies, u)))
					}
				}
				b.WriteString("\n")
			}
		}
		svg, err := picture(m, c.Name)
		if err != nil {
			return nil, err
		}
		if svg != nil {
			name := "models_" + c.Name + ".svg"
			files["docs/"+name] = svg
			fmt.Fprintf(&b, "\n![%s in a uniform flow, by velocity, tau and lattice](%s)\n", c.Name, name)
		}
	}
	bulks(&b, all)
	walls(&b, m)
	files[pageFile] = []byte(b.String())
	return files, nil
}

const bulksHead = `
## With a bulk viscosity

The table lists the limits of the models with a separate ` + "`bulk_viscosity`" + `, without eddy viscosity. The uniform flow and the jet
are at 0.1 cells per step unless the table states otherwise. For a bulk viscosity between two entries ` + "`check`" + ` uses the worse of
the two. Above 0.2 nothing was measured.

| model | lattice | bulk viscosity, cells^2/step | uniform flow: tau | uniform flow at 0.15: tau | Taylor-Green: Re | shear layer: Re | jet: tau |
|---|---|---|---|---|---|---|---|
`

const bulksWords = `
**Why it is off by default.** A separate bulk viscosity does not extend the stable range of ` + "`regularized`" + `, and at 0.2 it reduces
the range of ` + "`bgk`" + ` on two lattices. With ` + "`recursive_regularized`" + ` the stability of uniform flow, Taylor-Green vortices and shear
layers does not change. The jet becomes more stable, and so does the flow downstream of an inlet (next section), for which ` + "`check`" + `
recommends a value. The cost is a faster decay of sound in all flows: a wave of k radians per cell decays at a rate of nu_b k^2/2
per step. In 2D at tau = 0.5009 a bulk viscosity of 0.02 makes the decay 34 times as fast.
`

// bulks writes the effect of a bulk viscosity on the map.
func bulks(b *strings.Builder, all robustness.Map) {
	b.WriteString(bulksHead)
	for _, name := range bulkModels {
		for _, l := range model.Lattices {
			for _, bulk := range append([]float64{0}, bulkViscosities...) {
				m, own := all.With(bulk), "built-in"
				if bulk > 0 {
					own = fmt.Sprint(bulk)
				}
				fmt.Fprintf(b, "| %s | %s | %s |", name, l.Name, own)
				for _, of := range []struct {
					flow     robustness.Flow
					velocity float64
				}{{robustness.Uniform, 0.1}, {robustness.Uniform, 0.15}, {robustness.TaylorGreen, 0.1}, {robustness.ShearLayer, 0.1}, {robustness.Jet, 0.1}} {
					fmt.Fprintf(b, " %s |", wall(m.Wall(of.flow, l.Name, name, false, of.velocity)))
				}
				b.WriteString("\n")
			}
		}
	}
	b.WriteString(bulksWords)
}

// wall returns a cell of a table.
func wall(p robustness.Point, found bool) string {
	switch {
	case !found:
		return "not run"
	case !p.Holds:
		return "none"
	case p.Reynolds != 0:
		return power(p.Reynolds)
	}
	return fmt.Sprint(p.Tau)
}

// downstreamOfInlet is measured by hand: 300,000 steps of one small case.
const downstreamOfInlet = `
## Downstream of an inlet

The case [cases/robustness/inlet.toml](../cases/robustness/inlet.toml) is uniform flow from a velocity inlet, without a body, over
300,000 steps. It was run with ` + "`--set collision.model=NAME`" + ` and a viscosity of (tau - 1/2)/3. The table lists the excess of the
largest velocity over the inlet velocity, from step 10,000 on:

| ` + "`collision.model`" + ` | tau 0.50042 | 0.5009 | 0.5018 | 0.503 |
|---|---|---|---|---|
| ` + "`recursive_regularized`" + ` | 4.9 % | 3.4 % | 2.4 % | 0.05 % |
| the same with ` + "`fluid.bulk_viscosity=0.02`" + ` | 0.003 % | 0.003 % | 0.003 % | 0.003 % |
| ` + "`cumulant`" + ` | 0.001 % | 0.001 % | 0.001 % | 0.001 % |

With ` + "`recursive_regularized`" + ` streamwise streaks grow from the smallest disturbance, at tau up to 0.5018 within about 10,000 steps.
With ` + "`boundary.outlet.type=pressure`" + ` they reach 60 % at tau 0.50042, and 1.5 % at 0.5075. In 3D they grow on both lattices, on
D3Q19 at tau 0.504 within 240,000 steps. Subgrid models do not suppress the streaks. Run-time checks do not detect weak streaks:
inspect a picture of the velocity near the inlet.

In ` + "`recursive_regularized`" + ` the trace of the stress relaxes as slowly as the other components. With a separate bulk viscosity, such
as 0.02 cells^2/step, no streaks grow with either outlet, nor on D3Q19. A bulk viscosity also damps sound. [The sphere at Re
3700](validation.md#sphere-at-re-3700) with 48 cells per diameter, unstable without a bulk viscosity, completed a run of 185 D/U
with 0.02. ` + "`check`" + ` reports the value in the units of the case. ` + "`cumulant`" + ` has a bulk viscosity of 1/(3d) cells^2/step in d
dimensions.
`

const wallsHead = `
## Position of half-way walls

A half-way wall is exactly half a cell from the centre of the first fluid cell only for Lambda = 3/16. In a channel of H cells
between such walls the lattice has the exact solution ` + "`u = F/(2 nu) (y (H - y) + 4/3 (Lambda - 3/16))`" + ` (Ginzburg & d'Humieres,
Phys. Rev. E 68 (2003) 066614). So the relative error of the flow rate is 8 (Lambda - 3/16)/H^2. With ` + "`trt`" + ` Lambda is a parameter,
3/16 by default. With the other models Lambda increases with tau. The error for H = 10:

`

const spheresHead = `
The next table shows the effect on a porous medium ([cases/robustness/spheres.toml](../cases/robustness/spheres.toml)): the
permeability of a cubic array of spheres with a volume fraction of 0.216, 24 cells apart, on D3Q19 in double precision. Values are
relative to the permeability of Zick & Homsy, J. Fluid Mech. 115 (1982) 13. For ` + "`trt`" + `, the constant difference from 1 is the
staircase error. The change along the other rows is due to the model.

`

const interpolated = `
Interpolated walls (` + "`interpolated_wall`" + `) remove most of the staircase error, but not the dependence on tau. With interpolated
walls even the permeability of ` + "`trt`" + ` depends on tau:

| ` + "`trt`" + `, cases/robustness/spheres.toml | tau 0.55 | 0.6 | 1 | 1.5 | 3 |
|---|---|---|---|---|---|
| interpolated walls | 1.000 | 1.002 | 1.014 | 1.028 | 1.062 |
| half-way walls | 0.958 | 0.958 | 0.958 | 0.958 | 0.958 |
`

// walls writes the effect of the viscosity on half-way walls.
func walls(b *strings.Builder, m robustness.Map) {
	const across = 10 // cells
	b.WriteString(downstreamOfInlet)
	b.WriteString(wallsHead)
	taus := []float64{0.55, 0.6, 0.8, 1, 1.5}
	head, line := "| model |", "|---|"
	for _, tau := range taus {
		head, line = head+fmt.Sprintf(" tau = %g |", tau), line+"---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", head, line)
	for _, c := range model.Collisions {
		fmt.Fprintf(b, "| %s |", c.Name)
		for _, tau := range taus {
			lambda := 3. / 16
			if c.WallLambda != nil {
				lambda = c.WallLambda(tau)
			}
			fmt.Fprintf(b, " %+.1f %% |", 100*8*(lambda-3./16)/(across*across))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s%s\n%s\n", spheresHead, head, line)
	for _, c := range model.Collisions {
		fmt.Fprintf(b, "| %s |", c.Name)
		for _, tau := range taus {
			cell := "not run"
			for _, p := range m {
				if p.Flow == robustness.Spheres && p.Model == c.Name && p.Tau == tau && p.Got != nil {
					cell = fmt.Sprintf("%.3f", *p.Got)
				}
			}
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	b.WriteString(interpolated)
}
