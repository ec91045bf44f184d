// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"errors"
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/curve"
	"lbmsim/model"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// Boundaries that change with time by a ramp or a table, and profiles from files.

// OpenTable reads a table, or a profile, of a boundary.
func OpenTable(f config.TableFile) (data []byte, c curve.Curve, sum string, err error) {
	data, sum, err = curve.Read(f.Path)
	if err == nil && f.SHA256 != "" && f.SHA256 != sum {
		err = fmt.Errorf("%s has a different SHA-256 than the case requires: %s", f.Path, sum)
	}
	if err == nil {
		c, err = curve.Parse(f.Path, data)
	}
	if err == nil && f.Repeat {
		err = c.Closes(f.Path)
	}
	if err != nil {
		err = f.At.Wrong(fmt.Errorf("[boundary.%s]: %w", f.Boundary, err))
	}
	return data, c, sum, err
}

// JudgeTables reads the files of a boundary before a run, and returns a line about each.
func JudgeTables(c *config.Case, b config.Boundary) (lines []string, warnings finding.List, err error) {
	var curves []curve.Curve
	for _, f := range b.Tables() {
		_, v, _, err := OpenTable(f)
		if err != nil {
			return nil, nil, err
		}
		lo, hi := v.Range()
		line := fmt.Sprintf("[boundary.%s] %s %s: %d lines from %g to %g, factors %.4g to %.4g", b.Name, f.Key, f.Path, len(v.X), v.X[0], v.X[len(v.X)-1], lo, hi)
		if f.Key == profileKey {
			mean, err := meanFactor(c, b, v)
			if err != nil {
				return nil, nil, err
			}
			line += mean.text()
		}
		lines = append(lines, line)
		curves = append(curves, v)
	}
	if len(curves) > 0 {
		warnings, err = factorsFit(c, b, curves)
	}
	return lines, warnings, err
}

// factorsFit checks the effect of a boundary's files on its velocity; their curves are in the order of
// b.Tables. An error where the Mach number of the run would be above 0.3, as for velocities without files.
func factorsFit(c *config.Case, b config.Boundary, curves []curve.Curve) (warnings finding.List, err error) {
	factor := 1.0
	for i, f := range b.Tables() {
		factor *= mostOf(f, curves[i], float64(c.Run.Steps)*f.Unit)
	}
	mach := b.Fastest * factor / math.Sqrt(model.CS2)
	text := fmt.Sprintf("[boundary.%s]: with the largest factor of its files, %.4g, the Mach number of its velocity is %.3g", b.Name, factor, mach)
	switch {
	case mach > 0.3:
		return nil, b.Tables()[0].At.Wrong(errors.New(text + ", above 0.3; a smaller time step, or smaller factors, lower it"))
	case mach > 0.1:
		warnings = append(warnings, finding.TableMach.Says("%s, above 0.1: expect compressibility errors of about %.3g %%", text, 100*mach*mach))
	}
	return warnings, nil
}

// mostOf returns the largest magnitude of the factors of a file, of a table until a time.
func mostOf(f config.TableFile, c curve.Curve, end float64) float64 {
	lo, hi := c.Range()
	if f.Key == "table" && !f.Repeat {
		lo, hi = c.At(0), c.At(0)
		for _, t := range append([]float64{end}, c.X...) {
			if t >= 0 && t <= end {
				lo, hi = math.Min(lo, c.At(t)), math.Max(hi, c.At(t))
			}
		}
	}
	return math.Max(math.Abs(lo), math.Abs(hi))
}

// LoadTables fills p.tables.curves and writes the checksums into the resolved case: rank 0 reads
// the files. Collective.
func (p *Part) LoadTables(on *rank.Rank) error {
	for _, b := range p.Case.Boundaries {
		for _, f := range b.Tables() {
			if err := p.loadTable(on, b, f); err != nil {
				return err
			}
		}
		if files := b.Tables(); len(files) > 0 {
			var curves []curve.Curve
			for _, f := range files {
				curves = append(curves, p.tables.curves[f.Key+" "+f.Boundary])
			}
			warnings, err := factorsFit(p.Case, b, curves)
			if err != nil {
				return exit.With(exit.Usage, err) // the same on every rank
			}
			for _, w := range warnings {
				if on.Root {
					on.Warn(w)
				}
			}
		}
	}
	if len(p.tables.sums) > 0 {
		p.Case.Resolved = config.Pin(p.Case.Resolved, p.tables.sums)
	}
	if f := p.largestFactor(); f > 1 && p.Case.Speed > 0 {
		p.Case.Speed *= f
		p.Case.SpeedOf += fmt.Sprintf(" times %.4g, the largest factor of its files", f)
	}
	return nil
}

