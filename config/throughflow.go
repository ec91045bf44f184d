// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
)

// Domains and faces of given velocity that are possible but implausible.

// leastBetween is the least number of cells between two faces in which a profile is possible.
const leastBetween = 3

// thinDomain warns of an axis between two faces that has hardly a cell. Between faces that slip, or on a periodic axis, one
// cell is a flow that does not depend on the axis.
func (r *openings) thinDomain() {
	if !r.haveBox {
		return
	}
	for a := range r.dims {
		n := r.Cells[a]
		if r.Periodic[a] || n >= leastBetween {
			continue
		}
		for _, b := range r.Boundaries {
			if b.Kind.Law == boundary.Slip || !onAxis(b, a) {
				continue
			}
			cells := "one cell"
			if n > 1 {
				cells = fmt.Sprintf("%d cells", n)
			}
			r.warn(finding.ThinDomain, "[domain]: the domain is %s thick along %s, between faces such as [boundary.%s]: it cannot resolve a velocity profile, and flow rates and friction will be wrong; use %d cells or more, or, for a flow independent of %s, a periodic axis", cells, axes()[a], b.Name, 10, axes()[a])
			break
		}
	}
}

// onAxis reports whether a boundary has a face across an axis.
func onAxis(b Boundary, axis int) bool {
	for _, f := range b.Faces {
		if f.Axis == axis {
			return true
		}
	}
	return false
}

// throughput is the flux of a boundary of given velocity into the domain, and the same with all directions counted as inwards;
// speed is the integral of |u|. All are means over the run.
type throughput struct{ in, through, speed float64 }

// throughputOf integrates over the faces of a boundary.
func (r *openings) throughputOf(i int) (t throughput) {
	b := r.Boundaries[i]
	times := []float64{math.Inf(1)}
	if b.Timed {
		times = r.times(64)
	}
	for _, f := range b.Faces {
		r.placesOn(i, f, 1<<6, false, func(p [3]float64, weight float64) bool {
			for _, at := range times {
				u := b.at(p, at)
				normal := u[f.Axis] * float64(1-2*f.Side) * weight / float64(len(times))
				t.in, t.through, t.speed = t.in+normal, t.through+math.Abs(normal), t.speed+sizeOf(u)*weight/float64(len(times))
			}
			return true
		})
	}
	return t
}

// directions warns of faces of given velocity without a flux, and of a flow that they only suck out: it comes
// in through faces that are meant to let it out, mostly because a velocity has the wrong sign. An open face with the
// temperature or the direction of what enters is meant to let it in, as before a fan that sucks. Where no other face
// lets fluid in, balance refuses the case.
func (r *openings) directions() {
	if !r.haveTime || !r.haveBox || r.Count > 0 {
		return
	}
	out, supply := -1, -1
	for i, b := range r.Boundaries {
		if len(b.Faces) == 0 {
			continue
		}
		switch b.Kind.Law {
		case boundary.Outflow, boundary.PressureFace:
			if b.Direction != nil || b.Temperature.Law == boundary.ScalarFixed { // the inflow there is described
				return
			}
			if supply < 0 {
				supply = i
			}
			continue
		case boundary.VelocityFace:
		default:
			continue
		}
		if b.Table != nil || b.Outline != nil { // only their files have the signs
			return
		}
		switch t := r.throughputOf(i); {
		case t.speed == 0:
		case t.through <= 1e-9*t.speed:
			r.warn(finding.NoThroughflow, "[boundary.%s]: the velocity points along face %s, so no fluid passes there; its component along %s is 0", b.Name, b.Faces[0], axes()[b.Faces[0].Axis])
		case t.in > 0:
			return
		case out < 0:
			out = i
		}
	}
	if out < 0 || supply < 0 {
		return
	}
	b, o := r.Boundaries[out], r.Boundaries[supply]
	f := b.Faces[0]
	r.warn(finding.ReversedInlet, "[boundary.%s]: the velocity points out of the domain at face %s, so the flow is reversed: fluid leaves there and enters through [boundary.%s] of type %s; an inlet there has a %s component along %s",
		b.Name, f, o.Name, language.Quote(o.Kind.Name), map[int]string{0: "positive", 1: "negative"}[f.Side], axes()[f.Axis])
}
