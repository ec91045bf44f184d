// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/domain"
	"lbmsim/sim/output"
)

// A uniform force that oscillates moves a uniform fluid by its integral; on one rank, which queues its
// steps, and on two, which do not.
func TestForceOfTime(t *testing.T) {
	for ranks, period := range map[int]float64{1: 50, 2: 100} {
		const f = 1e-5
		dir := t.TempDir()
		trial{text: fmt.Sprintf(`
[domain]
cells = [4, 4]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[collision]
precision = "float64"
[force]
acceleration = ["%g*cos(2*pi*t/%g)", "%g*sin(2*pi*t/%g)"]
[run]
steps = 100
[output.series.s]
quantities = ["mean_velocity", "body_force"]
every = 5
`, f, period, f, period), ranks: ranks, dir: dir}.must(t)
		c := table(t, filepath.Join(dir, "series_s.csv"))
		k, worst := 2*math.Pi/period, 0.0
		for i, n := range c["step"] {
			worst = max(worst, math.Abs(c["mean_velocity x"][i]-f/k*math.Sin(k*n)), math.Abs(c["mean_velocity y"][i]-f/k*(1-math.Cos(k*n))))
		}
		// The trapezoidal rule: k^2/12 of the amplitude, which swings to both sides of 0 and to twice it.
		if got, most := worst/(f/k), 2*k*k/12*1.01; got > most || got < k*k/12*0.99 {
			t.Errorf("period %g: the velocity is off by %.3g of its amplitude, expected at most %.3g", period, got, most)
		}
		if n := len(c["step"]) - 1; math.Abs(c["body_force x"][n]-f*math.Cos(k*100)) > 1e-18 {
			t.Errorf("the force of the last step is %g", c["body_force x"][n])
		}
	}
}

// A force and an inlet that change with time give the same bits for every cut, any device that
// queues steps, and after a restart.
func TestTimedForceHasTheSameBits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pulse.csv")
	if err := os.WriteFile(file, []byte("time,factor\n0,1\n2.5,1.4\n7,0.8\n9.5,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := withPoint(`
[domain]
cells = [25, 13, 17]
periodic = ["z"]
[fluid]
viscosity = 0.03
[force]
acceleration = ["1e-5*sin(2*pi*t/11)", 0, "if(t < 12, 1e-6, -1e-6)"]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
type = "velocity"
velocity = [0.02, 0, 0]
faces = ["x-"]
table = "` + file + `"
repeat = true
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[output.series.all]
quantities = ["mean_velocity", "body_force"]
every = 3
` + ending("regularized", "float32", 30))
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	want := outputsIn(t, dir)
	if c := table(t, filepath.Join(dir, "series_all.csv")); c["body_force z"][1] != 1e-6 || c["body_force z"][len(c["step"])-1] != -1e-6 {
		t.Errorf("forces %v", c["body_force z"])
	}
	cut := [3]int{1, 3, 2}
	dir = t.TempDir()
	trial{text: text, ranks: 6, cut: cut, dir: dir}.must(t)
	compare(t, fmt.Sprint("cut into ", cut), outputsIn(t, dir), want)
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d checkpoints, %v", len(files), err)
	}
	for _, later := range files[:len(files)-1] {
		if err := os.Remove(later); err != nil {
			t.Fatal(err)
		}
	}
	trial{text: text, ranks: 2, dir: dir, restart: "latest"}.must(t)
	compare(t, "restart", outputsIn(t, dir), want)
}

// A table that repeats must end as it begins.
func TestTableThatDoesNotClose(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pulse.csv")
	if err := os.WriteFile(file, []byte("0,1\n2.5,1.4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, _, err := domain.OpenTable(config.TableFile{Boundary: "inlet", Path: file, Repeat: true})
	if err == nil || !strings.Contains(err.Error(), "[boundary.inlet]: "+file+": the last value is 1.4, the first 1") {
		t.Error(err)
	}
}
