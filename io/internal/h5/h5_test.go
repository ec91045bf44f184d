// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package h5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	f, err := Create(path, Options{UserBlock: 1 << 20, Align: 1 << 20, Threshold: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(f.Group("/g"))
	check(f.String("/g", "Type", "ImageData"))
	check(f.Int64s("/g", "n", 3, -4))
	check(f.Float64s("/g", "x", 0.1, math.Inf(1), 3))
	long := strings.Repeat("a = 1 # µ\n", 20000) // more than an attribute can hold
	check(f.Text("/g/case", long))
	check(f.Text("/g/empty", ""))
	off, err := f.Contiguous("/g/d", Float32, 4, 128, 256)
	check(err)
	small, err := f.Contiguous("/g/s", Uint8, 5)
	check(err)
	check(f.String("/g/d", "unit", "m/s"))
	check(f.Virtual("/g/v", Float32, []Source{{File: ".", Path: "/g/d", Start: []int{0, 0, 0}, Size: []int{4, 128, 256}}}, 8, 128, 256))
	if err := f.Virtual("/g/w", Float32, []Source{{File: ".", Path: "/g/d", Start: []int{0, 0}, Size: []int{4, 128}}}, 8, 128, 256); err == nil {
		t.Error("a source of fewer axes was taken")
	}
	check(f.Close())
	if off%(1<<20) != 0 {
		t.Errorf("the data starts at %d, not at a multiple of 1 MiB", off)
	}
	st, err := os.Stat(path)
	check(err)
	if st.Size() < small+5 || st.Size() < off+4*4*128*256 {
		t.Errorf("the file has %d bytes, its data end at %d", st.Size(), off+4*4*128*256)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	check(err)
	_, err = w.WriteAt(binary.LittleEndian.AppendUint32(nil, math.Float32bits(7)), off)
	check(err)
	check(w.Close())

	f, err = Open(path)
	check(err)
	defer f.Close()
	if s, err := f.ReadText("/g/case"); err != nil || s != long {
		t.Errorf("case: %d bytes, %v", len(s), err)
	}
	if s, err := f.ReadText("/g/empty"); err != nil || s != "" {
		t.Errorf("empty: %q, %v", s, err)
	}
	if v, err := f.ReadInt64s("/g", "n", 2); err != nil || v[0] != 3 || v[1] != -4 {
		t.Error(v, err)
	}
	if v, err := f.ReadFloat64s("/g", "x", 3); err != nil || v[0] != 0.1 || !math.IsInf(v[1], 1) {
		t.Error(v, err)
	}
	if _, err := f.ReadInt64s("/g", "n", 3); err == nil {
		t.Error("a longer attribute was read into a shorter slice")
	}
	if s, err := f.ReadString("/g/d", "unit"); err != nil || s != "m/s" {
		t.Errorf("unit: %q, %v", s, err)
	}
	p, err := f.Place("/g/d")
	check(err)
	if p.Offset != off || p.Size != 4 || len(p.Dims) != 3 || p.Dims[2] != 256 {
		t.Error(p)
	}
	if _, err := f.Place("/g/v"); err == nil {
		t.Error("a virtual dataset has no place")
	}
	if !f.Has("/g/d") || f.Has("/g/no") {
		t.Error("Has")
	}
}

// Boxes of datasets are shown in others, of another number of axes too, and constants without storage.
func TestVirtualBoxes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	f, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, e1 := f.Contiguous("/d", Uint8, 3, 4)
	err = errors.Join(e1,
		f.Ints("/ints", []int64{1, -2, 3, 1 << 30, 5, 6}, 2, 3),
		f.Constant("/c", 32, 1000, 1000, 1000),
		f.Constant("/one", 7, 4),
		f.Virtual("/list", Uint8, []Source{{File: ".", Path: "/d", Of: []int{3, 4}, Start: []int{2}, Size: []int{12}}}, 15),
		f.Virtual("/box", Uint8, []Source{{File: ".", Path: "/d", Of: []int{3, 4}, From: []int{1, 1}, Take: []int{2, 2}, Start: []int{0, 0}, Size: []int{2, 2}}}, 2, 2),
		f.Virtual("/mark", Uint8, []Source{{File: ".", Path: "/one", Of: []int{4}, Start: []int{0, 1}, Size: []int{2, 2}}}, 2, 3),
		f.Close())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 64<<10 {
		t.Errorf("constants take room: %v, %v", info.Size(), err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, e1 = w.WriteAt([]byte("abcdefghijkl"), at)
	if err := errors.Join(e1, w.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]string{"/list": "\x00\x00abcdefghijkl\x00", "/box": "fgjk", "/mark": "\x00\x07\x07\x00\x07\x07"} {
		d, err := f.f.OpenDataset(name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint8, len(want))
		if err := d.Read(&got); err != nil || string(got) != want {
			t.Errorf("%s is %q instead of %q, %v", name, got, want, err)
		}
		d.Close()
	}
	d, err := f.f.OpenDataset("/ints")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := make([]int32, 6)
	if err := d.Read(&got); err != nil || !slices.Equal(got, []int32{1, -2, 3, 1 << 30, 5, 6}) {
		t.Error(got, err)
	}
}

func TestErrorsAreExplained(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(filepath.Join(dir, "no", "a.h5"), Options{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not HDF5"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(text); err == nil || !strings.Contains(err.Error(), "text") {
		t.Error(err)
	} else {
		t.Log(err)
	}
	f, err := Create(filepath.Join(dir, "a.h5"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.ReadText("/none")
	if err == nil {
		t.Error("read a text that is not there")
	}
	t.Log(err)
	if err := f.Group("/a/b"); err == nil {
		t.Error("a group without parent")
	} else {
		t.Log(err)
	}
}

// A damaged length of a text must neither take as much memory nor crash.
func TestTextsLongerThanTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	f, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 12345
	text := strings.Repeat("a", n)
	if err := errors.Join(f.Group("/g"), f.Text("/g/case", text), f.String("/g", "unit", text), f.Close()); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, long := range []uint32{1 << 20, math.MaxInt32, 1 << 31, math.MaxUint32} {
		b, found := bytes.Clone(good), 0
		for i := 8; i+4 <= len(b); i++ { // the length of a type follows its class, 3, and the version of that, 1
			if b[i-4] == 0x13 && binary.LittleEndian.Uint32(b[i:]) == n {
				binary.LittleEndian.PutUint32(b[i:], long)
				found++
			}
		}
		if found != 2 {
			t.Fatalf("%d texts in the file", found)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, e1 := f.ReadText("/g/case")
		_, e2 := f.ReadString("/g", "unit")
		f.Close()
		if e1 == nil || !strings.Contains(e1.Error(), "longer than its file") || e2 == nil {
			t.Errorf("texts of %d bytes in a file of %d: %v, %v", long, len(b), e1, e2)
		}
	}
}
