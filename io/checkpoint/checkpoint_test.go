// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package checkpoint

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/io/internal/joint"
)

func testHeader(step int64) Header {
	return Header{Case: "[domain]\nname = \"µ\"\n" + strings.Repeat("# long\n", 20), Spec: "D3Q19 regularized float32",
		Version: "test 1", Step: step, Time: float64(step) / 3, Extra: []byte{0, 1, 2, 0},
		N: [3]int{20, 3, 7}, Planes: 7, Rows: 3, Components: 10, Pitch: 32, Bytes: 4}
}

// state returns the bytes of planes [lo, hi), different in each step.
func state(h Header, lo, hi int) []byte {
	b := make([]byte, (hi-lo)*h.PlaneBytes())
	for i := range b {
		at := i + lo*h.PlaneBytes()
		b[i] = byte(at*7 + at>>8*13 + int(h.Step)*31)
	}
	return b
}

func write(dir string, h Header, ranks, keep int) error { return writeCut(dir, h, 1, ranks, keep) }

// extent returns a rank's part of a state that is cut into so many along rows and planes.
func (h Header) extent(rank, alongRows, alongPlanes int) (e Extent) {
	y, z := rank%alongRows, rank/alongRows
	for i := range 2 {
		e.Rows[i] = h.Rows * (y + i) / alongRows
		e.Planes[i] = h.Planes * (z + i) / alongPlanes
	}
	return e
}

// part returns the bytes of an extent.
func part(h Header, e Extent) (b []byte) {
	for k := e.Planes[0]; k < e.Planes[1]; k++ {
		b = append(b, state(h, k, k+1)[e.Rows[0]*h.rowBytes():e.Rows[1]*h.rowBytes()]...)
	}
	return b
}

func writeCut(dir string, h Header, alongRows, alongPlanes, keep int) error {
	return comm.RunLocal(alongRows*alongPlanes, func(c comm.Comm) error {
		e := h.extent(c.Rank(), alongRows, alongPlanes)
		p, err := Begin(c, dir, h, e)
		if err != nil {
			return err
		}
		data, planes := part(h, e), e.Planes[1]-e.Planes[0]
		for k := 0; k < planes; k += 2 {
			n := len(data) / planes
			if err := p.Write(k, data[k*n:min(k+2, planes)*n]); err != nil {
				return err
			}
		}
		return p.Commit(keep, nil)
	})
}

// Ranks that share planes leave the same state and the same checksums as one rank, and
// read the parts that others wrote.
func TestPlanesAreShared(t *testing.T) {
	cuts := [][2]int{{1, 1}, {3, 1}, {2, 3}, {2, 7}, {1, 4}}
	for _, w := range cuts {
		dir, h := t.TempDir(), testHeader(12)
		if err := writeCut(dir, h, w[0], w[1], 0); err != nil {
			t.Fatalf("%v parts: %v", w, err)
		}
		if err := verify(Path(dir, 12)); err != nil {
			t.Errorf("%v parts: %v", w, err)
		}
		for _, r := range cuts {
			if err := load(Path(dir, 12), r[0], r[1]); err != nil {
				t.Errorf("%v parts read by %v: %v", w, r, err)
			}
		}
		flip(t, Path(dir, 12), h)
		for _, r := range cuts {
			if err := load(Path(dir, 12), r[0], r[1]); err == nil || !strings.Contains(err.Error(), "plane 4 does not match its checksum") {
				t.Errorf("a damaged plane read by %v: %v", r, err)
			}
		}
	}
}

// flip damages plane 4 of the state.
func flip(t *testing.T, path string, h Header) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, state(h, 4, 5))
	if at < 0 {
		t.Fatal("plane 4 is not in the file as one piece")
	}
	b[at+h.rowBytes()+3] ^= 16
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// load reads a checkpoint with ranks of another cut.
func load(path string, alongRows, alongPlanes int) error {
	return comm.RunLocal(alongRows*alongPlanes, func(c comm.Comm) error {
		r, err := Open(path)
		if err != nil {
			return err
		}
		defer r.Close()
		e := r.Header.extent(c.Rank(), alongRows, alongPlanes)
		var got []byte
		if err := r.Load(c, e, func(first int, data []byte) error {
			if rows := e.Rows[1] - e.Rows[0]; first*rows*r.Header.rowBytes() != len(got) {
				return fmt.Errorf("plane %d comes after %d bytes", first, len(got))
			}
			got = append(got, data...)
			return nil
		}); err != nil {
			return err
		}
		if !bytes.Equal(got, part(r.Header, e)) {
			return fmt.Errorf("rank %d read another state", c.Rank())
		}
		return nil
	})
}

