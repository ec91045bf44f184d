// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"math"
	"strings"
	"testing"

	"lbmsim/config"
)

const refinedFlow = `
[domain]
cells = [40, 20, 20]
periodic = ["x", "y"]
[fluid]
viscosity = 0.01
[run]
steps = 10
[boundary.w]
type = "wall"
faces = ["z-", "z+"]
[body.ball]
shape = "sphere"
centre = [12, 10, 10]
radius = 2
[refine.outer]
level = 1
from = [4, 4, 4]
to = [30, 16, 16]
[refine.ball]
level = 2
around = "ball"
[output.fields]
fields = ["pressure"]
[output.plane.p]
at = 10
fields = ["pressure"]
[checkpoint]
every = 5
`

// All levels count: cells, memory and files.
func TestLevels(t *testing.T) {
	c := load(t, refinedFlow)
	// The ball is 2 cells in radius, and the box 6 cells of level 2, 1.5 of level 0, wider: 7 cells of level 0, on cells of level 1.
	const outer, ball = 26 * 12 * 12, 7 * 7 * 7
	counts := []float64{40*20*20 - outer, 8 * (outer - ball), 64 * ball}
	stored := []float64{40 * 20 * 20, (52 + 4) * (24 + 4) * (24 + 4), (28 + 4) * (28 + 4) * (28 + 4)}
	updates := counts[0] + 2*counts[1] + 4*counts[2]
	for _, ranks := range []int{1, 3} {
		rows := Levels(c, ranks)
		if len(rows) != 5 || rows[0][0] != "level" || strings.Join(rows[2][:2], " ") != "1 outer" || strings.Join(rows[3][:2], " ") != "2 ball" {
			t.Fatalf("%q", rows)
		}
		if !strings.HasPrefix(rows[3][4], "0.62") { // tau = 1/2 + 4 * 3 * 0.01
			t.Errorf("tau %s", rows[3][4])
		}
		h := levelsOf(c, ranks)
		all := 0.
		for l := range h.Levels {
			cells, got := 0., 0.
			for r := range ranks {
				s := shareOf(c, h, l, r)
				cells += float64(s.stored)
				got += s.updates
			}
			if want := counts[l] * math.Pow(2, float64(l)); cells != stored[l] || got != want {
				t.Errorf("%d ranks, level %d: %g cells, %g updates, want %g, %g", ranks, l, cells, got, stored[l], want)
			}
			all += got
		}
		if all != updates || all != h.Updates() {
			t.Errorf("%g updates, want %g", all, updates)
		}
	}
	cells := counts[0] + outer + counts[1] + 8*ball + counts[2] // owned ones
	for _, v := range Volumes(c) {
		want := 0.
		switch v.Head {
		case "[output.fields]":
			want = 4 * cells
		case "[output.plane.p]":
			if want = 4 * 160 * 80; v.Each < want || v.Each > want+2e4 { // in cells of level 2 everywhere
				t.Errorf("%s: %g bytes, want %g and a head", v.Head, v.Each, want)
			}
			if got := float64(GatheredBytes(c)); got < 9*want || got > 9.1*want { // 4 bytes of a number, and 4 times 8 while it is gathered
				t.Errorf("rank 0 takes %g bytes for planes, want %g", got, 9*want)
			}
		case "[checkpoint]":
			want = 40 * cells // in rows of 40, 52 and 28 cells, which are stored in whole 8
			if v.Each < want || v.Each > 1.3*want+1e5 {
				t.Errorf("%s: %g bytes, want about %g", v.Head, v.Each, want)
			}
			continue
		}
		if v.Each < want || v.Each > want+1e5 {
			t.Errorf("%s: %g bytes, want %g and a head", v.Head, v.Each, want)
		}
	}
	// The surface of the ball is in cells of level 2, 16 times as many.
	coarse := load(t, refinedFlow[:strings.Index(refinedFlow, "[refine.outer]")])
	if many := ListBytes(c, 1) / max(1, ListBytes(coarse, 1)); many < 12 || many > 20 {
		t.Errorf("lists of %d and %d bytes", ListBytes(c, 1), ListBytes(coarse, 1))
	}
	if Levels(coarse, 1) != nil {
		t.Error("levels of a grid without refinement")
	}
}

// The eddy viscosity of WALE is one number per cell of all levels, in memory and in the images of checkpoints.
func TestLevelsWithEddies(t *testing.T) {
	c, with := load(t, refinedFlow), load(t, refinedFlow+"[turbulence]\nmodel = \"wale\"\n")
	cells := int64(0)
	for _, p := range levelsOf(c, 1).Levels {
		for _, q := range p.Patches {
			n := q.Stored.Size()
			cells += int64(n[1] * n[2] * ((n[0] + 31) / 32 * 32)) // rows as devices store them
		}
	}
	for what, of := range map[string]func(*config.Case, int) int64{"state": StateBytes, "snapshot": SnapshotBytes} {
		if got := of(with, 1) - of(c, 1); got < 4*int64(float64(cells)*0.8) || got > 4*cells {
			t.Errorf("%s: %d bytes more, want up to %d", what, got, 4*cells)
		}
	}
}

// Averages of all levels count: sums of overlap cells in memory, owned cells in files.
func TestAveragesOfLevels(t *testing.T) {
	c := load(t, refinedFlow+"[output.averages]\n")
	const owned, stored = 40*20*20 + 52*24*24 + 28*28*28, 40*20*20 + 56*28*28 + 32*32*32
	const values = 1 + 3 + 6 // pressure, velocity, stresses
	sums, snapshot := AverageBytes(c, 1)
	if sums != 8*values*stored || snapshot != (4+8)*values*stored {
		t.Errorf("%d and %d bytes", sums, snapshot)
	}
	for _, v := range Volumes(c) {
		want := -1.0
		switch v.Head {
		case "[output.averages]":
			want = config.FileBytes(c, 4*values*owned)
		case "averages beside them":
			if want = config.FileBytes(c, 8*values*owned); v.Files != 3*float64(min(v.Times, c.Checkpoint.Keep+1)) {
				t.Errorf("%s: %g files", v.Head, v.Files)
			}
		}
		if want >= 0 && v.Each != want {
			t.Errorf("%s: %g bytes, want %g", v.Head, v.Each, want)
		}
	}
}
