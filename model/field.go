// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

// Dimension holds the exponents of metre, second, kilogram and kelvin of a quantity.
type Dimension struct{ M, S, Kg, K int }

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
	Temperature   = Dimension{K: 1}
	Expansion     = Dimension{K: -1}
	HeatFlux      = Dimension{M: 1, S: -1, K: 1} // divided by rho c_p, as is Heat
	HeatSource    = Dimension{S: -1, K: 1}
	Heat          = Dimension{M: 3, S: -1, K: 1}
	HeatPerDepth  = Dimension{M: 2, S: -1, K: 1}
)

// Loads and fluxes at walls. In 2D they are per metre normal to the plane.
var (
	Area          = Dimension{M: 2}
	FlowRate      = Dimension{M: 3, S: -1}
	Force         = Dimension{M: 1, S: -2, Kg: 1}
	Torque        = Dimension{M: 2, S: -2, Kg: 1}
	ForcePerDepth = Dimension{S: -2, Kg: 1}
)

// Field is one row of the output catalogue: a word of [output.fields].
type Field struct {
	Name       string
	Components int // 1, 3 or 6; vectors have 3 components in 2D too
	Dim        Dimension
	Doc        string
}

// AtWalls reports whether a field is defined in cells beside walls only: the zeros of other cells are not values.
func (f Field) AtWalls() bool { return f.Name == "wall_shear_stress" || f.OfModel() }

// OfModel reports whether a field follows from the ghost cells of walls with a model, not from the flow in the cells.
func (f Field) OfModel() bool {
	switch f.Name {
	case "y_plus", "wall_shear", "wall_model", "mean_y_plus", "mean_wall_shear":
		return true
	}
	return false
}

// NeverNegative reports whether the displayed values of a field are never below 0: a magnitude, or a field that is one.
// component is -1 for the magnitude of a vector.
func (f Field) NeverNegative(component int) bool {
	if f.Components > 1 {
		return component < 0
	}
	switch f.Name {
	case "density", "speed", "strain_rate", "wall_distance", "solid", "y_plus":
		return true
	}
	return false
}

// SecondInvariant is the dimension of the square of a rate.
var SecondInvariant = Dimension{S: -2}

// Fields in the order of the documentation.
var Fields = []Field{
	{"density", 1, Density, "mass density rho"},
	{"pressure", 1, Pressure, "pressure relative to rho0: cs^2 (rho - rho0)"},
	{"velocity", 3, Velocity, "fluid velocity u, including half of the body force"},
	{"speed", 1, Velocity, "magnitude of the velocity"},
	{"temperature", 1, Temperature, "temperature, of a case with [temperature]; the reference in solid cells that do not conduct"},
	{"vorticity", 3, Rate, "curl of the velocity by central differences, one-sided at walls"},
	{"strain_rate", 1, Rate, "magnitude sqrt(2 S_ij S_ij) of the strain rate S_ij = (d_i u_j + d_j u_i)/2, differences as for vorticity; the shear rate in simple shear"},
	{"q_criterion", 1, SecondInvariant, "Q = (W_ij W_ij - S_ij S_ij)/2, W_ij = (d_i u_j - d_j u_i)/2: positive where the fluid rotates more than it is strained, inside vortices (Hunt, Wray & Moin, Report CTR-S88 (1988) 193); differences as for vorticity"},
	{"wall_shear_stress", 3, Pressure, "traction of the fluid along the wall, rho nu (I - n n).d_n w, in cells that share a face with a no-slip wall, 0 elsewhere. w is the velocity relative to the wall; rotation of the wall is not strain. The wall stress is extrapolated linearly from the stresses half-way to the wall and half-way to the next cell. Each has the viscosity nu at its shear rate, including Smagorinsky's and the sponge's; WALE's vanishes at a wall. An interpolated wall is at its distance; the position of a half-way wall depends on the collision model (models.md). In channels of 12 cells it is within 0.6 % of the force on the fluid for every law. The normal n follows from the adjacent solid cells, with the weights of D3Q27 (16:4:1): on a staircase the mean is within 8 %, single cells are not"},
	{"y_plus", 1, Dimensionless, "u_tau dx/(2 nu), y+ at half a cell, in cells at walls of type wall_model, 0 elsewhere and where the wall has no model. Of several ghost cells at the cell the largest value counts"},
	{"wall_shear", 3, Pressure, "traction of the fluid on walls of type wall_model by the law of the wall, rho u_tau^2 along the wall, in cells at them, 0 elsewhere. For several ghost cells with the model it is the mean, weighted by the area of their links. If y+ is too small for the model it still follows the law"},
	{"wall_model", 1, Dimensionless, "1 in cells at walls of type wall_model where the model fully applies, 0 elsewhere and at frictionless walls. Where it is blended with the no-slip wall, for y+ at half a cell from 4 to 5, its share from 0 to 1. Of several ghost cells the largest share counts. -1 at a ghost cell without a model: in a gap, in a corner, in a body one cell thick, or where all links at an edge are bounced back"},
	{"wall_distance", 1, Length, "distance from the cell's centre to the nearest face of a solid cell with a no-slip wall; exact Euclidean transform of the whole domain (Felzenszwalb & Huttenlocher, Theory Comput. 8 (2012) 415)"},
	{"solid", 1, Dimensionless, "0 in fluid cells, k in cells of the k-th body"},
}

