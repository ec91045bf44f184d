// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package postmortem finds the first bad cell of a run that the stability watch has
// stopped, by recomputing its end, and reports the evidence for causes.
package postmortem

import (
	"math"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
	"lbmsim/sim/output"
)

// Circumstances are the input of steps besides the state.
type Circumstances struct {
	Step  int
	Drive output.Drive
	Walls *output.WallTuning // with a model
	Force [3]float64         // lattice units
}

// Search goes back in a run and checks every step.
type Search struct {
	*output.Run
	steps Steps
	kept  keep
}

// New returns a search that has not begun, and keeps no copies before FindRoom.
func New(r *output.Run, steps Steps) *Search { return &Search{Run: r, steps: steps} }

// Investigate goes back to a good state and computes up to the first bad cell; nil if there is no state to go back to. The
// report is rank 0's. Collective; afterwards the state is not the one that the watch saw.
func (s *Search) Investigate(elapsed time.Duration, first int, start derive.Totals) (*Blowup, error) {
	if !s.replayable(elapsed, first) {
		return nil, nil
	}
	seen := s.Step()
	if err := s.Back(); err != nil {
		return nil, err
	}
	b := &Blowup{Case: s.Case.Path, Version: s.Version, Seen: seen, From: s.Step()}
	if s.Rank.Root {
		s.Rank.Warn(finding.Unstable.Says("step %d: the run is unstable; recomputing from step %d to find the first bad cell", seen, s.Step()))
	}
	if found, err := s.find(b); !found || err != nil {
		return nil, err
	}
	if b.Step > b.From { // a second time, with the place known
		if err := s.Back(); err != nil {
			return nil, err
		}
	}
	if err := s.recordLastSteps(b); err != nil {
		return nil, err
	}
	if b.found.cut {
		return b, nil
	}
	if s.Rank.Root {
		s.judge(b, start)
		err := s.writeBlowup(b)
		if b.found.kept = err == nil; !b.found.kept {
			s.Rank.Warn(finding.Unstable.Says("the report of the first bad cell: %v", err))
		}
	}
	return b, nil
}

// find computes up to the first bad cell, and records when and where it is; false: there is no bad cell up to the step at which
// the watch saw it, or the run was ordered to end. Collective.
func (s *Search) find(b *Blowup) (bool, error) {
	for {
		at, found, interrupted, err := s.firstBad()
		if err != nil {
			return false, err
		}
		if b.Level, b.Cell = at.Level, at.Cell; found {
			break
		}
		if interrupted || s.Step() >= b.Seen {
			return false, nil
		}
		if err := s.steps.Again(); err != nil {
			return false, err
		}
	}
	b.Step, b.Time, b.Box = s.Step(), s.Time(), s.boxOf(b)
	n, spacing := s.levelOf(b.Level)
	for a, at := range b.Cell {
		width := min(boxWidth, n[a])
		b.Lo[a] = min(max(b.Cell[a]-width/2, 0), n[a]-width)
		b.Hi[a] = b.Lo[a] + width
		if a >= s.Case.Dims() {
			spacing = s.Case.Units.Length
		}
		b.Position[a] = s.Case.Origin[a] + (float64(at)+0.5)*spacing
	}
	return true, nil
}

// levelOf returns the number of cells that would fill the domain on a level, and their size in the case's unit.
func (s *Search) levelOf(level int) (n [3]int, spacing float64) {
	if s.View.Refined == nil {
		return s.Case.Cells, s.Case.Units.Length
	}
	return s.View.Refined.Hierarchy.Levels[level].N, math.Ldexp(s.Case.Units.Length, -level)
}

// boxOf names the box of the case whose cells the bad one is among; "": it is of level 0.
func (s *Search) boxOf(b *Blowup) string {
	for _, r := range s.Case.Refine {
		inside := r.Level == b.Level && b.Level > 0
		for a := range s.Case.Dims() {
			at := math.Ldexp(float64(b.Cell[a]), -b.Level)
			whole := math.Ldexp(1, 1-b.Level) // boxes grow to whole cells of the level below
			inside = inside && at > r.From[a]-whole && at < r.To[a]+whole
		}
		if inside {
			return "[" + r.Name + "]"
		}
	}
	return ""
}

// recordLastSteps computes up to the step of the first bad cell, and records the last ones. Collective.
func (s *Search) recordLastSteps(b *Blowup) error {
	for {
		if s.Step() > b.Step-HistorySteps {
			if err := s.record(b); err != nil {
				return err
			}
		}
		if s.Step() >= b.Step {
			return nil
		}
		if (s.Step()-b.From)%lookEvery == lookEvery-1 {
			var err error
			if b.found.cut, err = s.halted(); b.found.cut || err != nil {
				return err
			}
		}
		if err := s.steps.Again(); err != nil {
			return err
		}
	}
}

// lookEvery is the number of steps recomputed between two checks for signals.
const lookEvery = 16

// firstBad returns the first cell with a value that is not finite or too high a speed, the same on all ranks: of the finest level that
// has one, whose steps come first within a step of level 0, in the order z, y, x; false: there is no such cell. Collective.
func (s *Search) firstBad() (at decomp.Place, found, interrupted bool, err error) {
	sizes := [][3]int{s.Case.Cells}
	if s.View.Refined != nil {
		sizes = nil
		for _, l := range s.View.Refined.Hierarchy.Levels {
			sizes = append(sizes, l.N)
		}
	}
	below := make([]int64, len(sizes)+1) // cells of coarser levels
	for l, n := range sizes {
		below[l+1] = below[l] + int64(n[0]*n[1]*n[2])
	}
	mine, ok, err := s.View.FirstOfBad()
	table := []int64{0, 0} // cells from the first bad one to the end; a signal or the end of the job's time
	if n := sizes[mine.Level]; ok {
		table[0] = below[mine.Level+1] - int64((mine.Cell[2]*n[1]+mine.Cell[1])*n[0]+mine.Cell[0])
	}
	if err := s.All("searching for the first bad cell", err); err != nil {
		return at, false, false, err
	}
	table[1] = s.steps.Heard()
	if err := comm.Max(s.Rank.Comm, table); err != nil || table[0] == 0 {
		return at, false, table[1] > 0, err
	}
	for table[0] > below[at.Level+1] {
		at.Level++
	}
	c, i := sizes[at.Level], int(below[at.Level+1]-table[0])
	at.Cell = [3]int{i % c[0], i / c[0] % c[1], i / c[0] / c[1]}
	return at, true, false, nil
}

// halted reports on all ranks whether one of them has received an order. Collective.
func (s *Search) halted() (bool, error) {
	table := []int64{s.steps.Heard()}
	err := comm.Max(s.Rank.Comm, table)
	return table[0] > 0, err
}
