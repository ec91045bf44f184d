// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// resealed recomputes the checksums of a modified checkpoint: a foreign file.
func resealed(b []byte) []byte {
	order, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	at, n := order.Uint64(b[32:]), order.Uint64(b[40:])
	order.PutUint64(b[24:], uint64(len(b)))
	order.PutUint32(b[48:], crc32.Update(crc32.Checksum(b[64:at], table), table, b[at+n:]))
	order.PutUint32(b[60:], crc32.Checksum(b[:60], table))
	return b
}

// A newest checkpoint that is damaged, in any part, is reported with the reason, and the run
// resumes from the previous one; a damaged one requested by name is refused; and so are all, one by
// one, if none is valid.
func TestDamagedCheckpointsAreNotUsed(t *testing.T) {
	text := withPoint(variety["closed box"] + ending("bgk", "float64", 40))
	whole := t.TempDir()
	trial{text: text, ranks: 2, dir: whole}.must(t)
	want := outputsIn(t, whole)
	files, err := checkpoint.Latest(filepath.Join(whole, output.CheckpointDir))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	newest := filepath.Base(files[0])
	beside := filepath.Join(output.AverageDir, newest)
	good := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(whole, output.CheckpointDir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	state := func(b []byte) uint64 { return binary.LittleEndian.Uint64(b[32:]) }
	header := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			if len(old) != len(new) || !bytes.Contains(b[:state(b)], []byte(old)) {
				t.Fatalf("the header has no %q that can become %q", old, new)
			}
			return resealed(bytes.Replace(b, []byte(old), []byte(new), 1))
		}
	}
	flip := func(at func(b []byte) uint64) func([]byte) []byte {
		return func(b []byte) []byte { b[at(b)] ^= 4; return b }
	}
	for _, c := range []struct {
		name, file string
		damage     func(b []byte) []byte // nil: the file is gone
		word       string
	}{
		{"preamble", newest, flip(func([]byte) uint64 { return 20 }), "first 64 bytes do not match"},
		{"header", newest, flip(func([]byte) uint64 { return 100 }), "header does not match its checksum"},
		{"HDF5's part", newest, flip(func(b []byte) uint64 { return state(b) - 8 }), "header does not match its checksum"},
		{"state", newest, flip(func(b []byte) uint64 { return state(b) + 1000 }), "plane"},
		{"checksums", newest, flip(func(b []byte) uint64 { return uint64(len(b)) - 1 }), "does not match its checksum"},
		{"cut", newest, func(b []byte) []byte { return b[:len(b)*2/3] }, "truncated"},
		{"empty", newest, func([]byte) []byte { return nil }, "empty"},
		{"foreign", newest, func([]byte) []byte { return []byte("a letter") }, "not an lbmsim checkpoint"},
		{"newer", newest, func(b []byte) []byte { b[8] = checkpoint.Format + 1; return resealed(b) }, "use the newer version"},
		{"older format", newest, func(b []byte) []byte { b[8] = checkpoint.Format - 1; return resealed(b) }, "unreleased"},
		{"sums of averages, state", beside, flip(func(b []byte) uint64 { return state(b) + 1000 }), "plane"},
		{"sums of averages, header", beside, flip(func([]byte) uint64 { return 100 }), "header does not match"},
		{"no sums of averages", beside, nil, "there is no file"},
		{"header of another size", newest, func(b []byte) []byte { binary.LittleEndian.PutUint64(b[52:], 1<<40); return resealed(b) }, "does not fit before its state"},
		{"endless file", newest, func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[24:], 1<<40)
			binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], crc32.MakeTable(crc32.Castagnoli)))
			return b
		}, "instead of 1099511627776"},
		{"planes", newest, header(`"Planes":`, `"planet":`), "are not a state"},
		{"overflow", newest, header(`"Bytes":8`, `"Bytes":2`), "does not match the file"},
		{"memory of the run", newest, header(`"Extra":"ey`, `"Extra":"AA`), "stored beside the state cannot be read"},
		{"not JSON", newest, header(`{"Case"`, `{{Case"`), "header of the file cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, output.CheckpointDir, c.file)
			if c.damage == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, c.damage(good(c.file)), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			named := filepath.Join(dir, output.CheckpointDir, newest)
			if _, err := (trial{text: text, ranks: 2, dir: dir, restart: named}).run(t); err == nil || !strings.Contains(err.Error(), c.word) || !strings.Contains(err.Error(), newest) {
				t.Errorf("by its name: %v", err)
			} else if code, _ := ExitCode(err); code != ExitFailure {
				t.Errorf("exit code %d", code)
			}
			s := trial{text: text, ranks: 3, dir: dir, restart: Latest}.must(t)
			if warned := strings.Join(s.warned, "\n"); !strings.Contains(warned, c.word) || !strings.Contains(warned, "trying the previous one") && !strings.Contains(warned, "skipped: ") {
				t.Errorf("warned %q", s.warned)
			}
			compare(t, "from the one before", outputsIn(t, dir), want)
		})
	}

	bad := t.TempDir()
	if err := os.CopyFS(bad, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if err := os.Truncate(filepath.Join(bad, output.CheckpointDir, filepath.Base(f)), int64(100+i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = trial{text: text, ranks: 2, dir: bad, restart: Latest}.run(t)
	if code, agreed := ExitCode(err); code != ExitFailure || !agreed {
		t.Errorf("%v: exit code %d, agreed %v", err, code, agreed)
	}
	for i, f := range files {
		if err == nil || !strings.Contains(err.Error(), filepath.Base(f)) || !strings.Contains(err.Error(), fmt.Sprintf("has %d bytes", 100+i)) {
			t.Errorf("%s is not named with its reason: %v", f, err)
		}
	}
}

// No partial sums remain if the previous checkpoint has none.
func TestSumsThatAreGivenUp(t *testing.T) {
	text := strings.Replace(withPoint(variety["closed box"]+ending("bgk", "float64", 30)), "start = 5", "start = 25", 1)
	whole, dir := t.TempDir(), t.TempDir()
	trial{text: text, ranks: 2, dir: whole}.must(t)
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	path := checkpoint.Path(filepath.Join(dir, output.CheckpointDir, output.AverageDir), 30)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at, n := binary.LittleEndian.Uint64(b[32:]), binary.LittleEndian.Uint64(b[40:])
	b[at+n-1] ^= 1 // in the last plane
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	trial{text: text, ranks: 2, dir: dir, restart: Latest}.must(t)
	compare(t, "from a checkpoint without sums", outputsIn(t, dir), outputsIn(t, whole))
}
