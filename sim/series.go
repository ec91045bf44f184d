package sim

import (
	"fmt"

	"lbmsim/config"
	"lbmsim/io/probe"
)

// series writes one [output.series.NAME]: a CSV row a sample, on rank 0. Sums have the
// order of planeSums.
type series struct {
	config.SeriesOutput
	rows
	at int
}

func newSeries(r *run, s config.SeriesOutput) *series {
	return &series{SeriesOutput: s, at: -1, rows: rows{kind: "series " + s.Name, key: "series/" + s.Name, path: r.outputDir("series_" + s.Name + ".csv")}}
}

func (s *series) schedule() config.Schedule { return s.Schedule }
func (s *series) written() int              { return s.at }

// write adds a row. A failure of the file comes out at the next sync, as of probes.
func (s *series) write(r *run) error {
	s.at = r.n
	t := r.watch.totals
	if r.watch.at != r.n && len(s.Quantities) > 0 {
		var err error
		if _, t, err = r.view().Census(); err != nil {
			return fmt.Errorf("rank %d: series at step %d: %w", r.Rank, r.n, err)
		}
	}
	cells, dims := float64(t.Cells), r.Case.Dims()
	var row []float64
	for _, q := range s.Quantities {
		var values []float64
		switch q.Name {
		case config.SeriesDensity:
			values = []float64{1 + t.Mass/cells}
		case config.SeriesVelocity:
			for _, p := range t.Momentum[:dims] {
				values = append(values, p/(cells+t.Mass))
			}
		case config.SeriesForce:
			values = append(values, r.params.Force[:dims]...)
		case config.SeriesMaxSpeed:
			values = []float64{t.MaxSpeed}
		case config.SeriesEnergy:
			values = []float64{t.Energy / cells}
		case config.SeriesDrift:
			values = []float64{r.drift(t)}
		case config.SeriesGridScale:
			share, err := r.gridScale()
			if err != nil {
				return err
			}
			values = []float64{share}
		case config.SeriesEnstrophy:
			sum, err := r.view().Sum("vorticity", func(v float64) float64 { return v * v })
			if err != nil {
				return fmt.Errorf("rank %d: enstrophy at step %d: %w", r.Rank, r.n, err)
			}
			values = []float64{sum / 2 / cells}
		case config.SeriesTemperature:
			sum, err := r.view().Sum("temperature", func(v float64) float64 { return v })
			if err != nil {
				return fmt.Errorf("rank %d: temperature at step %d: %w", r.Rank, r.n, err)
			}
			values = []float64{r.Case.Temperature.Reference + sum/cells}
		}
		for _, v := range values {
			row = append(row, r.Case.Units.Factor(q.Dim)*v)
		}
	}
	for _, l := range s.Lines {
		v, err := r.measure(l.Of)
		if err != nil {
			return fmt.Errorf("rank %d: %s at step %d: %w", r.Rank, l.Of.Name, r.n, err)
		}
		row = append(row, v)
	}
	if r.Root {
		_ = s.file.Append(int64(r.n), r.time(), row...)
	}
	return nil
}

// header names the columns.
func (s *series) header(r *run) probe.Header {
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
