// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/device/cpu"
	"lbmsim/internal/finding"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// silent is a reporter that keeps the summary and never fails the test.
type silent struct {
	start    Start
	progress []Progress
	slow     time.Duration // that the report of a file takes
	summary  Summary
	wrote    []string
	warned   []string
}

func (s *silent) Start(x Start)       { s.start = x }
func (s *silent) Progress(p Progress) { s.progress = append(s.progress, p) }
func (s *silent) Wrote(kind, path string) {
	s.wrote = append(s.wrote, kind+" "+path)
	time.Sleep(s.slow)
}
func (s *silent) Warn(w finding.Finding) { s.warned = append(s.warned, w.Text) }
func (s *silent) Finish(x Summary)       { s.summary = x }

// trial is one run in a test.
type trial struct {
	text      string // the case
	ranks     int
	cut       [3]int // [run] ranks, not written into the case
	threads   int
	wrap      func(device.Device) device.Device // of the CPU; nil: the device of the tests as it is
	restart   string
	overwrite bool
	keep      bool             // refuse a folder with results
	dir       string           // of the outputs
	jobEnd    func() time.Time // or nil
	orders    []Orders
	viewer    Viewer
}

// run computes a case on ranks in this process.
func (tr trial) run(t *testing.T) (*silent, error) {
	t.Helper()
	report := &silent{}
	err := comm.RunLocal(tr.ranks, func(c comm.Comm) error {
		o, err := tr.options(c, report)
		if err != nil {
			return err
		}
		defer o.Device.Close()
		err = Run(o)
		if _, agreed := ExitCode(err); agreed && err != nil {
			// Every rank ends by itself: let the last one finish, as MPI_Finalize does.
			return errors.Join(err, comm.Barrier(c))
		}
		return err
	})
	return report, err
}

// spoil makes velocities of faces NaN around step 35. Formulas that give NaN somewhere do not
// get this far where config.Load finds the place.
func spoil(cfg *config.Case) {
	for i := range cfg.Boundaries {
		if p := cfg.Boundaries[i].Profile; p != nil {
			along := p[0]
			p[0] = func(x, y, z, t float64) float64 {
				if math.Abs(t-35) < 4.75 {
					return math.NaN()
				}
				return along(x, y, z, t)
			}
			if code := &cfg.Boundaries[i].Code[0]; *code != "" { // what a GPU computes
				*code = "(t > 30.25 && t < 39.75 ? 0.0 / 0.0 : (" + *code + "))"
			}
		}
	}
}

// options of a rank; its device is the caller's to close.
func (tr trial) options(c comm.Comm, report Reporter) (o Options, err error) {
	cfg, err := config.Load("test.toml", []byte(tr.text))
	if err != nil {
		return o, err
	}
	cfg.OutputDir, cfg.Run.Ranks = tr.dir, tr.cut
	if strings.Contains(tr.text, "# spoilt around step 35") {
		spoil(cfg)
	}
	open := testDevice
	if tr.wrap != nil {
		open = func(threads int) (device.Device, error) { return cpu.New(threads) }
	}
	dev, err := open(max(1, tr.threads))
	if err != nil {
		return o, err
	}
	if tr.wrap != nil {
		dev = tr.wrap(dev)
	}
	o = Options{Case: cfg, Comm: c, Device: dev, Report: report, Restart: tr.restart, Overwrite: tr.overwrite, Version: "test", JobEnd: tr.jobEnd, Orders: tr.orders, Viewer: tr.viewer}
	if tr.keep {
		o.Keep = &output.Results{Of: "a run"}
	}
	return o, nil
}

