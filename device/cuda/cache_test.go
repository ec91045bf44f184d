// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lbmsim/model"
)

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	made := 0
	get := func(dir, key string) string {
		t.Helper()
		code, err := cached(dir, key, func() ([]byte, error) {
			made++
			return []byte("code of " + key), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(code)
	}
	expect := func(what, got, want string, times int) {
		t.Helper()
		if got != want || made != times {
			t.Errorf("%s: %q, made %d times; want %q, %d", what, got, made, want, times)
		}
	}
	expect("first", get(dir, "a"), "code of a", 1)
	expect("again", get(dir, "a"), "code of a", 1)
	expect("another", get(dir, "b"), "code of b", 2)

	file := filepath.Join(dir, "a.cubin")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, broken := range []string{"", "short", string(whole[:len(whole)-1]), strings.Repeat("x", len(whole))} {
		if err := os.WriteFile(file, []byte(broken), 0o666); err != nil {
			t.Fatal(err)
		}
		expect("broken", get(dir, "a"), "code of a", 3+i)
		expect("mended", get(dir, "a"), "code of a", 3+i)
	}
	made = 0
	expect("no folder", get("", "a"), "code of a", 1)
	// A file where the folder should be: nothing can be kept.
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	expect("unwritable", get(filepath.Join(blocked, "cache"), "a"), "code of a", 2)
	expect("unwritable again", get(filepath.Join(blocked, "cache"), "a"), "code of a", 3)

	failed := errors.New("no")
	if _, err := cached(dir, "c", func() ([]byte, error) { return nil, failed }); err != failed {
		t.Errorf("error %v", err)
	}
	expect("after a failure", get(dir, "c"), "code of c", 4)
	left, _ := filepath.Glob(filepath.Join(dir, "*.cubin.*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Ranks that start at once compile once.
func TestCacheAtOnce(t *testing.T) {
	dir := t.TempDir()
	var made atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			code, err := cached(dir, "key", func() ([]byte, error) {
				made.Add(1)
				time.Sleep(50 * time.Millisecond)
				return []byte("code"), nil
			})
			if err != nil || string(code) != "code" {
				t.Errorf("%q, %v", code, err)
			}
		}()
	}
	all.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

// A rank that holds the lock indefinitely only delays the others by their patience.
func TestLockPatience(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	unlock := lock(file, time.Minute)
	start := time.Now()
	lock(file, 100*time.Millisecond)()
	if d := time.Since(start); d < 100*time.Millisecond || d > 20*time.Second {
		t.Errorf("waited %v", d)
	}
	unlock()
	start = time.Now()
	lock(file, time.Minute)()
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("waited %v for a free lock", d)
	}
}

// The key changes with whatever changes the code.
func TestKey(t *testing.T) {
	spec := model.Spec{Lattice: model.Lattices[0], Collision: model.Collisions[0]}
	other := spec
	other.Precision = model.Float64
	c := &compiler{major: 12, minor: 9, archs: []int{70, 90}}
	newer := *c
	newer.minor = 10
	keys := map[string]string{}
	add := func(what string, c *compiler, spec model.Spec, pitch, arch int, extra string) {
		j, err := newJob(c, spec, pitch, arch)
		if err != nil {
			t.Fatal(err)
		}
		j.text += extra
		if old, ok := keys[j.key()]; ok {
			t.Errorf("%s has the key of %s", what, old)
		}
		keys[j.key()] = what
	}
	add("one", c, spec, 0, 90, "")
	add("another precision", c, other, 0, 90, "")
	add("another pitch", c, spec, 32, 90, "")
	add("another GPU", c, spec, 0, 70, "")
	add("another compiler", &newer, spec, 0, 90, "")
	patched := *c
	patched.size++
	add("another build of the compiler", &patched, spec, 0, 90, "")
	add("another text", c, spec, 0, 90, " ")
	again, _ := newJob(c, spec, 0, 90)
	if keys[again.key()] != "one" {
		t.Error("the key of the same job is another one")
	}
}

// Work that begins in the background is done once, and close waits for it.
func TestCompilationsInTheBackground(t *testing.T) {
	var k compilations
	var calls atomic.Int64
	get := func() []byte {
		code, err := k.once("a", func() ([]byte, error) {
			time.Sleep(20 * time.Millisecond)
			return []byte{byte(calls.Add(1))}, nil
		})()
		if err != nil {
			t.Error(err)
		}
		return code
	}
	for range 3 {
		k.begin(func() { get() })
	}
	k.close()
	if n := calls.Load(); n != 1 {
		t.Fatalf("done %d times before close returned", n)
	}
	if code := get(); len(code) != 1 || code[0] != 1 {
		t.Errorf("%v", code)
	}
}
