package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
[output.plane.middle]
normal = "y"
at = 7
fields = ["velocity", "vorticity"]
every = 10
`
	modelledBall = `
[domain]
cells = [22, 16, 16]
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
centre = [9, 8, 8]
radius = 2
sample = 2
layer = 1.5
[refine.near]
level = 1
from = [2, 1, 1]
to = [16, 15, 15]
[output.force.ball]
of = ["ball"]
every = 4
[output.series.wall]
quantities = ["y_plus_min", "y_plus_mean", "y_plus_max"]
every = 4
[initial]
velocity = [0.05, 0, 0]
`
)

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
	"modelled ball": modelledBall,
	"modelled ball by wale": modelledBall + `
[turbulence]
model = "wale"
constant = 0.5
`,
}

// refinedRun adds steps and outputs to one of them.
func refinedRun(name, precision string, steps int) string {
	at := "[17, 9]"
	if strings.Contains(name, "ball") {
		at = "[14, 7, 8]"
	}
	return refinedCases[name] + fmt.Sprintf(`
[collision]
precision = %q
[run]
steps = %d
watch_every = 7
[output.fields]
fields = ["pressure", "velocity", "vorticity", "solid"]
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
quantities = ["mean_density", "mean_velocity", "max_speed", "kinetic_energy", "density_drift"]
every = 5
[checkpoint]
every = %d
keep = 9
`, precision, steps, at, steps/4)
}

// refinedOutputs returns the tables, fields and planes in a folder, and the state of all levels in its newest checkpoint.
func refinedOutputs(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{"state": stateIn(t, dir)}
	for _, pattern := range []string{"*.csv", "fields/*.hdf", "fields/*.parts/*.hdf", "planes/*/*.hdf"} {
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
	levels, err := filepath.Glob(filepath.Join(filepath.Dir(files[0]), "levels", "*", filepath.Base(files[0])))
	if err != nil || len(levels) == 0 {
		t.Fatalf("files of levels: %v, %v", levels, err)
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
		out["state "+filepath.Base(filepath.Dir(path))] = b
	}
	return out
}

// Outputs of a refined run have the same bits on any number of ranks, and after a restart on others.
func TestRefinedRunsHaveTheSameBits(t *testing.T) {
	for name := range refinedCases {
		for _, precision := range []string{"float32", "float64"} {
			if testing.Short() && (precision == "float32") == strings.Contains(name, "tunnel") {
				continue
			}
			t.Run(name+" "+precision, func(t *testing.T) {
				steps := 40
				if strings.Contains(name, "modelled") {
					steps = 80 // walls are corrected after 64
				}
				text, straight := refinedRun(name, precision, steps), t.TempDir()
				trial{text: text, ranks: 1, dir: straight}.must(t)
				want := refinedOutputs(t, straight)
				for _, ranks := range []int{2, 3, 7} {
					dir := t.TempDir()
					trial{text: text, ranks: ranks, dir: dir}.must(t)
					compare(t, fmt.Sprintf("%d ranks", ranks), refinedOutputs(t, dir), want)
				}
				for _, ranks := range [][2]int{{1, 3}, {4, 1}, {2, 2}} {
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
