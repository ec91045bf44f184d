// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// everydayShapes compares bodies that engineers ask for with measurements. The tolerances were set before the first run of these
// cases on their own grids.
func everydayShapes() section {
	run := func(name string, more ...[]string) []string {
		return join([]string{"run", "cases/validation/wall_model_" + name + ".toml"}, join(more...))
	}
	ahmed := func(slant, drag string, more ...[]string) []string {
		return join(run("ahmed", set("body.car.file", `"ahmed_%s.stl"`, slant), set("expect.force.drag.value", "%s", drag)), join(more...))
	}
	coarse := set("domain.spacing", `"0.0696 m"`)
	atRest := join(set("body.wheel.angular_velocity", `"0 rad/s"`), set("boundary.road.velocity", "[0, 0, 0]"), set("expect.force.drag.value", "0.77"))
	return section{
		id: "shapes", title: "Ahmed bodies, a wing, a cube and a wheel", costs: true,
		text: "Bodies of type `wall_model`, on one GPU. The tolerances were set before the first run. Up to five of them ran at a\n" +
			"time on one GPU, so they took longer than alone.\n" +
			"\n" +
			"| run | cells | compared with | tolerance |\n" +
			"|---|---|---|---|\n" +
			"| ahmed-12, ahmed-35: slants of 12.5 and 35 degrees, over a moving road, Re 2.8e6 | 240 per length | the drag, 0.230 and 0.257 to 0.279: Ahmed, Ramm & Faltin, SAE 840300 (1984), and later measurements | 6 % of the middle |\n" +
			"| ahmed-12-120, ahmed-35-120 | 120 | the same | reported |\n" +
			"| ahmed-25: a slant of 25 degrees | 240 | 0.285 to 0.30, likewise | 12 % of the middle |\n" +
			"| wing-4, wing-8: the section NACA 0012 at 4 and 8 degrees, Re 6e6, Mach 0.15 | 600 per chord | the lift with tripped layers, 0.44 and 0.86: Ladson, NASA TM 4074 (1988) | 8 % |\n" +
			"| wing-0: without incidence | 600 | the drag 0.0081, from the same report | reported |\n" +
			"| cube-channel: a cube on the floor of a channel, Re 40,000 | 40 per side | the flow reattaches 1.6 sides behind it: Martinuzzi & Tropea, J. Fluids Eng. 115 (1993) 85 | 12 %, the scatter of published simulations |\n" +
			"| wheel: 0.46 diameters wide, rolling, Re 5.3e5 | 128 per diameter | the drag 0.58: Fackrell, PhD thesis, University of London (1974) | 10 %, the scatter of published values |\n" +
			"| wheel-at-rest: wheel and road at rest | 128 | 0.77, from the same thesis | the same |\n" +
			"\n" +
			"The case files state domains, boxes and blockage. Ahmed's body stands on stilts over a fixed floor; these do not. The wheel is a\n" +
			"cylinder with rounded shoulders, and has no hub.",
		entries: []entry{
			{id: "shapes-ahmed-12-120", gpu: true, informative: true, args: ahmed("12.5", "0.230", coarse)},
			{id: "shapes-ahmed-12", gpu: true, args: ahmed("12.5", "0.230")},
			{id: "shapes-ahmed-35-120", gpu: true, informative: true, args: run("ahmed", coarse)},
			{id: "shapes-ahmed-35", gpu: true, args: run("ahmed")},
			{id: "shapes-ahmed-25", gpu: true, args: ahmed("25", "0.292", set("expect.force.drag.within", `"12 %%"`))},
			{id: "shapes-wing-0", gpu: true, informative: true, args: run("wing", set("body.wing.rotate", "[0, 0, 0]"), set("expect.force.lift.value", "0"), set("expect.force.lift.within", "0.03"), set("expect.force.drag.value", "0.0081"), set("expect.force.drag.within", `"8 %%"`))},
			{id: "shapes-wing-4", gpu: true, args: run("wing")},
			{id: "shapes-wing-8", gpu: true, args: run("wing", set("body.wing.rotate", "[0, 0, -8]"), set("expect.force.lift.value", "0.86"))},
			{id: "shapes-cube-channel", gpu: true, args: run("cube_channel"), derive: reattachment(0.5, 1.6, 0.12)},
			{id: "shapes-wheel", gpu: true, args: run("wheel")},
			{id: "shapes-wheel-at-rest", gpu: true, args: run("wheel", atRest)},
		},
	}
}

// reattachment compares the length of the recirculation behind a body with a value. Over [output.line.floor], averaged in time, the
// velocity in the first cells of the floor becomes positive for the last time where the flow reattaches.
func reattachment(rear, want, within float64) func([]check, string) ([]check, error) {
	return func(_ []check, dir string) ([]check, error) {
		line, err := columns(dir, "line_floor.csv")
		if err != nil {
			return nil, err
		}
		step, x, u := line["step"], line["x"], line["velocity x"]
		n := 0 // points of each block of rows
		for n < len(step) && step[n] == step[0] {
			n++
		}
		if len(u) < 2*n || len(x) < n {
			return nil, fmt.Errorf("line_floor.csv in %s has no velocity over time", dir)
		}
		mean := make([]float64, n)
		for ; len(u) >= n; u = u[n:] {
			floats.Add(mean, u[:n])
		}
		for k := n - 2; k >= 0; k-- {
			if mean[k] < 0 && mean[k+1] >= 0 {
				at := x[k] + (x[k+1]-x[k])*mean[k]/(mean[k]-mean[k+1])
				return []check{against("length of the recirculation", at-rear, want, within)}, nil
			}
		}
		return nil, fmt.Errorf("the mean velocity of line_floor.csv in %s does not change its sign", dir)
	}
}
