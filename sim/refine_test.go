// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// Refined cases in the plane and in space.
const (
	discInAChannel = `
[domain]
cells = [32, 20]
periodic = ["x"]
[fluid]
viscosity = 0.02
[boundary.top]
type = "moving_wall"
velocity = [0.03, 0]
faces = ["y+"]
[boundary.bottom]
type = "wall"
faces = ["y-"]
[body.disc]
shape = "cylinder"
centre = [12, 9]
radius = 2
[initial]
velocity = ["0.02*sin(2*pi*y/Ly)", "0.01*cos(2*pi*x/Lx)"]
[refine.near]
level = 1
from = [6, 3]
to = [20, 16]
[refine.wake]
level = 1
from = [20, 0]
to = [26, 12]
[refine.wall]
level = 2
from = [8, 5]
to = [18, 13]
[output.force.disc]
of = ["disc"]
every = 4
start = 6
`
	ballInATunnel = `
[domain]
cells = [24, 14, 14]
[fluid]
viscosity = 0.04
[boundary.inlet]
type = "velocity"
velocity = ["0.03*z*(2*Lz-z)/Lz^2", 0, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.road]
type = "moving_wall"
velocity = [0.03, 0, 0]
faces = ["z-"]
[boundary.rest]
type = "slip"
faces = ["y-", "y+", "z+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [10, 7, 7]
radius = 2.1
[refine.near]
level = 1
from = [4, 2, 0]
to = [18, 12, 12]
[refine.road]
level = 2
from = [6, 4, 0]
to = [9, 8, 2]
[output.force.ball]
of = ["ball"]
every = 4
[output.force.road]
of = ["road", "inlet"]
every = 4
[output.plane.middle]
normal = "y"
at = 7
fields = ["velocity", "vorticity"]
every = 10
`
	modelledBall = `
[domain]
cells = [24, 20, 20]
[fluid]
viscosity = 2e-5
[boundary.inlet]
type = "velocity"
velocity = [0.05, 0, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.rest]
type = "slip"
faces = ["y-", "y+", "z-", "z+"]
[body.ball]
type = "wall_model"
shape = "sphere"
centre = [10, 10, 10]
radius = 3.5
sample = 2
layer = 1.5
[refine.near]
level = 1
from = [1, 1, 1]
to = [19, 19, 19]
[output.force.ball]
of = ["ball"]
every = 4
[output.series.wall]
quantities = ["y_plus_min", "y_plus_mean", "y_plus_max"]
every = 4
[initial]
velocity = [0.05, 0, 0]
`
	modelledCube = `
[domain]
cells = [24, 14, 12]
[fluid]
viscosity = 2e-5
[boundary.inlet]
type = "velocity"
velocity = [0.05, 0, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.road]
type = "wall_model"
velocity = [0.03, 0, 0]
faces = ["z-"]
sample = 2
layer = 1.5
[boundary.rest]
type = "slip"
faces = ["y-", "y+", "z+"]
[body.cube]
type = "wall_model"
shape = "box"
from = [9, 5.5, 0]
to = [11, 8.5, 2]
sample = 1.5
layer = 1.5
[refine.near]
level = 1
from = [4, 2, 0]
to = [18, 12, 8]
[refine.beside]
level = 1
from = [18, 5, 0]
to = [20, 10, 4]
[refine.cube]
level = 2
from = [6, 3, 0]
to = [14, 11, 5]
[output.force.cube]
of = ["cube"]
every = 4
[output.force.road]
of = ["road"]
every = 4
[output.series.wall]
quantities = ["y_plus_min", "y_plus_mean", "y_plus_max"]
every = 4
[initial]
velocity = [0.05, 0, 0]
`
)

