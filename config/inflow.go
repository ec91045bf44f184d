// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Turbulence of a velocity face: its keys, and its properties before a run.

// Inflow is the turbulence that a velocity face adds to its velocity.
type Inflow struct {
	// RMS of each component at a place in cells where the mean flow has a speed; the same as C of x, y, z and speed.
	RMS  func(p [3]float64, speed float64) float64
	Code string
	Most func(speed float64) float64 // largest rms that a case may ask for there
	// Spectrum of its waves, without the velocity that carries them.
	Spectrum boundary.Spectrum
}

// turbulenceKeys are the keys of turbulence at an inlet: first the ones that set its strength, then the others.
var turbulenceKeys = []string{"turbulence_intensity", "turbulence_rms", "turbulence_length", "turbulence_modes", "turbulence_seed"}

// rmsOfLargest is the assumed ratio of the largest velocity to its rms: one moment in a few hundred has more.
const rmsOfLargest = 3

// fewestLengths of the turbulence should fit into a periodic axis, and between two walls.
const fewestLengths = 4

// turbulent reports whether a boundary is to have turbulence.
func turbulent(s *language.Section) bool {
	for _, key := range turbulenceKeys {
		if s.Has(key) {
			return true
		}
	}
	return false
}

// inflow reads the turbulence of a velocity face.
func (r *faces) inflow(s *language.Section, b *Boundary) {
	if !turbulent(s) || b.Kind.Law != boundary.VelocityFace {
		return
	}
	intensity, rms := s.Get("turbulence_intensity"), s.Get("turbulence_rms")
	const one = "turbulence_intensity = 0.1 is 10 % of the local velocity; turbulence_rms is the rms velocity of each component"
	switch {
	case s.Has("turbulence_intensity") && s.Has("turbulence_rms"):
		r.Add(s.KeyAt("turbulence_rms"), one, "%s has both turbulence_intensity and turbulence_rms", s.Head())
		return
	case !s.Has("turbulence_intensity") && !s.Has("turbulence_rms"):
		r.missing(s, one, "%s has turbulence, but neither turbulence_intensity nor turbulence_rms", s.Head())
		return
	}
	if !r.need(s, "turbulence_length", "the integral length along the flow, about the size of the largest eddies") || s.Get("turbulence_length") == nil || intensity == nil && rms == nil {
		return
	}
	if b.Timed {
		r.Add(s.Get("velocity").At, "turbulence is convected by a constant velocity; ramp and table scale both together", "the velocity of %s depends on t, which turbulence does not allow", s.Head())
		return
	}
	if len(b.Faces) != 1 {
		r.Add(s.Get("turbulence_length").KeyAt, "make a boundary for each face", "turbulence is for one face, and %s has %d", s.Head(), len(b.Faces))
		return
	}
	f := &Inflow{}
	if rms != nil {
		of := r.function(rms.Values[0], model.Velocity)
		f.Most = func(float64) float64 { return 1. / rmsOfLargest }
		f.RMS = func(p [3]float64, _ float64) float64 { return of(p[0], p[1], p[2], 0) }
		f.Code = r.code(rms.Values[0], model.Velocity)
	} else {
		of := r.function(intensity.Values[0], model.Dimensionless)
		f.Most = func(speed float64) float64 { return speed }
		f.RMS = func(p [3]float64, speed float64) float64 { return of(p[0], p[1], p[2], 0) * speed }
		f.Code = r.code(intensity.Values[0], model.Dimensionless) + "*speed"
	}
	if r.waves(s, b, f) {
		b.Inflow = f
	}
}

// waves reads the spectrum of the turbulence.
func (r *faces) waves(s *language.Section, b *Boundary, f *Inflow) bool {
	const modes, seed = 200, 1
	number := func(key string, value int) int {
		if !s.Has(key) {
			r.SetDefault(s, key, fmt.Sprint(value))
		}
		if e := s.Get(key); e != nil {
			value = e.Ints[0]
		}
		return value
	}
	f.Spectrum = boundary.Spectrum{Modes: number("turbulence_modes", modes), Seed: uint64(number("turbulence_seed", seed)), Dims: r.dims}
	if !r.haveBox {
		return false
	}
	e := s.Get("turbulence_length")
	f.Spectrum.Length = r.cellsOf(e)
	const least = 2 // and a little more than boundary.LeastLength
	if f.Spectrum.Length < least {
		r.Add(e.At, fmt.Sprintf("waves shorter than %d cells are not resolved, so the length must be at least %d cells; refine the grid or increase the length", boundary.ShortestWave, least),
			"the turbulence_length of %s is %s cells", s.Head(), language.Short(f.Spectrum.Length))
		return false
	}
	u, v := geometry.Along(b.Faces[0].Axis)
	for _, a := range []int{u, v} {
		if a < r.dims && r.Periodic[a] {
			f.Spectrum.Period[a] = float64(r.Cells[a])
			if f.Spectrum.Length*fewestLengths > f.Spectrum.Period[a] {
				r.warn(finding.TurbulencePeriodic, "%s: along %s, which is periodic, the domain is %s times its turbulence_length: waves have to fit into it, so the largest eddies differ from a wide domain's; a factor of %d is enough", s.Head(), axes()[a], language.Short(f.Spectrum.Period[a]/f.Spectrum.Length), fewestLengths)
			}
		}
	}
	return true
}

