// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lbmsim/sim/output"
)

// A run ends ahead of its job, with a checkpoint if the case has them.
func TestRunEndsAheadOfItsJob(t *testing.T) {
	soon := func() func() time.Time {
		var end time.Time
		return func() time.Time {
			if end.IsZero() { // the first time is ahead of the first step
				end = time.Now().Add(10 * time.Second)
			}
			return end
		}
	}
	text := strings.Replace(endless("[checkpoint]\nevery = 1000000000\n"), "[run]\n", "[run]\nend_margin = \"9.5 s\"\n", 1)
	dir := t.TempDir()
	s := trial{text: text, ranks: 2, dir: dir, jobEnd: soon()}.must(t)
	if s.summary.Reason != jobTime || !s.summary.OutOfTime() || s.summary.Last < 1 || s.summary.Files["checkpoint"] == "" {
		t.Errorf("%+v", s.summary)
	}
	s = trial{text: strings.Replace(endless(""), "[run]\n", "[run]\nend_margin = \"9.8 s\"\n", 1), ranks: 1, jobEnd: soon()}.must(t)
	if s.summary.Reason != jobTime || s.summary.Last < 1 {
		t.Errorf("without checkpoints: %+v", s.summary)
	}
}

// A job whose time is over already fails: a script that chains jobs must notice.
func TestJobWithoutTimeForAStep(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		s := trial{text: endless("[checkpoint]\nevery = 1000000000\n"), ranks: ranks, dir: t.TempDir(), jobEnd: func() time.Time { return time.Now().Add(time.Second) }}
		_, err := s.run(t)
		if code, agreed := ExitCode(err); code != ExitFailure || !agreed || !strings.Contains(err.Error(), "no step was computed") {
			t.Errorf("%d ranks: %v, code %d", ranks, err, code)
		}
	}
}

// A job end that is unknown, far away, or disabled does not end a run.
func TestJobEndThatDoesNotCount(t *testing.T) {
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 30))
	for name, c := range map[string]struct {
		text string
		end  time.Time
	}{
		"not known": {text, time.Time{}},
		"far":       {text, time.Now().Add(time.Hour)},
		"off":       {strings.Replace(text, "[run]\n", "[run]\nend_margin = \"off\"\n", 1), time.Now()},
	} {
		s := trial{text: c.text, ranks: 2, dir: t.TempDir(), jobEnd: func() time.Time { return c.end }}.must(t)
		if s.summary.Reason != allDone || s.summary.OutOfTime() {
			t.Errorf("%s: ended for %q", name, s.summary.Reason)
		}
	}
}

// Twice the estimated time of the final files is reserved at the end, plus the case's margin.
func TestMarginFollowsTheFiles(t *testing.T) {
	end := time.Now().Add(time.Hour)
	c := control{ending: time.Minute}
	for ahead, over := range map[time.Duration]bool{181 * time.Second: false, 179 * time.Second: true} {
		if c.jobTimeOver(func() time.Time { return end }, time.Minute, end.Add(-ahead)) != over {
			t.Errorf("%v ahead of the end: over is %v", ahead, !over)
		}
	}
}

// --restart auto starts, resumes, and does not start over if a checkpoint is unreadable.
func TestRestartAuto(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 20))
	s := trial{text: text, ranks: 2, dir: dir, restart: Auto}.must(t)
	if s.start.First != 0 || s.start.Restart != "" {
		t.Errorf("the first run: step %d, from %q", s.start.First, s.start.Restart)
	}
	s = trial{text: text, ranks: 3, dir: dir, restart: Auto}.must(t)
	if s.start.First != 20 || s.start.Restart == "" {
		t.Errorf("the second run: step %d, from %q", s.start.First, s.start.Restart)
	}
	files, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*.h5"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		put(t, file) // empty
	}
	_, err = trial{text: text, ranks: 2, dir: dir, restart: Auto}.run(t)
	if code, agreed := ExitCode(err); code == ExitOK || !agreed {
		t.Errorf("no checkpoint is whole: %v (code %d, agreed %v)", err, code, agreed)
	}
}
