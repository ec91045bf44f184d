// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/io/checkpoint"
	"lbmsim/io/status"
	"lbmsim/sim/output"
)

// driven is a channel with bodies, driven by a body force.
const driven = `
[domain]
cells = [24, 15]
periodic = ["x"]
[fluid]
viscosity = 0.15
[force]
acceleration = [2e-5, 1e-6]
[collision]
precision = "float64"
[boundary.low]
type = "wall"
faces = ["y-"]
[boundary.high]
type = "wall"
faces = ["y+"]
[body.disc]
shape = "cylinder"
centre = [7.5, 6.2]
radius = 2.3
[body.block]
shape = "box"
from = [15, 9]
to = [18, 12]
`

// table reads a file of rows: columns by their names.
func table(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]float64{}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if strings.HasPrefix(line, "# ") || line == "#" {
			continue
		}
		words := strings.Split(line, ",")
		if names == nil {
			names = words
			continue
		}
		for i, w := range words {
			v, err := strconv.ParseFloat(w, 64)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			columns[names[i]] = append(columns[names[i]], v)
		}
	}
	return columns
}

// In a steady flow the walls balance the body force: F = rho g V, each part of the walls its share;
// and the coefficients match the forces.
func TestForcesBalance(t *testing.T) {
	dir := t.TempDir()
	s := trial{text: driven + `
[run]
steps = 6000
[output.force.all]
of = ["low", "high", "disc", "block"]
every = 500
[output.force.disc]
velocity = 0.01
length = 4.6
drag_direction = [3, 4]
every = 500
start = 3000
[output.force.block]
[output.force.low]
[output.force.high]
[expect.force.disc]
quantity = "force_x"
statistic = "last"
value = 1
within = 1
[expect.force.mean]
force = "low"
quantity = "force_x"
`, ranks: 1, dir: dir}.must(t)
	read := func(name string) func(column string) float64 {
		c := table(t, filepath.Join(dir, "force_"+name+".csv"))
		return func(column string) float64 {
			if len(c[column]) == 0 {
				t.Fatalf("force_%s.csv has no column %q", name, column)
			}
			return c[column][len(c[column])-1]
		}
	}
	all, disc, low := read("all"), read("disc"), read("low")
	cells := float64(s.summary.Cells)
	for axis, g := range map[string]float64{"x": 2e-5, "y": 1e-6} {
		if got, want := all("force_"+axis), g*cells; math.Abs(got/want-1) > 1e-4 {
			t.Errorf("force along %s: %v instead of %v", axis, got, want)
		}
	}
	sum := 0.0
	for _, part := range []string{"disc", "block", "low", "high"} {
		sum += read(part)("force_x")
	}
	if want := all("force_x"); math.Abs(sum-want) > 1e-12*want {
		t.Errorf("the parts add up to %v instead of %v", sum, want)
	}
	fx, fy := disc("force_x"), disc("force_y")
	if got, want := disc("drag"), (0.6*fx+0.8*fy)/(0.5*0.01*0.01*4.6); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("drag %v instead of %v", got, want)
	}
	if got, want := disc("lift"), (0.6*fy-0.8*fx)/(0.5*0.01*0.01*4.6); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("lift %v instead of %v", got, want)
	}
	if mean := disc("mean force_x"); math.Abs(mean/fx-1) > 0.01 {
		t.Errorf("mean %v, last %v", mean, fx)
	}
	if got := s.summary.Expect[0]; got.Got != fx || got.Half != 0 {
		t.Errorf("[expect] found %v +- %v, the file has %v", got.Got, got.Half, fx)
	}
	if got := s.summary.Expect[1]; got.Got != low("mean force_x") || got.Half != low("+- force_x") || got.Half <= 0 || math.IsInf(got.Half, 0) {
		t.Errorf("[expect] found the mean %v +- %v, the file has %v +- %v", got.Got, got.Half, low("mean force_x"), low("+- force_x"))
	}
}

