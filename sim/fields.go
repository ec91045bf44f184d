package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/io/fields"
	"lbmsim/model"
)

// fieldFiles writes [output.fields]: one VTKHDF file a time.
type fieldFiles struct {
	config.FieldsOutput
	series fields.Series
	at     int
	data   [][]byte // snapshot, kept for the next time: one slice a field
	// crowded: the device has no memory for snapshots beside the steps.
	crowded bool
}

func (f *fieldFiles) schedule() config.Schedule { return f.Schedule }
func (f *fieldFiles) written() int              { return f.at }
func (f *fieldFiles) close()                    {}

// write takes a snapshot of the fields, or begins to; a goroutine brings it to the disk.
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
	work, err := f.snapshot(r, p)
	if err := r.all("reading the fields", err); err != nil {
		p.Abort()
		return err
	}
	r.launch(&job{kind: "fields", path: f.series.Index(), finish: p.Commit}, work)
	return nil
}

// snapshot takes what the file will hold, so that steps can go on, and returns the
// work that is left for a goroutine: on a device that reads fields beside the steps
// all but the reading, else the writing.
func (f *fieldFiles) snapshot(r *run, p *fields.Pending) (work func() error, err error) {
	if taker, ok := r.program.(device.SnapshotTaker); ok && !f.crowded {
		if work, err = f.shoot(r, p, taker); work != nil || err != nil {
			return work, err
		}
	}
	if err := f.copy(r); err != nil {
		return nil, err
	}
	planes := r.layout.N[r.layout.Axis()]
	return func() error {
		for i, d := range f.data {
			n := len(d) / planes
			for k := 0; k < planes; k++ {
				if err := p.Write(i, k, d[k*n:(k+1)*n]); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// shoot lets the device read the fields beside the steps. Collective: where a rank
// has no memory for that, all ranks go the other way from now on, and work is nil.
func (f *fieldFiles) shoot(r *run, p *fields.Pending, taker device.SnapshotTaker) (work func() error, err error) {
	box := decomp.Box{Hi: r.layout.N}
	if axis := r.layout.Axis(); r.newSampler(nil, f.Fields...).neighbours {
		box.Lo[axis]--
		box.Hi[axis]++
	}
	shot, err := taker.FieldsAsync(r.reader, r.state[0], box, r.params)
	none := comm.Agree(r.Comm, err)
	var failure *comm.Failure
	switch {
	case none == nil:
		r.edge.After(shot.Taken())
		r.bulk.After(shot.Taken())
		return func() error { return f.deliver(r, p, box, shot) }, nil
	case !errors.As(none, &failure): // the ranks could not talk
		return nil, none
	case r.root:
		r.Report.Warn(fmt.Sprintf("the steps wait for each output of fields: %v", none))
	}
	f.crowded = true
	if shot == nil {
		return nil, nil
	}
	defer shot.Close()
	_, _, err = shot.Wait()
	return nil, err
}

// deliver writes a snapshot, once it is on the host.
func (f *fieldFiles) deliver(r *run, p *fields.Pending, box decomp.Box, shot device.Snapshot) error {
	defer shot.Close()
	single, double, err := shot.Wait()
	if err != nil {
		return err
	}
	from := &held{box: box, components: 1 + r.Case.Dims(), single: single, double: double}
	// One thread stays with the loop, which would else wait for its turn between steps.
	return f.sample(r, from, r.threads()-1, func(i, k int, values []float64, b []byte) ([]byte, error) {
		b = appendValues(b[:0], values, f.Type)
		return b, p.Write(i, k, b)
	})
}

// held is fields in the host's memory as a source: [z][y][component][x] of a box.
type held struct {
	box        decomp.Box
	components int
	single     []float32 // or
	double     []float64
}

func (h *held) fields(box decomp.Box, into []float64) error {
	n, size := box.Size()[0], h.box.Size()
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			row := ((z-h.box.Lo[2])*size[1] + y - h.box.Lo[1]) * h.components
			for c := range h.components {
				at := (row+c)*size[0] + box.Lo[0] - h.box.Lo[0]
				if h.double != nil {
					copy(into[:n], h.double[at:])
				} else {
					for x, v := range h.single[at : at+n] {
						into[x] = float64(v)
					}
				}
				into = into[n:]
			}
		}
	}
	return nil
}

// time is the simulated time, in seconds where the case has units.
func (r *run) time() float64 { return float64(r.n) * r.Case.Units.Time }

// present is the current state as a source.
func (r *run) present() source { return present{r.program, r.state[0], r.params} }

// rounded is a source in the precision of snapshots of narrow states (device.Snapshot).
type rounded struct{ source }

func (s rounded) fields(box decomp.Box, into []float64) error {
	err := s.source.fields(box, into)
	for i, v := range into {
		into[i] = float64(float32(v))
	}
	return err
}

// newSampler makes a sampler of the whole of this rank's box.
func (r *run) newSampler(from source, fields ...model.Field) *sampler {
	s := &sampler{
		source: from,
		layout: r.layout, cells: r.cells, units: r.Case.Units, dims: r.Case.Dims(), faces: r.faces,
		region: decomp.Box{Hi: r.layout.N}, first: noPlane,
	}
	for _, f := range fields {
		s.neighbours = s.neighbours || f.Name == "vorticity"
	}
	return s
}

// copy samples fields of the current state into the byte slices of f.data,
// little-endian.
func (f *fieldFiles) copy(r *run) error {
	planes := r.layout.N[r.layout.Axis()]
	if f.data == nil {
		for _, m := range f.Fields {
			f.data = append(f.data, make([]byte, r.box.Cells()*m.Components*f.Type.Bytes()))
		}
	}
	from := r.present()
	if _, ok := r.program.(device.SnapshotTaker); ok && r.Case.Spec.Precision != model.Float64 {
		// Whether there was memory for snapshots must not be seen in the files.
		from = rounded{from}
	}
	return f.sample(r, from, r.threads(), func(i, k int, values []float64, spare []byte) ([]byte, error) {
		n := len(f.data[i]) / planes
		appendValues(f.data[i][k*n:k*n:(k+1)*n], values, f.Type)
		return spare, nil
	})
}

// sample calls put with the values of field i on plane k, for all of them. Each
// thread takes a range of planes, with a sampler of its own, and with bytes to use
// again, which put returns.
func (f *fieldFiles) sample(r *run, from source, threads int, put func(i, k int, values []float64, spare []byte) ([]byte, error)) error {
	return spread(threads, r.layout.N[r.layout.Axis()], func(lo, hi int) error {
		s := r.newSampler(from, f.Fields...)
		var values []float64
		var spare []byte
		for k := lo; k < hi; k++ {
			for i, m := range f.Fields {
				var err error
				if values, err = s.sample(m, k, values); err == nil {
					spare, err = put(i, k, values, spare)
				}
				if err != nil {
					return fmt.Errorf("%s of plane %d: %w", m.Name, k, err)
				}
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
