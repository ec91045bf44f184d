// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"

	"lbmsim/model"
)

// section of the book.
type section struct {
	id, title string
	text      string // quantity, reference, source
	entries   []entry
	picture   string // of the entry of this name, in its output folder
	against   string // what the plot of the section has along y
	figures   []figure
	table     func(kept map[string]outcome) string // more than the rows of the entries
	costs     bool                                 // the page reports the time of each entry
}

// entry is one command and what it has to give.
type entry struct {
	id     string
	args   []string // of lbmsim
	short  bool     // continuous integration runs it
	gpu    bool     // takes too long without
	axis   int      // along which a study counts cells
	orders []order
	// derive computes more checks from a run's checks and the files in its folder.
	derive func(c []check, dir string) ([]check, error)
	// informative: nothing is asserted, and an unstable run is no failure.
	informative bool
	// lines of the section's figures, from the files in the folder of a run.
	lines func(dir string) ([]line, error)
}

// order that a study has to find.
type order struct {
	quantity    string
	order       float64
	within      float64
	exact       float64 // what the quantity tends to; errors tend to 0
	informative bool    // and held to nothing
}

func entries(book []section) (list []entry) {
	for _, s := range book {
		list = append(list, s.entries...)
	}
	return list
}

// set returns the arguments that change a key of the case.
func set(key, format string, args ...any) []string {
	return []string{"--set", key + "=" + fmt.Sprintf(format, args...)}
}

func join(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// wide returns the precisions whose rounding is far below the errors of the lattice here.
// 16-bit storage is not: docs/precision.md measures it.
func wide() []model.Precision { return []model.Precision{model.Float64, model.Float32} }

// second expects the order of the lattice Boltzmann method, 2, of the quantities.
func second(quantities ...string) (list []order) {
	for _, q := range quantities {
		list = append(list, order{quantity: q, order: 2, within: 0.1})
	}
	return list
}

func book() []section {
	return append([]section{waves(), vortices(), channels(), couette(), openings(), sound(), pipe(), curved(), cylinder(), vortexStreet(), refinedCylinder(), spheres(), cavities(), cube(), convection(), rolls(), curvedHeat(), mass(), modelledWalls(), modelledBodies(), everydayShapes()}, turbulence()...)
}

func waves() section {
	s := section{
		id: "waves", title: "Decaying shear wave", against: "error of the velocity (l2)",
		text: "`u = U sin(ky) exp(-nu k^2 t)` is an exact solution. After one decay time the error of the velocity equals the error of the\n" +
			"viscosity. It must be within 1e-3 at 64 cells per wave. The kinetic energy, `E(t) = E(0) exp(-2 nu k^2 t)`, gives\n" +
			"`viscosity / nu`. The order is from 16, 32 and 64 cells per wave at constant `tau` (diffusive scaling); 2.0 +- 0.1 is\n" +
			"required.",
	}
	for _, c := range model.Collisions {
		for _, p := range wide() {
			e := entry{
				id:     fmt.Sprintf("wave-%s-%s", c.Name, p),
				args:   join([]string{"run", "cases/validation/shear_wave.toml"}, set("collision.model", "%s", c.Name), set("collision.precision", "%s", p)),
				derive: viscosity, short: true,
			}
			s.entries = append(s.entries, e)
		}
	}
	for _, l := range []string{"D3Q19", "D3Q27"} {
		for _, c := range model.Collisions {
			s.entries = append(s.entries, entry{
				id:     fmt.Sprintf("wave-%s-%s", l, c.Name),
				args:   join([]string{"run", "cases/validation/shear_wave_3d.toml"}, set("domain.lattice", "%s", l), set("collision.model", "%s", c.Name)),
				derive: viscosity,
			})
		}
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{
			id:    fmt.Sprintf("wave-order-%s", c.Name),
			args:  join([]string{"study", "cases/validation/shear_wave.toml", "--levels", "3", "--first", "0.25"}, set("collision.model", "%s", c.Name)),
			short: true, axis: 1, orders: second("velocity.l2"),
		})
	}
	return s
}

