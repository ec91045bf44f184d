// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/config"
	"lbmsim/geometry"
)

const inBoxes = `
[domain]
cells = [100, 60, 40]
periodic = ["z"]
[fluid]
viscosity = 0.02
[run]
steps = 1
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.bar]
shape = "cylinder"
axis = "z"
centre = [30, 30, 0]
radius = 3
[refine.a]
level = 1
from = [20, 20, 0]
to = [60, 40, 40]
[refine.b]
level = 2
around = "bar"
`

// The plane of a bar that all boxes span is across it. The picture has the fills of all levels and of the body where they are, and a
// second one shows the surroundings of small boxes.
func TestPictureOfLevels(t *testing.T) {
	c, err := config.Load("case.toml", []byte(inBoxes))
	if err != nil {
		t.Fatal(err)
	}
	p, near := levelsOf(c, []geometry.Shape{c.Bodies[0].Shape(nil)})
	if p.Axes != [2]string{"x", "y"} || p.Where != "z = 20" || len(p.Boxes) != 2 || len(p.Levels) != 3 || near[1][0]-near[0][0] != 9 {
		t.Errorf("%+v, finest from %v", p, near)
	}
	if !p.Solid([2]float64{30, 30}) || p.Solid([2]float64{34, 30}) {
		t.Error("the body is elsewhere")
	}
	dir := t.TempDir()
	var out bytes.Buffer
	if _, err := checkFiles(&out, c, nil, dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, levelsPicture)
	if !strings.Contains(out.String(), path) || !strings.Contains(out.String(), nearPicture(path)) {
		t.Errorf("%s", out.String())
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			count[color.NRGBAModel.Convert(img.At(x, y))]++
		}
	}
	// Areas in cells of level 0, of 100 pixels each: 40 x 20 less 9 x 9 on level 1, 81 less the bar on level 2.
	for _, f := range []struct {
		colour color.NRGBA
		cells  float64
	}{{color.NRGBA{0xd3, 0xe6, 0xf4, 0xff}, 719}, {color.NRGBA{0xa3, 0xcd, 0xe8, 0xff}, 81 - 28.3}, {color.NRGBA{0x55, 0x55, 0x55, 0xff}, 28.3}} {
		if n := float64(count[f.colour]) / 100; n < 0.9*f.cells || n > 1.15*f.cells+3 { // outlines, and the legend
			t.Errorf("%v fills %g cells, want %g", f.colour, n, f.cells)
		}
	}
}

// refine replaces no file, and writes a case only beside its inputs.
func TestOutputsOfRefine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "case.toml")
	if err := os.WriteFile(path, []byte(inBoxes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mayWrite(path); err == nil || !strings.Contains(err.Error(), "the file exists") {
		t.Errorf("%v", err)
	}
	if err := mayWrite(filepath.Join(dir, "none", "a.toml")); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("%v", err)
	}
	c, err := config.Load(path, []byte(inBoxes+"[body.car]\nshape = \"stl\"\nfile = \"car.stl\"\nunit = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := besideInputs(c, filepath.Join(dir, "a.toml")); err != nil {
		t.Error(err)
	}
	if err := besideInputs(c, filepath.Join(t.TempDir(), "a.toml")); err == nil || !strings.Contains(err.Error(), "car.stl") {
		t.Errorf("%v", err)
	}
}
