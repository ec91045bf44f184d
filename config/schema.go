// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"slices"
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/halo/transport"
	"lbmsim/model"
)

// The language of the case file as one table of keys. Parsing, suggestions, the
// resolved copy, the comparison of cases and docs/reference.md all come from it:
// a new key is a row here and the line that uses it. The keys of outputs are in separate files, output_NAME.go.

// boundaryKeys returns the keys that rows of boundary.Kinds may name.
func boundaryKeys() []language.Key {
	return append([]language.Key{
		{Name: "velocity", Kind: language.Formulas, Dim: model.Velocity, Time: true, Doc: "velocity of a moving_wall or a wall_model, constant and without a component normal to its face. For type velocity, of the fluid; it may depend on the position and the time t"},
		{Name: "pressure", Kind: language.Quantity, Dim: model.Pressure, Any: true, DefaultDoc: "0", Doc: "pressure at the face relative to the pressure at the reference density"},
		{Name: "direction", Kind: language.Vector, DefaultDoc: "the tangential velocity has zero gradient", Doc: "type pressure: direction of the entering fluid, into the domain and of any length; [0, -1] at y+ is normal to the face. Leaving fluid keeps its direction. At edges of two faces the velocity has zero gradient"},
		{Name: "ramp", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "smooth start: for this time T velocity and pressure are multiplied by (1 - cos(pi t/T))/2"},
		{Name: "table", Kind: language.Text, Doc: "a file of two columns, time (seconds; steps in lattice units) and a factor of velocity and pressure, separated by commas; relative to the case file's folder. Factors are interpolated linearly, and constant before the first and after the last line"},
		{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the table in hexadecimal; the run ends if the file's differs"},
		{Name: "repeat", Kind: language.Flag, DefaultDoc: "`false` with a table", Doc: "the table is one period of the factor, from its first time to its last, at which the factor must be equal"},
		{Name: "profile", Kind: language.Text, Doc: "a file of two columns, position (in the coordinates of the case: metres, cells in lattice units) and a factor of the velocity there, separated by commas; relative to the case file's folder. Linear between lines, constant before the first and after the last"},
		{Name: "profile_sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the profile in hexadecimal"},
		{Name: "profile_along", Kind: language.Word, Choices: []string{"x", "y", "z", "r"}, DefaultDoc: "in 2D the axis along the face; with a centre `\"r\"`", Doc: "meaning of the positions of the profile: coordinates along an axis, or distances r from the centre of the boundary's disc"},
		{Name: "turbulence_intensity", Kind: language.Formula, Doc: "synthetic turbulence at the inlet ([how](turbulence.md#turbulence-at-an-inlet)): the root mean square of each component relative to the local speed"},
		{Name: "turbulence_rms", Kind: language.Formula, Dim: model.Velocity, Doc: "the same as a velocity, instead of turbulence_intensity"},
		{Name: "turbulence_length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "integral length of the turbulence along the flow, at least 2 cells"},
		{Name: "turbulence_modes", Kind: language.Integer, Within: language.Counts(10, 2000), DefaultDoc: "200 with turbulence", Doc: "number of waves, including their images at walls and slip faces; rounded up to whole groups"},
		{Name: "turbulence_seed", Kind: language.Integer, Within: language.Counts(0, 1<<53), DefaultDoc: "1 with turbulence", Doc: "seed of the waves: another seed gives another realisation with the same statistics"},
		{Name: "sponge", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "thickness L of a layer in front of the face with a viscosity that increases towards it, nu + (sponge_viscosity - nu)(1 - d/L)^2 at the distance d. It damps vortices, and sound in part (least with cumulant, whose bulk viscosity does not change). After the absorbing layers of Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; on lattices Xu & Sagaut, J. Comput. Phys. 245 (2013) 14"},
		{Name: "sponge_viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "ten times the fluid's; if that is less, the viscosity of tau = 1", Doc: "viscosity of the sponge at the face"},
		{Name: "relaxation", Kind: language.Number, Within: language.Between(0, 1), DefaultDoc: "0.1 cs/L, with the domain length L normal to the face", Doc: "fraction of the pressure error that an outflow corrects per step: at 0 all sound leaves and the mean pressure may drift"},
	}, wallModelKeys()...)
}

// pointFields returns the fields that exist at a single cell (vorticity needs neighbours).
func pointFields() []string {
	return []string{"density", "pressure", "velocity", "speed", "temperature"}
}

// lineFields returns pointFields and the wall shear stress, for the point at which a flow separates.
func lineFields() []string { return append(pointFields(), "wall_shear_stress") }

func lattices() []string {
	return names(model.Lattices, func(l model.Lattice) string { return l.Name })
}
func collisions() []string {
	return names(model.Collisions, func(c model.Collision) string { return c.Name })
}
func precisions() []string {
	return names(model.Precisions, func(p model.Precision) string { return p.String() })
}
func boundaries(use func(boundary.Kind) bool) []string {
	var s []string
	for _, b := range boundary.Kinds {
		if use(b) {
			s = append(s, b.Name)
		}
	}
	return s
}

// expectKeys returns the keys in more, the expected value and its tolerance.
func expectKeys(value language.Key, more ...language.Key) []language.Key {
	value.Name, value.Kind = "value", language.Quantity
	value.Doc = "the expected value; with neither value nor within the quantity is only measured"
	return append(more, value, language.Key{Name: "within", Kind: language.Tolerance, Any: true,
		Doc: "largest deviation: a percentage of the value (\"1 %\") or a quantity"})
}

// absent lists quantities of other programs, so that a user who asks for one learns at once that it is not computed.
func absent() []language.Absent {
	return []language.Absent{
		{Words: []string{"surface_tension", "sigma", "phase", "phases", "multiphase", "contact_angle", "free_surface", "vof", "interface", "bubble", "droplet", "cavitation", "wetting"},
			Answer: "the fluid is a single phase: there are no interfaces, free surfaces or contact angles"},
		{Words: []string{"particle", "particles", "dem", "tracer", "tracers", "lagrangian", "sediment"},
			Answer: "there are no particles; [temperature] without expansion carries a passive scalar"},
		{Words: []string{"mach", "compressible", "gamma", "gas_constant", "energy_equation", "shock", "heat_capacity_ratio"},
			Answer: "the flow is nearly incompressible, below a lattice Mach number of 0.3: no shocks, no equation of state; [scaling] lattice_velocity sets the Mach number of the lattice"},
		{Words: []string{"species", "reaction", "reactions", "combustion", "chemistry", "concentration"},
			Answer: "there is one scalar, [temperature], which may stand for a dilute species; nothing reacts"},
		{Words: []string{"radiation", "emissivity", "melting", "solidification", "latent_heat", "phase_change"},
			Answer: "heat is carried and conducted; there is no radiation and no change of phase"},
		{Words: []string{"k_epsilon", "k_omega", "kepsilon", "komega", "spalart_allmaras", "rans", "sst", "turbulent_viscosity_ratio"},
			Answer: "turbulence is resolved, with [turbulence] for what the grid does not resolve (smagorinsky, wale): there are no RANS models"},
		{Words: []string{"moving_mesh", "mesh_motion", "overset", "sliding_mesh", "fsi", "elasticity", "youngs_modulus", "six_dof"},
			Answer: "bodies keep their place; a surface may move along itself (velocity, angular_velocity)"},
		{Words: []string{"magnetic", "mhd", "charge", "electric", "coriolis", "rotating_frame"},
			Answer: "forces are uniform, [force] and buoyancy: there are no electric or magnetic fields and no rotating frame"},
		{Words: []string{"roughness_height", "sand_grain", "ks"},
			Answer: "a wall of type wall_model has a roughness; others are smooth, or as rough as the surface that is given"},
	}
}

// caseLanguage returns the schema of the case file: all tables, in the order of the documentation and of the
// resolved copy.
func caseLanguage() language.Schema {
	l := language.Schema{
		Tables:   tables(),
		Formulas: "expressions in x, y, z are allowed in [initial], in the velocity of a face and in [expect.velocity]",
		Times:    "only face velocities, the force and [expect] may",
		Absent:   absent(),
	}
	for i := range l.Tables {
		t := &l.Tables[i]
		t.Optional, t.Most = t.Optional || optional(t.Path), maxNamed(t.Path)
	}
	return l
}

// tables returns all tables of a case file, in the order of the reference.
func tables() []language.Table {
	list := slices.Concat(flowTables(), solidTables(), []language.Table{refineTable()}, runTables())
	for _, k := range outputKinds() {
		list = append(list, k.table)
	}
	return append(list, expectTables()...)
}

// flowTables returns the tables of the domain, the fluid and its initial state.
func flowTables() []language.Table {
	return []language.Table{
		{Path: "", Keys: []language.Key{
			{Name: "title", Kind: language.Text, Default: `""`, Doc: "title of the case"},
		}, Doc: "At the top of the file, before any table."},
		{Path: "domain", Keys: []language.Key{
			{Name: "lattice", Kind: language.Word, Choices: lattices(), DefaultDoc: "D2Q9 for two values of cells or size; for three D3Q27, but D3Q19 with bgk and trt, which store a number per velocity", Doc: "velocity set, and with it 2D or 3D"},
			{Name: "cells", Kind: language.Integers, Within: language.Counts(1, MaxAxis), DefaultDoc: "size / spacing", Doc: "number of cells along each axis"},
			{Name: "size", Kind: language.Vector, Dim: model.Length, Within: language.Above(0), DefaultDoc: "cells * spacing", Doc: "lengths of the domain; whole numbers of spacings"},
			{Name: "spacing", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "size / cells", Doc: "edge of a cell; 1 in lattice units"},
			{Name: "periodic", Kind: language.Words, Choices: axes(), Default: "[]", Doc: "periodic axes"},
			{Name: "origin", Kind: language.Vector, Dim: model.Length, DefaultDoc: "zero", Doc: "position of the domain's lower corner; all positions in the file use these coordinates"},
		}, Doc: "The box of cells. Any two of cells, size and spacing give the third. Cell centres are half a spacing away from the faces."},
		{Path: "fluid", OneOf: [][]string{{"viscosity", "reynolds"}}, Keys: []language.Key{
			{Name: "density", Kind: language.Quantity, Dim: model.Density, Within: language.Above(0), DefaultDoc: "\"1 kg/m3\", so that pressures are p/rho; 1 in lattice units", Doc: "reference density, of lattice density 1"},
			{Name: "viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), Doc: "kinematic viscosity, or the dynamic viscosity (Pa s), divided by the density"},
			{Name: "reynolds", Kind: language.Number, Within: language.Above(0), Doc: "Reynolds number, instead of the viscosity: viscosity = velocity * length / reynolds"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "characteristic length of the Reynolds number"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), Doc: "characteristic velocity of the Reynolds number, and the expected maximum speed"},
			{Name: "bulk_viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "of the model: 2/D times the viscosity, 1/(3D) cells^2/step with cumulant", Doc: "kinematic bulk viscosity, which damps sound, and the streaks of recursive_regularized downstream of an inlet"},
			{Name: "viscosity_law", Kind: language.Word, Choices: fluidLaws(), DefaultDoc: "`newtonian`", Doc: "how the viscosity depends on the shear rate, see the table of laws"},
			{Name: "index", Kind: language.Number, Within: language.Between(0, 2), Doc: "power_law, carreau: the flow index n; below 1 the fluid is shear-thinning"},
			{Name: "shear_rate", Kind: language.Quantity, Dim: model.Rate, Within: language.Above(0), Doc: "power_law: the shear rate at which the fluid has its viscosity"},
			{Name: "viscosity_min", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "viscosity / 100", Doc: "power_law: minimum viscosity"},
			{Name: "viscosity_max", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "viscosity * 100", Doc: "power_law: maximum viscosity"},
			{Name: "time_constant", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "carreau: lambda"},
			{Name: "viscosity_infinite", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), Doc: "carreau: the viscosity at large shear rates; viscosity is the value at zero shear rate"},
		}, Doc: "The fluid: a viscosity, or a Reynolds number with its length and velocity."},
		{Path: "scaling", OneOf: [][]string{{"lattice_velocity", "tau", "time_step"}}, Keys: []language.Key{
			{Name: "lattice_velocity", Kind: language.Number, Within: language.Between(0, 1), Doc: "the velocity below in cells per step; 0.02 to 0.1 is usual. The Mach number is sqrt(3) times it; smaller is more accurate and needs more steps"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), DefaultDoc: "the largest velocity given in [fluid], [force], the boundaries and [initial]", Doc: "the velocity that corresponds to lattice_velocity"},
			{Name: "tau", Kind: language.Number, Within: language.Between(0.5, 100), Why: "the lattice viscosity is (tau - 1/2)/3: at 1/2 and below nothing damps the flow", Doc: "relaxation time in steps: lattice viscosity = (tau - 1/2)/3. Best between 0.51 and 1"},
			{Name: "time_step", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "simulated time of one step"},
		}, Doc: "The time step: exactly one of lattice_velocity, tau and time_step in a case with units. In lattice units only tau is allowed, instead of the viscosity."},
		{Path: "collision", Keys: append([]language.Key{
			{Name: "model", Kind: language.Word, Choices: collisions(), Default: language.Quote(model.DefaultCollision), Doc: "collision model, see the table of models"},
			{Name: "precision", Kind: language.Word, Choices: precisions(), Default: `"float32"`, Doc: "of the stored state and of the arithmetic; float16: " + model.Float16.Doc()},
		}, collisionKeys()...), Doc: "How populations relax."},
		{Path: "turbulence", Keys: []language.Key{
			{Name: "model", Kind: language.Word, Choices: eddyLaws(), Doc: "subgrid model, see the table of laws"},
			{Name: "constant", Kind: language.Number, Within: language.Between(0, 1), DefaultDoc: "0.1 with smagorinsky, 0.325 with wale", Doc: "smagorinsky: " + model.ViscosityLaws[model.Smagorinsky].Params[0].Doc + ". wale: " + model.ViscosityLaws[model.Wale].Params[0].Doc},
		}, Doc: "Large-eddy simulation, with any collision model. Without this table there is no subgrid model."},
		{Path: "force", Keys: []language.Key{
			{Name: "acceleration", Kind: language.Formulas, Dim: model.Acceleration, Time: true, Doc: "uniform body force per mass, such as gravity; its components may depend on the time t: \"0.01*sin(2*pi*t/8) m/s2\""},
			{Name: "force_density", Kind: language.Formulas, Dim: model.ForceDensity, Time: true, Doc: "uniform body force per volume, such as a pressure gradient (Pa/m); may also depend on t"},
			{Name: "mean_velocity", Kind: language.Vector, Dim: model.Velocity, Doc: "the force is adjusted so that the mean velocity of the fluid, sum(rho u)/sum(rho), reaches and maintains this value; along axes where it is 0 there is no force. Along the others the domain must be periodic"},
			{Name: "flow_rate", Kind: language.Quantity, Dim: model.FlowRate, Alt: []model.Dimension{model.Viscosity}, Doc: "the same for the volumetric flow rate along an axis; in 2D per metre of span (m2/s). It is the mean velocity of the fluid times its volume divided by the domain's length"},
			{Name: "axis", Kind: language.Word, Choices: axes(), DefaultDoc: "`\"x\"` with flow_rate", Doc: "axis of the flow_rate"},
			{Name: "adjust_every", Kind: language.Integer, Within: language.Counts(1, maxSteps), DefaultDoc: "10 with mean_velocity or flow_rate", Doc: "steps between two adjustments; each costs as much as a check of the watch"},
			{Name: "response", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), DefaultDoc: "the time in which the flow passes a tenth of the domain, at least ten adjustments", Doc: "time T in which a deviation of the mean velocity is corrected. The new force is the current force, minus the current acceleration of the fluid, plus (target - current mean velocity)/T (after Benocci & Pinelli, in Engineering Turbulence Modeling and Experiments, Elsevier 1990)"},
		}, Doc: "A uniform body force: one of acceleration, force_density, mean_velocity and flow_rate."},
		{Path: "temperature", Keys: []language.Key{
			{Name: "diffusivity", Kind: language.Quantity, Dim: model.Viscosity, Within: language.Above(0), Doc: "diffusivity of the temperature, conductivity/(density heat capacity)"},
			{Name: "prandtl", Kind: language.Number, Within: language.Above(0), Doc: "Prandtl number, instead of the diffusivity: diffusivity = viscosity / prandtl"},
			{Name: "turbulent_prandtl", Kind: language.Number, Within: language.Above(0), DefaultDoc: "0.85 with [turbulence] or wall_model", Doc: "turbulent Prandtl number of the eddy viscosity nu_t, of [turbulence] or above walls of type wall_model. nu_t / turbulent_prandtl is added to the diffusivity, with smagorinsky nu_t up to (1 - tau)/6 cells^2/step (Kays, J. Heat Transfer 116 (1994) 284)"},
			{Name: "reference", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "initial where that is a constant; otherwise required with an expansion, and 0 without", Doc: "temperature without buoyancy. The difference from it is stored, so that small differences keep their digits"},
			{Name: "initial", Kind: language.Formula, Dim: model.Temperature, DefaultDoc: "the reference", Doc: "initial temperature, of the fluid and of conducting solids"},
			{Name: "expansion", Kind: language.Quantity, Dim: model.Expansion, Doc: "expansion coefficient of the buoyancy, the force -density expansion (T - reference) gravity (Boussinesq)"},
			{Name: "gravity", Kind: language.Vector, Dim: model.Acceleration, Doc: "gravitational acceleration of the buoyancy. Its effect on fluid at the reference temperature is only a pressure and is omitted"},
		}, Doc: "A temperature transported by the flow, which drives it if there is an expansion. Walls are adiabatic unless they have a temperature or a heat_flux, and bodies a diffusivity; interpolated walls act on it at their exact position. Any other passive scalar is the same without an expansion, with K as its unit. A viscosity law of [fluid] does not change the diffusivity. With precision = \"float16\" it lies within 16 K of the reference."},
		{Path: "initial", Keys: []language.Key{
			{Name: "density", Kind: language.Formula, Dim: model.Density, Doc: "initial density; default the reference density"},
			{Name: "pressure", Kind: language.Formula, Dim: model.Pressure, Doc: "initial pressure relative to the pressure at the reference density, instead of density"},
			{Name: "velocity", Kind: language.Formulas, Dim: model.Velocity, DefaultDoc: "rest", Doc: "initial velocity"},
			{Name: "from", Kind: language.Text, Doc: "start from the flow of another run ([how](run.md#start-from-another-runs-flow)): a checkpoint, a file of fields or the output folder of a run, relative to the case file's folder. In a folder it is the newest checkpoint, or the last file of fields if there is no checkpoint. velocity, density and pressure then apply only outside that run's box"},
			{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the file that from resolves to, in hexadecimal; the run ends when there is no such file"},
			{Name: "scale_length", Kind: language.Number, Within: language.Above(0), DefaultDoc: "1 between cases with units; otherwise the ratio of [fluid] length where both cases give it, otherwise 1", Doc: "factor from the lengths of the other run to the lengths of this case, about the origin"},
			{Name: "scale_velocity", Kind: language.Number, Within: language.Above(0), DefaultDoc: "the ratio of the speeds that drive the two flows: the largest velocity of a face, otherwise mean_velocity of [force], otherwise [fluid] velocity; 1 where one case has none of these", Doc: "factor from the velocities of the other run to the velocities of this case; pressures scale with its square"},
		}, Doc: "The initial state. Values may be expressions in x, y, z followed by a unit: \"0.1*sin(2*pi*y/Ly) m/s\"."},
	}
}

// solidTables returns the tables of boundaries and bodies.
func solidTables() []language.Table {
	onFaces := boundaries(func(b boundary.Kind) bool { return b.Faces })
	onBodies := boundaries(func(b boundary.Kind) bool { return b.Bodies })
	return []language.Table{
		{Path: "boundary.*", Keys: append([]language.Key{
			{Name: "type", Kind: language.Word, Choices: onFaces, Doc: "see the table of boundaries"},
			{Name: "faces", Kind: language.Words, Choices: faceNames(), Doc: "faces of the domain: x- is the face at the smallest x"},
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "the boundary covers only a part of its faces, a box: its lower corner. The coordinate normal to a face is ignored"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "the box's upper corner"},
			{Name: "centre", Kind: language.Vector, Dim: model.Length, Doc: "the boundary covers only a part of its faces, a disc: its centre"},
			{Name: "radius", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "the disc's radius"},
			{Name: "temperature", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "walls are adiabatic; open faces have zero gradient, but a face of type velocity through which fluid may enter must have one", Doc: "temperature of the wall, or of the fluid that enters through the face: where fluid leaves, the temperature has zero gradient. With wall_model the heat flux follows by Kader's law (Int. J. Heat Mass Transfer 24 (1981) 1541)"},
			{Name: "heat_flux", Kind: language.Quantity, Dim: model.HeatFlux, Doc: "instead of a temperature, the heat flux into the fluid, divided by density and heat capacity: the diffusivity times the gradient"},
		}, boundaryKeys()...), Doc: "A boundary on faces of the domain. Every face of a non-periodic axis needs exactly one boundary for the whole face, or boundaries for parts of it and one, without a part, for the rest. A cell of the face belongs to a part when its centre is inside it."},
		{Path: "body.*", Keys: append([]language.Key{
			{Name: "type", Kind: language.Word, Choices: onBodies, DefaultDoc: "interpolated_wall for a surface from a file, curved, oblique, or between cell faces; wall for a surface on cell faces, an image, and a body with diffusivity or thicken", Why: "for a moving surface add velocity or angular_velocity", Doc: "how the surface acts, see the table of boundaries"},
			{Name: "velocity", Kind: language.Vector, Dim: model.Velocity, Doc: "surface velocity of a body that does not move, such as a belt; for motions that map the surface onto itself"},
			{Name: "angular_velocity", Kind: language.Quantity, Dim: model.Rate, Doc: "angular velocity of the surface of a body that does not move, such as a wheel, by the right-hand rule: \"10 rad/s\", \"300 rpm\", \"2 rev/s\" (1/s is rad/s). Its velocity is u = velocity + omega x (r - spin_centre)"},
			{Name: "spin_axis", Kind: language.Vector, DefaultDoc: "z", Doc: "3D: direction of the angular velocity, of any length"},
			{Name: "spin_centre", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of the box around the body", Doc: "a point of the axis of the angular velocity"},
			{Name: "conserve_mass", Kind: language.Flag, DefaultDoc: "true without type, if no face is of type pressure or outflow", Doc: "interpolated_wall: returns the small mass that interpolation absorbs, as rest population; for closed boxes"},
			{Name: "thicken", Kind: language.Flag, Default: "false", Doc: "make the body at least one cell thick where it is thinner: for each lattice link that passes through it between two fluid cells, the nearer cell becomes solid. A box may then have zero thickness, and open parts of a surface from a file are sheets"},
			{Name: "temperature", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "no heat passes", Doc: "temperature of the surface; with wall_model the heat flux follows by Kader's law"},
			{Name: "heat_flux", Kind: language.Quantity, Dim: model.HeatFlux, Doc: "instead, the heat flux from the surface into the fluid, divided by density and heat capacity of the fluid"},
			{Name: "diffusivity", Kind: language.Quantity, Dim: model.Viscosity, Within: language.Above(0), Doc: "instead, the body conducts and exchanges heat with the fluid: the diffusivity of its temperature, conductivity/(density heat capacity) of the body. The two meet half-way between the last fluid and the first solid cell, whatever the type"},
			{Name: "heat_capacity", Kind: language.Number, Within: language.AtLeast(0.5), DefaultDoc: "1 with a diffusivity", Doc: "density times heat capacity of a body with a diffusivity, relative to the fluid's; below 0.5 it is unstable. A steady state depends only on the conductivity, diffusivity times this value, and is reached fastest with a small value"},
			{Name: "heat_source", Kind: language.Quantity, Dim: model.HeatSource, DefaultDoc: "none", Doc: "heat source per volume of a body with a diffusivity, divided by density and heat capacity of the fluid"},
			{Name: "shape", Kind: language.Word, Choices: shapes(), Doc: "the shape, see docs/geometry.md; in 2D a cylinder is a disc and a cone its section"},
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "box: the lower corner; cone, capsule: where the axis begins"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "box: the upper corner; cone, capsule: where the axis ends"},
			{Name: "centre", Kind: language.Vector, Dim: model.Length, Doc: "sphere, ellipsoid, cylinder: the centre"},
			{Name: "radius", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "sphere, cylinder, capsule: the radius; cone: the radius at from"},
			{Name: "diameter", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "instead of the radius"},
			{Name: "radius_to", Kind: language.Quantity, Dim: model.Length, Within: language.AtLeast(0), Default: "0", Doc: "cone: the radius at to; equal radii make a cylinder along any direction"},
			{Name: "radii", Kind: language.Vector, Dim: model.Length, Within: language.Above(0), Doc: "ellipsoid: half its length along each axis"},
			{Name: "axis", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "cylinder: the axis parallel to it"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "through the whole domain", Doc: "cylinder: length along its axis, half on each side of the centre"},
			{Name: "point", Kind: language.Vector, Dim: model.Length, Doc: "half_space: a point of its plane"},
			{Name: "normal", Kind: language.Vector, Doc: "half_space: a direction out of it, of any length"},
			{Name: "of", Kind: language.Names, Doc: "union, intersection, difference: names of other bodies, which are then no longer bodies in the flow. A difference is the first minus the others"},
			{Name: "file", Kind: language.Text, Doc: "stl, image: the file, relative to the case file's folder. An image ends in .vti (VTK ImageData, uncompressed) or is raw: numbers without a header, x fastest, little-endian"},
			{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "stl, image: SHA-256 of the file in hexadecimal; the run ends if the file's differs"},
			{Name: "unit", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "1 cell in lattice units; with units it must be given", Doc: "stl, image: the unit of the file, such as \"1 mm\": the formats have no unit. In a raw image the edge of a voxel"},
			{Name: "voxels", Kind: language.Integers, Within: language.Counts(1, 1<<20), Doc: "image, raw: number of voxels along each axis"},
			{Name: "number", Kind: language.Word, Choices: []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"}, Default: `"uint8"`, Doc: "image, raw: type of the values"},
			{Name: "array", Kind: language.Text, DefaultDoc: "the first", Doc: "image, VTI: name of the array, of one number per point or per cell"},
			{Name: "solid_range", Kind: language.Pair, DefaultDoc: "1 and above", Doc: "image: smallest and largest value that is solid"},
			{Name: "repair", Kind: language.Flag, Default: "false", Doc: "stl: close a surface that is not watertight. Repairs are reported; more than a tenth of guessed area is refused"},
			{Name: "scale", Kind: language.Number, Within: language.Above(0), Default: "1", Doc: "scales the shape by this factor"},
			{Name: "rotate", Kind: language.Vector, DefaultDoc: "not turned", Doc: "angles in degrees about x, then y, then z, by the right-hand rule; three numbers, in 2D only the last may differ from 0"},
			{Name: "about", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of a shape with a place, the origin of the file or of the coordinates otherwise", Doc: "the fixed point of scale and rotate"},
			{Name: "translate", Kind: language.Vector, Dim: model.Length, DefaultDoc: "not moved", Doc: "moves the shape, after scale and rotate"},
		}, wallModelKeys()...), Doc: "A solid in the flow: a shape, a combination of other bodies, or the surface in a file. A cell is solid when its centre is inside."},
	}
}

// runTables returns the tables of the run, its devices and the location of results.
func runTables() []language.Table {
	return []language.Table{
		{Path: "run", OneOf: [][]string{{"steps", "time"}}, Keys: []language.Key{
			{Name: "steps", Kind: language.Integer, Within: language.Counts(1, maxSteps), Doc: "number of steps"},
			{Name: "time", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "simulated time, instead of steps; rounded up to whole steps"},
			{Name: "stop_when", Kind: language.Text, Doc: "ends the run as soon as means have converged: \"drag.NAME +-0.5 %\". NAME is an [output.force.NAME], drag one of its quantities (force_x, force_y, force_z, torque_x, torque_y, torque_z, drag, lift, heat, nusselt, and with walls of type wall_model friction_x to friction_z, pressure_x to pressure_z, friction_drag, pressure_drag). It is followed by the half-width of the 95 % confidence interval, as a percentage of the mean or as a quantity. Conditions are joined by \"and\""},
			{Name: "wall_time", Kind: language.Duration, Within: language.Above(0), Doc: "the run ends cleanly after this wall time; default no limit"},
			{Name: "stall_limit", Kind: language.Duration, Within: language.AtLeast(0), Default: `"5 min"`, Doc: "a rank that is stopped, or whose step, disk or device makes no progress for this wall time, ends the run on all ranks; \"0 s\": never. Longer than the longest step, and than the longest wait for a file to be on disk"},
			{Name: "end_margin", Kind: language.Duration, Choices: []string{"off"}, Within: language.Above(0), Default: `"60 s"`, Doc: "in a SLURM job the run ends cleanly ahead of the time limit, with a checkpoint if there is [checkpoint]. It reserves this time, and twice the time of writing its files. off: it computes until SLURM ends it"},
			{Name: "watch_every", Kind: language.Integer, Default: "100", Within: language.Counts(1, maxSteps), Doc: "steps between two stability checks"},
			{Name: "max_mach", Kind: language.Number, Default: "0.5", Within: language.Between(0, 10), Doc: "the run stops as unstable when the Mach number passes this"},
			{Name: "warn_density_drift", Kind: language.Number, Default: "0.01", Within: language.Counts(0, 1), Doc: "the watch warns when the mean density has changed by this fraction since the start: it is constant in a flow of constant density. Changes due to face pressures and the weight of the fluid do not count. Initial sound is excluded (docs/reliability.md); 0: never"},
			{Name: "max_density_drift", Kind: language.Number, Default: "0.1", Within: language.Counts(0, 1), Doc: "the run stops with an error when it has changed by this fraction; with open faces, by this plus twice the Mach number of the case's velocity; 0: never"},
			{Name: "warn_speed", Kind: language.Number, Default: "2", Within: language.AtLeast(0), Doc: "the watch warns when the maximum speed exceeds this multiple of the largest velocity in the case. Velocities of [fluid] and [scaling] always count. Velocities of boundaries, bodies and [initial] count where no force, buoyancy or pressure drives the flow. 0: never"},
			{Name: "warn_grid_scale", Kind: language.Number, Default: "0.02", Within: language.Counts(0, 1), Doc: "the watch warns when the grid-scale share of the kinetic energy exceeds this value, and its initial value (`grid_scale` in the table of series; docs/reliability.md); 0: never"},
			{Name: "grid_scale_every", Kind: language.Integer, Default: "10", Within: language.Counts(1, maxSteps), Doc: "checks of the watch per grid-scale check, which reads the velocity and the temperature of some cells; there is one at the end in any case"},
			{Name: "warn_inflow", Kind: language.Number, Default: "0.01", Within: language.Counts(0, 1), Doc: "the watch warns when fluid enters through a face of type pressure or outflow without a temperature. Through one of type pressure without a direction it warns when most of the fluid enters at more than 45 degrees. This is the share of the inflow in the total flux through the face. Checked as often as the grid scale (docs/reliability.md); 0: never"},
			{Name: "warn_temperature", Kind: language.Number, Default: "0.5", Within: language.AtLeast(0), Doc: "the watch warns when the temperature overshoots the imposed range: initial, walls, bodies and inlets. This is the overshoot relative to that range; fronts may overshoot by less. Checked as often as the grid scale. There is no check with a heat_flux or a heat_source, or where the bounds of initial are unknown (docs/reliability.md); 0: never"},
			{Name: "max_temperature", Kind: language.Number, Default: "10", Within: language.AtLeast(0), Doc: "the run stops with an error when the overshoot exceeds this multiple of the range; 0: never"},
			{Name: "forensics", Kind: language.Flag, Default: "true", Doc: "a run that becomes unstable returns to an earlier state and finds the first bad cell: `blowup.txt` and the fields around it help to find the cause. For this the state is occasionally copied to the host's memory, where enough is free"},
			{Name: "threads", Kind: language.Integer, Default: "0", Within: language.Counts(0, 4096), Doc: "threads per rank; 0 = the rank's share of the cores"},
			{Name: "ranks", Kind: language.Integers, Within: language.Counts(0, MaxAxis), DefaultDoc: "automatic", Doc: "domain decomposition: number of parts along each axis, 0 = automatic: [1, 2, 4] is for 8 ranks, [1, 2, 0] for any even number. x is never cut"},
		}, Doc: "End and monitoring of the run."},
		{Path: "device", Keys: []language.Key{
			{Name: "kind", Kind: language.Word, Choices: deviceKinds(), Default: `"auto"`, Doc: "auto uses a GPU where one is found, otherwise the CPU"},
			{Name: "share", Kind: language.Flag, Default: "false", Doc: "several ranks may use one GPU; otherwise more ranks than GPUs on a machine are an error"},
			{Name: "transport", Kind: language.Word, Choices: transport.Kinds(), Default: `"auto"`, Doc: "halo exchange method. host: through the host's memory. gpu: messages from and to GPU memory, with a GPU-aware MPI library. peer: GPUs of one machine write into each other's memory. auto selects the best for each pair and reports the reason"},
			{Name: "gpu_aware_mpi", Kind: language.Word, Choices: transport.Answers(), Default: `"ask"`, Doc: "whether the MPI library is GPU-aware. ask queries it; some libraries cannot be queried"},
		}, Doc: "Devices of the ranks, and their communication. `--device` and `--transport` on the command line take precedence."},
		liveTable(),
		{Path: "output", Keys: []language.Key{
			{Name: "dir", Kind: language.Text, DefaultDoc: "out/ and the case file's name", Doc: "folder of all output"},
			{Name: "on_error", Kind: language.Word, Choices: onError(), Default: `"stop"`, Doc: "behaviour when a file of results cannot be written, for example because the disk is full. stop: the run ends, with exit code 1, and can be resumed from its last checkpoint. go_on: it warns, skips the file, and tries again when the next one is due; rows of CSV files are kept in memory, up to 64 MiB per file. At its start and at its end a run stops in any case"},
		}, Doc: "Location of results."},
	}
}

// expectTables returns the tables of the conditions at the end of a run.
func expectTables() []language.Table {
	ofField := language.Key{Any: true}
	fieldKeys := []language.Key{
		{Name: "field", Kind: language.Word, Choices: pointFields(), Default: `"velocity"`, Doc: "the field"},
		{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"", Doc: "component of a vector"},
	}
	return []language.Table{
		{Path: "expect", Keys: []language.Key{
			{Name: "mass_error", Kind: language.Number, Within: language.Above(0), Doc: "largest relative change of the mass"},
		}, Doc: "Conditions at the end of the run; a case with this table is a test. See the table of quantities."},
		{Path: "expect.max_speed", Keys: expectKeys(language.Key{Dim: model.Velocity}), Doc: "The largest speed."},
		{Path: "expect.kinetic_energy", Keys: expectKeys(language.Key{Dim: model.Pressure}), Doc: "The mean kinetic energy per volume (J/m3)."},
		{Path: "expect.mean_velocity", Keys: expectKeys(language.Key{Dim: model.Velocity},
			language.Key{Name: "component", Kind: language.Word, Choices: axes(), Default: `"x"`, Doc: "component"}), Doc: "The mean velocity, weighted by density."},
		{Path: "expect.velocity", Keys: []language.Key{
			{Name: "reference", Kind: language.Formulas, Dim: model.Velocity, Time: true, Doc: "the exact velocity, in x, y, z and t"},
			{Name: "l2", Kind: language.Number, Within: language.Above(0), Doc: "largest relative error in the l2 norm"},
			{Name: "linf", Kind: language.Number, Within: language.Above(0), Doc: "largest relative error in the maximum norm"},
		}, Doc: "The velocity compared with an exact solution."},
		{Path: "expect.probe.*", Keys: expectKeys(ofField, append([]language.Key{
			{Name: "probe", Kind: language.Name, DefaultDoc: "the name of this table", Doc: "name of the [output.probe.NAME]"},
		}, fieldKeys...)...), Doc: "A value at the cell of a probe."},
		{Path: "expect.force.*", Keys: expectKeys(ofField,
			language.Key{Name: "force", Kind: language.Name, DefaultDoc: "the name of this table", Doc: "name of the [output.force.NAME]"},
			language.Key{Name: "quantity", Kind: language.Word, Choices: ForceQuantities(), Default: `"drag"`, Doc: "one of its quantities; drag and lift are coefficients, friction and pressure the parts of the force on walls of type wall_model"},
			language.Key{Name: "statistic", Kind: language.Word, Choices: Statistics(), Default: `"mean"`, Doc: "of the samples since its start. amplitude is half the distance from min to max. frequency is the highest peak of the spectrum of the samples ([how](forces.md#discarding-the-transient)); counted oscillations confirm it. strouhal is frequency L/U. Without four periods above the noise neither exists, which is an error"},
		), Doc: "A force, or a coefficient of one, over time."},
		{Path: "expect.line.*", Keys: expectKeys(ofField, []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "axis parallel to the line"},
			{Name: "through", Kind: language.Vector, Dim: model.Length, Doc: "a point of the line; its coordinate along the line does not matter"},
			{Name: "from", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the whole line", Doc: "smallest coordinate of the evaluated section of the line"},
			{Name: "to", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the whole line", Doc: "its largest coordinate"},
			{Name: "extremum", Kind: language.Word, Choices: []string{"min", "max"}, Doc: "the smallest or the largest value on the line"},
			{Name: "measure", Kind: language.Word, Choices: []string{"value", "position"}, DefaultDoc: "`\"value\"` of an extremum, `\"position\"` of a crossing", Doc: "the value of the extremum, or its position: the coordinate along the line"},
			{Name: "crossing", Kind: language.Word, Choices: []string{"first", "last"}, Doc: "instead of an extremum: the coordinate along the line where the field changes its sign, the first or the last. The velocity along a wall does so where a flow separates or reattaches"},
			{Name: "direction", Kind: language.Word, Choices: crossingWords(), DefaultDoc: "`\"any\"`", Doc: "which crossings count: from negative to positive (rising), the other way (falling), or any"},
			{Name: "field", Kind: language.Word, Choices: lineFields(), Default: `"velocity"`, Doc: "the field. In the cells at a wall the zero of wall_shear_stress is the more exact position of a separation: it is at the wall, while the zero of the velocity is half a cell from it. Between cells the cells at a wall count"},
			{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"", Doc: "component of a vector"},
		}...), Doc: "A quantity on a line through the domain: an extremum, its position, or the position where a field changes its sign. [output.series.NAME] can record it over time."},
	}
}

// MaxAxis is the largest number of cells along an axis.
const MaxAxis = 1 << 20

// limits of sizes: far above any machine, far below the overflow of an int64.
const (
	maxCells = 1 << 40
	maxSteps = language.MaxCount
)

// maxNamed returns the largest number of named tables of a kind. Boundaries and
// bodies share the 255 numbers that a cell's type has.
func maxNamed(path string) int {
	switch path {
	case "boundary.*":
		return 15
	case "body.*":
		return 240
	}
	return 1000
}

// optional tables have no effect when they are absent.
func optional(path string) bool {
	return strings.HasPrefix(path, "expect") || path == "force" || path == "initial" || path == "temperature" || path == "turbulence"
}
