// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"slices"

	"lbmsim/config"
	"lbmsim/io/probe"
	"lbmsim/sim/derive"
)

// series writes one [output.series.NAME]: a CSV row per sample, on rank 0. Sums have the
// order of domain.Part.PlaneSums.
type series struct {
	config.SeriesOutput
	rows
}

// seriesOutputs returns the outputs of [output.series].
func seriesOutputs(s *Set) (list []Output) {
	for _, o := range s.Case.Series {
		list = append(list, &series{SeriesOutput: o, rows: newRows(s.Run, o.Schedule, "series", o.Name, "series/"+o.Name)})
	}
	return list
}

// Write adds a row. A failure of the file is reported at the next sync, as for probes.
func (s *series) Write(r *Run) error {
	s.at = r.Step()
	var t derive.Totals
	if slices.ContainsFunc(s.Quantities, func(q config.SeriesQuantity) bool { return !q.OfModel() }) {
		var err error
		if t, err = r.Watch.Totals(); err != nil {
			return fmt.Errorf("rank %d: series at step %d: %w", r.Rank.ID, r.Step(), err)
		}
	}
	var row []float64
	for _, q := range s.Quantities {
		values, err := s.values(r, q, t)
		if err != nil {
			return err
		}
		for _, v := range values {
			row = append(row, r.Case.Units.Factor(q.Dim)*v)
		}
	}
	for _, l := range s.Lines {
		v, err := r.View.LineValue(l.Of)
		if err != nil {
			return fmt.Errorf("rank %d: %s at step %d: %w", r.Rank.ID, l.Of.Name, r.Step(), err)
		}
		row = append(row, v)
	}
	if r.Rank.Root {
		_ = s.file.Append(int64(r.Step()), r.Time(), row...)
	}
	return nil
}

// values of a quantity at the present step, in lattice units, on rank 0. Collective.
func (s *series) values(r *Run, q config.SeriesQuantity, t derive.Totals) ([]float64, error) {
	space, dims := t.Space(), r.Case.Dims()
	switch q.Name {
	case config.SeriesDensity:
		return []float64{1 + t.Mass/space}, nil
	case config.SeriesVelocity:
		var mean []float64
		for _, p := range t.Momentum[:dims] {
			mean = append(mean, p/(space+t.Mass))
		}
		return mean, nil
	case config.SeriesForce:
		force := r.State.Force()
		return force[:dims], nil
	case config.SeriesMaxSpeed:
		return []float64{t.MaxSpeed}, nil
	case config.SeriesEnergy:
		return []float64{t.Energy / space}, nil
	case config.SeriesDrift:
		return []float64{r.Watch.Drift(t)}, nil
	case config.SeriesGridScale:
		share, err := r.Watch.GridScale()
		if err != nil {
			return nil, err
		}
		return []float64{share}, nil
	case config.SeriesEnstrophy:
		sum, err := r.View.Sum("vorticity", derive.Squares)
		if err != nil {
			return nil, fmt.Errorf("rank %d: enstrophy at step %d: %w", r.Rank.ID, r.Step(), err)
		}
		return []float64{sum / 2 / space}, nil
	case config.SeriesLeastPlus, config.SeriesMeanPlus, config.SeriesMostPlus:
		walls, err := r.Loads.Walls()
		if err != nil {
			return nil, err
		}
		least, mean, most := derive.Together(walls).Plus()
		return []float64{map[string]float64{config.SeriesLeastPlus: least, config.SeriesMeanPlus: mean, config.SeriesMostPlus: most}[q.Name]}, nil
	case config.SeriesTemperature:
		sum, err := r.View.Sum("temperature", derive.Values)
		if err != nil {
			return nil, fmt.Errorf("rank %d: temperature at step %d: %w", r.Rank.ID, r.Step(), err)
		}
		return []float64{r.Case.Temperature.Reference + sum/space}, nil
	}
	return nil, fmt.Errorf("[output.series.%s]: no definition of %s", s.Name, q.Name) // a row of config without one
}

// header names the columns.
func (s *series) header(r *Run) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	for _, q := range s.Quantities {
		names := []string{q.Name}
		if q.Vector {
			names = nil
			for a := range r.Case.Dims() {
				names = append(names, q.Name+" "+"xyz"[a:a+1])
			}
		}
		for _, name := range names {
			h.Columns = append(h.Columns, probe.Column{Name: name, Unit: u.Symbol(q.Dim)})
		}
	}
	for _, l := range s.Lines {
		h.Columns = append(h.Columns, probe.Column{Name: l.Name, Unit: u.Symbol(l.Of.Dim)})
	}
	return h
}
