// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"reflect"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
	"lbmsim/io/checkpoint"
	"lbmsim/io/probe"
	"lbmsim/model"
)

// statistic accumulates samples of an output, many numbers at once, on rank 0. T is the output in the case.
type statistic[T any] struct {
	base
	quantity
	sums
	name, head string // of the output, and of its table in the case
	of         T      // the definition of the numbers: the output without the keys that a restart may change
	size       int    // numbers of a sample
	relative   bool   // samples are relative to the first one, sums.Reference
	start      int    // first step that may be sampled
	restarted  bool   // each block has the samples since the previous one
	other      bool   // the sums of the checkpoint are of a different statistic
	memory     func(*Memory) map[string]statisticMemory[T]
}

// quantity is the subject of a statistic, and the rows that it becomes.
type quantity interface {
	prepared
	// sample returns the numbers of the present step, to be added to the sums, on rank 0. Collective.
	sample(*Run, *sums) ([]float64, error)
	columns() []statisticColumn
	places(*Run) []probe.Column // the columns before the samples
	blockRows(*config.Case) int
	place(r *Run, row int) []float64
	// value of a column in a row, and half the width of its 95 % interval, in lattice units.
	value(s *sums, row, column int) (v, half float64)
}

// statisticColumn is a component of a field.
type statisticColumn struct {
	field  model.Field
	name   string
	number int     // among the values of a place
	factor float64 // to lattice units of the field
	zero   float64 // what values are counted from, in the output's unit
}

// sums are the accumulated sums of a statistic.
type sums struct {
	Reference stats.Floats `json:",omitempty"` // the first sample, where products are of differences from it
	Series    stats.Vector
}

// statisticMemory holds what a checkpoint keeps of a statistic.
type statisticMemory[T any] struct {
	Output T
	sums
	Every float64 `json:",omitempty"` // steps between its samples
}

// withTable returns a statistic and the table KIND_NAME.csv that has it.
func withTable[T any](r *Run, kind string, when config.Schedule, s *statistic[T]) []Output {
	s.head = "[output." + kind + "." + s.name + "]"
	return []Output{s, &statisticTable[T]{rows: newRows(r, when, kind, s.name, kind+"/"+s.name), sums: s}}
}

// Write takes a sample.
func (s *statistic[T]) Write(r *Run) error {
	s.at = r.Step()
	if r.Step() < s.start {
		return nil
	}
	x, err := s.sample(r, &s.sums)
	if err != nil || !r.Rank.Root {
		return err
	}
	s.Series.Add(x)
	return nil
}

func (s *statistic[T]) remember(r *Run, m *Memory) error {
	if r.Rank.Root && (s.Series.Samples() > 0 || s.restarted) { // the table of a restarted one has the earlier ones
		s.memory(m)[s.name] = statisticMemory[T]{s.of, s.sums, s.when.Period}
	}
	return nil
}

func (s *statistic[T]) beside(*Run, checkpoint.Header, string) ([]*bool, error) { return nil, nil }

func (s *statistic[T]) recall(r *Run, _ string, m *Memory) error {
	s.sums, s.other = sums{}, false // reading a newer checkpoint may have been abandoned halfway
	old, known := s.memory(m)[s.name]
	switch {
	case !known && !s.restarted: // otherwise the last block has taken them
		r.startsLate(s.head, s.when)
	case !known || !r.Rank.Root:
	case reflect.DeepEqual(old.Output, s.of) && s.fits(old.sums):
		if s.sums = old.sums; s.Series.Samples() > 0 {
			r.mixes(s.head, old.Every, s.when)
		}
	default:
		s.other = true
		r.recalls("%s differs from the one in the checkpoint: restarting its averages", s.head)
	}
	return nil
}

// fits reports whether sums have the lengths that this statistic needs.
func (s *statistic[T]) fits(old sums) bool {
	return old.Series.Samples() == 0 || len(old.Series.Levels[0].Mean) == s.size && (len(old.Reference) == s.size) == s.relative
}

// statisticTable writes a statistic: a CSV file with a block of rows for each output of its present values, on rank 0.
type statisticTable[T any] struct {
	rows
	sums   *statistic[T]
	warned bool // that there are no samples
}

func (t *statisticTable[T]) isOther() bool { return t.sums.other }

// Write adds a block of rows. A failure of the file is reported at the next sync, as for probes.
func (t *statisticTable[T]) Write(r *Run) error {
	t.at = r.Step()
	s := t.sums
	switch {
	case !r.Rank.Root || int64(r.Step()) <= t.file.Step(): // the table has the block
	case s.Series.Samples() > 0:
		_ = t.file.Add(int64(r.Step()), r.Time(), s.block(r)...)
	case !t.warned && t.file.Step() < 0: // otherwise one that restarts with each block has no new samples
		t.warned = true
		r.Rank.Warn(finding.NoSamples.Says("step %d: %s has no samples yet: the first is at step %d", r.Step(), s.head, s.when.Next(r.Step())))
	}
	if s.restarted {
		s.sums = sums{}
	}
	return nil
}

// block returns the rows of an output, in the outputs' units.
func (s *statistic[T]) block(r *Run) (table []float64) {
	for row := range s.blockRows(r.Case) {
		table = append(append(table, s.place(r, row)...), float64(s.Series.Samples()))
		var halves []float64
		for k, c := range s.columns() {
			v, half := s.value(&s.sums, row, k)
			factor := c.factor * r.Case.Units.Factor(c.field.Dim)
			if v *= factor; c.zero != 0 {
				v += c.zero
			}
			table, halves = append(table, v), append(halves, math.Abs(factor)*half)
		}
		table = append(table, halves...)
	}
	return table
}

func (t *statisticTable[T]) header(r *Run) probe.Header {
	u := r.Case.Units
	h := probe.Header{Comments: r.comments(), Lattice: !u.Physical, Nowhere: true}
	h.Columns = append(t.sums.places(r), probe.Column{Name: "samples"})
	for _, mark := range []string{"", "+- "} {
		for _, c := range t.sums.columns() {
			h.Columns = append(h.Columns, probe.Column{Name: mark + c.name, Unit: unitOf(u, c.field.Dim)})
		}
	}
	return h
}
