// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// sheetFile writes a square sheet of two triangles across x as binary STL.
func sheetFile(t *testing.T, wide float64) string {
	t.Helper()
	b := binary.LittleEndian.AppendUint32(make([]byte, 80), 2)
	for _, corners := range [][3][2]float64{{{-1, -1}, {1, -1}, {1, 1}}, {{-1, -1}, {1, 1}, {-1, 1}}} {
		b = append(b, make([]byte, 12)...)
		for _, c := range corners {
			for _, x := range []float64{0, wide * c[0], wide * c[1]} {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	path := filepath.Join(t.TempDir(), "sheet.stl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// closedChannel is a channel that a plate closes, with a pressure at one end.
const closedChannel = `
[domain]
cells = %s
origin = [-20, 0, 0]
lattice = "%s"
[fluid]
viscosity = 0.1
[boundary.in]
type = "pressure"
faces = ["x-"]
pressure = 0.001
[boundary.out]
type = "pressure"
faces = ["x+"]
[boundary.walls]
type = "wall"
faces = %s
[body.plate]
%s
thicken = %v
type = "%s"
[run]
steps = 120
[output.line.before]
from = [-10.5, 1.5%s]
to = [-10.5, 7.5%[7]s]
points = 7
fields = ["velocity"]
[output.line.behind]
from = [17.5, 0.5%[7]s]
to = [17.5, 8.5%[7]s]
points = 9
fields = ["velocity"]
`

// speeds of a line output.
func speeds(t *testing.T, dir, name string) (text string, moves bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(b)), "\n")
	for _, r := range rows[1:] {
		f := strings.Split(r, ",")
		if strings.HasPrefix(r, "#") || strings.Contains(r, "step") {
			continue
		}
		moves = moves || f[len(f)-1] != "0" || f[len(f)-2] != "0"
		text += r + "\n"
	}
	return text, moves
}

// Behind a thickened plate of any thickness and angle the fluid stays at rest to the last bit; as it is, the same plate
// is reported, and fluid passes. The number of ranks changes nothing.
func TestThickenedPlatePassesNothing(t *testing.T) {
	wide := 60.0
	closed := func(thick, turn float64, axis int) string {
		angles := [3]float64{}
		angles[axis] = turn
		return fmt.Sprintf("shape = \"box\"\nfrom = [%g, %g, %g]\nto = [%g, %g, %g]\nrotate = [%g, %g, %g]\nabout = [0.2, 4, 4]",
			0.2-thick/2, -wide, -wide, 0.2+thick/2, wide, wide, angles[0], angles[1], angles[2])
	}
	flat := func(s string) string { // in 2D
		for _, p := range [][2]string{{", -60]", "]"}, {", 60]", "]"}, {"4, 4]", "4]"}} {
			s = strings.ReplaceAll(s, p[0], p[1])
		}
		return s
	}
	file := func(path string) string {
		return fmt.Sprintf("shape = \"stl\"\nfile = %q\nrotate = [0, 0, 30]\ntranslate = [0.2, 4, 4]", path)
	}
	thin := boxFile(t, [3]float64{-0.3, -60, -60}, [3]float64{0.3, 60, 60})
	for _, c := range []struct {
		name, lattice, body string
		refused             bool // as it is
	}{
		{"0 cells at 30", "D2Q9", flat(closed(0, 30, 2)), true},
		{"0.1 cells at 45", "D2Q9", flat(closed(0.1, 45, 2)), false},
		{"0.6 cells at 20", "D2Q9", flat(closed(0.6, 20, 2)), false},
		{"1 cell at 40", "D2Q9", flat(closed(1, 40, 2)), false},
		{"0.6 cells at 30", "D3Q19", closed(0.6, 30, 1), false},
		{"0.3 cells at 45", "D3Q27", closed(0.3, 45, 2), false},
		{"file", "D3Q27", file(thin), false},
		{"file in 2D", "D2Q9", strings.ReplaceAll(file(thin), "4, 4]", "4]"), false},
		{"sheet", "D3Q19", file(sheetFile(t, 60)), true},
	} {
		cells, walls, third := "[40, 9, 9]", `["y-", "y+", "z-", "z+"]`, ", 4.5"
		text := closedChannel
		if c.lattice == "D2Q9" {
			cells, walls, third = "[40, 9]", `["y-", "y+"]`, ""
			text = strings.Replace(text, "[-20, 0, 0]", "[-20, 0]", 1)
		}
		for _, kind := range []string{"wall", "interpolated_wall"} {
			first := ""
			for _, ranks := range []int{1, 3} {
				dir := t.TempDir()
				s, err := trial{text: fmt.Sprintf(text, cells, c.lattice, walls, c.body, true, kind, third), ranks: ranks, dir: dir}.run(t)
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, kind, err)
				}
				if rows, moves := speeds(t, dir, "line_behind.csv"); moves {
					t.Errorf("%s, %s: fluid passes\n%s", c.name, kind, rows)
				}
				rows, moves := speeds(t, dir, "line_before.csv")
				if first == "" {
					first = rows
				}
				if !moves || rows != first {
					t.Errorf("%s, %s: before the plate on %d ranks\n%s\non one\n%s", c.name, kind, ranks, rows, first)
				}
				for _, w := range s.start.Case.Warnings {
					if w.Kind == finding.ThinBody.Name {
						t.Errorf("%s, %s: %s", c.name, kind, w.Text)
					}
				}
			}
		}
		dir := t.TempDir()
		s, err := trial{text: fmt.Sprintf(text, cells, c.lattice, walls, c.body, false, "wall", third), ranks: 1, dir: dir}.run(t)
		if c.refused {
			if err == nil {
				t.Errorf("%s: a plate without thickness was taken as it is", c.name)
			}
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), "thicken = true") { // no centre of a cell lies in it
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		warned := false
		for _, w := range s.start.Case.Warnings {
			warned = warned || w.Kind == finding.ThinBody.Name && strings.Contains(w.Text, "fluid leaks between its cells")
		}
		if _, moves := speeds(t, dir, "line_behind.csv"); !moves || !warned {
			t.Errorf("%s as it is: fluid passes %v, warned %v: %v", c.name, moves, warned, s.start.Case.Warnings)
		}
	}
}