func verify(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	h := r.Header
	b := make([]byte, h.Planes*h.PlaneBytes())
	if err := r.ReadPlanes(0, h.Planes, b); err != nil {
		return err
	}
	if !bytes.Equal(b, state(h, 0, h.Planes)) {
		return fmt.Errorf("%s does not contain the state of step %d", path, h.Step)
	}
	return nil
}

func TestAnyNumberOfRanksWritesAndReads(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 5, 9} {
		dir, h := t.TempDir(), testHeader(12)
		switch ranks {
		case 2:
			h.Bytes = 2
		case 3:
			h.Bytes, h.Extra, h.Case = 8, nil, ""
		}
		if err := write(dir, h, ranks, 2); err != nil {
			t.Fatalf("%d ranks: %v", ranks, err)
		}
		r, err := Open(Path(dir, 12))
		if err != nil {
			t.Fatal(err)
		}
		h.Ranks = ranks
		if h.Extra == nil {
			h.Extra = []byte{}
		}
		if !reflect.DeepEqual(r.Header, h) {
			t.Errorf("header %+v, want %+v", r.Header, h)
		}
		for _, readers := range []int{1, 2, 4} {
			for k := 0; k < readers; k++ {
				lo, hi := h.Planes*k/readers, h.Planes*(k+1)/readers
				b := make([]byte, (hi-lo)*h.PlaneBytes())
				if err := r.ReadPlanes(lo, hi, b); err != nil {
					t.Error(err)
				}
				if !bytes.Equal(b, state(h, lo, hi)) {
					t.Errorf("%d ranks wrote, reader %d of %d sees other values", ranks, k, readers)
				}
			}
		}
		if err := r.ReadPlanes(0, 1, make([]byte, 5)); err == nil {
			t.Error("read into a short slice")
		}
		r.Close()
	}
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	dir, h := t.TempDir(), testHeader(3)
	if err := write(dir, h, 2, 0); err != nil {
		t.Fatal(err)
	}
	path := Path(dir, 3)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	step := 1 // LBMSIM_TEST_EVERY_BYTE takes its time
	if os.Getenv("LBMSIM_TEST_EVERY_BYTE") == "" {
		step = 11
	}
	rnd := rand.New(rand.NewSource(1))
	for at := 0; at < len(whole); at++ {
		if at >= 64 && at%step != 0 {
			continue
		}
		b := []byte{whole[at] ^ 1<<rnd.Intn(8)}
		if _, err := f.WriteAt(b, int64(at)); err != nil {
			t.Fatal(err)
		}
		if err := verify(path); err == nil {
			t.Errorf("byte %d of %d is flipped, and Verify accepts it", at, len(whole))
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("byte %d: %v", at, err)
		}
		if _, err := f.WriteAt(whole[at:at+1], int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := verify(path); err != nil {
		t.Error(err)
	}
	t.Logf("every %dth of %d bytes flipped", step, len(whole))
	for n := 0; n < len(whole); n += 61 {
		cut := filepath.Join(dir, "cut")
		if err := os.WriteFile(cut, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := verify(cut); err == nil {
			t.Errorf("truncated after %d bytes, and Verify accepts it", n)
		}
	}
}

func TestOtherFilesAreExplained(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, testHeader(1), 1, 0); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(Path(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(good)
	order.PutUint32(newer[8:], Format+1)
	order.PutUint32(newer[60:], joint.CRC(0, newer[:60]))
	plain := append(bytes.Clone(signature), make([]byte, 5000)...)
	headless := bytes.Clone(good)
	clear(headless[:64])
	for _, c := range []struct {
		name, word string
		data       []byte
	}{
		{"empty", "empty", nil},
		{"text", "not an lbmsim checkpoint", []byte("hello")},
		{"HDF5", "HDF5 file, but not an lbmsim checkpoint", plain},
		{"headless", "first bytes", headless},
		{"newer", "use the newer version", newer},
		{"half", "truncated", good[:len(good)/2]},
		{"few", "truncated", good[:40]},
		{"longer", "instead of", append(bytes.Clone(good), 0)},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", c.name, err)
		} else {
			t.Log(err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Open(path); err == nil {
			t.Errorf("opened %s", path)
		}
	}
	if _, err := Latest(filepath.Join(dir, "none")); err == nil {
		t.Error("listed a folder that is not there")
	}
}

func steps(t *testing.T, dir string) (s []string) {
	t.Helper()
	paths, err := Latest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		s = append(s, strings.TrimLeft(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p), "checkpoint_"), ".h5"), "0"))
	}
	return s
}