// viscosity from the kinetic energy of cases/validation/shear_wave.toml.
func viscosity(c []check, _ string) ([]check, error) {
	const u, nu, t = 0.05, 0.01, 2.5
	k := 2 * math.Pi
	for _, m := range c {
		if m.What == "kinetic_energy" {
			got := math.Log(u*u/4/float64(m.Got)) / (2 * k * k * t) / nu
			return []check{{What: "viscosity / nu", Got: number(got), Want: 1, Tolerance: 1e-3, OK: math.Abs(got-1) <= 1e-3}}, nil
		}
	}
	return nil, fmt.Errorf("the case no longer measures its kinetic energy")
}

func vortices() section {
	s := section{
		id: "vortices", title: "Taylor-Green vortices in two dimensions", against: "error of the velocity (l2)",
		text: "Waves across the lattice, with a pressure: `u = U cos x sin y exp(-2 nu t)`, `v = -U sin x cos y exp(-2 nu t)`,\n" +
			"`p = -U^2/4 (cos 2x + cos 2y) exp(-4 nu t)` (Taylor & Green, Proc. R. Soc. A 158 (1937) 499). The order is from\n" +
			"32, 64 and 128 cells, diffusive scaling.",
	}
	for _, c := range model.Collisions {
		for _, p := range wide() {
			s.entries = append(s.entries, entry{
				id:    fmt.Sprintf("vortices-%s-%s", c.Name, p),
				args:  join([]string{"run", "cases/validation/taylor_green_2d.toml"}, set("collision.model", "%s", c.Name), set("collision.precision", "%s", p)),
				short: true,
			})
		}
		s.entries = append(s.entries, entry{
			id:    fmt.Sprintf("vortices-order-%s", c.Name),
			args:  join([]string{"study", "cases/validation/taylor_green_2d.toml", "--levels", "3", "--first", "0.5"}, set("collision.model", "%s", c.Name)),
			short: true, orders: second("velocity.l2", "velocity.linf"),
		})
	}
	return s
}

func channels() section {
	s := section{
		id: "channels", title: "Force-driven channel",
		text: "Between half-way walls the lattice itself has an exact solution, `u = F/(2 nu) (y (H - y) + 4/3 (Lambda - 3/16))`\n" +
			"(Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614). The slip of each model is included (see `lbmsim list`):\n" +
			"\n" +
			"| model | `Lambda` |\n" +
			"|---|---|\n" +
			"| `regularized`, `recursive_regularized`, `cumulant` | `(tau - 1/2)/2` |\n" +
			"| `bgk` | `(tau - 1/2)^2` |\n" +
			"| `trt` | the parameter 3/16 |\n" +
			"\n" +
			"Eight cells across, so that a slip would show. The largest deviation of any cell must be below 1e-8 of the largest\n" +
			"velocity in float64.",
	}
	for _, c := range model.Collisions {
		for _, tau := range []float64{0.55, 0.8, 1.5} {
			lambda := 3. / 16
			if c.WallLambda != nil {
				lambda = c.WallLambda(tau)
			}
			nu := (tau - 0.5) / 3
			s.entries = append(s.entries, entry{
				id: fmt.Sprintf("channel-%s-%g", c.Name, tau),
				args: join([]string{"run", "cases/validation/channel_force.toml"}, set("collision.model", "%s", c.Name), set("fluid.viscosity", "%.15g", nu),
					set("run.steps", "%d", int(400/nu)),
					set("expect.velocity.reference", `["1e-6/(2*%.15g)*(y*(Ly - y) + 4/3*(%.15g - 3/16))", 0]`, nu, lambda)),
				short: true,
			})
		}
	}
	return s
}

