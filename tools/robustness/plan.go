// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"strings"

	"lbmsim/cases/robustness"
	"lbmsim/model"
)

// entry is one run.
type entry struct {
	robustness.Point // known before it
	args             []string
	cells            int
	short            bool // continuous integration runs it
}

func (e entry) work() int { return e.cells * e.Steps }

// flow is a case of the map: its grid, and over what it is run.
type flow struct {
	name robustness.Flow
	// cells by dimensions; length is the length of the Reynolds number, in cells.
	cells, length [4]float64
	velocities    []float64
	taus          []float64 // or instead
	reynolds      []float64
	steps         func(f flow, dims int, velocity float64) int
	units         [2]float64 // spacing and velocity of the case, in SI units
}

// flows returns the flows, with the velocities and relaxation times of cases that people run; the
// Reynolds numbers extend beyond the resolution of any grid of this size.
func flows(long bool) []flow {
	fixed := func(n int) func(flow, int, float64) int { return func(flow, int, float64) int { return n } }
	// until is the number of steps in which the flow passes a number of lengths.
	until := func(lengths float64) func(flow, int, float64) int {
		return func(f flow, dims int, u float64) int { return int(lengths * f.length[dims] / u) }
	}
	uniform := 5000
	if long {
		uniform = 20000
	}
	return []flow{
		{
			name: robustness.Uniform, units: [2]float64{1, 1}, cells: [4]float64{2: 32 * 32, 3: 32 * 32 * 32}, length: [4]float64{2: 1, 3: 1}, steps: fixed(uniform),
			velocities: []float64{0.02, 0.05, 0.1, 0.15}, taus: []float64{0.52, 0.51, 0.505, 0.501, 0.5001, 0.50001},
		},
		{
			name: robustness.TaylorGreen, units: [2]float64{2 * math.Pi / 64, 1}, cells: [4]float64{2: 64 * 64, 3: 64 * 64 * 64}, length: [4]float64{2: 64 / (2 * math.Pi), 3: 64 / (2 * math.Pi)}, steps: until(20),
			velocities: []float64{0.1}, reynolds: []float64{1e3, 1e4, 1e5, 1e6, 1e7},
		},
		{
			name: robustness.ShearLayer, units: [2]float64{1. / 128, 1}, cells: [4]float64{2: 128 * 128, 3: 128 * 128 * 4}, length: [4]float64{2: 128, 3: 128}, steps: until(1.5),
			velocities: []float64{0.1}, reynolds: []float64{1e4, 1e5, 1e6, 1e7},
		},
		{
			name: robustness.Jet, units: [2]float64{1, 1}, cells: [4]float64{2: 128 * 64, 3: 64 * 32 * 32}, length: [4]float64{2: 16, 3: 12}, steps: fixed(4000),
			velocities: []float64{0.1}, taus: []float64{0.505, 0.501, 0.5001, 0.50001},
		},
	}
}

// entries returns the whole map, in the order of the results.
func entries(long bool) (list []entry) {
	for _, f := range flows(long) {
		for _, l := range model.Lattices {
			for _, c := range model.Collisions {
				for _, eddies := range []bool{false, true} {
					for _, u := range f.velocities {
						list = append(list, f.at(l, c, eddies, u)...)
					}
				}
			}
		}
	}
	for _, f := range flows(long) {
		list = append(list, f.bulks()...)
	}
	return append(list, spheres()...)
}

// bulkViscosities, in cells^2/step: the one that keeps streaks away, and about the bulk viscosity of cumulant.
var bulkViscosities = []float64{0.02, 0.2}

// bulkModels are the models whose trace of the stress relaxes as the rest of it does.
var bulkModels = []string{"bgk", "regularized", "recursive_regularized"}

