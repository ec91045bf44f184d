// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
)

// Limits of the space around a body: heights from a velocity inlet, of a body that is as wide as its stream and of one
// that is not, and the blockage of the stream. At the first and the last of these limits together a
// cylinder at Re 100 has 3 % too much drag (docs/forces.md). Between open sides the stream gives way: 10 heights from the inlet
// and 14 wide that cylinder has 1 % too much, 20 from it and 20 wide 1 % too little. Below slowStream, a Reynolds number by
// the height, walls and inlets act from farther.
const (
	nearInlet        = 9
	nearInletCompact = 3
	narrowStream     = 0.05
	narrowOpenStream = 1. / 14
	leastOpenWidth   = 1.3 // in distances from the inlet
	slowStream       = 50
	bed              = 30  // so many bodies: more are a bed
	channelShare     = 0.5 // of the stream: bodies that block more are its walls
)

// rectangle is the part of the stream's cross-section that a body covers.
type rectangle struct{ lo, hi [2]float64 }

// standing is a body in a stream, by the box around it.
type standing struct {
	name   string
	covers rectangle
	along  [2]float64 // from and to, from the inlet on
	height float64    // across the stream; if it ends in two directions, the root of their product
	wide   bool       // as its stream
	open   bool       // the stream's sides, where the body ends
	stream float64    // width of the stream across which a wide body ends
}

// Room reports of each body in a flow from a velocity inlet its distance from the inlet in heights, and the blockage,
// by the body and others beside it. A body that begins at the inlet, extends through the whole flow, leaves the
// middle of its own box free from end to end, or blocks half of the flow together with others beside it is part of the channel:
// a duct is the geometry, not a body in a flow. An inlet on a part of its face has no flow as wide as the domain.
func (c *Case) Room(sizes ...SolidSize) (rows []Row) {
	var all []standing
	for _, b := range c.Bodies {
		if s, ok := c.stand(b, sizes); ok {
			all = append(all, s)
		}
	}
	if len(all) > bed {
		return nil
	}
	total, stream := 1.0, c.inletAxis() // of the stream
	for a, n := range c.Cells {
		if a != stream {
			total *= float64(n)
		}
	}
	alike := 0
	for _, s := range all {
		var beside []rectangle
		for _, o := range all {
			if o.along[0] < s.along[1] && s.along[0] < o.along[1] {
				beside = append(beside, o.covers)
			}
		}
		blocked := union(beside) / total
		if blocked >= channelShare {
			continue
		}
		r := Row{Name: "[body." + s.name + "]", SI: c.enough(s, blocked)}
		r.Lattice = fmt.Sprintf("%s heights from the inlet, blockage %s %%", language.Short(round2(s.along[0]/s.height)), language.Short(round2(100*blocked)))
		if s.open {
			r.Lattice += ", open sides"
		}
		if n := len(rows); n > 0 && rows[n-1].Lattice == r.Lattice && rows[n-1].SI == r.SI {
			alike++
			continue
		}
		rows = alsoFor(rows, alike)
		rows, alike = append(rows, r), 0
	}
	return alsoFor(rows, alike)
}

// alsoFor marks the last row as valid for more bodies.
func alsoFor(rows []Row, more int) []Row {
	if more > 0 {
		rows[len(rows)-1].Name += fmt.Sprintf(" and %d more", more)
	}
	return rows
}

func (c *Case) enough(s standing, blocked float64) string {
	near, most, narrowly := nearInletCompact, narrowStream, "drag will be overestimated"
	far := s.open && s.wide && s.stream < leastOpenWidth*s.along[0]
	if s.wide {
		near = nearInlet
	}
	if s.open {
		most, narrowly = narrowOpenStream, "drag will be inaccurate"
	}
	close, narrow := s.along[0] < float64(near)*s.height, blocked > most
	nu := (c.Tau - 0.5) / 3
	switch re := c.Mean * s.height / nu; {
	case c.Mean > 0 && re < slowStream:
		return fmt.Sprintf("Re %s based on the height of the body: at this low Re the body's influence extends far; try doubling the domain", language.Short(round2(re)))
	case far:
		return "open sides too close for an inlet this far away: drag will be underestimated"
	case close && narrow:
		return "inlet too close, blockage too high: " + narrowly
	case close:
		return "inlet too close: drag will be overestimated"
	case narrow:
		return "blockage too high: " + narrowly
	}
	return "enough"
}

