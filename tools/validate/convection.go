// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"lbmsim/model"
)

func convection() section {
	s := section{
		id: "convection", title: "Natural convection in a square cavity", picture: "convection-1e5", against: "error of the Nusselt number",
		text: "A square cavity with a hot left and a cold right wall, Pr 0.71 (de Vahl Davis, Int. J. Numer. Methods\n" +
			"Fluids 3 (1983) 249). The mean Nusselt numbers of both walls, from the wall heat flux, must be within 0.5 % of the\n" +
			"converged values:\n" +
			"\n" +
			"| Ra | Nusselt number | cells | largest velocities on the centre lines in his table, in diffusivity/L |\n" +
			"|---|---|---|---|\n" +
			"| 1e4 | 2.2448 | 64 x 64, all models | 16.178 and 19.617 |\n" +
			"| 1e5 | 4.5216 | 128 x 128, `trt` | 34.73 and 68.59 |\n" +
			"\n" +
			"The order is from 32, 64 and 128 cells at Ra 1e4, diffusive scaling; 2.0 +- 0.2 is required. The largest velocities are\n" +
			"reported in sqrt(g beta dT L): times sqrt(Ra Pr) they are in diffusivity/L.",
	}
	const file = "cases/validation/natural_convection.toml"
	s.entries = append(s.entries, entry{
		id: "convection-order", args: []string{"study", file, "--levels", "3", "--first", "0.25"},
		orders: []order{{quantity: "force.hot", order: 2, within: 0.2, exact: 2.2448}},
	})
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{
			id: "convection-1e4-" + c.Name, short: c.Name == "regularized",
			args: join([]string{"run", file}, set("domain.cells", "[64, 64]"), set("collision.model", "%s", c.Name)),
		})
	}
	args := join([]string{"run", file}, set("fluid.viscosity", "sqrt(0.71/1e5) m2/s"), set("run.time", "60 s"))
	for _, wall := range []string{"hot", "cold"} {
		args = join(args, set(fmt.Sprintf("output.force.%s.start", wall), "59.5 s"), set(fmt.Sprintf("expect.force.%s.value", wall), "4.5216"))
	}
	s.entries = append(s.entries, entry{id: "convection-1e5", args: args})
	return s
}

func rolls() section {
	s := section{
		id: "rolls", title: "Rayleigh-Benard convection", picture: "rolls-5000",
		text: "Steady rolls between a hot and a cold plate, wavelength 2.016 H, Pr 0.71 (Clever & Busse, J. Fluid Mech. 65 (1974)\n" +
			"625). The Nusselt numbers of both plates must be within 0.5 % of theirs, 2.116 at Ra 5000 and 2.661 at Ra 10000.",
	}
	const file = "cases/validation/rayleigh_benard.toml"
	s.entries = append(s.entries, entry{id: "rolls-5000", args: []string{"run", file}, short: true})
	args := join([]string{"run", file}, set("fluid.viscosity", "sqrt(0.71/1e4) m2/s"))
	for _, plate := range []string{"hot", "cold"} {
		args = join(args, set(fmt.Sprintf("expect.force.%s.value", plate), "2.661"))
	}
	s.entries = append(s.entries, entry{id: "rolls-10000", args: args})
	return s
}

func curvedHeat() section {
	return section{
		id: "curved-heat", title: "Heat flux at curved walls and through a solid", picture: "shell",
		text: "Conduction between cylinders, compared with Fourier's law (Carslaw & Jaeger, Conduction of Heat in Solids, Oxford 1959, sec. 7.2).\n" +
			"A shaft rotates in a pipe, both with interpolated walls that conserve mass: the heat flow must be within 0.1 % of 2 pi D T/ln(b/a).\n" +
			"A rod heats a pipe through a staircase shell of four times the fluid's conductivity: within 2 %.",
		entries: []entry{
			{id: "shaft", args: []string{"run", "cases/validation/turning_shaft.toml"}, short: true},
			{id: "shell", args: []string{"run", "cases/validation/conducting_shell.toml"}, short: true},
		},
	}
}
