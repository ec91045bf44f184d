// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/io/fields"
	"lbmsim/sim/output"
)

// drivenChannel is a flow that a force accelerates beyond the limit in the middle of the channel.
const drivenChannel = `
[domain]
cells = [20, 16]
periodic = ["x"]
[fluid]
viscosity = 0.05
[force]
force_density = [5e-4, 0]
[boundary.plates]
type = "wall"
faces = ["y-", "y+"]
[run]
steps = %d
watch_every = 70
max_mach = 0.15
`

// brokenRefined are refined cases that become unstable, with the level and the box of the first bad cell, and words of the evidence.
var brokenRefined = map[string]struct {
	text          string
	level         int
	box, evidence string
}{
	"coarse": {fmt.Sprintf(drivenChannel, 1000) + "[refine.floor]\nlevel = 1\nfrom = [2, 0]\nto = [12, 5]\n", 0, "", "of level 0"},
	"fine":   {fmt.Sprintf(drivenChannel, 1000) + "[refine.floor]\nlevel = 1\nfrom = [2, 0]\nto = [12, 5]\n[refine.around]\nlevel = 1\nfrom = [0, 5]\nto = [20, 11]\n[refine.axis]\nlevel = 2\nfrom = [0, 7]\nto = [20, 9]\n", 2, "[refine.axis]", "level 2"},
	"eddies": {`
[domain]
cells = [20, 12, 10]
periodic = ["x", "z"]
[fluid]
viscosity = 0.001
[turbulence]
model = "wale"
constant = 0.5
[initial]
velocity = ["0.02*sin(2*pi*z/Lz)", "0.02*sin(2*pi*x/Lx)", "0.02*cos(2*pi*x/Lx)"]
[force]
force_density = [1e-3, 0, 0]
[boundary.plates]
type = "wall"
faces = ["y-", "y+"]
[refine.middle]
level = 1
from = [4, 3, 2]
to = [15, 9, 8]
[run]
steps = 1000
watch_every = 45
max_mach = 0.12
`, 0, "", "tau of level 0 is 0.503"},
}

// The first bad cell of a refined grid is found with its level and box, with the same bytes on any number of ranks.
func TestFirstBadCellOfARefinedGrid(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	for name, c := range brokenRefined {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b, want := blowup(t, trial{text: c.text, ranks: 1, dir: dir})
			var where struct {
				Level int
				Box   string
			}
			if err := json.Unmarshal(want[output.BlowupJSON], &where); err != nil {
				t.Fatal(err)
			}
			if where.Level != c.level || where.Box != c.box {
				t.Errorf("level %d, box %q; want %d, %q", where.Level, where.Box, c.level, c.box)
			}
			if b.Step >= b.Seen || b.From != 0 {
				t.Errorf("step %d, seen at %d, from %d", b.Step, b.Seen, b.From)
			}
			text := string(want[output.BlowupText])
			if !strings.Contains(text, fmt.Sprintf("of level %d", c.level)) || !strings.Contains(text, c.evidence) {
				t.Errorf("report %s", text)
			}
			path := filepath.Join(dir, output.BlowupDir, fmt.Sprintf("blowup_%010d.hdf", b.Step))
			if err := fields.Verify(path); err != nil {
				t.Error(err)
			}
			f, err := fields.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if got, want := f.Levels.Spacing, 1/float64(int(1)<<c.level); got != want {
				t.Errorf("the fields have the spacing %g, want %g", got, want)
			}
			for _, ranks := range []int{3, 7} {
				if testing.Short() && ranks == 7 {
					continue
				}
				_, got := blowup(t, trial{text: c.text, ranks: ranks})
				if len(got) != len(want) {
					t.Errorf("%d ranks: %d files, want %d", ranks, len(got), len(want))
				}
				for name := range want {
					if !bytes.Equal(got[name], want[name]) {
						t.Errorf("%d ranks: %s differs", ranks, name)
					}
				}
			}
		})
	}
}

// A refined run that was continued goes back to the copy of the state that it began from, to the same cell.
func TestFirstBadCellOfARefinedGridAfterARestart(t *testing.T) {
	for _, name := range []string{"fine", "eddies"} {
		text := brokenRefined[name].text
		want, _ := blowup(t, trial{text: text, ranks: 2})
		dir := t.TempDir()
		trial{text: strings.Replace(text, "steps = 1000", "steps = 30", 1) + "[checkpoint]\n", ranks: 1, dir: dir}.must(t)
		got, _ := blowup(t, trial{text: text + "[checkpoint]\n", ranks: 3, dir: dir, restart: "latest"})
		if got.From != 30 || got.Step != want.Step || got.Cell != want.Cell {
			t.Errorf("%s: from %d: step %d, cell %v; want %d, %v", name, got.From, got.Step, got.Cell, want.Step, want.Cell)
		}
	}
}
