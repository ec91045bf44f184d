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
