package config

import (
	"fmt"
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/config/language"
	"lbmsim/model"
)

// What the cells beside walls can resolve, by formulas of plates and channels. They are for the choice of a grid: a run
// shows what the flow does.

// Limits of Reynolds numbers: below the first there is no boundary layer, from the others on it is turbulent, on a
// plate (with its length) and in a channel (with its height).
const (
	leastLayer       = 100
	turbulentPlate   = 5e5
	turbulentChannel = 3000
)

// layer is the flow beside a wall, in cells.
type layer struct {
	reynolds  float64
	by        string // the length that it is by
	turbulent bool
	first     float64 // y+ of the centre of the first cell
	thickness float64
}

// plateLayer is that of a plate, at its end, with its mean friction: Blasius; Prandtl's law of the power 1/5
// (Schlichting & Gersten, Boundary-Layer Theory, 9th ed., Springer 2017, ch. 6 and 18).
func plateLayer(speed, length, viscosity float64) layer {
	re := speed * length / viscosity
	l := layer{reynolds: re, by: "length", turbulent: re >= turbulentPlate}
	friction := 1.328 / math.Sqrt(re)
	l.thickness = 4.91 * length / math.Sqrt(re)
	if l.turbulent {
		friction, l.thickness = 0.074/math.Pow(re, 0.2), 0.37*length/math.Pow(re, 0.2)
	}
	l.first = 0.5 * speed * math.Sqrt(friction/2) / viscosity
	return l
}

// channelLayer is that between two walls with this mean speed between them: the parabola; Dean, J. Fluids Eng. 100
// (1978) 215.
func channelLayer(speed, height, viscosity float64) layer {
	re := speed * height / viscosity
	l := layer{reynolds: re, by: "height", turbulent: re >= turbulentChannel, thickness: height / 2}
	friction := 12 / re
	if l.turbulent {
		friction = 0.073 / math.Pow(re, 0.25)
	}
	l.first = 0.5 * speed * math.Sqrt(friction/2) / viscosity
	return l
}

// verdict says whether the grid resolves it.
func (l layer) verdict() string {
	enough, little := l.thickness >= 8, l.thickness >= 4
	if l.turbulent {
		enough, little = enough && l.first <= 2, little && l.first <= 5
	}
	switch {
	case enough:
		return "wall-resolved"
	case little:
		return "hardly wall-resolved: friction may be off by a third"
	}
	return "not wall-resolved: friction, and where the flow separates from smooth walls, are not to be trusted"
}

func (l layer) row(name string) Row {
	kind := "laminar"
	if l.turbulent {
		kind = "turbulent"
	}
	return Row{Name: name, Lattice: fmt.Sprintf("y+ %s, layer of %s cells", language.Short(round2(l.first)), language.Short(round2(l.thickness))),
		SI: fmt.Sprintf("Re %s (%s), %s: %s", reynoldsText(l.reynolds), l.by, kind, l.verdict())}
}

// reynoldsText has the digits that an estimate is worth.
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

// drivenSpeed is the mean speed that a force keeps, or leads to, in a channel of that height; 0: there is none, or it changes
// with the time.
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

// channel returns the layer between two walls.
func (c *Case) channel(height, viscosity float64) layer {
	mean := c.drivenSpeed(height, viscosity)
	if mean == 0 {
		mean = c.Mean
	}
	return channelLayer(mean, height, viscosity)
}

// stream is the axis that the flow goes along: across faces that it passes, else that of the force; -1: there is not one.
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
	l.by += ", by the viscosity at the wall"
	return l
}

// NearWalls estimates the layer beside each wall at rest and each body: y+ of the first cell's centre and the thickness. The
// speed is the largest mean one that the case tells of; between walls the mean one that a force keeps. A body counts as a
// plate as long as it is along the flow, else as its longest side that ends within the domain; two walls that
// face each other as a channel, another one as a plate as long as the domain. Bodies from files count by their
// sizes. Walls without a boundary layer are left out.
func (c *Case) NearWalls(sizes ...SolidSize) (rows []Row) {
	speed := c.Mean
	walls := 0
	add := func(name string, l layer) {
		if walls++; math.Round(l.reynolds) >= leastLayer {
			rows = append(rows, l.row(name))
		}
	}
	var sticks [3][2]bool
	for _, b := range c.Boundaries {
		for _, f := range b.Faces {
			sticks[f.Axis][f.Side] = sticks[f.Axis][f.Side] || b.Part == nil && b.Kind.Law == boundary.Bounce
		}
	}
	for _, b := range c.Boundaries {
		if b.Kind.Law != boundary.Bounce || b.Velocity != [3]float64{} {
			continue
		}
		first := len(rows)
		for _, f := range b.Faces {
			length := 0
			for a, n := range c.Cells {
				if a != f.Axis {
					length = max(length, n)
				}
			}
			l := c.atWall(func(nu float64) layer {
				if sticks[f.Axis][0] && sticks[f.Axis][1] {
					return c.channel(float64(c.Cells[f.Axis]), nu)
				}
				return plateLayer(speed, float64(length), nu)
			})
			before := len(rows)
			add(fmt.Sprintf("[boundary.%s] %s", b.Name, f), l)
			if n := len(rows); n > before && before > first && rows[n-2].Lattice == rows[n-1].Lattice && rows[n-2].SI == rows[n-1].SI {
				rows[n-2].Name += ", " + f.String() // faces alike share a row
				rows = rows[:n-1]
			}
		}
	}
	for _, b := range c.Bodies {
		lo, hi := b.bounds(sizes)
		if length := c.plateOf(lo, hi); length > 0 {
			add("[body."+b.Name+"]", c.atWall(func(nu float64) layer { return plateLayer(speed, length, nu) }))
		}
	}
	driven := c.Force.At != nil || slices.ContainsFunc(c.Boundaries, func(b Boundary) bool { return b.Kind.Law == boundary.PressureFace })
	if walls > 0 && len(rows) == 0 && speed == 0 && driven {
		rows = append(rows, Row{Name: "not estimated", SI: "the speed follows from the run; [fluid] velocity would tell it"})
	}
	return rows
}

// plateOf is the length of the plate that a body counts as, of the box around it: the side along the flow; where that is
// not known, the longest of those that do not go through the whole domain.
func (c *Case) plateOf(lo, hi [3]float64) (length float64) {
	stream := c.stream()
	for a, n := range c.Cells {
		from, to := math.Max(lo[a], 0), math.Min(hi[a], float64(n))
		through := from <= 0 && to >= float64(n)
		if a == stream || stream < 0 && !through {
			length = math.Max(length, to-from)
		}
	}
	return length
}