// heated gives a case a temperature that drives it.
func heated(text, gravity string, temperatures ...string) string {
	for i := 0; i < len(temperatures); i += 2 {
		text = strings.Replace(text, "["+temperatures[i]+"]\n", "["+temperatures[i]+"]\n"+temperatures[i+1]+"\n", 1)
	}
	return text + `
[temperature]
prandtl = 0.7
expansion = 1e-3
reference = 300
initial = "300 + 2*sin(2*pi*x/Lx)"
gravity = ` + gravity + "\n"
}

// refinedCases have walls, eddies, open faces, a body in the finest level, concave unions and periodic axes, and everything that outputs of
// refined grids have.
var refinedCases = map[string]string{
	"disc in a channel": discInAChannel,
	"ball in a tunnel":  ballInATunnel,
	"disc in a channel by smagorinsky": strings.Replace(discInAChannel, "0.02\n", "0.0002\n", 1) + `
[turbulence]
model = "smagorinsky"
constant = 0.17
`,
	"ball in a tunnel by wale": strings.Replace(ballInATunnel, "0.04\n", "0.0004\n", 1) + `
[turbulence]
model = "wale"
constant = 0.5
`,
	"warm disc in a channel": heated(discInAChannel, "[1e-3, -2e-3]", "boundary.top", "temperature = 301", "boundary.bottom", "heat_flux = 1e-3", "body.disc", "temperature = 304"),
	"warm ball in a tunnel":  heated(ballInATunnel, "[0, 0, -2e-3]", "boundary.inlet", "temperature = 299", "boundary.road", "temperature = 301", "body.ball", "heat_flux = 2e-3"),
	"warm ball by smagorinsky": strings.Replace(heated(ballInATunnel, "[0, 0, -2e-3]", "boundary.inlet", "temperature = 299", "body.ball", "heat_flux = 2e-3"), "0.04\n", "0.0004\n", 1) + `
[turbulence]
model = "smagorinsky"
constant = 0.17
`,
	"modelled ball": modelledBall,
	"modelled cube": modelledCube,
	"warm modelled ball by wale": strings.NewReplacer("[boundary.inlet]\n", "[boundary.inlet]\ntemperature = 0\n", "[body.ball]\n", "[body.ball]\ntemperature = 1\n").Replace(modelledBall) + `
[temperature]
diffusivity = 3e-5
reference = 0
initial = "0.1*sin(y)"
[turbulence]
model = "wale"
constant = 0.5
`,
}

// smallerBall returns modelledBall, or a case based on it, with a smaller ball and box.
func smallerBall(text string) string {
	return strings.NewReplacer("[10, 10, 10]\nradius = 3.5", "[9, 9, 9]\nradius = 2.5", "to = [19, 19, 19]", "to = [17, 17, 17]").Replace(text)
}

// refinedRun adds steps and outputs to one of them.
func refinedRun(name, precision string, steps int) string {
	at, from, to, means, stress := "[17, 9]", "[2.5, 1]", "[30, 18]", "", `"wall_shear_stress", `
	if strings.Contains(name, "ball") || strings.Contains(name, "cube") {
		at, from, to = "[14, 7, 8]", "[1, 2.25, 0.5]", "[21, 12, 11]"
	}
	if strings.Contains(name, "modelled") {
		means, stress = `, "mean_y_plus", "mean_wall_shear"`, ""
	}
	run := fmt.Sprintf(`
[collision]
precision = %q
[run]
steps = %d
watch_every = 7
[output.fields]
fields = ["pressure", "velocity", "vorticity", "wall_distance", %s"solid"]
precision = "float64"
every = 10
[output.picture]
field = "vorticity"
every = 20
[output.probe.point]
at = %s
fields = ["density", "velocity", "vorticity"]
every = 3
[output.series.totals]
quantities = ["mean_density", "mean_velocity", "max_speed", "kinetic_energy", "density_drift", "enstrophy", "grid_scale"]
lines = ["fastest"]
every = 5
[output.line.across]
from = %s
to = %s
points = 57
fields = ["pressure", "velocity", "vorticity", "speed"]
every = 10
[expect.line.fastest]
along = "y"
through = %s
component = "x"
extremum = "max"
[output.averages]
fields = ["mean_pressure", "pressure_variance", "mean_velocity", "reynolds_stress"%s]
precision = "float64"
sample_every = 3
start = 4
every = 20
[output.profile.y]
along = "y"
fields = ["mean_pressure", "pressure_variance", "mean_velocity", "reynolds_stress"]
sample_every = 3
start = 4
every = 20
[checkpoint]
every = %d
keep = 9
`, precision, steps, stress, at, from, to, at, means, steps/4)
	if strings.Contains(name, "warm") {
		run = strings.NewReplacer(`"velocity", "vorticity"`, `"velocity", "temperature", "vorticity"`, `"mean_density"`, `"mean_density", "mean_temperature"`, "watch_every = 7\n", "watch_every = 7\ngrid_scale_every = 2\n").Replace(run)
	}
	return refinedCases[name] + run
}