// stand returns a body's place in the stream; false for a shape that is not a body in a stream.
func (c *Case) stand(b Body, sizes []SolidSize) (s standing, ok bool) {
	stream := c.inletAxis()
	if stream < 0 {
		return s, false
	}
	side := c.inletSide(stream)
	lo, hi := b.bounds(sizes)
	if b.hollow(stream, sizes) {
		return s, false
	}
	s.name, s.height, s.open = b.Name, 1, true
	ends, part, k := 0, 1.0, 0
	for a, n := range c.Cells {
		from, to := math.Max(lo[a], 0), math.Min(hi[a], float64(n))
		if a >= c.Dims() {
			from, to = 0, float64(n)
		}
		if !(from < to) {
			return s, false
		}
		if a == stream {
			s.along = [2]float64{from, to}
			if side == 1 {
				s.along = [2]float64{float64(n) - to, float64(n) - from}
			}
			continue
		}
		s.covers.lo[k], s.covers.hi[k] = from, to
		k++
		part *= (to - from) / float64(n)
		if from > 0 || to < float64(n) {
			s.height *= to - from
			ends++
			s.open, s.stream = s.open && c.open(a, 0) && c.open(a, 1), float64(n)
		}
	}
	s.wide = ends == 1
	if ends == 2 {
		s.height = math.Sqrt(s.height)
	}
	return s, ends > 0 && s.along[0] > 0 && part < channelShare
}

// inletAxis returns the axis of the stream, with a velocity inlet at one of its ends; -1: there is not one. Where
// faces along the stream are passed, too, the inlet is a whole face and the opposite face lets the stream out.
func (c *Case) inletAxis() int {
	if axis := c.stream(); axis >= 0 {
		if side := c.inletSide(axis); side < 0 || c.inPart(Face{axis, side}) {
			return -1
		}
		return axis
	}
	axis := -1
	for a := range c.Dims() {
		side := c.inletSide(a)
		if side < 0 {
			continue
		}
		if axis >= 0 || !c.whole(Face{a, side}, boundary.VelocityFace) || !c.open(a, 1-side) {
			return -1
		}
		axis = a
	}
	return axis
}

// inPart reports whether the inlets of a face are parts of it.
func (c *Case) inPart(face Face) bool {
	for _, b := range c.Boundaries {
		if b.Kind.Law == boundary.VelocityFace && b.Region == nil && slices.Contains(b.Faces, face) {
			return false
		}
	}
	return true
}

// open reports whether a whole face has a given pressure.
func (c *Case) open(axis, side int) bool {
	return c.whole(Face{axis, side}, boundary.PressureFace, boundary.Outflow)
}

// whole reports whether all of a face has one of these laws.
func (c *Case) whole(face Face, laws ...boundary.Law) bool {
	found := false
	for _, b := range c.Boundaries {
		if !slices.Contains(b.Faces, face) {
			continue
		}
		if b.Region != nil || !slices.Contains(laws, b.Kind.Law) {
			return false
		}
		found = true
	}
	return found
}

// inletSide returns the side of the only end of an axis with a velocity inlet; -1: there is no such end.
func (c *Case) inletSide(axis int) int {
	side := -1
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			into := b.Velocity[f.Axis] * float64(1-2*f.Side)
			outwards := b.Profile == nil && into <= 0
			if f.Axis != axis || b.Kind.Law != boundary.VelocityFace || outwards {
				continue
			}
			if side >= 0 && side != f.Side {
				return -1
			}
			side = f.Side
		}
	}
	return side
}

// union returns the area that rectangles cover together.
func union(list []rectangle) (area float64) {
	var x, y []float64
	for _, r := range list {
		x, y = append(x, r.lo[0], r.hi[0]), append(y, r.lo[1], r.hi[1])
	}
	slices.Sort(x)
	slices.Sort(y)
	for i := range max(0, len(x)-1) {
		for j := range len(y) - 1 {
			if slices.ContainsFunc(list, func(r rectangle) bool {
				return r.lo[0] <= x[i] && x[i+1] <= r.hi[0] && r.lo[1] <= y[j] && y[j+1] <= r.hi[1]
			}) {
				area += (x[i+1] - x[i]) * (y[j+1] - y[j])
			}
		}
	}
	return area
}
