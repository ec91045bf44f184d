// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"slices"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/internal/raw"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
	"lbmsim/sim/rank"
)

// fieldFiles writes [output.fields]: one VTKHDF file per time.
type fieldFiles struct {
	base
	config.FieldsOutput
	series fields.Series
	// Snapshots of this host, kept for the next time: one slice per field, of the type
	// that the files have.
	single [][]float32
	double [][]float64
	// The same for each patch of a refined grid.
	singles [][][]float32
	doubles [][][]float64
	// crowded: the device has no memory for snapshots beside the steps.
	crowded bool
}

// fieldOutputs returns the output of [output.fields].
func fieldOutputs(s *Set) []Output {
	c := s.Case.Fields
	if !c.On {
		return nil
	}
	return []Output{&fieldFiles{base: newBase(c.Schedule), FieldsOutput: c, series: fields.Series{Dir: s.Path(c.Dir), Name: "fields", Files: c.Files}}}
}

// DueOn reports whether fields are due, which includes the end of an unstable run: the fields show what went wrong.
func (f *fieldFiles) DueOn(o Occasion) bool { return o == Unstable || f.base.DueOn(o) }

func (f *fieldFiles) folder() string         { return f.series.Dir }
func (f *fieldFiles) indexed() fields.Series { return f.series }
func (f *fieldFiles) stepFiles() []string    { return numbered(f.series.Dir, f.series.Name) }

// Write takes a snapshot of the fields, or begins one; a goroutine writes it to disk. A file costs one agreement to begin, and
// a gather and an agreement to end.
func (f *fieldFiles) Write(r *Run) error {
	if err := r.Files.CommitThrough("fields"); err != nil {
		return err
	}
	f.at = r.Step()
	if r.View.Refined != nil {
		return f.writeLevels(r)
	}
	var failed error
	if taker := r.State.Snapshots(); taker != nil && !f.crowded && !f.waits() {
		crowded, err := f.shoot(r, taker)
		if !crowded {
			return err
		}
		failed = err
	}
	write, err := f.copied(r)
	p, unread, err := f.begin(r, errors.Join(failed, err))
	switch {
	case p != nil:
		f.launch(r, p, func() error { return write(p) })
	case unread != nil:
		return exit.AtStep(r.Step(), "reading the fields", unread)
	}
	return err
}

// begin starts a file; failed is what this rank could not read for it. Without a file (nil) unread is the failure that the ranks
// have agreed on, otherwise err is why there is no file, and nil where the run continues without one. Collective.
func (f *fieldFiles) begin(r *Run, failed error) (p *fields.Pending, unread *comm.Failure, err error) {
	p, err = f.series.Begin(r.Rank.Comm, failed, r.View.Part.Box, r.Grid(), r.Listed(f.Fields, f.Type), r.Meta())
	return begun(r, p, failed, err)
}

// copied copies the file's contents from the present state, so that steps can continue, and returns the work of writing it.
func (f *fieldFiles) copied(r *Run) (write func(*fields.Pending) error, err error) {
	if f.Type == model.Float32 {
		return copyFields(r, f.Fields, &f.single)
	}
	return copyFields(r, f.Fields, &f.double)
}

// prepare takes the memory of snapshots before the first step, where outputs repeat.
func (f *fieldFiles) prepare(r *Run) error {
	if taker := r.State.Snapshots(); taker != nil && f.when.Period > 0 && !f.waits() {
		// Without that memory the run continues: shoot tries again, and warns that the steps wait.
		_ = taker.Prepare(f.reads(r))
	}
	return nil
}

// reads returns the cells of this rank, in local coordinates, whose fields a file takes.
func (f *fieldFiles) reads(r *Run) decomp.Box {
	box := decomp.Box{Hi: r.View.Part.Layout.N}
	if slices.ContainsFunc(f.Fields, derive.Derivative) {
		for a, g := range r.View.Part.Layout.Ghost {
			box.Lo[a], box.Hi[a] = box.Lo[a]-g, box.Hi[a]+g
		}
	}
	return box
}

// often is the largest period, in steps, at which steps write the fields of snapshots: reading them from the state takes about half
// as long as a step, and steps that write them need a separate kernel and memory.
const often = 10

// waits reports whether the steps wait for the fields: a snapshot lacks the flow at walls with a model.
func (f *fieldFiles) waits() bool { return slices.ContainsFunc(f.Fields, model.Field.OfModel) }

func (f *fieldFiles) snaps(r *Run) (decomp.Box, bool) {
	return f.reads(r), !f.crowded && !f.waits() && f.when.Period > 0 && f.when.Period <= often && r.State.Snapshots() != nil
}

// shoot lets the device read the fields beside the steps. Collective: where a rank has no memory for that, the device is crowded,
// and all ranks read the state from then on; err is then this rank's alone.
func (f *fieldFiles) shoot(r *Run, taker Snapshotter) (crowded bool, err error) {
	box, step := f.reads(r), r.Step()
	shot, none := taker.Take(box)
	p, unread, err := f.begin(r, none)
	switch {
	case p != nil:
		taker.Await(shot.Taken())
		f.launch(r, p, func() error { return deliver(r, step, f.FieldsOutput, p, box, shot) })
		return false, nil
	case unread != nil:
		f.crowded = true
		if r.Rank.Root {
			r.Rank.Warn(finding.OutputWaits.Says("steps wait for each output of fields: %v", unread))
		}
	}
	if shot != nil {
		defer shot.Close()
		if _, _, e := shot.Wait(); e != nil {
			err = errors.Join(err, e)
		}
	}
	return unread != nil, err
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

// convert brings fields from the host's memory to the file.
func convert[Out, In derive.Number](r *Run, step int, list []model.Field, p *fields.Pending, from derive.Source[In]) error {
	// One thread is left to the main loop, which would otherwise wait for a core between steps.
	return rank.Spread(r.Rank.Threads-1, r.View.Part.Planes(), func(lo, hi int) error {
		s := derive.NewSampler[Out](r.View.Part, step, from, list...)
		ready := make([][]Out, len(list)) // planes of each field that are not written yet
		flush := func(i, end int) error {
			planes := len(ready[i]) / s.Values(list[i])
			err := p.Write(i, end-planes, raw.Bytes(ready[i]))
			ready[i] = ready[i][:0]
			r.Rank.Heartbeat.Mark()
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
func copyFields[Out derive.Number](r *Run, list []model.Field, kept *[][]Out) (write func(*fields.Pending) error, err error) {
	err = copyRegion(r, r.View, decomp.Box{Hi: r.View.Part.Layout.N}, list, kept)
	data := *kept
	return func(p *fields.Pending) error { return eachBatch(data, r.View.Part.Planes(), p.Write) }, err
}
