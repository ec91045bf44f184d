// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
	"lbmsim/sim/watch"
)

// warnedOf counts the warnings of a run that contain a text.
func (s *silent) warnedOf(text string) (n int) {
	for _, w := range s.warned {
		if strings.Contains(w, text) {
			n++
		}
	}
	return n
}

// A model that amplifies noise in a uniform flow must give a warning; a resolved flow must not.
func TestNoiseIsReported(t *testing.T) {
	const noisyFlow = `
[domain]
cells = [32, 32]
periodic = ["x", "y"]
[scaling]
tau = 0.5001
[collision]
model = %q
[initial]
velocity = ["0.1 + 1e-6*mod(43758.5453*sin(12.9898*x + 78.233*y), 1)", "1e-6*mod(43758.5453*sin(39.3467*x + 11.135*y), 1)"]
[run]
steps = %d
`
	s := trial{text: fmt.Sprintf(noisyFlow, "regularized", 560), ranks: 2}.must(t)
	if n := s.warnedOf("grid-scale energy fraction"); n != 1 || s.summary.Health.Warned[watch.Noisy] != 1 || s.summary.Health.GridScale < 0.02 {
		t.Errorf("%d warnings, %+v", n, s.summary.Health)
	}
	for name, text := range map[string]string{
		"the default model": fmt.Sprintf(noisyFlow, "cumulant", 2000),
		"switched off":      fmt.Sprintf(noisyFlow, "regularized", 560) + "warn_grid_scale = 0\nwarn_speed = 0\n",
		"Taylor-Green vortex": `
[domain]
cells = [32, 32, 32]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.0016
[initial]
velocity = ["0.1*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)*cos(2*pi*z/Lz)", "-0.1*cos(2*pi*x/Lx)*sin(2*pi*y/Ly)*cos(2*pi*z/Lz)", 0]
[run]
steps = 500
grid_scale_every = 1
`,
	} {
		s := trial{text: text, ranks: 1}.must(t)
		if len(s.summary.Health.Warned) > 0 || s.warnedOf("step") > 0 {
			t.Errorf("%s: %q", name, s.warned)
		}
	}
}

// The remainder of a decayed flow is rounding, at the scale of the grid, and not reported: on any number of ranks, and after
// a restart from a decayed state.
func TestFlowThatDiesAway(t *testing.T) {
	const text = `
[domain]
cells = [16, 16]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[collision]
precision = "float32"
[initial]
velocity = ["0.05*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)", "-0.05*cos(2*pi*x/Lx)*sin(2*pi*y/Ly)"]
[run]
steps = 1000
watch_every = 20
grid_scale_every = 1
[checkpoint]
every = 800
`
	dir := t.TempDir()
	for _, c := range []trial{{text: text, ranks: 2, dir: dir}, {text: text, ranks: 1, dir: dir, restart: checkpoint.Path(filepath.Join(dir, output.CheckpointDir), 800)}} {
		s := c.must(t)
		if h := s.summary.Health; h.GridScale < 0.02 || h.MaxSpeed > 1e-6 || len(h.Warned) > 0 || len(s.warned) > 0 {
			t.Errorf("restart %q: %+v, %q", c.restart, h, s.warned)
		}
	}
}

// leaky is a box filled by an inlet: a body blocks the outlet.
const leaky = `
[domain]
cells = [24, 24]
periodic = ["y"]
[fluid]
viscosity = 0.05
[boundary.inlet]
type = "velocity"
velocity = [0.002, 0]
faces = ["x-"]
[boundary.end]
type = "pressure"
faces = ["x+"]
[body.plug]
shape = "box"
from = [16, -1]
to = [18, 25]
[run]
steps = 600
watch_every = 50
[output.series.s]
quantities = ["density_drift", "mean_density"]
every = 50
[checkpoint]
every = 100
keep = 100
`

