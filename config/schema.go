package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lbmsim/boundary"
	"lbmsim/model"
)

// The language of the case file as one table of keys. Parsing, suggestions, the
// resolved copy, the comparison of cases and docs/reference.md all come from it:
// a new key is a row here and the line that uses it.

// kind is the form of a value.
type kind int

const (
	kText      kind = iota // any text
	kWord                  // one of choices
	kWords                 // a list of choices
	kInteger               // a whole number
	kIntegers              // one per axis
	kNumber                // a dimensionless number
	kQuantity              // a constant with a unit
	kVector                // one quantity per axis
	kFormula               // a quantity or an expression in x, y, z
	kFormulas              // one per axis
	kPair                  // two quantities of any dimension
	kDuration              // wall time
	kPeriod                // a number of steps or a simulated time
	kTolerance             // a percentage or a quantity
	kFlag                  // true or false
	kName                  // of a named table
	kNames                 // a list of names
)

// span is a range of numbers, in SI or lattice units as the value is.
type span struct {
	set            bool
	lo, hi         float64
	openLo, openHi bool
}

func above(lo float64) span       { return span{true, lo, inf, true, true} }
func between(lo, hi float64) span { return span{true, lo, hi, true, true} }

func atLeast(lo float64) span { return span{true, lo, inf, false, true} }

func counts(lo, hi float64) span { return span{true, lo, hi, false, false} }

const inf = 1e300 // larger values are refused everywhere

func (r span) holds(v float64) bool {
	return !r.set || (v > r.lo || v == r.lo && !r.openLo) && (v < r.hi || v == r.hi && !r.openHi)
}

// mayBeZero tells of times that the range of the key allows 0, which is told by it alone.
func (k *key) mayBeZero() bool { return k.within.set && k.within.holds(0) }

