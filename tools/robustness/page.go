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

All models solve the same equations where the flow is resolved. They differ at the extremes of viscosity:
how close to tau = 1/2 a run stays stable, and where a half-way wall is when tau is large. Both have been measured.

## Which model

| flow | model | why |
|---|---|---|
| creeping flow: porous media, packings, narrow gaps | ` + "`trt`" + ` | the position of half-way walls, and so the permeability, does not depend on the viscosity; large tau saves steps |
| laminar and resolved, tau of about 0.52 or more | any; the default is ` + "`cumulant`" + ` | at these tau they are stable, and the grid error dominates; the moment-based models are the fastest on a GPU, in float32 within 7 %% of each other on one lattice |
| unsteady, a cell Reynolds number above about 20, turbulence | ` + "`cumulant`" + ` or ` + "`recursive_regularized`" + `, in 3D preferably on D3Q27 | the second-order closure amplifies noise even in uniform grid-aligned flow; these damp it. Downstream of an inlet ` + "`" + `recursive_regularized` + "`" + ` needs a bulk viscosity ([why](#behind-an-inlet)) |
| large-eddy simulation, ` + "`[turbulence]`" + ` | the same two | an eddy viscosity masks an instability without curing it: the growth saturates as noise of finite amplitude instead of ending in an error |
| comparison with older work | ` + "`bgk`" + ` | the textbook model; needs a fine grid at high Reynolds numbers |

` + "`lbmsim check`" + ` looks the case up in this map and warns:

| subject | condition | recommendation |
|---|---|---|
| the model | it is unstable in uniform flow at the largest velocity of the case and its tau | a stable model, if the map has one; beyond the measured range no model counts as stable |
| half-way walls | at least 15 %% of the cells are solid | ` + "`trt`" + `, whose wall position does not depend on tau |

` + "`lbmsim list`" + ` prints the limits of each model.

## Method

The cases are in [robustness](../cases/robustness) and run with one command each; ` + "`make robustness`" + ` repeats them all. Single
precision, periodic boxes, D2Q9, D3Q19 and D3Q27, with and without the Smagorinsky model (C = 0.1).

| flow | run | stable if |
|---|---|---|
| uniform flow | 32^2 or 32^3 cells, noise of 1e-5 of the velocity, %d steps | the final noise is below ten times the initial noise, or below 1 %% of the velocity without growth in the second half of the run |
| Taylor-Green | 64^3 cells, or 64^2 for the four vortices in 2D, 0.1 cells per step, 20 turnovers L/U | the run completes and the kinetic energy never exceeds its initial value by more than 2 %% |
| shear layer | the thin double shear layer of Minion & Brown (1997), 128^2 cells, four deep in 3D, up to t = 1.5 | the same |
| jet | a plane or round jet of 0.1 cells per step, with shear layers two cells thick, 4000 steps | the same |

Noise is the larger of the speed above the mean and the r.m.s. vorticity. In the last three flows, stable means only that the run
completes, not that it is accurate: none of these grids resolves the flow.

| measured at | |
|---|---|
| tau | 0.50001, 0.5001, 0.501, 0.505, 0.51 and 0.52 (the jet up to 0.505) |
| Reynolds number of [fluid] in the case file | each power of ten from 1e3 (Taylor-Green) or 1e4 (shear layer) to 1e7 |

A tau counts as stable only if all larger ones are. So a model with one early failure may look worse in the table than in its
picture.

The tables show the limit of each model. For the uniform flow and the jet it is the smallest tau down to which all measured
runs are stable. For the others it is the largest Reynolds number. "None" means that not even the easiest run is stable. The pictures
show every run of the uniform flow: filled marks are stable, open ones unstable. Circles are without the Smagorinsky model,
squares with it.
`

// words returns a remark on a model, to help the choice. Its limits are in the table.
func words(name string) string {
	return map[string]string{
		"regularized": "The second-order closure: accurate where the flow is resolved. Close to tau = 1/2 it amplifies noise convected by\n" +
			"the flow, even without shear.",
		"bgk": "A single relaxation time, so non-hydrodynamic modes are not damped. The position of half-way walls depends on tau.",
		"trt": "The model for creeping flow: straight half-way walls are at the exact position for every tau. Its parameter\n" +
			"Lambda = 3/16 is chosen for that, not for stability close to tau = 1/2.",
		"recursive_regularized": "The regularized closure with third-order moments computed from the second-order ones. Without these, noise grows\n" +
			"in a uniform flow. For high Reynolds numbers.",
		"cumulant": "The default. Cumulants above the second order vanish. For high Reynolds numbers. D3Q27 has enough velocities for all its\n" +
			"moments, D3Q19 does not.",
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

Limits of the models with a separate ` + "`bulk_viscosity`" + `, without eddy viscosity. The uniform flow and the jet are at 0.1 cells per step unless
the table states otherwise. For a bulk viscosity between two entries ` + "`check`" + ` uses the worse of both; above
0.2 nothing was measured.

| model | lattice | bulk viscosity, cells^2/step | uniform flow: tau | uniform flow at 0.15: tau | Taylor-Green: Re | shear layer: Re | jet: tau |
|---|---|---|---|---|---|---|---|
`

const bulksWords = `
**Why it is off by default.** A bulk viscosity does not extend the stable range of ` + "`regularized`" + `, and at 0.2 it reduces the range of ` + "`bgk`" + ` on
two lattices. With ` + "`recursive_regularized`" + ` the stability of uniform flow, Taylor-Green vortices and shear layers does not change. The
jet improves, and so does the flow downstream of an inlet (next section), for which ` + "`check`" + ` recommends a value. The cost is
faster decay of sound in all flows. A wave of k radians per cell decays at a rate of nu_b k^2/2 per step. In 2D at tau = 0.5009, 0.02 makes
the decay 34 times as fast.
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

// behindInlet is measured by hand: 300,000 steps of one small case.
const behindInlet = `
## Behind an inlet

Uniform flow from a velocity inlet, without a body ([cases/robustness/inlet.toml](../cases/robustness/inlet.toml), 300,000
steps), with ` + "`--set collision.model=NAME`" + ` and a viscosity of (tau - 1/2)/3. Excess of the largest velocity over
the inlet velocity, from step 10,000 on:

| ` + "`collision.model`" + ` | tau 0.50042 | 0.5009 | 0.5018 | 0.503 |
|---|---|---|---|---|
| ` + "`recursive_regularized`" + ` | 4.9 % | 3.4 % | 2.4 % | 0.05 % |
| the same with ` + "`fluid.bulk_viscosity=0.02`" + ` | 0.003 % | 0.003 % | 0.003 % | 0.003 % |
| ` + "`cumulant`" + ` | 0.001 % | 0.001 % | 0.001 % | 0.001 % |

With ` + "`recursive_regularized`" + ` streamwise streaks grow from the smallest disturbance, at tau up to 0.5018 within about 10,000
steps. With ` + "`boundary.outlet.type=pressure`" + ` they reach 60 % at tau 0.50042, and 1.5 % at 0.5075. In 3D they grow on both
lattices, on D3Q19 at tau 0.504 within 240,000 steps. Subgrid models do not suppress them. Run-time checks do not detect weak streaks:
inspect a picture of the velocity near the inlet.

In this model the trace of the stress relaxes as slowly as its other components. With a separate bulk viscosity, such as 0.02
cells^2/step, no streaks grow, with either outlet and on D3Q19. It also damps sound. [The sphere at Re 3700](validation.md#sphere-at-re-3700) with 48
cells per diameter, unstable without it, completed a run of 185 D/U with it. ` + "`check`" + ` reports the value in the units of the
case. ` + "`cumulant`" + ` has a bulk viscosity of 1/(3D) cells^2/step.
`

const wallsHead = `
## Position of half-way walls

A half-way wall is exactly half a cell from the first fluid cell only for Lambda = 3/16. In a channel of H cells between such
walls the lattice has the exact solution ` + "`u = F/(2 nu) (y (H - y) + 4/3 (Lambda - 3/16))`" + ` (Ginzburg & d'Humieres, Phys.
Rev. E 68 (2003) 066614). So the flow rate is wrong by 8 (Lambda - 3/16)/H^2. With ` + "`trt`" + ` Lambda is a parameter, 3/16
by default. With the other models it increases with tau. The error for H = 10:

`

const spheresHead = `
The effect on a porous medium ([cases/robustness/spheres.toml](../cases/robustness/spheres.toml)): the permeability of a cubic
array of spheres with a volume fraction of 0.216, 24 cells apart, on D3Q19 in double precision. It is shown relative
to the value of Zick & Homsy, J. Fluid Mech. 115 (1982) 13. The difference from 1 at any tau is the staircase error.
The change along a row is due to the model.

`

const interpolated = `
Interpolated walls (` + "`interpolated_wall`" + `) remove most of the staircase error, but not the dependence on tau. With
them even ` + "`trt`" + ` depends on tau:

| ` + "`trt`" + `, cases/robustness/spheres.toml | tau 0.55 | 0.6 | 1 | 1.5 | 3 |
|---|---|---|---|---|---|
| interpolated walls | 1.000 | 1.002 | 1.014 | 1.028 | 1.062 |
| half-way walls | 0.958 | 0.958 | 0.958 | 0.958 | 0.958 |
`

// walls writes the effect of the viscosity on half-way walls.
func walls(b *strings.Builder, m robustness.Map) {
	const across = 10 // cells
	b.WriteString(behindInlet)
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
