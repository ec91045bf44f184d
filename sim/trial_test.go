// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
)

const measured = `
[domain]
cells = [20, 14, 15]
[collision]
precision = "%s"
[fluid]
viscosity = 0.03
[initial]
velocity = ["0.03*sin(2*pi*y/Ly)*cos(2*pi*z/Lz)", "0.02*cos(2*pi*x/Lx)", "0.02*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)"]
[body.ball]
shape = "sphere"
centre = [9, 7, 6]
radius = 3
[boundary.lid]
type = "moving_wall"
faces = ["z+"]
velocity = [0.05, 0, 0]
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
[run]
steps = 7
[checkpoint]
every = 7
`

// try hands a trial of the case to f on every rank.
func try(t *testing.T, ranks int, text, restart string, f func(c comm.Comm, tr *Trial) error) error {
	t.Helper()
	dir := t.TempDir()
	return comm.RunLocal(ranks, func(c comm.Comm) error {
		cfg, err := config.Load("test.toml", []byte(text))
		if err != nil {
			return err
		}
		cfg.OutputDir = dir
		dev, err := testDevice(2)
		if err != nil {
			return err
		}
		defer dev.Close()
		tr, err := NewTrial(Options{Case: cfg, Comm: c, Device: dev, Report: &silent{}, Restart: restart, Version: "test"})
		if err != nil {
			return errors.Join(err, comm.Barrier(c))
		}
		defer tr.Close()
		return f(c, tr)
	})
}

// The hash equals the hash of the state that a run computes, whatever the number of ranks and
// of turns; another step, or another value anywhere, changes it.
func TestTrialsHash(t *testing.T) {
	for _, precision := range []string{"float32", "float64", "float16"} {
		text := fmt.Sprintf(measured, precision)
		run := trial{text: text, ranks: 2, dir: t.TempDir()}
		run.must(t)
		files, err := filepath.Glob(filepath.Join(run.dir, "checkpoints", "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("checkpoints %v: %v", files, err)
		}
		hashes := map[string]uint64{}
		look := func(name string, ranks int, restart string, turns ...int) {
			err := try(t, ranks, text, restart, func(c comm.Comm, tr *Trial) error {
				for _, n := range turns {
					if _, err := tr.Steps(n); err != nil {
						return err
					}
				}
				h, err := tr.Hash()
				if c.Rank() == ranks-1 {
					hashes[name] = h
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		look("run", 1, files[0])
		look("one rank", 1, "", 7)
		look("three ranks", 3, "", 2, 1, 4)
		look("five ranks", 5, "", 3, 4)
		look("a step less", 1, "", 6)
		for name, h := range hashes {
			if same := h == hashes["run"]; same == (name == "a step less") {
				t.Errorf("%s: %s has the hash %x, a run %x", precision, name, h, hashes["run"])
			}
		}
	}
}

// A turn's times are parts of its whole, and its bytes equal the bytes of the ghost planes.
func TestTrialsTimes(t *testing.T) {
	err := try(t, 2, fmt.Sprintf(measured, "float32"), "", func(_ comm.Comm, tr *Trial) error {
		for _, n := range []int{1, 20} {
			turn, err := tr.Steps(n)
			if err != nil {
				return err
			}
			if turn.Steps != n || turn.Compute <= 0 || turn.Exposed < 0 || turn.Hidden < 0 || turn.Imbalance < 0 || turn.Compute+turn.Exposed > turn.Seconds {
				return fmt.Errorf("%+v", turn)
			}
			if want := float64(14 * 10 * 32 * 4); turn.Bytes != want {
				return fmt.Errorf("%g bytes a step, want %g", turn.Bytes, want)
			}
		}
		return tr.Look()
	})
	if err != nil {
		t.Error(err)
	}
}

// Failures during a measurement are errors on every rank.
func TestTrialsGoWrong(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(measured, "float32"), "steps = 7", "steps = 7\nmax_mach = 0.05", 1)
	err := try(t, 2, text, "", func(comm.Comm, *Trial) error { return nil })
	if code, agreed := ExitCode(err); code != ExitUnstable || !agreed || !strings.Contains(err.Error(), "Mach") {
		t.Errorf("%v (code %d, agreed %v)", err, code, agreed)
	}
}
