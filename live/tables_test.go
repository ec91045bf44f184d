// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tableOf writes a table of n rows and returns its path.
func tableOf(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "force_a.csv")
	var b strings.Builder
	b.WriteString("# case:\n# text, with a comma\nstep,time (s),\"drag, of all (N)\"\n")
	for k := range n {
		fmt.Fprintf(&b, "%d,%g,%g\n", k, float64(k)/10, float64(k)*2)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// steps returns the first column of rows.
func steps(t *testing.T, r rows) (list []int) {
	t.Helper()
	for _, line := range strings.Split(r.Text, "\n") {
		var step int
		var time, v float64
		if n, err := fmt.Sscanf(strings.ReplaceAll(line, ",", " "), "%d %g %g", &step, &time, &v); n != 3 || v != float64(2*step) {
			t.Fatalf("row %q: %v", line, err)
		}
		list = append(list, step)
	}
	return list
}

// Rows are complete, in order, each once, as the table grows, and are read again when it has been truncated.
func TestRowsOfAGrowingTable(t *testing.T) {
	path := tableOf(t, 10)
	r, err := readRows(path, 0, "")
	if err != nil || len(r.Columns) != 3 || r.Columns[2] != "drag, of all (N)" || len(steps(t, r)) != 10 || r.Thinned || r.Again {
		t.Fatalf("%+v %v", r, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, "10,1,20\n11,1.1,2") // the writer is in the middle of a row
	next, err := readRows(path, r.Next, "")
	if got := steps(t, next); err != nil || len(got) != 1 || got[0] != 10 {
		t.Fatalf("%v %v", got, err)
	}
	fmt.Fprint(f, "2\n")
	last, err := readRows(path, next.Next, "")
	if got := steps(t, last); err != nil || len(got) != 1 || got[0] != 11 {
		t.Fatalf("%v %v", got, err)
	}
	if none, err := readRows(path, last.Next, ""); err != nil || none.Text != "" || none.Next != last.Next {
		t.Errorf("%+v %v", none, err)
	}
	if err := os.Truncate(path, r.Next); err != nil { // a resumed run truncates rows
		t.Fatal(err)
	}
	if cut, err := readRows(path, last.Next, ""); err != nil || !cut.Again || len(steps(t, cut)) != 10 {
		t.Errorf("%+v %v", cut, err)
	}
}

// Of a long table rows at equal distances are shown, the first and the last among them, in the same time.
func TestRowsOfALongTable(t *testing.T) {
	for _, n := range []int{20_000, 600_000} {
		r, err := readRows(tableOf(t, n), 0, "")
		if err != nil {
			t.Fatal(err)
		}
		got := steps(t, r)
		if len(got) > mostRows+1 || len(got) < mostRows/3 || got[0] != 0 || got[len(got)-1] != n-1 || !r.Thinned {
			t.Errorf("%d of %d rows, from %d to %d", len(got), n, got[0], got[len(got)-1])
		}
		for k := 1; k < len(got); k++ {
			if d := got[k] - got[k-1]; d < 1 || d > 3*n/len(got) {
				t.Fatalf("row %d follows row %d", got[k], got[k-1])
			}
		}
	}
}

// A file shorter than its heading when it is read, and one that grows while it is sampled, give each row once.
func TestRowsOfATableThatGrowsMeanwhile(t *testing.T) {
	open := func(path string) (*os.File, int64) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return f, info.Size()
	}
	f, _ := open(tableOf(t, 10))
	for size := range int64(30) { // the heading has 63 bytes
		r, err := rowsOf(f, size, 0, "")
		if err != nil || r.Text != "" || r.Next < 30 {
			t.Fatalf("size %d: %+v %v", size, r, err)
		}
		if all, err := rowsOf(f, 1<<10, r.Next, r.Mark); err != nil || all.Again || len(steps(t, all)) != 10 {
			t.Fatalf("after size %d: %+v %v", size, all, err)
		}
	}
	path := filepath.Join(t.TempDir(), "force_a.csv")
	var b strings.Builder
	b.WriteString("step,time,v\n")
	for k := range 4000 {
		fmt.Fprintf(&b, "%d,%d.%01996d,%d\n", k, k, 0, 2*k) // longer than a sample's share of the file
	}
	text := b.String()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, whole := open(path)
	for size := int64(mostWhole + 1000); size < mostWhole+8000; size += 500 {
		r, err := rowsOf(f, size, 0, "")
		if err != nil || !r.Thinned || r.Next < size-2*longestRow || r.Next > whole || text[r.Next-1] != '\n' {
			t.Fatalf("size %d: next %d, %v", size, r.Next, err)
		}
		got := steps(t, r)
		for k := 1; k < len(got); k++ {
			if got[k] <= got[k-1] {
				t.Fatalf("size %d: row %d follows row %d", size, got[k], got[k-1])
			}
		}
	}
}

// A table that was truncated or replaced and is longer again than a viewer's copy is read from its beginning.
func TestRowsOfATableThatWasCut(t *testing.T) {
	path := tableOf(t, 100)
	before, err := readRows(path, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	same, err := readRows(path, before.Next, before.Mark)
	if err != nil || same.Again || same.Text != "" || same.Mark != before.Mark {
		t.Fatalf("%+v %v", same, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := strings.Index(string(text), "\n50,") + 1
	cut := string(text[:half])
	for k := 50; k < 400; k += 2 { // it resumes with other intervals
		cut += fmt.Sprintf("%d,%g,%g\n", k, float64(k)/10, float64(k)*2)
	}
	for what, now := range map[string]string{"cut": cut, "replaced": strings.Replace(string(text), "# text", "# TEXT", 1)} {
		if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := readRows(path, before.Next, before.Mark)
		if want := strings.Count(now, "\n") - 3; err != nil || !r.Again || len(steps(t, r)) != want {
			t.Errorf("%s: again %v, %d rows, want %d: %v", what, r.Again, len(steps(t, r)), want, err)
		}
	}
}

// A folder with more tables or series of pictures than the page can show reports how many are omitted.
func TestTablesLeftOut(t *testing.T) {
	dir := t.TempDir()
	for k := range mostTables + 7 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("series_%d.csv", k)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for k := range mostSeries + 5 {
		for step := range 2 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("cut%d_%010d.png", k, step)), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if f := list(dir); len(f.Tables) != mostTables || f.LeftOut != 7 || len(f.Pictures) != mostSeries || f.Undrawn != 5 {
		t.Errorf("%d tables and %d left out, %d series of pictures and %d left out", len(f.Tables), f.LeftOut, len(f.Pictures), f.Undrawn)
	}
}

func TestTablesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "comments": "# a\n", "binary": strings.Repeat("\x00", 1<<20)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := readRows(path, 0, ""); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A folder lists its tables and its pictures by series, the last ones in the order of their steps.
func TestListing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"force_a.csv", "series_b.csv", "probe_c.csv", "profile_d.csv", "status.json", "speed_0000000010.png", "speed_0000000005.png", "cut_a_10000000000.png", "speed_12.png", ".speed_0000000020.png.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 2 * mostPictures {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("many_%010d.png", k)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f := list(dir)
	var names []string
	for _, t := range f.Tables {
		names = append(names, t.Name)
	}
	if got := fmt.Sprint(names); got != "[force_a.csv probe_c.csv series_b.csv]" {
		t.Errorf("%s", got)
	}
	speed, _ := f.find("speed")
	cut, _ := f.find("cut_a")
	many, _ := f.find("many")
	if fmt.Sprint(speed.Steps, cut.Steps) != "[5 10] [10000000000]" || len(f.Pictures) != 3 {
		t.Errorf("%+v", f.Pictures)
	}
	if many.Count != 2*mostPictures || len(many.Steps) != mostPictures || many.Steps[mostPictures-1] != 2*mostPictures-1 {
		t.Errorf("%d of %d steps", len(many.Steps), many.Count)
	}
	if path, ok := picturePath(dir, cut, 10000000000); !ok || filepath.Base(path) != "cut_a_10000000000.png" {
		t.Errorf("%s %v", path, ok)
	}
	if f := list(filepath.Join(dir, "none")); len(f.Tables)+len(f.Pictures) > 0 {
		t.Errorf("%+v", f)
	}
}
