package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place writes files below a folder.
func place(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A start removes nothing that only looks like the report of an unstable run.
func TestUsersBlowupStays(t *testing.T) {
	dir := t.TempDir()
	mine := map[string]string{"blowup/notes.txt": "a", "blowup/sub/blowup_0000000001.hdf": "b", ".mine.part": "c"}
	place(t, dir, mine)
	place(t, dir, map[string]string{".speed_0000000010.png.part": ""})
	trial{text: tiny, ranks: 1, dir: dir, keep: true}.must(t)
	trial{text: tiny, ranks: 1, dir: dir, overwrite: true}.must(t)
	for name, text := range mine {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".speed_0000000010.png.part")); err == nil {
		t.Error("a picture of a killed run stays")
	}
}

// The report of an unstable run counts as results: only --overwrite removes it, and only its own files.
func TestBlowupCountsAsResults(t *testing.T) {
	dir := t.TempDir()
	unstable := strings.Split(broken["tau"].text, "[output")[0] + "[output.picture]\n"
	_, _ = blowup(t, trial{text: unstable, ranks: 1, dir: dir})
	pictures, _ := filepath.Glob(filepath.Join(dir, "*.png"))
	for _, path := range pictures {
		os.Remove(path)
	}
	for range 3 {
		before := bytesBelow(t, dir)
		_, err := trial{text: tiny, ranks: 2, dir: dir, keep: true}.run(t)
		if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), "holds the results") || !strings.Contains(err.Error(), "blowup") {
			t.Errorf("%v", err)
		}
		compare(t, "after a start without --overwrite", bytesBelow(t, dir), before)
		for _, name := range []string{"blowup.json", "blowup.txt"} { // each alone counts
			if os.Remove(filepath.Join(dir, name)) == nil {
				break
			}
		}
	}
	_, _ = blowup(t, trial{text: unstable, ranks: 1, dir: dir, overwrite: true})
	place(t, dir, map[string]string{"blowup/notes.txt": "mine"})
	trial{text: tiny, ranks: 2, dir: dir, overwrite: true}.must(t)
	left, _ := filepath.Glob(filepath.Join(dir, "blowup*", "*"))
	if len(left) != 1 || filepath.Base(left[0]) != "notes.txt" {
		t.Errorf("--overwrite left %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "blowup.*")); len(left) > 0 {
		t.Errorf("--overwrite left %v", left)
	}
}