// must runs a case that has to succeed.
func (tr trial) must(t *testing.T) *silent {
	t.Helper()
	if tr.dir == "" {
		tr.dir = t.TempDir()
	}
	s, err := tr.run(t)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stateIn returns the whole state in the newest checkpoint of a folder, as bytes.
func stateIn(t *testing.T, dir string) []byte {
	t.Helper()
	files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
	if err != nil || len(files) == 0 {
		t.Fatalf("no checkpoint in %s: %v", dir, err)
	}
	f, err := checkpoint.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, f.Header.Planes*f.Header.PlaneBytes())
	if err := f.ReadPlanes(0, f.Header.Planes, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// the cases cover both schemes, walls, bodies, forces and periodic axes.
var variety = map[string]string{
	"channel with a body": `
[domain]
cells = [37, 23, 19]
periodic = ["x", "z"]
[fluid]
viscosity = 0.05
[force]
acceleration = [1e-5, 0, 2e-6]
[boundary.bottom]
type = "wall"
faces = ["y-"]
[boundary.top]
type = "moving_wall"
velocity = [0.03, 0, 0.01]
faces = ["y+"]
[body.ball]
shape = "sphere"
centre = [14, 11, 9]
radius = 4
[initial]
velocity = ["0.02*sin(2*pi*z/Lz)", "0.01*cos(2*pi*x/Lx)", 0]
`,
	"closed box": `
[domain]
cells = [20, 9, 14]
[fluid]
viscosity = 0.02
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-"]
[boundary.lid]
type = "moving_wall"
velocity = [0.05, 0.02, 0]
faces = ["z+"]
`,
	"open channel with a curved body": `
[domain]
cells = [26, 12, 17]
[fluid]
viscosity = 0.04
[boundary.floor]
type = "wall"
faces = ["z-"]
[boundary.ceiling]
type = "slip"
faces = ["z+", "y-"]
[boundary.side]
type = "pressure"
pressure = 1e-4
faces = ["y+"]
[boundary.inlet]
type = "velocity"
velocity = ["0.03*z*(2*Lz-z)/Lz^2", 0, "0.001*sin(pi*y/Ly)"]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.ball]
type = "interpolated_wall"
conserve_mass = true
shape = "sphere"
centre = [9.3, 5.1, 8.2]
radius = 3.1
[body.post]
type = "interpolated_wall"
shape = "cylinder"
axis = "y"
centre = [18.7, 6, 7]
radius = 2.2
[output.force.post]
of = ["post", "floor"]
every = 4
start = 7
`,
	"tunnel that changes with time": `
[domain]
cells = [24, 11, 15]
[fluid]
viscosity = 0.04
[force]
acceleration = ["1e-5*sin(2*pi*t/11)", 0, "if(t < 12, 1e-6, -1e-6)"]
[boundary.inlet]
type = "velocity"
velocity = ["0.03*(1 + 0.4*sin(0.3*t + 2*pi*z/Lz))", 0, "0.004*cos(0.5*t)"]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.side]
type = "pressure"
pressure = 1e-4
ramp = 9
faces = ["y+"]
[boundary.mirror]
type = "slip"
faces = ["y-"]
[boundary.road]
type = "moving_wall"
velocity = [0.03, 0, 0]
ramp = 13
faces = ["z-", "z+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [9.3, 5.1, 8.2]
radius = 3.1
[output.force.all]
of = ["ball", "road"]
every = 4
`,
	"2D periodic": `
[domain]
cells = [33, 21]
periodic = ["x", "y"]
[fluid]
viscosity = 0.03
[initial]
velocity = ["0.04*cos(2*pi*x/Lx)*sin(2*pi*y/Ly)", "-0.03*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)"]
[body.disc]
shape = "cylinder"
centre = [12.3, 9]
radius = 3
`,
}

// endings gives a case its model, precision, steps and outputs.
func ending(model, precision string, steps int) string {
	return fmt.Sprintf(`
[collision]
model = %q
precision = %q
[run]
steps = %d
watch_every = 7
[output.fields]
files = 3
fields = ["pressure", "velocity", "vorticity", "q_criterion", "wall_shear_stress", "wall_distance", "solid"]
precision = "float64"
every = 10
[output.averages]
fields = ["mean_pressure", "mean_velocity", "reynolds_stress", "pressure_variance"]
precision = "float64"
start = 5
sample_every = 3
every = 15
[output.probe.middle]
at = POINT
every = 3
[output.line.slanted]
from = POINT
to = CORNER
points = 40
fields = ["velocity", "vorticity"]
every = 5
[output.series.totals]
quantities = ["mean_density", "mean_velocity", "max_speed", "kinetic_energy", "enstrophy"]
lines = ["turn", "top", "low", "stress"]
every = 5
[expect.line.turn]
along = "x"
through = POINT
component = "y"
crossing = "last"
[expect.line.top]
along = "y"
through = POINT
field = "speed"
extremum = "max"
measure = "position"
[expect.line.low]
along = "x"
through = CORNER
from = 2
field = "pressure"
extremum = "min"
[expect.line.stress]
along = "y"
through = POINT
field = "wall_shear_stress"
extremum = "max"
[checkpoint]
every = 10
keep = 9
`, model, precision, steps)
}

func withPoint(text string) string {
	if strings.Contains(text, "cells = [33, 21]") {
		return placed(text, "[5.5, 4.5]", "[11.3, 2.2]")
	}
	return placed(text, "[5.5, 4.5, 6.5]", "[11.3, 2.2, 3.1]")
}

// placed names the points of ending.
func placed(text, point, corner string) string {
	return strings.NewReplacer("POINT", point, "CORNER", corner).Replace(text)
}

// outputs of a run that must not depend on ranks, threads or restarts: the state,
// the probes and the data of the field files.
func outputsIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{"state": stateIn(t, dir)}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no probes in %s (%v)", dir, err)
	}
	more, err := filepath.Glob(filepath.Join(dir, "fields", "*.hdf"))
	if err != nil || len(more) == 0 {
		t.Fatalf("no field files in %s (%v)", dir, err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "fields", "*.parts", "*.hdf"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("no numbers of the fields in %s (%v)", dir, err)
	}
	means, err := filepath.Glob(filepath.Join(dir, "averages", "*.hdf"))
	if err != nil || len(means) == 0 {
		t.Fatalf("no averages in %s (%v)", dir, err)
	}
	for _, f := range slices.Concat(files, more, parts, means) {
		out[strings.TrimPrefix(f, dir)] = contents(t, f)
	}
	return out
}

func compare(t *testing.T, what string, got, want map[string][]byte) {
	t.Helper()
	for name, w := range want {
		if g, ok := got[name]; !ok {
			t.Errorf("%s: no %s", what, name)
		} else if !bytes.Equal(g, w) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d outputs, want %d", what, len(got), len(want))
	}
}

func TestAnyNumberOfRanksGivesTheSameBits(t *testing.T) {
	for j, name := range slices.Sorted(maps.Keys(variety)) {
		text := variety[name]
		for i, model := range []string{"regularized", "cumulant", "bgk", "trt"} {
			for k, precision := range []string{"float32", "float64", "float16"} {
				t.Run(name+" "+model+" "+precision, func(t *testing.T) {
					if testing.Short() && (k != (i/2+j)%3 || i%2 != j%2) {
						t.Skip("the same steps in another precision, or other steps of this model: make test-all runs it")
					}
					whole := withPoint(text + ending(model, precision, 20))
					dir := t.TempDir()
					trial{text: whole, ranks: 1, dir: dir}.must(t)
					want := outputsIn(t, dir)
					for _, n := range []int{2, 3, 5} {
						if testing.Short() && n != 2+3*(i/2) {
							continue // restarts have three; another model has the other number
						}
						dir := t.TempDir()
						trial{text: whole, ranks: n, threads: 2, dir: dir}.must(t)
						compare(t, fmt.Sprintf("%d ranks", n), outputsIn(t, dir), want)
					}
				})
			}
		}
	}
}

// A run resumes from an older checkpoint on other ranks: later outputs are written again, once, and
// all results equal an uninterrupted run.
func TestRestartOnOtherRanksGivesTheSameBits(t *testing.T) {
	for name, text := range variety {
		for model, precision := range map[string]string{"regularized": "float16", "cumulant": "float32", "trt": "float32"} {
			t.Run(name+" "+model, func(t *testing.T) {
				if testing.Short() && model != []string{"regularized", "cumulant", "trt"}[len(name)%3] {
					t.Skip("the same files of another model: make test-all runs it")
				}
				whole := withPoint(text + ending(model, precision, 40))
				straight := t.TempDir()
				trial{text: whole, ranks: 1, dir: straight}.must(t)
				want := outputsIn(t, straight)
				for _, ranks := range [][2]int{{1, 3}, {5, 1}, {2, 2}} {
					if testing.Short() && ranks[0] == 2 {
						continue
					}
					dir := straight
					if ranks[0] > 1 {
						dir = t.TempDir()
						trial{text: whole, ranks: ranks[0], dir: dir}.must(t)
					}
					files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
					if err != nil || len(files) != 4 {
						t.Fatalf("%d checkpoints, %v", len(files), err)
					}
					for _, later := range files[:2] {
						if err := os.Remove(later); err != nil {
							t.Fatal(err)
						}
					}
					s := trial{text: whole, ranks: ranks[1], dir: dir, restart: "latest"}.must(t)
					if s.summary.Steps != 20 {
						t.Errorf("%d steps after the restart, want 20", s.summary.Steps)
					}
					compare(t, fmt.Sprintf("restart from %d on %d ranks", ranks[0], ranks[1]), outputsIn(t, dir), want)
				}
			})
		}
	}
}

func TestRestartRefusesAnotherCase(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 10))
	trial{text: text, ranks: 2, dir: dir}.must(t)
	_, both, _ := strings.Cut(variety["closed box"], "viscosity = 0.02\n")
	walls, lid := both[:strings.Index(both, "[boundary.lid]")], both[strings.Index(both, "[boundary.lid]"):]
	for _, change := range [][3]string{
		{"viscosity = 0.02", "viscosity = 0.03", "viscosity"},
		{`"bgk"`, `"trt"`, "model"},
		{"cells = [20, 9, 14]", "cells = [20, 9, 15]", "cells"},
		{"velocity = [0.05, 0.02, 0]", "velocity = [0.05, 0.01, 0]", "velocity"},
		{"[boundary.lid]", "[boundary.cover]", "boundary.cover.type: not given / moving_wall"},
		{walls + lid, lid + walls, "order of tables [boundary.NAME]: walls, lid / lid, walls"},
	} {
		other := strings.Replace(text, change[0], change[1], 1)
		_, err := trial{text: other, ranks: 2, dir: dir, restart: "latest"}.run(t)
		if err == nil || !strings.Contains(err.Error(), change[2]) {
			t.Errorf("%s: %v, want a refusal that names %s", change[1], err, change[2])
		}
		if code, agreed := ExitCode(err); code != ExitUsage || !agreed {
			t.Errorf("%s: exit code %d, agreed %v", change[1], code, agreed)
		}
	}
}