func (r span) String() string {
	if !r.set {
		return ""
	}
	short := func(v float64) string {
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return grouped(int(v))
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	lo := "above " + short(r.lo)
	if !r.openLo {
		lo = "at least " + short(r.lo)
	}
	if r.hi == inf {
		return lo
	}
	if r.openHi {
		return lo + " and below " + short(r.hi)
	}
	return lo + " and at most " + short(r.hi)
}

// key is one row: a key of a table.
type key struct {
	name    string
	kind    kind
	dim     model.Dimension   // of quantities
	alt     []model.Dimension // also accepted
	any     bool              // any dimension; checked where it is used
	time    bool              // expressions may contain t
	def     string            // TOML text; empty = none
	defDoc  string            // a default that depends on other keys, in words
	choices []string
	within  span
	why     string // reason of the range, or what else to know of the choices, for messages
	doc     string
}

// table is one table of the case file. A path that ends in ".*" stands for named
// tables.
type table struct {
	path string
	keys []key
	doc  string
}

func (t table) named() bool { return strings.HasSuffix(t.path, ".*") }

// head is how the table is written, "[body.NAME]".
func (t table) head() string { return "[" + strings.Replace(t.path, "*", "NAME", 1) + "]" }

func (t table) find(name string) *key {
	for i := range t.keys {
		if t.keys[i].name == name {
			return &t.keys[i]
		}
	}
	return nil
}

// schedule keys, the same wherever something happens repeatedly.
func scheduleKeys(every, start, end string) []key {
	return []key{
		{name: "every", kind: kPeriod, def: every, doc: "number of steps, or simulated time with a unit, between two outputs"},
		{name: "every_wall", kind: kDuration, within: above(0), doc: "wall time between two outputs, whatever the step"},
		{name: "at_start", kind: kFlag, def: start, doc: "also for the initial state"},
		{name: "at_end", kind: kFlag, def: end, doc: "also when the run ends"},
	}
}

// collisionKeys are the parameters of all collision models.
func collisionKeys() []key {
	var keys []key
	seen := map[string]bool{}
	for _, c := range model.Collisions {
		for _, p := range c.Params {
			if !seen[p.Name] {
				seen[p.Name] = true
				keys = append(keys, key{name: p.Name, kind: kNumber, within: between(p.Min, p.Max),
					defDoc: fmt.Sprintf("%.6g with %s", p.Default, c.Name), doc: c.Name + ": " + p.Doc})
			}
		}
	}
	return keys
}

// boundaryKeys are the keys that rows of boundary.Kinds may name.
func boundaryKeys() []key {
	return []key{
		{name: "velocity", kind: kFormulas, dim: model.Velocity, time: true, doc: "velocity of a moving_wall, constant and without a component normal to its face; or of the fluid at a face of type velocity, where it may depend on the position and the time t"},
		{name: "pressure", kind: kQuantity, dim: model.Pressure, any: true, defDoc: "0", doc: "pressure at the face against that of the reference density"},
		{name: "ramp", kind: kQuantity, dim: model.Time, within: above(0), doc: "smooth start: for this time T velocity and pressure are multiplied by (1 - cos(pi t/T))/2"},
		{name: "table", kind: kText, doc: "a file of two columns, time (seconds; steps in lattice units) and a factor of velocity and pressure, separated by commas; relative to the case file's folder. Between lines factors are interpolated linearly, before the first and after the last line they stay"},
		{name: "sha256", kind: kText, defDoc: "the file's, in the resolved copy", doc: "SHA-256 of the table in hexadecimal; the run ends when the file has another"},
		{name: "repeat", kind: kFlag, defDoc: "`false` with a table", doc: "the table is one period of the factor: it repeats from its first time to its last, at which the factor must be the same"},
		{name: "profile", kind: kText, doc: "a file of two columns, position (in the coordinates of the case: metres, cells in lattice units) and a factor of the velocity there, separated by commas; relative to the case file's folder. Linear between lines, constant before the first and after the last"},
		{name: "profile_sha256", kind: kText, defDoc: "the file's, in the resolved copy", doc: "SHA-256 of the profile in hexadecimal"},
		{name: "profile_along", kind: kWord, choices: []string{"x", "y", "z", "r"}, defDoc: "in 2D the axis along the face; with a centre `\"r\"`", doc: "what the positions of the profile are: coordinates along an axis, or distances r from the centre of the boundary's disc"},
		{name: "sponge", kind: kQuantity, dim: model.Length, within: above(0), doc: "thickness L of a layer before the face whose viscosity rises towards it, nu + (sponge_viscosity - nu)(1 - d/L)^2 at the distance d. Eddies die out in it, sound in part (least with cumulant, whose bulk viscosity stays). After the absorbing layers of Israeli & Orszag, J. Comput. Phys. 41 (1981) 115; on lattices Xu & Sagaut, J. Comput. Phys. 245 (2013) 14"},
		{name: "sponge_viscosity", kind: kQuantity, dim: model.Viscosity, within: above(0), defDoc: "ten times the fluid's; if that is less, that of tau = 1", doc: "viscosity of the sponge at the face"},
		{name: "relaxation", kind: kNumber, within: between(0, 1), defDoc: "0.1 cs/L, L the length of the domain across the face", doc: "share of the pressure's error that an outflow mends in a step: 0 lets all sound out and the mean pressure drift"},
	}
}

// fieldNames that can be had at a single cell (vorticity needs neighbours).
func pointFields() []string {
	return []string{"density", "pressure", "velocity", "speed", "temperature"}
}

// lineFields are those, and where a flow separates from a wall.
func lineFields() []string { return append(pointFields(), "wall_shear_stress") }

func names[T any](rows []T, name func(T) string) []string {
	var s []string
	for _, r := range rows {
		s = append(s, name(r))
	}
	return s
}

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

func axes() []string { return []string{"x", "y", "z"} }
func faceNames() []string {
	return []string{"x-", "x+", "y-", "y+", "z-", "z+"}
}
func components() []string { return []string{"x", "y", "z", "magnitude"} }
func deviceKinds() []string { // in the order of DeviceKind
	return []string{"auto", "cpu", "cuda"}
}
func transports() []string { // in the order of Transport
	return []string{"auto", "host", "gpu", "peer"}
}
func onError() []string { return []string{"stop", goOn} }
func words() []string { // in the order of Word
	return []string{"ask", "yes", "no"}
}
func shapes() []string { return names(solids(), func(k solidKind) string { return k.name }) }

// expectKeys are the value and its tolerance.
func expectKeys(value key, more ...key) []key {
	value.name, value.kind = "value", kQuantity
	value.doc = "the expected value; with neither value nor within the quantity is measured and nothing is expected of it"
	return append(more, value, key{name: "within", kind: kTolerance, any: true,
		doc: "largest deviation: a percentage of the value (\"1 %\") or a quantity"})
}

// schema lists all tables in the order of the documentation and of the resolved
// copy.
func schema() []table {
	onFaces := boundaries(func(b boundary.Kind) bool { return b.Faces })
	onBodies := boundaries(func(b boundary.Kind) bool { return b.Bodies })
	ofField := key{any: true}
	fieldKeys := []key{
		{name: "field", kind: kWord, choices: pointFields(), def: `"velocity"`, doc: "the field"},
		{name: "component", kind: kWord, choices: components(), defDoc: "\"magnitude\"", doc: "component of a vector"},
	}
	return []table{
		{"", []key{
			{name: "title", kind: kText, def: `""`, doc: "what the case is, for people"},
		}, "At the top of the file, before any table."},
		{"domain", []key{
			{name: "lattice", kind: kWord, choices: lattices(), defDoc: "D2Q9 for two values of cells or size; for three D3Q27, but D3Q19 with bgk and trt, which store a number for each velocity", doc: "velocity set, and with it 2D or 3D"},
			{name: "cells", kind: kIntegers, within: counts(1, maxAxis), defDoc: "size / spacing", doc: "number of cells along each axis"},
			{name: "size", kind: kVector, dim: model.Length, within: above(0), defDoc: "cells * spacing", doc: "lengths of the domain; whole numbers of spacings"},
			{name: "spacing", kind: kQuantity, dim: model.Length, within: above(0), defDoc: "size / cells", doc: "edge of a cell; 1 in lattice units"},
			{name: "periodic", kind: kWords, choices: axes(), def: "[]", doc: "axes whose two faces are joined"},
			{name: "origin", kind: kVector, dim: model.Length, defDoc: "zero", doc: "position of the domain's lower corner; every position in the file is in these coordinates"},
		}, "The box of cells. Any two of cells, size and spacing give the third. Cell centres are half a spacing away from the faces."},
		{"fluid", []key{
			{name: "density", kind: kQuantity, dim: model.Density, within: above(0), defDoc: "\"1 kg/m3\", so that pressures are p/rho; 1 in lattice units", doc: "reference density: that of lattice density 1"},
			{name: "viscosity", kind: kQuantity, dim: model.Viscosity, alt: []model.Dimension{dynamicViscosity()}, within: above(0), doc: "kinematic viscosity, or the dynamic one (Pa s), which is divided by the density"},
			{name: "reynolds", kind: kNumber, within: above(0), doc: "Reynolds number, instead of the viscosity: viscosity = velocity * length / reynolds"},
			{name: "length", kind: kQuantity, dim: model.Length, within: above(0), doc: "characteristic length of the Reynolds number"},
			{name: "velocity", kind: kQuantity, dim: model.Velocity, within: above(0), doc: "characteristic velocity of the Reynolds number, and the largest speed that is expected"},
			{name: "bulk_viscosity", kind: kQuantity, dim: model.Viscosity, within: above(0), defDoc: "what the model has: 2/D times the viscosity, 1/(3D) cells^2/step with cumulant", doc: "kinematic bulk viscosity, which damps sound"},
			{name: "viscosity_law", kind: kWord, choices: fluidLaws(), defDoc: "`newtonian`", doc: "how the viscosity depends on the shear rate, see the table of laws"},
			{name: "index", kind: kNumber, within: between(0, 2), doc: "power_law, carreau: the flow index n; below 1 the fluid is shear-thinning"},
			{name: "shear_rate", kind: kQuantity, dim: model.Rate, within: above(0), doc: "power_law: the shear rate at which the fluid has its viscosity"},
			{name: "viscosity_min", kind: kQuantity, dim: model.Viscosity, within: above(0), defDoc: "viscosity / 100", doc: "power_law: the least viscosity"},
			{name: "viscosity_max", kind: kQuantity, dim: model.Viscosity, within: above(0), defDoc: "viscosity * 100", doc: "power_law: the largest viscosity"},
			{name: "time_constant", kind: kQuantity, dim: model.Time, within: above(0), doc: "carreau: lambda"},
			{name: "viscosity_infinite", kind: kQuantity, dim: model.Viscosity, within: above(0), doc: "carreau: the viscosity at large shear rates; viscosity is that without shear"},
		}, "The fluid: a viscosity, or a Reynolds number with its length and velocity."},
		{"scaling", []key{
			{name: "lattice_velocity", kind: kNumber, within: between(0, 1), doc: "the velocity below in cells a step; 0.02 to 0.1 is usual. The Mach number is sqrt(3) times it; smaller is more accurate and takes more steps"},
			{name: "velocity", kind: kQuantity, dim: model.Velocity, within: above(0), defDoc: "the largest velocity given in [fluid], [force], the boundaries and [initial]", doc: "the velocity that lattice_velocity belongs to"},
			{name: "tau", kind: kNumber, within: between(0.5, 100), why: "the lattice viscosity is (tau - 1/2)/3: at 1/2 and below nothing damps the flow", doc: "relaxation time in steps: lattice viscosity = (tau - 1/2)/3. Best between 0.51 and 1"},
			{name: "time_step", kind: kQuantity, dim: model.Time, within: above(0), doc: "simulated time of one step"},
		}, "How long a step is: exactly one of lattice_velocity, tau and time_step in a case with units. In lattice units only tau may stand here, instead of the viscosity."},
		{"collision", append([]key{
			{name: "model", kind: kWord, choices: collisions(), def: quote(model.DefaultCollision), doc: "collision model, see the table of models"},
			{name: "precision", kind: kWord, choices: precisions(), def: `"float32"`, doc: "of the stored state and of the arithmetic; float16: " + model.Float16.Doc()},
		}, collisionKeys()...), "How populations relax."},
		{"turbulence", []key{
			{name: "model", kind: kWord, choices: eddyLaws(), doc: "model of the eddies that are smaller than a cell, see the table of laws"},
			{name: "constant", kind: kNumber, within: between(0, 1), defDoc: "0.1 with smagorinsky", doc: "smagorinsky: " + model.ViscosityLaws[model.Smagorinsky].Params[0].Doc},
		}, "Large-eddy simulation, by any collision model. Without this table all eddies are computed."},
		{"force", []key{
			{name: "acceleration", kind: kFormulas, dim: model.Acceleration, time: true, doc: "uniform body force per mass, such as gravity; its components may depend on the time t: \"0.01*sin(2*pi*t/8) m/s2\""},
			{name: "force_density", kind: kFormulas, dim: model.ForceDensity, time: true, doc: "uniform body force per volume, such as a pressure gradient (Pa/m); the same"},
			{name: "mean_velocity", kind: kVector, dim: model.Velocity, doc: "the force is adjusted so that the mean velocity of the fluid, sum(rho u)/sum(rho), becomes and stays this; along axes where it is 0 there is no force. Along the others the domain must be periodic"},
			{name: "flow_rate", kind: kQuantity, dim: model.FlowRate, alt: []model.Dimension{model.Viscosity}, doc: "the same, by the volume that flows along an axis in a unit of time; in 2D for each metre across the plane (m2/s). It is the mean of the velocity over the fluid times its volume over the domain's length"},
			{name: "axis", kind: kWord, choices: axes(), defDoc: "`\"x\"` with flow_rate", doc: "axis of the flow_rate"},
			{name: "adjust_every", kind: kInteger, within: counts(1, maxSteps), defDoc: "10 with mean_velocity or flow_rate", doc: "steps between two adjustments; each takes as long as a look of the watch"},
			{name: "response", kind: kQuantity, dim: model.Time, within: above(0), defDoc: "the time in which the flow passes a tenth of the domain, at least ten adjustments", doc: "time T in which a deviation of the mean velocity is mended. The new force is the present one, less what now accelerates the fluid, plus (wanted - present mean velocity)/T (after Benocci & Pinelli, in Engineering Turbulence Modeling and Experiments, Elsevier 1990)"},
		}, "A uniform body force: one of acceleration, force_density, mean_velocity and flow_rate."},
		{"temperature", []key{
			{name: "diffusivity", kind: kQuantity, dim: model.Viscosity, within: above(0), doc: "diffusivity of the temperature, conductivity/(density heat capacity)"},
			{name: "prandtl", kind: kNumber, within: above(0), doc: "Prandtl number, instead of the diffusivity: diffusivity = viscosity / prandtl"},
			{name: "reference", kind: kQuantity, dim: model.Temperature, def: "0", doc: "temperature without buoyancy. What is stored is the difference from it, so that small differences keep their digits"},
			{name: "initial", kind: kFormula, dim: model.Temperature, defDoc: "the reference", doc: "temperature at the start"},
			{name: "expansion", kind: kQuantity, dim: model.Expansion, doc: "expansion coefficient of the buoyancy, the force -density expansion (T - reference) gravity (Boussinesq)"},
			{name: "gravity", kind: kVector, dim: model.Acceleration, doc: "acceleration of gravity of the buoyancy. What it does to the fluid of reference temperature is only a pressure and left out"},
		}, "A temperature that the flow carries, and that drives it if there is an expansion. Walls let no heat through unless they have a temperature or a heat_flux; curved walls act on the temperature as stairs of cells. Any other passive scalar is the same without an expansion, with K for its unit. The diffusivity stays the same where a turbulence model or a law changes the viscosity."},
		{"initial", []key{
			{name: "density", kind: kFormula, dim: model.Density, doc: "density at the start; default the reference density"},
			{name: "pressure", kind: kFormula, dim: model.Pressure, doc: "pressure at the start against that of the reference density, instead of density"},
			{name: "velocity", kind: kFormulas, dim: model.Velocity, defDoc: "rest", doc: "velocity at the start"},
		}, "The state at the start. Values may be expressions in x, y, z followed by a unit: \"0.1*sin(2*pi*y/Ly) m/s\"."},
		{"boundary.*", append([]key{
			{name: "type", kind: kWord, choices: onFaces, doc: "see the table of boundaries"},
			{name: "faces", kind: kWords, choices: faceNames(), doc: "faces of the domain: x- is the one at the smallest x"},
			{name: "from", kind: kVector, dim: model.Length, doc: "the boundary stands only on a part of its faces, a box: its lower corner. The coordinate across a face does not count"},
			{name: "to", kind: kVector, dim: model.Length, doc: "the box's upper corner"},
			{name: "centre", kind: kVector, dim: model.Length, doc: "the boundary stands only on a part of its faces, a disc: its centre"},
			{name: "radius", kind: kQuantity, dim: model.Length, within: above(0), doc: "the disc's radius"},
			{name: "temperature", kind: kQuantity, dim: model.Temperature, defDoc: "no heat passes a wall; at faces that the fluid passes the temperature has no gradient, but a face of type velocity must have one", doc: "temperature of the wall, or of the fluid at the face"},
			{name: "heat_flux", kind: kQuantity, dim: model.HeatFlux, doc: "instead of a temperature, what comes into the fluid for each unit of area and time, divided by density and heat capacity: the diffusivity times the gradient"},
		}, boundaryKeys()...), "What stands on faces of the domain. Every face of an axis that is not periodic needs exactly one boundary for the whole of it, or boundaries for parts of it and one, without a part, for the rest. A cell of the face belongs to a part when its centre lies in it."},
		{"body.*", []key{
			{name: "type", kind: kWord, choices: onBodies, def: `"wall"`, why: "a surface that moves has velocity or angular_velocity besides", doc: "how the surface acts, see the table of boundaries"},
			{name: "velocity", kind: kVector, dim: model.Velocity, doc: "velocity of the surface of a body that stays in its place, such as a belt; for surfaces that it does not lead out of themselves"},
			{name: "angular_velocity", kind: kQuantity, dim: model.Rate, doc: "angular velocity of the surface of a body that stays in its place, such as a wheel, by the right-hand rule: \"10 rad/s\", \"300 rpm\", \"2 rev/s\" (1/s is rad/s). Its velocity is u = velocity + omega x (r - spin_centre)"},
			{name: "spin_axis", kind: kVector, defDoc: "z", doc: "3D: direction of the angular velocity, of any length"},
			{name: "spin_centre", kind: kVector, dim: model.Length, defDoc: "the middle of the box around the body", doc: "a point of the axis of the angular velocity"},
			{name: "conserve_mass", kind: kFlag, doc: "interpolated_wall: give back the little mass that interpolation takes, as population at rest; for closed boxes"},
			{name: "temperature", kind: kQuantity, dim: model.Temperature, defDoc: "no heat passes", doc: "temperature of the surface"},
			{name: "shape", kind: kWord, choices: shapes(), doc: "the shape, see docs/geometry.md; in 2D a cylinder is a disc and a cone its section"},
			{name: "from", kind: kVector, dim: model.Length, doc: "box: the lower corner; cone, capsule: where the axis begins"},
			{name: "to", kind: kVector, dim: model.Length, doc: "box: the upper corner; cone, capsule: where the axis ends"},
			{name: "centre", kind: kVector, dim: model.Length, doc: "sphere, ellipsoid, cylinder: the centre"},
			{name: "radius", kind: kQuantity, dim: model.Length, within: above(0), doc: "sphere, cylinder, capsule: the radius; cone: that at from"},
			{name: "diameter", kind: kQuantity, dim: model.Length, within: above(0), doc: "instead of the radius"},
			{name: "radius_to", kind: kQuantity, dim: model.Length, within: atLeast(0), def: "0", doc: "cone: the radius at to; equal radii make a cylinder along any direction"},
			{name: "radii", kind: kVector, dim: model.Length, within: above(0), doc: "ellipsoid: half its length along each axis"},
			{name: "axis", kind: kWord, choices: axes(), def: `"z"`, doc: "cylinder: the axis that it is parallel to"},
			{name: "length", kind: kQuantity, dim: model.Length, within: above(0), defDoc: "through the whole domain", doc: "cylinder: length along its axis, half on each side of the centre"},
			{name: "point", kind: kVector, dim: model.Length, doc: "half_space: a point of its plane"},
			{name: "normal", kind: kVector, doc: "half_space: a direction out of it, of any length"},
			{name: "of", kind: kNames, doc: "union, intersection, difference: names of other bodies, which then do not stand in the flow themselves. A difference is the first without the others"},
			{name: "file", kind: kText, doc: "stl, image: the file, relative to the case file's folder. An image ends in .vti (VTK ImageData, uncompressed) or is raw: numbers without a header, x fastest, little-endian"},
			{name: "sha256", kind: kText, defDoc: "the file's, in the resolved copy", doc: "stl, image: SHA-256 of the file in hexadecimal; the run ends when the file has another"},
			{name: "unit", kind: kQuantity, dim: model.Length, within: above(0), defDoc: "1 cell in lattice units; with units it must be given", doc: "stl, image: what 1 in the file means, such as \"1 mm\": the formats have no unit. In a raw image the edge of a voxel"},
			{name: "voxels", kind: kIntegers, within: counts(1, 1<<20), doc: "image, raw: number of voxels along each axis"},
			{name: "number", kind: kWord, choices: []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"}, def: `"uint8"`, doc: "image, raw: type of the values"},
			{name: "array", kind: kText, defDoc: "the first", doc: "image, VTI: name of the array, of one number a point or a cell"},
			{name: "solid_range", kind: kPair, defDoc: "1 and above", doc: "image: smallest and largest value that is solid"},
			{name: "repair", kind: kFlag, def: "false", doc: "stl: close a surface that is not watertight. What was done is reported; more than a tenth of guessed area is refused"},
			{name: "scale", kind: kNumber, within: above(0), def: "1", doc: "makes the shape larger by this factor"},
			{name: "rotate", kind: kVector, defDoc: "not turned", doc: "angles in degrees about x, then y, then z, by the right-hand rule; three numbers, in 2D only the last may differ from 0"},
			{name: "about", kind: kVector, dim: model.Length, defDoc: "the middle of a shape with a place, the origin of the file or of the coordinates otherwise", doc: "the point that scale and rotate leave in its place"},
			{name: "translate", kind: kVector, dim: model.Length, defDoc: "not moved", doc: "moves the shape, after scale and rotate"},
		}, "A solid in the flow: a shape, a combination of other bodies, or the surface in a file. A cell is solid when its centre lies inside."},
		{"run", []key{
			{name: "steps", kind: kInteger, within: counts(1, maxSteps), doc: "number of steps"},
			{name: "time", kind: kQuantity, dim: model.Time, within: above(0), doc: "simulated time, instead of steps; rounded up to whole steps"},
			{name: "stop_when", kind: kText, doc: "ends the run as soon as means are known well enough: \"drag.NAME +-0.5 %\". NAME is an [output.force.NAME], drag one of its quantities (force_x, force_y, force_z, torque_x, torque_y, torque_z, drag, lift, heat, nusselt). Then comes half the width of the 95 % confidence interval, as a percentage of the mean or as a quantity. Several are joined by \"and\""},
			{name: "wall_time", kind: kDuration, within: above(0), doc: "the run ends cleanly after this wall time; default no limit"},
			{name: "stall_limit", kind: kDuration, within: atLeast(0), def: `"5 min"`, doc: "a rank that is stopped, or whose step, disk or device does not get on for this wall time, ends the run on all ranks; \"0 s\": never. Longer than the longest step, and than the longest wait for a file to be on disk"},
			{name: "end_margin", kind: kDuration, choices: []string{"off"}, within: above(0), def: `"60 s"`, doc: "in a SLURM job the run ends cleanly ahead of the time limit, with a checkpoint where there is [checkpoint]. It leaves this time, and twice the time that writing its files took. off: it computes until SLURM ends it"},
			{name: "watch_every", kind: kInteger, def: "100", within: counts(1, maxSteps), doc: "steps between two looks at the stability"},
			{name: "max_mach", kind: kNumber, def: "0.5", within: between(0, 10), doc: "the run stops as unstable when the Mach number passes this"},
			{name: "warn_density_drift", kind: kNumber, def: "0.01", within: counts(0, 1), doc: "the watch warns when the mean density has changed by this share since the start: in a flow of constant density it stays. Sound of the start is left out (docs/reliability.md); 0: never"},
			{name: "max_density_drift", kind: kNumber, def: "0.1", within: counts(0, 1), doc: "the run stops with an error when it has changed by this share; where faces let mass out, by this and twice the Mach number of the case's velocity; 0: never"},
			{name: "warn_speed", kind: kNumber, def: "2", within: atLeast(0), doc: "the watch warns when the largest speed passes this many times the largest velocity that the case gives. Those of [fluid] and [scaling] always count. Those of boundaries, bodies and [initial] count where no force, buoyancy or pressure drives the flow. 0: never"},
			{name: "warn_grid_scale", kind: kNumber, def: "0.02", within: counts(0, 1), doc: "the watch warns when the share of the kinetic energy at the scale of the grid passes this, and what it was at the start (`grid_scale` in the table of series; docs/reliability.md); 0: never"},
			{name: "grid_scale_every", kind: kInteger, def: "10", within: counts(1, maxSteps), doc: "looks of the watch between two at the scale of the grid, which reads the velocity of some cells; one is taken at the end in any case"},
			{name: "forensics", kind: kFlag, def: "true", doc: "a run that becomes unstable goes back and finds the first bad cell: `blowup.txt` and the fields around it tell what to look at. Now and then the state is copied into the host's memory for that, where there is plenty"},
			{name: "threads", kind: kInteger, def: "0", within: counts(0, 4096), doc: "threads of a rank; 0 = the rank's share of the cores"},
			{name: "ranks", kind: kIntegers, within: counts(0, maxAxis), defDoc: "what is best", doc: "into how many parts the ranks cut each axis, 0 = what is best: [1, 2, 4] is for 8 ranks, [1, 2, 0] for any even number. x is never cut"},
		}, "When the run ends and how it is watched."},
		{"device", []key{
			{name: "kind", kind: kWord, choices: deviceKinds(), def: `"auto"`, doc: "auto takes a GPU where the program finds one and the CPU where it finds none"},
			{name: "share", kind: kFlag, def: "false", doc: "several ranks may use one GPU; else more ranks than GPUs on a machine are an error"},
			{name: "transport", kind: kWord, choices: transports(), def: `"auto"`, doc: "how neighbours get each other's edges. host: messages through the host's memory. gpu: messages from and to GPU memory, by an MPI library that takes it. peer: GPUs of one machine write into each other's memory. auto takes the best for each pair and says why"},
			{name: "gpu_aware_mpi", kind: kWord, choices: words(), def: `"ask"`, doc: "does the MPI library take GPU memory? ask asks it; some have no way to say"},
		}, "Where the ranks compute, and how they reach each other. `--device` and `--transport` on the command line win."},
		{"output", []key{
			{name: "dir", kind: kText, defDoc: "out/ and the case file's name", doc: "folder of everything that the run writes"},
			{name: "on_error", kind: kWord, choices: onError(), def: `"stop"`, doc: "what a run does when a file of results cannot be written, because the disk is full, say. stop: it ends, with exit code 1, and can be continued from its last checkpoint. go_on: it warns, leaves the file out, and tries again when the next one is due; rows of CSV files wait in memory, up to 64 MiB a file. At its start and at its end a run stops in any case"},
		}, "Where results go."},
		{"output.fields", append([]key{
			{name: "fields", kind: kWords, choices: fields(), defDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", doc: "what is written, see the table of fields"},
			{name: "precision", kind: kWord, choices: []string{model.Float32.String(), model.Float64.String()}, def: `"float32"`, doc: "of the numbers in the file"},
			{name: "dir", kind: kText, def: `"fields"`, doc: "folder below that of [output]"},
			{name: "files", kind: kInteger, def: "1", within: counts(1, 999), doc: "into how many files the numbers of one output go. With more than one they lie in a folder beside the .hdf file, which shows them as its own as long as both stay together. A file takes from one thread at a time what is written: as many files as a node has cores are fastest"},
		}, scheduleKeys("", "false", "true")...), "Whole fields, as VTKHDF files for ParaView: values of cells. The table turns the output on."},
		{"output.averages", []key{
			{name: "fields", kind: kWords, choices: averages(), def: `["mean_pressure", "mean_velocity", "reynolds_stress"]`, doc: "what is written, see the table of averages"},
			{name: "start", kind: kPeriod, within: atLeast(0), defDoc: "the start of the run", doc: "when sampling begins, in steps or simulated time: after the flow has forgotten its start"},
			{name: "sample_every", kind: kPeriod, def: "10", doc: "steps, or simulated time, between two samples; the run waits while a sample is read and added, about as long as an output of fields takes without its writing"},
			{name: "precision", kind: kWord, choices: []string{model.Float32.String(), model.Float64.String()}, def: `"float32"`, doc: "of the numbers in the file; sums are always of 64 bits"},
			{name: "dir", kind: kText, def: `"averages"`, doc: "folder below that of [output]"},
			{name: "every", kind: kPeriod, doc: "number of steps, or simulated time with a unit, between two outputs of what the averages are by then"},
			{name: "every_wall", kind: kDuration, within: above(0), doc: "wall time between two outputs, whatever the step"},
			{name: "at_end", kind: kFlag, def: "true", doc: "also when the run ends"},
		}, "Averages over time of whole fields, as VTKHDF files for ParaView. The table turns them on. Checkpoints keep the sums: a run that is continued goes on with them."},
		{"output.picture", append([]key{
			{name: "field", kind: kWord, choices: fields(), def: `"speed"`, doc: "what is shown"},
			{name: "component", kind: kWord, choices: components(), defDoc: "\"magnitude\"; \"z\" for the vorticity in 2D", doc: "component of a vector"},
			{name: "normal", kind: kWord, choices: axes(), def: `"z"`, doc: "axis across the slice; z in 2D"},
			{name: "at", kind: kQuantity, dim: model.Length, defDoc: "the middle", doc: "position of the slice along its normal"},
			{name: "range", kind: kPair, any: true, doc: "smallest and largest value of the colours; default from the data"},
		}, scheduleKeys("", "false", "true")...), "A picture of one slice, as PNG. The table turns the output on."},
		{"output.probe.*", append([]key{
			{name: "at", kind: kVector, dim: model.Length, doc: "position; the values are those of the cell that it lies in"},
			{name: "fields", kind: kWords, choices: fields(), def: `["pressure", "velocity"]`, doc: "what is recorded. For one that looks at neighbours, such as the vorticity, whole planes of cells are read"},
		}, scheduleKeys("10", "true", "true")...), "Values at one point over time, as CSV."},
		{"output.plane.*", append([]key{
			{name: "normal", kind: kWord, choices: axes(), def: `"z"`, doc: "axis across the plane"},
			{name: "at", kind: kQuantity, dim: model.Length, defDoc: "the middle", doc: "position of the plane along its normal; the values are those of the cells that it lies in"},
			{name: "fields", kind: kWords, choices: fields(), defDoc: "`[\"pressure\", \"velocity\"]`, and `\"solid\"` with bodies", doc: "what is written, see the table of fields"},
			{name: "precision", kind: kWord, choices: []string{model.Float32.String(), model.Float64.String()}, def: `"float32"`, doc: "of the numbers in the file"},
		}, scheduleKeys("", "false", "true")...), "Fields of one plane of cells of a case in 3D, as VTKHDF files for ParaView, in `planes/NAME`: where whole fields would be too much."},
		{"output.line.*", append([]key{
			{name: "from", kind: kVector, dim: model.Length, doc: "one end"},
			{name: "to", kind: kVector, dim: model.Length, doc: "the other end"},
			{name: "points", kind: kInteger, within: counts(2, maxAxis), defDoc: "one for each spacing", doc: "number of points, both ends included, at equal distances"},
			{name: "fields", kind: kWords, choices: fields(), def: `["pressure", "velocity"]`, doc: "what is recorded"},
		}, scheduleKeys("", "false", "true")...), "Values along a line over time, as one CSV file `line_NAME.csv`. Each time has a block of rows, one for each point: the step, the time, the distance from the first end, the position and the fields. Between cell centres values are interpolated linearly along each axis; beyond the outermost centres the outermost counts. Cells inside bodies count as they are stored: zero velocity."},
		{"output.force.*", append([]key{
			{name: "of", kind: kNames, defDoc: "the name of this table", doc: "the bodies and boundaries whose forces are added up: names of [body.NAME] and [boundary.NAME]"},
			{name: "about", kind: kVector, dim: model.Length, defDoc: "the middle of the box around the body; the domain's lower corner for several, for faces and for bodies from files", doc: "the point that the torque is taken about"},
			{name: "velocity", kind: kQuantity, dim: model.Velocity, within: above(0), doc: "reference velocity U of the coefficients of drag and lift"},
			{name: "area", kind: kQuantity, dim: model.Area, within: above(0), doc: "3D: reference area A of the coefficients F/(rho U^2 A/2), rho the reference density"},
			{name: "length", kind: kQuantity, dim: model.Length, within: above(0), doc: "reference length L of the Strouhal number f L/U and of the Nusselt number; in 2D also of the coefficients F/(rho U^2 L/2)"},
			{name: "temperature_difference", kind: kQuantity, dim: model.Temperature, doc: "reference difference dT of the Nusselt number Nu = heat L/(diffusivity dT A), the mean heat flux through the surface A over that of conduction across L (Nusselt, Gesundheits-Ing. 38 (1915) 477). In 3D L is length and A is area. In 2D A is heated_length and L is length, by default heated_length: then Nu = heat/(diffusivity dT)"},
			{name: "heated_length", kind: kQuantity, dim: model.Length, within: above(0), defDoc: "with temperature_difference and length: how long the faces are that the boundary stands on and no body covers, and the circumference of a cylinder or a box", doc: "2D: length of the surface that gives the heat, the A of the Nusselt number"},
			{name: "drag_direction", kind: kVector, defDoc: "x", doc: "direction of the drag, of any length"},
			{name: "lift_direction", kind: kVector, defDoc: "y", doc: "direction of the lift, of any length"},
			{name: "start", kind: kPeriod, within: atLeast(0), defDoc: "the start of the run", doc: "when samples begin to count for means, extremes and frequencies: after the flow has forgotten its start"},
		}, scheduleKeys("10", "false", "false")...), "Force and torque of the fluid on bodies or faces by momentum exchange (Ladd, J. Fluid Mech. 271 (1994) 285), as CSV. A step has the mean of what passes before and after it. Means come with half the widths of their 95 % confidence intervals. These know that samples are correlated (blocking: Flyvbjerg & Petersen, J. Chem. Phys. 91 (1989) 461). Half a width is +Inf with fewer than 16 samples, and that of a single sample as long as the series is too short to show how far its memory reaches. In 2D forces are for each metre across the plane. The pressure of the reference density gives no force. With [temperature] also heat, what the walls give to the fluid in a unit of time, divided by density and heat capacity."},
		{"output.series.*", append([]key{
			{name: "quantities", kind: kWords, choices: names(SeriesQuantities(), func(q SeriesQuantity) string { return q.Name }), defDoc: "[\"kinetic_energy\"]; none with lines", doc: "what is recorded, see the table of series; columns are in the order of that table"},
			{name: "lines", kind: kNames, doc: "names of [expect.line.NAME]: their numbers over time, such as where a flow reattaches, in columns of these names behind those of the quantities"},
		}, scheduleKeys("100", "true", "true")...), "Numbers of the flow over time, as CSV."},
		{"checkpoint", append([]key{
			{name: "keep", kind: kInteger, def: "2", within: counts(1, 1000), doc: "how many of the newest files stay"},
			{name: "on_error", kind: kWord, choices: onError(), def: `"stop"`, doc: "what a run does when a checkpoint cannot be written: as on_error of [output]. With go_on the last good one stays and the next is tried when it is due"},
		}, scheduleKeys("", "false", "true")...), "Files from which the run can be continued. The table turns them on."},
		{"expect", []key{
			{name: "mass_error", kind: kNumber, within: above(0), doc: "largest relative change of the mass"},
		}, "What must hold at the end; a case with this table is a test. See the table of quantities."},
		{"expect.max_speed", expectKeys(key{dim: model.Velocity}), "The largest speed."},
		{"expect.kinetic_energy", expectKeys(key{dim: model.Pressure}), "The mean kinetic energy per volume (J/m3)."},
		{"expect.mean_velocity", expectKeys(key{dim: model.Velocity},
			key{name: "component", kind: kWord, choices: axes(), def: `"x"`, doc: "component"}), "The mean velocity, weighted by density."},
		{"expect.velocity", []key{
			{name: "reference", kind: kFormulas, dim: model.Velocity, time: true, doc: "the exact velocity, in x, y, z and t"},
			{name: "l2", kind: kNumber, within: above(0), doc: "largest relative error in the l2 norm"},
			{name: "linf", kind: kNumber, within: above(0), doc: "largest relative error in the maximum norm"},
		}, "The velocity against an exact solution."},
		{"expect.probe.*", expectKeys(ofField, append([]key{
			{name: "probe", kind: kName, defDoc: "the name of this table", doc: "name of the [output.probe.NAME]"},
		}, fieldKeys...)...), "A value at the cell of a probe."},
		{"expect.force.*", expectKeys(ofField,
			key{name: "force", kind: kName, defDoc: "the name of this table", doc: "name of the [output.force.NAME]"},
			key{name: "quantity", kind: kWord, choices: ForceQuantities(), def: `"drag"`, doc: "which of its numbers; drag and lift are coefficients"},
			key{name: "statistic", kind: kWord, choices: Statistics(), def: `"mean"`, doc: "of the samples since its start. amplitude is half the distance from min to max. frequency counts how often the quantity rises through its mean, over the last 32 times at most. strouhal is frequency L/U"},
		), "A force, or a coefficient of one, over time."},
		{"expect.line.*", expectKeys(ofField, []key{
			{name: "along", kind: kWord, choices: axes(), doc: "axis that the line is parallel to"},
			{name: "through", kind: kVector, dim: model.Length, doc: "a point of the line; its coordinate along the line does not matter"},
			{name: "from", kind: kQuantity, dim: model.Length, defDoc: "the whole line", doc: "the least coordinate along the line that is looked at"},
			{name: "to", kind: kQuantity, dim: model.Length, defDoc: "the whole line", doc: "the largest one"},
			{name: "extremum", kind: kWord, choices: []string{"min", "max"}, doc: "the smallest or the largest value on the line"},
			{name: "measure", kind: kWord, choices: []string{"value", "position"}, defDoc: "`\"value\"` of an extremum, `\"position\"` of a crossing", doc: "how large the extremum is, or where it is: its coordinate along the line"},
			{name: "crossing", kind: kWord, choices: []string{"first", "last"}, doc: "instead of an extremum: the coordinate along the line where the field changes its sign, the first or the last. The velocity along a wall does so where a flow separates or reattaches"},
			{name: "direction", kind: kWord, choices: crossingWords(), defDoc: "`\"any\"`", doc: "which crossings count: from negative to positive (rising), the other way (falling), or any"},
			{name: "field", kind: kWord, choices: lineFields(), def: `"velocity"`, doc: "the field. Of the cells at a wall the zero of wall_shear_stress is the more exact place of a separation: it is that at the wall, the zero of the velocity that half a cell from it"},
			{name: "component", kind: kWord, choices: components(), defDoc: "\"magnitude\"", doc: "component of a vector"},
		}...), "A number of a line through the domain: an extremum, where it is, or where a field changes its sign. [output.series.NAME] can follow it over time."},
	}
}

// limits of sizes: far above any machine, far below the overflow of an int64.
const (
	maxAxis  = 1 << 20
	maxCells = 1 << 40
	maxSteps = 1 << 40
	maxName  = 60
)

// maxNamed is how many named tables of a kind there may be. Boundaries and bodies
// share the 255 numbers that a cell's type has.
func maxNamed(path []string) int {
	switch strings.Join(path, ".") {
	case "boundary":
		return 15
	case "body":
		return 240
	}
	return 1000
}

// findTable looks a table up by a concrete path such as "body.ball".
func findTable(tables []table, path []string) *table {
	for i := range tables {
		p := strings.Split(tables[i].path, ".")
		if tables[i].path == "" {
			p = nil
		}
		if len(p) != len(path) {
			continue
		}
		match := true
		for j := range p {
			match = match && (p[j] == path[j] || p[j] == "*")
		}
		if match {
			return &tables[i]
		}
	}
	return nil
}

// below lists the words that may follow a path as tables: fixed names, and
// whether any name may.
func below(tables []table, path []string) (fixed []string, any bool) {
	seen := map[string]bool{}
	for _, t := range tables {
		p := strings.Split(t.path, ".")
		if t.path == "" || len(p) <= len(path) {
			continue
		}
		match := true
		for j := range path {
			match = match && (p[j] == path[j] || p[j] == "*")
		}
		if !match {
			continue
		}
		if n := p[len(path)]; n == "*" {
			any = true
		} else if !seen[n] {
			seen[n] = true
			fixed = append(fixed, n)
		}
	}
	return fixed, any
}
