package sim

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
)

// fieldFiles writes [output.fields]: one VTKHDF file a time.
type fieldFiles struct {
	config.FieldsOutput
	series fields.Series
	at     int
	// Snapshots of this host, kept for the next time: one slice a field, of the type
	// that the files have.
	single [][]float32
	double [][]float64
	// crowded: the device has no memory for snapshots beside the steps.
	crowded bool
}

func (f *fieldFiles) schedule() config.Schedule { return f.Schedule }
func (f *fieldFiles) written() int              { return f.at }
func (f *fieldFiles) close()                    {}

// write takes a snapshot of the fields, or begins to; a goroutine brings it to the disk.
func (f *fieldFiles) write(r *run) error {
	if err := r.settleInTurn("fields"); err != nil {
		return err
	}
	f.at = r.n
	p, err := f.series.Begin(r.Comm, r.Box, r.grid(), r.listed(f.Fields, f.Type), r.meta())
	if err != nil {
		return r.missed("fields", r.agreedAt(r.n, "fields", err))
	}
	work, err := f.snapshot(r, p)
	if err := r.all("reading the fields", err); err != nil {
		p.Abort()
		return err
	}
	r.launch(&job{kind: "fields", path: f.series.Index(), finish: p.Commit}, func() error {
		if err := work(); err != nil {
			return err
		}
		return p.Flush()
	})
	return nil
}

// grid is all cells, as files of fields have them.
func (r *run) grid() fields.Grid {
	g := fields.Grid{N: r.Case.Cells, Spacing: r.Case.Units.Length}
	for a := range g.Origin {
		g.Origin[a] = r.Case.Origin[a] + r.Case.Units.Length/2
	}
	return g
}

// listed is fields as a file of them has them.
func (r *run) listed(list []model.Field, precision model.Precision) (in []fields.Field) {
	t := fields.Float32
	if precision == model.Float64 {
		t = fields.Float64
	}
	for _, m := range list {
		in = append(in, fields.Field{Name: m.Name, Unit: r.Case.Units.Symbol(m.Dim), Components: m.Components, Type: t})
	}
	return in
}

// meta is where a file of the present step comes from.
func (r *run) meta() fields.Meta {
	return fields.Meta{Case: r.Case.Resolved, Version: r.options.Version, Provenance: r.provenance.String(), Step: int64(r.n), Time: r.time()}
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
	if f.Type == model.Float32 {
		return copyFields(r, f.Fields, p, &f.single)
	}
	return copyFields(r, f.Fields, p, &f.double)
}

// prepare takes the memory of snapshots before the first step, where outputs repeat.
func (f *fieldFiles) prepare(r *run) {
	if taker, ok := r.program.(device.SnapshotTaker); ok && f.Schedule.Period > 0 {
		_ = taker.Prepare(f.reads(r)) // what is missing now may be there later; shoot says what to do without
	}
}

// reads is the cells of this rank, in local coordinates, whose fields a file takes.
func (f *fieldFiles) reads(r *run) decomp.Box {
	box := decomp.Box{Hi: r.Layout.N}
	if slices.ContainsFunc(f.Fields, derive.Derivative) {
		for a, g := range r.Layout.Ghost {
			box.Lo[a], box.Hi[a] = box.Lo[a]-g, box.Hi[a]+g
		}
	}
	return box
}

