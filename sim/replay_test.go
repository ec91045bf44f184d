// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/internal/brief"
	"lbmsim/io/fields"
	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
)

// broken are cases that become unstable in known ways, and words of the evidence to check.
var broken = map[string]struct{ text, place, evidence string }{
	"tau": {`
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
[output.series.all]
every = 7
`, "[boundary.lid] on face y+", "tau is 0.5006, 0.0006 above 1/2, and the cell Reynolds number |u| dx/nu is 850"},
	"inlet": {`
[domain]
cells = [30, 14, 11]
periodic = ["z"]
[fluid]
viscosity = 0.2
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
type = "velocity"
velocity = ["0.16*4*y*(Ly-y)/Ly^2", 0, 0]
ramp = 120
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[run]
steps = 1000
watch_every = 200
max_mach = 0.2
[output.fields]
every = 90
[output.averages]
sample_every = 10
[output.probe.p]
at = [4, 5, 6]
`, "[boundary.inlet] on face x-, 0 cells away", "[boundary.inlet] prescribes Mach 0.2"},
	"no number": {`
[domain]
cells = [20, 12]
periodic = ["x"]
[fluid]
viscosity = 0.1
[boundary.floor]
type = "wall"
faces = ["y-"]
[boundary.belt]
type = "velocity"
velocity = ["0.02*exp(-1e-9*abs(t))", 0]   # spoilt around step 35
faces = ["y+"]
[run]
steps = 1000000
watch_every = 40
`, "[boundary.belt] on face y+, 0 cells away", "not a number at this step"},
	"force": {`
[domain]
cells = [9, 16, 7]
periodic = ["x", "z"]
[fluid]
viscosity = 0.3
[temperature]
diffusivity = 0.03
initial = "sin(2*pi*x/Lx)"
[force]
mean_velocity = [0.15, 0, 0]
response = 50
[boundary.plates]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = 3000
watch_every = 100
max_mach = 0.25
`, "[boundary.plates] on face y", "the body force 0."},
}

// blowup runs a case that becomes unstable and returns its report, and all files
// of it as bytes.
func blowup(t *testing.T, tr trial) (postmortem.Blowup, map[string][]byte) {
	t.Helper()
	if tr.dir == "" {
		tr.dir = t.TempDir()
	}
	_, err := tr.run(t)
	if code, agreed := ExitCode(err); code != ExitUnstable || !agreed {
		t.Fatalf("exit code %d (agreed %v): %v", code, agreed, err)
	}
	all := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(tr.dir, output.BlowupDir, "*"))
	for _, name := range append(names, filepath.Join(tr.dir, output.BlowupText), filepath.Join(tr.dir, output.BlowupJSON)) {
		all[filepath.Base(name)] = contents(t, name)
	}
	var report struct { // the numbers that may be text stay as they are
		Step, Seen, From int
		Cell, Lo, Hi     [3]int
		What, Fields     string
		History          []struct{ Step int }
		Borders          []string
		Evidence         []string
	}
	if err := json.Unmarshal(all[output.BlowupJSON], &report); err != nil {
		t.Fatal(err)
	}
	b := postmortem.Blowup{Step: report.Step, Seen: report.Seen, From: report.From, Cell: report.Cell, Lo: report.Lo, Hi: report.Hi,
		What: report.What, Fields: report.Fields, Borders: report.Borders, Evidence: report.Evidence}
	for _, m := range report.History {
		b.History = append(b.History, postmortem.Moment{Step: m.Step})
	}
	return b, all
}

// The first bad cell is found at a step before the watch's, at the place and with the cause built
// into the case, and the report has the same bytes for every cut.
func TestFirstBadCell(t *testing.T) {
	for name, c := range broken {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b, want := blowup(t, trial{text: c.text, ranks: 1, dir: dir})
			if b.Step >= b.Seen || b.From != 0 {
				t.Errorf("step %d, seen at %d, from %d", b.Step, b.Seen, b.From)
			}
			if !strings.Contains(strings.Join(b.Borders, "; "), c.place) {
				t.Errorf("borders %q, want %q", b.Borders, c.place)
			}
			if !strings.Contains(b.Evidence[0], c.evidence) {
				t.Errorf("evidence %q, want %q first", b.Evidence, c.evidence)
			}
			if n := len(b.History); n != postmortem.HistorySteps || b.History[n-1].Step != b.Step {
				t.Errorf("history %v", b.History)
			}
			hot := strings.Contains(c.text, "[temperature]")
			if bytes.Contains(want[output.BlowupText], []byte("Mach in lattice units, temperature):")) != hot ||
				bytes.Contains(want[output.BlowupJSON], []byte(`"Temperature": null`)) == hot {
				t.Errorf("temperature %v, and the report:\n%s", hot, want[output.BlowupText])
			}
			for a := range b.Cell {
				if b.Cell[a] < b.Lo[a] || b.Cell[a] >= b.Hi[a] {
					t.Errorf("cell %v is not in the box %v to %v", b.Cell, b.Lo, b.Hi)
				}
			}
			if err := fields.Verify(filepath.Join(dir, output.BlowupDir, fmt.Sprintf("blowup_%010d.hdf", b.Step))); err != nil {
				t.Error(err)
			}
			cuts := []trial{{ranks: 3}}
			if strings.Contains(c.text, ", 14, 11]") {
				cuts = append(cuts, trial{ranks: 4, cut: [3]int{1, 2, 2}})
			}
			for _, tr := range cuts {
				tr.text = c.text
				_, got := blowup(t, tr)
				if len(got) != len(want) {
					t.Errorf("%d ranks: %d files, want %d", tr.ranks, len(got), len(want))
				}
				for name := range want {
					if !bytes.Equal(got[name], want[name]) {
						t.Errorf("%d ranks: %s differs", tr.ranks, name)
					}
				}
			}
		})
	}
}

// The outputs of the run itself equal the outputs of a run that does not go back, up to the first bad step.
func TestForensicsLeaveTheOutputsAlone(t *testing.T) {
	text := broken["inlet"].text
	var want map[string][]byte
	for _, on := range []bool{false, true} {
		tr := trial{text: strings.Replace(text, "[run]", fmt.Sprintf("[run]\nforensics = %v", on), 1), ranks: 2, dir: t.TempDir()}
		if _, err := tr.run(t); err == nil {
			t.Fatal("the run is stable")
		}
		got := map[string][]byte{}
		for _, pattern := range []string{"*.csv", "fields/*.series", "averages/*"} {
			names, _ := filepath.Glob(filepath.Join(tr.dir, pattern))
			for _, name := range names {
				// The resolved case shows which of the two it is.
				got[filepath.Base(name)] = bytes.ReplaceAll(contents(t, name), []byte(fmt.Sprintf("forensics = %v", on)), nil)
			}
		}
		if _, err := os.Stat(filepath.Join(tr.dir, output.BlowupText)); (err == nil) != on {
			t.Errorf("forensics %v: %v", on, err)
		}
		if want == nil {
			want = got
		}
		if len(got) < 2 || len(got) != len(want) {
			t.Errorf("files %d and %d", len(want), len(got))
		}
		for name := range want {
			same := bytes.Equal(got[name], want[name])
			if on && strings.HasSuffix(name, ".csv") { // tables end at the first bad step once it is known
				same = bytes.HasPrefix(want[name], got[name])
			}
			if !same {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// A resumed run goes back to its initial state.
func TestFirstBadCellAfterARestart(t *testing.T) {
	text := strings.Replace(broken["tau"].text, "steps = 100000", "steps = 40", 1) + "[checkpoint]\n"
	dir := t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	b, _ := blowup(t, trial{text: strings.Replace(text, "steps = 40", "steps = 100000", 1), ranks: 3, dir: dir, restart: "latest"})
	whole, _ := blowup(t, trial{text: broken["tau"].text, ranks: 1})
	if b.From != 40 || b.Step != whole.Step || b.Cell != whole.Cell {
		t.Errorf("from step %d: step %d, cell %v; want 40, %d, %v", b.From, b.Step, b.Cell, whole.Step, whole.Cell)
	}
}

// Steps from a copy of the state equal the steps that were computed before, whatever they
// depend on: velocities that change with time, a force that is adjusted, a temperature;
// on ranks with planes of their own and shared ones, and on devices that queue steps.
func TestStepsComputedAgain(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	texts := map[string]string{}
	for name, c := range broken {
		texts[name] = c.text
	}
	for _, name := range []string{"disc in a channel", "ball in a tunnel by wale", "modelled ball"} {
		texts[name] = refinedCases[name] + "[run]\nsteps = 40\n"
	}
	for name, text := range texts {
		for _, tr := range []trial{{ranks: 1}, {ranks: 3}, {ranks: 2, wrap: (&town{}).move}} {
			if tr.wrap != nil && refinedCases[name] != "" {
				continue // sim/refined has such devices for levels
			}
			if testing.Short() && tr.ranks == 1 {
				continue
			}
			tr.text, tr.dir = text, t.TempDir()
			err := tr.turns(t, func(c comm.Comm, tr *Trial) error {
				r := tr.r
				if _, err := tr.Steps(11); err != nil {
					return err
				}
				if err := r.postmortem.Keep(); err != nil {
					return err
				}
				if _, err := tr.Steps(8); err != nil {
					return err
				}
				want, err := tr.Hash()
				if err != nil {
					return err
				}
				for _, from := range []int{11, -1} { // the copy, the initial state
					back := r.postmortem.Back
					if from < 0 {
						back = func() error { return replay{r}.Back(nil, postmortem.Circumstances{}) }
					}
					if err := back(); err != nil {
						return err
					}
					if r.Step() != max(0, from) {
						return fmt.Errorf("back at step %d, want %d", r.Step(), from)
					}
					for r.Step() < 19 {
						if err := (replay{r}).Again(); err != nil {
							return err
						}
					}
					if got, err := tr.Hash(); err != nil || got != want {
						return fmt.Errorf("from %d: hash %x, want %x (%v)", from, got, want, err)
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %d ranks: %v", name, tr.ranks, err)
			}
		}
	}
}

// turns hands the case as a Trial to f on every rank.
func (tr trial) turns(t *testing.T, f func(c comm.Comm, tr *Trial) error) error {
	t.Helper()
	return comm.RunLocal(tr.ranks, func(c comm.Comm) error {
		o, err := tr.options(c, &silent{})
		if err != nil {
			return err
		}
		defer o.Device.Close()
		trial, err := NewTrial(o)
		if err != nil {
			return err
		}
		defer trial.Close()
		return f(c, trial)
	})
}
