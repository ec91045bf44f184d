// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/io/film"
)

// framesOf returns the number of pictures of an animated PNG (PNG specification, third edition, 11.3.2.1).
func framesOf(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("acTL"))
	if at < 0 {
		t.Fatalf("%s is not animated", path)
	}
	return int(binary.BigEndian.Uint32(b[at+4:]))
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
format = "apng"
fps = 5
every = 25
`

// A film has all pictures of the run, the last included, also after a restart, which takes back the pictures of later steps.
func TestFilm(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "speed.apng")
	run := func(steps int, restart string, want int) {
		t.Helper()
		trial{text: fmt.Sprintf(filmed, steps), ranks: 2, dir: dir, restart: restart}.must(t)
		if got := framesOf(t, path); got != want {
			t.Errorf("%d pictures until step %d, want %d", got, steps, want)
		}
	}
	run(80, "", 8)
	run(100, "latest", 10)
	run(60, filepath.Join(dir, "checkpoints", "checkpoint_000000000040.h5"), 6)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.part")); len(left) > 0 {
		t.Errorf("unfinished %v", left)
	}
}

// A film that the machine cannot make ends the run before its first step.
func TestFilmWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := trial{text: strings.Replace(fmt.Sprintf(filmed, 20), "apng", "mp4", 1), ranks: 2, dir: t.TempDir()}.run(t)
	if err == nil || !strings.Contains(err.Error(), "[output.film.speed]: ffmpeg is not on PATH") || !strings.Contains(err.Error(), `format = "apng"`) {
		t.Error(err)
	}
}

func TestFilmFormats(t *testing.T) {
	for _, f := range config.FilmFormats() {
		if err := film.Known("a." + f); err != nil {
			t.Error(err)
		}
	}
}
