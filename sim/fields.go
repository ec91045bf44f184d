package sim

import (
	"encoding/binary"
	"fmt"
	"math"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/fields"
	"lbmsim/model"
)

// fieldFiles writes [output.fields]: one VTKHDF file a time.
type fieldFiles struct {
	config.FieldsOutput
	series fields.Series
	at     int
}

func (f *fieldFiles) schedule() config.Schedule { return f.Schedule }
func (f *fieldFiles) written() int              { return f.at }
func (f *fieldFiles) close()                    {}

// write takes a snapshot of the fields; a goroutine brings it to the disk.
func (f *fieldFiles) write(r *run) error {
	if err := r.settle("fields"); err != nil {
		return err
	}
	f.at = r.n
	c := r.Case
	grid := fields.Grid{N: c.Cells, Spacing: c.Units.Length}
	for a := range grid.Origin {
		grid.Origin[a] = c.Origin[a] + c.Units.Length/2
	}
	var list []fields.Field
	for _, m := range f.Fields {
		t := fields.Float32
		if f.Type == model.Float64 {
			t = fields.Float64
		}
		list = append(list, fields.Field{Name: m.Name, Unit: c.Units.Symbol(m.Dim), Components: m.Components, Type: t})
	}
	p, err := f.series.Begin(r.Comm, r.box, grid, list, fields.Meta{Case: c.Resolved, Version: r.Version, Step: int64(r.n), Time: r.time()})
	if err != nil {
		return Agreed(ExitFailure, err)
	}
	data, err := r.snapshot(f.Fields, f.Type)
	if err := r.all("reading the fields", err); err != nil {
		p.Abort()
		return err
	}
	planes := r.layout.N[r.layout.Axis()]
	r.launch(&job{kind: "fields", path: f.series.Index(), finish: p.Commit}, func() {
		for i, d := range data {
			n := len(d) / planes
			for k := 0; k < planes; k++ {
				if p.Write(i, k, d[k*n:(k+1)*n]) != nil {
					return // Commit tells every rank
				}
			}
		}
	})
	return nil
}

// time is the simulated time, in seconds where the case has units.
func (r *run) time() float64 { return float64(r.n) * r.Case.Units.Time }

// newSampler reads the current state.
func (r *run) newSampler(fields ...model.Field) *sampler {
	s := &sampler{
		program: r.program, state: r.state[0], params: r.params, layout: r.layout, cells: r.cells,
		units: r.Case.Units, dims: r.Case.Dims(), faces: r.faces,
		region: decomp.Box{Hi: r.layout.N}, first: noPlane,
	}
	for _, f := range fields {
		s.neighbours = s.neighbours || f.Name == "vorticity"
	}
	return s
}

// snapshot samples fields plane by plane into one byte slice each, little-endian.
func (r *run) snapshot(fields []model.Field, p model.Precision) ([][]byte, error) {
	s := r.newSampler(fields...)
	planes := r.layout.N[r.layout.Axis()]
	out := make([][]byte, len(fields))
	var values []float64
	for k := 0; k < planes; k++ {
		for i, f := range fields {
			var err error
			if values, err = s.sample(f, k, values); err != nil {
				return nil, fmt.Errorf("%s of plane %d: %w", f.Name, k, err)
			}
			if out[i] == nil {
				out[i] = make([]byte, 0, planes*len(values)*p.Bytes())
			}
			out[i] = appendValues(out[i], values, p)
		}
	}
	return out, nil
}

func appendValues(b []byte, values []float64, p model.Precision) []byte {
	for _, v := range values {
		if p == model.Float32 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}
