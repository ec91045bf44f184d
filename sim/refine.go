// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/halo"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/refined"
)

// Differences of a run on a refined grid.

// refine builds the levels; part is level 0. Collective.
func refine(r *run, part *domain.Part) error {
	h, err := r.Case.Hierarchy(r.Rank.Size)
	if err != nil { // the same on every rank
		return exit.With(exit.Usage, err)
	}
	if r.grid, err = refined.New(r.Rank, part, h, r.options.Device); err != nil {
		return err
	}
	r.level = r.grid.Patches(0)[0].Level // each rank has cells of level 0
	r.level.Part.Inputs = part.Inputs
	r.Case.Table = append(r.Case.Table, domain.ModelledRows(r.Case, r.grid.View().Modelled())...) // levels have tables of their own
	var parts []*domain.Part
	for _, l := range r.grid.Levels() {
		parts = append(parts, l.Part)
	}
	return domain.BodiesIn(r.Rank, r.Case, parts)
}

// wallDistances finds the distances of the rank's cells to the walls. Collective.
func wallDistances(r *run, part *domain.Part) (err error) {
	if r.grid == nil {
		part.Distance, err = part.WallDistance(r.Rank)
		return err
	}
	var parts []*domain.Part
	var owned []decomp.Box
	for _, p := range r.grid.View().Refined.Patches {
		parts, owned = append(parts, p.Part), append(owned, p.Owned)
	}
	return domain.LevelDistances(r.Rank, r.grid.Hierarchy, parts, owned)
}

// nearLevels returns boxes of the rank's cells of finer levels, in cells of level 0. Without refinement the list is empty.
func nearLevels(r *run) ([]decomp.Box, error) {
	if len(r.Case.Refine) == 0 {
		return nil, nil
	}
	h, err := r.Case.Hierarchy(r.Rank.Size)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return refined.Near(r.Case, h, r.Rank.ID), nil
}

// advanceRefined advances the levels by k steps of level 0.
func (s *stepper) advanceRefined(k int) error {
	started, wall := s.grid.Bulk.Record(), time.Now()
	if err := s.grid.Advance(k); err != nil {
		return err
	}
	s.clock.steps(time.Since(wall), started, s.grid.Bulk.Record())
	return nil
}

// updates returns the number of cells that a step computes, of all levels and steps in it.
func (s *stepper) updates() float64 {
	if s.grid != nil {
		return s.grid.Hierarchy.Updates()
	}
	return float64(s.Case.Box().Cells())
}

// exchanged returns the statistics of the exchanges of ghost planes and between levels.
func (s *stepper) exchanged() halo.Stats {
	if s.grid != nil {
		return s.grid.Stats()
	}
	return s.level.Halo.Stats()
}

// bytes returns the memory on the device.
func (s *stepper) bytes() int {
	if s.grid != nil {
		return s.grid.Bytes()
	}
	return s.level.Bytes()
}

// doubts returns findings about the cells that cast doubt on the results.
func (s *stepper) doubts() finding.List {
	if s.grid != nil {
		return s.grid.Doubts()
	}
	return s.level.Part.Doubts
}

// parts returns the rank's boxes of cells, level by level.
func (s *stepper) parts() []*level.Level {
	if s.grid != nil {
		return s.grid.Levels()
	}
	return []*level.Level{s.level}
}

// depth returns the number of levels.
func (s *stepper) depth() int {
	if s.grid != nil {
		return len(s.grid.Hierarchy.Levels)
	}
	return 1
}

// walls returns the levels of this rank with modelled walls.
func (s *stepper) walls() (list []*level.Level) {
	for _, l := range s.parts() {
		if level.Walls(l) != nil {
			list = append(list, l)
		}
	}
	return list
}

// hash returns the sum of the hashes of all rows of the rank's cells.
func (s *stepper) hash() (uint64, error) {
	if s.grid != nil {
		return s.grid.Hash()
	}
	return s.level.Hash()
}

// pastForces and comingForces return the rank's loads on walls in the last step and in the coming one, as together wants them.
func (s *stepper) pastForces() ([]device.Load, error) {
	if s.grid != nil {
		return s.grid.PastForces()
	}
	return s.level.PastForces()
}

func (s *stepper) comingForces() ([]device.Load, error) {
	if s.grid != nil {
		return s.grid.ComingForces()
	}
	return s.level.ComingForces()
}

// together returns the loads of each type of wall from the sums over the ranks.
func (s *stepper) together(all []device.Load) []device.Load {
	if s.grid != nil {
		return s.grid.Loads(all)
	}
	return all
}

// loadPatches reads the levels above 0 that belong to a checkpoint. Collective.
func loadPatches(r *run, of *checkpoint.Reader) error {
	return r.grid.View().Refined.Each(func(l, number, mine int) error {
		if l == 0 {
			return nil
		}
		path := output.PatchPath(of.Path(), l, number)
		want := r.outputs.PatchHeader(r.outputs.Header(), l, number)
		f, err := checkpoint.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("a part of the checkpoint %s is missing: there is no file %s with the cells of a box of level %d; copy the folder %s along with the checkpoint", of.Path(), path, l, filepath.Base(filepath.Dir(filepath.Dir(path))))
		}
		if f != nil {
			defer f.Close()
		}
		if err == nil && (f.Header.N != want.N || f.Header.Step != of.Header.Step || f.Header.Case != of.Header.Case && len(config.Diff(f.Header.Case, of.Header.Case, config.RestartMayChange)) > 0 || f.Header.Spec != of.Header.Spec || f.Header.PlaneBytes() != want.PlaneBytes() || f.Header.Planes != want.Planes) {
			err = fmt.Errorf("%s does not belong to the checkpoint %s", path, of.Path())
		}
		if err := comm.Agree(r.Rank.Comm, err); err != nil {
			return err
		}
		if mine < 0 {
			return f.Load(r.Rank.Comm, output.NoExtent(want), func(int, []byte) error { return nil })
		}
		return r.grid.Image(mine).Load(f)
	})
}