// refinedOutputs returns the tables, fields and planes in a folder, and the state of all levels in its newest checkpoint.
func refinedOutputs(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{"state": stateIn(t, dir)}
	for _, pattern := range []string{"*.csv", "fields/*.hdf", "fields/*.parts/*.hdf", "planes/*/*.hdf", "averages/*.hdf"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 && (pattern == "*.csv" || pattern == "fields/*.hdf") {
			t.Fatalf("no %s in %s (%v)", pattern, dir, err)
		}
		for _, f := range files {
			out[strings.TrimPrefix(f, dir)] = contents(t, f)
		}
	}
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil {
		t.Fatal(err)
	}
	newest := filepath.Base(files[0])
	levels, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "levels", "*", newest))
	if err != nil || len(levels) == 0 {
		t.Fatalf("files of levels: %v, %v", levels, err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "averages", "*.hdf")); err != nil || len(files) > 0 {
		sums, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "averages", "levels", "*", newest))
		if err != nil || len(sums) != len(levels) {
			t.Fatalf("sums of averages of levels: %v, %v", sums, err)
		}
		levels = append(append(levels, sums...), filepath.Join(dir, output.CheckpointDir, "averages", newest))
	}
	for _, path := range levels {
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, f.Header.Planes*f.Header.PlaneBytes())
		if err := f.ReadPlanes(0, f.Header.Planes, b); err != nil {
			t.Fatal(err)
		}
		f.Close()
		out["state "+strings.TrimPrefix(filepath.Dir(path), dir)] = b
	}
	return out
}

// Outputs of a refined run have the same bits on any number of ranks, and after a restart on others.
func TestRefinedRunsHaveTheSameBits(t *testing.T) {
	brief.Fewer(t, "cases, precisions and numbers of ranks")
	// Of a short run others have what these have, and a law of the viscosity or a temperature beside it.
	plain := []string{"disc in a channel", "ball in a tunnel", "modelled ball", "warm ball in a tunnel", "ball in a tunnel by wale"}
	for name := range refinedCases {
		if testing.Short() && slices.Contains(plain, name) {
			continue
		}
		for _, precision := range []string{"float32", "float64"} {
			if testing.Short() && (precision == "float32") == strings.HasPrefix(name, "warm ball") {
				continue
			}
			t.Run(name+" "+precision, func(t *testing.T) {
				steps := 40
				if strings.Contains(name, "modelled") {
					// Walls are corrected after 64. Checkpoints are at steps without forces, too.
					steps = 84
					if testing.Short() {
						steps = 68
					}
				}
				text, straight := refinedRun(name, precision, steps), t.TempDir()
				if testing.Short() {
					text = smallerBall(text)
				}
				trial{text: text, ranks: 1, dir: straight}.must(t)
				want := refinedOutputs(t, straight)
				cuts, restarts := []int{2, 3, 7}, [][2]int{{1, 3}, {4, 1}, {2, 2}}
				if testing.Short() {
					cuts, restarts = nil, [][2]int{{3, 2}} // what the first run writes is compared, too
				}
				for _, ranks := range cuts {
					dir := t.TempDir()
					trial{text: text, ranks: ranks, dir: dir}.must(t)
					compare(t, fmt.Sprintf("%d ranks", ranks), refinedOutputs(t, dir), want)
				}
				for _, ranks := range restarts {
					dir := t.TempDir()
					trial{text: text, ranks: ranks[0], dir: dir}.must(t)
					files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
					if err != nil || len(files) != 4 {
						t.Fatalf("%d checkpoints, %v", len(files), err)
					}
					for _, later := range files[:2] {
						if err := os.Remove(later); err != nil {
							t.Fatal(err)
						}
					}
					s := trial{text: text, ranks: ranks[1], dir: dir, restart: "latest"}.must(t)
					if s.summary.Steps != steps/2 {
						t.Errorf("%d steps after the restart, want %d", s.summary.Steps, steps/2)
					}
					compare(t, fmt.Sprintf("restart from %d on %d ranks", ranks[0], ranks[1]), refinedOutputs(t, dir), want)
				}
			})
		}
	}
}