func TestTheLastOnesAreKept(t *testing.T) {
	dir := t.TempDir()
	expect := func(want ...string) {
		t.Helper()
		if got := steps(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("the folder has %v, want %v", got, want)
		}
	}
	put := func(step int64, keep int) {
		t.Helper()
		if err := write(dir, testHeader(step), 1, keep); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(dir, ".checkpoint_000000000099.h5.part")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	put(10, 0)
	put(20, 0)
	put(30, 2)
	expect("30", "20")
	if _, err := os.Stat(stale); err == nil {
		t.Error("a killed run's temporary file is left")
	}
	put(15, 2) // restarted from further back: the newest has not the highest step
	expect("15", "30")
	broken := Path(dir, 40)
	if err := os.WriteFile(broken, []byte("LBMSIM"), 0o644); err != nil {
		t.Fatal(err)
	}
	put(16, 1)
	expect("16", "40")
	put(16, 1) // again, over itself
	expect("16", "40")
}

func TestFailuresLeaveEverythingAsItWas(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400k"); err != nil {
			t.Logf("NOT TESTED: a full disk: cannot mount a tmpfs: %v", err)
		} else {
			defer syscall.Unmount(dir, 0)
		}
	} else {
		t.Log("NOT TESTED: a full disk: mounting a tmpfs needs root")
	}
	if err := write(dir, testHeader(1), 2, 0); err != nil {
		t.Fatal(err)
	}
	failing := func(name string, h Header, f func(c comm.Comm, p *Pending) error, words ...string) {
		t.Helper()
		texts := make([]string, 3)
		if err := comm.RunLocal(3, func(c comm.Comm) error {
			p, err := Begin(c, dir, h, h.extent(c.Rank(), 1, 3))
			if err == nil {
				err = f(c, p)
			}
			texts[c.Rank()] = fmt.Sprint(err)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s", name, texts[0])
		for _, s := range texts {
			if s != texts[0] {
				t.Errorf("%s: one rank says %q, another %q", name, texts[0], s)
			}
			for _, w := range words {
				if !strings.Contains(s, w) {
					t.Errorf("%s: %q does not say %q", name, s, w)
				}
			}
		}
		if got := steps(t, dir); !reflect.DeepEqual(got, []string{"1"}) {
			t.Errorf("%s: the folder has %v", name, got)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if err := verify(Path(dir, 1)); err != nil {
			t.Error(err)
		}
	}
	put := func(c comm.Comm, p *Pending, h Header) error {
		lo, hi := h.Planes*c.Rank()/3, h.Planes*(c.Rank()+1)/3
		return p.Write(0, state(h, lo, hi))
	}
	h := testHeader(2)
	failing("a missing plane", h, func(c comm.Comm, p *Pending) error {
		if c.Rank() != 1 {
			if err := put(c, p, h); err != nil {
				return err
			}
		}
		return p.Commit(1, nil)
	}, "rank 1", "plane 2 was not written")
	failing("a plane too many", h, func(c comm.Comm, p *Pending) error {
		if err := put(c, p, h); err != nil {
			return err
		}
		if c.Rank() == 2 {
			_ = p.Write(3, state(h, 0, 1))
		}
		return p.Commit(1, nil)
	}, "rank 2", "not among this rank's 3 planes")
	failing("given up", h, func(c comm.Comm, p *Pending) error {
		if err := put(c, p, h); err != nil {
			return err
		}
		if err := comm.Barrier(c); err != nil { // a rank that has not opened the file by then cannot
			return err
		}
		p.Abort()
		return nil
	}, "nil")
	bad := h
	bad.Bytes = 3
	failing("no such numbers", bad, nil, "3 bytes")
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err == nil && fs.Blocks*uint64(fs.Bsize) < 1<<20 {
		large := h
		large.Planes = 700
		failing("full disk", large, func(c comm.Comm, p *Pending) error {
			_ = put(c, p, large)
			return p.Commit(1, nil)
		}, "no space left", "choose another output folder")
	}
}

// A run that is killed at any moment leaves a good checkpoint, and the next run
// resumes from it.
func TestKilledAtAnyMoment(t *testing.T) {
	if dir := os.Getenv("LBMSIM_TEST_CHECKPOINTS"); dir != "" {
		writeUntilKilled(dir)
	}
	dir := t.TempDir()
	rnd := rand.New(rand.NewSource(time.Now().UnixNano()))
	highest := int64(0)
	for i := 0; i < 20; i++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtAnyMoment$")
		cmd.Env = append(os.Environ(), "LBMSIM_TEST_CHECKPOINTS="+dir)
		before := listing(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// On a busy machine the first file is begun late.
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if now := listing(dir); now != before {
				break
			}
		}
		time.Sleep(time.Duration(rnd.Intn(150)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		paths, err := Latest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 && highest > 0 {
			t.Fatal("all checkpoints are gone")
		}
		for k, path := range paths {
			if err := verify(path); err != nil {
				t.Error(err)
			}
			if r, err := Open(path); err == nil && k == 0 {
				if r.Header.Step < highest {
					t.Errorf("the newest is of step %d after one of step %d", r.Header.Step, highest)
				}
				highest = r.Header.Step
				r.Close()
			}
		}
	}
	if highest < 5 {
		t.Errorf("only %d checkpoints were written: the test kills too early to mean anything", highest)
	}
	t.Logf("%d checkpoints in 20 killed runs", highest)
}

// listing returns the names of the files in a folder.
func listing(dir string) (names string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}

func writeUntilKilled(dir string) {
	first := int64(1)
	if paths, err := Latest(dir); err == nil && len(paths) > 0 {
		r, err := Open(paths[0])
		if err != nil {
			panic(err)
		}
		first = r.Header.Step + 1
		r.Close()
	}
	for step := first; ; step++ {
		h := testHeader(step)
		h.Rows = 200
		if err := write(dir, h, 2, 2); err != nil {
			panic(err)
		}
	}
}

func TestH5pySeesTheState(t *testing.T) {
	if out, err := exec.Command("/usr/bin/python3", "-c", "import h5py, numpy").CombinedOutput(); err != nil {
		text := fmt.Sprintf("NOT TESTED: h5py: %v %s; install: apt-get install -y --no-install-recommends python3-h5py", err, out)
		if os.Getenv("LBMSIM_REQUIRE_READERS") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	script := `
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], "r")
s = f["state"]
assert s.shape == (7, 3, 10, 32) and s.dtype == np.dtype(sys.argv[3]), s
assert s[...].tobytes() == open(sys.argv[2], "rb").read()
a = f["lbmsim"].attrs
assert a["step"][0] == 3 and a["ranks"][0] == 3 and list(a["cells"]) == [20, 3, 7] and a["spec"] == b"D3Q19 regularized float32"
assert "name = \"µ\"" in f["lbmsim/case"][()].decode()
assert list(f["lbmsim/extra"][...]) == [0, 1, 2, 0] and f["lbmsim/crc32c"].shape == (7,)
`
	for bytes, number := range map[int]string{2: "float16", 4: "float32", 8: "float64"} {
		dir, h := t.TempDir(), testHeader(3)
		h.Bytes = bytes
		if err := write(dir, h, 3, 0); err != nil {
			t.Fatal(err)
		}
		raw := filepath.Join(dir, "raw")
		if err := os.WriteFile(raw, state(h, 0, h.Planes), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("/usr/bin/python3", "-c", script, Path(dir, 3), raw, number).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", number, err, out)
		}
	}
}
