// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/io/status"
	"lbmsim/sim"
)

// beginStatus starts a run whose case has 100 steps.
func beginStatus(dir string) (r *Status, warned *finding.List) {
	warned = &finding.List{}
	r = NewStatus(func(w finding.Finding) { *warned = append(*warned, w) })
	c := &config.Case{Path: "a.toml", Title: "A", Outputs: config.Outputs{OutputDir: dir}, Notes: config.Notes{Warnings: finding.List{{Text: "first"}}}}
	c.Run.Steps = 100
	c.Units.Time = 0.5
	r.Start(sim.Start{Case: c, Version: "v", First: 10, Ranks: make([]sim.RankInfo, 3)})
	return r, warned
}

// Warnings from before the start are in the file, too, ahead of the case's.
func TestStatusHasEarlyWarnings(t *testing.T) {
	dir := t.TempDir()
	r := NewStatus(nil)
	r.Warn(finding.NoWall.Says("early"))
	c := &config.Case{Outputs: config.Outputs{OutputDir: dir}, Notes: config.Notes{Warnings: finding.List{{Text: "case"}}}}
	r.Start(sim.Start{Case: c})
	if s, _ := r.onDisk(t, dir); !slices.Equal(s.Warnings.Texts(), []string{"early", "case"}) {
		t.Errorf("%q", s.Warnings)
	}
}

// onDisk waits until the reports are on disk.
func (r *Status) onDisk(t *testing.T, dir string) (status.State, string) {
	t.Helper()
	if err := r.file.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := status.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	State(&text, dir, s, time.Now())
	return s, text.String()
}

func TestStatusFollowsTheRun(t *testing.T) {
	dir := t.TempDir()
	r, _ := beginStatus(dir)
	s, text := r.onDisk(t, dir)
	if s.Phase != status.Running || s.Step != 10 || s.Last != 100 || s.Time != 5 || s.Ranks != 3 || s.Process != os.Getpid() || s.ExitCode != nil {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(text, "running") || !strings.Contains(text, "10 of 100 (10 %)") || !strings.Contains(text, "first") {
		t.Error(text)
	}
	r.Progress(sim.Progress{Step: 20, Last: 100, Time: 10, MLUPS: 7, ETA: time.Minute, MaxMach: 0.1,
		Health: sim.Health{MaxSpeed: 0.3, DensityDrift: 0.02, GridScale: 0.03, Temperature: 0.7, Warned: map[string]int{"grid scale": 4}}})
	if s, _ := r.onDisk(t, dir); s.Step != 10 {
		t.Errorf("step %d was written before its time", s.Step)
	}
	r.Wrote("checkpoint", "c1")
	r.Warn(finding.Speed.Says("second"))
	s, text = r.onDisk(t, dir)
	if !strings.Contains(text, "time 10 steps, 7 MLUPS") || !strings.Contains(text, "maximum speed 0.3 cells/step") {
		t.Errorf("numbers without units:\n%s", text)
	}
	if !strings.Contains(text, "mean density +2 % since the start") || !strings.Contains(text, "temperature overshoot 70 % of the imposed range; warnings: grid scale (4 checks)") {
		t.Error(text)
	}
	if s.Step != 20 || s.DensityDrift != 0.02 || s.GridScale != 0.03 || s.Temperature != 0.7 || s.Warned["grid scale"] != 4 || s.ETA != 60 || s.Checkpoint != "c1" || s.Files["checkpoint"] != "c1" || len(s.Warnings) != 2 {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(text, "left         1m0s") || !strings.Contains(text, "checkpoint   c1") {
		t.Error(text)
	}
	if printed := (&strings.Builder{}); true {
		State(printed, dir, s, time.Now().Add(time.Hour))
		if !strings.Contains(printed.String(), "silent for 1h0m0s") || strings.Contains(printed.String(), "left") {
			t.Error(printed)
		}
	}
	r.Finish(sim.Summary{Case: &config.Case{Grid: config.Grid{Units: config.Units{Time: 0.5}}}, Reason: "all steps done", Last: 100, MaxMach: 0.25,
		Results: []sim.Result{{Output: "car", Samples: 99, File: "force_car.csv", Numbers: []status.Number{
			{Quantity: "drag", Value: number(1.5701), Half: number(0.0100), Meaning: "force along x / (rho U^2 A/2 = 1 N)"}, {Quantity: "lift", Note: "still drifts"},
		}}},
		Expect: []sim.Verdict{{Quantity: "free", Free: true}, {Quantity: "x", OK: false}}})
	r.Fail(&sim.Error{Code: sim.ExitExpect, Err: errors.New("missed")}) // comes after, and changes nothing
	s, text = r.onDisk(t, dir)
	if want := []string{"[output.force.car] mean and 95 % interval of 99 samples", "drag      1.57 +- 0.01   force along x", "lift      still drifts"}; len(s.Results) != 1 || !inOrder(text, want) {
		t.Errorf("results: %+v\n%s", s.Results, text)
	}
	if s.Phase != status.Finished || s.Step != 100 || s.Time != 50 || s.ExitCode == nil || *s.ExitCode != sim.ExitExpect || s.Error != "" {
		t.Errorf("%+v", s)
	}
	if s.MaxMach != 0.25 {
		t.Errorf("Mach %v at the end", s.MaxMach)
	}
	if !strings.Contains(text, "all steps done") || !strings.Contains(text, "exit code    4") {
		t.Error(text)
	}
}

func TestStatusOfAFailedRun(t *testing.T) {
	dir := t.TempDir()
	r, _ := beginStatus(dir)
	r.Fail(&sim.Error{Code: sim.ExitUnstable, Err: errors.New("too fast")})
	s, text := r.onDisk(t, dir)
	if s.Phase != status.Failed || s.ExitCode == nil || *s.ExitCode != sim.ExitUnstable || !strings.Contains(text, "too fast") {
		t.Errorf("%+v\n%s", s, text)
	}
}

// A run without outputs has no folder, and a run whose folder disappears continues.
func TestStatusHasNowhereToBe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	r, _ := beginStatus(dir)
	r.Progress(sim.Progress{})
	r.Wrote("fields", "f")
	r.Finish(sim.Summary{Case: &config.Case{}})
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
	dir = t.TempDir()
	r, warned := beginStatus(dir)
	if err := r.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	r.Fail(errors.New("x"))
	if len(*warned) != 1 || !strings.Contains((*warned)[0].Text, "cannot write the state of the run") {
		t.Errorf("warned %q", *warned)
	}
}

// A run that ended before its last step was stopped, and warnings that differ only in their numbers
// are reported once, with their count.
func TestStatusOfAStoppedRun(t *testing.T) {
	dir := t.TempDir()
	r, _ := beginStatus(dir)
	for _, step := range []string{"100", "200", "300"} {
		r.Warn(finding.FileSkipped.Says("step %s: fields: no space left on device; the run goes on without it", step))
	}
	r.Finish(sim.Summary{Case: &config.Case{Grid: config.Grid{Units: config.Units{Time: 0.5}}}, Reason: "signal terminated", Last: 40, MLUPS: 12})
	s, text := r.onDisk(t, dir)
	if s.Phase != status.Stopped || s.MLUPS != 12 || !strings.Contains(text, "stopped") || !strings.Contains(text, "signal terminated") {
		t.Errorf("%+v\n%s", s, text)
	}
	if strings.Count(text, "no space left") != 1 || !strings.Contains(text, "step 300: fields") || !strings.Contains(text, "(the last of 3)") {
		t.Error(text)
	}
}

// A disk that hangs does not keep the ranks from ending: opening a pipe without a writer hangs as long.
func TestStatusDoesNotWaitForTheDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, status.Name), 0o666); err != nil {
		t.Fatal(err)
	}
	r := NewStatus(nil)
	r.Folder(dir)
	start := time.Now()
	r.Lost("rank 1 is gone")
	if took := time.Since(start); took < 500*time.Millisecond || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func number(x float64) *float64 { return &x }

