package sim

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/io/curve"
)

// Boundaries that change with time by a ramp or a table, and profiles from files.

// OpenTable reads a table, or a profile, of a boundary.
func OpenTable(f config.TableFile) (data []byte, c curve.Curve, sum string, err error) {
	data, sum, err = curve.Read(f.Path)
	if err == nil && f.SHA256 != "" && f.SHA256 != sum {
		err = fmt.Errorf("%s has another SHA-256 than the case says: %s", f.Path, sum)
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

// loadTables fills r.curves and writes the checksums into the resolved case: rank 0 reads
// the files. Collective.
func (r *run) loadTables() error {
	for _, b := range r.Case.Boundaries {
		for _, f := range b.Tables() {
			if err := r.loadTable(f); err != nil {
				return err
			}
		}
	}
	if len(r.sums) > 0 {
		r.Case.Resolved = config.Pin(r.Case.Resolved, r.sums)
	}
	if f := r.largestFactor(); f > 1 && r.Case.Speed > 0 { // there are curves, so the case is the run's own
		r.Case.Speed *= f
		r.Case.SpeedOf += fmt.Sprintf(" times %.4g, the largest factor of its files", f)
	}
	return nil
}

// largestFactor is that of the files of any boundary, by which the case lets the fluid be faster
// than its velocities: 1 where there is none.
func (r *run) largestFactor() float64 {
	largest := 1.0
	for _, b := range r.Case.Boundaries {
		factor := 1.0
		for _, f := range b.Tables() {
			c := r.curves[f.Key+" "+f.Boundary]
			lo, hi := c.Range()
			factor *= math.Max(math.Abs(lo), math.Abs(hi))
		}
		largest = math.Max(largest, factor)
	}
	return largest
}

func (r *run) loadTable(f config.TableFile) error {
	var data []byte
	var sum string
	var err error
	if r.root {
		data, _, sum, err = OpenTable(f)
	}
	if err := comm.Agree(r.Comm, err); err != nil {
		return Agreed(ExitUsage, err)
	}
	message, err := comm.Broadcast(r.Comm, append([]byte(sum), data...))
	if err != nil {
		return err
	}
	const digits = 64
	c, err := curve.Parse(f.Path, message[digits:])
	if err != nil {
		return err
	}
	if r.curves == nil {
		r.curves = map[string]curve.Curve{}
		own := *r.Case // ranks of one process share the case
		own.Table = append([]config.Row{}, own.Table...)
		r.Case = &own
	}
	r.curves[f.Key+" "+f.Boundary] = c
	sum = string(message[:digits])
	r.sums = append(r.sums, sum)
	r.inputs = append(r.inputs, input{f.Path, f.Shown, sum})
	lo, hi := c.Range()
	text := fmt.Sprintf("%d lines, factors %.4g to %.4g", len(c.X), lo, hi)
	if f.Repeat {
		text += fmt.Sprintf(", again and again every %.6g steps", (c.X[len(c.X)-1]-c.X[0])/f.Unit)
	}
	r.Case.Table = append(r.Case.Table, config.Row{Name: f.Key + " of " + f.Boundary, Lattice: text,
		SI: fmt.Sprintf("%s, SHA-256 %.12s...", f.Shown, sum)})
	return nil
}

// factor of the velocity and the pressure of a boundary at a time in steps; nil: none.
func (r *run) factor(b config.Boundary) func(t float64) float64 {
	if b.Ramp == 0 && b.Table == nil {
		return nil
	}
	table, listed := r.curves["table "+b.Name]
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

// velocity of a boundary at a point in cells and a time in steps, without its gain; nil: it is constant.
func velocity(b config.Boundary) func(p [3]float64, t float64) [3]float64 {
	v := b.Profile
	switch {
	case v != nil:
		return func(p [3]float64, t float64) [3]float64 {
			return [3]float64{v[0](p[0], p[1], p[2], t), v[1](p[0], p[1], p[2], t), v[2](p[0], p[1], p[2], t)}
		}
	case b.Outline != nil:
		return func([3]float64, float64) [3]float64 { return b.Velocity }
	}
	return nil
}

// gain is the factor of a boundary's velocity at a point in cells, from its profile; nil: there is none.
func (r *run) gain(b config.Boundary) func(p [3]float64) float64 {
	outline, listed := r.curves["profile "+b.Name]
	if !listed {
		return nil
	}
	return func(p [3]float64) float64 {
		at := 0.0
		if b.Along < 3 {
			at = b.Outline.Start + p[b.Along]*b.Outline.Unit
		} else {
			for a, x := range p {
				if a != b.Faces[0].Axis && (a < 2 || r.Case.Dims() == 3) {
					at = math.Hypot(at, x-b.Part.Centre[a])
				}
			}
			at *= b.Outline.Unit
		}
		return outline.At(at)
	}
}
