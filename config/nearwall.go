// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// The resolution of the cells beside walls, by formulas for plates and channels. They are for the choice of a grid: a run
// shows the actual flow.

// Limits of Reynolds numbers: below the first there is no boundary layer, from the others on it is turbulent, on a
// plate (with its length) and in a channel (with its height).
const (
	leastLayer       = 100
	turbulentPlate   = 5e5
	turbulentChannel = 3000
)

// layer is the flow beside a wall, in the cells at the wall.
type layer struct {
	reynolds  float64
	by        string // the length in the Reynolds number
	turbulent bool
	modelled  bool    // the wall has a model
	first     float64 // y+ of the centre of the first cell
	thickness float64
	level     int // of its cells, in a refined grid
}

// plateLayer returns the boundary layer of a plate, at its end, with its mean friction: Blasius; Prandtl's law of the power
// 1/5 (Schlichting & Gersten, Boundary-Layer Theory, 9th ed., Springer 2017, ch. 6 and 18).
func plateLayer(speed, length, viscosity float64) layer {
	re := speed * length / viscosity
	l := layer{reynolds: re, turbulent: re >= turbulentPlate}
	friction := 1.328 / math.Sqrt(re)
	l.thickness = 4.91 * length / math.Sqrt(re)
	if l.turbulent {
		friction, l.thickness = 0.074/math.Pow(re, 0.2), 0.37*length/math.Pow(re, 0.2)
	}
	l.first = 0.5 * speed * math.Sqrt(friction/2) / viscosity
	return l
}

// channelLayer returns the layer between two walls with this mean speed between them: the parabola; Dean, J. Fluids Eng. 100
// (1978) 215.
func channelLayer(speed, height, viscosity float64) layer {
	re := speed * height / viscosity
	l := layer{reynolds: re, by: "the channel height", turbulent: re >= turbulentChannel, thickness: height / 2}
	friction := 12 / re
	if l.turbulent {
		friction = 0.073 / math.Pow(re, 0.25)
	}
	l.first = 0.5 * speed * math.Sqrt(friction/2) / viscosity
	return l
}

// Cells in a layer, and y+ of the first one where it is turbulent, from which on a grid resolves it well, and at all.
const (
	wellCells, leastCells = 8, 4
	wellPlus, leastPlus   = 2, 5
)

// verdict states whether the grid resolves it.
func (l layer) verdict() string {
	switch {
	case l.modelled && l.turbulent && l.resolved():
		return "wall-modelled"
	case l.modelled && l.turbulent:
		return fmt.Sprintf("wall-modelled, in a layer of fewer than %d cells: friction is unreliable", leastModelled)
	case l.modelled && !l.resolved():
		return "laminar by its correlation, and a wall model is turbulent from the front on: friction is unreliable"
	case l.thickness >= wellCells && (!l.turbulent || l.first <= wellPlus):
		return "wall-resolved"
	case l.resolved():
		return "marginally wall-resolved: friction may be off by a third"
	}
	return "not wall-resolved: friction and separation from smooth walls are unreliable"
}

// leastModelled is the number of cells in a turbulent layer from which on a wall model finds a logarithmic profile to read.
const leastModelled = 6

// resolved reports whether friction follows from the cells, or from a wall model, at all.
func (l layer) resolved() bool {
	if l.modelled && l.turbulent {
		return l.thickness >= leastModelled
	}
	return l.thickness >= leastCells && (!l.turbulent || l.first <= leastPlus)
}

// cells formats the grid's resolution of the layer.
func (l layer) cells() string {
	text := fmt.Sprintf("y+ %s, layer of %s cells", language.Short(round2(l.first)), language.Short(round2(l.thickness)))
	if l.level > 0 {
		text += fmt.Sprintf(" of level %d", l.level)
	}
	return text
}

// inCellsOf returns a layer of cells of level 0 in cells of another level.
func (l layer) inCellsOf(level int) layer {
	l.level, l.first, l.thickness = level, l.first/cellsAt(level, 1), cellsAt(level, l.thickness)
	return l
}