// inOrder reports whether a text contains parts in order.
func inOrder(text string, parts []string) bool {
	for _, p := range parts {
		_, rest, found := strings.Cut(text, p)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// Numbers have the digits that their interval justifies.
func TestIntervalsInDigits(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		want        string
	}{
		{1.5717471, 0.00097, "1.57175 +- 0.00097"}, {-0.00096379, 0.016, "-0.00096 +- 0.016"}, {0, 0.1, "0 +- 0.1"}, {2.5, 0, "2.5 +- 0"},
		{12345.678, 12, "12346 +- 12"},
	} {
		if got := withInterval(c.value, c.half); got != c.want {
			t.Errorf("%v +- %v: %q instead of %q", c.value, c.half, got, c.want)
		}
	}
}

// Text of a state does not control the terminal.
func TestStatusPrintsNoControlCharacters(t *testing.T) {
	var out strings.Builder
	State(&out, "d", status.State{
		Phase: status.Failed, Identity: status.Identity{Case: "a\x1b[2J", Title: "b\u009b"}, Outcome: status.Outcome{Error: "c\x07\nd"},
	}, time.Now())
	if text := out.String(); strings.ContainsAny(text, "\x1b\x07\u009b") || !strings.Contains(text, "c\ufffd\nd") {
		t.Errorf("%q", text)
	}
}

// A state without a start, ranks or a case has no rows of them.
func TestStatusOfAlmostNothing(t *testing.T) {
	var out bytes.Buffer
	State(&out, t.TempDir(), status.State{Phase: status.Running}, time.Now())
	for _, row := range []string{"started", "0001", "ranks", "case"} {
		if strings.Contains(out.String(), row) {
			t.Errorf("%q is in\n%s", row, &out)
		}
	}
}