// Close to tau = 1/2 the stress at a wall changes its sign with every step and hardly decays. Samples an even number of
// steps apart always have the same sign; their mean must equal the mean of odd ones. With the coming step alone it was six
// times as large here.
func TestForcesKnowNoTurns(t *testing.T) {
	dir := t.TempDir()
	trial{text: `
[domain]
cells = [96, 40]
[fluid]
viscosity = 3.3333e-6
[collision]
model = "regularized"
[turbulence]
model = "smagorinsky"
[initial]
velocity = [0.05, 0]
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
[body.block]
shape = "box"
from = [28, 16]
to = [36, 24]
[run]
steps = 6000
[output.force.even]
of = ["block"]
every = 20
start = 3000
[output.force.odd]
of = ["block"]
every = 19
start = 3000
`, ranks: 1, dir: dir}.must(t)
	mean := func(name string) float64 {
		column := table(t, filepath.Join(dir, "force_"+name+".csv"))["mean force_x"]
		return column[len(column)-1]
	}
	if even, odd := mean("even"), mean("odd"); !(math.Abs(even/odd-1) < 0.05) {
		t.Errorf("drag %.4g of even steps, %.4g of odd ones", even, odd)
	}
}

// A run ends once the mean is converged and no longer drifts: on any ranks, and after a restart, at the same step with the
// same rows, and as a completed run. The interval is narrow long before, while the flow speeds up.
func TestStopWhenKnown(t *testing.T) {
	text := driven + `
[run]
steps = 100000
stop_when = "drag.disc +-2 % and force_x.block +-0.1"
[output.force.disc]
velocity = 0.01
length = 4.6
every = 5
start = 100
[output.force.block]
every = 2
start = 100
[checkpoint]
every = 50
keep = 100
[expect.force.disc]
value = 10
within = 1000
`
	var want []byte
	var ended int
	brief.Fewer(t, "numbers of ranks")
	for _, ranks := range []int{1, 3} {
		if testing.Short() && ranks == 3 {
			continue // the restart of one rank has three
		}
		dir := t.TempDir()
		s := trial{text: text, ranks: ranks, dir: dir}.must(t)
		got := contents(t, filepath.Join(dir, "force_disc.csv"))
		if ranks == 1 {
			want, ended = got, s.summary.Last
			if ended < 180 || ended > 20000 || !strings.Contains(s.summary.Reason, "drag.disc is ") || len(s.summary.Expect) != 1 {
				t.Fatalf("ended at step %d, %s; %d verdicts", ended, s.summary.Reason, len(s.summary.Expect))
			}
			c := table(t, filepath.Join(dir, "force_disc.csv"))
			n := len(c["step"]) - 1
			first := 0
			for first < n && !(c["+- drag"][first] <= 0.02*c["mean drag"][first]) {
				first++
			}
			if c["+- drag"][n] > 0.02*c["mean drag"][n] || first == n {
				t.Errorf("ended with +- %v of %v, narrow first in row %d of %d", c["+- drag"][n], c["mean drag"][n], first, n)
			}
			for _, r := range s.summary.Results {
				if r.Output == "disc" && slices.ContainsFunc(r.Numbers, func(n status.Number) bool { return n.Quantity == "drag" && n.Value == nil }) {
					t.Error("the run ended, and has no drag")
				}
			}
		}
		if s.summary.Last != ended || !bytes.Equal(got, want) {
			t.Errorf("%d ranks: ended at step %d instead of %d, or with other rows", ranks, s.summary.Last, ended)
		}
		files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
		if err != nil || len(files) < 2 {
			t.Fatalf("%d checkpoints, %v", len(files), err)
		}
		s = trial{text: text, ranks: 4 - ranks, dir: dir, restart: files[len(files)-1]}.must(t)
		got = contents(t, filepath.Join(dir, "force_disc.csv"))
		if s.summary.Last != ended || !bytes.Equal(got, want) {
			t.Errorf("restart from %d ranks: ended at step %d instead of %d, or with other rows", ranks, s.summary.Last, ended)
		}
	}
}

// An unmet criterion is reported.
func TestStopWhenNotReached(t *testing.T) {
	s := trial{text: driven + "[run]\nsteps = 30\nstop_when = \"force_x.disc +-1e-9 %\"\n[output.force.disc]\n", ranks: 1}.must(t)
	if s.summary.Reason != allDone || len(s.warned) != 1 || !strings.Contains(s.warned[0], "force_x.disc is") {
		t.Errorf("%s, %q", s.summary.Reason, s.warned)
	}
}

