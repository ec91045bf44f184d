// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"lbmsim/device"
	"lbmsim/model"
)

// quantities are the fields that devices evaluate for views, of vectors the magnitude.
var quantities = map[string]device.Quantity{
	"density": device.Excess, "pressure": device.Excess, "velocity": device.Speed, "speed": device.Speed, "temperature": device.Scalar,
	"vorticity": device.Vorticity, "strain_rate": device.StrainRate, "q_criterion": device.Invariant,
}

// Shown returns a field in the output's unit as Sampler.Sample does; false: only the host has its formula.
func (v View) Shown(f model.Field) (s device.Shown, ok bool) {
	if s.Quantity, ok = quantities[f.Name]; !ok {
		return s, false
	}
	s.Factor = v.Part.Case.Units.Factor(f.Dim)
	switch f.Name {
	case "density":
		s.Offset = s.Factor
	case "pressure":
		s.Factor *= model.CS2
	case "temperature":
		s.Offset = v.Part.Case.Temperature.Reference
	}
	for t := range s.Blank {
		s.Blank[t] = v.Blank(f, t-v.Part.Faces())
	}
	return s, true
}

// Blank reports whether a field has no value in a body, by its number; up to 0: fluid.
func (v View) Blank(f model.Field, body int) bool {
	bodies := v.Case.Bodies
	return body > 0 && !(f.Name == "temperature" && body <= len(bodies) && bodies[body-1].Conducts())
}
