// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// Refined cases whose boundaries and forces change with time, but for steps and outputs.

const gustyTunnel = `
[domain]
cells = [24, 14, 14]
[fluid]
viscosity = 0.04
[boundary.inlet]
type = "velocity"
velocity = [0.04, 0, 0]
faces = ["x-"]
profile = "%s"
profile_along = "z"
turbulence_intensity = 0.1
turbulence_length = 3
turbulence_modes = 30
table = "%s"
repeat = true
[boundary.outlet]
type = "pressure"
pressure = 1e-3
ramp = 20
faces = ["x+"]
sponge = 7
[boundary.road]
type = "moving_wall"
velocity = [0.03, 0, 0]
ramp = 15
faces = ["z-"]
[boundary.rest]
type = "slip"
faces = ["y-", "y+", "z+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [10, 7, 7]
radius = 2.1
[force]
acceleration = ["1e-5*sin(2*pi*t/11)", 0, "if(t < 12, 1e-6, -1e-6)"]
[refine.near]
level = 1
from = [0, 2, 0]
to = [18, 12, 12]
[refine.road]
level = 2
from = [0, 4, 0]
to = [9, 8, 2]
[output.force.ball]
of = ["ball"]
every = 4
`

const drivenDisc = `
[domain]
cells = [32, 20]
periodic = ["x"]
[fluid]
viscosity = 0.02
[force]
mean_velocity = [0.03, 0]
adjust_every = 3
response = 20
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
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

// changingEnd adds steps and outputs.
func changingEnd(at, precision string, steps int) string {
	return fmt.Sprintf(`
[collision]
precision = %q
[run]
steps = %d
watch_every = 7
[output.fields]
fields = ["pressure", "velocity", "vorticity"]
precision = "float64"
every = 10
[output.probe.point]
at = %s
fields = ["density", "velocity", "vorticity"]
every = 3
[output.series.totals]
quantities = ["mean_density", "mean_velocity", "kinetic_energy", "body_force"]
every = 5
[checkpoint]
every = 7
keep = 9
`, precision, steps, at)
}

// factors writes a profile and a table of factors that repeats.
func factors(t *testing.T) (profile, table string) {
	t.Helper()
	dir := t.TempDir()
	profile, table = filepath.Join(dir, "profile.csv"), filepath.Join(dir, "gusts.csv")
	for name, text := range map[string]string{profile: "z,factor\n0,0.4\n3,0.8\n14,1.2\n", table: "time,factor\n0,1\n2.5,1.4\n7,0.8\n9.5,1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return profile, table
}

// Changing boundaries and forces have the same bits on any number of ranks, and after a restart at an odd step on others.
func TestChangingRefinedRunsHaveTheSameBits(t *testing.T) {
	brief.Fewer(t, "ranks and restarts")
	profile, table := factors(t)
	const steps = 28
	for name, text := range map[string]string{
		"gusts":  fmt.Sprintf(gustyTunnel, profile, table) + changingEnd("[14, 7, 8]", "float32", steps),
		"driven": drivenDisc + changingEnd("[17, 9]", "float64", steps),
		// ghost cells of the model read the force
		"modelled": modelledBall + "[force]\nacceleration = [\"1e-5*sin(2*pi*t/11)\", 0, 0]\n" + changingEnd("[14, 10, 10]", "float32", steps),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				text = smallerBall(text)
			}
			straight := t.TempDir()
			trial{text: text, ranks: 1, dir: straight}.must(t)
			want := refinedOutputs(t, straight)
			cuts, restarts := []int{2, 3, 7}, [][2]int{{1, 3}, {4, 1}}
			if name == "modelled" {
				cuts, restarts = []int{3}, [][2]int{{4, 2}}
			}
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
				for _, later := range files[:3] {
					if err := os.Remove(later); err != nil {
						t.Fatal(err)
					}
				}
				s := trial{text: text, ranks: ranks[1], dir: dir, restart: "latest"}.must(t)
				if s.summary.Steps != steps-7 {
					t.Errorf("%d steps after the restart, want %d", s.summary.Steps, steps-7)
				}
				compare(t, fmt.Sprintf("restart from %d on %d ranks", ranks[0], ranks[1]), refinedOutputs(t, dir), want)
			}
		})
	}
}

// lastRow returns the last row of a table.
func lastRow(t *testing.T, dir, name string) map[string]float64 {
	t.Helper()
	last := map[string]float64{}
	for name, column := range table(t, filepath.Join(dir, name)) {
		last[name] = column[len(column)-1]
	}
	return last
}

// A channel between plates has the mean velocity that its force is to keep, and the force that balances their friction, of the analytic
// flow: 12 nu U/H^2. Bounds, set beforehand: 1e-4 of the velocity, and 1.2 times the error of the uniform coarse grid for the force.
func TestRefinedDriveKeepsTheFlow(t *testing.T) {
	run := func(boxes string) map[string]float64 {
		dir := t.TempDir()
		trial{text: `
