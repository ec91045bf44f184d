// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/sim/output"
)

// Without --overwrite nothing is removed.
func TestOtherResultsStay(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 10
[output.probe.p]
at = [4, 4]
[output.fields]
every = 5
[checkpoint]
every = 5
`
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	before := found(t, dir)
	short := strings.Replace(strings.Replace(text, "[checkpoint]\nevery = 5\n", "", 1), "steps = 10", "steps = 4", 1)
	trial{text: short, ranks: 1, dir: dir}.must(t)
	for _, path := range before {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// found returns the checkpoints and files of fields.
func found(t *testing.T, dir string) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"checkpoints/checkpoint_*", "*/*_00000000*.hdf"} {
		some, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(some) == 0 {
			t.Fatalf("no %s in %s: %v", pattern, dir, err)
		}
		paths = append(paths, some...)
	}
	return paths
}

// A deliberate restart from scratch removes the tables that the case no longer writes, and no other files.
func TestTablesOfAnotherCaseGo(t *testing.T) {
	const text = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 10
[output.probe.p]
at = [4, 4]
[output.series.flow_2]
quantities = ["max_speed"]
[output.line.l]
from = [0, 2]
to = [8, 2]
`
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	stay := map[string]string{
		"probe_copy.csv":        read("probe_p.csv"), // a user's copy, to compare runs
		"probe_p.csv.before1":   read("probe_p.csv"),
		"series_mine.csv":       "time,value\n1,2\n",
		"line_mine.csv":         "# [output.line.mine]\n1,2\n",
		"force_mine.csv":        "# lbmsim 1\n# case:\n1,2\n# [output.force.mine]\n",
		"probe_p.csv.notes.csv": "",
	}
	for name, text := range stay {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	trial{text: strings.Split(text, "[output.series")[0], ranks: 2, dir: dir, overwrite: true}.must(t)
	for _, name := range []string{"series_flow_2.csv", "line_l.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s of the case before lies among the new tables", name)
		}
	}
	read("probe_p.csv")
	for name, text := range stay {
		if read(name) != text {
			t.Errorf("%s is not what it was", name)
		}
	}
}

const tiny = `
[domain]
cells = [8, 8]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 10
[output.probe.p]
at = [4, 4]
[output.fields]
every = 5
[checkpoint]
every = 5
`

// --overwrite removes nothing behind a link: that may be another run's.
func TestOverwriteStaysInItsFolder(t *testing.T) {
	for _, name := range []string{"", "fields", "checkpoints"} {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		trial{text: tiny, ranks: 1, dir: a}.must(t)
		before := bytesBelow(t, a)
		if name != "" {
			if err := os.Mkdir(b, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(a, name), filepath.Join(b, name)); err != nil {
			t.Fatal(err)
		}
		_, err := trial{text: tiny, ranks: 2, dir: b, overwrite: true}.run(t)
		if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), "is reached through a link") {
			t.Errorf("%q: %v", name, err)
		}
		compare(t, "after --overwrite through a link to "+name, bytesBelow(t, a), before)
	}
	// A link above the folder is the user's larger disk, and a table that is a link is replaced, not written through.
	dir := t.TempDir()
	a, b := filepath.Join(dir, "large/a"), filepath.Join(dir, "out/b")
	trial{text: tiny, ranks: 1, dir: a}.must(t)
	before := bytesBelow(t, a)
	if err := os.Symlink(filepath.Join(dir, "large"), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	trial{text: tiny, ranks: 1, dir: b}.must(t)
	if err := os.Remove(filepath.Join(b, "probe_p.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(a, "probe_p.csv"), filepath.Join(b, "probe_p.csv")); err != nil {
		t.Fatal(err)
	}
	trial{text: strings.Replace(tiny, "steps = 10", "steps = 4", 1), ranks: 1, dir: b, overwrite: true}.must(t)
	compare(t, "after --overwrite beside it", bytesBelow(t, a), before)
}

// A run overwrites neither its inputs nor files that no run has written.
func TestRunsSpareFiles(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "probe_p.csv")
	inlet := `
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.01, 0]
table = "` + table + `"
[boundary.out]
type = "outflow"
faces = ["x+"]
`
	for name, c := range map[string]struct{ text, file, holds, word string }{
		"an input":       {strings.Replace(tiny, `periodic = ["x", "y"]`, `periodic = ["y"]`, 1) + inlet, "probe_p.csv", "0,1\n9,1\n", "its input"},
		"another's file": {tiny, "probe_p.csv", "time,mine\n1,2\n", "is not an lbmsim table"},
		"another state":  {tiny, "status.json", "{\"mine\": 1}\n", "is not the state of a run"},
	} {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, []byte(c.holds), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := trial{text: c.text, ranks: 2, dir: dir, overwrite: true}.run(t)
		if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", name, err)
		}
		if b, _ := os.ReadFile(path); string(b) != c.holds {
			t.Errorf("%s was written over", name)
		}
		os.Remove(path)
	}
}

// bytesBelow returns the bytes of all files below a folder, except locks.
func bytesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != output.LockName {
			all[path] = contents(t, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(dir, err)
	}
	return all
}

// A table whose header describes its numbers differently from the case of a restart is set aside; a table that differs only in
// its schedule is continued.
func TestChangedTablesAreSetAside(t *testing.T) {
	text := driven + `
[run]
steps = 40
[checkpoint]
every = 20
[output.force.disc]
velocity = 0.01
length = 4.6
every = 1
[output.probe.p]
at = [3.5, 3.5]
every = 1
[output.line.l]
from = [0, 5]
to = [24, 5]
every = 10
[output.series.s]
quantities = ["max_speed"]
every = 1
`
	for _, c := range []struct{ old, new, file string }{
		{"length = 4.6", "length = 2.3", "force_disc.csv"},
		{"velocity = 0.01", "velocity = 0.02", "force_disc.csv"},
		{"length = 4.6", "length = 4.6\ndrag_direction = [0, 1]", "force_disc.csv"},
		{"length = 4.6", "length = 4.6\nof = [\"disc\", \"block\"]", "force_disc.csv"},
		{"length = 4.6", "length = 4.6\nstart = 30", "force_disc.csv"},
		{"at = [3.5, 3.5]", "at = [3.5, 6.5]", "probe_p.csv"},
		{"to = [24, 5]", "to = [24, 5.5]", "line_l.csv"},
		{"steps = 40", "steps = 50", ""},
		{"every = 1\n[output.probe", "every = 2\n[output.probe", ""},
	} {
		dir := t.TempDir()
		trial{text: text, ranks: 1, dir: dir}.must(t)
		if !strings.Contains(text, c.old) {
			t.Fatal(c.old)
		}
		s := trial{text: strings.Replace(text, c.old, c.new, 1), ranks: 2, dir: dir, restart: filepath.Join(dir, "checkpoints/checkpoint_000000000020.h5")}.must(t)
		aside, err := filepath.Glob(filepath.Join(dir, "*.before1"))
		if err != nil {
			t.Fatal(err)
		}
		if c.file == "" {
			if len(aside) > 0 {
				t.Errorf("%s: %v is set aside", c.new, aside)
			}
			continue
		}
		if len(aside) != 1 || filepath.Base(aside[0]) != c.file+".before1" || !strings.Contains(strings.Join(s.warned, "\n"), "starting a new table at step 20") {
			t.Errorf("%s: set aside %v, warned %q", c.new, aside, s.warned)
		}
		if steps := table(t, filepath.Join(dir, c.file))["step"]; len(steps) == 0 || steps[0] <= 20 {
			t.Errorf("%s: the new table begins with %v", c.new, steps)
		}
	}
}
