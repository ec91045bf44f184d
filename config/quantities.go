// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/model"
)

// The quantities of the end state for [expect]. The list below is the only one: the
// parser, the reference and the run's final check all read it.

// Quantity is one row of the catalogue of expectable quantities.
type Quantity struct {
	Name string          // value of Expectation.Quantity
	Dim  model.Dimension // of Value and Tolerance; see PerField
	// PerField: the dimension of the expectation's field applies instead.
	PerField bool
	Key      string // its position in the case file
	Doc      string // the exact definition
}

// Names of the quantities.
const (
	MassError         = "mass_error"
	MaxSpeed          = "max_speed"
	KineticEnergy     = "kinetic_energy"
	MeanVelocity      = "mean_velocity"
	VelocityL2Error   = "velocity_l2_error"
	VelocityLinfError = "velocity_linf_error"
	ProbeValue        = "probe"
	ForceValue        = "force"
	LineMin           = "line_min"
	LineMax           = "line_max"
	LineMinPlace      = "line_min_position"
	LineMaxPlace      = "line_max_position"
	LineCrossing      = "line_crossing"
)

// Quantities lists what can be expected of the end state. All sums and maxima run
// over the fluid cells of the whole domain.
func Quantities() []Quantity {
	return []Quantity{
		{Name: MassError, Dim: model.Dimensionless, Key: "[expect] mass_error",
			Doc: "|M(end) - M(start)| / M(start), M the sum of rho over the fluid cells; the given number is the largest allowed"},
		{Name: MaxSpeed, Dim: model.Velocity, Key: "[expect.max_speed]",
			Doc: "the largest |u|"},
		{Name: KineticEnergy, Dim: model.Pressure, Key: "[expect.kinetic_energy]",
			Doc: "the mean over the fluid cells of rho u^2/2 (J/m3 = Pa)"},
		{Name: MeanVelocity, Dim: model.Velocity, Key: "[expect.mean_velocity]",
			Doc: "one component of sum(rho u) / sum(rho)"},
		{Name: VelocityL2Error, Dim: model.Dimensionless, Key: "[expect.velocity] l2",
			Doc: "sqrt(sum |u - r|^2 / sum |r|^2), r the reference at the cell centres at the end time; the given number is the largest allowed"},
		{Name: VelocityLinfError, Dim: model.Dimensionless, Key: "[expect.velocity] linf",
			Doc: "max |u - r| / max |r|; the given number is the largest allowed"},
		{Name: ProbeValue, PerField: true, Key: "[expect.probe.NAME]",
			Doc: "a field (or a component or the magnitude of a vector) in the cell of an output probe"},
		{Name: ForceValue, PerField: true, Key: "[expect.force.NAME]",
			Doc: "a statistic of a number of an [output.force.NAME] over its samples since its start"},
		{Name: LineMin, PerField: true, Key: "[expect.line.NAME] extremum = \"min\"",
			Doc: "the smallest value of a field component on a line parallel to an axis. Values are taken at the cell centres along the line, with linear interpolation across it. A parabola through the smallest value and its two neighbours refines the extremum"},
		{Name: LineMax, PerField: true, Key: "[expect.line.NAME] extremum = \"max\"",
			Doc: "the largest value, likewise"},
		{Name: LineMinPlace, Dim: model.Length, Key: "[expect.line.NAME] extremum = \"min\", measure = \"position\"",
			Doc: "position of the smallest value: the coordinate, along the axis, of the vertex of that parabola"},
		{Name: LineMaxPlace, Dim: model.Length, Key: "[expect.line.NAME] extremum = \"max\", measure = \"position\"",
			Doc: "position of the largest value, likewise"},
		{Name: LineCrossing, Dim: model.Length, Key: "[expect.line.NAME] crossing = \"first\"",
			Doc: "where a field component changes sign on such a line: the coordinate, along the axis, of the zero between two neighbouring values, by linear interpolation. Consecutive zeros, as inside bodies, split a line: a change of sign across them is not a crossing. NaN without a crossing, which fails any expectation"},
	}
}

// ReferenceFunction of position and time: x, y, z in cells from the domain's
// lower corner, t in steps since the start; the value is in lattice units. It is
// safe for concurrent use.
type ReferenceFunction func(x, y, z, t float64) float64

// Expectation is one row of [expect]: a quantity of the end state that is met
// when |measured - Value| <= Tolerance. Both are in the unit of the outputs (SI in
// a physical case: measured = lattice value * Case.Units.Factor(Dim)).
type Expectation struct {
	Name      string // as in the case file: "expect.line.u_min"
	Quantity  string // Name of a row of Quantities
	Dim       model.Dimension
	Value     float64 // 0 for errors
	Tolerance float64 // absolute
	// Free: the quantity is measured and reported, without an expected value.
	Free bool
	// Reference is set for velocity_l2_error and velocity_linf_error; in 2D the
	// third function is zero.
	Reference [3]ReferenceFunction

	// Field and Component are set for probe and lines; Component also for mean_velocity. Component is 0 to 2, or -1 for the magnitude of a vector
	// (and for scalars).
	Field     model.Field
	Component int
	Probe     string // probe: the name of the output probe ...
	Cell      [3]int // ... and its cell
	Within    [3]float64
	// Force is set for force: the name of the output, which of its numbers, and what of it.
	Force, Series, Statistic string
	// Course is set for lines.
	Course
	// Last is for the last crossing of a line instead of the first; Direction is 1 for those
	// that rise, -1 for those that fall, 0 for both.
	Last      bool
	Direction int
}

