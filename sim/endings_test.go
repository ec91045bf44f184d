// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// Runs that end before their last step.

// tampered is a device whose programs call a function before each step of the state.
type tampered struct {
	device.Device
	before func(in device.Buffer) (fail bool)
}

type tamperedProgram struct {
	device.Program
	before func(in device.Buffer) (fail bool)
}

func (d tampered) Load(s model.Spec, l decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	p, err := d.Device.Load(s, l, periodic, cells)
	return tamperedProgram{p, d.before}, err
}

func (p tamperedProgram) Step(s device.Stream, in, out device.Buffer, box decomp.Box, q model.Params) {
	if p.before(in) {
		out = in // which programs refuse
	}
	p.Program.Step(s, in, out, box, q)
}

// runTampered computes a case on ranks of this process; before is called ahead of every part of a
// step, and reports whether the step fails.
func runTampered(t *testing.T, o Options, text, dir string, ranks int, before func(rank int, in device.Buffer) (fail bool)) (errs []error) {
	t.Helper()
	errs = make([]error, ranks)
	_ = comm.RunLocal(ranks, func(c comm.Comm) error {
		cfg, err := config.Load("test.toml", []byte(text))
		if err != nil {
			return err
		}
		cfg.OutputDir = dir
		dev, err := cpu.New(1)
		if err != nil {
			return err
		}
		defer dev.Close()
		mine := o
		mine.Case, mine.Comm, mine.Report, mine.Version = cfg, c, &silent{}, "test"
		mine.Device = tampered{dev, func(in device.Buffer) bool { return before(c.Rank(), in) }}
		err = Run(mine)
		errs[c.Rank()] = err
		if _, agreed := ExitCode(err); agreed {
			return nil
		}
		return err
	})
	return errs
}

// A rank that fails alone returns without a collective call, also while a file is being written: it
// would wait for ranks that compute.
func TestErrorOfOneRankIsNotAgreed(t *testing.T) {
	text := withPoint(variety["closed box"] + strings.ReplaceAll(ending("bgk", "float64", 40), "every = 10", "every = 1"))
	steps := 0
	errs := runTampered(t, Options{}, text, t.TempDir(), 2, func(rank int, _ device.Buffer) bool {
		if rank == 1 {
			steps++
		}
		return rank == 1 && steps > 20
	})
	var aborted *comm.AbortError
	for rank, err := range errs {
		if _, agreed := ExitCode(err); err == nil || agreed {
			t.Errorf("rank %d: %v, agreed %v", rank, err, agreed)
		}
		if errors.As(err, &aborted) != (rank == 0) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// A state that broke since the last check of the watch must not become a checkpoint.
func TestBrokenStateIsNoCheckpoint(t *testing.T) {
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 40))
	text = strings.Replace(text, "watch_every = 7", "watch_every = 1000", 1)
	dir, calls := t.TempDir(), 0
	errs := runTampered(t, Options{}, text, dir, 1, func(_ int, in device.Buffer) bool {
		// Step 16 is queued when step 15, which has outputs, is over: the state is not written.
		if calls++; calls == 16 {
			b := in.(device.HostVisible).Host()
			for i := len(b) / 4; i < 3*len(b)/4; i++ { // some of it is cells
				b[i] = 0xff // NaN
			}
		}
		return false
	})
	if code, agreed := ExitCode(errs[0]); code != ExitUnstable || !agreed {
		t.Errorf("%v: exit code %d, agreed %v", errs[0], code, agreed)
	}
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) != 1 {
		t.Errorf("checkpoints %v (%v), want the one of step 10", files, err)
	}
}

// Rows not on disk fail the run, however it ends.
func TestFullDiskOfAProbeFailsTheRun(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 20))
	text = text[:strings.Index(text, "[checkpoint]")]
	dir := t.TempDir()
	errs := runTampered(t, Options{}, text, dir, 2, once(func() {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer full.Close()
		replaceDescriptor(t, filepath.Join(dir, "probe_middle.csv"), full)
	}))
	for rank, err := range errs {
		if code, agreed := ExitCode(err); code != ExitFailure || !agreed || !strings.Contains(err.Error(), "probe") {
			t.Errorf("rank %d: %v, exit code %d, agreed %v", rank, err, code, agreed)
		}
	}
}

// once returns a hook that runs on rank 0 at its first call.
func once(f func()) func(int, device.Buffer) bool {
	done := false
	return func(rank int, _ device.Buffer) bool {
		if rank == 0 && !done {
			done = true
			f()
		}
		return false
	}
}

