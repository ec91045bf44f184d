// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/io/fields"
	"lbmsim/sim/derive"
)

// planes writes one [output.plane.NAME]: fields of one plane of cells, a VTKHDF file per
// time, by rank 0.
type planes struct {
	base
	config.Plane
	series fields.Series
	alone  comm.Comm // of rank 0 with itself
}

// planeOutputs returns the outputs of [output.plane].
func planeOutputs(s *Set) (list []Output) {
	for _, p := range s.Case.Planes {
		list = append(list, &planes{base: newBase(p.Schedule), Plane: p, alone: comm.Serial(), series: fields.Series{Dir: s.Path("planes", p.Name), Name: p.Name}})
	}
	return list
}

func (p *planes) folder() string         { return p.series.Dir }
func (p *planes) indexed() fields.Series { return p.series }
func (p *planes) stepFiles() []string    { return numbered(p.series.Dir, p.series.Name) }

// Write gathers the plane; rank 0 writes the file while the run continues.
func (p *planes) Write(r *Run) error {
	kind := "plane " + p.Name
	if err := r.Files.CommitThrough(kind); err != nil {
		return err
	}
	p.at = r.Step()
	slice := r.slice(p.Axis, p.At, p.Within)
	var parts [][]byte // of the file: one field at a time is in memory as float64
	for _, f := range p.Fields {
		values, err := r.View.CollectAll(f, slice)
		if err != nil {
			return err
		}
		parts = append(parts, numbersOf(values, p.Type))
	}
	var file *fields.Pending
	var err error
	grid := r.GridOf(slice)
	if r.Rank.Root {
		file, err = p.series.Begin(p.alone, nil, decomp.Box{Hi: grid.N}, grid, r.Listed(p.Fields, p.Type), r.Meta())
	}
	if err := r.All(kind, err); err != nil {
		if file != nil {
			file.Abort()
		}
		return r.Files.Missed(kind, err)
	}
	finish := func(failed error) error {
		if r.Rank.Root {
			failed = file.Commit(failed)
		}
		return comm.Agree(r.Rank.Comm, failed)
	}
	r.Files.Launch(kind, p.series.Index(), finish, func() error {
		if !r.Rank.Root {
			return nil
		}
		for i, part := range parts {
			if err := file.Write(i, 0, part); err != nil {
				return err
			}
		}
		return file.Flush()
	})
	return nil
}

// slice returns a plane across an axis, at a place within cells of level 0, in cells of the finest level that these have.
func (r *Run) slice(axis, at int, within float64) derive.Region {
	box := decomp.Box{Hi: r.Case.Cells}
	box.Lo[axis], box.Hi[axis] = at, at+1
	place := derive.Middle()
	place[axis] = within
	return r.View.Region(box, place)
}