[domain]
cells = [8, 16]
periodic = ["x"]
[fluid]
viscosity = 0.05
[force]
flow_rate = 0.32
response = 100
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[collision]
precision = "float64"
[run]
steps = 12000
[output.series.s]
quantities = ["mean_velocity", "body_force"]
every = 12000
` + boxes, ranks: 1, dir: dir}.must(t)
		return lastRow(t, dir, "series_s.csv")
	}
	const u, force = 0.02, 12 * 0.05 * 0.02 / 16 / 16
	uniform := math.Abs(run("")["body_force x"] - force)
	for _, boxes := range []string{
		"[refine.a]\nlevel = 1\nfrom = [2, 0]\nto = [6, 16]\n",
		"[refine.a]\nlevel = 1\nfrom = [0, 0]\nto = [8, 5]\n[refine.b]\nlevel = 2\nfrom = [0, 0]\nto = [8, 2]\n",
	} {
		got := run(boxes)
		t.Logf("velocity %.7g, force %.6g, uniform off by %.2g of %.6g", got["mean_velocity x"], got["body_force x"], uniform, force)
		if !(math.Abs(got["mean_velocity x"]-u) <= 1e-4*u) {
			t.Errorf("mean velocity %g, want %g", got["mean_velocity x"], u)
		}
		if diff := math.Abs(got["body_force x"] - force); !(diff <= 1.2*uniform) {
			t.Errorf("force %g, off by %g, the uniform grid's by %g", got["body_force x"], diff, uniform)
		}
	}
}

// pulsing returns a channel whose inlet swings by 40 %, on a grid that is so many times finer, with the pressure of its outlet behind a
// sponge and the speed of its upper wall coming up.
func pulsing(by int, boxes string) string {
	n := float64(by)
	return fmt.Sprintf(`
[domain]
cells = [%[2]g, %[3]g]
[fluid]
viscosity = %[4]g
[boundary.inlet]
type = "velocity"
velocity = ["0.05*4*y*(Ly - y)/Ly^2*(1 + 0.4*sin(2*pi*t/%[5]g)) + 0.02*y/Ly*(1 - cos(pi*min(t, %[6]g)/%[6]g))/2", 0]
faces = ["x-"]
[boundary.outlet]
type = "pressure"
pressure = 1e-3
ramp = %[6]g
faces = ["x+"]
sponge = %[9]g
sponge_viscosity = %[10]g
[boundary.floor]
type = "wall"
faces = ["y-"]
[boundary.belt]
type = "moving_wall"
velocity = [0.02, 0]
ramp = %[6]g
faces = ["y+"]
[collision]
precision = "float64"
[run]
steps = %[1]d
[output.line.middle]
from = [%[7]g, 0]
to = [%[7]g, %[3]g]
points = 31
fields = ["velocity"]
every = %[1]d
[output.line.sponge]
from = [%[8]g, 0]
to = [%[8]g, %[3]g]
points = 31
fields = ["velocity"]
every = %[1]d
`, 1000*by, 48*n, 16*n, 0.02*n, 400*n, 300*n, 13*n, 40*n, 16*n, 0.2*n) + boxes
}

// Velocities of a pulsing channel in which boxes meet inlet, outlet, sponge and a wall that starts are as near to the flow on a grid that is
// four times finer as the coarse grid's, times 1.2: the bound of steady channels, set beforehand.
func TestRefinedPulseIsTheUniformOne(t *testing.T) {
	line := func(by int, boxes string) []float64 {
		dir := t.TempDir()
		trial{text: pulsing(by, boxes), ranks: 1, threads: 2, dir: dir}.must(t)
		files, err := filepath.Glob(filepath.Join(dir, "line_*"))
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		return append(table(t, files[0])["velocity x"], table(t, files[1])["velocity x"]...)
	}
	fine := line(4, "")
	far := func(u []float64) (sum float64) {
		for i := range fine {
			sum += (u[i] - fine[i]) * (u[i] - fine[i])
		}
		return math.Sqrt(sum / float64(len(fine)))
	}
	uniform := far(line(1, ""))
	for name, boxes := range map[string]string{
		"inlet": "[refine.a]\nlevel = 1\nfrom = [0, 0]\nto = [10, 16]\n", "outlet": "[refine.a]\nlevel = 1\nfrom = [36, 0]\nto = [48, 16]\n",
		"belt":    "[refine.a]\nlevel = 1\nfrom = [6, 8]\nto = [30, 16]\n[refine.b]\nlevel = 2\nfrom = [10, 12]\nto = [20, 16]\n",
		"corners": "[refine.a]\nlevel = 1\nfrom = [0, 9]\nto = [12, 16]\n[refine.b]\nlevel = 1\nfrom = [38, 6]\nto = [48, 16]\n",
	} {
		if d := far(line(1, boxes)); true {
			t.Logf("%s: %.3g, the uniform grid %.3g", name, d, uniform)
			if !(d <= 1.2*uniform) {
				t.Errorf("%s: velocities are off by %.3g, on the uniform grid by %.3g", name, d, uniform)
			}
		}
	}
}

// The turbulence of an inlet of which a box covers a part is in the box the one on a grid that is finer everywhere, within 2 % of its
// rms: set after seeing 0.9 %. A uniform grid of the coarse cells is off by 15 %. What passes the inlet, and with it the mean velocity,
// fluctuates by less than 1 % of the rms, set after seeing 0.8 %: beside the ends of the box cells of both levels are differently far
// from the face.
func TestRefinedTurbulenceIsTheFinerGrids(t *testing.T) {
	run := func(boxes string) map[string][]float64 {
		dir := t.TempDir()
		trial{text: `
