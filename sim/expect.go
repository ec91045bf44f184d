package sim

import (
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/domain"
)

// judge measures what the case expects of its end state. Sums do not depend on the
// number of ranks (planeSums). Verdicts are the same on every rank.
func (r *run) judge() ([]Verdict, error) {
	if len(r.Case.Expect) == 0 {
		return nil, nil
	}
	var got []float64
	for _, e := range r.Case.Expect {
		v, err := r.measure(e)
		if err != nil {
			return nil, fmt.Errorf("rank %d: measuring %s: %w", r.Rank, e.Name, err)
		}
		got = append(got, v)
	}
	// Rank 0 has the values.
	b, err := comm.Broadcast(r.Comm, domain.Float64Bytes(got))
	if err != nil {
		return nil, err
	}
	var verdicts []Verdict
	for i, e := range r.Case.Expect {
		v := Verdict{Quantity: e.Name, Got: domain.Float64At(b, i), Want: e.Value, Tolerance: e.Tolerance, Free: e.Free}
		v.OK = math.Abs(v.Got-v.Want) <= v.Tolerance || v.Free && (!math.IsNaN(v.Got) || e.Quantity == config.LineCrossing) // false for NaN, but that there is no crossing may be
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// measure returns the value of one quantity on rank 0, in the outputs' unit.
func (r *run) measure(e config.Expectation) (float64, error) {
	factor, t := r.Case.Units.Factor(e.Dim), r.watch.totals
	cells := float64(t.Cells)
	switch e.Quantity {
	case config.MassError:
		return math.Abs(t.Mass-r.watch.start.Mass) / (cells + r.watch.start.Mass), nil
	case config.MaxSpeed:
		return factor * t.MaxSpeed, nil
	case config.KineticEnergy:
		return factor * t.Energy / cells, nil
	case config.MeanVelocity:
		if e.Component < 0 {
			return factor * math.Sqrt(t.Momentum[0]*t.Momentum[0]+t.Momentum[1]*t.Momentum[1]+t.Momentum[2]*t.Momentum[2]) / (cells + t.Mass), nil
		}
		return factor * t.Momentum[e.Component] / (cells + t.Mass), nil
	case config.VelocityL2Error, config.VelocityLinfError:
		return r.velocityError(e)
	case config.ProbeValue:
		line := e
		line.Axis, line.Columns, line.Span = 0, []config.Column{{Cell: e.Cell, Weight: 1}}, [2]int{e.Cell[0], e.Cell[0] + 1}
		v, err := r.line(line)
		if err != nil || !r.Root {
			return 0, err
		}
		return v[0], nil
	case config.ForceValue:
		if !r.Root {
			return 0, nil
		}
		return r.forceValue(e), nil
	case config.LineMin, config.LineMax:
		v, err := r.line(e)
		if err != nil || !r.Root {
			return 0, err
		}
		return e.OfLine(v), nil
	case config.LineMinPlace, config.LineMaxPlace, config.LineCrossing:
		v, err := r.line(e)
		if err != nil || !r.Root {
			return 0, err
		}
		return r.Case.Origin[e.Axis] + r.Case.Units.Length*e.OfLine(v), nil
	}
	return 0, fmt.Errorf("no such quantity: %s", e.Quantity)
}

// velocityError compares the velocity with the expectation's reference.
func (r *run) velocityError(e config.Expectation) (float64, error) {
	velocity, _ := model.FindField("velocity")
	s := newSampler[float64](r, r.n, r.present(), velocity)
	s.units = config.Units{Length: 1, Time: 1, Density: 1}
	axis, n := r.Layout.Axis(), r.Layout.N
	of := domain.Columns{Added: 2, All: 4}
	var sums []float64 // of each row: |u-r|^2, |r|^2 and the maxima of both
	var values []float64
	for k := 0; k < n[axis]; k++ {
		var err error
		if values, err = s.sample(velocity, k, values); err != nil {
			return 0, err
		}
		for row := 0; row < s.rows(); row++ {
			p := [4]float64{}
			y, z := s.position(row, k)
			for x := 0; x < n[0]; x++ {
				if s.cells.At(x, y, z) != 0 {
					continue
				}
				var diff, ref float64
				for c := 0; c < s.dims; c++ {
					want := e.Reference[c](float64(x+r.Box.Lo[0])+0.5, float64(y+r.Box.Lo[1])+0.5, float64(z+r.Box.Lo[2])+0.5, float64(r.n))
					d := values[3*(row*n[0]+x)+c] - want
					diff += d * d
					ref += want * want
				}
				p[0], p[1] = p[0]+diff, p[1]+ref
				p[2], p[3] = math.Max(p[2], diff), math.Max(p[3], ref)
			}
			sums = append(sums, p[:]...)
		}
	}
	planes, err := r.PlaneSums(sums, of)
	if err != nil || !r.Root {
		return 0, err
	}
	var sum [4]float64
	for ; len(planes) > 0; planes = planes[of.All:] {
		sum[0] += planes[0]
		sum[1] += planes[1]
		sum[2] = math.Max(sum[2], planes[2])
		sum[3] = math.Max(sum[3], planes[3])
	}
	if e.Quantity == config.VelocityL2Error {
		return math.Sqrt(sum[0] / sum[1]), nil
	}
	return math.Sqrt(sum[2] / sum[3]), nil
}

// line returns, on rank 0, the values along a line of cells.
func (r *run) line(e config.Expectation) ([]float64, error) {
	var box decomp.Box
	box.Lo[e.Axis], box.Hi[e.Axis] = e.Span[0], e.Span[1]
	for a := range box.Lo {
		if a != e.Axis {
			box.Lo[a], box.Hi[a] = 1<<30, 0
			for _, c := range e.Columns {
				box.Lo[a], box.Hi[a] = min(box.Lo[a], c.Cell[a]), max(box.Hi[a], c.Cell[a]+1)
			}
		}
	}
	values, err := r.collect(e.Field, e.Component, box)
	if err != nil || !r.Root {
		return nil, err
	}
	n := box.Size()
	return e.Samples(func(cell [3]int) float64 {
		return values[((cell[2]-box.Lo[2])*n[1]+cell[1]-box.Lo[1])*n[0]+cell[0]-box.Lo[0]]
	}), nil
}