func (l layer) row(name string) Row {
	kind := "laminar"
	if l.turbulent {
		kind = "turbulent"
	}
	return Row{Name: name, Lattice: l.cells(), SI: fmt.Sprintf("Re %s based on %s, %s: %s", reynoldsText(l.reynolds), l.by, kind, l.verdict())}
}

// reynoldsText formats a Reynolds number: from 1e6 on with two digits, below as a whole number.
func reynoldsText(re float64) string {
	if re >= 1e6 {
		return language.Short(round2(re))
	}
	return language.Grouped(int(math.Round(re)))
}

// round2 keeps two digits: it is an estimate.
func round2(v float64) float64 {
	scale := math.Pow(10, 1-math.Floor(math.Log10(v)))
	return math.Round(v*scale) / scale
}

// drivenSpeed returns the mean speed that a force keeps, or leads to, in a channel of that height; 0: no force drives it, or the
// force changes with time.
func (c *Case) drivenSpeed(height, viscosity float64) float64 {
	if d := c.Force.Drive; d != nil {
		return sizeOf(d.Velocity)
	}
	if c.Force.At != nil || c.Force.Density == [3]float64{} {
		return 0
	}
	stress := sizeOf(c.Force.Density) * height / 2
	if u := stress * height / (6 * viscosity); u*height/viscosity < turbulentChannel {
		return u // the parabola
	}
	// Dean: 2 stress = 0.073 u^2 (u height/viscosity)^-1/4.
	return math.Pow(2*stress/0.073*math.Pow(height/viscosity, 0.25), 1/1.75)
}

// along returns the layer with the length that its Reynolds number is by.
func (l layer) along(by string) layer {
	l.by = by
	return l
}

// channel returns the layer between two walls.
func (c *Case) channel(height, viscosity float64) layer {
	mean := c.drivenSpeed(height, viscosity)
	if mean == 0 {
		mean = c.Mean
	}
	return channelLayer(mean, height, viscosity)
}

// stream returns the axis of the main flow: across faces that it passes, otherwise the axis of the force; -1: there is no single
// one.
func (c *Case) stream() int {
	axis := -1
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			if !b.Kind.Law.Passed() {
				continue
			}
			if axis >= 0 && axis != f.Axis {
				return -1
			}
			axis = f.Axis
		}
	}
	if axis >= 0 {
		return axis
	}
	of, most := c.Force.Density, 0.0
	if d := c.Force.Drive; d != nil {
		of = d.Velocity
	}
	for a, v := range of {
		if math.Abs(v) > most {
			axis, most = a, math.Abs(v)
		}
	}
	return axis
}

// atWall returns the layer that a formula for one viscosity gives with the viscosity at the wall, which a law of the fluid
// makes from the shear rate there.
func (c *Case) atWall(of func(viscosity float64) layer) layer {
	nu := (c.Tau - 0.5) / 3
	l := of(nu)
	if !c.Spec.Viscosity.OfFluid() {
		return l
	}
	const steps = 60 // each halves the distance, in logarithms, at least
	for range steps {
		friction := 2 * nu * l.first // u_tau
		if !(friction > 0) {
			return l
		}
		nu = math.Sqrt(nu * model.CS2 * (c.Params().Tau(c.Spec.Viscosity, friction*friction/nu) - 0.5))
		l = of(nu)
	}
	l.by += " with the viscosity at the wall"
	return l
}

// beside is the layer of a wall at rest or a body.
type beside struct {
	name string
	of   uint8  // type of its cells, as in ForceOutput
	face string // of a boundary; empty for bodies
	layer
}

