// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lbmsim/io/fields"
	"lbmsim/sim/output"
)

// endless returns a run that ends on an order.
func endless(checkpoint string) string {
	return withPoint(variety["closed box"] + `
[collision]
model = "bgk"
precision = "float64"
[run]
steps = 2000000000
[output.probe.middle]
at = POINT
every = 1000000
` + checkpoint)
}

func put(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Error(err)
	}
}

// await waits until there is a file of such a name.
func await(pattern string) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return
		}
	}
}

// Orders left over from an ended run do not end the next one.
func TestOldOrdersAreRemoved(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, StopFile))
	put(t, filepath.Join(dir, SaveFile))
	s := trial{text: withPoint(variety["closed box"] + ending("bgk", "float64", 20)), ranks: 2, dir: dir}.must(t)
	warned := strings.Join(s.warned, "\n")
	if s.summary.Reason != allDone || !strings.Contains(warned, StopFile+" was in "+dir) || !strings.Contains(warned, SaveFile+" was in "+dir) {
		t.Errorf("ended for %q, warned %q", s.summary.Reason, s.warned)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.now")); err != nil || len(left) > 0 {
		t.Errorf("orders are left: %v %v", left, err)
	}
}

// A run writes a checkpoint and continues, then ends, as ordered.
func TestOrders(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, output.CheckpointDir, "*")
	go func() {
		await(filepath.Join(dir, "probe_middle.csv")) // the run has begun
		put(t, filepath.Join(dir, SaveFile))
		await(saved)
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless("[checkpoint]\nevery = 1000000000\nkeep = 5\n"), ranks: 2, dir: dir}.must(t)
	if s.summary.Reason != ordered || s.summary.Last < 1 {
		t.Errorf("the run ended for %q at step %d", s.summary.Reason, s.summary.Last)
	}
	if found, err := filepath.Glob(saved); err != nil || len(found) != 2 {
		t.Errorf("checkpoints %v, want one that was asked for and one of the end (%v)", found, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.now")); err != nil || len(left) > 0 {
		t.Errorf("orders are left: %v %v", left, err)
	}
}

// Pictures are written on an order, all at the same step, and only on an order here.
func TestPicturesOnOrder(t *testing.T) {
	dir := t.TempDir()
	pictures := filepath.Join(dir, "*.png")
	go func() {
		await(filepath.Join(dir, "probe_middle.csv"))
		put(t, filepath.Join(dir, DrawFile))
		await(filepath.Join(dir, "b_*.png"))
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless("[output.picture.a]\nat_end = false\nevery = 1000000000\n[output.picture.b]\nfield = \"density\"\nat_end = false\nevery = 1000000000\n"), ranks: 2, dir: dir}.must(t)
	found, err := filepath.Glob(pictures)
	if err != nil || s.summary.Reason != ordered || len(found) != 2 || found[0][len(found[0])-14:] != found[1][len(found[1])-14:] {
		t.Errorf("the run ended for %q with %v (%v)", s.summary.Reason, found, err)
	}
}

func TestOrderThatCannotBeObeyed(t *testing.T) {
	dir := t.TempDir()
	go func() {
		await(filepath.Join(dir, "probe_middle.csv"))
		put(t, filepath.Join(dir, SaveFile))
		put(t, filepath.Join(dir, DrawFile))
		put(t, filepath.Join(dir, MeanFile))
		put(t, filepath.Join(dir, StopFile))
	}()
	s := trial{text: endless(""), ranks: 1, dir: dir}.must(t)
	warned := strings.Join(s.warned, "\n")
	if s.summary.Reason != ordered || !strings.Contains(warned, "no [checkpoint]") || !strings.Contains(warned, "no [output.picture]") || !strings.Contains(warned, "no output of the case has averages") {
		t.Errorf("%q, warned %q", s.summary.Reason, s.warned)
	}
}

// script is a source that returns one order after the other at each poll.
type script struct{ asked int }

func (s *script) Take() Order {
	s.asked++
	return Order{Stop: s.asked == 3, Save: s.asked == 2}
}

// restarting is a source that restarts averages at its second poll and ends the run at its third.
type restarting struct{ asked int }

func (s *restarting) Take() Order {
	s.asked++
	return Order{Mean: s.asked == 2, Stop: s.asked == 3}
}

