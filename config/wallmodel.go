// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// Walls with a model: the keys of their surfaces, and the requirements on a case with such walls.

// wallModelKeys returns the keys of type wall_model.
func wallModelKeys() []language.Key {
	return []language.Key{
		{Name: "law", Kind: language.Word, Choices: []string{"smooth", "frictionless"}, DefaultDoc: "smooth with wall_model", Doc: "wall_model: smooth has the friction of the law of the wall. frictionless has none, at any angle to the grid: for inviscid flow and planes of symmetry"},
		{Name: "sample", Kind: language.Number, Within: language.Counts(1, 20), DefaultDoc: "4.5 with wall_model", Doc: "wall_model: height above the surface at which the law of the wall reads the velocity, in cells; just above the layer is best"},
		{Name: "layer", Kind: language.Number, Within: language.Counts(0, 20), DefaultDoc: "4.5 with wall_model", Doc: "wall_model: height of the layer that has the eddy viscosity of the law of the wall, in cells; with 0 there is no layer, and the first cells have almost no shear stress"},
		{Name: "roughness", Kind: language.Quantity, Dim: model.Length, Within: language.Above(0), DefaultDoc: "none: the wall is smooth", Doc: "wall_model: roughness length z0 of the logarithmic law u = u_tau/kappa ln((y + z0)/z0); 1/30 of the sand-grain height"},
	}
}

// Defaults of sample and layer. Of the layers that were tried on channels with 10 to 20 cells per half height this one has the
// smallest error of friction (docs/decisions.md).
const (
	defaultSample = 4.5
	defaultLayer  = 4.5
)

// wallModel reads the keys of a surface.
func (r *frame) wallModel(s *language.Section, kind boundary.Kind) (m boundary.WallModel) {
	if kind.Law != boundary.ModelledWall {
		return m
	}
	if e := s.Get("law"); e != nil && e.Text == "frictionless" {
		return r.frictionless(s)
	}
	m = boundary.WallModel{Sample: defaultSample, Layer: defaultLayer}
	for _, k := range []struct {
		name  string
		value *float64
	}{{"sample", &m.Sample}, {"layer", &m.Layer}} {
		if !s.Has(k.name) {
			r.SetDefault(s, k.name, language.Amount{Value: *k.value, Bare: true}.TOML())
		}
		if e := s.Get(k.name); e != nil {
			*k.value = e.Values[0].Value
		}
	}
	if e := s.Get("roughness"); e != nil && r.Units.Length > 0 {
		m.Roughness = r.cellsOf(e)
	}
	return m
}

// frictionless returns the model of a wall without friction, and refuses the keys that act by friction.
func (r *frame) frictionless(s *language.Section) boundary.WallModel {
	for _, k := range []string{"sample", "layer", "roughness", "velocity", "angular_velocity"} {
		if s.Knows(k) && s.Has(k) {
			r.Add(s.KeyAt(k), "remove it, or the law", "%s is frictionless: %s has no effect", s.Head(), k)
		}
	}
	return boundary.WallModel{Frictionless: true}
}

// modelledWalls checks the models of a case that has walls with a model, once its surfaces are known.
type modelledWalls struct {
	*frame
	*Flow
	*Solids
}

// Modelled reports whether some wall has a model.
func (s *Solids) Modelled() bool {
	for _, b := range s.Boundaries {
		if b.Kind.Law == boundary.ModelledWall {
			return true
		}
	}
	for _, b := range s.Bodies {
		if b.Kind.Law == boundary.ModelledWall {
			return true
		}
	}
	return false
}

func (r *modelledWalls) check() {
	if !r.Modelled() {
		return
	}
	at, _ := r.wallModelAt()
	refuse := func(bad bool, hint, text string, of ...any) {
		if bad {
			r.Add(at, hint, text, of...)
		}
	}
	spec := &r.Spec
	refuse(r.dims == 2, "use 3D, periodic along z if need be", "wall_model needs 3D: turbulence is three-dimensional")
	refuse(spec.Collision.Scheme != model.Moments, "use regularized, recursive_regularized or cumulant", "wall_model needs moments, which %q does not store", spec.Collision.Name)
	refuse(spec.Precision == model.Float16, "use float32 or float64", "wall_model cannot be combined with float16: its rounding is as large as the wall shear stress")
	refuse(spec.Viscosity.OfFluid(), "", "wall_model cannot be combined with viscosity_law = %q: the law of the wall is for a constant viscosity", spec.Viscosity)
	if spec.Viscosity == model.Newtonian {
		// Smagorinsky's law with C = 0: eddy viscosity in the layer alone.
		spec.Viscosity, r.Rheology.Constant = model.Smagorinsky, 0
		for _, b := range r.Boundaries { // sponges were read before
			for k, p := range b.Sponge {
				b.Sponge[k] = p.WithSmagorinsky(0)
			}
		}
	}
}

// ofModel passes the Prandtl number on to a wall with a model, and refuses temperatures for which there is no law.
func (r *thermal) ofModel(s *language.Section, m *boundary.WallModel, heat boundary.ScalarWall) {
	if !r.Spec.Scalar || !r.haveTime || r.Temperature.Diffusivity == 0 {
		return
	}
	m.Prandtl = (r.Tau - 0.5) / 3 / r.Temperature.Diffusivity
	switch {
	case heat.Law == boundary.ScalarConducts:
		r.Add(s.KeyAt("diffusivity"), "use type \"wall\" or \"interpolated_wall\", or give its temperature or heat_flux", "%s has type wall_model and a diffusivity: the heat flux by the law of the wall needs a known surface temperature", s.Head())
	case heat.Law == boundary.ScalarFixed && m.Frictionless:
		r.Add(s.KeyAt("temperature"), "remove it: the wall is adiabatic; or give its heat_flux", "%s is frictionless and has a temperature: without friction there is no law for the heat flux", s.Head())
	case heat.Law == boundary.ScalarFixed && m.Roughness > 0:
		r.Add(s.KeyAt("temperature"), "give its heat_flux, or remove the roughness", "%s is rough and has a temperature: Kader's law of the heat flux is for smooth walls", s.Head())
	}
}

// wallModelAt returns the place of the type of a wall with a model, if there is such a wall.
func (r *frame) wallModelAt() (at language.Mark, ok bool) {
	at = language.Nowhere
	for _, path := range []string{"boundary", "body"} {
		for _, s := range r.All(path) {
			if e := s.Get("type"); e != nil && e.Text == "wall_model" {
				at, ok = e.At, true
			}
		}
	}
	return at, ok
}