func couette() section {
	s := section{
		id: "couette", title: "Plane Couette flow", against: "error of the velocity (l2)",
		text: "A stationary and a moving wall. The steady profile is a straight line, which every model reproduces to rounding.\n" +
			"From rest, `u/U = y/H + sum over n of 2/(n pi) (-1)^n exp(-n^2 pi^2 nu t/H^2) sin(n pi y/H)` at `nu t/H^2 = 0.1`\n" +
			"(Batchelor, An Introduction to Fluid Dynamics, 1967, section 4.3). The order is from 16, 32 and 64 cells from wall\n" +
			"to wall.",
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries,
			entry{id: "couette-" + c.Name, args: join([]string{"run", "cases/validation/couette.toml"}, set("collision.model", "%s", c.Name)), short: true},
			entry{
				id:    "couette-start-" + c.Name,
				args:  join([]string{"study", "cases/validation/couette_start.toml", "--levels", "3"}, set("collision.model", "%s", c.Name)),
				short: true, axis: 1, orders: second("velocity.l2"),
			})
	}
	return s
}

func spheres() section {
	s := section{
		id: "sphere", title: "Drag of a sphere",
		text: "A sphere with an interpolated wall in uniform flow. The drag must be within 3 % of the standard curve of Clift,\n" +
			"Grace & Weber (Bubbles, Drops, and Particles, Academic Press 1978, table 5.2):\n" +
			"\n" +
			"| Re | drag coefficient | tunnel width, diameters | cells per diameter | blockage | increase of velocity and drag | mean over the last diameters of travel |\n" +
			"|---|---|---|---|---|---|---|\n" +
			"| 1 | 27.16 | 32 | 12 | 0.08 % | 0.5 % | 1 |\n" +
			"| 10 | 4.258 | 16 | 16 | 0.31 % | 0.3 % | 3 |\n" +
			"| 100 | 1.087 | 18 | 20 | 0.24 % | 0.07 % | 4 |\n" +
			"\n" +
			"The velocity deficit of the wake accelerates the rest of the flow by `C_D pi D^2/(16 A)`, which increases the drag.\n" +
			"Velocity inlet, outflow, slip on the four sides; `trt`, single precision. The initial velocity is uniform. Two\n" +
			"runs have a tolerance of 10 %:\n" +
			"\n" +
			"- Re 100 with 12 cells per diameter, which shows how the error decreases;\n" +
			"- the short form: 8 cells per diameter at Re 10 in a tunnel of 6 diameters, with 2.2 % blockage.",
	}
	for _, re := range []int{1, 10, 100} {
		s.entries = append(s.entries, entry{id: fmt.Sprintf("sphere-%d", re), gpu: true, args: []string{"run", fmt.Sprintf("cases/validation/sphere_re%d.toml", re)}})
	}
	s.entries = append(s.entries,
		entry{
			id: "sphere-100-coarse", gpu: true,
			args: join([]string{"run", "cases/validation/sphere_re100.toml"}, set("domain.cells", "[288, 216, 216]"), set("expect.force.drag.within", "10 %%")),
		},
		entry{
			id: "sphere-10-small", short: true,
			args: join([]string{"run", "cases/validation/sphere_re10.toml"}, set("domain.cells", "[56, 48, 48]"), set("domain.size", `["7 m", "6 m", "6 m"]`),
				set("domain.origin", `["5 m", "5 m", "5 m"]`), set("scaling.lattice_velocity", "0.08"), set("run.time", "4.5 s"), set("output.force.sphere.start", "4 s"),
				set("expect.force.drag.within", "10 %%")),
		})
	return s
}

