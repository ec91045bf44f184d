// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// The flow before a box at rest on a moving road is smooth up to the road. Where the box's links began behind the road, mass vanished,
// and along the whole front the velocity across the road alternated from cell to cell: the second difference of its three lowest cells
// was ten times the speed of the road.
func TestBodyOnAMovingRoad(t *testing.T) {
	const speed = 0.06
	for _, kind := range []string{"wall", "interpolated_wall", "wall_model"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			text := fmt.Sprintf(`
[domain]
lattice = "D3Q27"
cells = [80, 3, 40]
periodic = ["y"]
[fluid]
viscosity = 1e-6
[turbulence]
model = "smagorinsky"
[initial]
velocity = [%[1]g, 0, 0]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [%[1]g, 0, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.top]
type = "slip"
faces = ["z+"]
[boundary.road]
type = "moving_wall"
faces = ["z-"]
velocity = [%[1]g, 0, 0]
[body.box]
type = %[2]q
shape = "box"
from = [30, -1, -1]
to = [38, 4, 8]
[run]
steps = 1000
`, speed, kind)
			for z := range 3 {
				text += fmt.Sprintf("[output.probe.z%d]\nat = [29.5, 1.5, %d.5]\nfields = [\"velocity\"]\nevery = 10\nstart = 700\n", z, z)
			}
			trial{ranks: 1, dir: dir, text: text}.must(t)
			var up [3][]float64
			for z := range up {
				up[z] = column(t, table(t, filepath.Join(dir, fmt.Sprintf("probe_z%d.csv", z))), "velocity z")
			}
			worst := 0.0
			for n := range up[0] {
				worst = math.Max(worst, math.Abs(up[0][n]-2*up[1][n]+up[2][n])/speed)
			}
			t.Logf("second difference of the velocity across the road: %.2f of its speed", worst)
			if !(worst < 1.5) {
				t.Errorf("beside the road the velocity alternates: its second difference is %.2f of the road's speed", worst)
			}
		})
	}
}
