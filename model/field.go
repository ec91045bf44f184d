package model

// Dimension holds the exponents of metre, second and kilogram of a quantity.
type Dimension struct{ M, S, Kg int }

var (
	Dimensionless = Dimension{}
	Length        = Dimension{M: 1}
	Time          = Dimension{S: 1}
	Velocity      = Dimension{M: 1, S: -1}
	Viscosity     = Dimension{M: 2, S: -1} // kinematic
	Acceleration  = Dimension{M: 1, S: -2}
	ForceDensity  = Dimension{M: -2, S: -2, Kg: 1}
	Density       = Dimension{M: -3, Kg: 1}
	Pressure      = Dimension{M: -1, S: -2, Kg: 1}
	Rate          = Dimension{S: -1}
)

// Field is one row of the output catalogue: a word of [output.fields].
type Field struct {
	Name       string
	Components int // 1 or 3; vectors have 3 components in 2D too
	Dim        Dimension
	Doc        string
}

// Fields in the order of the documentation.
var Fields = []Field{
	{"density", 1, Density, "mass density rho"},
	{"pressure", 1, Pressure, "pressure against the reference density: cs^2 (rho - rho0)"},
	{"velocity", 3, Velocity, "fluid velocity u, half of the body force included"},
	{"speed", 1, Velocity, "magnitude of the velocity"},
	{"vorticity", 3, Rate, "curl of the velocity by central differences, one-sided at walls"},
	{"solid", 1, Dimensionless, "0 in fluid cells, k in cells of the k-th body"},
}

// FindField looks a field up by its name.
func FindField(name string) (Field, bool) {
	for _, f := range Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
