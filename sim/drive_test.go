// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// The force that keeps a mean velocity in a channel follows Poiseuille's law, 12 nu U/H^2,
// summed over cells: U is the mean of F/(2 nu) y (H - y) at their centres.
func TestDriveFindsThePressureGradient(t *testing.T) {
	const nu, u, h = 0.1, 0.02, 16.
	for name, force := range map[string]string{
		"velocity":  fmt.Sprintf("mean_velocity = [%g, 0]", u),
		"flow rate": fmt.Sprintf("flow_rate = %g\nadjust_every = 3\nresponse = 150", u*h),
	} {
		dir := t.TempDir()
		trial{text: fmt.Sprintf(`
[domain]
cells = [8, %g]
periodic = ["x"]
[fluid]
viscosity = %g
[collision]
model = "trt"
precision = "float64"
[force]
%s
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 12000
[output.series.drive]
quantities = ["mean_velocity", "body_force"]
every = 1000
`, h, nu, force), ranks: 1, dir: dir}.must(t)
		c := table(t, filepath.Join(dir, "series_drive.csv"))
		n := len(c["step"]) - 1
		mean, got := c["mean_velocity x"][n], c["body_force x"][n]
		want := 2 * nu * u / (h*h/6 + 1./12)
		t.Logf("%s: mean %.10g, force %.10g, 12 nu U/H^2 of the cells %.10g", name, mean, got, want)
		if math.Abs(mean/u-1) > 1e-9 || math.Abs(got/want-1) > 1e-7 || c["body_force y"][n] != 0 {
			t.Errorf("%s: mean %.10g instead of %g, force %.10g instead of %.10g", name, mean, u, got, want)
		}
		if late := c["body_force x"][n/2]; math.Abs(late/want-1) > 0.01 {
			t.Errorf("%s: half-way the force is %.5g instead of %.5g", name, late, want)
		}
	}
}

// The force is the same for every cut and after a restart, to the bit.
func TestDriveHasTheSameBits(t *testing.T) {
	text := withPoint(`
[domain]
cells = [25, 13, 17]
periodic = ["x", "z"]
[fluid]
viscosity = 0.03
[force]
mean_velocity = [0.03, 0, -0.01]
adjust_every = 4
response = 20
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[body.ball]
shape = "sphere"
centre = [14, 6, 9]
radius = 3
[output.series.all]
quantities = ["mean_velocity", "body_force"]
every = 3
` + ending("regularized", "float32", 30))
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	want := outputsIn(t, dir)
	for _, cut := range [][3]int{{1, 1, 4}, {1, 3, 2}} {
		dir := t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		compare(t, fmt.Sprint("cut into ", cut), outputsIn(t, dir), want)
		files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
		if err != nil || len(files) != 3 {
			t.Fatalf("%d checkpoints, %v", len(files), err)
		}
		for _, later := range files[:2] {
			if err := os.Remove(later); err != nil {
				t.Fatal(err)
			}
		}
		trial{text: text, ranks: 2, dir: dir, restart: "latest"}.must(t)
		compare(t, "restart", outputsIn(t, dir), want)
	}
}