// A checkpoint from a version in which a body without a type was a staircase is refused, and the message has the key that
// resumes it.
func TestRestartOfAHalfWayBody(t *testing.T) {
	dir := t.TempDir()
	const text = `
[domain]
cells = [16, 12, 12]
periodic = ["x"]
[fluid]
viscosity = 0.03
[force]
acceleration = [1e-5, 0, 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+", "z-", "z+"]
[body.ball]
%s
shape = "sphere"
centre = [8.2, 6, 6]
radius = 3
[checkpoint]
every = 5
[run]
steps = %d
`
	trial{text: fmt.Sprintf(text, `type = "wall"`, 5), ranks: 1, dir: dir}.must(t)
	_, err := trial{text: fmt.Sprintf(text, "", 10), ranks: 2, dir: dir, restart: "latest"}.run(t)
	if err == nil || !strings.Contains(err.Error(), "body.ball.type: wall / interpolated_wall") || !strings.Contains(err.Error(), "--set body.ball.type=wall resumes") {
		t.Errorf("%v", err)
	}
	trial{text: fmt.Sprintf(text, `type = "wall"`, 10), ranks: 2, dir: dir, restart: "latest"}.must(t)
}

// headerOf returns the header of the checkpoint of a step.
func headerOf(t *testing.T, folder string, step int64) checkpoint.Header {
	t.Helper()
	f, err := checkpoint.Open(checkpoint.Path(folder, step))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Header
}

