// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"lbmsim/cases/robustness"
	"lbmsim/internal/harness"
)

// Criteria of a run.
const (
	// Noise in a uniform flow, over its velocity, for the whole run: a closure turns populations
	// that fit no flow into some ten to a hundred times what the case has at the start, and
	// then it has to fall.
	noiseLimit = 0.01
	// Noise above ten times its initial value must not grow from the middle of the run to its end.
	quiet       = 10
	growthLimit = 1.5
	// The kinetic energy falls. What sound takes and gives back at Mach 0.17 is allowed for.
	energyLimit = 1.02
)

// loud returns the Mach number of a uniform flow with noise at the limit: the run's watch ends it
// there.
func loud(velocity float64) float64 { return math.Sqrt(3) * velocity * (1 + noiseLimit) }

// perform runs an entry and judges it.
func (o options) perform(e entry) (robustness.Point, error) {
	out := filepath.Join("out", "robustness", name(e.Point))
	dir := filepath.Join(o.program.Root, out)
	if err := os.RemoveAll(dir); err != nil {
		return e.Point, err
	}
	defer os.RemoveAll(dir) // there are hundreds, and they can be had again
	args := append(slices.Clone(e.args), "--log", "json", "--threads", "1", "--output", out)
	r, err := o.program.Run(args, harness.Unstable)
	if err != nil || r.Code == harness.Unstable {
		return e.Point, err
	}
	file := map[robustness.Flow]string{robustness.Uniform: "series_noise.csv", robustness.Spheres: "series_flow.csv"}[e.Flow]
	if file == "" {
		file = "series_energy.csv"
	}
	series, err := harness.Columns(filepath.Join(dir, file))
	if err != nil {
		return e.Point, err
	}
	return judge(e.Point, series)
}

// judge a completed run.
func judge(p robustness.Point, series map[string][]float64) (robustness.Point, error) {
	column := func(name string, least int) ([]float64, error) {
		if v := series[name]; len(v) >= least {
			return v, nil
		}
		return nil, fmt.Errorf("the run left fewer than %d values of %s", least, name)
	}
	got := 0.0
	switch p.Flow {
	case robustness.Uniform:
		speed, err := column("max_speed", 3)
		if err != nil {
			return p, err
		}
		mean, err := column("mean_velocity x", len(speed))
		if err != nil {
			return p, err
		}
		vorticity, err := column("enstrophy", len(speed))
		if err != nil {
			return p, err
		}
		// Velocities are in units of the flow's velocity, lengths in cells: both are the units of the case.
		// The mean is taken off, since rounding moves it.
		noise := func(i int) float64 {
			return math.Max(speed[i]-mean[i], math.Sqrt(2*vorticity[i]))
		}
		got = noise(len(speed) - 1)
		p.Holds = got <= quiet*noise(0) || got <= noiseLimit && got <= growthLimit*noise(len(speed)-2)
	case robustness.Spheres:
		u, err := column("mean_velocity x", 2)
		if err != nil {
			return p, err
		}
		// As cases/robustness/spheres.toml says; u is the mean over the fluid.
		const acceleration, filled, theory = 1e-7, 0.216, 11.032
		got = (p.Tau - 0.5) / 3 * u[len(u)-1] * (1 - filled) / acceleration / theory
		p.Holds = true
	default:
		energy, err := column("kinetic_energy", 2)
		if err != nil {
			return p, err
		}
		got = slices.Max(energy) / energy[0]
		p.Holds = got <= energyLimit
	}
	if math.IsNaN(got) {
		return p, fmt.Errorf("%s is NaN, but the run went on", name(p))
	}
	// Digits that rounding does not reach, so that a result is the same on every machine.
	got, err := strconv.ParseFloat(strconv.FormatFloat(got, 'g', 3, 64), 64)
	p.Got = &got
	return p, err
}

// describe returns a result as a line of text.
func describe(p robustness.Point) string {
	what := "unstable"
	if p.Got != nil {
		what = fmt.Sprintf("%g", *p.Got)
	}
	if !p.Holds {
		what += ", does not hold"
	}
	return name(p) + ": " + what
}
