// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/status"
)

// wake returns a cylinder at Re 100, slightly off-centre, for a time in seconds: diameter and inflow speed are 1.
func wake(cells [2]int, size [2]float64, seconds float64) string {
	return fmt.Sprintf(`
[domain]
size = ["%g m", "%g m"]
cells = [%d, %d]
origin = ["-4 m", "-3.7 m"]
[fluid]
reynolds = 100
length = "1 m"
velocity = "1 m/s"
[scaling]
lattice_velocity = 0.1
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.cylinder]
type = "interpolated_wall"
shape = "cylinder"
centre = ["0 m", "0 m"]
radius = "0.5 m"
[run]
time = "%g s"
[output.force.cylinder]
velocity = "1 m/s"
length = "1 m"
every = "0.05 s"
[checkpoint]
`, size[0], size[1], cells[0], cells[1], seconds)
}

// periodicAfter returns the time of the last peak of the lift that differs by more than 2 % from the last three.
func periodicAfter(t *testing.T, dir string) (at float64) {
	t.Helper()
	c := table(t, filepath.Join(dir, "force_cylinder.csv"))
	lift := c["lift"]
	var peaks []int
	for i := 1; i+1 < len(lift); i++ {
		if lift[i] > max(0, lift[i-1], lift[i+1]) {
			peaks = append(peaks, i)
		}
	}
	if len(peaks) < 10 {
		t.Fatalf("%d peaks of the lift", len(peaks))
	}
	final := 0.0
	for _, i := range peaks[len(peaks)-3:] {
		final += lift[i] / 3
	}
	for _, i := range peaks {
		if math.Abs(lift[i]/final-1) > 0.02 {
			at = c["time (s)"][i]
		}
	}
	return at
}

// A cylinder wake at Re 100 started from the flow on a grid half as fine becomes periodic in a third of the time
// needed from rest.
func TestWakeGoesOnOnAFinerGrid(t *testing.T) {
	cells, size, seconds := [2]int{84, 48}, [2]float64{14, 8}, 80.0
	if !testing.Short() { // the case of docs/run.md, except for the position of the cylinder
		cells, size, seconds = [2]int{180, 96}, [2]float64{15, 8}, 120
	}
	coarse, continued, rest := t.TempDir(), t.TempDir(), t.TempDir()
	fine := wake([2]int{2 * cells[0], 2 * cells[1]}, size, seconds)
	trial{text: wake(cells, size, seconds), ranks: 1, threads: 2, dir: coarse}.must(t)
	of := trial{text: from(fine, coarse), ranks: 1, threads: 2, dir: continued}.must(t).strouhal(t)
	whole := trial{text: fine, ranks: 1, threads: 2, dir: rest}.must(t).strouhal(t)
	late, early := periodicAfter(t, rest), periodicAfter(t, continued)
	t.Logf("periodic %.1f s after rest, %.1f s after the flow of half as many cells", late, early)
	if late == 0 || late > 0.8*seconds {
		t.Errorf("from rest the wake is periodic after %.1f s of %g s: the test compares nothing", late, seconds)
	}
	if early > late/3 {
		t.Errorf("%.1f s instead of a third of %.1f s", early, late)
	}
	// The record from rest begins with sound, whose oscillations count, too: they make the number 0.295 in the short form.
	for _, n := range []status.Number{of, whole} {
		if n.Of != "lift" || math.Abs(*n.Value / *of.Value - 1) > 0.02 || !(*n.Half < 0.05**n.Value) {
			t.Errorf("the Strouhal number is %v +- %v (%s, %s), and %v of the wake without a start", *n.Value, *n.Half, n.Of, n.Note, *of.Value)
		}
	}
	t.Logf("Strouhal numbers %v +- %v (%s), from rest %v +- %v (%s)", *of.Value, *of.Half, of.Note, *whole.Value, *whole.Half, whole.Note)
}

// strouhal returns the Strouhal number reported by a run.
func (s *silent) strouhal(t *testing.T) status.Number {
	t.Helper()
	for _, n := range s.summary.Results[0].Numbers {
		if n.Quantity == "strouhal" && n.Value != nil {
			return n
		}
	}
	t.Fatalf("no Strouhal number: %+v", s.summary.Results)
	return status.Number{}
}

// A wake continued without changes has the forces and the bits of a restart, and the run reports it.
func TestWakeGoesOnUnchanged(t *testing.T) {
	text := func(seconds float64) string { return wake([2]int{84, 48}, [2]float64{14, 8}, seconds) }
	first, continued := t.TempDir(), t.TempDir()
	trial{text: text(12), ranks: 1, dir: first}.must(t)
	s := trial{text: from(text(6), first), ranks: 2, dir: continued}.must(t)
	said := false
	for _, row := range s.start.Case.Table {
		said = said || row.Name == "initial state" && strings.Contains(row.Lattice, "the same case: copied bit for bit")
	}
	if !said {
		t.Errorf("the run does not report the copy: %v", s.start.Case.Table)
	}
	trial{text: text(18), ranks: 1, dir: first, restart: "latest"}.must(t)
	if !bytes.Equal(stateIn(t, first), stateIn(t, continued)) {
		t.Error("the state differs from the restart's")
	}
	was, is := table(t, filepath.Join(first, "force_cylinder.csv"))["lift"], table(t, filepath.Join(continued, "force_cylinder.csv"))["lift"]
	for i, v := range is[1:] { // the force at step 0 is from one step, later forces are the mean of two
		if w := was[len(was)-len(is)+1+i]; v != w {
			t.Fatalf("lift %d after the start is %v, and %v after the restart", i, v, w)
		}
	}
}

// An unevenly sampled record has no spectrum, and the run reports why.
func TestNoFrequencyOfUnevenSamples(t *testing.T) {
	text := wake([2]int{84, 48}, [2]float64{14, 8}, 12) + "[expect.force.shedding]\nforce = \"cylinder\"\nquantity = \"lift\"\nstatistic = \"strouhal\"\n"
	dir := t.TempDir()
	first := trial{text: text, ranks: 1, dir: dir}.must(t)
	s := trial{text: changed(text, `time = "12 s"`, `time = "16 s"`, `every = "0.05 s"`, `every = "0.1 s"`), ranks: 1, dir: dir, restart: "latest"}.must(t)
	if got := first.summary.Expect[0].Got; math.IsNaN(got) {
		t.Error("equally spaced samples have no frequency")
	}
	if v := s.summary.Expect[0]; !math.IsNaN(v.Got) || !strings.Contains(v.Note, "equally spaced") {
		t.Errorf("%+v", v)
	}
}
