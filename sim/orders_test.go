package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// endless is a run that ends when it is told to.
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

// A run writes a checkpoint and goes on, then ends, as it is asked to.
func TestOrders(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, checkpointDir, "*")
	put(t, filepath.Join(dir, saveOrder))
	go func() {
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
			if found, _ := filepath.Glob(saved); len(found) > 0 {
				break
			}
		}
		put(t, filepath.Join(dir, stopOrder))
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

func TestOrderThatCannotBeObeyed(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, saveOrder))
	put(t, filepath.Join(dir, stopOrder))
	s := trial{text: endless(""), ranks: 1, dir: dir}.must(t)
	if s.summary.Reason != ordered || !strings.Contains(strings.Join(s.warned, "\n"), "no [checkpoint]") {
		t.Errorf("%q, warned %q", s.summary.Reason, s.warned)
	}
}