// A mean density that drifts away is warned of once, counted, and ends the run at the limit,
// with the same words on any number of ranks and after a restart.
func TestDensityDrift(t *testing.T) {
	text := leaky
	dir := t.TempDir()
	s := trial{text: text, ranks: 1, dir: dir}.must(t)
	c := table(t, filepath.Join(dir, "series_s.csv"))
	last := len(c["step"]) - 1
	if d := c["density_drift"][last]; math.Abs(d-(c["mean_density"][last]-1)) > 1e-12 || d < 0.02 {
		t.Errorf("drift %g of a density %g", d, c["mean_density"][last])
	}
	if n, h := s.warnedOf("mean density drifted"), s.summary.Health; n != 1 || h.Warned[watch.Drifting] < 3 || math.Abs(h.DensityDrift-c["density_drift"][last]) > 1e-15 {
		t.Errorf("%d warnings, %+v", n, h)
	}
	stopping := strings.Replace(text, "watch_every = 50", "watch_every = 50\nmax_density_drift = 0.03", 1)
	var messages []string
	for _, ranks := range []int{1, 3} {
		s, err := trial{text: stopping, ranks: ranks, dir: t.TempDir()}.run(t)
		if code, agreed := ExitCode(err); code != ExitUnstable || !agreed || !strings.Contains(err.Error(), "allowed 3 % (run.max_density_drift;") {
			t.Fatalf("%d ranks: exit code %d, %v, %v", ranks, code, err, s.warned)
		}
		messages = append(messages, strings.Split(err.Error(), "\n")[0])
	}
	if messages[0] != messages[1] {
		t.Errorf("one rank: %s\nthree:    %s", messages[0], messages[1])
	}
	off := strings.Replace(text, "watch_every = 50", "watch_every = 50\nwarn_density_drift = 0", 1)
	if s := (trial{text: off, ranks: 1}).must(t); len(s.summary.Health.Warned) > 0 {
		t.Errorf("switched off: %v", s.summary.Health.Warned)
	}
	// The start is the whole run's, whichever step it resumes from.
	for _, later := range []int64{600, 500} {
		if err := os.Remove(checkpoint.Path(filepath.Join(dir, output.CheckpointDir), later)); err != nil {
			t.Fatal(err)
		}
	}
	again := trial{text: text, ranks: 2, dir: dir, restart: Latest}.must(t)
	if got, want := again.summary.Health.DensityDrift, s.summary.Health.DensityDrift; got != want {
		t.Errorf("after a restart the drift is %g instead of %g", got, want)
	}
}

// A tunnel that starts at rest is filled by a wave of the density Ma, which is sound, not an error;
// mass that no boundary lets out is still reported.
func TestStartAtRest(t *testing.T) {
	const text = `
[domain]
cells = [64, 24]
periodic = ["y"]
[fluid]
viscosity = 0.001
[turbulence]
model = "smagorinsky"
[boundary.inlet]
type = "velocity"
velocity = [0.06, 0]
faces = ["x-"]
[boundary.end]
type = %q
%s
faces = ["x+"]
[run]
steps = 3000
watch_every = 10
[output.series.s]
quantities = ["density_drift"]
every = 10
`
	for end, more := range map[string]string{"outflow": "", "pressure": "pressure = 0.0001"} { // driven, too
		dir := t.TempDir()
		s := trial{text: fmt.Sprintf(text, end, more), ranks: 1, dir: dir}.must(t)
		largest := slices.Max(table(t, filepath.Join(dir, "series_s.csv"))["density_drift"])
		if largest < 0.1 {
			t.Errorf("%s: the mean density rises by %g only: the test shows nothing", end, largest)
		}
		if n := s.warnedOf("mean density drifted"); end == "outflow" && n > 0 {
			t.Errorf("%s: %q", end, s.warned)
		}
	}
	// A slow ramp delays the wave.
	slow := strings.Replace(fmt.Sprintf(text, "outflow", ""), "[0.06, 0]", "[0.06, 0]\nramp = 3000", 1)
	if s := (trial{text: strings.Replace(slow, "steps = 3000", "steps = 6000", 1), ranks: 1}).must(t); s.warnedOf("mean density drifted") > 0 {
		t.Errorf("with a ramp: %q", s.warned)
	}
	// The allowance for the wave decays: a pressure that drifts away is warned of within thirty crossings of sound. Here it
	// is the pressure that drives the flow through a narrow channel.
	narrow := strings.NewReplacer("cells = [64, 24]\nperiodic = [\"y\"]", "cells = [64, 8]", "viscosity = 0.001\n[turbulence]\nmodel = \"smagorinsky\"",
		"viscosity = 0.1\n[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]", "[0.06, 0]", "[0.03, 0]").Replace(fmt.Sprintf(text, "pressure", ""))
	leak := strings.Replace(narrow, "watch_every = 10", "watch_every = 10\nmax_density_drift = 0", 1)
	if s := (trial{text: leak, ranks: 1}).must(t); s.warnedOf("mean density drifted") != 1 {
		t.Errorf("a drift of %g: %q", s.summary.Health.DensityDrift, s.warned)
	} else if d := s.summary.Health.DensityDrift; d > 0.06 {
		t.Errorf("the drift of %g is more than 1 %% + 2 Ma: the test shows nothing", d)
	}
	stopping := strings.NewReplacer("watch_every = 10", "watch_every = 10\nmax_density_drift = 0.002", "viscosity = 0.1", "viscosity = 0.4").Replace(narrow)
	_, err := trial{text: stopping, ranks: 1, dir: t.TempDir()}.run(t)
	if code, _ := ExitCode(err); code != ExitUnstable || !strings.Contains(err.Error(), "plus 10.4 % for acoustic waves from the velocity of [boundary.inlet]") {
		t.Errorf("exit code %d, %v", code, err)
	}
}

