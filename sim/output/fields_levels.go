// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/decomp"
	"lbmsim/io/fields"
	"lbmsim/model"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// writeLevels writes the fields of a refined grid, of all boxes in one file. Collective.
func (f *fieldFiles) writeLevels(r *Run) error {
	var write func(*fields.Pending) error
	var failed error
	if f.Type == model.Float32 {
		write, failed = copyLevels(r, f.Fields, &f.singles)
	} else {
		write, failed = copyLevels(r, f.Fields, &f.doubles)
	}
	grid, parts := r.levels()
	p, err := f.series.BeginLevels(r.Rank.Comm, failed, parts, grid, r.Listed(f.Fields, f.Type), r.Meta())
	p, unread, err := begun(r, p, failed, err)
	switch {
	case p != nil:
		f.launch(r, p, func() error { return write(p) })
	case unread != nil:
		return exit.AtStep(r.Step(), "reading the fields", unread)
	}
	return err
}

// levels returns the boxes of all levels, as files of fields have them, and the rank's cells of each.
func (r *Run) levels() (grid fields.Levels, parts []decomp.Box) {
	grid = fields.Levels{Corner: r.Case.Origin, Spacing: r.Case.Units.Length}
	_ = r.View.Refined.Each(func(level, number, mine int) error {
		if number == 0 {
			grid.Boxes = append(grid.Boxes, nil)
		}
		grid.Boxes[level] = append(grid.Boxes[level], r.View.Refined.Hierarchy.Levels[level].Patches[number].Owned)
		part := decomp.Box{}
		if mine >= 0 {
			part = r.View.Refined.Patches[mine].Owned
		}
		parts = append(parts, part)
		return nil
	})
	return grid, parts
}

// copyLevels samples fields of the current state into the slices of kept, a list for each patch of this rank, and returns the work
// of writing them.
func copyLevels[Out derive.Number](r *Run, list []model.Field, kept *[][][]Out) (write func(*fields.Pending) error, err error) {
	patches := r.View.Refined.Patches
	if *kept == nil {
		*kept = make([][][]Out, len(patches))
	}
	var boxes []int // of each patch, counted through all levels
	number := 0
	err = r.View.Refined.Each(func(_, _, mine int) error {
		if mine >= 0 {
			boxes = append(boxes, number)
		}
		number++
		return nil
	})
	for i, p := range patches {
		if err == nil {
			err = copyRegion(r, p.View, p.Part.Local(p.Owned), list, &(*kept)[i])
		}
	}
	data := *kept
	return func(p *fields.Pending) error {
		for i, patch := range patches {
			if patch.Owned.Cells() == 0 {
				continue
			}
			planes := patch.Owned.Size()[patch.Part.Layout.Axis()]
			err := eachBatch(data[i], planes, func(field, plane int, b []byte) error { return p.WriteBox(boxes[i], field, plane, b) })
			if err != nil {
				return err
			}
		}
		return nil
	}, err
}
