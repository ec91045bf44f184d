// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import "lbmsim/internal/finding"

// averaging is an output with averages over time.
type averaging interface {
	// discard drops the samples so far: the next one is the first. Collective.
	discard(*Run) error
}

// RestartAverages discards the samples of all averages so far, at the present step. An average whose start is still to come keeps it.
// Collective.
func RestartAverages(s *Set) error {
	list := with[averaging](s.List)
	for _, o := range list {
		if err := o.discard(s.Run); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	s.averagesFrom = s.Step() + 1
	if s.Rank.Root {
		s.Rank.Warn(finding.AveragesRestarted.Says("step %d: averages restarted by order, samples so far discarded", s.Step()))
	}
	return nil
}

func (s *statistic[T]) discard(*Run) error {
	s.sums = sums{}
	return nil
}

func (f *forces) discard(*Run) error {
	clear(f.series)
	clear(f.course)
	f.uneven = f.Schedule.Period <= 0
	return nil
}

func (m *surfaceMeans) discard(*Run) error {
	m.reset()
	m.first, m.last = 0, 0
	return nil
}

func (a *averager) discard(r *Run) error {
	a.samples, a.first, a.last = 0, 0, 0
	if a.boxes[0].onHost != nil { // on all ranks: each has a part of the domain
		if err := a.commitSums(r); err != nil {
			return err
		}
	}
	var failed error
	for _, b := range a.boxes {
		if failed == nil {
			failed = b.clear()
		}
	}
	return r.All("restarting the averages", failed)
}
