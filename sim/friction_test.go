// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"lbmsim/device"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/output"
)

// The factor of a wall follows the momentum that its links exchange, is constant in laminar flow, and has bounds.
func TestFactorOfAWall(t *testing.T) {
	const law = device.ForceUnits / 1000
	tuned := func(corrections int, exchanged func(factor float64) float64, all int64, bodies bool) output.WallFactor {
		w := output.WallFactor{Factor: 1}
		for range corrections {
			correctFactor(&w, device.WallMomentum{Exchanged: int64(law * exchanged(w.Factor)), Law: law, All: all}, bodies)
		}
		return w
	}
	curved := func(factor float64) float64 { return 1.2 + 2*(factor-1) }
	for _, c := range []struct {
		name      string
		exchanged func(float64) float64
		all       int64
		factor    float64
		faces     bool // alone
	}{
		{"a pipe", curved, law, 0.9, false},
		{"a face, whose exchange the factor does not change", func(float64) float64 { return 1.003 }, law, 1, false},
		{"an offset on plates in bodies", func(float64) float64 { return 1.006 }, law, 0.95, false},
		{"a flow mostly laminar", curved, 3 * law, 1, false},
		{"a small pipe", func(factor float64) float64 { return 1.5 + factor - 1 }, law, leastFactor, false},
		{"a sphere", func(float64) float64 { return 5 }, law, 1, false},
		{"a wall that pushes the fluid", func(float64) float64 { return -5 }, law, 1, false},
		{"a road", func(float64) float64 { return 1.2 }, law, 1, true},
	} {
		if w := tuned(20000, c.exchanged, c.all, !c.faces); math.Abs(w.Factor-c.factor) > 0.005 {
			t.Errorf("%s: %+v, the factor should be %g", c.name, w, c.factor)
		}
	}
}

// A road that moves with the stream, or rests, has its own factor, which stays 1 although a body above it changes its momentum; the
// body, whose pressure drag exceeds its friction, has another one. Results are the same for any cut.
func TestFactorOfARoad(t *testing.T) {
	for name, velocity := range map[string]string{"moving": "velocity = [0.06, 0, 0]", "at rest": ""} {
		t.Run(name, func(t *testing.T) { factorOfARoad(t, velocity) })
	}
}

func factorOfARoad(t *testing.T, velocity string) {
	text := `
[domain]
cells = [40, 18, 18]
[fluid]
viscosity = 5e-5
[initial]
velocity = [0.06, 0, 0]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.06, 0, 0]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+", "z+"]
[boundary.road]
type = "wall_model"
faces = ["z-"]
` + velocity + `
[body.box]
type = "wall_model"
shape = "box"
from = [12, 5, 5]
to = [24, 13, 11]
[run]
steps = 1600
[checkpoint]
at_end = true
`
	one, three := t.TempDir(), t.TempDir()
	trial{ranks: 1, dir: one, text: text}.must(t)
	trial{ranks: 3, dir: three, text: text}.must(t)
	if string(stateIn(t, one)) != string(stateIn(t, three)) {
		t.Error("three ranks compute another flow")
	}
	files, err := checkpoint.Latest(filepath.Join(one, output.CheckpointDir))
	if err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var m output.Memory
	if err := json.Unmarshal(f.Header.Extra, &m); err != nil {
		t.Fatal(err)
	}
	w := m.Walls
	if w == nil || len(w.Groups) != 4 { // with the inlet and the other faces
		t.Fatalf("the checkpoint's corrections: %+v", w)
	}
	road, box := w.Groups[2], w.Groups[3]
	if !(road.Law > 0 && math.Abs(road.Exchanged/road.Law-1) > 2*frictionTolerance) {
		t.Errorf("the road's momentum gives its factor no reason to creep: %+v", road)
	}
	if road.Factor != 1 || box.Law == road.Law || box.Law == 0 {
		t.Errorf("the road has %+v, the box %+v", road, box)
	}
}
