// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package compare

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/internal/raw"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/sim/output"
)

// write makes a file of one scalar and one vector field of 3 x 2 x 2 cells.
func write(t *testing.T, text string, change func(scalar, vector []float64)) string {
	t.Helper()
	n := [3]int{3, 2, 2}
	scalar, vector := make([]float64, 12), make([]float64, 36)
	for i := range vector {
		vector[i] = float64(i) - 20
		scalar[i/3] = 1 + float64(i/3)
	}
	if change != nil {
		change(scalar, vector)
	}
	var c comm.Comm
	for _, c = range comm.Local(1) {
	}
	s := fields.Series{Dir: t.TempDir(), Name: "f"}
	p, err := s.Begin(c, nil, decomp.Box{Hi: n}, fields.Grid{N: n, Spacing: 1}, []fields.Field{
		{Name: "pressure", Unit: "Pa", Components: 1, Type: fields.Float64}, {Name: "velocity", Unit: "m/s", Components: 3, Type: fields.Float64},
	}, fields.Meta{Case: text, Version: "v", Step: 7, Time: 0.5, Provenance: output.Provenance{Legs: []output.Leg{{Version: "v", Ranks: 1}}}.String()})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range [][]float64{scalar, vector} {
		if err := p.Write(i, 0, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Commit(nil); err != nil {
		t.Fatal(err)
	}
	return s.Path(7)
}

// writeLevels makes a file of a refined grid, of one value in all cells but one: the third of the second box of level 1.
func writeLevels(t *testing.T, other float64, hi int) string {
	t.Helper()
	box := func(lo, hi int) decomp.Box { return decomp.Box{Lo: [3]int{lo, 2, 0}, Hi: [3]int{hi, 4, 1}} }
	l := fields.Levels{Spacing: 1, Boxes: [][]decomp.Box{{{Hi: [3]int{8, 4, 1}}}, {box(2, 6), box(8, hi)}}}
	boxes := []decomp.Box{l.Boxes[0][0], l.Boxes[1][0], l.Boxes[1][1]}
	s := fields.Series{Dir: t.TempDir(), Name: "f"}
	p, err := s.BeginLevels(comm.Serial(), nil, boxes, l, []fields.Field{{Name: "pressure", Unit: "Pa", Components: 1, Type: fields.Float64}},
		fields.Meta{Step: 7, Provenance: output.Provenance{Legs: []output.Leg{{Version: "v", Ranks: 1}}}.String()})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range boxes {
		v := slices.Repeat([]float64{2}, b.Cells())
		if i == 2 {
			v[2] = other
		}
		if err := p.WriteBox(i, 0, 0, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Commit(nil); err != nil {
		t.Fatal(err)
	}
	return s.Path(7)
}

func TestLevelsAreCompared(t *testing.T) {
	a := writeLevels(t, 2, 12)
	if d := files(t, a, writeLevels(t, 2, 12)).Differences; len(d) != 1 || d[0].Differ != 0 || d[0].Numbers != 32+8+8 {
		t.Errorf("equal: %+v", d)
	}
	if d := files(t, a, writeLevels(t, 3, 12)).Differences; len(d) != 1 || d[0].Differ != 1 || d[0].Max != 1 || d[0].Where != "cell (2, 0, 0) of box 1 of level 1" {
		t.Errorf("one cell: %+v", d)
	}
	if r := files(t, a, writeLevels(t, 2, 14)); r.Note != "the grids differ: [8 4 1] cells, 2 boxes of level 1 with 16 cells / [8 4 1] cells, 2 boxes of level 1 with 20 cells" {
		t.Error(r.Note)
	}
}

func files(t *testing.T, a, b string) *Report {
	t.Helper()
	r, err := Files(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFieldsAreCompared(t *testing.T) {
	a := write(t, "x = 1\n", nil)
	if r := files(t, a, write(t, "x = 1\n", nil)); !r.Same() || len(r.Differences) != 2 || r.Differences[1].Numbers != 36 || r.Steps != [2]int{7, 7} || len(r.Case)+len(r.Means) > 0 {
		t.Errorf("equal files: %+v", r)
	}
	r := files(t, a, write(t, "x = 2\n", func(_, v []float64) { v[3*8+1] += 2; v[0]++ }))
	p := r.Differences[1]
	if r.Same() || !r.Differences[0].same() || p.Differ != 2 || p.Max != 2 || p.Where != "cell (2, 0, 1), component 1" || p.A != 5 || p.B != 7 || p.Linf != 2.0/19 {
		t.Errorf("two numbers: %+v", r)
	}
	if want := math.Sqrt(5.0 / (norm2(-20, 15) - 400 + 19*19 - 25 + 49)); math.Abs(p.L2-want) > 1e-15 {
		t.Errorf("L2 %g, want %g", p.L2, want)
	}
	if r.Within(0.1) || !r.Within(0.11) || len(r.Case) != 1 {
		t.Errorf("tolerance, case: %+v", r)
	}
}

func (p Difference) same() bool { return p.Differ == 0 }

// norm2 returns the sum of the squares of the integers from a to b.
func norm2(a, b int) (sum float64) {
	for ; a <= b; a++ {
		sum += float64(a * a)
	}
	return sum
}

// NaN is not within any tolerance, unless both files have it.
func TestNumbersThatAreNone(t *testing.T) {
	nan := func(s, _ []float64) { s[4] = math.NaN() }
	a, b := write(t, "", nan), write(t, "", nil)
	if r := files(t, a, write(t, "", nan)); !r.Same() {
		t.Errorf("NaN in both: %+v", r)
	}
	r := files(t, a, b)
	if p := r.Differences[0]; r.Within(1e9) || p.Lost != 1 || p.Where != "cell (1, 1, 0)" || p.B != 5 {
		t.Errorf("NaN in one: %+v", r)
	}
	if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `"a":"NaN"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestTablesAreCompared(t *testing.T) {
	dir := t.TempDir()
	table := func(name, rows string) string {
		path := filepath.Join(dir, name)
		text := "# lbmsim v1\n# a.toml\n# \n# provenance: {\"legs\":[]}\n# case:\n# [run]\n# steps = 3\n" + rows
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := table("a.csv", "step,time,u\n1,0.1,4\n2,0.2,5\n")
	if o, err := Open(a); err != nil || o.Version != "v1" || o.Case != "[run]\nsteps = 3\n" || o.Step != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	if r := files(t, a, table("b.csv", "step,time,u\n1,0.1,4\n2,0.2,5.5\n")); r.Same() || r.Differences[2].Where != "row 2, step 2" || r.Differences[2].Differ != 1 || !r.Differences[0].same() {
		t.Errorf("%+v", r)
	}
	if r := files(t, a, table("c.csv", "step,time,u\n1,0.1,4\n")); r.Within(1) || r.Note == "" || len(r.Differences) != 3 {
		t.Errorf("%+v", r)
	}
	if r := files(t, a, table("d.csv", "step,time,v\n1,0.1,4\n")); r.Within(1) || r.Note == "" {
		t.Errorf("%+v", r)
	}
	line := "step,time,distance (m),u\n1,0.1,0,4\n1,0.1,0.5,5\n2,0.2,0,6\n2,0.2,0.5,%s\n" // two blocks
	if r := files(t, table("e.csv", strings.Replace(line, "%s", "7", 1)), table("f.csv", strings.Replace(line, "%s", "8", 1))); r.Same() || r.Steps != [2]int{2, 2} || r.Differences[3].Where != "row 4, step 2, distance (m) 0.5" {
		t.Errorf("%+v", r)
	}
	quoted := "step,\"body, \"\"left\"\" pressure_x (N)\",u\n1,0.1,%s\n" // the name of a solid with a comma
	if r := files(t, table("g.csv", strings.Replace(quoted, "%s", "7", 1)), table("h.csv", strings.Replace(quoted, "%s", "8", 1))); len(r.Differences) != 3 || r.Differences[1].Name != `body, "left" pressure_x (N)` || r.Differences[2].Differ != 1 {
		t.Errorf("%+v", r)
	}
	for rows, want := range map[string]string{
		"":                          "has no columns",
		"step,u\n1\n":               "d.csv:9: 1 values in 2 columns",
		"step,u\n1,x\n":             "invalid syntax",
		"step,\"u\n1,2\n":           "d.csv:8: the names of columns: ",
		"step,u\n# more\n":          "a comment between rows",
		"step,u\n1," + big() + "\n": "too long",
	} {
		if _, err := Files(a, table("d.csv", rows)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", rows, err, want)
		}
	}
}

func big() string { return strings.Repeat("1", 17<<20) }

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"a.txt":  {"hello", "is neither a case"},
		"a.csv":  {"1,2\n", "is neither a case"},
		"a.toml": {"cells = ", "error"},
		"a.hdf":  {"\x89HDF\r\n\x1a\n", "open the fields"},
		"a.h5":   {"LBMSIMCP", "truncated"},
		"a.png":  {"\x89PNG\r\n\x1a\n", "truncated"},
		"b.csv":  {"# lbmsim v\n# case:\nstep,u\n1,2\n", "the provenance cannot be read"},
		"empty":  {"", "is neither a case"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there was opened")
	}
	if _, _, err := Folders(t.TempDir(), t.TempDir()); err == nil {
		t.Error("two empty folders were compared")
	}
}

// Files of different kinds have cases to compare.
func TestKindsDiffer(t *testing.T) {
	r := files(t, write(t, "[a]\nx = 1\nsha256 = \"0\"\n", nil), filepath.Join("..", "..", "cases", "examples", "cavity.toml"))
	if r.Kind != "" || r.Same() || len(r.Case) == 0 || strings.Contains(strings.Join(r.Case, "\n"), "sha256") {
		t.Errorf("%+v", r)
	}
}

// An unreadable file does not prevent the comparison of the others.
func TestFoldersWithAForeignFile(t *testing.T) {
	a, b := filepath.Dir(write(t, "", nil)), filepath.Dir(write(t, "", func(s, _ []float64) { s[0] = math.Copysign(0, -1) }))
	for _, dir := range []string{a, b} {
		if err := os.WriteFile(filepath.Join(dir, "notes.csv"), []byte("1,2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(b, "more.csv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	reports, only, err := Folders(a, b)
	if err == nil || !strings.Contains(err.Error(), "notes.csv is neither") || len(reports) != 1 || len(only) != 1 {
		t.Errorf("%v, %v, %v", reports, only, err)
	}
	if p := reports[0].Differences[0]; reports[0].Same() || p.Differ != 1 || p.A != 1 || p.Where != "cell (0, 0, 0)" {
		t.Errorf("%+v", p)
	}
	if _, err := Open(a); err == nil {
		t.Error("a folder was opened as a file")
	}
}

// writeState makes a checkpoint of 4 x 2 cells at a path, whose values are all the same, with the extra data of a run or without.
func writeState(t *testing.T, dir string, value float64, extra string) string {
	t.Helper()
	h := checkpoint.Header{Spec: "D2Q9", Version: "v", Step: 7, N: [3]int{4, 2, 1}, Planes: 2, Rows: 1, Components: 1, Pitch: 4, Bytes: 8}
	if extra != "" {
		h.Extra = []byte(extra)
	}
	p, err := checkpoint.Begin(comm.Serial(), dir, h, checkpoint.Extent{Planes: [2]int{0, 2}, Rows: [2]int{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	values := slices.Repeat([]float64{value}, 8)
	if err := errors.Join(p.Write(0, raw.Bytes(values)), p.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(0, nil); err != nil {
		t.Fatal(err)
	}
	return checkpoint.Path(dir, h.Step)
}

// Checkpoints of refined grids are compared in all levels: those that differ in a finer one alone, or lack it, are not the same.
func TestCheckpointsOfRefinedGrids(t *testing.T) {
	state := func(finer float64, there bool) (path, dir string) {
		dir = t.TempDir()
		path = writeState(t, filepath.Join(dir, output.CheckpointDir), 1, "{}")
		if there {
			writeState(t, filepath.Join(dir, output.CheckpointDir, output.LevelDir, "level1_box1"), finer, "")
		}
		return path, dir
	}
	a, inA := state(1, true)
	levels, err := output.PatchFiles(a)
	if err != nil || len(levels) != 1 {
		t.Fatal(levels, err)
	}
	if _, err := Open(levels["level1_box1"]); err == nil || !strings.Contains(err.Error(), "give the checkpoint itself") {
		t.Errorf("a level by itself: %v", err)
	}
	for _, c := range []struct {
		finer       float64
		there, same bool
	}{{1, true, true}, {2, true, false}, {0, false, false}} {
		b, inB := state(c.finer, c.there)
		for _, r := range []*Report{files(t, a, b), files(t, b, a)} {
			if r.Same() != c.same || c.there && (len(r.Differences) != 2 || r.Differences[1].Name != "level1_box1 state 0") || !c.there && !strings.Contains(r.Note, "level1_box1") {
				t.Errorf("%+v: %+v", c, r)
			}
		}
		reports, only, err := Folders(inA, inB)
		if err != nil || len(reports) != 1 || len(only) != 0 || reports[0].Same() != c.same {
			t.Errorf("folders, %+v: %+v, %v, %v", c, reports, only, err)
		}
	}
}
