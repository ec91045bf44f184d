// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/io/internal/joint"
)

// The numbers in all tests: a value of each cell that is exact in float32;
// testdata/expected.py has the same.
func value(x, y, z, c int) float64 {
	return 0.5*float64(x) + 7*float64(y) + 101*float64(z) + 0.25*float64(c)
}

var testFields = []Field{
	{"density", "kg/m^3", 1, Float64},
	{"velocity", "m/s", 3, Float32},
	{"solid", "", 1, Uint8},
}

func testGrid(flat bool) Grid {
	g := Grid{N: [3]int{7, 5, 6}, Origin: [3]float64{0.5, 1.5, -2}, Spacing: 0.25}
	if flat {
		g.N = [3]int{9, 6, 1}
	}
	return g
}

var testMeta = Meta{Case: "[domain]\nname = \"µ\"\n", Version: "test 1", Step: 120, Time: 0.75, Samples: 3, First: 40, Last: 120}

// slab returns rank's part of n ranks; with more ranks than planes some are empty.
func slab(g Grid, rank, n int) decomp.Box {
	b := decomp.Box{Hi: g.N}
	a := g.axis()
	b.Lo[a], b.Hi[a] = g.N[a]*rank/n, g.N[a]*(rank+1)/n
	return b
}

// fill is the bytes of a field in a box.
func content(f Field, b decomp.Box) []byte {
	var out []byte
	for z := b.Lo[2]; z < b.Hi[2]; z++ {
		for y := b.Lo[1]; y < b.Hi[1]; y++ {
			for x := b.Lo[0]; x < b.Hi[0]; x++ {
				for c := 0; c < f.Components; c++ {
					v := value(x, y, z, c)
					switch f.Type {
					case Float32:
						out = binary.NativeEndian.AppendUint32(out, math.Float32bits(float32(v)))
					case Float64:
						out = binary.NativeEndian.AppendUint64(out, math.Float64bits(v))
					case Uint8:
						out = append(out, uint8((x+2*y+3*z)%7))
					}
				}
			}
		}
	}
	return out
}

