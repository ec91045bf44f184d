// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/internal/brief"
)

// plates returns a channel of 12 cells in height with a viscosity law, whose walls bear force * 6 per cell.
func plates(lattice, collision, law string, force float64, steps int) string {
	cells, rest, point := "[2, 12]", "0", "[0.5, 0.5]"
	if lattice != "D2Q9" {
		cells, rest, point = "[2, 12, 2]", "0, 0", "[0.5, 0.5, 0.5]"
	}
	axes := map[string]string{"0": `["x"]`, "0, 0": `["x", "z"]`}[rest]
	return fmt.Sprintf(`
[domain]
lattice = %q
cells = %s
periodic = %s
[collision]
model = %q
precision = "float64"
[force]
acceleration = [%g, %s]
[initial]
velocity = ["0.015*4*y*(Ly-y)/Ly^2", %[6]s]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[output.force.walls]
every = %[7]d
[output.probe.wall]
at = %[8]s
fields = ["wall_shear_stress"]
every = %[7]d
[output.series.lines]
quantities = ["max_speed"]
lines = ["stress"]
every = %[7]d
[expect.line.stress]
along = "y"
through = %[8]s
field = "wall_shear_stress"
component = "x"
extremum = "max"
[run]
steps = %[7]d
%[9]s`, lattice, cells, axes, collision, force, rest, steps, point, law)
}

// The walls of a channel bear the force on the fluid between them, and the wall shear stress agrees for every
// viscosity law.
func TestWallShearStressByEveryLaw(t *testing.T) {
	laws := []struct {
		name, text string
		force      float64
		steps      int
	}{
		{"thinning", "[fluid]\nviscosity = 0.1\nviscosity_law = \"power_law\"\nindex = 0.6\nshear_rate = 1e-3\n", 1e-4, 4500},
		{"thickening", "[fluid]\nviscosity = 0.1\nviscosity_law = \"power_law\"\nindex = 1.4\nshear_rate = 2e-3\n", 1e-4, 3000},
		{"carreau", "[fluid]\nviscosity = 0.1\nviscosity_law = \"carreau\"\nindex = 0.4\ntime_constant = 500\nviscosity_infinite = 0.02\n", 1e-4, 3000},
		{"smagorinsky", "[fluid]\nviscosity = 0.02\n[turbulence]\nmodel = \"smagorinsky\"\nconstant = 0.95\n", 2e-5, 6000},
		{"wale", "[fluid]\nviscosity = 0.1\n[turbulence]\nmodel = \"wale\"\n", 1e-4, 2500},
	}
	brief.Fewer(t, "laws for each model")
	for k, model := range [][2]string{{"D2Q9", "cumulant"}, {"D2Q9", "trt"}, {"D2Q9", "bgk"}, {"D3Q19", "trt"}, {"D3Q27", "cumulant"}} {
		lattice, collision := model[0], model[1]
		for i, law := range laws {
			if testing.Short() && (k+i)%2 == 1 {
				continue
			}
			name := lattice + " " + collision + " " + law.name
			ranks := 1
			if law.name == "wale" { // it reads neighbours
				ranks = 2
			}
			dir := t.TempDir()
			trial{text: plates(lattice, collision, law.text, law.force, law.steps), ranks: ranks, dir: dir}.must(t)
			want := 6 * law.force
			stress := last(table(t, filepath.Join(dir, "probe_wall.csv"))["wall_shear_stress x"])
			line := last(table(t, filepath.Join(dir, "series_lines.csv"))["stress"])
			cells := 4.0 // of the two walls
			if lattice != "D2Q9" {
				cells = 8
			}
			force := last(table(t, filepath.Join(dir, "force_walls.csv"))["force_x"]) / cells
			if !(math.Abs(force/want-1) < 0.001) {
				t.Errorf("%s: the walls bear %.5g instead of %.5g: the flow is not steady", name, force, want)
			}
			if !(math.Abs(stress/want-1) < 0.006) || !(math.Abs(line/stress-1) < 1e-12) {
				t.Errorf("%s: %.5g, on the line %.5g, instead of %.5g", name, stress, line, want)
			}
		}
	}
}

func last(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	return list[len(list)-1]
}

