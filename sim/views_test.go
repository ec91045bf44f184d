// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/brief"
)

// viewed is a flow with vortices past a ball from a file and a rod, with two views.
const viewed = `
[domain]
cells = [30, 22, 18]
periodic = ["x", "y"]
[fluid]
viscosity = 0.02
[boundary.walls]
type = "wall"
faces = ["z-", "z+"]
[body.ball]
shape = "stl"
file = %q
translate = [9.2, 10, 9]
[body.rod]
shape = "cylinder"
axis = "y"
centre = [19, 0, 6]
radius = 2
[initial]
velocity = ["0.04 + 0.02*sin(2*pi*y/Ly)", "0.03*sin(2*pi*z/Lz)", "0.02*cos(2*pi*x/Lx)"]
[output.view.vortices]
value = 2e-6
size = [160, 96]
ground = "z-"
every = 10
orbit = 1
[output.view.slow]
surface = "speed"
value = 0.03
colour = "vorticity"
range = [0, 0.02]
from = [-20, -30, 30]
at = [15, 11, 9]
size = [120, 80]
[run]
steps = 20
`

// viewsIn returns the views that a run has left. Their files also contain how the run was made, which differs.
func viewsIn(t *testing.T, dir string) map[string]image.Image {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pictures in %s (%v)", dir, err)
	}
	all := map[string]image.Image{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)], err = png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// pixels returns the number of pixels that some colour is true for.
func pixels(img image.Image, is func(r, g, b uint32) bool) (n int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); is(r>>8, g>>8, b>>8) {
				n++
			}
		}
	}
	return n
}

// differ returns the number of pixels in which two pictures differ by more than some of 255 steps.
func differ(a, b image.Image, steps uint32) (n int) {
	if a.Bounds() != b.Bounds() {
		return a.Bounds().Dx() * a.Bounds().Dy()
	}
	apart := func(u, v uint32) bool { return max(u, v)-min(u, v) > steps<<8 }
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, blue, _ := a.At(x, y).RGBA()
			u, v, w, _ := b.At(x, y).RGBA()
			if apart(r, u) || apart(g, v) || apart(blue, w) {
				n++
			}
		}
	}
	return n
}

// compareViews reports pictures that differ in any pixel.
func compareViews(t *testing.T, what string, got, want map[string]image.Image) {
	t.Helper()
	for name := range want {
		if got[name] == nil {
			t.Errorf("%s: no %s", what, name)
		} else if n := differ(got[name], want[name], 0); n > 0 {
			t.Errorf("%s: %s differs in %d pixels", what, name, n)
		}
	}
}

// Views have the same bits on any number of ranks and threads, in any cut.
func TestViewsOfEveryCut(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	file, _ := ballFile(t, 16, 4.2, 0)
	text := fmt.Sprintf(viewed, file)
	dir := t.TempDir()
	trial{text: text, ranks: 1, threads: 1, dir: dir}.must(t)
	want := viewsIn(t, dir)
	if len(want) != 3 {
		t.Fatalf("%d pictures, not 3", len(want))
	}
	for name, img := range want {
		grey := pixels(img, func(r, g, b uint32) bool { return r > 0x40 && r < 0xc0 && b >= r && b-r < 12 && g >= r && b-g < 12 })
		coloured := pixels(img, func(r, g, b uint32) bool { return max(r, g, b)-min(r, g, b) > 0x30 })
		// The scale has about 3600 pixels of colours. Set after seeing 600 to 2000 grey ones in the image and 2000 to 9000 of the surface.
		if grey < 300 || coloured < 4500 {
			t.Errorf("%s: %d grey pixels of bodies, %d with colours", name, grey, coloured)
		}
	}
	for _, tr := range []trial{{ranks: 2, threads: 2}, {ranks: 3, threads: 1}, {ranks: 4, cut: [3]int{1, 2, 2}, threads: 3}, {ranks: 4, cut: [3]int{1, 4, 1}}} {
		if testing.Short() && tr.ranks != 4 {
			continue
		}
		tr.text, tr.dir = text, t.TempDir()
		tr.must(t)
		compareViews(t, fmt.Sprintf("%d ranks %v", tr.ranks, tr.cut), viewsIn(t, tr.dir), want)
	}
}

// Views of refined grids have the same bits on any number of ranks, and show the same surface as a grid of fine cells: an initial
// state that all levels have exactly.
func TestViewsOfRefinedGrids(t *testing.T) {
	dir := t.TempDir()
	trial{text: fmt.Sprintf(viewedLevels, viewedBoxes), ranks: 1, threads: 2, dir: dir}.must(t)
	want := viewsIn(t, dir)
	brief.Fewer(t, "numbers of ranks")
	for _, ranks := range []int{2, 3, 4} {
		if testing.Short() && ranks != 3 {
			continue
		}
		dir := t.TempDir()
		trial{text: fmt.Sprintf(viewedLevels, viewedBoxes), ranks: ranks, dir: dir}.must(t)
		compareViews(t, fmt.Sprintf("%d ranks", ranks), viewsIn(t, dir), want)
	}
	dir = t.TempDir()
	trial{text: fmt.Sprintf(viewedLevels, ""), ranks: 1, threads: 2, dir: dir}.must(t)
	const first = "slow_0000000000.png"
	if n, all := differ(viewsIn(t, dir)[first], want[first], 50), 120*80; n > all/20 {
		t.Errorf("%d of %d pixels differ between a refined and a uniform grid", n, all)
	}
}

// viewedLevels is a flow past a ball, with viewedBoxes around it.
const viewedLevels = `
[domain]
cells = [32, 24, 24]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.02
[body.ball]
shape = "sphere"
centre = [12, 12, 12]
radius = 3
[initial]
velocity = ["0.05*cos(2*pi*x/Lx)*cos(2*pi*y/Ly)*cos(2*pi*z/Lz)", 0, 0]
%s
[output.view.slow]
surface = "speed"
value = 0.025
size = [120, 80]
range = [0, 0.05]
at_start = true
[run]
steps = 4
`

const viewedBoxes = `[refine.near]
level = 1
from = [6, 6, 6]
to = [20, 18, 18]
[refine.nearer]
level = 2
from = [8, 8, 8]
to = [16, 16, 16]
`

// A resumed run writes the same views: the camera's turn follows from the time.
func TestViewsOfAResumedRun(t *testing.T) {
	file, _ := ballFile(t, 16, 4.2, 0)
	text := fmt.Sprintf(viewed, file) + "[checkpoint]\nevery = 10\n"
	dir := t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	want := viewsIn(t, dir)
	again := t.TempDir()
	trial{text: strings.Replace(text, "steps = 20", "steps = 10", 1), ranks: 1, dir: again}.must(t)
	if err := os.Remove(filepath.Join(again, "slow_0000000010.png")); err != nil {
		t.Fatal(err)
	}
	trial{text: text, ranks: 3, dir: again, restart: Latest}.must(t)
	compareViews(t, "resumed", viewsIn(t, again), want)
}