// A frequency for which a run is too short misses an expected value; if it is only measured, the run succeeds with the
// reason.
func TestNoFrequency(t *testing.T) {
	text := driven + "[run]\nsteps = 30\n[output.force.disc]\nvelocity = 0.01\nlength = 4.6\n[expect.force.disc]\nquantity = \"lift\"\nstatistic = \"strouhal\"\n"
	_, err := trial{text: text + "value = 0.2\nwithin = \"5 %\"\n", ranks: 2, dir: t.TempDir()}.run(t)
	if code, _ := ExitCode(err); code != ExitExpect || !strings.Contains(err.Error(), "expect.force.disc: the strouhal of lift cannot be determined (expected 0.2 +- 0.01): no sample") {
		t.Errorf("%v", err)
	}
	s := trial{text: text, ranks: 2}.must(t)
	if v := s.summary.Expect[0]; !v.OK || !math.IsNaN(v.Got) || !strings.Contains(v.Note, "expect.force.disc: the strouhal of lift cannot be determined: no sample") {
		t.Errorf("%+v", v)
	}
}

// Values along lines equal the cells' values, and a linear field's between cells.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	text := `
[domain]
cells = [12, 10, 9]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.1
[initial]
velocity = ["0.001*y", "0.002*z", "0.003*x"]
[collision]
precision = "float64"
[run]
steps = 1
[output.line.slanted]
from = [2, 2, 3]
to = [9, 8, 7.5]
points = 17
fields = ["velocity", "vorticity"]
at_start = true
at_end = false
[output.line.along]
from = [0.5, 0.5, 0.5]
to = [11.5, 0.5, 0.5]
`
	var first []byte
	for _, ranks := range []int{1, 4} {
		trial{text: text, ranks: ranks, cut: [3]int{0, 0, 0}, dir: dir}.must(t)
		path := filepath.Join(dir, "line_slanted.csv")
		b := contents(t, path)
		if ranks > 1 && !bytes.Equal(b, first) {
			t.Errorf("%d ranks: another line", ranks)
		}
		first = b
		c := table(t, path)
		if len(c["x"]) != 17 {
			t.Fatalf("%d points", len(c["x"]))
		}
		for i, x := range c["x"] {
			y, z := c["y"][i], c["z"][i]
			want := []float64{0.001 * y, 0.002 * z, 0.003 * x, -0.002, -0.003, -0.001, math.Hypot(math.Hypot(x-2, y-2), z-3)}
			for j, name := range []string{"velocity x", "velocity y", "velocity z", "vorticity x", "vorticity y", "vorticity z", "distance"} {
				if math.Abs(c[name][i]-want[j]) > 1e-12 {
					t.Fatalf("%s at (%v, %v, %v): %v instead of %v", name, x, y, z, c[name][i], want[j])
				}
			}
		}
		if c := table(t, filepath.Join(dir, "line_along.csv")); len(c["x"]) != 12 || c["x"][11] != 11.5 {
			t.Errorf("along: %v", c["x"])
		}
	}
}

// A restart that has no step left to compute writes the rows of the end as the run did: the force at a step
// includes the previous step, which the checkpoint stores.
func TestForceWithoutAStep(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["tunnel that changes with time"]) + `
[run]
steps = 25
[output.force.end]
of = ["ball"]
every = 1000
at_end = true
[checkpoint]
`
	trial{text: text, ranks: 2, dir: dir}.must(t)
	file := filepath.Join(dir, "force_end.csv")
	want := contents(t, file)
	for _, ranks := range []int{1, 3} {
		trial{text: text, ranks: ranks, dir: dir, restart: "latest"}.must(t)
		if got := contents(t, file); !bytes.Equal(got, want) {
			t.Errorf("%d ranks: after a restart the rows are\n%s\nand not\n%s", ranks, got, want)
		}
	}
}

// A force not measured by the earlier run lacks the step before a restart: its row has the force of the coming step.
func TestForceOfAnotherBodyAfterRestart(t *testing.T) {
	const ball, road = "[output.force.ball]\nof = [\"ball\"]\nevery = 5\n", "[output.force.road]\nof = [\"road\"]\nevery = 1000\nat_end = true\n"
	text := strings.Replace(withPoint(variety["tunnel that changes with time"]), "[output.force.all]\nof = [\"ball\", \"road\"]\nevery = 4\n", "", 1) + "[run]\nsteps = 25\n[checkpoint]\n"
	row := func(before string) []float64 {
		dir := t.TempDir()
		trial{text: text + before, ranks: 2, dir: dir}.must(t)
		trial{text: text + before + road, ranks: 2, dir: dir, restart: "latest"}.must(t)
		return table(t, filepath.Join(dir, "force_road.csv"))["force_x"]
	}
	if none, other := row(""), row(ball); len(none) != 1 || none[0] == 0 || !slices.Equal(none, other) {
		t.Errorf("force on the road %v after a run without forces, %v after one with that on the ball", none, other)
	}
}
