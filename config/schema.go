package config

import (
	"strings"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/halo/transport"
	"lbmsim/model"
)

// The language of the case file as one table of keys. Parsing, suggestions, the
// resolved copy, the comparison of cases and docs/reference.md all come from it:
// a new key is a row here and the line that uses it.

// schedule keys, the same wherever something happens repeatedly.
func scheduleKeys(every, start, end string) []language.Key {
	return []language.Key{
		{Name: "every", Kind: language.Period, Default: every, Doc: "number of steps, or simulated time with a unit, between two outputs"},
		{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
		{Name: "at_start", Kind: language.Flag, Default: start, Doc: "also for the initial state"},
		{Name: "at_end", Kind: language.Flag, Default: end, Doc: "also when the run ends"},
	}
}

// begunKeys are those of a schedule with a start.
func begunKeys(every, start, end string) []language.Key {
	return append([]language.Key{
		{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "the first step, or simulated time, that may be written: after the flow has forgotten its start. With one above 0 at_start has the default false"},
	}, scheduleKeys(every, start, end)...)
}

// boundaryKeys are the keys that rows of boundary.Kinds may name.
func boundaryKeys() []language.Key {
	return []language.Key{
		{Name: "velocity", Kind: language.Formulas, Dim: model.Velocity, Time: true, Doc: "velocity of a moving_wall, constant and without a component normal to its face; or of the fluid at a face of type velocity, where it may depend on the position and the time t"},
		{Name: "pressure", Kind: language.Quantity, Dim: model.Pressure, Any: true, DefaultDoc: "0", Doc: "pressure at the face against that of the reference density"},
		{Name: "direction", Kind: language.Vector, DefaultDoc: "the velocity along the face has no gradient", Doc: "type pressure: direction of the fluid that enters, into the domain and of any length; [0, -1] at y+ is straight in. Fluid that leaves keeps its own. At edges of two faces the velocity has no gradient"},
		{Name: "ramp", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "smooth start: for this time T velocity and pressure are multiplied by (1 - cos(pi t/T))/2"},
		{Name: "table", Kind: language.Text, Doc: "a file of two columns, time (seconds; steps in lattice units) and a factor of velocity and pressure, separated by commas; relative to the case file's folder. Between lines factors are interpolated linearly, before the first and after the last line they stay"},
		{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the table in hexadecimal; the run ends when the file has another"},
		{Name: "repeat", Kind: language.Flag, DefaultDoc: "`false` with a table", Doc: "the table is one period of the factor: it repeats from its first time to its last, at which the factor must be the same"},
		{Name: "profile", Kind: language.Text, Doc: "a file of two columns, position (in the coordinates of the case: metres, cells in lattice units) and a factor of the velocity there, separated by commas; relative to the case file's folder. Linear between lines, constant before the first and after the last"},
		{Name: "profile_sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the profile in hexadecimal"},
		{Name: "profile_along", Kind: language.Word, Choices: []string{"x", "y", "z", "r"}, DefaultDoc: "in 2D the axis along the face; with a centre `\"r\"`", Doc: "what the positions of the profile are: coordinates along an axis, or distances r from the centre of the boundary's disc"},
		{Name: "turbulence_intensity", Kind: language.Formula, Doc: "turbulence that comes in with the velocity ([how](turbulence.md#turbulence-at-an-inlet)): the root mean square of each component as a share of the speed at that place of the face"},
		{Name: "turbulence_rms", Kind: language.Formula, Dim: model.Velocity, Doc: "the same as a velocity, instead of turbulence_intensity"},
		{Name: "turbulence_length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "integral length of the turbulence along the flow, at least 2 cells"},
		{Name: "turbulence_modes", Kind: language.Integer, Within: language.Counts(10, 2000), DefaultDoc: "200 with turbulence", Doc: "number of waves that it is made of, with the images of those beside walls and slip faces; rounded up to whole groups"},
		{Name: "turbulence_seed", Kind: language.Integer, Within: language.Counts(0, 1<<53), DefaultDoc: "1 with turbulence", Doc: "seed of the waves: another one gives another flow with the same statistics"},
		{Name: "sponge", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "thickness L of a layer before the face whose viscosity rises towards it, nu + (sponge_viscosity - nu)(1 - d/L)^2 at the distance d. Eddies die out in it, sound in part (least with cumulant, whose bulk viscosity stays). After the absorbing layers of Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; on lattices Xu & Sagaut, J. Comput. Phys. 245 (2013) 14"},
		{Name: "sponge_viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "ten times the fluid's; if that is less, that of tau = 1", Doc: "viscosity of the sponge at the face"},
		{Name: "relaxation", Kind: language.Number, Within: language.Between(0, 1), DefaultDoc: "0.1 cs/L, L the length of the domain across the face", Doc: "share of the pressure's error that an outflow mends in a step: 0 lets all sound out and the mean pressure drift"},
	}
}

// fieldNames that can be had at a single cell (vorticity needs neighbours).
func pointFields() []string {
	return []string{"density", "pressure", "velocity", "speed", "temperature"}
}

// lineFields are those, and where a flow separates from a wall.
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
func fields() []string { return names(model.Fields, func(f model.Field) string { return f.Name }) }
func averages() []string {
	return names(model.Averages, func(f model.Field) string { return f.Name })
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

func faceNames() []string {
	return []string{"x-", "x+", "y-", "y+", "z-", "z+"}
}
func components() []string { return []string{"x", "y", "z", "magnitude"} }

func onError() []string { return []string{"stop", goOn} }

// expectKeys are the value and its tolerance.
func expectKeys(value language.Key, more ...language.Key) []language.Key {
	value.Name, value.Kind = "value", language.Quantity
	value.Doc = "the expected value; with neither value nor within the quantity is measured and nothing is expected of it"
	return append(more, value, language.Key{Name: "within", Kind: language.Tolerance, Any: true,
		Doc: "largest deviation: a percentage of the value (\"1 %\") or a quantity"})
}

// absent are quantities of other programs, so that who asks for one learns at once that it is not computed.
func absent() []language.Absent {
	return []language.Absent{
		{Words: []string{"surface_tension", "sigma", "phase", "phases", "multiphase", "contact_angle", "free_surface", "vof", "interface", "bubble", "droplet", "cavitation", "wetting"},
			Answer: "the fluid is a single phase: there are no interfaces, free surfaces or contact angles"},
		{Words: []string{"particle", "particles", "dem", "tracer", "tracers", "lagrangian", "sediment"},
			Answer: "no particles move with the flow; [temperature] without expansion carries a passive scalar"},
		{Words: []string{"mach", "compressible", "gamma", "gas_constant", "energy_equation", "shock", "heat_capacity_ratio"},
			Answer: "the flow is nearly incompressible, below a lattice Mach number of 0.3: no shocks, no equation of state; [scaling] lattice_velocity sets the Mach number of the lattice"},
		{Words: []string{"species", "reaction", "reactions", "combustion", "chemistry", "concentration"},
			Answer: "there is one scalar, [temperature], which may stand for a dilute species; nothing reacts"},
		{Words: []string{"radiation", "emissivity", "melting", "solidification", "latent_heat", "phase_change"},
			Answer: "heat is carried and conducted; there is no radiation and no change of phase"},
		{Words: []string{"k_epsilon", "k_omega", "kepsilon", "komega", "spalart_allmaras", "rans", "sst", "turbulent_viscosity_ratio"},
			Answer: "turbulence is resolved, with [turbulence] for what the grid does not resolve (smagorinsky, wale): there are no equations of a Reynolds average"},
		{Words: []string{"moving_mesh", "mesh_motion", "overset", "sliding_mesh", "fsi", "elasticity", "youngs_modulus", "six_dof"},
			Answer: "bodies keep their place; a surface may move along itself (velocity, angular_velocity)"},
		{Words: []string{"magnetic", "mhd", "charge", "electric", "coriolis", "rotating_frame"},
			Answer: "forces are uniform, [force] and buoyancy: there are no electric or magnetic fields and no rotating frame"},
		{Words: []string{"roughness", "roughness_height", "sand_grain"},
			Answer: "walls are smooth, or as rough as the surface that is given"},
	}
}

// caseLanguage is the case file's: all tables, in the order of the documentation and of the
// resolved copy.
func caseLanguage() language.Schema {
	l := language.Schema{
		Tables:   tables(),
		Formulas: "expressions in x, y, z may stand in [initial], in the velocity of a face and in [expect.velocity]",
		Times:    "only the velocity of a face, the force and what is expected may",
		Absent:   absent(),
	}
	for i := range l.Tables {
		t := &l.Tables[i]
		t.Optional, t.Most = optional(t.Path), maxNamed(t.Path)
	}
	return l
}

func tables() []language.Table {
	onFaces := boundaries(func(b boundary.Kind) bool { return b.Faces })
	onBodies := boundaries(func(b boundary.Kind) bool { return b.Bodies })
	ofField := language.Key{Any: true}
	fieldKeys := []language.Key{
		{Name: "field", Kind: language.Word, Choices: pointFields(), Default: `"velocity"`, Doc: "the field"},
		{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"", Doc: "component of a vector"},
	}
	return []language.Table{
		{Path: "", Keys: []language.Key{
			{Name: "title", Kind: language.Text, Default: `""`, Doc: "what the case is, for people"},
		}, Doc: "At the top of the file, before any table."},
		{Path: "domain", Keys: []language.Key{
			{Name: "lattice", Kind: language.Word, Choices: lattices(), DefaultDoc: "D2Q9 for two values of cells or size; for three D3Q27, but D3Q19 with bgk and trt, which store a number for each velocity", Doc: "velocity set, and with it 2D or 3D"},
			{Name: "cells", Kind: language.Integers, Within: language.Counts(1, MaxAxis), DefaultDoc: "size / spacing", Doc: "number of cells along each axis"},
			{Name: "size", Kind: language.Vector, Dim: model.Length, Within: language.Above(0), DefaultDoc: "cells * spacing", Doc: "lengths of the domain; whole numbers of spacings"},
			{Name: "spacing", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "size / cells", Doc: "edge of a cell; 1 in lattice units"},
			{Name: "periodic", Kind: language.Words, Choices: axes(), Default: "[]", Doc: "axes whose two faces are joined"},
			{Name: "origin", Kind: language.Vector, Dim: model.Length, DefaultDoc: "zero", Doc: "position of the domain's lower corner; every position in the file is in these coordinates"},
		}, Doc: "The box of cells. Any two of cells, size and spacing give the third. Cell centres are half a spacing away from the faces."},
		{Path: "fluid", OneOf: [][]string{{"viscosity", "reynolds"}}, Keys: []language.Key{
			{Name: "density", Kind: language.Quantity, Dim: model.Density, Within: language.Above(0), DefaultDoc: "\"1 kg/m3\", so that pressures are p/rho; 1 in lattice units", Doc: "reference density: that of lattice density 1"},
			{Name: "viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), Doc: "kinematic viscosity, or the dynamic one (Pa s), which is divided by the density"},
			{Name: "reynolds", Kind: language.Number, Within: language.Above(0), Doc: "Reynolds number, instead of the viscosity: viscosity = velocity * length / reynolds"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "characteristic length of the Reynolds number"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), Doc: "characteristic velocity of the Reynolds number, and the largest speed that is expected"},
			{Name: "bulk_viscosity", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "what the model has: 2/D times the viscosity, 1/(3D) cells^2/step with cumulant", Doc: "kinematic bulk viscosity, which damps sound, and the streaks that recursive_regularized has behind an inlet"},
			{Name: "viscosity_law", Kind: language.Word, Choices: fluidLaws(), DefaultDoc: "`newtonian`", Doc: "how the viscosity depends on the shear rate, see the table of laws"},
			{Name: "index", Kind: language.Number, Within: language.Between(0, 2), Doc: "power_law, carreau: the flow index n; below 1 the fluid is shear-thinning"},
			{Name: "shear_rate", Kind: language.Quantity, Dim: model.Rate, Within: language.Above(0), Doc: "power_law: the shear rate at which the fluid has its viscosity"},
			{Name: "viscosity_min", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "viscosity / 100", Doc: "power_law: the least viscosity"},
			{Name: "viscosity_max", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), DefaultDoc: "viscosity * 100", Doc: "power_law: the largest viscosity"},
			{Name: "time_constant", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "carreau: lambda"},
			{Name: "viscosity_infinite", Kind: language.Quantity, Dim: model.Viscosity, Alt: []model.Dimension{language.DynamicViscosity()}, Within: language.Above(0), Doc: "carreau: the viscosity at large shear rates; viscosity is that without shear"},
		}, Doc: "The fluid: a viscosity, or a Reynolds number with its length and velocity."},
		{Path: "scaling", OneOf: [][]string{{"lattice_velocity", "tau", "time_step"}}, Keys: []language.Key{
			{Name: "lattice_velocity", Kind: language.Number, Within: language.Between(0, 1), Doc: "the velocity below in cells a step; 0.02 to 0.1 is usual. The Mach number is sqrt(3) times it; smaller is more accurate and takes more steps"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), DefaultDoc: "the largest velocity given in [fluid], [force], the boundaries and [initial]", Doc: "the velocity that lattice_velocity belongs to"},
			{Name: "tau", Kind: language.Number, Within: language.Between(0.5, 100), Why: "the lattice viscosity is (tau - 1/2)/3: at 1/2 and below nothing damps the flow", Doc: "relaxation time in steps: lattice viscosity = (tau - 1/2)/3. Best between 0.51 and 1"},
			{Name: "time_step", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "simulated time of one step"},
		}, Doc: "How long a step is: exactly one of lattice_velocity, tau and time_step in a case with units. In lattice units only tau may stand here, instead of the viscosity."},
		{Path: "collision", Keys: append([]language.Key{
			{Name: "model", Kind: language.Word, Choices: collisions(), Default: language.Quote(model.DefaultCollision), Doc: "collision model, see the table of models"},
			{Name: "precision", Kind: language.Word, Choices: precisions(), Default: `"float32"`, Doc: "of the stored state and of the arithmetic; float16: " + model.Float16.Doc()},
		}, collisionKeys()...), Doc: "How populations relax."},
		{Path: "turbulence", Keys: []language.Key{
			{Name: "model", Kind: language.Word, Choices: eddyLaws(), Doc: "model of the eddies that are smaller than a cell, see the table of laws"},
			{Name: "constant", Kind: language.Number, Within: language.Between(0, 1), DefaultDoc: "0.1 with smagorinsky, 0.325 with wale", Doc: "smagorinsky: " + model.ViscosityLaws[model.Smagorinsky].Params[0].Doc + ". wale: " + model.ViscosityLaws[model.Wale].Params[0].Doc},
		}, Doc: "Large-eddy simulation, by any collision model. Without this table all eddies are computed."},
		{Path: "force", Keys: []language.Key{
			{Name: "acceleration", Kind: language.Formulas, Dim: model.Acceleration, Time: true, Doc: "uniform body force per mass, such as gravity; its components may depend on the time t: \"0.01*sin(2*pi*t/8) m/s2\""},
			{Name: "force_density", Kind: language.Formulas, Dim: model.ForceDensity, Time: true, Doc: "uniform body force per volume, such as a pressure gradient (Pa/m); the same"},
			{Name: "mean_velocity", Kind: language.Vector, Dim: model.Velocity, Doc: "the force is adjusted so that the mean velocity of the fluid, sum(rho u)/sum(rho), becomes and stays this; along axes where it is 0 there is no force. Along the others the domain must be periodic"},
			{Name: "flow_rate", Kind: language.Quantity, Dim: model.FlowRate, Alt: []model.Dimension{model.Viscosity}, Doc: "the same, by the volume that flows along an axis in a unit of time; in 2D for each metre across the plane (m2/s). It is the mean of the velocity over the fluid times its volume over the domain's length"},
			{Name: "axis", Kind: language.Word, Choices: axes(), DefaultDoc: "`\"x\"` with flow_rate", Doc: "axis of the flow_rate"},
			{Name: "adjust_every", Kind: language.Integer, Within: language.Counts(1, maxSteps), DefaultDoc: "10 with mean_velocity or flow_rate", Doc: "steps between two adjustments; each takes as long as a look of the watch"},
			{Name: "response", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), DefaultDoc: "the time in which the flow passes a tenth of the domain, at least ten adjustments", Doc: "time T in which a deviation of the mean velocity is mended. The new force is the present one, less what now accelerates the fluid, plus (wanted - present mean velocity)/T (after Benocci & Pinelli, in Engineering Turbulence Modeling and Experiments, Elsevier 1990)"},
		}, Doc: "A uniform body force: one of acceleration, force_density, mean_velocity and flow_rate."},
		{Path: "temperature", Keys: []language.Key{
			{Name: "diffusivity", Kind: language.Quantity, Dim: model.Viscosity, Within: language.Above(0), Doc: "diffusivity of the temperature, conductivity/(density heat capacity)"},
			{Name: "prandtl", Kind: language.Number, Within: language.Above(0), Doc: "Prandtl number, instead of the diffusivity: diffusivity = viscosity / prandtl"},
			{Name: "turbulent_prandtl", Kind: language.Number, Within: language.Above(0), DefaultDoc: "0.85 with [turbulence]", Doc: "Prandtl number of the eddies of [turbulence]: they add nu_t / turbulent_prandtl to the diffusivity, with smagorinsky nu_t up to (1 - tau)/6 cells^2/step (Kays, J. Heat Transfer 116 (1994) 284)"},
			{Name: "reference", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "initial where that is a constant; otherwise required with an expansion, and 0 without", Doc: "temperature without buoyancy. What is stored is the difference from it, so that small differences keep their digits"},
			{Name: "initial", Kind: language.Formula, Dim: model.Temperature, DefaultDoc: "the reference", Doc: "temperature at the start, of the fluid and of solids that conduct"},
			{Name: "expansion", Kind: language.Quantity, Dim: model.Expansion, Doc: "expansion coefficient of the buoyancy, the force -density expansion (T - reference) gravity (Boussinesq)"},
			{Name: "gravity", Kind: language.Vector, Dim: model.Acceleration, Doc: "acceleration of gravity of the buoyancy. What it does to the fluid of reference temperature is only a pressure and left out"},
		}, Doc: "A temperature that the flow carries, and that drives it if there is an expansion. Walls let no heat through unless they have a temperature or a heat_flux, and bodies a diffusivity; interpolated walls act on it where they are. Any other passive scalar is the same without an expansion, with K for its unit. The diffusivity stays the same where a law of [fluid] changes the viscosity. With precision = \"float16\" it lies within 16 K of the reference."},
		{Path: "initial", Keys: []language.Key{
			{Name: "density", Kind: language.Formula, Dim: model.Density, Doc: "density at the start; default the reference density"},
			{Name: "pressure", Kind: language.Formula, Dim: model.Pressure, Doc: "pressure at the start against that of the reference density, instead of density"},
			{Name: "velocity", Kind: language.Formulas, Dim: model.Velocity, DefaultDoc: "rest", Doc: "velocity at the start"},
			{Name: "from", Kind: language.Text, Doc: "start from the flow of another run ([how](run.md#start-from-another-runs-flow)): a checkpoint, a file of fields or the output folder of a run, relative to the case file's folder. In a folder it is the newest checkpoint, or the last file of fields if there is no checkpoint. velocity, density and pressure then apply outside of that run's box only"},
			{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "SHA-256 of the file that from leads to, in hexadecimal; the run ends when no such file is there"},
			{Name: "scale_length", Kind: language.Number, Within: language.Above(0), DefaultDoc: "1 between cases with units; otherwise the ratio of [fluid] length where both cases give it, otherwise 1", Doc: "factor from the lengths of the other run to those of this case, about the point zero"},
			{Name: "scale_velocity", Kind: language.Number, Within: language.Above(0), DefaultDoc: "the ratio of the speeds that drive the two flows: the largest velocity of a face, otherwise mean_velocity of [force], otherwise [fluid] velocity; 1 where one case has none of these", Doc: "factor from the velocities of the other run to those of this case; pressures follow with its square"},
		}, Doc: "The state at the start. Values may be expressions in x, y, z followed by a unit: \"0.1*sin(2*pi*y/Ly) m/s\"."},
		{Path: "boundary.*", Keys: append([]language.Key{
			{Name: "type", Kind: language.Word, Choices: onFaces, Doc: "see the table of boundaries"},
			{Name: "faces", Kind: language.Words, Choices: faceNames(), Doc: "faces of the domain: x- is the one at the smallest x"},
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "the boundary stands only on a part of its faces, a box: its lower corner. The coordinate across a face does not count"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "the box's upper corner"},
			{Name: "centre", Kind: language.Vector, Dim: model.Length, Doc: "the boundary stands only on a part of its faces, a disc: its centre"},
			{Name: "radius", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "the disc's radius"},
			{Name: "temperature", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "no heat passes a wall; at faces that the fluid passes the temperature has no gradient, but a face of type velocity through which fluid may enter must have one", Doc: "temperature of the wall, or of the fluid that enters through the face: where fluid leaves, the temperature has no gradient"},
			{Name: "heat_flux", Kind: language.Quantity, Dim: model.HeatFlux, Doc: "instead of a temperature, what comes into the fluid for each unit of area and time, divided by density and heat capacity: the diffusivity times the gradient"},
		}, boundaryKeys()...), Doc: "What stands on faces of the domain. Every face of an axis that is not periodic needs exactly one boundary for the whole of it, or boundaries for parts of it and one, without a part, for the rest. A cell of the face belongs to a part when its centre lies in it."},
		{Path: "body.*", Keys: []language.Key{
			{Name: "type", Kind: language.Word, Choices: onBodies, DefaultDoc: "interpolated_wall for a surface from a file, a curved or oblique one, and one between faces of cells; wall for one on faces of cells, an image, and a body with diffusivity or thicken", Why: "a surface that moves has velocity or angular_velocity besides", Doc: "how the surface acts, see the table of boundaries"},
			{Name: "velocity", Kind: language.Vector, Dim: model.Velocity, Doc: "velocity of the surface of a body that stays in its place, such as a belt; for surfaces that it does not lead out of themselves"},
			{Name: "angular_velocity", Kind: language.Quantity, Dim: model.Rate, Doc: "angular velocity of the surface of a body that stays in its place, such as a wheel, by the right-hand rule: \"10 rad/s\", \"300 rpm\", \"2 rev/s\" (1/s is rad/s). Its velocity is u = velocity + omega x (r - spin_centre)"},
			{Name: "spin_axis", Kind: language.Vector, DefaultDoc: "z", Doc: "3D: direction of the angular velocity, of any length"},
			{Name: "spin_centre", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of the box around the body", Doc: "a point of the axis of the angular velocity"},
			{Name: "conserve_mass", Kind: language.Flag, DefaultDoc: "true where type is left out and no face is of type pressure or outflow", Doc: "interpolated_wall: give back the little mass that interpolation takes, as population at rest; for closed boxes"},
			{Name: "thicken", Kind: language.Flag, Default: "false", Doc: "make the body at least one cell thick where it is thinner: of each lattice link that passes through it between two fluid cells, the nearer cell becomes solid. A box may then have no thickness, and open parts of a surface from a file are sheets"},
			{Name: "temperature", Kind: language.Quantity, Dim: model.Temperature, DefaultDoc: "no heat passes", Doc: "temperature of the surface"},
			{Name: "heat_flux", Kind: language.Quantity, Dim: model.HeatFlux, Doc: "instead, what comes out of the surface into the fluid for each unit of its area and time, divided by density and heat capacity of the fluid"},
			{Name: "diffusivity", Kind: language.Quantity, Dim: model.Viscosity, Within: language.Above(0), Doc: "instead, the body conducts, and the fluid takes from it what it gives: the diffusivity of its temperature, conductivity/(density heat capacity) of the body. The two meet half-way between the last fluid and the first solid cell, whatever the type"},
			{Name: "heat_capacity", Kind: language.Number, Within: language.AtLeast(0.5), DefaultDoc: "1 with a diffusivity", Doc: "density times heat capacity of a body with a diffusivity, by that of the fluid; less than a half is not stable. A steady state depends on the conductivity alone, diffusivity times this, and is soonest there with a small one"},
			{Name: "heat_source", Kind: language.Quantity, Dim: model.HeatSource, DefaultDoc: "none", Doc: "what arises in each unit of volume and time of a body with a diffusivity, divided by density and heat capacity of the fluid"},
			{Name: "shape", Kind: language.Word, Choices: shapes(), Doc: "the shape, see docs/geometry.md; in 2D a cylinder is a disc and a cone its section"},
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "box: the lower corner; cone, capsule: where the axis begins"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "box: the upper corner; cone, capsule: where the axis ends"},
			{Name: "centre", Kind: language.Vector, Dim: model.Length, Doc: "sphere, ellipsoid, cylinder: the centre"},
			{Name: "radius", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "sphere, cylinder, capsule: the radius; cone: that at from"},
			{Name: "diameter", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "instead of the radius"},
			{Name: "radius_to", Kind: language.Quantity, Dim: model.Length, Within: language.AtLeast(0), Default: "0", Doc: "cone: the radius at to; equal radii make a cylinder along any direction"},
			{Name: "radii", Kind: language.Vector, Dim: model.Length, Within: language.Above(0), Doc: "ellipsoid: half its length along each axis"},
			{Name: "axis", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "cylinder: the axis that it is parallel to"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "through the whole domain", Doc: "cylinder: length along its axis, half on each side of the centre"},
			{Name: "point", Kind: language.Vector, Dim: model.Length, Doc: "half_space: a point of its plane"},
			{Name: "normal", Kind: language.Vector, Doc: "half_space: a direction out of it, of any length"},
			{Name: "of", Kind: language.Names, Doc: "union, intersection, difference: names of other bodies, which then do not stand in the flow themselves. A difference is the first without the others"},
			{Name: "file", Kind: language.Text, Doc: "stl, image: the file, relative to the case file's folder. An image ends in .vti (VTK ImageData, uncompressed) or is raw: numbers without a header, x fastest, little-endian"},
			{Name: "sha256", Kind: language.Text, DefaultDoc: "the file's, in the resolved copy", Doc: "stl, image: SHA-256 of the file in hexadecimal; the run ends when the file has another"},
			{Name: "unit", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "1 cell in lattice units; with units it must be given", Doc: "stl, image: what 1 in the file means, such as \"1 mm\": the formats have no unit. In a raw image the edge of a voxel"},
			{Name: "voxels", Kind: language.Integers, Within: language.Counts(1, 1<<20), Doc: "image, raw: number of voxels along each axis"},
			{Name: "number", Kind: language.Word, Choices: []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"}, Default: `"uint8"`, Doc: "image, raw: type of the values"},
			{Name: "array", Kind: language.Text, DefaultDoc: "the first", Doc: "image, VTI: name of the array, of one number a point or a cell"},
			{Name: "solid_range", Kind: language.Pair, DefaultDoc: "1 and above", Doc: "image: smallest and largest value that is solid"},
			{Name: "repair", Kind: language.Flag, Default: "false", Doc: "stl: close a surface that is not watertight. What was done is reported; more than a tenth of guessed area is refused"},
			{Name: "scale", Kind: language.Number, Within: language.Above(0), Default: "1", Doc: "makes the shape larger by this factor"},
			{Name: "rotate", Kind: language.Vector, DefaultDoc: "not turned", Doc: "angles in degrees about x, then y, then z, by the right-hand rule; three numbers, in 2D only the last may differ from 0"},
			{Name: "about", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of a shape with a place, the origin of the file or of the coordinates otherwise", Doc: "the point that scale and rotate leave in its place"},
			{Name: "translate", Kind: language.Vector, Dim: model.Length, DefaultDoc: "not moved", Doc: "moves the shape, after scale and rotate"},
		}, Doc: "A solid in the flow: a shape, a combination of other bodies, or the surface in a file. A cell is solid when its centre lies inside."},
		{Path: "run", OneOf: [][]string{{"steps", "time"}}, Keys: []language.Key{
			{Name: "steps", Kind: language.Integer, Within: language.Counts(1, maxSteps), Doc: "number of steps"},
			{Name: "time", Kind: language.Quantity, Dim: model.Time, Within: language.Above(0), Doc: "simulated time, instead of steps; rounded up to whole steps"},
			{Name: "stop_when", Kind: language.Text, Doc: "ends the run as soon as means are known well enough: \"drag.NAME +-0.5 %\". NAME is an [output.force.NAME], drag one of its quantities (force_x, force_y, force_z, torque_x, torque_y, torque_z, drag, lift, heat, nusselt). Then comes half the width of the 95 % confidence interval, as a percentage of the mean or as a quantity. Several are joined by \"and\""},
			{Name: "wall_time", Kind: language.Duration, Within: language.Above(0), Doc: "the run ends cleanly after this wall time; default no limit"},
			{Name: "stall_limit", Kind: language.Duration, Within: language.AtLeast(0), Default: `"5 min"`, Doc: "a rank that is stopped, or whose step, disk or device does not get on for this wall time, ends the run on all ranks; \"0 s\": never. Longer than the longest step, and than the longest wait for a file to be on disk"},
			{Name: "end_margin", Kind: language.Duration, Choices: []string{"off"}, Within: language.Above(0), Default: `"60 s"`, Doc: "in a SLURM job the run ends cleanly ahead of the time limit, with a checkpoint where there is [checkpoint]. It leaves this time, and twice the time that writing its files took. off: it computes until SLURM ends it"},
			{Name: "watch_every", Kind: language.Integer, Default: "100", Within: language.Counts(1, maxSteps), Doc: "steps between two looks at the stability"},
			{Name: "max_mach", Kind: language.Number, Default: "0.5", Within: language.Between(0, 10), Doc: "the run stops as unstable when the Mach number passes this"},
			{Name: "warn_density_drift", Kind: language.Number, Default: "0.01", Within: language.Counts(0, 1), Doc: "the watch warns when the mean density has changed by this share since the start: in a flow of constant density it stays. What pressures of faces and the weight of the fluid ask for does not count. Sound of the start is left out (docs/reliability.md); 0: never"},
			{Name: "max_density_drift", Kind: language.Number, Default: "0.1", Within: language.Counts(0, 1), Doc: "the run stops with an error when it has changed by this share; where faces let mass out, by this and twice the Mach number of the case's velocity; 0: never"},
			{Name: "warn_speed", Kind: language.Number, Default: "2", Within: language.AtLeast(0), Doc: "the watch warns when the largest speed passes this many times the largest velocity that the case gives. Those of [fluid] and [scaling] always count. Those of boundaries, bodies and [initial] count where no force, buoyancy or pressure drives the flow. 0: never"},
			{Name: "warn_grid_scale", Kind: language.Number, Default: "0.02", Within: language.Counts(0, 1), Doc: "the watch warns when the share of the kinetic energy at the scale of the grid passes this, and what it was at the start (`grid_scale` in the table of series; docs/reliability.md); 0: never"},
			{Name: "grid_scale_every", Kind: language.Integer, Default: "10", Within: language.Counts(1, maxSteps), Doc: "looks of the watch between two at the scale of the grid, which reads the velocity and the temperature of some cells; one is taken at the end in any case"},
			{Name: "warn_inflow", Kind: language.Number, Default: "0.01", Within: language.Counts(0, 1), Doc: "the watch warns when fluid enters through a face of type pressure or outflow without a temperature. Through one of type pressure without a direction it warns when most of the fluid enters at more than 45 degrees. This is the share of what enters in all that passes the face. Looked at as often as the scale of the grid (docs/reliability.md); 0: never"},
			{Name: "warn_temperature", Kind: language.Number, Default: "0.5", Within: language.AtLeast(0), Doc: "the watch warns when the temperature is beyond all that the case gives it: initial, those of walls, bodies and inlets. This is the share of the span of these; fronts may overshoot by less. Looked at as often as the scale of the grid. Nothing is looked at with a heat_flux or a heat_source, or where no bounds of initial are known (docs/reliability.md); 0: never"},
			{Name: "max_temperature", Kind: language.Number, Default: "10", Within: language.AtLeast(0), Doc: "the run stops with an error when it is beyond by this many times the span; 0: never"},
			{Name: "forensics", Kind: language.Flag, Default: "true", Doc: "a run that becomes unstable goes back and finds the first bad cell: `blowup.txt` and the fields around it tell what to look at. Now and then the state is copied into the host's memory for that, where there is plenty"},
			{Name: "threads", Kind: language.Integer, Default: "0", Within: language.Counts(0, 4096), Doc: "threads of a rank; 0 = the rank's share of the cores"},
			{Name: "ranks", Kind: language.Integers, Within: language.Counts(0, MaxAxis), DefaultDoc: "what is best", Doc: "into how many parts the ranks cut each axis, 0 = what is best: [1, 2, 4] is for 8 ranks, [1, 2, 0] for any even number. x is never cut"},
		}, Doc: "When the run ends and how it is watched."},
		{Path: "device", Keys: []language.Key{
			{Name: "kind", Kind: language.Word, Choices: deviceKinds(), Default: `"auto"`, Doc: "auto takes a GPU where the program finds one and the CPU where it finds none"},
			{Name: "share", Kind: language.Flag, Default: "false", Doc: "several ranks may use one GPU; else more ranks than GPUs on a machine are an error"},
			{Name: "transport", Kind: language.Word, Choices: transport.Kinds(), Default: `"auto"`, Doc: "how neighbours get each other's edges. host: messages through the host's memory. gpu: messages from and to GPU memory, by an MPI library that takes it. peer: GPUs of one machine write into each other's memory. auto takes the best for each pair and says why"},
			{Name: "gpu_aware_mpi", Kind: language.Word, Choices: transport.Answers(), Default: `"ask"`, Doc: "does the MPI library take GPU memory? ask asks it; some have no way to say"},
		}, Doc: "Where the ranks compute, and how they reach each other. `--device` and `--transport` on the command line win."},
		{Path: "output", Keys: []language.Key{
			{Name: "dir", Kind: language.Text, DefaultDoc: "out/ and the case file's name", Doc: "folder of everything that the run writes"},
			{Name: "on_error", Kind: language.Word, Choices: onError(), Default: `"stop"`, Doc: "what a run does when a file of results cannot be written, because the disk is full, say. stop: it ends, with exit code 1, and can be continued from its last checkpoint. go_on: it warns, leaves the file out, and tries again when the next one is due; rows of CSV files wait in memory, up to 64 MiB a file. At its start and at its end a run stops in any case"},
		}, Doc: "Where results go."},
		{Path: "output.fields", Keys: append([]language.Key{
			{Name: "fields", Kind: language.Words, Choices: fields(), DefaultDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", Doc: "what is written, see the table of fields"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file"},
			{Name: "dir", Kind: language.Text, Default: `"fields"`, Doc: "folder below that of [output]"},
			{Name: "files", Kind: language.Integer, Default: "1", Within: language.Counts(1, 999), Doc: "into how many files the numbers of one output go. With more than one they lie in a folder beside the .hdf file, which shows them as its own as long as both stay together. A file takes from one thread at a time what is written: as many files as a node has cores are fastest"},
		}, begunKeys("", "false", "true")...), Doc: "Whole fields, as VTKHDF files for ParaView: values of cells. The table turns the output on."},
		{Path: "output.averages", Keys: []language.Key{
			{Name: "fields", Kind: language.Words, Choices: averages(), Default: `["mean_pressure", "mean_velocity", "reynolds_stress"]`, Doc: "what is written, see the table of averages"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the flow has forgotten its start"},
			{Name: "sample_every", Kind: language.Period, Default: "10", Doc: "steps, or simulated time, between two samples. On a GPU the sums stay in its memory, and a sample costs 0.4 of a step; on a CPU it costs three to five"},
			{Name: "over", Kind: language.Word, Choices: axes(), Doc: "3D: the averages are also over this axis, along which the domain has to be periodic and the flow alike, such as the span of a cylinder. The file has one layer of cells, in the middle of the axis. Stresses are of deviations from the means over time and axis. Solid cells do not count"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file; sums are always of 64 bits"},
			{Name: "dir", Kind: language.Text, Default: `"averages"`, Doc: "folder below that of [output]"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of what the averages are by then"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "Averages over time of whole fields, as VTKHDF files for ParaView. The table turns them on. Checkpoints keep the sums: a run that is continued goes on with them."},
		{Path: "output.picture", Keys: append([]language.Key{
			{Name: "field", Kind: language.Word, Choices: fields(), Default: `"speed"`, Doc: "what is shown"},
			{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"; \"z\" for the vorticity in 2D", Doc: "component of a vector"},
			{Name: "normal", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "axis across the slice; z in 2D"},
			{Name: "at", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the middle", Doc: "position of the slice along its normal; it shows the cells that it lies in, whose centres `check` names where they are at another place"},
			{Name: "range", Kind: language.Pair, Any: true, Doc: "smallest and largest value of the colours. That of a magnitude does not begin below 0; default from the data"},
		}, begunKeys("", "false", "true")...), Doc: "A picture of one slice, as PNG, with solid cells in grey and lines where the surfaces of bodies cut it. The table turns the output on."},
		{Path: "output.probe.*", Keys: append([]language.Key{
			{Name: "at", Kind: language.Vector, Dim: model.Length, Doc: "position; the values are those of the cell that it lies in, whose centre `check` names where it is another place"},
			{Name: "fields", Kind: language.Words, Choices: fields(), Default: `["pressure", "velocity"]`, Doc: "what is recorded. For one that looks at neighbours, such as the vorticity, whole planes of cells are read"},
		}, begunKeys("10", "true", "true")...), Doc: "Values at one point over time, as CSV."},
		{Path: "output.plane.*", Keys: append([]language.Key{
			{Name: "normal", Kind: language.Word, Choices: axes(), Default: `"z"`, Doc: "axis across the plane"},
			{Name: "at", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the middle", Doc: "position of the plane along its normal; the values are those of the cells that it lies in, whose centres `check` names where they are at another place"},
			{Name: "fields", Kind: language.Words, Choices: fields(), DefaultDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", Doc: "what is written, see the table of fields"},
			{Name: "precision", Kind: language.Word, Choices: []string{model.Float32.String(), model.Float64.String()}, Default: `"float32"`, Doc: "of the numbers in the file"},
		}, begunKeys("", "false", "true")...), Doc: "Fields of one plane of cells of a case in 3D, as VTKHDF files for ParaView, in `planes/NAME`: where whole fields would be too much."},
		{Path: "output.profile.*", Keys: []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "the axis that the profile is along; each plane of cells across it gives a row"},
			{Name: "fields", Kind: language.Words, Choices: names(model.ProfileFields(), func(f model.Field) string { return f.Name }), Default: `["mean_velocity", "reynolds_stress"]`, Doc: "what is written, see the tables of averages and profiles"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the flow has forgotten its start"},
			{Name: "sample_every", Kind: language.Period, Default: "10", Doc: "steps, or simulated time, between two samples"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of what the profile is by then"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "Averages over time and over the fluid cells of the planes across an axis, as CSV, `profile_NAME.csv`: of a flow that is alike along the other axes, such as a channel's. Each output has a block of rows, one for each plane: the step, the time, the position, the number of samples, the fields, and half the widths of their 95 % confidence intervals, as of [output.force.NAME]. Sums are of integers: they depend neither on the number of ranks nor on restarts, and stay on the GPU."},
		{Path: "output.spectrum.*", Keys: []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "the axis of the lines, along which the domain has to be periodic"},
			{Name: "normal", Kind: language.Word, Choices: axes(), DefaultDoc: "the other axis that is not periodic; in 2D the other one", Doc: "axis across the planes of cells that the lines lie in; the mean is over the lines of a plane"},
			{Name: "at", Kind: language.Quantities, Dim: model.Length, DefaultDoc: "the middle; without normal in a domain that is periodic along all axes all lines together", Doc: "positions of the planes along the normal, each with its own spectrum: that of the cells that it lies in"},
			{Name: "fields", Kind: language.Words, Choices: names(model.Spectra(), func(f model.Field) string { return f.Name }), Default: `["velocity_spectrum"]`, Doc: "what is written, see the table of spectra"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when sampling begins, in steps or simulated time: after the flow has forgotten its start"},
			{Name: "sample_every", Kind: language.Period, Default: "100", Doc: "steps, or simulated time, between two samples. For one the planes come together on a rank, which transforms them"},
			{Name: "cumulative", Kind: language.Flag, Default: "true", Doc: "each output has all samples since start; `false`: those since the output before, of a flow that decays, say"},
			{Name: "every", Kind: language.Period, Doc: "number of steps, or simulated time with a unit, between two outputs of what the spectrum is by then"},
			{Name: "every_wall", Kind: language.Duration, Within: language.Above(0), Doc: "wall time between two outputs, whatever the step"},
			{Name: "at_end", Kind: language.Flag, Default: "true", Doc: "also when the run ends"},
		}, Doc: "One-dimensional spectra of lines of cells along a periodic axis, averaged over lines and time, as CSV, `spectrum_NAME.csv` ([how](turbulence.md#spectra)). Each output has a block of rows, one for each position and wave number. Behind step, time, position and wave number are the number of samples, the fields, and half the widths of their 95 % confidence intervals, as of [output.force.NAME]. Lines with solid cells are left out. The bits depend neither on the number of ranks nor on restarts."},
		{Path: "output.line.*", Keys: append([]language.Key{
			{Name: "from", Kind: language.Vector, Dim: model.Length, Doc: "one end"},
			{Name: "to", Kind: language.Vector, Dim: model.Length, Doc: "the other end"},
			{Name: "points", Kind: language.Integer, Within: language.Counts(2, MaxAxis), DefaultDoc: "one for each spacing", Doc: "number of points, both ends included, at equal distances"},
			{Name: "fields", Kind: language.Words, Choices: fields(), Default: `["pressure", "velocity"]`, Doc: "what is recorded"},
		}, begunKeys("", "false", "true")...), Doc: "Values along a line over time, as one CSV file `line_NAME.csv`. Each time has a block of rows, one for each point: the step, the time, the distance from the first end, the position and the fields. Between cell centres values are interpolated linearly along each axis; beyond the outermost centres the outermost counts. Cells inside bodies count as they are stored: zero velocity. Of wall_shear_stress the cells beside walls count."},
		{Path: "output.force.*", Keys: append([]language.Key{
			{Name: "of", Kind: language.Names, DefaultDoc: "the name of this table", Doc: "the bodies and boundaries whose forces are added up: names of [body.NAME] and [boundary.NAME]"},
			{Name: "about", Kind: language.Vector, Dim: model.Length, DefaultDoc: "the middle of the box around the body; the domain's lower corner for several, for faces and for bodies from files", Doc: "the point that the torque is taken about"},
			{Name: "velocity", Kind: language.Quantity, Dim: model.Velocity, Within: language.Above(0), Doc: "reference velocity U of the coefficients of drag and lift"},
			{Name: "area", Kind: language.Quantity, Dim: model.Area, Within: language.Above(0), Doc: "3D: reference area A of the coefficients F/(rho U^2 A/2), rho the reference density"},
			{Name: "length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), Doc: "reference length L of the Strouhal number f L/U and of the Nusselt number; in 2D also of the coefficients F/(rho U^2 L/2)"},
			{Name: "temperature_difference", Kind: language.Quantity, Dim: model.Temperature, Doc: "reference difference dT of the Nusselt number Nu = heat L/(diffusivity dT A), the mean heat flux through the surface A over that of conduction across L (Nusselt, Gesundheits-Ing. 38 (1915) 477). In 3D L is length and A is area. In 2D A is heated_length and L is length, by default heated_length: then Nu = heat/(diffusivity dT)"},
			{Name: "heated_length", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "with temperature_difference and length: how long the faces are that the boundary stands on and no body covers, and the circumference of a cylinder or a box", Doc: "2D: length of the surface that gives the heat, the A of the Nusselt number"},
			{Name: "drag_direction", Kind: language.Vector, DefaultDoc: "x", Doc: "direction of the drag, of any length"},
			{Name: "lift_direction", Kind: language.Vector, DefaultDoc: "y without its part along drag_direction; where that is along y, -x in 2D and z in 3D", Doc: "direction of the lift, of any length, at a right angle to the drag"},
			{Name: "start", Kind: language.Period, Within: language.AtLeast(0), DefaultDoc: "the start of the run", Doc: "when samples begin to count for means, extremes and frequencies: after the flow has forgotten its start"},
		}, scheduleKeys("10", "false", "false")...), Doc: "Force and torque of the fluid on bodies or faces by momentum exchange (Ladd, J. Fluid Mech. 271 (1994) 285), as CSV. A step has the mean of what passes before and after it. Means come with half the widths of their 95 % confidence intervals. These know that samples are correlated (blocking: Flyvbjerg & Petersen, J. Chem. Phys. 91 (1989) 461). Half a width is +Inf with fewer than 16 samples, and that of a single sample as long as the series is too short to show how far its memory reaches. In 2D forces are for each metre across the plane. The pressure of the reference density gives no force. With [temperature] also heat, what the walls give to the fluid in a unit of time, divided by density and heat capacity."},
		{Path: "output.series.*", Keys: append([]language.Key{
			{Name: "quantities", Kind: language.Words, Choices: names(SeriesQuantities(), func(q SeriesQuantity) string { return q.Name }), DefaultDoc: "[\"kinetic_energy\"]; none with lines", Doc: "what is recorded, see the table of series; columns are in the order of that table"},
			{Name: "lines", Kind: language.Names, Doc: "names of [expect.line.NAME]: their numbers over time, such as where a flow reattaches, in columns of these names behind those of the quantities"},
		}, begunKeys("100", "true", "true")...), Doc: "Numbers of the flow over time, as CSV."},
		{Path: "checkpoint", Keys: append([]language.Key{
			{Name: "keep", Kind: language.Integer, Default: "2", Within: language.Counts(1, 1000), Doc: "how many of the newest files stay"},
			{Name: "on_error", Kind: language.Word, Choices: onError(), Default: `"stop"`, Doc: "what a run does when a checkpoint cannot be written: as on_error of [output]. With go_on the last good one stays and the next is tried when it is due"},
		}, scheduleKeys("", "false", "true")...), Doc: "Files from which the run can be continued. The table turns them on."},
		{Path: "expect", Keys: []language.Key{
			{Name: "mass_error", Kind: language.Number, Within: language.Above(0), Doc: "largest relative change of the mass"},
		}, Doc: "What must hold at the end; a case with this table is a test. See the table of quantities."},
		{Path: "expect.max_speed", Keys: expectKeys(language.Key{Dim: model.Velocity}), Doc: "The largest speed."},
		{Path: "expect.kinetic_energy", Keys: expectKeys(language.Key{Dim: model.Pressure}), Doc: "The mean kinetic energy per volume (J/m3)."},
		{Path: "expect.mean_velocity", Keys: expectKeys(language.Key{Dim: model.Velocity},
			language.Key{Name: "component", Kind: language.Word, Choices: axes(), Default: `"x"`, Doc: "component"}), Doc: "The mean velocity, weighted by density."},
		{Path: "expect.velocity", Keys: []language.Key{
			{Name: "reference", Kind: language.Formulas, Dim: model.Velocity, Time: true, Doc: "the exact velocity, in x, y, z and t"},
			{Name: "l2", Kind: language.Number, Within: language.Above(0), Doc: "largest relative error in the l2 norm"},
			{Name: "linf", Kind: language.Number, Within: language.Above(0), Doc: "largest relative error in the maximum norm"},
		}, Doc: "The velocity against an exact solution."},
		{Path: "expect.probe.*", Keys: expectKeys(ofField, append([]language.Key{
			{Name: "probe", Kind: language.Name, DefaultDoc: "the name of this table", Doc: "name of the [output.probe.NAME]"},
		}, fieldKeys...)...), Doc: "A value at the cell of a probe."},
		{Path: "expect.force.*", Keys: expectKeys(ofField,
			language.Key{Name: "force", Kind: language.Name, DefaultDoc: "the name of this table", Doc: "name of the [output.force.NAME]"},
			language.Key{Name: "quantity", Kind: language.Word, Choices: ForceQuantities(), Default: `"drag"`, Doc: "which of its numbers; drag and lift are coefficients"},
			language.Key{Name: "statistic", Kind: language.Word, Choices: Statistics(), Default: `"mean"`, Doc: "of the samples since its start. amplitude is half the distance from min to max. frequency is the highest peak of the spectrum of the samples ([how](forces.md#where-to-start)); counted oscillations confirm it. strouhal is frequency L/U. Without four periods that stand above the noise there is neither, which is an error"},
		), Doc: "A force, or a coefficient of one, over time."},
		{Path: "expect.line.*", Keys: expectKeys(ofField, []language.Key{
			{Name: "along", Kind: language.Word, Choices: axes(), Doc: "axis that the line is parallel to"},
			{Name: "through", Kind: language.Vector, Dim: model.Length, Doc: "a point of the line; its coordinate along the line does not matter"},
			{Name: "from", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the whole line", Doc: "the least coordinate along the line that is looked at"},
			{Name: "to", Kind: language.Quantity, Dim: model.Length, DefaultDoc: "the whole line", Doc: "the largest one"},
			{Name: "extremum", Kind: language.Word, Choices: []string{"min", "max"}, Doc: "the smallest or the largest value on the line"},
			{Name: "measure", Kind: language.Word, Choices: []string{"value", "position"}, DefaultDoc: "`\"value\"` of an extremum, `\"position\"` of a crossing", Doc: "how large the extremum is, or where it is: its coordinate along the line"},
			{Name: "crossing", Kind: language.Word, Choices: []string{"first", "last"}, Doc: "instead of an extremum: the coordinate along the line where the field changes its sign, the first or the last. The velocity along a wall does so where a flow separates or reattaches"},
			{Name: "direction", Kind: language.Word, Choices: crossingWords(), DefaultDoc: "`\"any\"`", Doc: "which crossings count: from negative to positive (rising), the other way (falling), or any"},
			{Name: "field", Kind: language.Word, Choices: lineFields(), Default: `"velocity"`, Doc: "the field. Of the cells at a wall the zero of wall_shear_stress is the more exact place of a separation: it is that at the wall, the zero of the velocity that half a cell from it. Between cells those beside a wall count"},
			{Name: "component", Kind: language.Word, Choices: components(), DefaultDoc: "\"magnitude\"", Doc: "component of a vector"},
		}...), Doc: "A number of a line through the domain: an extremum, where it is, or where a field changes its sign. [output.series.NAME] can follow it over time."},
	}
}

// MaxAxis is the largest number of cells along an axis.
const MaxAxis = 1 << 20

// limits of sizes: far above any machine, far below the overflow of an int64.
const (
	maxCells = 1 << 40
	maxSteps = language.MaxCount
)

// maxNamed is how many named tables of a kind there may be. Boundaries and bodies
// share the 255 numbers that a cell's type has.
func maxNamed(path string) int {
	switch path {
	case "boundary.*":
		return 15
	case "body.*":
		return 240
	}
	return 1000
}

// optional tables mean nothing when they are absent.
func optional(path string) bool {
	switch path {
	case "output.fields", "output.averages", "output.picture", "checkpoint":
		return true
	}
	return strings.HasPrefix(path, "expect") || path == "force" || path == "initial" || path == "temperature" || path == "turbulence"
}