// An interrupted run is not judged, and its continuation gives the outputs of an uninterrupted run.
func TestInterruptedRunIsNotJudgedAndGoesOn(t *testing.T) {
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 40))
	text = strings.Replace(text, "every = 3", "every = 6", 1) + "[expect.max_speed]\nvalue = 0.05\nwithin = 1\n"
	straight, dir := t.TempDir(), t.TempDir()
	quietly := func(o Options, dir string, ranks int) { // on the device of the interrupted run
		t.Helper()
		for _, err := range runTampered(t, o, text, dir, ranks, func(int, device.Buffer) bool { return false }) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	quietly(Options{}, straight, 1)
	wrong := strings.Replace(text, "value = 0.05\nwithin = 1", "value = 0.5\nwithin = 1e-9", 1)
	signals, calls := make(chan os.Signal, 1), 0
	errs := runTampered(t, Options{Signals: signals}, wrong, dir, 1, func(int, device.Buffer) bool {
		if calls++; calls == 5 {
			signals <- os.Interrupt
		}
		return false
	})
	if errs[0] != nil {
		t.Fatalf("an interrupted run: %v", errs[0])
	}
	quietly(Options{Restart: "latest"}, dir, 2)
	want, got := outputsIn(t, straight), outputsIn(t, dir)
	rows := func(out map[string][]byte) string { // the comments hold [expect], which differs
		text := string(out["/probe_middle.csv"])
		return text[strings.Index(text, "\nstep,"):]
	}
	if rows(got) != rows(want) {
		t.Errorf("the probe's rows:%s\nwant%s", rows(got), rows(want))
	}
	if string(got["state"]) != string(want["state"]) {
		t.Error("the state differs")
	}
}

// A restart without a checkpoint reports where it searched and what to do.
func TestNoCheckpoint(t *testing.T) {
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 4))
	none := strings.Split(text, "[checkpoint]")[0]
	empty, missing := t.TempDir(), filepath.Join(t.TempDir(), "never")
	if err := os.Mkdir(filepath.Join(empty, output.CheckpointDir), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, dir, want string }{
		{text, empty, "there is no checkpoint in the folder " + filepath.Join(empty, output.CheckpointDir) + "; omit"},
		{text, missing, "there is no folder " + missing},
		{none, empty, "so its runs write none; omit"},
	} {
		_, err := trial{text: c.text, ranks: 2, dir: c.dir, restart: Latest}.run(t)
		if code, _ := ExitCode(err); code != ExitUsage {
			t.Fatalf("exit code %d: %v", code, err)
		}
		for _, want := range []string{"--restart latest: ", "no checkpoint to resume from: ", c.want, "omit --restart to start at step 0", "--restart auto", "--restart FILE", "--output FOLDER"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("no %q in %v", want, err)
			}
		}
	}
}

// A requested checkpoint that is missing: the error has the path searched, and the files there.
func TestNoSuchCheckpoint(t *testing.T) {
	text := variety["closed box"] + "\n[run]\nsteps = 7\n[checkpoint]\nevery = 1\nkeep = 100\n"
	dir, elsewhere := t.TempDir(), t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	folder := filepath.Join(dir, output.CheckpointDir)
	const there = "the latest first: checkpoint_000000000007.h5 checkpoint_000000000006.h5"
	for path, want := range map[string][]string{
		filepath.Join(folder, "checkpoint_000000000099.h5"):     {"there is no such file", "in " + folder + ", " + there, " and 2 more"},
		filepath.Join(elsewhere, "checkpoint_000000000007.h5"):  {"there is no such file", "there is no checkpoint in " + elsewhere, "in " + folder + ", " + there},
		filepath.Join(elsewhere, "no", "checkpoint_0000007.h5"): {"there is no such file", "there is no folder " + filepath.Join(elsewhere, "no"), there},
		"checkpoint_000000000007.h5":                            {"there is no such file, relative to ", there},
		folder:                                                  {"it is a folder; expected a file", there},
	} {
		_, err := trial{text: text, ranks: 2, dir: dir, restart: path}.run(t)
		if code, agreed := ExitCode(err); code != ExitUsage || !agreed {
			t.Fatalf("%s: exit code %d: %v", path, code, err)
		}
		for _, want := range append(want, "--restart "+path+": ", "--restart latest") {
			if strings.Count(err.Error(), want) != 1 {
				t.Errorf("%q is not once in\n%v", want, err)
			}
		}
	}
}
