package sim

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/io/curve"
)

// Boundaries that change with time by a ramp or a table.

// OpenTable reads the table of a boundary.
func OpenTable(f config.TableFile) (data []byte, c curve.Curve, sum string, err error) {
	data, sum, err = curve.Read(f.Path)
	if err == nil && f.SHA256 != "" && f.SHA256 != sum {
		err = fmt.Errorf("%s has another SHA-256 than the case says: %s", f.Path, sum)
	}
	if err == nil {
		c, err = curve.Parse(f.Path, data)
	}
	if err != nil {
		err = fmt.Errorf("[boundary.%s]: %w", f.Boundary, err)
	}
	return data, c, sum, err
}

// loadTables fills r.curves and writes the checksums into the resolved case: rank 0 reads
// the files. Collective.
func (r *run) loadTables() error {
	var sums []string
	for _, b := range r.Case.Boundaries {
		if b.Table == nil {
			continue
		}
		var data []byte
		var sum string
		var err error
		if r.root {
			data, _, sum, err = OpenTable(*b.Table)
		}
		if err := comm.Agree(r.Comm, err); err != nil {
			return Agreed(ExitUsage, err)
		}
		message, err := comm.Broadcast(r.Comm, append([]byte(sum), data...))
		if err != nil {
			return err
		}
		const digits = 64
		c, err := curve.Parse(b.Table.Path, message[digits:])
		if err != nil {
			return err
		}
		if r.curves == nil {
			r.curves = map[string]curve.Curve{}
			own := *r.Case // ranks of one process share the case
			own.Table = append([]config.Row{}, own.Table...)
			r.Case = &own
		}
		r.curves[b.Name] = c
		sum = string(message[:digits])
		sums = append(sums, sum)
		lo, hi := c.Range()
		r.Case.Table = append(r.Case.Table, config.Row{Name: "boundary " + b.Name, Lattice: fmt.Sprintf("%d times, factors %.4g to %.4g", len(c.X), lo, hi),
			SI: fmt.Sprintf("%s, SHA-256 %.12s...", b.Table.Shown, sum)})
	}
	if len(sums) > 0 {
		r.Case.Resolved = config.Pin(r.Case.Resolved, sums)
	}
	return nil
}

// factor of the velocity and the pressure of a boundary at a time in steps; nil: none.
func (r *run) factor(b config.Boundary) func(t float64) float64 {
	if b.Ramp == 0 && b.Table == nil {
		return nil
	}
	table, listed := r.curves[b.Name]
	return func(t float64) float64 {
		f := 1.0
		if t < b.Ramp {
			f = (1 - math.Cos(math.Pi*t/b.Ramp)) / 2
		}
		if listed {
			f *= table.At(t * b.Table.Step)
		}
		return f
	}
}