// shoot lets the device read the fields beside the steps. Collective: where a rank
// has no memory for that, all ranks go the other way from now on, and work is nil.
func (f *fieldFiles) shoot(r *run, p *fields.Pending, taker device.SnapshotTaker) (work func() error, err error) {
	box := f.reads(r)
	shot, err := taker.FieldsAsync(r.reader, r.state[0], box, r.params)
	none := comm.Agree(r.Comm, err)
	var failure *comm.Failure
	switch {
	case none == nil:
		r.edge.After(shot.Taken())
		r.bulk.After(shot.Taken())
		step := r.n
		return func() error { return deliver(r, step, f.FieldsOutput, p, box, shot) }, nil
	case !errors.As(none, &failure): // the ranks could not talk
		return nil, none
	case r.Root:
		r.options.Report.Warn(fmt.Sprintf("the steps wait for each output of fields: %v", none))
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
func deliver(r *run, step int, f config.FieldsOutput, p *fields.Pending, box decomp.Box, shot device.Snapshot) error {
	defer shot.Close()
	single, double, err := shot.Wait()
	switch {
	case err != nil:
		return err
	case double != nil && f.Type == model.Float64:
		return convert[float64](r, step, f.Fields, p, derive.Held(box, r.Case.Spec.FieldValues(), double))
	case double != nil:
		return convert[float32](r, step, f.Fields, p, derive.Held(box, r.Case.Spec.FieldValues(), double))
	case f.Type == model.Float64:
		return convert[float64](r, step, f.Fields, p, derive.Held(box, r.Case.Spec.FieldValues(), single))
	}
	return convert[float32](r, step, f.Fields, p, derive.Held(box, r.Case.Spec.FieldValues(), single))
}

// batch is about how many bytes are computed, summed up and handed to the system at
// once: enough for one call, few enough to stay in a core's cache on the way.
const batch = 1 << 20

// planesAtOnce is how many planes of that many numbers make a batch.
func planesAtOnce[T derive.Number](values int) int {
	return max(1, batch/(values*int(unsafe.Sizeof(*new(T)))))
}

// convert brings fields from the host's memory to the file.
func convert[Out, In derive.Number](r *run, step int, list []model.Field, p *fields.Pending, from derive.Source[In]) error {
	// One thread stays with the loop, which would else wait for its turn between steps.
	return domain.Spread(r.Threads-1, r.Layout.N[r.Layout.Axis()], func(lo, hi int) error {
		s := derive.NewSampler[Out](r.Part, step, from, list...)
		ready := make([][]Out, len(list)) // planes of each field that are not written yet
		flush := func(i, end int) error {
			planes := len(ready[i]) / s.Values(list[i])
			err := p.Write(i, end-planes, domain.BytesOf(ready[i]))
			ready[i] = ready[i][:0]
			r.Pulse.Mark()
			return err
		}
		for i, m := range list {
			n := s.Values(m)
			ready[i] = make([]Out, 0, n*min(hi-lo, planesAtOnce[Out](n)))
		}
		for k := lo; k < hi; k++ {
			for i, m := range list {
				b := ready[i]
				n := len(b) + s.Values(m)
				if _, err := s.Sample(m, k, b[len(b):n]); err != nil {
					return fmt.Errorf("%s of plane %d: %w", m.Name, k, err)
				}
				if ready[i] = b[:n]; n == cap(b) || k+1 == hi {
					if err := flush(i, k+1); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// time is the simulated time, in seconds where the case has units.
func (r *run) time() float64 { return float64(r.n) * r.Case.Units.Time }

// copyFields samples fields of the current state into the slices of kept, and returns
// the work of writing them.
func copyFields[Out derive.Number](r *run, list []model.Field, p *fields.Pending, kept *[][]Out) (write func() error, err error) {
	planes := r.Layout.N[r.Layout.Axis()]
	if *kept == nil {
		for _, m := range list {
			*kept = append(*kept, make([]Out, r.Box.Cells()*m.Components))
		}
	}
	data := *kept
	part := func(i, lo, hi int) []Out { // planes lo to hi of field i
		n := len(data[i]) / planes
		return data[i][lo*n : hi*n]
	}
	from := r.view().Present()
	if _, ok := r.program.(device.SnapshotTaker); ok && r.Case.Spec.Precision != model.Float64 {
		// Whether there was memory for snapshots must not be seen in the files.
		from = derive.Rounded(from)
	}
	err = r.Share(planes, func(lo, hi int) error {
		s := derive.NewSampler[Out](r.Part, r.n, from, list...)
		for k := lo; k < hi; k++ {
			for i, m := range list {
				if _, err := s.Sample(m, k, part(i, k, k+1)); err != nil {
					return fmt.Errorf("%s of plane %d: %w", m.Name, k, err)
				}
			}
		}
		return nil
	})
	return func() error {
		for i := range data {
			step := planesAtOnce[Out](len(part(i, 0, 1)))
			for k := 0; k < planes; k += step {
				if err := p.Write(i, k, domain.BytesOf(part(i, k, min(k+step, planes)))); err != nil {
					return err
				}
			}
		}
		return nil
	}, err
}
