// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package probe

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var header = Header{
	Comments: []string{"lbmsim test", "case:\n  name = \"a\"\n"},
	Position: [3]float64{0.1, 2, -3e-9},
	Columns:  []Column{{"density", "kg/m^3"}, {"velocity x", "m/s"}, {"odd, name", ""}},
}

func sample(t *testing.T, w *Writer, lo, hi int64) {
	t.Helper()
	for s := lo; s < hi; s += 10 {
		if err := w.Append(s, float64(s)*0.1, 1+float64(s)/3, math.Sin(float64(s)), math.NaN()); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRestartedSeriesIsTheUninterruptedOne(t *testing.T) {
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "cut.csv")
	w, err := Create(whole, header)
	if err != nil {
		t.Fatal(err)
	}
	sample(t, w, 0, 5000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	w, err = Create(cut, header)
	if err != nil {
		t.Fatal(err)
	}
	sample(t, w, 0, 2000)
	length, err := w.Sync()
	if err != nil {
		t.Fatal(err)
	}
	if w.Step() != 1990 {
		t.Errorf("last step %d", w.Step())
	}
	sample(t, w, 2000, 3000) // lost: the run ends before the next checkpoint
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err = Resume(cut, header, length, 2000)
	if err != nil {
		t.Fatal(err)
	}
	sample(t, w, 2000, 5000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if read(t, whole) != read(t, cut) {
		t.Error("the restarted series differs")
	}
}

func TestTheTableReadsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	w, err := Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	sample(t, w, 0, 30)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(read(t, path)))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], "|"); got != "step|time (s)|x (m)|y (m)|z (m)|density (kg/m^3)|velocity x (m/s)|odd, name" {
		t.Error(got)
	}
	if v, _ := strconv.ParseFloat(rows[2][6], 64); v != math.Sin(10) {
		t.Errorf("%s is not sin(10)", rows[2][6])
	}
	if rows[3][4] != "-3e-09" || len(rows) != 4 {
		t.Error(rows)
	}
	if err := w.Append(1, 2, 3); err == nil {
		t.Error("a row with too few values was taken")
	}
}

// A table of blocks continues after the last whole one, however long it is, and is the same as
// without the interruption.
func TestBlocksOfRows(t *testing.T) {
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "cut.csv")
	h := header
	h.Nowhere = true
	blocks := func(w *Writer, lo, hi int64) {
		for s := lo; s < hi; s++ {
			var rows []float64
			for i := range 2000 {
				rows = append(rows, float64(i), math.Sin(float64(s)*float64(i)), 0)
			}
			if err := w.Add(s, float64(s)/3, rows...); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := Create(whole, h)
	if err != nil {
		t.Fatal(err)
	}
	blocks(w, 0, 80)
	if cap(w.rows) > held+held/2 {
		t.Errorf("%d bytes are kept of rows that could be written", cap(w.rows))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = Create(cut, h); err != nil {
		t.Fatal(err)
	}
	blocks(w, 0, 50)
	length, err := w.Sync()
	if err != nil {
		t.Fatal(err)
	}
	if length < 2*longest {
		t.Fatalf("%d bytes are no long table", length)
	}
	blocks(w, 50, 60)
	w.Close()
	if w, err = Resume(cut, h, length, 49); err != nil {
		t.Fatal(err)
	}
	if w.Step() != 49 {
		t.Errorf("the last block is of step %d", w.Step())
	}
	blocks(w, 50, 80)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, whole)
	if got != read(t, cut) {
		t.Error("the restarted table differs")
	}
	if n := strings.Count(got, "\n79,26.333333333333332,"); n != 2000 {
		t.Errorf("the last block has %d rows", n)
	}
}

func TestResumeRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	w, err := Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	sample(t, w, 0, 100)
	length, err := w.Sync()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	before := read(t, path)
	other := header
	other.Columns = other.Columns[:2]
	for _, c := range []struct {
		name         string
		path         string
		h            Header
		length, step int64
		word         string
	}{
		{"gone", filepath.Join(dir, "b.csv"), header, length, 90, "no such file"},
		{"cut", path, header, length + 1, 90, "bytes instead of"},
		{"columns", path, other, length, 90, "columns"},
		{"inside a row", path, header, length - 1, 90, "end of a row"},
		{"before the headings", path, header, 3, 90, "end of a row"},
		{"nothing", path, header, 0, 90, "end of a row"},
		{"later rows", path, header, length, 80, "extend to step"},
	} {
		w, err := Resume(c.path, c.h, c.length, c.step)
		if err == nil {
			w.Close()
			t.Errorf("%s: taken", c.name)
		} else if !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", c.name, err)
		}
		if gone := c.name == "gone"; errors.Is(err, fs.ErrNotExist) != gone || errors.Is(err, ErrOther) == gone {
			t.Errorf("%s: %v is another kind of error", c.name, err)
		}
	}
	if read(t, path) != before {
		t.Error("a refused file was changed")
	}
}

func TestFullDiskIsReported(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	_, err := Create("/dev/full", header)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}

func TestCutRemovesLaterRows(t *testing.T) {
	dir := t.TempDir()
	short, cut := filepath.Join(dir, "short.csv"), filepath.Join(dir, "cut.csv")
	for path, last := range map[string]int64{short: 40, cut: 100} {
		w, err := Create(path, header)
		if err != nil {
			t.Fatal(err)
		}
		sample(t, w, 0, last)
		if err := w.Cut(39); err != nil {
			t.Fatal(err)
		}
		if w.Step() != 30 {
			t.Errorf("%s goes to step %d", path, w.Step())
		}
		sample(t, w, 40, 50)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, short) != read(t, cut) {
		t.Error("rows of later steps are left")
	}
}