// largestFactor returns the largest factor in any boundary's files, by which the fluid may be faster than the case's
// velocities: 1 without files.
func (p *Part) largestFactor() float64 {
	largest := 1.0
	for _, b := range p.Case.Boundaries {
		factor := 1.0
		for _, f := range b.Tables() {
			c := p.tables.curves[f.Key+" "+f.Boundary]
			lo, hi := c.Range()
			factor *= math.Max(math.Abs(lo), math.Abs(hi))
		}
		largest = math.Max(largest, factor)
	}
	return largest
}

func (p *Part) loadTable(on *rank.Rank, b config.Boundary, f config.TableFile) error {
	var data []byte
	var sum string
	var err error
	if on.Root {
		data, _, sum, err = OpenTable(f)
	}
	if err := comm.Agree(on.Comm, err); err != nil {
		return exit.Agreed(exit.Usage, err)
	}
	message, err := comm.Broadcast(on.Comm, append([]byte(sum), data...))
	if err != nil {
		return err
	}
	const digits = 64
	c, err := curve.Parse(f.Path, message[digits:])
	if err != nil {
		return err
	}
	if p.tables.curves == nil {
		p.tables.curves = map[string]curve.Curve{}
	}
	p.tables.curves[f.Key+" "+f.Boundary] = c
	sum = string(message[:digits])
	p.tables.sums = append(p.tables.sums, sum)
	p.Inputs = append(p.Inputs, Input{Path: f.Path, Shown: f.Shown, SHA256: sum})
	lo, hi := c.Range()
	text := fmt.Sprintf("%d lines, factors %.4g to %.4g", len(c.X), lo, hi)
	if f.Key == profileKey {
		mean, err := meanFactor(p.Case, b, c)
		if err != nil {
			return exit.With(exit.Usage, err) // the same on every rank
		}
		text += mean.text()
	}
	if f.Repeat {
		text += fmt.Sprintf(", repeating every %.6g steps", (c.X[len(c.X)-1]-c.X[0])/f.Unit)
	}
	p.Case.Table = append(p.Case.Table, config.Row{Name: f.Key + " of " + f.Boundary, Lattice: text,
		SI: fmt.Sprintf("%s, SHA-256 %.12s...", f.Shown, sum)})
	return nil
}

// factor returns the factor of a boundary's velocity and pressure at a time in steps, from its ramp and its table; nil: the
// factor is 1.
func (s *tables) factor(b config.Boundary) func(t float64) float64 {
	if b.Ramp == 0 && b.Table == nil {
		return nil
	}
	table, listed := s.curves["table "+b.Name]
	return func(t float64) float64 {
		f := b.Rise(t)
		if listed && b.Table.Repeat {
			f *= table.Cycle(t * b.Table.Unit)
		} else if listed {
			f *= table.At(t * b.Table.Unit)
		}
		return f
	}
}

// Factors returns the range of that factor over the whole table, 1 without one; ramps begin at 0, which the initial state
// has.
func (p *Part) Factors(b config.Boundary) (lo, hi float64) {
	if table, listed := p.tables.curves["table "+b.Name]; listed {
		return table.Range()
	}
	return 1, 1
}

// mean returns the motion of a boundary in the case, without turbulence and the factors of its files.
func mean(b config.Boundary) boundary.Motion {
	v := b.Profile
	if v == nil {
		return boundary.Constant(b.Velocity)
	}
	return boundary.Formula{Timed: b.Timed, Code: b.Code, Velocity: func(p [3]float64, t float64) [3]float64 {
		return [3]float64{v[0](p[0], p[1], p[2], t), v[1](p[0], p[1], p[2], t), v[2](p[0], p[1], p[2], t)}
	}}
}

// gain returns the factor of a boundary's velocity at a point in cells, from its profile; nil: the gain is 1.
func (s *tables) gain(c *config.Case, b config.Boundary) func(at [3]float64) float64 {
	outline, listed := s.curves[profileKey+" "+b.Name]
	if !listed {
		return nil
	}
	return func(at [3]float64) float64 { return outline.At(position(c, b, at)) }
}

func length(v [3]float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }
