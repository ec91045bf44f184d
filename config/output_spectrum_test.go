// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"reflect"
	"strings"
	"testing"
)

// Where a case does not give the lines, its walls and periodic axes determine them. The resolved copy has them, and is equivalent.
func TestLinesOfSpectra(t *testing.T) {
	const text = `
[domain]
cells = CELLS
periodic = PERIODIC
origin = ORIGIN
[fluid]
viscosity = 0.1
WALLS
[output.spectrum.s]
along = "x"
KEYS
[run]
steps = 10
`
	wall := func(faces string) string { return "[boundary.walls]\ntype = \"wall\"\nfaces = [" + faces + "]\n" }
	for _, c := range []struct {
		cells, periodic, walls, keys string
		normal                       int
		at                           []int
		resolved                     string
	}{
		{"[8, 10, 12]", `["x", "y", "z"]`, "", "", 2, nil, ""},
		{"[8, 10, 12]", `["x", "z"]`, wall(`"y-", "y+"`), "", 1, []int{5}, "normal = \"y\"\nat = [6.5]\n"},
		{"[8, 10, 12]", `["x", "y"]`, wall(`"z-", "z+"`), "at = [2, 12.5]", 2, []int{1, 11}, "normal = \"z\"\nat = [2, 12.5]\n"},
		{"[8, 10, 12]", `["x", "z"]`, wall(`"y-", "y+"`), `normal = "z"`, 2, []int{6}, "normal = \"z\"\nat = [7.5]\n"},
		{"[8, 10, 12]", `["x"]`, wall(`"y-", "y+", "z-", "z+"`), "normal = \"y\"\nat = [1]", 1, []int{0}, "normal = \"y\"\nat = [1]\n"},
		{"[8, 10]", `["x", "y"]`, "", "", 1, nil, ""},
		{"[8, 10]", `["x", "y"]`, "", "at = [3]", 1, []int{2}, "normal = \"y\"\nat = [3]\n"},
		{"[8, 10]", `["x"]`, wall(`"y-", "y+"`), "", 1, []int{5}, "normal = \"y\"\nat = [6.5]\n"},
	} {
		origin := "[1, 1, 1]"
		if strings.Count(c.cells, ",") == 1 {
			origin = "[1, 1]"
		}
		src := strings.NewReplacer("CELLS", c.cells, "PERIODIC", c.periodic, "ORIGIN", origin, "WALLS", c.walls, "KEYS", c.keys).Replace(text)
		k, err := Load("a.toml", []byte(src))
		if err != nil {
			t.Errorf("%s\n%v", src, err)
			continue
		}
		s := k.Spectra[0]
		if s.Normal != c.normal || !reflect.DeepEqual(s.At, c.at) || !strings.Contains(k.Resolved, "along = \"x\"\n"+c.resolved) {
			t.Errorf("%s\nnormal %d, at %v:\n%s", src, s.Normal, s.At, k.Resolved)
		}
		again, err := Load("a.toml", []byte(k.Resolved))
		if err != nil || !reflect.DeepEqual(again.Spectra, k.Spectra) || again.Resolved != k.Resolved {
			t.Errorf("the resolved copy reads %+v (%v) instead of %+v", again.Spectra, err, k.Spectra)
		}
	}
}

// Lines are of the finest level that has whole ones in their plane, of cells that no finer box covers.
func TestLinesOfSpectraOnLevels(t *testing.T) {
	const text = `
[domain]
cells = [16, 24, 16]
periodic = PERIODIC
[fluid]
viscosity = 0.1
WALLS
[refine.floor]
level = 1
from = [0, 0, 0]
to = [16, 6, 16]
[refine.strip]
level = 2
from = [0, 0, 4]
to = [16, 3, 12]
[refine.body]
level = 1
from = [4, 8, 0]
to = [12, 16, 16]
[output.spectrum.s]
along = "x"
KEYS
[run]
steps = 10
`
	wall := "[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n"
	for _, c := range []struct {
		keys       string
		at, levels []int
		rows       int
		err        string
	}{
		{"normal = \"y\"\nat = [0.3, 5.1, 20]", []int{1, 10, 20}, []int{2, 1, 0}, 32 + 16 + 8, ""},
		{"normal = \"z\"\nat = [1.3, 6.1]", []int{2, 24}, []int{1, 2}, 16 + 32, ""},
		{"", []int{12}, []int{0}, 8, "crosses ends of boxes"}, // the middle, where a box covers the middle of each line
		{"at = [3.1, 3.2]", nil, nil, 0, "the same cells along y"},
	} {
		src := strings.NewReplacer("PERIODIC", `["x", "z"]`, "WALLS", wall, "KEYS", c.keys).Replace(text)
		k, err := Load("a.toml", []byte(src))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v", c.keys, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
			continue
		}
		s := k.Spectra[0]
		if !reflect.DeepEqual(s.At, c.at) || !reflect.DeepEqual(s.Levels, c.levels) || s.Rows(k.Cells) != c.rows {
			t.Errorf("%s: at %v, levels %v, %d rows", c.keys, s.At, s.Levels, s.Rows(k.Cells))
		}
	}
	src := strings.NewReplacer("PERIODIC", `["x", "y", "z"]`, "WALLS", "", "KEYS", "", "[0, 0, 4]", "[0, 1, 4]").Replace(text)
	k, err := Load("a.toml", []byte(src))
	if err != nil || !reflect.DeepEqual(k.Spectra[0].Levels, []int{2}) || k.Spectra[0].At != nil {
		t.Errorf("all lines: %v, %v", k, err)
	}
}
