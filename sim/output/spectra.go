// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/probe"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// spectrum is the statistic of [output.spectrum.NAME]: the means over lines of their spectra, in lattice units, a row for
// each position and wave number. Its numbers are [position][column][n-1].
type spectrum struct {
	config.Spectrum
	list   []statisticColumn
	waves  []int // of each position
	warned bool  // of planes without lines
}

// spectrumOutputs returns the outputs of [output.spectrum].
func spectrumOutputs(s *Set) (list []Output) {
	c := s.Case
	for _, p := range c.Spectra {
		of := &spectrum{Spectrum: p}
		for k := range p.Positions() {
			of.waves = append(of.waves, p.Waves(c.Cells, k))
		}
		for _, f := range p.Fields {
			for _, k := range components(f, c.Dims()) {
				of.list = append(of.list, spectrumColumn(f, k, c.Dims()))
			}
		}
		what := p
		what.Schedule, what.Sample = config.Schedule{}, config.Schedule{}
		list = append(list, withTable(s.Run, "spectrum", p.Schedule, &statistic[config.Spectrum]{
			base: newBase(p.Sample), quantity: of, name: p.Name, of: what, size: of.blockRows(c) * len(of.list), start: p.Start, restarted: p.Restarted,
			memory: func(m *Memory) map[string]statisticMemory[config.Spectrum] { return m.Spectra },
		})...)
	}
	return list
}

// spectrumColumn returns the column of a component: its number among the state's values, and the factor of its square.
func spectrumColumn(f model.Field, c, dims int) statisticColumn {
	column := statisticColumn{field: f, name: componentName(f, c), factor: 1}
	switch f.Name {
	case "velocity_spectrum":
		column.number = 1 + c
	case "pressure_spectrum":
		column.factor = model.CS2 * model.CS2
	case "temperature_spectrum":
		column.number = 1 + dims
	default:
		panic("there is no spectrum " + f.Name) // a row of model.Spectra without a formula
	}
	return column
}

func (p *spectrum) prepare(*Run) error { return nil }

// sample returns the spectra of all planes, NaN for planes without whole lines of fluid.
func (p *spectrum) sample(r *Run, _ *sums) (all []float64, err error) {
	var values []int
	for _, c := range p.list {
		values = append(values, c.number)
	}
	empty := ""
	for k := range p.Positions() {
		sums, lines, err := r.View.Spectra(r.presentOf, values, p.lines(r.Case.Cells, k))
		if err != nil {
			return nil, err
		}
		if lines == 0 && empty == "" {
			empty = "the domain"
			if len(p.At) > 0 {
				empty = fmt.Sprintf("the plane %s = %g", "xyz"[p.Normal:p.Normal+1], p.middle(r, k))
			}
		}
		width := math.Ldexp(1, -p.Level(k)) // of a cell, in cells of level 0
		for _, e := range sums {
			all = append(all, width*(e/float64(lines)))
		}
	}
	if r.Rank.Root && empty != "" && !p.warned {
		p.warned = true
		r.Rank.Warn(finding.EmptySpectrum.Says("[output.spectrum.%s]: each line of %s along %s has solid cells: its spectrum is NaN", p.Name, empty, "xyz"[p.Along:p.Along+1]))
	}
	return all, nil
}

// lines returns the lines that have a spectrum together.
func (p *spectrum) lines(cells [3]int, position int) derive.Lines {
	l := derive.Lines{Along: p.Along, Normal: p.Normal, Level: p.Level(position)}
	if l.Planes = [2]int{0, cells[p.Normal] << l.Level}; len(p.At) > 0 {
		l.Planes = [2]int{p.At[position], p.At[position] + 1}
	}
	return l
}

// middle of a position's plane of cells, in the outputs' unit.
func (p *spectrum) middle(r *Run, position int) float64 {
	return r.Case.Origin[p.Normal] + math.Ldexp(float64(p.At[position])+0.5, -p.Level(position))*r.Case.Units.Length
}

// of returns the position of a row of a block, its number there, and the number of a column's values before the position's.
func (p *spectrum) of(row int) (position, wave, before int) {
	for row >= p.waves[position] {
		before += p.waves[position]
		row -= p.waves[position]
		position++
	}
	return position, row, before
}

func (p *spectrum) columns() []statisticColumn   { return p.list }
func (p *spectrum) blockRows(c *config.Case) int { return p.Rows(c.Cells) }

func (p *spectrum) value(s *sums, row, column int) (v, half float64) {
	position, wave, before := p.of(row)
	e := s.Series.Estimate(before*len(p.list) + column*p.waves[position] + wave)
	return e.Mean, e.Half
}

func (p *spectrum) places(r *Run) (list []probe.Column) {
	u := r.Case.Units
	if len(p.At) > 0 {
		list = append(list, probe.Column{Name: "xyz"[p.Normal : p.Normal+1], Unit: unitOf(u, model.Length)})
	}
	k := probe.Column{Name: "k"}
	if u.Physical {
		k.Unit = "rad/m"
	}
	return append(list, k)
}

func (p *spectrum) place(r *Run, row int) (at []float64) {
	position, wave, _ := p.of(row)
	if len(p.At) > 0 {
		at = append(at, p.middle(r, position))
	}
	dk := 2 * math.Pi / (float64(r.Case.Cells[p.Along]) * r.Case.Units.Length)
	return append(at, float64(wave+1)*dk)
}