func cavities() section {
	s := section{
		id: "cavity", title: "Lid-driven cavity", picture: "cavity-1000-regularized",
		text: "The square cavity at Re 100, 400 and 1000 with 256 x 256 cells. The extrema of the velocity on the two\n" +
			"centre lines must be within 0.5 % of grid-converged values:\n" +
			"\n" +
			"| Re | source |\n" +
			"|---|---|\n" +
			"| 100 | Marchi, Suero & Araki, J. Braz. Soc. Mech. Sci. Eng. 31 (2009) 186 |\n" +
			"| 400 | a finite-difference solution (stream function and vorticity) extrapolated from 128^2 and 256^2 cells, which agrees with the two papers at their Reynolds numbers within 4e-5 |\n" +
			"| 1000 | Botella & Peyret, Comput. Fluids 27 (1998) 421 |\n" +
			"\n" +
			"The table of Ghia, Ghia & Shin, J. Comput. Phys. 48 (1982) 387, is 1 to 2.5 % low at the extrema, and is not used. The lid\n" +
			"moves at 0.1 cells per step (Mach 0.17). So the 0.5 % include compressibility errors; float64.",
	}
	for _, re := range []int{100, 400, 1000} {
		for _, m := range []string{"regularized", "trt"} {
			s.entries = append(s.entries, entry{
				id:   fmt.Sprintf("cavity-%d-%s", re, m),
				args: join([]string{"run", fmt.Sprintf("cases/validation/cavity_re%d.toml", re)}, set("collision.model", "%s", m)),
			})
		}
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{
			id: "cavity-100-coarse-" + c.Name, short: true,
			args: join([]string{"run", "cases/validation/cavity_re100.toml"}, set("domain.cells", "[64, 64]"), set("run.time", "20 s"), set("collision.model", "%s", c.Name),
				set("expect.line.u_min.within", "2 %%"), set("expect.line.v_max.within", "2 %%"), set("expect.line.v_min.within", "2 %%")),
		})
	}
	return s
}

func cube() section {
	return section{
		id: "cube", title: "Cubic cavity at Re 1000",
		text: "The lid-driven cube at Re 1000, 60 passes of the lid, on a coarse grid with `trt`. The extrema on the symmetry plane\n" +
			"are reported without a tolerance: 48^3 cells do not resolve the layers at this Reynolds number. The mean flow across the\n" +
			"symmetry plane must be zero. `regularized` is unstable on this grid (at the corners of the lid, tau =\n" +
			"0.514).",
		entries: []entry{{id: "cube-1000", args: []string{"run", "cases/validation/cavity_3d.toml"}}},
	}
}

func mass() section {
	s := section{
		id: "mass", title: "Mass in a closed box",
		text: "In a closed box any change of mass is rounding. A lid moves at 0.1 cells per step for 100,000 steps in single\n" +
			"precision. The relative change of mass must be below 1e-7.",
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{id: "mass-2d-" + c.Name, args: join([]string{"run", "cases/validation/mass_2d.toml"}, set("collision.model", "%s", c.Name))})
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{id: "mass-3d-" + c.Name, args: join([]string{"run", "cases/validation/mass_3d.toml"}, set("collision.model", "%s", c.Name))})
	}
	return s
}

func openings() section {
	s := section{
		id: "openings", title: "Channel between open faces",
		text: "Flow through a channel of 48 x 16 cells, for every pair of inlet and outlet. The velocity is compared with the parabola\n" +
			"`u = 4 U y (H - y)/H^2` in every cell. Where both ends have a pressure, so is its drop `8 nu U L/H^2`.\n" +
			"\n" +
			"The walls alone change the parabola by up to 0.2 % at this resolution (section on the force-driven channel). The error of an open\n" +
			"face must be below 1 % of the velocity in the l2 norm. The orders are from 24, 48 and 96 cells along the\n" +
			"channel with `regularized`, diffusive scaling. An outflow maintains its pressure only on average. So between a pressure and an\n" +
			"outflow the order, which is the first, is only reported.",
		against: "error of the velocity (l2)",
	}
	const profile = `["0.002*4*y*(Ly - y)/Ly^2", 0]`
	outlets := []struct {
		name string
		set  []string
	}{
		{"pressure", nil},
		{"outflow", set("boundary.outlet.type", "outflow")},
		{"velocity", join(set("boundary.outlet.type", "velocity"), set("boundary.outlet.velocity", profile))},
	}
	for _, c := range model.Collisions {
		for _, inlet := range []string{"velocity", "pressure"} {
			for _, outlet := range outlets {
				s.entries = append(s.entries, entry{
					id:    fmt.Sprintf("openings-%s-%s-%s", c.Name, inlet, outlet.name),
					args:  join([]string{"run", "cases/validation/channel_" + inlet + ".toml"}, set("collision.model", "%s", c.Name), outlet.set),
					short: true,
				})
			}
		}
	}
	for _, inlet := range []string{"velocity", "pressure"} {
		for _, outlet := range outlets[:2] {
			want := second("velocity.l2")
			want[0].informative = inlet == "pressure" && outlet.name == "outflow"
			s.entries = append(s.entries, entry{
				id:     fmt.Sprintf("openings-order-%s-%s", inlet, outlet.name),
				args:   join([]string{"study", "cases/validation/channel_" + inlet + ".toml", "--levels", "3", "--first", "0.5"}, outlet.set),
				orders: want,
			})
		}
	}
	return s
}

func sound() section {
	s := section{
		id: "sound", title: "Sound that leaves through an outflow",
		text: "A sound pulse in a flow of 0.05 cells per step (Mach 0.09) leaves the domain. The reflection must be less\n" +
			"than 1 % of its amplitude, which is 1e-3/sqrt(3) in the velocity. `max_speed` is the sum of the flow and the residual\n" +
			"pulse.",
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{
			id: "sound-" + c.Name, args: join([]string{"run", "cases/validation/outflow_pulse.toml"}, set("collision.model", "%s", c.Name)), short: true,
		})
	}
	return s
}

func curved() section {
	s := section{
		id: "curved", title: "Creeping flow through cylinders",
		text: "A square array of cylinders with a solid fraction of 0.2. The drag is 51.53 mu U per length (Sangani & Acrivos,\n" +
			"Int. J. Multiphase Flow 8 (1982) 193). It determines the mean velocity of the fluid at a given force, within 1 %. The mean\n" +
			"is over the fluid cells, whose number is a step function of the radius, so it does not converge smoothly. `line.gap`, the\n" +
			"largest velocity between two cylinders, is reported; it has no published value.",
	}
	for _, c := range model.Collisions {
		s.entries = append(s.entries, entry{
			id: "curved-" + c.Name, args: join([]string{"run", "cases/validation/cylinders.toml"}, set("collision.model", "%s", c.Name)), short: true,
		})
	}
	return s
}

func pipe() section {
	s := section{
		id: "pipe", title: "Round pipe", against: "largest error of the velocity (linf)",
		text: "Force-driven flow through a pipe, `u = g (R^2 - r^2)/(4 nu)`, with its wall anywhere between the cells. With\n" +
			"interpolated bounce-back the order must be 2.0 +- 0.4, from 12 to 48 cells across the domain, 10 and 40\n" +
			"across the pipe. The position of the wall between the cells changes from grid to grid. So successive grids scatter about\n" +
			"the order, more than with straight walls. With half-way bounce-back the order is reported.",
	}
	for _, wall := range []string{"interpolated_wall", "wall"} {
		e := entry{
			id:   "pipe-order-" + wall,
			args: join([]string{"study", "cases/validation/pipe.toml", "--levels", "2", "--first", "0.5", "--ratio", "4"}, set("body.pipe.type", "%s", wall)),
			axis: 1,
		}
		for _, q := range []string{"velocity.linf", "velocity.l2"} {
			e.orders = append(e.orders, order{quantity: q, order: 2, within: 0.4, informative: wall == "wall"})
		}
		s.entries = append(s.entries, e)
	}
	return s
}

func cylinder() section {
	coarse := join(set("domain.spacing", "5 mm"), set("scaling.lattice_velocity", "0.025"), set("expect.force.drag.within", "1 %%"), set("expect.force.lift.within", "8 %%"))
	return section{
		id: "cylinder", title: "Cylinder in a channel: Schaefer-Turek 2D-1",
		text: "Steady flow at Re 20 (Schaefer & Turek, Notes Numer. Fluid Mech. 52 (1996) 547) with a curved wall, a parabolic\n" +
			"inlet and an outflow. Compared with the high-accuracy values of featflow.de, drag and lift by momentum exchange:\n" +
			"\n" +
			"| cells per diameter | lattice velocity on the axis | drag 5.57953523 | lift 0.01061895 | pressure drop from front to back 0.11752017 Pa |\n" +
			"|---|---|---|---|---|\n" +
			"| 40 | 0.0125 | 0.3 % | 3 % | 0.5 % |\n" +
			"| 20, which shows how the errors decrease | 0.025 | 1 % | 8 % | 2 % |\n" +
			"\n" +
			"Both points of the pressure drop are on the surface. The pressure there is extrapolated by the parabola through the three nearest fluid\n" +
			"cells upstream or downstream, whose centres are 1/2, 3/2 and 5/2 cells away. With a pressure outlet sound is reflected\n" +
			"between the open faces, and the forces are not steady after 15 s. With the outflow the lift still oscillates by a tenth after\n" +
			"10 s and is steady after 20 s.",
		entries: []entry{
			{id: "cylinder-20", args: join([]string{"run", "cases/validation/schaefer_turek_2d1.toml"}, coarse), derive: pressureDrop(5e-3, 0.02)},
			{id: "cylinder-40", args: []string{"run", "cases/validation/schaefer_turek_2d1.toml"}, derive: pressureDrop(2.5e-3, 0.005)},
		},
	}
}

func refinedCylinder() section {
	return section{
		id: "refined", title: "Finer cells around a cylinder", picture: "refined-street",
		text: "Both cases of Schaefer & Turek with 10 cells per diameter and two levels of boxes (`[refine.NAME]`), so 40 cells per\n" +
			"diameter around the cylinder. The grids have 1/6 and 1/5 of the cells of the uniform grids with 40. References and tolerances are\n" +
			"the same as for the uniform grids.",
		entries: []entry{
			{id: "refined-cylinder", args: []string{"run", "cases/validation/refined_cylinder.toml", "--device", "cpu"}},
			{id: "refined-street", args: []string{"run", "cases/validation/refined_street.toml", "--device", "cpu"}, derive: shedding(0.01)},
		},
	}
}

func vortexStreet() section {
	grid := func(spacing, drag, lift string) []string {
		return join([]string{"run", "cases/validation/schaefer_turek_2d2.toml"}, set("domain.spacing", "%s", spacing),
			set("expect.force.drag_max.within", "%s", drag), set("expect.force.lift_amplitude.within", "%s", lift))
	}
	return section{
		id: "street", title: "Vortices behind a cylinder: Schaefer-Turek 2D-2", picture: "street-40",
		text: "The same channel at Re 100, with vortex shedding; from 6 to 8 s, six periods. Compared with the finest level\n" +
			"at featflow.de:\n" +
			"\n" +
			"| quantity | reference | 40 and 80 cells per diameter | 20 cells |\n" +
			"|---|---|---|---|\n" +
			"| largest drag | 3.227393 | 1 % | 4 % |\n" +
			"| half the peak-to-peak lift | 1.003936 | 2 % | 8 % |\n" +
			"| Strouhal number, from upward mean crossings of the lift | 0.301841 | 1 % | 2 % |\n" +
			"| largest lift | 0.99 to 1.01, the paper's interval | reported; within 2 % of its middle | the same |\n" +
			"\n" +
			"0.05 cells per step on the axis on every grid (Mach 0.09). The compressibility error does not decrease with refinement: a few\n" +
			"tenths of a per cent of the drag and the lift.",
		entries: []entry{
			{id: "street-20", args: grid("5 mm", "4 %", "8 %"), derive: shedding(0.02)},
			{id: "street-40", args: grid("2.5 mm", "1 %", "2 %"), derive: shedding(0.01)},
			{id: "street-80", args: grid("1.25 mm", "1 %", "2 %"), derive: shedding(0.01), gpu: true},
		},
	}
}