// Averages over time, in the order of the documentation: words of [output.averages] and of [output.profile.NAME].
var Averages = []Field{
	{"mean_pressure", 1, Pressure, "mean pressure <p>"},
	{"mean_velocity", 3, Velocity, "mean velocity <u>"},
	{"reynolds_stress", 6, Dimension{M: 2, S: -2}, "<u'_i u'_j> = <u_i u_j> - <u_i><u_j> (per density, without the sign), in ParaView's order for a symmetric tensor, xx, yy, zz, xy, yz, xz"},
	{"pressure_variance", 1, Dimension{M: -2, S: -4, Kg: 2}, "<p' p'> = <p p> - <p><p>"},
}

// wallAverages are the averages at walls with a model, in the order of the documentation: words of [output.averages].
var wallAverages = []Field{
	{"mean_y_plus", 1, Dimensionless, "mean of y_plus, in cells beside walls of type wall_model, 0 elsewhere"},
	{"mean_wall_shear", 3, Pressure, "mean of the vector wall_shear: the friction of the mean flow, in cells beside walls of type wall_model, 0 elsewhere"},
}

// AverageFields returns the words of [output.averages].
func AverageFields() []Field {
	return append(append([]Field(nil), Averages...), wallAverages...)
}

// temperatureAverages are the averages of the temperature, in the order of the documentation.
var temperatureAverages = []Field{
	{"mean_temperature", 1, Temperature, "mean temperature <T>, of a case with [temperature]"},
	{"temperature_variance", 1, Dimension{K: 2}, "<T' T'> = <T T> - <T><T>"},
	{"turbulent_heat_flux", 3, HeatFlux, "<u'_i T'> = <u_i T> - <u_i><T>, divided by density and heat capacity"},
}

// ProfileFields returns the words of [output.profile.NAME].
func ProfileFields() []Field {
	return append(append([]Field(nil), Averages...), temperatureAverages...)
}

// FindProfileField looks up a field of profiles by its name.
func FindProfileField(name string) (Field, bool) {
	for _, f := range ProfileFields() {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// OfTemperature reports whether a field of an average or a spectrum needs a temperature.
func OfTemperature(f Field) bool {
	for _, t := range append([]Field{temperatureSpectrum}, temperatureAverages...) {
		if t.Name == f.Name {
			return true
		}
	}
	return false
}

var temperatureSpectrum = Field{"temperature_spectrum", 1, Dimension{M: 1, K: 2}, "of the temperature, of a case with [temperature]"}

// Spectra returns the words of [output.spectrum.NAME].
func Spectra() []Field {
	return []Field{
		{"velocity_spectrum", 3, Dimension{M: 3, S: -2}, "E_xx, E_yy and E_zz, of the components of the velocity"},
		{"pressure_spectrum", 1, Dimension{M: -1, S: -4, Kg: 2}, "of the pressure"},
		temperatureSpectrum,
	}
}

// FindSpectrum looks up a spectrum by its name.
func FindSpectrum(name string) (Field, bool) {
	for _, f := range Spectra() {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// FindAverage looks up an average by its name.
func FindAverage(name string) (Field, bool) {
	for _, f := range AverageFields() {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// FindField looks up a field by its name.
func FindField(name string) (Field, bool) {
	for _, f := range Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// AverageSums selects the sums per cell that averages over time store.
type AverageSums struct {
	Density, DensitySquares    bool // the mean of rho-1; with it the sum of the squares of its deviations
	Velocity, VelocityProducts bool // the mean velocity; with it the sums of the products of its deviations
}

// Values returns the number of values of these sums in 2 or 3 dimensions. They are in the order of the fields of
// AverageSums; products as xx, xy, (xz,) yy, (yz, zz).
func (a AverageSums) Values(dims int) (n int) {
	for _, part := range []struct {
		on     bool
		values int
	}{{a.Density, 1}, {a.DensitySquares, 1}, {a.Velocity, dims}, {a.VelocityProducts, dims * (dims + 1) / 2}} {
		if part.on {
			n += part.values
		}
	}
	return n
}

// WallMeans selects the means that averages over time store per cell beside walls with a model.
type WallMeans struct {
	Plus, Shear bool // of y+ at half a cell; of the traction
}

// Values returns the number of values of these means, in the order of the fields of WallMeans.
func (w WallMeans) Values() (n int) {
	if w.Plus {
		n++
	}
	if w.Shear {
		n += 3
	}
	return n
}

// WallMeansOf returns the means at walls among fields of AverageFields.
func WallMeansOf(fields []Field) (of WallMeans) {
	for _, f := range fields {
		of.Plus = of.Plus || f.Name == "mean_y_plus"
		of.Shear = of.Shear || f.Name == "mean_wall_shear"
	}
	return of
}

// SumsOf returns the sums from which fields of AverageFields follow, except for WallMeansOf.
func SumsOf(fields []Field) (of AverageSums) {
	for _, f := range fields {
		switch f.Name {
		case "pressure_variance":
			of.Density, of.DensitySquares = true, true
		case "mean_pressure":
			of.Density = true
		case "reynolds_stress":
			of.Velocity, of.VelocityProducts = true, true
		case "mean_velocity":
			of.Velocity = true
		}
	}
	return of
}
