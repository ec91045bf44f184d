// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package robustness is the map of what each collision model holds: cases that are hard for
// a model (cases/robustness/*.toml), run over lattice velocities and relaxation times by `make
// robustness`, and what came of each. The map is embedded in lbmsim: `lbmsim check` warns
// with it, `lbmsim list` prints it, and docs/models.md is drawn from it.
package robustness

import (
	"cmp"
	_ "embed" // results.csv
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Flow is one of the cases, cases/robustness/FLOW_2d.toml and FLOW_3d.toml.
type Flow string

const (
	Uniform     Flow = "uniform"
	TaylorGreen Flow = "taylor_green"
	ShearLayer  Flow = "shear_layer"
	Jet         Flow = "jet"
	// Spheres are in 3D only: a permeability, which holds or breaks nothing.
	Spheres Flow = "spheres"
)

// Point is one run.
type Point struct {
	Flow     Flow
	Lattice  string
	Model    string
	Eddies   bool    // with the Smagorinsky model
	Bulk     float64 // bulk viscosity in cells^2/step; 0: the model's own
	Velocity float64 // lattice velocity
	Tau      float64
	Reynolds float64
	Steps    int // of the whole run
	Holds    bool
	// Got is the measured value: of a uniform flow the noise over the velocity at the end, of the
	// spheres the ratio of their permeability to the theoretical one, otherwise the largest kinetic
	// energy over the initial one. Nil: the run became unstable.
	Got *float64
}

// Map holds the measured points.
type Map []Point

//go:embed results.csv
var results []byte

// Measured is the map that is embedded in lbmsim.
var Measured = sync.OnceValue(func() Map {
	m, err := Parse(results)
	if err != nil {
		panic(err) // the tests read it, too
	}
	return m
})

// header of the table. Flow, lattice and model are empty where they repeat the line above. Bulk and reynolds are empty for 0, got for nil; eddies and holds are "yes" or empty.
var header = []string{"flow", "lattice", "model", "eddies", "bulk", "velocity", "tau", "reynolds", "steps", "holds", "got"}

// Parse reads what Text has written.
func Parse(text []byte) (Map, error) {
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("the map of robustness: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("the map of robustness does not start with the columns %s", strings.Join(header, ","))
	}
	var m Map
	for i, row := range rows[1:] {
		for k := range names {
			if row[k] == "" {
				row[k] = rows[i][k]
			}
		}
		p, err := parsePoint(row)
		if err != nil {
			return nil, fmt.Errorf("the map of robustness, line %d: %w", i+2, err)
		}
		m = append(m, p)
	}
	return m, nil
}

// parsePoint reads a row of as many columns as header has.
func parsePoint(row []string) (p Point, err error) {
	number := func(text string) float64 {
		if text == "" {
			return 0
		}
		v, e := strconv.ParseFloat(text, 64)
		err = errors.Join(err, e)
		return v
	}
	flag := func(text string) bool {
		if text != "" && text != yes {
			err = errors.Join(err, fmt.Errorf("%q is neither empty nor %q", text, yes))
		}
		return text == yes
	}
	p = Point{Flow: Flow(row[0]), Lattice: row[1], Model: row[2], Eddies: flag(row[3]), Bulk: number(row[4]), Velocity: number(row[5]),
		Tau: number(row[6]), Reynolds: number(row[7]), Steps: int(number(row[8])), Holds: flag(row[9])}
	if row[10] != "" {
		got := number(row[10])
		p.Got = &got
	}
	return p, err
}

// yes is a flag that is set; names is the number of columns, the first ones, that repeat the row above.
const (
	yes   = "yes"
	names = 3
)

// Text returns the map as CSV, one line per point, so that a diff shows only the points that changed: in lbmsim
// a third of the size that JSON has, which names the columns in every line.
func (m Map) Text() ([]byte, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	unless0 := func(v float64) string {
		if v == 0 {
			return ""
		}
		return number(v)
	}
	flag := func(set bool) string {
		if set {
			return yes
		}
		return ""
	}
	rows := [][]string{header}
	for _, p := range m {
		got := ""
		if p.Got != nil {
			got = number(*p.Got)
		}
		rows = append(rows, []string{string(p.Flow), p.Lattice, p.Model, flag(p.Eddies), unless0(p.Bulk), number(p.Velocity),
			number(p.Tau), unless0(p.Reynolds), strconv.Itoa(p.Steps), flag(p.Holds), got})
	}
	for i := len(rows) - 1; i > 1; i-- {
		for k := range names {
			if rows[i][k] == rows[i-1][k] {
				rows[i][k] = ""
			}
		}
	}
	err := w.WriteAll(rows)
	return []byte(text.String()), err
}

// With returns the points of a bulk viscosity as a separate map: as if all models had it.
func (m Map) With(bulk float64) (list Map) {
	for _, p := range m {
		if p.Bulk == bulk {
			p.Bulk = 0
			list = append(list, p)
		}
	}
	return list
}

// Around returns the bulk viscosities of the map below and above a case's, for uniform flows of a model. found is false
// above all of them: what a smaller one holds a larger one may not, and the reverse.
func (m Map) Around(lattice, model string, bulk float64) (below, above float64, found bool) {
	above = math.Inf(1)
	for _, p := range m {
		if p.Flow != Uniform || p.Lattice != lattice || p.Model != model {
			continue
		}
		if p.Bulk <= bulk*(1+rounding) {
			below = math.Max(below, p.Bulk)
		}
		if p.Bulk >= bulk*(1-rounding) {
			above = math.Min(above, p.Bulk)
		}
	}
	return below, above, !math.IsInf(above, 1)
}

// of returns the points of a model in a flow, with its own bulk viscosity.
func (m Map) of(f Flow, lattice, model string, eddies bool) (list Map) {
	for _, p := range m {
		if p.Flow == f && p.Lattice == lattice && p.Model == model && p.Eddies == eddies && p.Bulk == 0 {
			list = append(list, p)
		}
	}
	return list
}

// at returns the points at a lattice velocity, the largest tau first.
func (m Map) at(f Flow, lattice, model string, eddies bool, velocity float64) Map {
	list := slices.DeleteFunc(m.of(f, lattice, model, eddies), func(p Point) bool { return p.Velocity != velocity })
	slices.SortFunc(list, func(a, b Point) int { return cmp.Compare(b.Tau, a.Tau) })
	return list
}

// rounding of velocities and viscosities that come out of units.
const rounding = 1e-6

// Nearest returns the measured point of a uniform flow that says most about a case and asks no
// less of the model: at the next higher velocity, and there the next lower tau. Beyond the
// ends of the map it is the point at its end; no point is returned where tau is above all that was
// measured, and where nothing was measured.
func (m Map) Nearest(lattice, model string, eddies bool, velocity, tau float64) (near Point, found bool) {
	points := m.of(Uniform, lattice, model, eddies)
	if len(points) == 0 {
		return near, false
	}
	u := math.Inf(1)
	fastest, largest := 0.0, 0.0
	for _, p := range points {
		fastest, largest = math.Max(fastest, p.Velocity), math.Max(largest, p.Tau)
		if p.Velocity >= velocity*(1-rounding) {
			u = math.Min(u, p.Velocity)
		}
	}
	u = math.Min(u, fastest)
	if above(tau, largest) {
		return near, false
	}
	// From the largest tau downwards, as far as the case's.
	at := m.at(Uniform, lattice, model, eddies, u)
	for _, p := range at {
		if near = p; !above(p.Tau, tau) {
			break
		}
	}
	return near, true
}

// Asks reports whether the point asks at least as much of the model as a case does: what it holds there it
// holds in the case. Beyond the ends of the map no point does.
func (p Point) Asks(velocity, tau float64) bool {
	return p.Velocity >= velocity*(1-rounding) && !above(p.Tau, tau)
}

// above compares relaxation times by the viscosities that they stand for.
func above(a, b float64) bool { return a-0.5 > (b-0.5)*(1+rounding) }

// Instead returns a model that holds a uniform flow where another does not, the best for high
// Reynolds numbers first: each on the same lattice, otherwise on D3Q27. Beyond the map it finds none.
func (m Map) Instead(lattice string, eddies bool, velocity, tau float64) (best Point, found bool) {
	lattices := []string{lattice}
	if lattice == "D3Q19" {
		lattices = append(lattices, "D3Q27")
	}
	for _, name := range []string{"cumulant", "recursive_regularized"} {
		for _, l := range lattices {
			if p, ok := m.Nearest(l, name, eddies, velocity, tau); ok && p.Holds && p.Asks(velocity, tau) {
				return p, true
			}
		}
	}
	return best, false
}

// Wall returns the limit of a model in a flow at a lattice velocity: the smallest tau that
// holds with all that are larger. found is false where nothing was measured, and the point is
// the largest tau, which does not hold, where none does.
func (m Map) Wall(f Flow, lattice, model string, eddies bool, velocity float64) (last Point, found bool) {
	for i, p := range m.at(f, lattice, model, eddies, velocity) {
		if p.Holds || i == 0 {
			last, found = p, true
		}
		if !p.Holds {
			break
		}
	}
	return last, found
}

// Usual is the lattice velocity that Quiet speaks of.
const Usual = 0.1

// Quiet states in words the smallest tau at which a model is stable in a uniform flow, on each lattice; it is
// empty where nothing was measured.
func (m Map) Quiet(model string) string {
	var lattices, parts []string
	for _, p := range m {
		if p.Model == model && !slices.Contains(lattices, p.Lattice) {
			lattices = append(lattices, p.Lattice)
		}
	}
	for _, l := range lattices {
		p, found := m.Wall(Uniform, l, model, false, Usual)
		switch {
		case found && p.Holds:
			parts = append(parts, fmt.Sprintf("tau %g on %s", p.Tau, l))
		case found:
			parts = append(parts, fmt.Sprintf("above tau %g on %s", p.Tau, l))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("keeps a uniform flow of %g cells per step from %s", Usual, strings.Join(parts, ", "))
}
