// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The summary of a run has the means of all forces with their intervals, the same for any number of ranks, and the reason
// where a mean is unknown.
func TestResultsAtTheEnd(t *testing.T) {
	text := driven + `
[run]
steps = 4000
[output.force.disc]
velocity = 0.01
length = 4.6
every = 5
start = 3000
[output.force.early]
of = ["disc"]
velocity = 0.01
length = 4.6
every = 5
[output.force.late]
of = ["disc"]
every = 5
start = 3990
[output.force.never]
of = ["disc"]
every = 5
start = 5000
`
	var first []Result
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		s := trial{text: text, ranks: ranks, dir: dir}.must(t)
		found := s.summary.Results
		if len(found) != 4 {
			t.Fatalf("%d results", len(found))
		}
		disc, early, late, never := found[0], found[1], found[2], found[3]
		c := table(t, filepath.Join(dir, "force_disc.csv"))
		for _, n := range disc.Numbers {
			last := len(c["mean "+n.Quantity]) - 1
			switch {
			case n.Quantity == "torque_z" || n.Quantity == "force_y" || n.Quantity == "lift": // small, and slow to converge
			case n.Value == nil:
				t.Errorf("%s has no value: %s", n.Quantity, n.Note)
			case *n.Value != c["mean "+n.Quantity][last] || *n.Half != c["+- "+n.Quantity][last]:
				t.Errorf("%s: %v +- %v differ from the table's", n.Quantity, *n.Value, *n.Half)
			case n.Quantity == "drag" && !strings.HasPrefix(n.Meaning, "force along x / (rho U^2 L/2 = 0.00023"):
				t.Errorf("drag is %q", n.Meaning)
			}
			if n.Quantity == "strouhal" || n.Quantity == "frequency" {
				t.Errorf("a steady flow has the frequency %+v", n)
			}
		}
		if n := early.Numbers[0]; n.Value != nil || !strings.Contains(n.Note, "drifts") && !strings.Contains(n.Note, "transient") {
			t.Errorf("the mean of the whole transient is a result: %+v", n)
		}
		if late.Samples != 3 || len(late.Numbers) > 0 || !strings.Contains(late.Note, "3 samples since start = step 3990, a mean needs at least 16") {
			t.Errorf("of three samples: %+v", late)
		}
		if never.Samples != 0 || len(never.Numbers) > 0 || !strings.Contains(never.Note, "0 samples") {
			t.Errorf("of none: %+v", never)
		}
		// Before start there is no mean.
		for name, at := range map[string]int{"force_disc.csv": 0, "force_never.csv": 700} {
			c := table(t, filepath.Join(dir, name))
			if mean, half := c["mean force_x"][at], c["+- force_x"][at]; !math.IsNaN(mean) || !math.IsNaN(half) {
				t.Errorf("%s: row %d has %v +- %v before start", name, at, mean, half)
			}
		}
		if first == nil {
			first = found
			continue
		}
		for i := range found {
			for k, n := range found[i].Numbers {
				if one := first[i].Numbers[k]; n.Note != one.Note || (n.Value == nil) != (one.Value == nil) || n.Value != nil && (*n.Value != *one.Value || *n.Half != *one.Half) {
					t.Errorf("%d ranks: %+v, one: %+v", ranks, n, one)
				}
			}
		}
	}
}

// After a blow-up tables end at the first bad step, not at the watch's step.
func TestTablesEndAtTheBadStep(t *testing.T) {
	dir := t.TempDir()
	_, err := trial{text: `
[domain]
cells = [24, 24]
[fluid]
viscosity = 0.0002
[collision]
model = "bgk"
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]
[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = [0.17, 0]
[run]
steps = 100000
watch_every = 50
max_mach = 0.6
[output.force.lid]
every = 1
[output.series.all]
every = 1
`, ranks: 2, dir: dir}.run(t)
	if code, _ := ExitCode(err); code != ExitUnstable {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "blowup.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Step, Seen float64 }
	if err := json.Unmarshal(b, &report); err != nil || report.Step >= report.Seen {
		t.Fatalf("%+v %v", report, err)
	}
	for _, name := range []string{"force_lid.csv", "series_all.csv"} {
		if steps := table(t, filepath.Join(dir, name))["step"]; steps[len(steps)-1] != report.Step {
			t.Errorf("%s ends at step %v instead of %v (seen at %v)", name, steps[len(steps)-1], report.Step, report.Seen)
		}
	}
}

// A run that was stopped and resumed has the results of an uninterrupted one, on any ranks.
func TestResultsAfterARestart(t *testing.T) {
	text := driven + `
[run]
steps = 900
[checkpoint]
every = 300
[output.force.disc]
velocity = 0.01
length = 4.6
every = 1
start = 100
`
	whole := trial{text: text, ranks: 1}.must(t).summary.Results
	dir := t.TempDir()
	trial{text: strings.Replace(text, "steps = 900", "steps = 500", 1), ranks: 2, dir: dir}.must(t)
	resumed := trial{text: text, ranks: 3, dir: dir, restart: "latest"}.must(t).summary.Results
	whole[0].File, resumed[0].File = "", ""
	if !reflect.DeepEqual(whole, resumed) {
		t.Errorf("%+v\n%+v", whole, resumed)
	}
}

// A run that ends before the first check of the watch reports the Mach number of its last one.
func TestMachOfShortRuns(t *testing.T) {
	s := trial{text: strings.Replace(broken["tau"].text, "steps = 100000", "steps = 10", 1), ranks: 2}.must(t).summary
	if want := s.Health.MaxSpeed * math.Sqrt(3); !(want > 0) || math.Abs(s.MaxMach-want) > 1e-6*want {
		t.Errorf("Mach %v, want %v", s.MaxMach, want)
	}
}

// The note on a mean that is not converged has the unit of its number: a report shows it beside a coefficient.
func TestNoteOfATransientHasAUnit(t *testing.T) {
	s := trial{ranks: 1, dir: t.TempDir(), text: `
[domain]
cells = [24, 16]
spacing = "1 cm"
periodic = ["y"]
[fluid]
density = "1 kg/m3"
viscosity = "1e-3 m2/s"
velocity = "1 m/s"
[scaling]
lattice_velocity = 0.05
[initial]
velocity = ["1 m/s", 0]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.disc]
shape = "cylinder"
centre = ["8 cm", "8 cm"]
radius = "3 cm"
[run]
steps = 60
[output.force.disc]
velocity = "1 m/s"
length = "6 cm"
every = 1
`}.must(t)
	if n := numberOf(t, s.summary.Results[0], "force_x"); n.Unit == "" || n.Value != nil || !strings.Contains(n.Note, " "+n.Unit) {
		t.Errorf("force_x: %+v", n)
	}
	if n := numberOf(t, s.summary.Results[0], "drag"); n.Unit != "" || n.Value != nil || strings.Contains(n.Note, "N") {
		t.Errorf("drag: %+v", n)
	}
}
