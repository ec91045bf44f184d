// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/internal/finding"
	"lbmsim/model"
)

// Results of a run that are unreliable although it can be computed. They depend on the sizes of bodies, and are judged again when those
// from files are known.

// Doubts returns warnings of results that cannot be relied on. Bodies from files count by their sizes.
func (c *Case) Doubts(sizes ...SolidSize) (list finding.List) {
	list = append(list, c.unresolvedWalls(sizes)...)
	list = append(list, c.references(sizes)...)
	list = append(list, c.planeWakes(sizes)...)
	return append(list, c.cutWakes(sizes)...)
}

// unresolvedWalls warns of each force on a wall whose layer the grid does not resolve.
func (c *Case) unresolvedWalls(sizes []SolidSize) (list finding.List) {
	layers := c.layers(sizes)
	for _, f := range c.Forces {
		worst := -1
		for i, l := range layers {
			if slices.Contains(f.Types, l.of) && l.there() && !l.resolved() && (worst < 0 || l.first > layers[worst].first) {
				worst = i
			}
		}
		if worst < 0 {
			continue
		}
		l := layers[worst]
		needs := fmt.Sprintf("at least %d cells in the layer", leastCells)
		switch {
		case l.modelled:
			needs = fmt.Sprintf("a turbulent layer of at least %d cells", leastModelled)
		case l.turbulent:
			needs += fmt.Sprintf(" and y+ up to %d", leastPlus)
		}
		force := "and so is the force"
		if l.turbulent {
			off := "0.36 too large with 120 cells and type wall"
			if l.modelled {
				off = "0.01 to 0.05 too large with 120 to 240 cells"
			}
			force += " (the drag coefficient of Ahmed bodies was " + off + ")"
		}
		list = append(list, finding.UnresolvedWalls.Says("[output.force.%s]: %s at %s does not resolve its boundary layer: friction and separation from smooth walls are unreliable, %s; it needs %s (docs/turbulence.md)",
			f.Name, l.cells(), l.name, force, needs))
	}
	return list
}

// Ratios from which on a reference value of coefficients probably has the wrong unit: to the largest speed of the
// case, and to the sides and faces of the box around the bodies.
const (
	farVelocity = 30
	farSize     = 10
)

// references warns of coefficients whose reference values are far from anything in the case.
func (c *Case) references(sizes []SolidSize) (list finding.List) {
	for _, f := range c.Forces {
		if f.Coefficient == 0 {
			continue
		}
		if r := f.Velocity / c.Mean; c.Mean > 0 && (r > farVelocity || r < 1./farVelocity) {
			list = append(list, finding.ReferenceValues.Says("[output.force.%s]: the reference velocity is %s times the largest velocity of the case, %s, which scales coefficients by %s; is its unit right?",
				f.Name, language.Short(roughly(r)), c.inUnits(c.Mean, model.Velocity), language.Short(roughly(1/(r*r)))))
		}
		least, most := c.facesOf(f, sizes)
		dim, key := model.Area, "area"
		if c.Dims() == 2 {
			dim, key = model.Length, "length"
		}
		if most > 0 && (f.Size < least/farSize || f.Size > most*farSize) {
			list = append(list, finding.ReferenceValues.Says("[output.force.%s]: the reference %s is %s, but the bounding box of the body gives %s to %s: is its unit right?",
				f.Name, key, c.inUnits(f.Size, dim), c.inUnits(least, dim), c.inUnits(most, dim)))
		}
	}
	return list
}

// inUnits formats a value, given in lattice units, in the units of the case.
func (c *Case) inUnits(v float64, d model.Dimension) string {
	text := language.Short(roughly(v * c.Units.Factor(d)))
	if c.Units.Physical {
		text += " " + language.Symbol(d)
	}
	return text
}

// facesOf returns the smallest and the largest face, in 2D side, of the boxes around the bodies of a force; 0 where they are
// not known or faces of the domain are among them.
func (c *Case) facesOf(f ForceOutput, sizes []SolidSize) (least, most float64) {
	least = math.Inf(1)
	for _, t := range f.Types {
		i := int(t) - 1 - len(c.Boundaries)
		if i < 0 {
			return 0, 0
		}
		lo, hi := c.Bodies[i].bounds(sizes)
		if !(lo[0] < hi[0]) {
			return 0, 0
		}
		for a := range c.Dims() {
			face := hi[a] - lo[a]
			if c.Dims() == 3 {
				b := (a + 1) % 3
				face *= hi[b] - lo[b]
			}
			least, most = math.Min(least, face), math.Max(most, face)
		}
	}
	return least, most
}

// The least distance, in heights of a body, to an outlet or its sponge behind it, for a body that is as wide as its
// stream and one that is not. With 3.5 a cylinder at Re 100 has 1 % too low a Strouhal number (docs/forces.md); the
// recirculation behind a compact body is shorter than two heights.
const (
	nearOutlet        = 4
	nearOutletCompact = 2
)

// cutWakes warns of an outlet or a sponge close behind a body.
func (c *Case) cutWakes(sizes []SolidSize) (list finding.List) {
	stream := c.inletAxis()
	if stream < 0 || len(c.Bodies) > bed {
		return nil
	}
	side := 1 - c.inletSide(stream)
	open, depth := c.outletAt(Face{stream, side})
	if open == "" {
		return nil
	}
	for _, b := range c.Bodies {
		s, ok := c.stand(b, sizes)
		if !ok || c.Mean*s.height/((c.Tau-0.5)/3) < leastWake {
			continue
		}
		room, least := float64(c.Cells[stream])-s.along[1]-float64(depth), nearOutletCompact
		if s.wide {
			least = nearOutlet
		}
		if room >= float64(least)*s.height {
			continue
		}
		what := open
		if depth > 0 {
			what = "the sponge of " + open
		}
		list = append(list, finding.CutWake.Says("[body.%s]: %s is %s behind it and cuts its wake: vortex shedding may stop or change its frequency, and forces with it; give it %d or more (docs/forces.md)",
			s.name, what, heights(round2(math.Max(room, 0.01)/s.height)), least))
	}
	return list
}

// heights returns a distance in heights of a body, in words.
func heights(n float64) string {
	if n == 1 {
		return "1 height"
	}
	return language.Short(n) + " heights"
}

// leastWake is the Reynolds number by the height from which on a wake reaches far: cylinders shed vortices from 47 on, spheres
// from 210 on.
const leastWake = 20

// outletAt returns the boundary through which the flow leaves at a face, and the depth of its sponge in cells; "" if there is no
// outlet.
func (c *Case) outletAt(f Face) (name string, depth int) {
	for _, b := range c.Boundaries {
		if slices.Contains(b.Faces, f) && (b.Kind.Law == boundary.Outflow || b.Kind.Law == boundary.PressureFace) {
			name, depth = "[boundary."+b.Name+"]", max(depth, len(b.Sponge))
		}
	}
	return name, depth
}
