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
	data   [][]byte // snapshot, kept for the next time: one slice a field
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
	if err := r.all("reading the fields", f.snapshot(r)); err != nil {
		p.Abort()
		return err
	}
	planes := r.layout.N[r.layout.Axis()]
	r.launch(&job{kind: "fields", path: f.series.Index(), finish: p.Commit}, func() error {
		for i, d := range f.data {
			n := len(d) / planes
			for k := 0; k < planes; k++ {
				if err := p.Write(i, k, d[k*n:(k+1)*n]); err != nil {
					return err
				}
			}
		}
		return nil
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

// snapshot samples fields into the byte slices of f.data, little-endian. Each
// thread takes a range of planes, with a sampler of its own.
func (f *fieldFiles) snapshot(r *run) error {
	planes := r.layout.N[r.layout.Axis()]
	if f.data == nil {
		for _, m := range f.Fields {
			f.data = append(f.data, make([]byte, r.box.Cells()*m.Components*f.Type.Bytes()))
		}
	}
	return r.share(planes, func(lo, hi int) error {
		s := r.newSampler(f.Fields...)
		var values []float64
		for k := lo; k < hi; k++ {
			for i, m := range f.Fields {
				var err error
				if values, err = s.sample(m, k, values); err != nil {
					return fmt.Errorf("%s of plane %d: %w", m.Name, k, err)
				}
				n := len(f.data[i]) / planes
				appendValues(f.data[i][k*n:k*n:(k+1)*n], values, f.Type)
			}
		}
		return nil
	})
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
