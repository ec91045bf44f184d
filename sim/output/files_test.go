// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"slices"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/derive"
	"lbmsim/sim/domain"
	"lbmsim/sim/rank"
)

// reports keeps what rank 0's reporter would receive about files.
type reports struct{ wrote []string }

// agreed commits nothing.
func agreed(failed error) error { return comm.Agree(comm.Serial(), failed) }

// atRest is a run that stays at step 0.
type atRest struct{ derive.State }

func (atRest) Step() int { return 0 }

func (r *reports) view() derive.View {
	return derive.View{Rank: rank.New(comm.Serial(), 1, nil), Part: &domain.Part{}, State: atRest{}}
}

func (r *reports) run() *Run {
	v := r.view()
	return &Run{Rank: v.Rank, View: v, State: filled{}, Files: r.files()}
}

// filled is a state whose ghost cells are always valid.
type filled struct{ State }

func (filled) Fill() error { return nil }

func (r *reports) files() *Files {
	return NewFiles(r.view(), func(kind, path string) { r.wrote = append(r.wrote, kind+" "+path) })
}

// A picture waits for the last one of its own series only.
func TestSeriesDoNotWaitForEachOther(t *testing.T) {
	report := &reports{}
	f := report.files()
	slow := make(chan struct{})
	f.Launch("picture", "dir/side_1.png", agreed, func() error { <-slow; return nil })
	f.Launch("picture", "dir/top_1.png", agreed, func() error { return nil })
	if err := f.CommitSeries("picture", "dir/top_"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"picture dir/top_1.png"}; !slices.Equal(report.wrote, want) || len(f.pending) != 1 {
		t.Fatalf("%q are done, want %q; %d files are left", report.wrote, want, len(f.pending))
	}
	time.AfterFunc(10*time.Millisecond, func() { close(slow) })
	if err := f.CommitSeries("picture", "dir/side_"); err != nil {
		t.Fatal(err)
	}
	if len(report.wrote) != 2 {
		t.Errorf("%q are done", report.wrote)
	}
}

// The next picture waits for the last one only; checkpoints and fields
// also wait for what was begun before the last one of their kind.
func TestSettleWaitsForItsKind(t *testing.T) {
	report := &reports{}
	f := report.files()
	nothing := func() error { return nil }
	slow := make(chan struct{})
	f.Launch("fields", "a", agreed, func() error { <-slow; return nil })
	f.Launch("picture", "b", agreed, nothing)
	if err := f.CommitKind("picture"); err != nil {
		t.Fatal(err)
	}
	if err := f.CommitThrough("checkpoint"); err != nil { // no checkpoint is pending yet
		t.Fatal(err)
	}
	if want := []string{"picture b"}; !slices.Equal(report.wrote, want) || len(f.pending) != 1 {
		t.Fatalf("%q are done, want %q; %d files are left", report.wrote, want, len(f.pending))
	}
	f.Launch("checkpoint", "c", agreed, nothing)
	time.AfterFunc(10*time.Millisecond, func() { close(slow) })
	if err := f.CommitThrough("checkpoint"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"picture b", "fields a", "checkpoint c"}; !slices.Equal(report.wrote, want) || len(f.pending) != 0 {
		t.Errorf("%q are done, want %q; %d files are left", report.wrote, want, len(f.pending))
	}
}

// While fields follow each other on a slow disk, a writer is always active. A
// checkpoint among them gets its name with the next of them, not when all writers are idle.
func TestCheckpointAmongFields(t *testing.T) {
	report := &reports{}
	f := report.files()
	nothing := func() error { return nil }
	slow := make(chan struct{})
	defer close(slow)
	f.Launch("fields", "a", agreed, nothing)
	f.Launch("checkpoint", "b", agreed, nothing)
	for _, next := range []struct {
		path  string
		work  func() error
		wrote []string
	}{
		{"c", nothing, []string{"fields a"}},
		{"d", func() error { <-slow; return nil }, []string{"fields a", "checkpoint b", "fields c"}},
	} {
		if err := f.CommitThrough("fields"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(report.wrote, next.wrote) {
			t.Errorf("before %s: %q are done, want %q", next.path, report.wrote, next.wrote)
		}
		f.Launch("fields", next.path, agreed, next.work)
	}
	if !f.Busy() || len(f.pending) != 1 {
		t.Errorf("%d files are left, want the slow one", len(f.pending))
	}
}

// last is an output of the end that checks which files exist by then.
type last struct {
	base
	report *reports
	seen   []string
}

func (l *last) Write(*Run) error {
	l.seen = slices.Clone(l.report.wrote)
	return nil
}

// The last fields may fill the disk: the checkpoint is safe before they begin.
func TestCheckpointIsSafeBeforeTheEnd(t *testing.T) {
	report := &reports{}
	s := &Set{Run: report.run(), missed: map[Output]bool{}}
	out := &last{base: newBase(config.Schedule{End: true}), report: report}
	s.List = []Output{out}
	nothing := func() error { return nil }
	s.Files.Launch("checkpoint", "a", agreed, nothing)
	if err := s.Last(CaseEnds); err != nil {
		t.Fatal(err)
	}
	if want := []string{"checkpoint a"}; !slices.Equal(out.seen, want) {
		t.Errorf("%q are done before the last output, want %q", out.seen, want)
	}
}

// The time of earlier files is expected of the next ones; before the first checkpoint it is presumed.
func TestExpectedTimeFollowsTheFiles(t *testing.T) {
	report := &reports{}
	f := report.files()
	c, err := config.Load("test.toml", []byte("[domain]\ncells = [64, 64]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n[checkpoint]\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.view.Case = c
	bytes := float64(c.Box().Cells() * c.Spec.Components() * c.Spec.Precision.Bytes())
	if got, want := f.Expected().Seconds(), bytes/presumed; got < 0.99*want || got > 1.01*want {
		t.Errorf("before the first checkpoint %g s are expected, want %g", got, want)
	}
	f.took["checkpoint"], f.took["fields"] = 40*time.Second, 20*time.Second
	if got := f.Expected(); got != time.Minute {
		t.Errorf("%v are expected, want a minute", got)
	}
}