// sealed reports whether no fluid passes a face, apart from openings in a part of one that belongs to a wall.
func (r *openings) sealed(f Face) bool {
	passed := false
	for _, b := range r.Boundaries {
		switch {
		case !slices.Contains(b.Faces, f):
		case b.Region == nil:
			return !b.Kind.Law.Passed()
		default:
			passed = passed || b.Kind.Law.Passed()
		}
	}
	return !passed
}

// planes returns the sealed faces beside an inlet's face. An inlet on a part of a face may be far from them.
func (r *openings) planes(b Boundary) (planes [3][]float64) {
	if b.Region != nil {
		return planes
	}
	u, v := geometry.Along(b.Faces[0].Axis)
	for _, a := range []int{u, v} {
		for side := range 2 {
			if a < r.dims && !r.Periodic[a] && r.sealed(Face{a, side}) {
				planes[a] = append(planes[a], float64(side*r.Cells[a]))
			}
		}
		if times := float64(r.Cells[a]) / b.Inflow.Spectrum.Length; len(planes[a]) == 2 && times < fewestLengths {
			r.warn(finding.TurbulenceWalled, "[boundary.%s]: along %s the domain is %s times its turbulence_length, between impermeable faces: waves have to fit in between, so the largest eddies and the rms are smaller than in a wide domain; a factor of %d is enough", b.Name, axes()[a], language.Short(times), fewestLengths)
		}
	}
	return planes
}

// inflows checks the strength of turbulence everywhere on its face, and the direction of the flow.
func (r *openings) inflows() {
	if !r.haveTime || !r.haveBox {
		return
	}
	for i, b := range r.Boundaries {
		s := r.Named("boundary", b.Name)
		velocity := s.Get("velocity")
		if b.Inflow == nil || velocity == nil || s.Broken() {
			continue
		}
		b.Inflow.Spectrum.Planes = r.planes(b)
		key, dim, most := "turbulence_intensity", model.Dimensionless, 1.
		reason := "it is a fraction of the velocity, from 0 to 1: 0.1 is 10 %"
		if s.Has("turbulence_rms") {
			key, dim, most = "turbulence_rms", model.Velocity, 1./rmsOfLargest
			reason = "it is a velocity of at least 0 and far below the speed of sound"
		}
		e, f := s.Get(key), b.Faces[0]
		good := func(v float64) bool { return v >= 0 && v <= most }
		if a := e.Values[0]; a.Expr == nil {
			if v := r.lattice(a, dim); !good(v) {
				r.Add(a.At, reason, "%s is out of range: %s", key, r.si(a.Value, dim))
			}
		} else if found, whole := r.looks.everywhere(a, dim, r.onFace(i, f), identity, good); found.Found {
			x := r.vars()(found.At[0], found.At[1], found.At[2], 0)
			r.Add(a.At, reason+"; min(..., ...) and max(0, ...) keep an expression there", "%s is %s (lattice units) at x = %s, y = %s, z = %s", key, language.Short(found.Bad), language.Short(x[language.VarX]), language.Short(x[language.VarY]), language.Short(x[language.VarZ]))
		} else if !whole {
			r.looks.unlooked(e)
		}
		through, area, back := 0.0, 0.0, 0.0 // back: of cells where waves can turn the flow
		r.placesOn(i, f, 64, false, func(p [3]float64, weight float64) bool {
			u := b.at(p, b.Ramp)
			in := u[f.Axis] * float64(1-2*f.Side)
			through, area = through+weight*in, area+weight
			if rms := b.Inflow.RMS(p, sizeOf(u)); rms > 0 && rmsOfLargest*rms > in {
				back += weight
			}
			return true
		})
		if through <= 0 && b.Outline == nil {
			r.Add(velocity.At, "turbulence enters with the mean flow, which must point into the domain", "[boundary.%s] has turbulence, but no inflow", b.Name)
		} else if share := back / area; share > mostTurned {
			r.warn(finding.TurbulenceStrong, "[boundary.%s]: on %.0f %% of its face %d times the rms exceed the mean velocity through it: fluid leaves there at times, and the convected waves no longer represent turbulence; lower %s", b.Name, 100*share, rmsOfLargest, key)
		}
	}
}

// inflowRows report the turbulence of faces.
func (r *summary) inflowRows(row func(name, lattice, si string)) {
	for _, b := range r.Boundaries {
		if b.Inflow == nil {
			continue
		}
		s := b.Inflow.Spectrum
		u := r.Units.Length
		longest, share := roughly(s.Longest()), s.Carried()
		row("turbulence of "+b.Name,
			fmt.Sprintf("%d waves of %d to %s cells, integral length %s", s.Waves(), boundary.ShortestWave, language.Short(longest), language.Short(s.Length)),
			fmt.Sprintf("%s to %s m, integral length %s m", language.Short(boundary.ShortestWave*u), language.Short(longest*u), language.Short(s.Length*u)))
		if share < leastCarried {
			r.warn(finding.TurbulenceShort, "[boundary.%s]: %.2g %% of the energy of von Karman's spectrum with this turbulence_length lies in waves shorter than %d cells, which are omitted: the others are amplified and the spectrum is narrower; refine the grid to resolve more", b.Name, 100*(1-share), boundary.ShortestWave)
		}
	}
}

// mostTurned is the share of a face on which turbulence may turn the flow: beside walls it does.
const mostTurned = 0.1

// leastCarried is the share of the spectrum that cells should carry.
const leastCarried = 0.6