// The stresses along a channel that ends in a sponge add up to the force on its wall, and use the local viscosity, for any
// number of ranks.
func TestWallShearStressInASponge(t *testing.T) {
	const nu, high, u, thick, length, height = 0.05, 0.2, 0.004, 40., 100, 12
	brief.Fewer(t, "numbers of ranks")
	for _, turbulence := range []string{"", "[turbulence]\nmodel = \"smagorinsky\"\nconstant = 0.9\n"} {
		text := fmt.Sprintf(`
[domain]
cells = [%d, %d]
[fluid]
viscosity = %g
[collision]
precision = "float64"
[initial]
velocity = ["%[4]g*4*y*(Ly-y)/Ly^2", 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["%[4]g*4*y*(Ly-y)/Ly^2", 0]
[boundary.outlet]
type = "pressure"
faces = ["x+"]
sponge = %[5]g
sponge_viscosity = %[6]g
[run]
steps = 4000
[output.force.walls]
every = 4000
[output.line.wall]
from = [0.5, 0.5]
to = [99.5, 0.5]
points = 100
fields = ["wall_shear_stress"]
every = 4000
%[7]s`, length, height, nu, u, thick, high, turbulence)
		var first []byte
		for _, ranks := range []int{1, 3} {
			if testing.Short() && ranks == 3 && turbulence == "" {
				continue
			}
			dir := t.TempDir()
			trial{text: text, ranks: ranks, dir: dir}.must(t)
			b := contents(t, filepath.Join(dir, "line_wall.csv"))
			if first == nil {
				first = b
			} else if !bytes.Equal(b, first) {
				t.Errorf("%d ranks: other stresses", ranks)
			}
			sum := 0.0
			for x, v := range table(t, filepath.Join(dir, "line_wall.csv"))["wall_shear_stress x"] {
				sum += 2 * v
				n := nu
				if d := length - 0.5 - float64(x); d < thick {
					n += (high - nu) * (1 - d/thick) * (1 - d/thick)
				}
				if want := 4 * n * u / height; turbulence == "" && x > 10 && x < 95 && !(math.Abs(v/want-1) < 0.015) {
					t.Errorf("cell %d: %.4g instead of %.4g", x, v, want)
				}
			}
			force := last(table(t, filepath.Join(dir, "force_walls.csv"))["force_x"])
			// Slanted links into a wall carry no pressure along it, a third of the pressure gradient on a cell.
			if want := force / (1 - 1/(3.*height)); !(math.Abs(sum/want-1) < 0.002) {
				t.Errorf("%q: stresses add up to %.5g instead of %.5g", turbulence, sum, want)
			}
		}
	}
}

// Between cells the stress is taken from the cells beside the wall, not averaged with the zeros of the next ones; the run reports
// a line or probe that samples no wall.
func TestWallShearStressBetweenCells(t *testing.T) {
	text := plates("D2Q9", "trt", "[fluid]\nviscosity = 0.1\n", 1e-4, 1500) + `
[output.line.between]
from = [0.5, 0.9]
to = [1.5, 0.9]
points = 2
fields = ["wall_shear_stress"]
every = 1500
[output.line.middle]
from = [0.5, 6]
to = [1.5, 6]
points = 2
fields = ["wall_shear_stress", "velocity"]
every = 1500
[output.probe.off]
at = [0.5, 1.5]
fields = ["wall_shear_stress"]
every = 1500
[expect.line.along]
along = "x"
through = [0.5, 0.9]
field = "wall_shear_stress"
component = "x"
extremum = "min"
[expect.line.nowhere]
along = "x"
through = [0.5, 6.5]
field = "wall_shear_stress"
component = "x"
extremum = "min"
`
	for _, ranks := range []int{1, 2} {
		dir := t.TempDir()
		s := trial{text: text, ranks: ranks, dir: dir}.must(t)
		at := last(table(t, filepath.Join(dir, "probe_wall.csv"))["wall_shear_stress x"])
		if got := last(table(t, filepath.Join(dir, "line_between.csv"))["wall_shear_stress x"]); !(math.Abs(got/at-1) < 1e-12) {
			t.Errorf("%d ranks: %v between the cells, %v in the cell at the wall", ranks, got, at)
		}
		for _, e := range s.summary.Expect {
			if want := map[bool]float64{true: 0, false: at}[strings.Contains(e.Quantity, "nowhere")]; !(math.Abs(e.Got-want) < 1e-12*at) {
				t.Errorf("%d ranks: %s is %v instead of %v", ranks, e.Quantity, e.Got, want)
			}
		}
		var of []string
		for _, w := range s.warned {
			if head, found := strings.CutSuffix(w, "]: none of its cells is adjacent to a no-slip wall, so wall_shear_stress is 0: move it to cells at the wall"); found {
				of = append(of, head)
			}
		}
		if want := []string{"[output.probe.off", "[output.line.middle", "[expect.line.nowhere"}; !slices.Equal(of, want) {
			t.Errorf("%d ranks: warnings of %q instead of %q", ranks, of, want)
		}
	}
}