// writeOld writes a checkpoint of zeros, as an older version may have left it.
func writeOld(t *testing.T, folder string, h checkpoint.Header) {
	t.Helper()
	p, err := checkpoint.Begin(comm.Serial(), folder, h, checkpoint.Extent{Planes: [2]int{0, h.Planes}, Rows: [2]int{0, h.Rows}})
	if err == nil {
		err = p.Write(0, make([]byte, h.Planes*h.PlaneBytes()))
	}
	if err == nil {
		err = p.Commit(9, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Older versions stored populations of the temperature; beside populations they had as many numbers as
// there are now.
func TestRestartRefusesPopulationsOfATemperature(t *testing.T) {
	text := "[domain]\nlattice = \"D3Q19\"\ncells = [4, 5, 3]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.1\n[collision]\nmodel = \"bgk\"\n[temperature]\ndiffusivity = 0.1\n[run]\nsteps = 2\n[checkpoint]\nevery = 1\n"
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	folder := filepath.Join(dir, output.CheckpointDir)
	h := headerOf(t, folder, 2)
	if !strings.HasSuffix(h.Spec, " carries_scalar") || h.Components != 26 {
		t.Fatalf("%q has %d numbers a cell", h.Spec, h.Components)
	}
	h.Spec, h.Version, h.Step = strings.Replace(h.Spec, "carries_scalar", "scalar", 1), "1.0", 3
	writeOld(t, folder, h)
	_, err := trial{text: text, ranks: 2, dir: dir, restart: "latest"}.run(t)
	for _, word := range []string{"000000000003.h5", "its value and the flux", "start over", "(1.0)"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v, want %q", err, word)
		}
	}
	if code, agreed := ExitCode(err); code != ExitUsage || !agreed {
		t.Errorf("exit code %d, agreed %v", code, agreed)
	}
}

// Older versions stored the populations of models whose moments are stored now.
func TestRestartRefusesPopulationsOfAModelOfMoments(t *testing.T) {
	for _, c := range []struct {
		model, lattice, scalar string
		populations, moments   int
	}{
		{"cumulant", "D3Q19", "", 19, 10},
		{"recursive_regularized", "D3Q27", "[temperature]\ndiffusivity = 0.1\n", 31, 14},
		{"cumulant", "D2Q9", "", 9, 6},
	} {
		cells, axes := "[4, 5, 3]", `["x", "y", "z"]`
		if c.lattice == "D2Q9" {
			cells, axes = "[4, 5]", `["x", "y"]`
		}
		text := fmt.Sprintf("[domain]\nlattice = %q\ncells = %s\nperiodic = %s\n[fluid]\nviscosity = 0.1\n[collision]\nmodel = %q\n%s[run]\nsteps = 2\n[checkpoint]\nevery = 1\n", c.lattice, cells, axes, c.model, c.scalar)
		dir := t.TempDir()
		trial{text: text, ranks: 1, dir: dir}.must(t)
		folder := filepath.Join(dir, output.CheckpointDir)
		h := headerOf(t, folder, 2)
		if h.Components != c.moments {
			t.Fatalf("%s has %d numbers a cell, want %d", h.Spec, h.Components, c.moments)
		}
		h.Components, h.Version, h.Step = c.populations, "1.0", 3
		writeOld(t, folder, h)
		// In spite of other differences this is not another case, and a change of the case does not help.
		for _, text := range []string{text, strings.Replace(text, "viscosity = 0.1", "viscosity = 0.2", 1)} {
			_, err := trial{text: text, ranks: 2, dir: dir, restart: "latest"}.run(t)
			for _, word := range []string{"000000000003.h5", "populations of " + c.model, fmt.Sprintf("%d numbers", c.populations), fmt.Sprintf("%d numbers", c.moments), "start over", "(1.0)"} {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%s: %v, want %q", h.Spec, err, word)
				}
			}
			if code, agreed := ExitCode(err); code != ExitUsage || !agreed {
				t.Errorf("%s: exit code %d, agreed %v", h.Spec, code, agreed)
			}
		}
	}
}
