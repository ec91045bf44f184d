// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package joint

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lbmsim/comm"
)

func begin(c comm.Comm, path string) (*File, error) {
	f, numbers, err := one(c, path, 2, func(tmp string) ([]int64, error) {
		return []int64{-3, 7}, os.WriteFile(tmp, nil, 0o644)
	})
	if err == nil && (numbers[0] != -3 || numbers[1] != 7) {
		err = fmt.Errorf("rank %d got the numbers %v", c.Rank(), numbers)
	}
	return f, err
}

// one begins a file by itself.
func one(c comm.Comm, path string, numbers int, create func(tmp string) ([]int64, error)) (*File, []int64, error) {
	files, all, err := Begin(c, nil, New{path, numbers, create})
	if err != nil {
		return nil, nil, err
	}
	return files[0], all[0], nil
}

// end commits it.
func end(f *File, seal func(*os.File) error) error {
	if seal == nil {
		return Commit([]*File{f}, nil, nil, nil, nil)
	}
	return Commit([]*File{f}, nil, nil, func(f *os.File, _ [][]byte) error { return seal(f) }, nil)
}

func TestRanksMakeOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := comm.RunLocal(4, func(c comm.Comm) error {
		f, err := begin(c, path)
		if err != nil {
			return err
		}
		if err := f.WriteAt([]byte{'a' + byte(c.Rank())}, int64(c.Rank())); err != nil {
			return err
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
			return fmt.Errorf("the old file changed before Commit: %q %v", b, err)
		}
		err = end(f, func(f *os.File) error {
			_, err := f.WriteAt([]byte("!"), 4)
			return err
		})
		f.Abort() // has no effect now
		if e := f.WriteAt([]byte("x"), 0); e == nil {
			return errors.New("wrote after Commit")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "abcd!" {
		t.Errorf("%q %v", b, err)
	}
}

// A file ends once.
func TestCommitTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := begin(comm.Serial(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := end(f, nil); err != nil {
		t.Fatal(err)
	}
	if err := end(f, nil); err == nil || !strings.Contains(err.Error(), "committed or aborted already") {
		t.Errorf("the second time: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// The disk fills up while the ranks write: where room cannot be reserved.
func TestDiskFillsUp(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: mounting a small file system needs root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("NOT TESTED: this system does not let root mount a tmpfs: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	fails(t, dir, "no space left", func(c comm.Comm) error {
		f, err := begin(c, filepath.Join(dir, "a"))
		if err != nil {
			return err
		}
		_ = f.WriteAt(make([]byte, 100<<10), int64(c.Rank())*(100<<10))
		return end(f, nil)
	})
}

func TestSealFails(t *testing.T) {
	dir := t.TempDir()
	fails(t, dir, "no seal", func(c comm.Comm) error {
		f, err := begin(c, filepath.Join(dir, "a"))
		if err != nil {
			return err
		}
		return end(f, func(*os.File) error { return errors.New("no seal") })
	})
}

func TestCreateFails(t *testing.T) {
	dir := t.TempDir()
	fails(t, dir, "no luck", func(c comm.Comm) error {
		_, _, err := one(c, filepath.Join(dir, "a"), 0, func(tmp string) ([]int64, error) {
			return nil, errors.Join(os.WriteFile(tmp, nil, 0o644), errors.New("no luck"))
		})
		return err
	})
}

// fails expects the same error on three ranks and an empty folder.
func fails(t *testing.T, dir, word string, f func(c comm.Comm) error) {
	t.Helper()
	texts := make([]string, 3)
	if err := comm.RunLocal(3, func(c comm.Comm) error {
		texts[c.Rank()] = fmt.Sprint(f(c))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Log(texts[0])
	if !strings.Contains(texts[0], word) || texts[1] != texts[0] || texts[2] != texts[0] {
		t.Errorf("the ranks say %q", texts)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestSumsDoNotDependOnRanks(t *testing.T) {
	data := make([]byte, 6*10)
	for i := range data {
		data[i] = byte(i * i)
	}
	var want string
	for n := 1; n <= 7; n++ {
		var parts [][]byte
		for r := 0; r < n; r++ {
			lo, hi := 6*r/n, 6*(r+1)/n
			s := NewSums(Extent{Planes: [2]int{lo, hi}, Rows: [2]int{0, 1}}, 10)
			if hi > lo && s.Missing() == nil {
				t.Error("nothing is missing before anything is written")
			}
			s.Add(0, data[lo*10:hi*10])
			if err := s.Missing(); err != nil {
				t.Error(err)
			}
			parts = append(parts, s.Marshal())
		}
		all, err := Collect(6, 10, parts)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(all); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d ranks: %s, one rank: %s", n, got, want)
		}
		if _, err := Collect(7, 10, parts); err == nil {
			t.Error("plane 6 is missing and was not noticed")
		}
		if _, err := Collect(5, 10, parts); err == nil {
			t.Error("plane 5 is too many and was not noticed")
		}
		if _, err := Collect(6, 10, append(parts, parts[0])); n < 7 && err == nil {
			t.Error("plane 0 is there twice and was not noticed")
		}
	}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"one", "two"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%q %v", b, err)
		}
	}
	if err := Replace(filepath.Join(path, "b"), nil); err == nil {
		t.Error("wrote into a file as into a folder")
	}
}

// A checksum combined from the checksums of any pieces equals the checksum of the whole.
func TestChecksumsOfPieces(t *testing.T) {
	data := make([]byte, 5*1031)
	rand.New(rand.NewSource(4)).Read(data)
	for _, rows := range [][]int{{5}, {1, 4}, {2, 2, 1}, {1, 1, 1, 1, 1}, {3, 2}} {
		var parts [][]byte
		at := 0
		for _, n := range rows {
			s := NewSums(Extent{Planes: [2]int{0, 1}, Rows: [2]int{at, at + n}}, 1031)
			s.Add(0, data[1031*at:1031*(at+n)])
			parts = append([][]byte{s.Marshal()}, parts...) // in any order
			at += n
		}
		if got, err := Collect(1, len(data), parts); err != nil || got[0] != CRC(0, data) {
			t.Errorf("rows %v: %x (%v), want %x", rows, got, err, CRC(0, data))
		}
	}
	for n := range 70 { // lengths beyond one power of two, the shortest too
		a, b := data[:100], data[100:100+n]
		if got := product(CRC(0, a), shift(n)) ^ CRC(0, b); got != CRC(CRC(0, a), b) {
			t.Errorf("%d bytes behind: %x, want %x", n, got, CRC(CRC(0, a), b))
		}
	}
}

// Collect reports gaps, overlaps and bytes beyond the end.
func TestCollectRefuses(t *testing.T) {
	of := func(planes, rows [2]int) []byte { return NewSums(Extent{planes, rows}, 10).Marshal() }
	one := [2]int{0, 1}
	for words, parts := range map[string][][]byte{
		"ranks 0 and 1 both wrote plane 0":           {of(one, [2]int{0, 3}), of(one, [2]int{2, 4})},
		"no rank wrote bytes 20 to 29 of plane 0":    {of(one, [2]int{0, 2}), of(one, [2]int{3, 4})},
		"no rank wrote bytes 30 to 39 of plane 0":    {of(one, [2]int{0, 3})},
		"no rank wrote bytes 0 to 9 of plane 0":      {of(one, [2]int{1, 4})},
		"rank 1 wrote beyond the 40 bytes of plane ": {of(one, [2]int{0, 3}), of(one, [2]int{3, 5})},
		"no rank wrote plane 0 of 1":                 {of([2]int{0, 0}, [2]int{0, 4})},
		"rank 0 wrote plane 1 of 1":                  {of([2]int{1, 2}, [2]int{0, 4})},
		"rank 1 sent no checksums":                   {of(one, [2]int{0, 4}), {1, 2}},
	} {
		if _, err := Collect(1, 40, parts); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
}

// A rank that does not see the file fails with its writes; no rank waits for it, and the old file stays.
func TestARankSeesNoFile(t *testing.T) {
	dir := t.TempDir()
	fails(t, dir, "rank 1: open "+filepath.Join(dir, "elsewhere")+": no such file or directory: this rank does not see the file", func(c comm.Comm) error {
		name := "a"
		if c.Rank() == 1 {
			name = "elsewhere"
		}
		f, err := begin(c, filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := f.WriteAt([]byte("x"), int64(c.Rank())); (err == nil) == (c.Rank() == 1) {
			t.Errorf("rank %d: writing: %v", c.Rank(), err)
		}
		return end(f, nil)
	})
}

// An earlier error on a rank is the error of all, of Begin and of Commit, and no file of several is left.
func TestEarlierFailures(t *testing.T) {
	dir := t.TempDir()
	empty := func(tmp string) ([]int64, error) { return nil, os.WriteFile(tmp, nil, 0o644) }
	two := []New{{filepath.Join(dir, "a"), 0, empty}, {filepath.Join(dir, "b"), 0, empty}}
	failed := func(c comm.Comm) error {
		if c.Rank() == 2 {
			return errors.New("no fields")
		}
		return nil
	}
	fails(t, dir, "rank 2: no fields", func(c comm.Comm) error {
		_, _, err := Begin(c, failed(c), two...)
		return err
	})
	fails(t, dir, "rank 2: no fields", func(c comm.Comm) error {
		files, _, err := Begin(c, nil, two...)
		if err != nil {
			return err
		}
		return Commit(files, failed(c), nil, func(*os.File, [][]byte) error {
			t.Error("sealed")
			return nil
		}, nil)
	})
}