// put writes all fields of a rank, plane by plane in several goroutines.
func put(p *Pending, g Grid, box decomp.Box) error {
	var wg sync.WaitGroup
	errs := make([]error, len(testFields))
	for i, f := range testFields {
		wg.Add(1)
		go func() {
			defer wg.Done()
			data, n := content(f, box), box.Size()[g.axis()]
			for k := 0; k < n; k++ {
				if err := p.Write(i, k, data[k*len(data)/n:(k+1)*len(data)/n]); err != nil {
					errs[i] = err
				}
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func writeFile(s Series, ranks int, flat bool, m Meta) error {
	g := testGrid(flat)
	return writeBoxes(s, g, ranks, m, func(rank int) decomp.Box { return slab(g, rank, ranks) })
}

func writeBoxes(s Series, g Grid, ranks int, m Meta, boxOf func(rank int) decomp.Box) error {
	return comm.RunLocal(ranks, func(c comm.Comm) error {
		box := boxOf(c.Rank())
		p, err := s.Begin(c, nil, box, g, testFields, m)
		if err != nil {
			return err
		}
		if err := put(p, g, box); err != nil {
			return err
		}
		return p.Commit(nil)
	})
}

func names() (n []string) {
	for _, f := range testFields {
		n = append(n, f.Name)
	}
	return n
}

func TestAnyNumberOfRanksWritesTheSameFile(t *testing.T) {
	for _, flat := range []bool{false, true} {
		for _, files := range []int{1, 4, 100} {
			first := ""
			for _, ranks := range []int{1, 2, 3, 5} {
				s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
				if err := writeFile(s, ranks, flat, testMeta); err != nil {
					t.Fatalf("%d ranks: %v", ranks, err)
				}
				if err := Verify(s.Path(120), names()...); err != nil {
					t.Error(err)
				}
				wrote, n := contents(t, s)
				if want := 1 + len(s.shares(6)); n != want {
					t.Errorf("%d files instead of %d", n, want)
				}
				if first == "" {
					first = wrote
				} else if first != wrote {
					t.Errorf("flat %v, %d files: what %d ranks write differs from what one does", flat, files, ranks)
				}
			}
		}
	}
}

// contents returns all files of step 120 concatenated, and their number.
func contents(t *testing.T, s Series) (all string, n int) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(s.Dir, s.Name+"_0000000120.parts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(parts, s.Path(120)) {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	return all, len(parts) + 1
}

// So do ranks that share planes: pencils.
func TestPencilsWriteTheSameFile(t *testing.T) {
	g := testGrid(false)
	whole := Series{Dir: t.TempDir(), Name: "flow"}
	if err := writeFile(whole, 1, false, testMeta); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(whole.Path(120))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range [][2]int{{2, 1}, {5, 1}, {2, 3}, {3, 6}} {
		plan, err := decomp.Pencils(g.N, [3]bool{}, cut[0], cut[1])
		if err != nil {
			t.Fatal(err)
		}
		s, split := Series{Dir: t.TempDir(), Name: "flow"}, Series{Dir: t.TempDir(), Name: "flow", Files: 3}
		for _, s := range []Series{s, split} {
			if err := writeBoxes(s, g, plan.Ranks(), testMeta, plan.Box); err != nil {
				t.Fatalf("%v parts: %v", cut, err)
			}
			if err := Verify(s.Path(120), names()...); err != nil {
				t.Error(err)
			}
		}
		if got, err := os.ReadFile(s.Path(120)); err != nil || string(got) != string(want) {
			t.Errorf("the file of %v parts differs from the file of one (%v)", cut, err)
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	for _, files := range []int{1, 3} {
		s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
		if err := writeFile(s, 2, false, testMeta); err != nil {
			t.Fatal(err)
		}
		path := s.Path(120)
		if files > 1 {
			path = filepath.Join(s.Dir, s.part(120, 1)) // planes 2 and 3 of 6
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plane := content(testFields[1], slab(testGrid(false), 2, 6))
		at := strings.Index(string(b), string(plane))
		if at < 0 {
			t.Fatal("plane 2 of the velocity is not in the file as one piece")
		}
		b[at+5] ^= 1
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Verify(s.Path(120), names()...); err == nil || !strings.Contains(err.Error(), `plane 2 of field "velocity"`) {
			t.Error(err)
		}
		if files == 1 {
			continue
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := Verify(s.Path(120), names()...); err == nil || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
	}
}

// A step that is written again has no files of the first time beside its own, and what a
// killed run left is removed.
func TestPartsAreReplaced(t *testing.T) {
	s := Series{Dir: t.TempDir(), Name: "flow", Files: 5}
	for _, s.Files = range []int{5, 2, 1} {
		if err := writeFile(s, 2, false, testMeta); err != nil {
			t.Fatal(err)
		}
		if err := Verify(s.Path(120), names()...); err != nil {
			t.Error(err)
		}
		if _, n := contents(t, s); n != 1+len(s.shares(6)) {
			t.Errorf("%d files for %d", n, s.Files)
		}
	}
	s.Files = 2
	if err := writeFile(s, 2, false, testMeta); err != nil {
		t.Fatal(err)
	}
	left := joint.Part(filepath.Join(s.Dir, s.part(120, 1)))
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(comm.Serial(), -1, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a killed run's temporary file is left")
	}
}

func readIndex(t *testing.T, s Series) string {
	t.Helper()
	x, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, e := range x.Files {
		out += fmt.Sprintf("%s@%g ", e.Name, e.Time)
	}
	return out
}

func TestTheIndexFollowsRestarts(t *testing.T) {
	s := Series{Dir: t.TempDir(), Name: "flow"}
	c := comm.Serial()
	step := func(n int64) {
		t.Helper()
		if err := writeFile(s, 1, true, Meta{Step: n, Time: float64(n) / 10}); err != nil {
			t.Fatal(err)
		}
	}
	rewind := func(n int64) {
		t.Helper()
		if err := s.Rewind(c, n, true); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		if got := readIndex(t, s); got != want {
			t.Errorf("index %q, want %q", got, want)
		}
	}
	rewind(-1)
	step(10)
	step(20)
	step(30)
	expect("flow_0000000010.hdf@1 flow_0000000020.hdf@2 flow_0000000030.hdf@3 ")
	rewind(20)
	expect("flow_0000000010.hdf@1 flow_0000000020.hdf@2 ")
	if _, err := os.Stat(s.Path(30)); err != nil {
		t.Error("the file of the dropped entry is gone")
	}
	step(25)
	step(20) // again
	expect("flow_0000000010.hdf@1 flow_0000000020.hdf@2 flow_0000000025.hdf@2.5 ")
	stale := filepath.Join(s.Dir, ".flow_0000000099.hdf.part")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rewind(-1)
	expect("")
	if _, err := os.Stat(stale); err == nil {
		t.Error("a killed run's temporary file is left")
	}
	if err := os.WriteFile(s.Index(), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(c, 5, true); err == nil {
		t.Error("a damaged index was taken")
	} else {
		t.Log(err)
	}
}

// A damaged or missing index is rebuilt from the files, with the same bytes; a whole one is left alone. The snapshot of a stop is
// dropped from it when the run continues.
func TestDamagedIndicesAreRebuilt(t *testing.T) {
	for _, files := range []int{1, 2} {
		s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
		for _, n := range []int64{10, 20, 30} {
			if err := writeFile(s, 1, true, Meta{Step: n, Time: float64(n) / 10}); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(s.Index())
		if err != nil {
			t.Fatal(err)
		}
		if wrong, err := s.Rebuild(); wrong != "" || err != nil {
			t.Errorf("a whole index: %q %v", wrong, err)
		}
		for _, text := range []string{"", "{", "[]", "{}", `{"files": 3}`, `{"files": [{"time": 1}]}`, `{"files": [{"name": "a"}]}`, string(want[:len(want)/2]), "gone"} {
			if err := os.WriteFile(s.Index(), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if text == "gone" {
				os.Remove(s.Index())
			}
			wrong, err := s.Rebuild()
			got, _ := os.ReadFile(s.Index())
			if !strings.Contains(wrong, "rebuilt from the 3 files") || err != nil || string(got) != string(want) {
				t.Errorf("%q: %q %v\n%s\n%s", text, wrong, err, got, want)
			}
		}
		if err := os.WriteFile(s.Path(20), []byte("no file"), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Remove(s.Index())
		if wrong, err := s.Rebuild(); !strings.Contains(wrong, "the 2 files") || err == nil || !strings.Contains(err.Error(), "0000000020") {
			t.Errorf("with a damaged file: %q %v", wrong, err)
		}
		if err := s.Rewind(comm.Serial(), 30, false); err != nil {
			t.Fatal(err)
		}
		if got := readIndex(t, s); got != "flow_0000000010.hdf@1 " {
			t.Errorf("the index after a stop at 30: %s", got)
		}
	}
}

// Long indices are extended instead of written again, and are the same bytes as those that are;
// whenever a reader opens them, they are whole. Of a run that was killed in between nothing stays.
func TestLongIndicesAreExtended(t *testing.T) {
	defer func(n int64) { long = n }(long)
	folders := [2]string{t.TempDir(), t.TempDir()}
	var texts [2][2]string
	for k, dir := range folders {
		long = [2]int64{math.MaxInt64, 0}[k]
		s := Series{Dir: dir, Name: "flow"}
		g := testGrid(true)
		for _, step := range []int64{10, 20, 30, 40, 30, 50, 60} {
			if err := s.add(entry{filepath.Base(s.Path(step)), float64(step) / 7, step, g, testFields, nil, nil}); err != nil {
				t.Fatal(err)
			}
			readIndex(t, s)
			_, err := os.Stat(joint.Part(s.Index()))
			if wanted := k == 1 && step != 10 && step != 30; (err == nil) != wanted && step != 30 {
				t.Errorf("long = %d, step %d: the other file is there: %v, want %v", long, step, err == nil, wanted)
			}
			if step == 40 && k == 1 { // killed while it wrote
				for _, path := range []string{s.Index(), s.xdmf()} {
					if err := os.WriteFile(joint.Part(path), []byte("half of i"+xdmfEnd), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Rewind(comm.Serial(), 40, true); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(joint.Part(s.xdmf())); err == nil {
					t.Error("what a killed run left is still there")
				}
			}
		}
		s.Close()
		for i, path := range []string{s.Index(), s.xdmf()} {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[k][i] = string(b)
		}
		if files := list(t, dir); strings.Contains(files, ".part") {
			t.Errorf("left: %s", files)
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("extended:\n%s\nwritten again:\n%s", texts[1], texts[0])
	}
}

// The size of the indices of ten thousand files is proportional to their number.
func TestIndicesOfManyFiles(t *testing.T) {
	s := Series{Dir: t.TempDir(), Name: "flow"}
	wrote := func() (n int64) {
		b, err := os.ReadFile("/proc/self/io")
		if err != nil {
			t.Skip(err)
		}
		for _, line := range strings.Split(string(b), "\n") {
			fmt.Sscanf(line, "wchar: %d", &n)
		}
		return n
	}
	const files = 1000
	before := wrote()
	for step := range int64(files) {
		if err := s.add(entry{filepath.Base(s.Path(step)), float64(step), step, testGrid(true), testFields, nil, nil}); err != nil {
			t.Fatal(err)
		}
	}
	var size int64
	for _, path := range []string{s.Index(), s.xdmf()} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if n := wrote() - before; n > 40*size {
		t.Errorf("%d bytes were written for indices of %d", n, size)
	} else {
		t.Logf("%d bytes were written for indices of %d", n, size)
	}
	if n := strings.Count(readIndex(t, s), "@"); n != files {
		t.Errorf("%d files in the index, want %d", n, files)
	}
}

// failing runs f on three ranks and expects the same error on all of them, and
// the folder as it was.
func failing(t *testing.T, dir string, f func(c comm.Comm) error, words ...string) {
	t.Helper()
	before, texts := list(t, dir), make([]string, 3)
	if err := comm.RunLocal(3, func(c comm.Comm) error {
		if err := f(c); err != nil {
			texts[c.Rank()] = err.Error()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Log(texts[0])
	for rank, s := range texts {
		if s == "" || s != texts[0] {
			t.Errorf("rank %d has the error %q, rank 0 %q", rank, s, texts[0])
		}
		for _, w := range words {
			if !strings.Contains(s, w) {
				t.Errorf("%q does not say %q", s, w)
			}
		}
	}
	if after := list(t, dir); after != before {
		t.Errorf("the folder had %s, now it has %s", before, after)
	}
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, e := range entries {
		if e.IsDir() {
			out += e.Name() + "/" + list(t, filepath.Join(dir, e.Name()))
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("%s(%d %x) ", e.Name(), len(b), len(b)%7)
	}
	return out
}

func TestFailuresLeaveEverythingAsItWas(t *testing.T) {
	for _, files := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d files", files), func(t *testing.T) { failuresLeaveEverything(t, files) })
	}
}

func failuresLeaveEverything(t *testing.T, files int) {
	s := Series{Dir: t.TempDir(), Name: "flow", Files: files}
	if err := writeFile(s, 2, false, testMeta); err != nil {
		t.Fatal(err)
	}
	g := testGrid(false)
	begin := func(c comm.Comm) (*Pending, decomp.Box, error) {
		box := slab(g, c.Rank(), c.Size())
		p, err := s.Begin(c, nil, box, g, testFields, testMeta)
		return p, box, err
	}
	t.Run("a rank writes beyond its part", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			p, box, err := begin(c)
			if err != nil {
				return err
			}
			if err := put(p, g, box); err != nil {
				return err
			}
			if c.Rank() == 1 && p.Write(0, 2, make([]byte, 7*5*8)) == nil {
				t.Error("taken")
			}
			return p.Commit(nil)
		}, "rank 1", "density", "flow_0000000120.hdf")
	})
	t.Run("a plane is missing", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			p, box, err := begin(c)
			if err != nil {
				return err
			}
			if c.Rank() == 2 {
				return p.Commit(nil)
			}
			if err := put(p, g, box); err != nil {
				return err
			}
			return p.Commit(nil)
		}, "rank 2", "was not written")
	})
	t.Run("overlap", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			box := slab(g, 0, 1)
			p, err := s.Begin(c, nil, box, g, testFields, testMeta)
			if err != nil {
				return err
			}
			if err := put(p, g, box); err != nil {
				return err
			}
			return p.Commit(nil)
		}, "ranks 0 and 1 both wrote plane 0")
	})
	t.Run("a step in several files fails", func(t *testing.T) {
		several := s
		several.Files = 3
		failing(t, s.Dir, func(c comm.Comm) error {
			box := slab(g, c.Rank(), c.Size())
			p, err := several.Begin(c, nil, box, g, testFields, testMeta)
			if err != nil {
				return err
			}
			if err := put(p, g, box); err != nil {
				return err
			}
			if c.Rank() == 1 {
				return p.Commit(errors.New("the disk is full"))
			}
			return p.Commit(nil)
		}, "rank 1", "the disk is full")
	})
	t.Run("given up", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			p, box, err := begin(c)
			if err != nil {
				return err
			}
			err = put(p, g, box)
			if e := comm.Barrier(c); e != nil {
				return e
			}
			p.Abort()
			if e := p.Write(0, 0, content(testFields[0], box)); e == nil {
				t.Error("wrote after Abort")
			}
			return errors.Join(err, errors.New("given up"))
		}, "given up")
	})
	t.Run("a plane has a hole", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			box := slab(g, c.Rank(), c.Size())
			if c.Rank() == 1 {
				box.Lo[1]++
			}
			p, err := s.Begin(c, nil, box, g, testFields, testMeta)
			if err != nil {
				return err
			}
			if err := put(p, g, box); err != nil {
				return err
			}
			return p.Commit(nil)
		}, "no rank wrote bytes 0 to 55 of plane 2", "density")
	})
	t.Run("x is cut", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			box := slab(g, c.Rank(), c.Size())
			if c.Rank() == 2 {
				box.Hi[0]--
			}
			_, err := s.Begin(c, nil, box, g, testFields, testMeta)
			return err
		}, "does not contain whole rows", "rank 2")
	})
	t.Run("no folder", func(t *testing.T) {
		failing(t, s.Dir, func(c comm.Comm) error {
			_, err := Series{Dir: filepath.Join(s.Dir, "none"), Name: "flow"}.Begin(c, nil, slab(g, c.Rank(), 3), g, testFields, testMeta)
			return err
		}, "rank 0", "folder does not exist")
	})
	t.Run("read-only folder", func(t *testing.T) {
		if os.Geteuid() == 0 {
			dir := mount(t, "ro,size=1m")
			failing(t, dir, func(c comm.Comm) error {
				_, err := Series{Dir: dir, Name: "flow"}.Begin(c, nil, slab(g, c.Rank(), 3), g, testFields, testMeta)
				return err
			}, "is not writable")
			return
		}
		if err := os.Chmod(s.Dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(s.Dir, 0o755)
		failing(t, s.Dir, func(c comm.Comm) error { _, _, err := begin(c); return err }, "is not writable")
	})
	if err := Verify(s.Path(120), names()...); err != nil {
		t.Error(err)
	}
}

// mount makes a small file system in memory.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: mounting a small file system needs root")
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, strings.TrimPrefix(options, "ro,")); err != nil {
		t.Skipf("NOT TESTED: this system does not let root mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if strings.HasPrefix(options, "ro,") {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Skipf("NOT TESTED: cannot remount read-only: %v", err)
		}
	}
	return dir
}

func TestFullDisk(t *testing.T) {
	for _, files := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d files", files), func(t *testing.T) { fullDisk(t, files) })
	}
}

func fullDisk(t *testing.T, files int) {
	dir := mount(t, "size=512k")
	s := Series{Dir: dir, Name: "flow", Files: files}
	if err := writeFile(s, 3, false, testMeta); err != nil {
		t.Fatal(err)
	}
	g := Grid{N: [3]int{64, 64, 64}, Spacing: 1}
	fs := []Field{{"density", "kg/m^3", 1, Float64}}
	failing(t, dir, func(c comm.Comm) error {
		box := slab(g, c.Rank(), c.Size())
		p, err := s.Begin(c, nil, box, g, fs, Meta{Step: 130})
		if err != nil {
			return err
		}
		if err := p.Write(0, 0, make([]byte, 8*box.Cells())); err != nil {
			t.Logf("rank %d: %v", c.Rank(), err)
		}
		return p.Commit(nil)
	}, "no space left", "choose another output folder")
	if err := Verify(s.Path(120), names()...); err != nil {
		t.Error(err)
	}
	if got := readIndex(t, s); got != "flow_0000000120.hdf@0.75 " {
		t.Error(got)
	}
}