// bulks returns the runs with a bulk viscosity: of uniform flows for all of these models, of
// the other flows for the model that is recommended with it.
func (f flow) bulks() (list []entry) {
	for _, l := range model.Lattices {
		for _, name := range bulkModels {
			if f.name != robustness.Uniform && name != "recursive_regularized" {
				continue
			}
			c, _ := model.FindCollision(name)
			for _, bulk := range bulkViscosities {
				for _, u := range f.velocities {
					for _, e := range f.at(l, c, false, u) {
						// The spacing and the velocity of the cases: u = velocity time_step/spacing.
						spacing, velocity := f.units[0], f.units[1]
						e.Bulk, e.short = bulk, false
						e.args = append(e.args, "--set", fmt.Sprintf("fluid.bulk_viscosity=\"%.12g m2/s\"", bulk*spacing*velocity/u))
						list = append(list, e)
					}
				}
			}
		}
	}
	return list
}

// at returns the runs at a lattice velocity, the easiest first.
func (f flow) at(l model.Lattice, c model.Collision, eddies bool, u float64) (list []entry) {
	d := l.Dims
	viscosity := 3 * u * f.length[d] // (tau - 1/2) times the Reynolds number
	reynolds := f.reynolds
	for _, tau := range f.taus {
		reynolds = append(reynolds, viscosity/(tau-0.5))
	}
	for i, re := range reynolds {
		e := entry{cells: int(f.cells[d]), Point: robustness.Point{
			Flow: f.name, Lattice: l.Name, Model: c.Name, Eddies: eddies, Velocity: u, Tau: 0.5 + viscosity/re, Steps: f.steps(f, d, u),
		}}
		if f.taus != nil {
			e.Tau = f.taus[i]
		} else {
			e.Reynolds = re
		}
		e.args = []string{
			"run", fmt.Sprintf("cases/robustness/%s_%dd.toml", f.name, d),
			"--set", "domain.lattice=" + l.Name, "--set", "collision.model=" + c.Name,
			"--set", fmt.Sprintf("scaling.lattice_velocity=%g", u), "--set", fmt.Sprintf("fluid.reynolds=%.15g", re),
		}
		if eddies {
			e.args = append(e.args, "--set", "turbulence.model=smagorinsky")
		}
		if f.name == robustness.Uniform {
			e.args = append(e.args, "--set", fmt.Sprintf("run.max_mach=%.6g", loud(u)),
				"--set", fmt.Sprintf("run.steps=%d", e.Steps), "--set", fmt.Sprintf("output.series.noise.every=%d", e.Steps/2))
			// Both ends of the scale in 2D, where a run takes no time.
			e.short = d == 2 && u == 0.1 && (e.Tau == 0.52 || e.Tau == 0.50001)
		}
		list = append(list, e)
	}
	return list
}

// spheres returns creeping flows, so one lattice, without eddies, covers all.
func spheres() (list []entry) {
	l, _ := model.FindLattice("D3Q19")
	for _, c := range model.Collisions {
		for _, tau := range []float64{0.55, 0.6, 0.8, 1, 1.5} {
			// The flow is steady after the time in which viscosity acts across a gap.
			steps := int(1200 / (tau - 0.5))
			list = append(list, entry{
				Point: robustness.Point{Flow: robustness.Spheres, Lattice: l.Name, Model: c.Name, Tau: tau, Steps: steps}, cells: 24 * 24 * 24,
				args: []string{"run", "cases/robustness/spheres.toml", "--set", "domain.lattice=" + l.Name, "--set", "collision.model=" + c.Name,
					"--set", fmt.Sprintf("scaling.tau=%g", tau), "--set", fmt.Sprintf("run.steps=%d", steps)},
			})
		}
	}
	return list
}

// name of a run, to be picked by.
func name(p robustness.Point) string {
	s := fmt.Sprintf("%s-%s-%s", p.Flow, p.Lattice, p.Model)
	if p.Eddies {
		s += "-smagorinsky"
	}
	if p.Bulk != 0 {
		s += fmt.Sprintf("-bulk%g", p.Bulk)
	}
	if p.Flow != robustness.Spheres {
		s += fmt.Sprintf("-u%g", p.Velocity)
	}
	if p.Reynolds != 0 {
		return s + "-re" + power(p.Reynolds)
	}
	return s + fmt.Sprintf("-tau%g", p.Tau)
}

// power formats a Reynolds number as a power of ten: 1e7.
func power(v float64) string { return strings.Replace(fmt.Sprintf("%.0e", v), "e+0", "e", 1) }
