// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// blockSTL returns an ASCII surface of boxes.
func blockSTL(boxes ...[2][3]float64) string {
	var b strings.Builder
	b.WriteString("solid s\n")
	for _, box := range boxes {
		corner := func(i int) (p [3]float64) {
			for a := range p {
				p[a] = box[i>>a&1][a]
			}
			return p
		}
		for _, q := range [][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			for _, t := range [][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
				b.WriteString("facet normal 0 0 0\nouter loop\n")
				for _, k := range t {
					p := corner(k)
					fmt.Fprintf(&b, "vertex %g %g %g\n", p[0], p[1], p[2])
				}
				b.WriteString("endloop\nendfacet\n")
			}
		}
	}
	return b.String() + "endsolid s\n"
}

// The command check, the run, its JSON log and status.json have the same warnings of a case.
func TestFindingsEverywhere(t *testing.T) {
	dir := t.TempDir()
	slit := make([]byte, 4*8*4)
	for i := range slit {
		if y := i / 4 % 8; y < 2 || y >= 6 {
			slit[i] = 1
		}
	}
	for name, text := range map[string]string{
		"blade.stl": blockSTL([2][3]float64{{-20, -2, -4}, {20, 2, 4}}),
		"plate.stl": blockSTL([2][3]float64{{-0.3, -60, -5}, {0.3, 60, 5}}),
		"slab.stl":  blockSTL([2][3]float64{{-0.3, -15, -15}, {0.3, 15, 15}}),
		"slit.raw":  string(slit),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const (
		tank    = "[boundary.tank]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\", \"z-\", \"z+\"]\n"
		spin    = "angular_velocity = 2e-3\nspin_axis = [0, 0, 1]\nspin_centre = [24, 24, 12]\n"
		channel = "[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n"
		sides   = "[boundary.sides]\ntype = \"slip\"\nfaces = [\"y-\", \"y+\"%s]\n"
		stream  = "[boundary.inlet]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [%s]\n[boundary.outlet]\ntype = \"outflow\"\nfaces = [\"x+\"]\n"
		driven  = "[boundary.left]\ntype = \"pressure\"\nfaces = [\"x-\"]\npressure = %g\n[boundary.right]\ntype = \"pressure\"\nfaces = [\"x+\"]\n%s"
	)
	head := func(cells, viscosity string) string {
		return "[domain]\ncells = [" + cells + "]\n[fluid]\nviscosity = " + viscosity + "\n"
	}
	stl := func(file, keys string) string {
		return "[body.b]\nshape = \"stl\"\nfile = \"" + file + "\"\n" + keys + "\n"
	}
	for name, c := range map[string]struct {
		text  string
		steps int
		want  []string // of check
		later []string // of the run alone
	}{
		"a blade that spins": {head("48, 48, 24", "0.05") + tank + stl("blade.stl", "translate = [24, 24, 12]\n"+spin), 1, []string{"moves_across"}, nil},
		"a slit in an image": {"[domain]\ncells = [4, 8, 4]\nperiodic = [\"x\", \"y\", \"z\"]\n[fluid]\nviscosity = 0.5\n[force]\nacceleration = [1e-6, 0, 0]\n[body.b]\nshape = \"image\"\nfile = \"slit.raw\"\nvoxels = [4, 8, 4]\n", 1, []string{"porous"}, nil},
		"a thin plate in 2D": {head("120, 60", "0.05") + fmt.Sprintf(driven, 1e-4, channel) + stl("plate.stl", "translate = [60, 30]\nrotate = [0, 0, 30]"), 1, []string{"thin_body"}, nil},
		"the same thickened": {head("120, 60", "0.05") + fmt.Sprintf(driven, 1e-4, channel) + stl("plate.stl", "translate = [60, 30]\nrotate = [0, 0, 30]\nthicken = true"), 1, nil, nil},
		"a turned slab": {head("64, 48, 48", "0.05") + fmt.Sprintf(stream, "0.03, 0, 0") + fmt.Sprintf(sides, ", \"z-\", \"z+\"") + stl("slab.stl", "translate = [24, 24, 24]\nrotate = [0, 30, 0]"), 1,
			[]string{"thin_body"}, nil},
		"water at rest":       {head("12, 12, 24", "0.05") + "[collision]\nprecision = \"float64\"\n[force]\nacceleration = [0, 0, -4e-5]\n[initial]\ndensity = \"exp(-3*4e-5*(z - Lz/2))\"\n" + tank, 1000, nil, nil},
		"a pressure in steps": {head("40, 12", "0.15") + fmt.Sprintf(driven, 0.03, channel), 1000, nil, nil},
		"an outlet behind": {head("110, 80", "0.01") + fmt.Sprintf(stream, "0.05, 0") + fmt.Sprintf(sides, "") + "[body.b]\nshape = \"cylinder\"\ncentre = [85, 40]\nradius = 5\n", 1,
			[]string{"cut_wake"}, nil},
		"air through an open top": {head("20, 20", "0.02") + "[temperature]\nprandtl = 0.71\nreference = 0\ninitial = \"0\"\nexpansion = 0.1\ngravity = [0, -1e-3]\n[boundary.sky]\ntype = \"pressure\"\nfaces = [\"y+\"]\n" +
			"[boundary.sides]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\"]\n[boundary.floor]\ntype = \"wall\"\nfaces = [\"y-\"]\n" +
			"[boundary.plate]\ntype = \"wall\"\nfaces = [\"y-\"]\nfrom = [7, -1]\nto = [13, 1]\ntemperature = 1\n", 3000, nil, []string{"inflow_temperature"}},
	} {
		text := c.text + fmt.Sprintf("[run]\nsteps = %d\n[output.series.s]\nevery = %d\nquantities = [\"max_speed\"]\n", c.steps, c.steps)
		path := writeCase(t, dir, text)
		check := runProgram(t, dir, 0, "check", path)
		said := 0
		for _, line := range strings.Split(check.out, "\n") {
			if strings.HasPrefix(line, "warning:") {
				said++
			}
		}
		run := runProgram(t, dir, 0, "run", path, "--overwrite", "--log", "json")
		var logged, stated []string
		for _, line := range strings.Split(run.out, "\n") {
			var e struct {
				Event string
				Data  struct{ Kind, Text string }
			}
			if json.Unmarshal([]byte(line), &e) == nil && e.Event == "warning" {
				logged = append(logged, e.Data.Kind)
				if inCheck := strings.Contains(check.out, "warning: "+e.Data.Text+"\n"); inCheck == slices.Contains(c.later, e.Data.Kind) {
					t.Errorf("%s: in the run %q, in check\n%s", name, e.Data.Text, check.out)
				}
			}
		}
		var state struct{ Warnings []struct{ Kind string } }
		b, err := os.ReadFile(filepath.Join(dir, "out", "case", "status.json"))
		if err == nil {
			err = json.Unmarshal(b, &state)
		}
		for _, w := range state.Warnings {
			stated = append(stated, w.Kind)
		}
		want := append(slices.Clone(c.want), c.later...)
		if err != nil || check.code != 0 || run.code != 0 || said != len(c.want) || !slices.Equal(logged, want) || !slices.Equal(stated, want) {
			t.Errorf("%s: exit codes %d and %d, %d warnings of check, %v in the log, %v in status.json (%v), expected %v\n%s\n%s",
				name, check.code, run.code, said, logged, stated, err, want, check.out, run.out)
		}
	}
	path := writeCase(t, dir, "[domain]\ncells = [6, 4]\n[fluid]\nviscosity = 0.1\nsurface_tension = 1e-3\n[run]\nsteps = 1\n")
	for _, command := range []string{"check", "run"} {
		if r := runProgram(t, dir, 0, command, path); r.code != 2 || !strings.Contains(r.out, `unknown key "surface_tension" in [fluid]: lbmsim does not compute this`) {
			t.Errorf("%s, two phases: exit code %d\n%s", command, r.code, r.out)
		}
	}
}
