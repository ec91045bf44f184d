// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	encoding "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/io/film"
	"lbmsim/sim"
)

// framesOf returns the number of pictures of an animated PNG (PNG specification, third edition, 11.3.2.1); 0: there is no file.
func framesOf(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return 0
	}
	at := bytes.Index(b, []byte("acTL"))
	if err != nil || at < 0 {
		t.Fatalf("%s is not animated (%v)", path, err)
	}
	return int(encoding.BigEndian.Uint32(b[at+4:]))
}

const filmed = `
[domain]
cells = [24, 16]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[initial]
velocity = ["0.05*sin(2*pi*y/Ly)", "0.02*sin(2*pi*x/Lx)"]
[run]
steps = %d
[checkpoint]
every = 40
keep = 9
[output.picture]
every = 10
range = [0, 0.05]
[output.film.speed]
fps = 5
format = %q
[expect.max_speed]
value = %g
within = 1
`

// A run makes its film once it has reached its last step, of all pictures up to there, also if it misses [expect], but not if it was
// stopped; --overwrite removes the film before. A film that fails is a note, and auto falls back to a format that the machine can make.
func TestFilmOfARun(t *testing.T) {
	dir := t.TempDir()
	path, film := filepath.Join(dir, "a.toml"), filepath.Join(dir, "out", "speed.apng")
	encoder := t.TempDir() // an ffmpeg without encoders
	if err := os.WriteFile(filepath.Join(encoder, "ffmpeg"), []byte("#!/bin/sh\nexec 1>&2\necho Unknown encoder libx264\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, format string
		steps        int
		speed        float64
		args         []string
		path         string
		code, frames int
		said         string
	}{
		{"a fresh folder", "apng", 80, 0.05, nil, "", 0, 8, ""},
		{"a restart", "apng", 100, 0.05, []string{"--restart", "latest"}, "", 0, 10, ""},
		{"a restart from before", "apng", 60, 0.05, []string{"--restart", filepath.Join(dir, "out", "checkpoints", "checkpoint_000000000040.h5")}, "", 0, 6, ""},
		{"stopped", "apng", 2000000000, 0.05, []string{"--overwrite", "--set", "run.wall_time=0.2 s", "--set", "output.picture.every=100000000"}, "", 0, 0, ""},
		{"expect", "apng", 20, 5, []string{"--overwrite"}, "", sim.ExitExpect, 2, ""},
		{"no encoder", "auto", 30, 0.05, []string{"--overwrite"}, encoder, 0, 3, ""},
		{"no such encoder", "webm", 30, 0.05, []string{"--overwrite"}, encoder, 0, 0, ""},
		{"no ffmpeg", "mp4", 30, 0.05, []string{"--overwrite"}, dir, sim.ExitUsage, 0, "[output.film.speed]: ffmpeg is not on PATH"},
	} {
		text := fmt.Sprintf(filmed, c.steps, c.format, c.speed)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if c.path != "" {
			t.Setenv("PATH", c.path+string(filepath.ListSeparator)+"/bin")
			if c.path == dir {
				t.Setenv("PATH", dir)
			}
		}
		code, said := heard(t, func() int {
			return execute(append([]string{"run", path, "--device", "cpu", "--output", filepath.Join(dir, "out")}, c.args...))
		})
		if code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%s: exit code %d, %s", c.name, code, said)
		}
		if got := framesOf(t, film); got != c.frames {
			t.Errorf("%s: %d pictures, want %d", c.name, got, c.frames)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out", ".*.part")); len(left) > 0 {
		t.Errorf("unfinished %v", left)
	}
}

func TestFilmFormats(t *testing.T) {
	for _, f := range config.FilmFormats() {
		if err := film.Known("a." + f); err != nil {
			t.Error(err)
		}
	}
}