// Averages restarted by an order equal the averages of a run that starts them at the next step, also after a restart of the run.
func TestRestartOfAverages(t *testing.T) {
	body := boxFile(t, [3]float64{4, 4, 4}, [3]float64{8, 8, 8})
	text := func(steps int, start string) string {
		return fmt.Sprintf(`
[domain]
cells = [16, 12, 12]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.02
[force]
acceleration = [1e-5, 0, 0]
[initial]
velocity = ["0.05 + 0.01*sin(2*pi*y/Ly)", "0.02*cos(2*pi*x/Lx)", 0]
[body.box]
shape = "stl"
file = %q
[collision]
precision = "float64"
[run]
steps = %d
[checkpoint]
at_end = true
[output.averages]
precision = "float64"
sample_every = 1
%[3]s
[output.force.box]
every = 1
%[3]s
[output.profile.across]
along = "y"
sample_every = 1
every = 1000000000
%[3]s
[output.spectrum.along]
along = "x"
normal = "y"
at = [1.5]
sample_every = 1
every = 1000000000
%[3]s
[output.surface.box]
means = true
precision = "float64"
sample_every = 1
every = 1000000000
%[3]s
`, body, steps, start)
	}
	ordered, plain := t.TempDir(), t.TempDir()
	first := trial{text: text(2000000000, ""), ranks: 2, dir: ordered, orders: []Orders{&restarting{}}}.must(t)
	found := regexp.MustCompile(`step (\d+): averages restarted`).FindStringSubmatch(strings.Join(first.warned, "\n"))
	if found == nil {
		t.Fatalf("warned %q", first.warned)
	}
	at, _ := strconv.Atoi(found[1])
	last := first.summary.Last + 40
	got := trial{text: text(last, ""), ranks: 2, dir: ordered, restart: "latest"}.must(t)
	want := trial{text: text(last, fmt.Sprintf("start = %d", at+1)), ranks: 2, dir: plain}.must(t)
	if got, want := got.summary.Results[0], want.summary.Results[0]; got.Since != float64(at+1) || got.Since != want.Since || got.Samples != want.Samples {
		t.Errorf("%d samples of the force since step %g, want %d since %d", got.Samples, got.Since, want.Samples, at+1)
	} else if note := fmt.Sprintf("restarted by order: samples from step %d on", at+1); !strings.Contains(got.Note, note) || want.Note != "" {
		t.Errorf("notes %q and %q, want %q", got.Note, want.Note, note)
	}
	end := fmt.Sprintf("_%010d.hdf", last)
	for _, table := range []string{"force_box.csv", "profile_across.csv", "spectrum_along.csv"} {
		rows := func(dir string) (list []string) {
			b, err := os.ReadFile(filepath.Join(dir, table))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(b), "\n") {
				if strings.HasPrefix(line, strconv.Itoa(last)+",") {
					list = append(list, line)
				}
			}
			return list
		}
		if got, want := rows(ordered), rows(plain); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d", table, len(got), len(want))
		}
	}
	for _, field := range []string{"mean_pressure", "rms_pressure"} {
		values := func(dir string) []float64 {
			return surfaceValues(t, filepath.Join(dir, "surfaces", "box", "box"+end), field)
		}
		if got, want := values(ordered), values(plain); !slices.Equal(got, want) {
			t.Errorf("%s of the surface differs", field)
		}
	}
	averages := func(dir string) (fields.Meta, map[string][]float64) {
		path := filepath.Join(dir, "averages", "averages"+end)
		f, err := fields.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, values := readFields(t, path)
		return f.Meta, values
	}
	gotMeta, gotValues := averages(ordered)
	wantMeta, wantValues := averages(plain)
	if gotMeta.First != int64(at+1) || gotMeta.First != wantMeta.First || gotMeta.Samples != wantMeta.Samples || !reflect.DeepEqual(gotValues, wantValues) {
		t.Errorf("averages of %d samples from step %d on, want %d from %d", gotMeta.Samples, gotMeta.First, wantMeta.Samples, wantMeta.First)
	}
}

// lastly is a source that restarts averages and ends the run at once.
type lastly struct{ asked int }

func (s *lastly) Take() Order {
	s.asked++
	return Order{Mean: s.asked == 2, Stop: s.asked == 2}
}

// Averages are not restarted where no sample would follow: the run would end without results.
func TestNoRestartOfAveragesAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	s := trial{text: endless("[output.averages]\nsample_every = 1\n"), ranks: 2, dir: dir, orders: []Orders{&lastly{}}}.must(t)
	if warned := strings.Join(s.warned, "\n"); s.summary.Reason != ordered || !strings.Contains(warned, "in the last step: ignored") {
		t.Errorf("%q, warned %q", s.summary.Reason, warned)
	}
	f, err := fields.Open(filepath.Join(dir, "averages", fmt.Sprintf("averages_%010d.hdf", s.summary.Last)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Meta.Samples != int64(s.summary.Last)+1 && f.Meta.Samples != int64(s.summary.Last) {
		t.Errorf("%d samples of %d steps", f.Meta.Samples, s.summary.Last)
	}
}

// A source of the caller is used in addition to the folder: all ranks write a checkpoint, then end.
func TestOrdersOfACaller(t *testing.T) {
	dir := t.TempDir()
	source := &script{}
	s := trial{text: endless("[checkpoint]\nevery = 1000000000\nkeep = 5\n"), ranks: 2, dir: dir, orders: []Orders{source}}.must(t)
	if s.summary.Reason != ordered || source.asked != 3 {
		t.Errorf("the run ended for %q after %d questions", s.summary.Reason, source.asked)
	}
	if found, err := filepath.Glob(filepath.Join(dir, output.CheckpointDir, "*")); err != nil || len(found) != 2 {
		t.Errorf("checkpoints %v, want one that was asked for and one of the end (%v)", found, err)
	}
}
