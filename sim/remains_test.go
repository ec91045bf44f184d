package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who asks for nothing removes nothing.
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

// found are checkpoints and files of fields.
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

// What begins anew on purpose removes the tables that the case no longer writes, and nothing of anybody else.
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
		"probe_copy.csv":        read("probe_p.csv"), // of somebody who compares runs
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