// A density prescribed by the case's faces and forces is not a drift, whether a pressure fills a closed box or drives a
// channel, by a table or a ramp, or it results from the weight of the fluid. Beyond it a drift counts as usual.
func TestDriftThatTheCaseAsksFor(t *testing.T) {
	table := filepath.Join(t.TempDir(), "rise.csv")
	if err := os.WriteFile(table, []byte("0,0\n500,1\n1000,0.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const text = `
[domain]
cells = [40, 12]
[fluid]
viscosity = 0.15
%s
[boundary.left]
type = "pressure"
%s
faces = ["x-"]
[boundary.right]
%s
faces = ["x+"]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 3000
`
	for name, c := range map[string]struct {
		driven, left, right string
		drifts              int // by more than a percent
		warned              int
	}{
		"a pressure drives a channel": {"", "pressure = 0.03", "type = \"pressure\"", 1, 0},
		"a pressure fills a box":      {"", "pressure = 0.03\nramp = 200", "type = \"wall\"", 1, 0},
		"by a table":                  {"", fmt.Sprintf("pressure = 0.03\ntable = %q", table), "type = \"wall\"", 1, 0},
		"weight":                      {"[force]\nacceleration = [-4e-4, 0]", "pressure = 0", "type = \"wall\"", 1, 0},
		"nothing":                     {"", "pressure = 0", "type = \"wall\"", 0, 0},
		"an inlet beside pressures":   {"", "pressure = 0.01", "type = \"velocity\"\nvelocity = [-0.04, 0]", 1, 1},
	} {
		s := trial{text: fmt.Sprintf(text, c.driven, c.left, c.right), ranks: 1}.must(t)
		if drifts := math.Abs(s.summary.Health.DensityDrift) > 0.01; drifts != (c.drifts > 0) {
			t.Errorf("%s: a drift of %g: the test shows nothing", name, s.summary.Health.DensityDrift)
		}
		if n := s.warnedOf("mean density drifted"); n != c.warned {
			t.Errorf("%s: a drift of %g: %q", name, s.summary.Health.DensityDrift, s.warned)
		}
	}
}

// Water at rest moves only by rounding, which is not grid-scale noise. Beside interpolated walls it moves slightly more.
func TestRestIsNoNoise(t *testing.T) {
	const text = `
[domain]
cells = [12, 12, 24]
[fluid]
viscosity = 0.05
[collision]
precision = %q
[force]
acceleration = [0, 0, -4e-5]
[initial]
density = "exp(-3*4e-5*(z - Lz/2))"
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-", "z+"]
[body.ball]
type = "wall"
shape = "sphere"
centre = [6, 6, 12]
radius = 3
[run]
steps = 4000
grid_scale_every = 1
`
	for _, precision := range []string{"float64", "float32", "float16"} {
		s := trial{text: fmt.Sprintf(text, precision), ranks: 1}.must(t)
		if len(s.warned) > 0 || s.summary.Health.MaxSpeed == 0 || s.summary.Health.GridScale != 0 {
			t.Errorf("%s: %+v, %q", precision, s.summary.Health, s.warned)
		}
	}
}

// A speed beyond the case's values gives a warning; forces and pressures set no bound.
func TestSpeedBeyondTheCase(t *testing.T) {
	const text = `
[domain]
cells = [16, 16]
periodic = ["x"]
[fluid]
viscosity = 0.05
%s
[boundary.lid]
type = "moving_wall"
velocity = [0.005, 0]
faces = ["y+"]
[boundary.floor]
type = "wall"
faces = ["y-"]
[run]
steps = 200
warn_speed = %g
`
	table := filepath.Join(t.TempDir(), "lid.csv")
	if err := os.WriteFile(table, []byte("0,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	faster := strings.Replace(text, `faces = ["y+"]`, fmt.Sprintf("faces = [\"y+\"]\ntable = %q", table), 1)
	for limit, want := range map[float64]int{2: 0, 0.5: 1} { // a factor from a file is a value of the case, too
		s := trial{text: fmt.Sprintf(faster, "", limit), ranks: 2}.must(t)
		if n := s.warnedOf("maximum speed"); n != want {
			t.Errorf("a lid with a table, warn_speed = %g: %d warnings, want %d: %q", limit, n, want, s.warned)
		}
	}
	for _, c := range []struct {
		more  string
		limit float64
		want  int
	}{{"", 2, 0}, {"", 0.5, 1}, {"", 0, 0}, {"[force]\nacceleration = [1e-4, 0]", 0.5, 0}, {"velocity = 0.001\n[force]\nacceleration = [1e-4, 0]", 2, 1}} {
		s := trial{text: fmt.Sprintf(text, c.more, c.limit), ranks: 2}.must(t)
		if n := s.warnedOf("maximum speed"); n != c.want {
			t.Errorf("%q, warn_speed = %g: %d warnings, want %d: %q", c.more, c.limit, n, c.want, s.warned)
		}
	}
}

// The watch's columns are the same bytes for any cut.
func TestHealthHasTheSameBits(t *testing.T) {
	text := variety["channel with a body"] + `
[run]
steps = 20
watch_every = 5
[output.series.s]
quantities = ["density_drift", "grid_scale", "max_speed"]
every = 5
`
	var want []byte
	for _, cut := range [][3]int{{1, 1, 1}, {1, 1, 3}, {1, 2, 2}} {
		dir := t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		got, err := os.ReadFile(filepath.Join(dir, "series_s.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows := func(b []byte) []byte { return b[bytes.Index(b, []byte("\nstep")):] }
		if want == nil {
			want = rows(got)
		} else if !bytes.Equal(rows(got), want) {
			t.Errorf("cut into %v:\n%s\nwant\n%s", cut, rows(got), want)
		}
	}
	if c := bytes.Count(want, []byte("\n")); c < 6 {
		t.Errorf("%s", want)
	}
}

// A start from rest between open faces fills the box with a wave. The run reports it if means begin before it has decayed,
// or if the run ends before; a start with the velocity of the inlet makes none.
func TestMassOfAStartFromRest(t *testing.T) {
	const tunnel = `
[domain]
cells = [80, 60]
[fluid]
viscosity = 0.005
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.disc]
shape = "cylinder"
centre = [25, 30]
radius = 3
[run]
steps = 900
watch_every = 50
[output.force.disc]
every = 10
start = 200
`
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"from rest", tunnel, "acoustic waves of the start against the velocity of [boundary.inlet], and [output.force.disc] averages it"},
		{"a run that ends early", changed(tunnel, "steps = 900", "steps = 150"), "and it is present at the end of the run"},
		{"later means", changed(tunnel, "start = 200", "start = 3800", "steps = 900", "steps = 4000"), ""},
		{"means from the beginning", changed(tunnel, "start = 200", "", "steps = 900", "steps = 4000"), ""}, // a result has its transient
		{"with the stream", tunnel + "[initial]\nvelocity = [0.05, 0]\n", ""},
		{"not requested", changed(tunnel, "watch_every", "warn_density_drift = 0\nwatch_every"), ""},
	} {
		s := trial{text: c.text, ranks: 1}.must(t)
		n := s.warnedOf("acoustic waves of the start")
		if want := min(1, len(c.want)); n != want || s.warnedOf(c.want) < want || (s.summary.Health.Warned[watch.Starting] > 0) != (want > 0) {
			t.Errorf("%s: %d warnings: %q, drift %v", c.name, n, s.warned, s.summary.Health.DensityDrift)
		}
	}
}