[domain]
cells = [16, 16, 16]
periodic = ["y", "z"]
[fluid]
viscosity = 0.002
[boundary.inlet]
type = "velocity"
velocity = [0.06, 0, 0]
faces = ["x-"]
turbulence_rms = 0.003
turbulence_length = 4
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[initial]
velocity = [0.06, 0, 0]
[run]
steps = 300
[output.probe.p]
at = [4.5, 8.5, 8.5]
fields = ["velocity"]
every = 4
start = 120
[output.series.s]
quantities = ["mean_velocity"]
every = 4
start = 120
` + boxes, ranks: 1, threads: 2, dir: dir}.must(t)
		all := table(t, filepath.Join(dir, "probe_p.csv"))
		all["mean"] = table(t, filepath.Join(dir, "series_s.csv"))["mean_velocity x"]
		return all
	}
	box := func(corners string) string { return "[refine.a]\nlevel = 1\n" + corners }
	want := run(box("from = [0, 0, 0]\nto = [16, 16, 16]\n"))
	apart := func(u, v []float64) (sum float64) {
		for i := range u {
			sum += (u[i] - v[i]) * (u[i] - v[i])
		}
		return math.Sqrt(sum/float64(len(u))) / 0.003
	}
	for boxes, bound := range map[string]float64{box("from = [0, 3, 4]\nto = [8, 13, 14]\n"): 0.02, "": 1} {
		got := run(boxes)
		for _, axis := range []string{"velocity x", "velocity y", "velocity z"} {
			if d := apart(got[axis], want[axis]); true {
				t.Logf("%q %s: %.2g of the rms", boxes, axis, d)
				if !(d <= bound) || bound == 1 && d < 0.05 {
					t.Errorf("%q: %s differs by %.2g of the rms", boxes, axis, d)
				}
			}
		}
		still := slices.Repeat([]float64{0.06}, len(got["mean"]))
		if d := apart(got["mean"], still); true {
			t.Logf("%q: mean velocity within %.2g of the rms", boxes, d)
			if !(d <= 0.01) {
				t.Errorf("%q: the mean velocity swings by %.2g of the rms", boxes, d)
			}
		}
	}
}

// A thickened plate of no thickness in a box of finer cells bears the drag of the plate on a grid that has these cells everywhere, within
// 1 % (set beforehand), and a sheet from a file closes a channel: no fluid passes it.
func TestRefinedThinBodies(t *testing.T) {
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
[body.plate]
shape = "box"
from = [%[4]g, %[5]g]
to = [%[4]g, %[6]g]
rotate = [0, 0, 20]
thicken = true
[initial]
velocity = [0.05, 0]
[collision]
precision = "float64"
[run]
steps = %[7]d
[output.force.plate]
velocity = 0.05
length = %[8]g
every = %[7]d
`, 60*n, 32*n, 0.04*n, 20*n, 13*n, 19*n, 3000*by, 6*n) + boxes
	}
	drag := func(text string) float64 {
		dir := t.TempDir()
		trial{text: text, ranks: 1, threads: 2, dir: dir}.must(t)
		return lastRow(t, dir, "force_plate.csv")["drag"]
	}
	uniform, finer := drag(text(2, "")), drag(text(1, "[refine.near]\nlevel = 1\nfrom = [10, 6]\nto = [40, 26]\n"))
	if t.Logf("drag %.5g, on a uniform grid %.5g", finer, uniform); !(math.Abs(finer-uniform) <= 0.01*uniform) {
		t.Errorf("drag %g, on a uniform grid %g", finer, uniform)
	}
}

