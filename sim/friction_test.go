// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/brief"
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
	if brief.Fewer(t, "numbers of ranks"); !testing.Short() {
		trial{ranks: 3, dir: three, text: text}.must(t)
		if string(stateIn(t, one)) != string(stateIn(t, three)) {
			t.Error("three ranks compute another flow")
		}
	}
	w := memoryIn(t, one, nil).Walls
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

// memoryIn returns the memory in the newest checkpoint of a folder; a change, if any, is written back.
func memoryIn(t *testing.T, dir string, change func(*output.Memory)) (m output.Memory) {
	t.Helper()
	state := stateIn(t, dir)
	dir = filepath.Join(dir, output.CheckpointDir)
	files, err := checkpoint.Latest(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := checkpoint.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	h := f.Header
	f.Close()
	if err := json.Unmarshal(h.Extra, &m); err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return m
	}
	change(&m)
	if h.Extra, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	err = comm.RunLocal(1, func(c comm.Comm) error {
		p, err := checkpoint.Begin(c, dir, h, checkpoint.Extent{Planes: [2]int{0, h.Planes}, Rows: [2]int{0, h.Rows}})
		if err != nil {
			return err
		}
		return p.Commit(0, p.Write(0, state))
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A restart keeps the factor of each group of walls that the checkpoint has with the same members, whatever its number, and the
// densities. What an older version did not store, or stored for other groups, starts over with a warning that names the bodies.
func TestRestartOfFactors(t *testing.T) {
	const text = `
[domain]
cells = [30, 20, 16]
[fluid]
viscosity = 5e-5
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
[body.one]
type = "wall_model"
shape = "box"
from = [8, 3, 5]
to = [14, 8, 10]
[body.two]
type = "wall_model"
shape = "box"
from = [8, 12, 5]
to = [14, 17, 10]
[body.rough]
type = "wall_model"
roughness = 0.1
shape = "box"
from = [18, 8, 5]
to = [24, 13, 10]
[run]
steps = %d
[checkpoint]
at_end = true
`
	begun := t.TempDir()
	trial{ranks: 1, dir: begun, text: fmt.Sprintf(text, 70)}.must(t)
	of := memoryIn(t, begun, nil).Walls.Of // inlet, outlet, sides, road, one, two, rough
	if !slices.Equal(of, []int{0, 1, 1, 2, 3, 3, 4}) {
		t.Fatalf("groups %v", of)
	}
	factors, densities := []float64{1, 1, 1, 0.9, 1.1}, []float64{0, 0, 0, 0, 1e-3, -1e-3, 2e-3}
	tuning := func(of []int, densities []float64, factors ...float64) *output.WallTuning {
		w := &output.WallTuning{Of: of, Densities: densities}
		for _, f := range factors {
			w.Groups = append(w.Groups, output.WallFactor{Factor: f, Exchanged: 2e-3 * f, Law: 2e-3})
		}
		return w
	}
	for name, c := range map[string]struct {
		stored             *output.WallTuning
		factors, densities []float64
		lost               string
	}{
		"the same":               {tuning(of, densities, factors...), factors, densities, ""},
		"the same, no list":      {tuning(nil, densities, factors...), factors, densities, ""},
		"other numbers":          {tuning([]int{3, 2, 2, 4, 1, 1, 0}, densities, 1.1, 0.9, 1, 1, 1), factors, densities, ""},
		"a face shared a factor": {tuning(nil, densities, 1, 1, 0.7, 1.2), []float64{1, 1, 1, 1, 1}, densities, "[body.one], [body.two], [body.rough]: "},
		"bodies shared a factor": {tuning([]int{0, 1, 1, 2, 3, 4, 4}, densities, 1, 1, 1, 0.9, 1.1), []float64{1, 1, 1, 1, 1}, densities, "[body.one], [body.two], [body.rough]: "},
		"one group differs":      {tuning([]int{0, 1, 1, 2, 2, 2, 3}, densities, 1, 1, 0.7, 1.1), []float64{1, 1, 1, 1, 1.1}, densities, "[body.one], [body.two]: "},
		"no densities":           {tuning(nil, nil, factors...), factors, make([]float64, 7), "[body.one], [body.two], [body.rough]: "},
		"no corrections":         {nil, []float64{1, 1, 1, 1, 1}, make([]float64, 7), "[body.one], [body.two], [body.rough]: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(begun)); err != nil {
				t.Fatal(err)
			}
			memoryIn(t, dir, func(m *output.Memory) { m.Walls = c.stored })
			s := trial{ranks: 2, dir: dir, text: fmt.Sprintf(text, 80), restart: Latest}.must(t) // before the next correction
			var warned []string
			for _, w := range s.warned {
				if strings.Contains(w, "other corrections of the wall model") {
					warned = append(warned, w)
				}
			}
			if len(warned) > 1 || (c.lost != "") != (len(warned) == 1) || len(warned) == 1 && !strings.HasPrefix(warned[0], c.lost) {
				t.Errorf("warned %q", warned)
			}
			w := memoryIn(t, dir, nil).Walls
			var got []float64
			for _, g := range w.Groups {
				got = append(got, g.Factor)
			}
			if !slices.Equal(got, c.factors) || !slices.Equal(w.Densities, c.densities) || !slices.Equal(w.Of, of) {
				t.Errorf("%+v", w)
			}
		})
	}
}
