// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

// SurfaceFields are the values on the surface of a body, in the order of the documentation: words of [output.surface.NAME].
var SurfaceFields = []Field{
	{"pressure", 1, Pressure, "pressure against the reference density, by the parabola without slope at the surface through the fluid 1.5 and 2.5 cells before it along its normal"},
	{"pressure_coefficient", 1, Dimensionless, "pressure/(rho U^2/2), rho the reference density, U the key velocity"},
	{"wall_shear_stress", 3, Pressure, "traction of the fluid along the surface. Walls of type wall_model: by the law of the wall, at the nearest ghost cell that has the model. Other walls: rho nu du/dn, u by the parabola through the surface and these two points; nu of its shear rate"},
	{"friction", 1, Pressure, "magnitude of wall_shear_stress"},
	{"friction_coefficient", 1, Dimensionless, "friction/(rho U^2/2)"},
	{"y_plus", 1, Dimensionless, "y+ at half a cell at the nearest ghost cell of a wall of type wall_model"},
}

// FindSurfaceField looks up a surface field by its name.
func FindSurfaceField(name string) (Field, bool) {
	for _, f := range SurfaceFields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}