// A refined run that starts from the checkpoint of a uniform one has its flow on all levels: the same energy and mean density. Linear
// interpolation to finer cells, a quarter of a cell away, takes 3/32 (pi/24)^2 of the velocity of the flow's wave, 3.2e-3 of its energy.
// And it has the same bits on any number of ranks and after a restart.
func TestRefinedRunFromAUniformOne(t *testing.T) {
	const domain = `
[domain]
cells = [32, 24]
periodic = ["x"]
[fluid]
viscosity = 0.02
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[collision]
precision = "float64"
[output.series.s]
quantities = ["kinetic_energy", "mean_density", "enstrophy"]
every = 5
`
	const boxes = "[refine.a]\nlevel = 1\nfrom = [4, 0]\nto = [20, 12]\n[refine.b]\nlevel = 1\nfrom = [20, 6]\nto = [32, 14]\n[refine.c]\nlevel = 2\nfrom = [8, 0]\nto = [16, 8]\n"
	first := t.TempDir()
	trial{text: domain + "[initial]\nvelocity = [\"0.04*sin(pi*y/Ly)\", \"0.02*sin(2*pi*x/Lx)*sin(pi*y/Ly)^2\"]\n[checkpoint]\nevery = 200\n[run]\nsteps = 200\n", ranks: 1, dir: first}.must(t)
	want := lastRow(t, first, "series_s.csv")
	text := from(domain+boxes+"[run]\nsteps = 30\n[checkpoint]\nevery = 15\nkeep = 3\n[output.fields]\nfields = [\"velocity\"]\nevery = 30\n", filepath.Join(first, output.CheckpointDir))
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	for name, column := range table(t, filepath.Join(dir, "series_s.csv")) {
		bound := 3.2e-3
		if name == "enstrophy" { // of differences over smaller cells
			bound = 2e-2
		}
		if t.Logf("%s: %.8g, of the uniform run %.8g", name, column[0], want[name]); name != "step" && name != "time" && !(math.Abs(column[0]/want[name]-1) <= bound) {
			t.Errorf("%s is %g, of the uniform run %g", name, column[0], want[name])
		}
	}
	same := refinedOutputs(t, dir)
	for _, ranks := range []int{2, 3, 7} {
		dir := t.TempDir()
		trial{text: text, ranks: ranks, dir: dir}.must(t)
		compare(t, fmt.Sprintf("%d ranks", ranks), refinedOutputs(t, dir), same)
		files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		if err := os.Remove(files[0]); err != nil {
			t.Fatal(err)
		}
		trial{text: text, ranks: ranks%3 + 1, dir: dir, restart: "latest"}.must(t)
		compare(t, fmt.Sprintf("restart from %d ranks", ranks), refinedOutputs(t, dir), same)
	}
}

// The force on a wall that gets under way is of the wall's velocity in the step that has been done, though outputs set walls for the
// next one: it is the uniform grid's while the flow has not reached the box, within 1e-3 (set beforehand).
func TestRefinedForceOnAWallThatStarts(t *testing.T) {
	run := func(boxes string) []float64 {
		dir := t.TempDir()
		trial{text: `
[domain]
cells = [24, 20]
periodic = ["x"]
[fluid]
viscosity = 0.05
[boundary.lid]
type = "moving_wall"
velocity = [0.05, 0]
ramp = 40
faces = ["y+"]
[boundary.floor]
type = "wall"
faces = ["y-"]
[collision]
precision = "float64"
[run]
steps = 30
[output.force.lid]
of = ["lid"]
every = 3
` + boxes, ranks: 1, dir: dir}.must(t)
		return table(t, filepath.Join(dir, "force_lid.csv"))["force_x"]
	}
	want, got := run(""), run("[refine.a]\nlevel = 1\nfrom = [4, 2]\nto = [16, 8]\n")
	for i, f := range want {
		if !(math.Abs(got[i]-f) <= 1e-3*math.Abs(f)) {
			t.Errorf("sample %d: %g, on a uniform grid %g", i, got[i], f)
		}
	}
	if n := len(want); n < 10 || !(want[n-1] < 0) {
		t.Errorf("forces %v", want)
	}
}
