// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An unusable file in a case is an error of the case, at its line.
func TestFilesOfACaseAreAtTheirLine(t *testing.T) {
	const domain = `[domain]
cells = [32, 32, 32]
periodic = ["y", "z"]
[fluid]
viscosity = 0.05
[run]
steps = 2
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.01, 0, 0]
`
	dir := t.TempDir()
	for name, text := range map[string]string{"words.csv": "time,factor\nnow,then\n", "words.stl": "not a surface\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o666); err != nil { // it has no writer
		t.Fatal(err)
	}
	for _, c := range []struct {
		more, place string
		want        []string
	}{
		{"table = \"none.csv\"\n", "15:9", []string{"[boundary.in]", "no such file", "the folder of the case file"}},
		{"table = \"pipe.csv\"\n", "15:9", []string{"not a regular file"}},
		{"table = \"words.csv\"\n", "15:9", []string{"words.csv:2", "is not a number"}},
		{"profile = \"none.csv\"\nprofile_along = \"y\"\n", "15:11", []string{"[boundary.in]", "no such file"}},
		{"[body.b]\nshape = \"stl\"\nfile = \"none.stl\"\n", "17:8", []string{"[body.b]", "no such file", "the folder of the case file"}},
		{"[body.b]\nshape = \"stl\"\nfile = \"words.stl\"\n", "17:8", []string{"[body.b]", "words.stl"}},
		{"[body.b]\nshape = \"image\"\nvoxels = [2, 2, 2]\nfile = \"none.raw\"\n", "18:8", []string{"[body.b]", "no such file"}},
	} {
		path := writeCase(t, dir, domain+c.more)
		commands := []string{"check"}
		if strings.Contains(c.more, "none.") { // a run reads them by the same functions
			commands = append(commands, "run")
		}
		for _, command := range commands {
			r := runProgram(t, dir, 0, command, path)
			if r.code != 2 || !strings.Contains(r.out, "case.toml:"+c.place+": error: ") || !strings.Contains(r.out, "^~~") {
				t.Errorf("%s, %q: exit code %d\n%s", command, c.more, r.code, r.out)
			}
			for _, want := range c.want {
				if !strings.Contains(r.out, want) {
					t.Errorf("%s, %q: no %q in\n%s", command, c.more, want, r.out)
				}
			}
		}
	}
	path := writeCase(t, dir, domain+"table = \"none.csv\"\n")
	if r := runProgram(t, dir, 2, "run", path); r.code != 2 || !strings.Contains(r.out, "case.toml:15:9: error: ") {
		t.Errorf("two ranks: exit code %d\n%s", r.code, r.out)
	}
}

// check reports outputs that do not fit on the disk, and the memory of bodies from files.
func TestCheckForecastsOutputsAndFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ball.stl"), sphereSTL(50, 10), 0o666); err != nil {
		t.Fatal(err)
	}
	path := writeCase(t, dir, `[domain]
cells = [64, 64, 64]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.05
[run]
steps = 9_000_000
[body.ball]
shape = "stl"
type = "interpolated_wall"
file = "ball.stl"
translate = [32, 32, 32]
[output.fields]
every = 1
[output.plane.cut]
every = 1
`)
	r := runProgram(t, dir, 1, "check", path)
	for _, want := range []string{"file of body ball", "lists of links", "[output.plane.cut] ", "9,000,000 times, 9,000,000 files", "[output.fields] would be written 9,000,000 times", "but the disk of out/case has "} {
		if r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("exit code %d, no %q in\n%s", r.code, want, r.out)
		}
	}
}

// check prints the levels of a refined grid, on ranks with the largest share of one, and mistakes of boxes at their lines.
func TestCheckPrintsLevels(t *testing.T) {
	dir := t.TempDir()
	const text = `[domain]
cells = [80, 40]
periodic = ["x", "y"]
[fluid]
viscosity = 0.05
[run]
steps = 10
[body.disc]
shape = "cylinder"
centre = [30, 20]
radius = 4
[refine.wake]
level = 1
from = [20, 10]
to = [60, 30]
[refine.disc]
level = 2
around = "disc"
`
	path := writeCase(t, dir, text)
	one, four := runProgram(t, dir, 1, "check", path), runProgram(t, dir, 1, "check", "--ranks", "4", path)
	for _, r := range []struct{ out, want string }{
		// The box around the disc is 6 cells of level 2, 1.5 of level 0, wider on each side: 11 cells of level 0.
		{one.out, "levels, on 1 rank "}, {one.out, " 0 the domain 1 1 0.65 2400 800 2400 "}, {one.out, " 2 disc 0.25 0.25 1.1 1936 "},
		{four.out, "levels, on 4 ranks "}, {four.out, "largest share of a rank "}, {four.out, "cells of level 0 per rank"},
	} {
		if !strings.Contains(strings.Join(strings.Fields(r.out), " "), r.want) {
			t.Errorf("no %q in\n%s", r.want, r.out)
		}
	}
	if strings.Contains(one.out, "share of a rank") {
		t.Errorf("shares on one rank:\n%s", one.out)
	}
	path = writeCase(t, dir, strings.Replace(text, "to = [60, 30]", "to = [30, 30]", 1))
	if r := runProgram(t, dir, 1, "check", path); r.code != 2 || !strings.Contains(r.out, "case.toml:16:1: error: [refine.disc] of level 2 lies outside level 1") || !strings.Contains(r.out, "    [refine.disc_1]\n    level = 1\n    from = [") {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
}
