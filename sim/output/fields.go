package output

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/internal/raw"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
)

// fieldFiles writes [output.fields]: one VTKHDF file a time.
type fieldFiles struct {
	base
	config.FieldsOutput
	series fields.Series
	// Snapshots of this host, kept for the next time: one slice a field, of the type
	// that the files have.
	single [][]float32
	double [][]float64
	// crowded: the device has no memory for snapshots beside the steps.
	crowded bool
}

// fieldOutputs is [output.fields].
func fieldOutputs(s *Set) []Output {
	c := s.Case.Fields
	if !c.On {
		return nil
	}
	return []Output{&fieldFiles{base: newBase(c.Schedule), FieldsOutput: c, series: fields.Series{Dir: s.Path(c.Dir), Name: "fields", Files: c.Files}}}
}

// DueOn is also the end of a run that is unstable: the fields show what went wrong.
func (f *fieldFiles) DueOn(o Occasion) bool { return o == Unstable || f.base.DueOn(o) }

func (f *fieldFiles) folder() string         { return f.series.Dir }
func (f *fieldFiles) indexed() fields.Series { return f.series }
func (f *fieldFiles) stepFiles() []string    { return numbered(f.series.Dir, f.series.Name) }

// Write takes a snapshot of the fields, or begins to; a goroutine brings it to the disk.
func (f *fieldFiles) Write(r *Run) error {
	if err := r.Files.CommitThrough("fields"); err != nil {
		return err
	}
	f.at = r.Step()
	p, err := f.series.Begin(r.Comm, r.Box, r.Grid(), r.Listed(f.Fields, f.Type), r.Meta())
	if err != nil {
		return r.Files.Missed("fields", exit.AtStep(r.Step(), "fields", err))
	}
	work, err := f.snapshot(r, p)
	if err := r.All("reading the fields", err); err != nil {
		p.Abort()
		return err
	}
	r.Files.Launch("fields", f.series.Index(), p.Commit, func() error {
		if err := work(); err != nil {
			return err
		}
		return p.Flush()
	})
	return nil
}

// snapshot takes what the file will hold, so that steps can go on, and returns the
// work that is left for a goroutine: on a device that reads fields beside the steps
// all but the reading, else the writing.
func (f *fieldFiles) snapshot(r *Run, p *fields.Pending) (work func() error, err error) {
	if taker := r.State.Snapshots(); taker != nil && !f.crowded {
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
func (f *fieldFiles) prepare(r *Run) error {
	if taker := r.State.Snapshots(); taker != nil && f.when.Period > 0 {
		// Without that memory the run continues: shoot asks for it again, and warns that the steps wait.
		_ = taker.Prepare(f.reads(r))
	}
	return nil
}

// reads is the cells of this rank, in local coordinates, whose fields a file takes.
func (f *fieldFiles) reads(r *Run) decomp.Box {
	box := decomp.Box{Hi: r.Layout.N}
	if slices.ContainsFunc(f.Fields, derive.Derivative) {
		for a, g := range r.Layout.Ghost {
			box.Lo[a], box.Hi[a] = box.Lo[a]-g, box.Hi[a]+g
		}
	}
	return box
}

// often is the period in steps up to which steps leave the fields of snapshots: reading them from the state takes about half
// as long as a step, and steps that leave them need a kernel and memory of their own.
const often = 10

func (f *fieldFiles) snaps(r *Run) (decomp.Box, bool) {
	return f.reads(r), !f.crowded && f.when.Period > 0 && f.when.Period <= often && r.State.Snapshots() != nil
}

// shoot lets the device read the fields beside the steps. Collective: where a rank
// has no memory for that, all ranks go the other way from now on, and work is nil.
func (f *fieldFiles) shoot(r *Run, p *fields.Pending, taker Snapshotter) (work func() error, err error) {
	box := f.reads(r)
	shot, err := taker.Take(box)
	none := comm.Agree(r.Comm, err)
	var failure *comm.Failure
	switch {
	case none == nil:
		taker.Await(shot.Taken())
		step := r.Step()
		return func() error { return deliver(r, step, f.FieldsOutput, p, box, shot) }, nil
	case !errors.As(none, &failure): // the ranks could not talk
		return nil, none
	case r.Root:
		r.Warn(finding.OutputWaits.Says("the steps wait for each output of fields: %v", none))
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
func deliver(r *Run, step int, f config.FieldsOutput, p *fields.Pending, box decomp.Box, shot device.Snapshot) error {
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
func convert[Out, In derive.Number](r *Run, step int, list []model.Field, p *fields.Pending, from derive.Source[In]) error {
	// One thread stays with the loop, which would else wait for its turn between steps.
	return domain.Spread(r.Threads-1, r.Planes(), func(lo, hi int) error {
		s := derive.NewSampler[Out](r.Part, step, from, list...)
		ready := make([][]Out, len(list)) // planes of each field that are not written yet
		flush := func(i, end int) error {
			planes := len(ready[i]) / s.Values(list[i])
			err := p.Write(i, end-planes, raw.Bytes(ready[i]))
			ready[i] = ready[i][:0]
			r.Heartbeat.Mark()
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

// copyFields samples fields of the current state into the slices of kept, and returns
// the work of writing them.
func copyFields[Out derive.Number](r *Run, list []model.Field, p *fields.Pending, kept *[][]Out) (write func() error, err error) {
	planes := r.Planes()
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
	from := r.Present()
	if r.State.Snapshots() != nil && r.Case.Spec.Precision != model.Float64 {
		// Whether there was memory for snapshots must not be seen in the files.
		from = derive.Rounded(from)
	}
	err = r.Share(planes, func(lo, hi int) error {
		s := derive.NewSampler[Out](r.Part, r.Step(), from, list...)
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
				if err := p.Write(i, k, raw.Bytes(part(i, k, min(k+step, planes)))); err != nil {
					return err
				}
			}
		}
		return nil
	}, err
}
