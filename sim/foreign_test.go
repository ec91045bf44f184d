// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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

// A start keeps files that only resemble the report of an unstable run.
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
		if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), "contains the results") || !strings.Contains(err.Error(), "blowup") {
			t.Errorf("%v", err)
		}
		compare(t, "after a start without --overwrite", bytesBelow(t, dir), before)
		for _, name := range []string{"blowup.json", "blowup.txt"} { // each one counts
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

// A file with the name of an output that no run wrote is kept, and no other file is removed before.
func TestOverwriteSparesForeignFiles(t *testing.T) {
	text := strings.Replace(tiny, "[output.fields]\nevery = 5", "[output.fields]\nevery = 5\nfiles = 2", 1) +
		"[output.picture]\n[output.averages]\n[output.series.s]\nquantities = [\"max_speed\"]\n"
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	before := bytesBelow(t, dir)
	for _, name := range []string{
		"speed_0000000099.png/sub/a", "speed_0000000099.png", "series_s.csv/a", "fields/fields_0000000099.hdf/a", "fields/fields_0000000099.hdf",
		"fields/fields_0000000010.parts/mine", "fields/fields_0000000010.parts/sub/a", "fields/fields_0000000010.parts/099.hdf", "checkpoints/checkpoint_000000000099.h5/a", "checkpoints/checkpoint_000000000099.h5",
		"averages/averages_0000000099.hdf/a", "blowup.txt", "blowup.json/a",
	} {
		table := contents(t, filepath.Join(dir, "series_s.csv"))
		if strings.HasPrefix(name, "series") {
			os.Remove(filepath.Join(dir, "series_s.csv"))
			delete(before, filepath.Join(dir, "series_s.csv"))
		}
		place(t, dir, map[string]string{name: "mine\n"})
		_, err := trial{text: text, ranks: 2, dir: dir, overwrite: true}.run(t)
		if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), "is not a") {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != "mine\n" {
			t.Errorf("%s is lost", name)
		}
		os.Remove(filepath.Join(dir, name))
		for up := filepath.Dir(name); os.Remove(filepath.Join(dir, up)) == nil; up = filepath.Dir(up) {
		}
		compare(t, name, bytesBelow(t, dir), before)
		place(t, dir, map[string]string{"series_s.csv": string(table)})
		before[filepath.Join(dir, "series_s.csv")] = table
	}
	place(t, dir, map[string]string{"speed_0000000099.notes.txt": "mine"})
	trial{text: text, ranks: 2, dir: dir, overwrite: true}.must(t)
	contents(t, filepath.Join(dir, "speed_0000000099.notes.txt"))
}

// An index that no run wrote is kept, also in a folder without results.
func TestForeignIndicesStay(t *testing.T) {
	for _, name := range []string{"fields/fields.xdmf", "fields/fields.hdf.series"} {
		for _, overwrite := range []bool{false, true} {
			dir := t.TempDir()
			place(t, dir, map[string]string{name: "<mine/>"})
			_, err := trial{text: tiny, ranks: 2, dir: dir, keep: !overwrite, overwrite: overwrite}.run(t)
			if code, _ := ExitCode(err); code != ExitUsage || !strings.Contains(err.Error(), "is not an lbmsim index") {
				t.Errorf("%s: %v", name, err)
			}
			if got := contents(t, filepath.Join(dir, name)); string(got) != "<mine/>" {
				t.Errorf("%s is lost", name)
			}
		}
	}
}