// layers estimates the layer beside each wall at rest and each body. The speed is the largest mean one that the case gives;
// between walls the mean one that a force keeps. A body counts as a plate; two walls that face each other as a channel, another
// one as a plate as long as the domain. Bodies from files count by their sizes.
func (c *Case) layers(sizes []SolidSize) (list []beside) {
	speed, cells := c.Mean, finest{c.onOneRank(c.Dims())}
	var between [3][2]bool
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			between[f.Axis][f.Side] = between[f.Axis][f.Side] || b.Region == nil && sticks(b)
		}
	}
	for i, b := range c.Boundaries {
		if !sticks(b) || b.Velocity != [3]float64{} {
			continue
		}
		for _, f := range b.Faces {
			length := 0
			for a, n := range c.Cells {
				if a != f.Axis {
					length = max(length, n)
				}
			}
			l := c.atWall(func(nu float64) layer {
				if between[f.Axis][0] && between[f.Axis][1] {
					return c.channel(float64(c.Cells[f.Axis]), nu)
				}
				return plateLayer(speed, float64(length), nu).along("the length of the domain")
			})
			l.modelled = b.Kind.Law == boundary.ModelledWall
			level, others := cells.face(f)
			if l = l.inCellsOf(level); others {
				l.by += ", at its coarsest cells"
			}
			list = append(list, beside{c.WallName(uint8(i + 1)), uint8(i + 1), f.String(), l})
		}
	}
	for i, b := range c.Bodies {
		if b.Model.Frictionless {
			continue
		}
		lo, hi := b.bounds(sizes)
		if length, by := c.plateOf(lo, hi); length > 0 {
			l := c.atWall(func(nu float64) layer { return plateLayer(speed, length, nu).along(by) })
			l.modelled = b.Kind.Law == boundary.ModelledWall
			k := uint8(len(c.Boundaries) + i + 1)
			list = append(list, beside{c.WallName(k), k, "", l.inCellsOf(cells.box(lo, hi))})
		}
	}
	return list
}

// sticks reports whether a boundary is a wall on which a layer grows.
func sticks(b Boundary) bool {
	return b.Kind.Law == boundary.Bounce || b.Kind.Law == boundary.ModelledWall && !b.Model.Frictionless
}

// WallName returns the table of the wall that cells of a type above 0 belong to: [boundary.NAME] or [body.NAME].
func (s *Solids) WallName(k uint8) string {
	if i := int(k) - 1; i < len(s.Boundaries) {
		return "[boundary." + s.Boundaries[i].Name + "]"
	}
	return "[body." + s.Bodies[int(k)-1-len(s.Boundaries)].Name + "]"
}

// there reports whether a boundary layer exists.
func (b beside) there() bool { return math.Round(b.reynolds) >= leastLayer }

// NearWalls returns the rows of all layers: y+ of the first cell's centre and the thickness. Walls without a boundary layer
// are left out, faces of a boundary that are alike share a row.
func (c *Case) NearWalls(sizes ...SolidSize) (rows []Row) {
	list := c.layers(sizes)
	for i, b := range list {
		if !b.there() {
			continue
		}
		name := b.name
		if b.face != "" {
			name += " " + b.face
		}
		r := b.row(name)
		if n := len(rows); n > 0 && b.face != "" && i > 0 && list[i-1].of == b.of && rows[n-1].Lattice == r.Lattice && rows[n-1].SI == r.SI {
			rows[n-1].Name += ", " + b.face
			continue
		}
		rows = append(rows, r)
	}
	driven := c.Force.At != nil || slices.ContainsFunc(c.Boundaries, func(b Boundary) bool { return b.Kind.Law == boundary.PressureFace })
	if len(list) > 0 && len(rows) == 0 && c.Mean == 0 && driven {
		rows = append(rows, Row{Name: "not estimated", SI: "the speed is a result of the run; give [fluid] velocity for an estimate"})
	}
	return rows
}

// plateOf returns the length of the plate that a body counts as, from the box around it, and which length that is: the side
// along the flow; where that is not known, the longest that does not go through the whole domain. A body that is thin along
// the flow, such as a disc across it, counts by half of its shortest side across: the flow leaves its front that way.
func (c *Case) plateOf(lo, hi [3]float64) (length float64, by string) {
	stream, across := c.stream(), math.Inf(1)
	for a, n := range c.Cells[:c.Dims()] {
		from, to := math.Max(lo[a], 0), math.Min(hi[a], float64(n))
		through := from <= 0 && to >= float64(n)
		switch {
		case a == stream || stream < 0 && !through:
			length = math.Max(length, to-from)
		case !through:
			across = math.Min(across, to-from)
		}
	}
	if length > 0 && length < across/2 && across < math.Inf(1) {
		return across / 2, "half the width of the body"
	}
	return length, "the length of the body"
}
