// Package postmortem finds the first bad cell of a run that the stability watch has
// stopped, by computing its end again, and says what speaks for which cause.
package postmortem

import (
	"time"

	"lbmsim/comm"
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

// Investigate goes back to a good state and computes up to the first bad cell; nil when
// there is no state to go back to. The report is rank 0's. Collective; afterwards the state is not the one that the watch saw.
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
	if b.Step > b.From { // once more, now that the place is known
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
		cell, found, interrupted, err := s.firstBad()
		if err != nil {
			return false, err
		}
		if b.Cell = cell; found {
			break
		}
		if interrupted || s.Step() >= b.Seen {
			return false, nil
		}
		if err := s.steps.Again(); err != nil {
			return false, err
		}
	}
	b.Step, b.Time = s.Step(), s.Time()
	for a, at := range b.Cell {
		b.Position[a] = s.Case.Origin[a] + (float64(at)+0.5)*s.Case.Units.Length
		width := min(boxWidth, s.Case.Cells[a])
		b.Lo[a] = min(max(b.Cell[a]-width/2, 0), s.Case.Cells[a]-width)
		b.Hi[a] = b.Lo[a] + width
	}
	return true, nil
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

// firstBad returns the first cell of the domain, in the order z, y, x, with a value that is not
// finite or too high a speed, the same on all ranks; false: there is no such cell. Collective.
func (s *Search) firstBad() (cell [3]int, found, interrupted bool, err error) {
	c := s.Case.Cells
	table := []int64{0, 0} // cells from the first bad one to the end; a signal or the end of the job's time
	planes, err := s.View.State.SumPlanes()
	for k := 0; k < len(planes) && err == nil && table[0] == 0; k++ {
		if s.View.Bad(planes[k]) {
			var at [3]int
			at, err = s.View.FirstBad(k, planes[k])
			at = s.View.Part.Global(at)
			table[0] = int64(c[0]*c[1]*c[2] - (at[2]*c[1]+at[1])*c[0] - at[0])
		}
	}
	if err := s.All("searching for the first bad cell", err); err != nil {
		return cell, false, false, err
	}
	table[1] = s.steps.Heard()
	if err := comm.Max(s.Rank.Comm, table); err != nil || table[0] == 0 {
		return cell, false, table[1] > 0, err
	}
	i := c[0]*c[1]*c[2] - int(table[0])
	return [3]int{i % c[0], i / c[0] % c[1], i / c[0] / c[1]}, true, false, nil
}

// halted reports on all ranks whether one of them has received an order. Collective.
func (s *Search) halted() (bool, error) {
	table := []int64{s.steps.Heard()}
	err := comm.Max(s.Rank.Comm, table)
	return table[0] > 0, err
}