// Course is a line along an axis.
type Course struct {
	// Axis that the line is parallel to, and its Columns: the value at cell k along
	// Axis is the sum over the columns of Weight * field(Cell with Cell[Axis] = k).
	// Cells inside bodies count as they are stored: zero velocity. Span is of the cells
	// along Axis, Span[0] <= k < Span[1].
	Axis    int
	Columns []Column
	Span    [2]int
	// Through is a point of the line and Ends are its ends along Axis, in cells of level 0: on a refined grid they replace Columns and
	// Span.
	Through [3]float64
	Ends    [2]float64
}

// Column of cells along an axis, with its weight in an interpolation across it.
type Column struct {
	Cell   [3]int
	Weight float64
}

// Samples reads the values along the line; at reads one cell, and reports whether it has a value. Where
// some around a point have none the others count by their weights, and where none has one the sample is 0.
func (e Course) Samples(at func(cell [3]int) (float64, bool)) []float64 {
	v := make([]float64, e.Span[1]-e.Span[0])
	for k := range v {
		var b Blend
		for _, c := range e.Columns {
			c.Cell[e.Axis] = e.Span[0] + k
			value, has := at(c.Cell)
			b.Add(c.Weight, value, has)
		}
		v[k] = b.Value()
	}
	return v
}

// Blend is a value between cells, of which some may have none.
type Blend struct {
	sum, weight float64
	lacks       bool
}

// Add adds a cell with its weight.
func (b *Blend) Add(weight, value float64, has bool) {
	if !has {
		b.lacks = true
		return
	}
	b.sum += weight * value
	b.weight += weight
}

// Value returns the mean of the cells that have a value, 0 if no cell has one.
func (b *Blend) Value() float64 {
	if b.lacks && b.weight > 0 {
		return b.sum / b.weight
	}
	return b.sum
}

// Places returns the places of the samples along the line, in cells from the lower end of the domain.
func (e Course) Places() (places []float64) {
	for k := e.Span[0]; k < e.Span[1]; k++ {
		places = append(places, float64(k)+0.5)
	}
	return places
}

// Extremum of samples at rising places: the smallest or the largest, refined by the parabola through it and its two neighbours when it
// lies inside.
func Extremum(samples, places []float64, largest bool) (value, at float64) {
	best := 0
	for i, v := range samples {
		if largest && v > samples[best] || !largest && v < samples[best] {
			best = i
		}
	}
	if len(samples) == 0 {
		return 0, 0
	}
	value, at = samples[best], places[best]
	if best == 0 || best == len(samples)-1 {
		return value, at
	}
	left, right := at-places[best-1], places[best+1]-at
	rise, fall := (value-samples[best-1])/left, (samples[best+1]-value)/right // the slopes half-way to the neighbours
	if curve := (fall - rise) / (left + right); curve != 0 {
		slope := (rise*right + fall*left) / (left + right)
		return value - slope*slope/(4*curve), at - slope/(2*curve)
	}
	return value, at
}

// Crossing returns where samples at rising places change their sign, the first or the last time; NaN without a change.
// direction is 1 for rising, -1 for falling, 0 for both. A single zero may lie between the
// signs; more of them part the samples.
func Crossing(samples, places []float64, last bool, direction int) float64 {
	found, before, at := math.NaN(), 0.0, 0 // the value before, and where it is
	for i, v := range samples {
		switch {
		case math.IsNaN(v) || v == 0 && i > 0 && samples[i-1] == 0:
			before = 0
			continue
		case v == 0:
			continue
		case before != 0 && (before < 0) != (v < 0) && (direction == 0 || (v > 0) == (direction > 0)):
			found = places[at] + (places[i]-places[at])*(before/(before-v))
			if i-at == 2 {
				found = places[at+1]
			}
			if !last {
				return found
			}
		}
		before, at = v, i
	}
	return found
}

// OfLine returns what an expectation takes from its line: a value in the units of the samples, and its place.
func (e Expectation) OfLine(samples, places []float64) (value, at float64) {
	if e.Quantity == LineCrossing {
		return 0, Crossing(samples, places, e.Last, e.Direction)
	}
	return Extremum(samples, places, e.Quantity == LineMax || e.Quantity == LineMaxPlace)
}

// directions are the words for Expectation.Direction.
var directions = []struct {
	word string
	sign int
}{{"rising", 1}, {"falling", -1}, {"any", 0}}

func crossingWords() (words []string) {
	for _, d := range directions {
		words = append(words, d.word)
	}
	return words
}

// extrema are the quantities of lines other than crossings, by the words for them.
var extrema = []struct{ extremum, measure, quantity string }{
	{"min", "value", LineMin}, {"max", "value", LineMax},
	{"min", "position", LineMinPlace}, {"max", "position", LineMaxPlace},
}

// extremum returns the quantity for two words. It panics on any other words.
func extremum(word, measure string) string {
	for _, x := range extrema {
		if x.extremum == word && x.measure == measure {
			return x.quantity
		}
	}
	panic("no quantity for the " + measure + " of " + word)
}