// A checkpoint without a file of its levels, or with another's, is passed over for an older one, and refused where it is the only one.
func TestCheckpointsWithoutALevel(t *testing.T) {
	text, dir := refinedRun("disc in a channel", "float32", 40), t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	other := output.PatchPath(files[1], 2, 0)
	lost := output.PatchPath(files[0], 2, 0)
	b, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lost, b, 0o666); err != nil { // of the step before
		t.Fatal(err)
	}
	s := trial{text: text, ranks: 3, dir: dir, restart: "latest"}.must(t)
	if s.summary.Steps != 10 || s.warnedOf("does not belong to the checkpoint") != 1 {
		t.Errorf("%d steps, warnings %q", s.summary.Steps, s.warned)
	}
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	_, err = trial{text: text, ranks: 2, dir: dir, restart: files[0]}.run(t)
	if code, agreed := ExitCode(err); code != ExitFailure || !agreed || !strings.Contains(err.Error(), "copy the folder levels along") {
		t.Errorf("error %v, code %d, agreed %t", err, code, agreed)
	}
}

// The drag of a disc in a finer box, at Re 20, is the one on a grid that has the finer cells everywhere, within 0.5 % (set beforehand):
// forces, their points and coefficients are in units of the case, not of a level.
func TestRefinedForceIsTheUniformOnes(t *testing.T) {
	text := func(by int, boxes string) string {
		n := float64(by)
		return fmt.Sprintf(`
[domain]
cells = [%g, %g]
[fluid]
viscosity = %g
[boundary.inlet]
type = "velocity"
velocity = [0.05, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.disc]
type = "interpolated_wall"
shape = "cylinder"
centre = [%g, %g]
radius = %g
[initial]
velocity = [0.05, 0]
[collision]
precision = "float64"
[run]
steps = %d
[output.force.disc]
velocity = 0.05
length = %g
every = %d
about = [0, 0]
`, 80*n, 40*n, 0.02*n, 24*n, 19*n, 4*n, 6000*by, 8*n, 6000*by) + boxes
	}
	last := func(text string) map[string]float64 {
		dir := t.TempDir()
		trial{text: text, ranks: 1, threads: 2, dir: dir}.must(t)
		end := map[string]float64{}
		for name, column := range table(t, filepath.Join(dir, "force_disc.csv")) {
			end[name] = column[len(column)-1]
		}
		return end
	}
	uniform, finer := last(text(2, "")), last(text(1, "[refine.near]\nlevel = 1\nfrom = [12, 8]\nto = [52, 30]\n"))
	for _, name := range []string{"drag", "lift"} {
		if t.Logf("%s: %.6g and %.6g", name, uniform[name], finer[name]); !(math.Abs(finer[name]-uniform[name]) <= 0.005*uniform["drag"]) {
			t.Errorf("%s is %g, on a uniform grid %g", name, finer[name], uniform[name])
		}
	}
	// In cells: a force per length is twice, a moment per length four times as large in cells of half the size.
	for name, by := range map[string]float64{"force_x": 2, "torque_z": 4} {
		if got, want := by*finer[name], uniform[name]; !(math.Abs(got-want) <= 0.005*math.Abs(want)) {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
}

// The Nusselt number of a warm disc in a finer box, at Re 20, is the one on a grid that has the finer cells everywhere, within 0.5 % (set
// beforehand), with a temperature of its surface and with a heat flux; and a disc with a heat flux gives what it is given.
func TestRefinedHeatIsTheUniformOnes(t *testing.T) {
	text := func(by int, wall, boxes string) string {
		n := float64(by)
		return fmt.Sprintf(`
[domain]
cells = [%g, %g]
[fluid]
viscosity = %g
[temperature]
prandtl = 0.7
reference = 0
[boundary.inlet]
type = "velocity"
velocity = [0.05, 0]
temperature = 0
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.disc]
type = "interpolated_wall"
shape = "cylinder"
centre = [%g, %g]
radius = %g
%s
[initial]
velocity = [0.05, 0]
[collision]
precision = "float64"
[run]
steps = %d
[output.force.disc]
velocity = 0.05
length = %g
temperature_difference = 1
every = %d
[output.series.mean]
quantities = ["mean_temperature"]
every = %d
`, 60*n, 30*n, 0.02*n, 20*n, 15*n, 4*n, wall, 4000*by, 8*n, 4000*by, 4000*by) + boxes
	}
	last := func(text string) map[string]float64 {
		dir, end := t.TempDir(), map[string]float64{}
		trial{text: text, ranks: 1, threads: 2, dir: dir}.must(t)
		for _, file := range []string{"force_disc.csv", "series_mean.csv"} {
			for name, column := range table(t, filepath.Join(dir, file)) {
				end[name] = column[len(column)-1]
			}
		}
		return end
	}
	const box = "[refine.near]\nlevel = 1\nfrom = [9, 5]\nto = [44, 25]\n"
	uniform, finer := last(text(2, "temperature = 1", "")), last(text(1, "temperature = 1", box))
	for _, name := range []string{"nusselt", "mean_temperature"} {
		if t.Logf("%s: %.6g and %.6g", name, uniform[name], finer[name]); !(math.Abs(finer[name]/uniform[name]-1) <= 0.005) {
			t.Errorf("%s is %g, on a uniform grid %g", name, finer[name], uniform[name])
		}
	}
	const flux = 1e-3
	if brief.Fewer(t, "thermal conditions"); testing.Short() {
		return // TestRefinedRunsHaveTheSameBits has a heat flux into a refined grid
	}
	uniform, finer = last(text(2, fmt.Sprintf("heat_flux = %g", flux), "")), last(text(1, fmt.Sprintf("heat_flux = %g", flux), box))
	t.Logf("mean temperature: %.6g and %.6g; heat by the flux times the circumference: %.4f", uniform["mean_temperature"], finer["mean_temperature"], finer["heat"]/(flux*8*math.Pi))
	if !(math.Abs(finer["mean_temperature"]/uniform["mean_temperature"]-1) <= 0.005) || !(math.Abs(2*finer["heat"]/uniform["heat"]-1) <= 0.005) {
		t.Errorf("mean temperature %g, heat %g, on a uniform grid %g and half of %g", finer["mean_temperature"], finer["heat"], uniform["mean_temperature"], uniform["heat"])
	}
}

// A level's file of another case is not taken for a checkpoint's, though its step and its cells are the same.
func TestCheckpointWithALevelOfAnotherCase(t *testing.T) {
	text, dirs := refinedRun("disc in a channel", "float32", 20), [2]string{t.TempDir(), t.TempDir()}
	var files [2][]string
	for i, text := range []string{text, strings.Replace(text, "viscosity = 0.02", "viscosity = 0.03", 1)} {
		trial{text: text, ranks: 1, dir: dirs[i]}.must(t)
		var err error
		if files[i], err = checkpoint.Latest(filepath.Join(dirs[i], output.CheckpointDir)); err != nil || len(files[i]) != 4 {
			t.Fatal(files[i], err)
		}
	}
	if err := os.WriteFile(output.PatchPath(files[0][0], 2, 0), contents(t, output.PatchPath(files[1][0], 2, 0)), 0o666); err != nil {
		t.Fatal(err)
	}
	s := trial{text: text, ranks: 2, dir: dirs[0], restart: "latest"}.must(t)
	if s.summary.Steps != 5 || s.warnedOf("does not belong to the checkpoint") != 1 {
		t.Errorf("%d steps, warnings %q", s.summary.Steps, s.warned)
	}
}

// The force at the step of a checkpoint is the same after a restart there: its step before is in the checkpoint.
func TestRefinedForceAtTheStepOfARestart(t *testing.T) {
	text := strings.Replace(refinedRun("disc in a channel", "float64", 20), "every = 4\nstart = 6", "every = 100\nat_end = true", 1)
	dir := t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	want := table(t, filepath.Join(dir, "force_disc.csv"))
	trial{text: text, ranks: 3, dir: dir, restart: "latest"}.must(t)
	got := table(t, filepath.Join(dir, "force_disc.csv"))
	for name := range want {
		if a, b := want[name], got[name]; len(a) != 1 || len(b) != 1 || math.Float64bits(a[0]) != math.Float64bits(b[0]) {
			t.Errorf("%s: %v, after the restart %v", name, a, b)
		}
	}
}

// A flow of a refined grid is level 0's in a uniform run, with means of the finest cells in boxes: its energy is the refined run's within
// 2 %, as means over two and four cells lose some. The same case starts from its own checkpoint with the state bit for bit.
func TestFlowFromARefinedGrid(t *testing.T) {
	dir := t.TempDir()
	text := refinedRun("disc in a channel", "float64", 40)
	trial{text: text, ranks: 2, dir: dir}.must(t)
	want := lastRow(t, dir, "series_totals.csv")
	cut, _, _ := strings.Cut(discInAChannel, "[refine.near]")
	plain := cut + "[collision]\nprecision = \"float64\"\n[run]\nsteps = 5\n[output.series.totals]\nquantities = [\"mean_density\", \"kinetic_energy\"]\nevery = 5\n"
	var first []float64
	for _, ranks := range []int{1, 3} {
		own := t.TempDir()
		trial{text: from(plain, filepath.Join(dir, output.CheckpointDir)), ranks: ranks, dir: own}.must(t)
		column := table(t, filepath.Join(own, "series_totals.csv"))
		t.Logf("energy %.7g, refined %.7g", column["kinetic_energy"][0], want["kinetic_energy"])
		if got := column["kinetic_energy"][0] / want["kinetic_energy"]; !(math.Abs(got-1) <= 0.02) {
			t.Errorf("%d ranks: the energy is %g of the refined run's", ranks, got)
		}
		if got := column["mean_density"][0] - want["mean_density"]; !(math.Abs(got) <= 1e-5) {
			t.Errorf("%d ranks: the mean density is off by %g", ranks, got)
		}
		if first == nil {
			first = column["kinetic_energy"]
		} else if column["kinetic_energy"][1] != first[1] {
			t.Errorf("the energy is %g on %d ranks, %g on one", column["kinetic_energy"][1], ranks, first[1])
		}
	}
	again := t.TempDir()
	trial{text: from(text, filepath.Join(dir, output.CheckpointDir)), ranks: 3, dir: again}.must(t)
	for name, column := range table(t, filepath.Join(again, "series_totals.csv")) {
		if got := column[0]; name != "step" && name != "time" && name != "density_drift" && got != want[name] {
			t.Errorf("%s starts at %g, the run that it is from ends at %g", name, got, want[name])
		}
	}
}

// The table of the case has each wall with a model, in cells of the level that has its surface.
func TestRefinedCaseHasItsModelledWalls(t *testing.T) {
	s := trial{text: refinedRun("modelled ball", "float32", 4), ranks: 2, dir: t.TempDir()}.must(t)
	found := 0
	for _, row := range s.summary.Case.Table {
		if row.Name == "wall model of [body.ball]" && strings.Contains(row.Lattice, "ghost cells of level 1") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d rows of the ball in %+v", found, s.summary.Case.Table)
	}
}

// A run that resumes and writes the checkpoint of the same step once more does not lose it where the disk fails meanwhile.
func TestRefinedCheckpointIsNotLostWhenWrittenAgain(t *testing.T) {
	text, dir := strings.Replace(refinedRun("disc in a channel", "float32", 20), "keep = 9", "keep = 1", 1), t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	level := output.PatchPath(files[0], 2, 0)
	blocked := filepath.Join(filepath.Dir(level), "."+filepath.Base(level)+".part") // the file in the making
	if err := os.MkdirAll(filepath.Join(blocked, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err = (trial{text: text, ranks: 2, dir: dir, restart: "latest"}).run(t); err == nil {
		t.Fatal("the level was written")
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.Look(files[0]); err != nil {
		t.Error(err)
	}
	more := strings.Replace(text, "steps = 20", "steps = 22", 1)
	if s := (trial{text: more, ranks: 3, dir: dir, restart: "latest"}).must(t); s.summary.Steps != 2 {
		t.Errorf("%d steps", s.summary.Steps)
	}
}

// An expectation at a point inside boxes is of the finest cell there, as a probe's.
func TestRefinedExpectationAtAPoint(t *testing.T) {
	text, dir := strings.Replace(refinedRun("disc in a channel", "float64", 20), "every = 3\n", "every = 20\n", 1), t.TempDir()
	text += "[expect.probe.point]\nfield = \"density\"\nvalue = 1\nwithin = 0.5\n"
	s := trial{text: text, ranks: 2, dir: dir}.must(t)
	column := table(t, filepath.Join(dir, "probe_point.csv"))["density"]
	if len(column) == 0 || len(s.summary.Expect) == 0 || s.summary.Expect[0].Got != column[len(column)-1] {
		t.Errorf("%+v, the probe has %v", s.summary.Expect, column)
	}
}

// A closed channel between walls with a model, with boxes on one of them, has the same bits after a restart at a step at which walls
// are corrected.
func TestRefinedWallsCorrectedAtARestart(t *testing.T) {
	const text = `
[domain]
cells = [20, 12, 10]
periodic = ["x", "y"]
[fluid]
viscosity = 2e-5
[collision]
precision = "float32"
[boundary.walls]
type = "wall_model"
faces = ["z-", "z+"]
sample = 2
layer = 1.5
[force]
acceleration = [1e-6, 0, 0]
[initial]
velocity = ["0.05*(1 + 0.2*sin(2*pi*y/Ly))", "0.01*sin(2*pi*z/Lz)", 0]
[refine.near]
level = 1
from = [4, 2, 0]
to = [14, 10, 4]
[refine.nearer]
level = 2
from = [6, 4, 0]
to = [10, 8, 1]
[run]
steps = 80
[output.fields]
fields = ["velocity", "wall_shear"]
precision = "float64"
every = 80
[output.force.walls]
every = 8
[output.series.totals]
quantities = ["mean_density", "mean_velocity", "y_plus_mean"]
every = 8
[checkpoint]
every = 64
keep = 9
`
	dir, again := t.TempDir(), t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	trial{text: text, ranks: 2, dir: again}.must(t)
	files, err := checkpoint.Latest(filepath.Join(again, output.CheckpointDir))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	trial{text: text, ranks: 2, dir: again, restart: files[1]}.must(t)
	compare(t, "restart at the correction", refinedOutputs(t, again), refinedOutputs(t, dir))
}
