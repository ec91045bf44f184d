// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"errors"
	"fmt"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
)

// Common parts of field files of uniform and refined grids.

// begun judges how a file began, as begin does.
func begun(r *Run, p *fields.Pending, failed, err error) (*fields.Pending, *comm.Failure, error) {
	if err = exit.AtStep(r.Step(), "fields", err); err == nil || !exit.IsAgreed(err) {
		return p, nil, err
	}
	var unread *comm.Failure
	switch e := comm.Agree(r.Rank.Comm, failed); { // did the file fail, or a rank's reading?
	case errors.As(e, &unread):
		return nil, unread, nil
	case e != nil:
		return nil, nil, errors.Join(err, e)
	}
	return nil, nil, r.Files.Missed("fields", err)
}

// launch starts a goroutine that writes the fields to disk.
func (f *fieldFiles) launch(r *Run, p *fields.Pending, write func() error) {
	r.Files.Launch("fields", f.series.Index(), p.Commit, func() error {
		if err := write(); err != nil {
			return err
		}
		return p.Flush()
	})
}

// batch is the approximate number of bytes computed, checksummed and written to the system at
// once: enough for one call, few enough to stay in a core's cache meanwhile.
const batch = 1 << 20

// planesAtOnce returns the number of planes of that many numbers in a batch.
func planesAtOnce[T derive.Number](values int) int {
	return max(1, batch/(values*int(unsafe.Sizeof(*new(T)))))
}

// copyRegion samples fields of a local box into the slices of kept, one a field.
func copyRegion[Out derive.Number](r *Run, v derive.View, region decomp.Box, list []model.Field, kept *[][]Out) error {
	if *kept == nil {
		for _, m := range list {
			*kept = append(*kept, make([]Out, region.Cells()*m.Components))
		}
	}
	if region.Cells() == 0 {
		return nil
	}
	from := v.Present()
	if r.State.Snapshots() != nil && r.Case.Spec.Precision != model.Float64 {
		// The files must not depend on whether there was memory for snapshots.
		from = derive.Rounded(from)
	}
	walls, err := v.BesideModels(list...)
	if err != nil {
		return err
	}
	axis, data := v.Part.Layout.Axis(), *kept
	planes, whole := region.Size()[axis], region == decomp.Box{Hi: v.Part.Layout.N}
	return r.Rank.Share(planes, func(lo, hi int) error {
		s := derive.NewSampler[Out](v.Part, v.Step(), from, list...).Beside(walls)
		var plane []Out
		for k := lo; k < hi; k++ {
			for i, m := range list {
				into := planesOf(data[i], planes, k, k+1)
				var err error
				if whole {
					_, err = s.Sample(m, k, into)
				} else if plane, err = s.Sample(m, region.Lo[axis]+k, plane); err == nil {
					crop(into, plane, v.Part, region, m.Components)
				}
				if err != nil {
					return fmt.Errorf("%s of plane %d: %w", m.Name, k, err)
				}
			}
		}
		return nil
	})
}

// crop copies the rows of a region from a plane of the whole part.
func crop[Out derive.Number](to, plane []Out, part *domain.Part, region decomp.Box, components int) {
	n, width := part.Layout.N[0]*components, region.Size()[0]*components
	first := 0
	if part.Layout.Axis() == 2 {
		first = region.Lo[1]
	}
	for row := range len(to) / width {
		copy(to[row*width:][:width], plane[(first+row)*n+region.Lo[0]*components:])
	}
}

// planesOf returns planes lo to hi of a field of so many.
func planesOf[Out derive.Number](field []Out, planes, lo, hi int) []Out {
	n := len(field) / planes
	return field[lo*n : hi*n]
}

// eachBatch writes fields of some planes in batches.
func eachBatch[Out derive.Number](data [][]Out, planes int, write func(field, plane int, b []byte) error) error {
	for i, field := range data {
		step := planesAtOnce[Out](len(planesOf(field, planes, 0, 1)))
		for k := 0; k < planes; k += step {
			if err := write(i, k, raw.Bytes(planesOf(field, planes, k, min(k+step, planes)))); err != nil {
				return err
			}
		}
	}
	return nil
}
