// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/sim/watch"
)

// stream is a warm stream along x between a velocity face x- and another face x+, from a start at its speed and temperature.
const stream = `
[domain]
cells = [40, 6]
periodic = ["y"]
[fluid]
viscosity = 0.02
[collision]
precision = "float64"
[temperature]
diffusivity = 0.002
initial = "1"
[boundary.west]
type = "velocity"
faces = ["x-"]
velocity = [%[1]g, 0]
%[2]s
[boundary.east]
faces = ["x+"]
%[3]s
[initial]
velocity = [%[1]g, 0]
[run]
steps = 1000
%[4]s
[output.line.axis]
from = [0.5, 3.5]
to = [39.5, 3.5]
points = 40
fields = ["temperature"]
`

// The temperature of an outlet applies to fluid that enters: fluid that leaves keeps its own to rounding, whatever the
// face's type, and a stream that enters has the face's.
func TestOutletTemperatureIsThatOfInflow(t *testing.T) {
	for name, east := range map[string]string{
		"pressure": "type = \"pressure\"\ntemperature = 0",
		"outflow":  "type = \"outflow\"\ntemperature = 0",
		"velocity": "type = \"velocity\"\nvelocity = [0.05, 0]\ntemperature = 0",
		"in time":  "type = \"velocity\"\nvelocity = [\"0.05 + 0*t\", 0]\ntemperature = 0",
		"a pump":   "type = \"velocity\"\nvelocity = [0.05, 0]", // needs no temperature
	} {
		dir := t.TempDir()
		s := trial{text: fmt.Sprintf(stream, 0.05, "temperature = 1", east, ""), ranks: 1, dir: dir}.must(t)
		for i, v := range table(t, filepath.Join(dir, "line_axis.csv"))["temperature"] {
			if !(math.Abs(v-1) < 1e-12) {
				t.Errorf("out through %s: %.16g in cell %d", name, v, i)
			}
		}
		if s.warnedOf("fluid enters") > 0 {
			t.Errorf("out through %s: %q", name, s.warned)
		}
	}
	for _, name := range []string{"pressure", "outflow"} {
		dir := t.TempDir()
		s := trial{text: fmt.Sprintf(stream, -0.05, "", fmt.Sprintf("type = %q\ntemperature = 0", name), ""), ranks: 2, dir: dir}.must(t)
		values := table(t, filepath.Join(dir, "line_axis.csv"))["temperature"]
		for i, v := range values {
			if !(math.Abs(v) < 1e-3) { // the stream has passed the box once
				t.Errorf("in through %s: %.16g in cell %d", name, v, i)
			}
		}
		if s.warnedOf("fluid enters") > 0 {
			t.Errorf("in through %s: %q", name, s.warned)
		}
	}
}

// Fluid that enters through a face without a temperature is reported, with the same words on any number of ranks.
func TestInflowWithoutTemperature(t *testing.T) {
	const want = "fluid enters through [boundary.east] in 6 of 6 cells, 100 % of the flow through it: [run] warn_inflow = 0.01; the face has no temperature"
	for _, kind := range []string{"pressure", "outflow"} {
		text := fmt.Sprintf(stream, -0.05, "", fmt.Sprintf("type = %q", kind), "%s")
		for _, ranks := range []int{1, 3} {
			s := trial{text: fmt.Sprintf(text, ""), ranks: ranks}.must(t)
			if s.warnedOf(want) != 1 || s.summary.Health.Warned[watch.Untempered] != 1 {
				t.Errorf("%s, %d ranks: %q", kind, ranks, s.warned)
			}
		}
		if s := (trial{text: fmt.Sprintf(text, "warn_inflow = 0"), ranks: 1}).must(t); s.warnedOf("fluid enters") > 0 {
			t.Errorf("%s, switched off: %q", kind, s.warned)
		}
		out := fmt.Sprintf(stream, 0.05, "temperature = 1", fmt.Sprintf("type = %q", kind), "")
		if s := (trial{text: out, ranks: 1}).must(t); s.warnedOf("fluid enters") > 0 {
			t.Errorf("%s lets out: %q", kind, s.warned)
		}
	}
}

// drawn is fluid that a face at the bottom draws through a pressure face at the top, while it moves along both.
const drawn = `
[domain]
cells = [6, 40]
periodic = ["x"]
[fluid]
viscosity = 0.02
[collision]
model = %q
precision = "float64"
[boundary.pump]
type = "velocity"
faces = ["y-"]
velocity = [%g, -0.02]
[boundary.sky]
type = "pressure"
faces = ["y+"]
%s
[initial]
velocity = [0.05, -0.02]
[run]
steps = 6000
[output.line.axis]
from = [3.5, 0.5]
to = [3.5, 39.5]
points = 40
fields = ["velocity"]
`

// Fluid enters through a pressure face in the face's direction; without one the velocity along the face has no gradient,
// which is reported where it is the larger one.
func TestDirectionOfInflow(t *testing.T) {
	for _, model := range []string{"regularized", "trt"} {
		for _, c := range []struct {
			direction string
			along     float64
			warned    int
		}{
			{"", 0.05, 1},
			{"direction = [0, -3]", 0, 0},
			{"direction = [1, -1]", 0.02, 0},
			{"direction = [-0.5, -1]", -0.01, 0},
		} {
			dir := t.TempDir()
			s := trial{text: fmt.Sprintf(drawn, model, c.along, c.direction), ranks: 1, dir: dir}.must(t)
			for i, u := range table(t, filepath.Join(dir, "line_axis.csv"))["velocity x"] {
				if !(math.Abs(u-c.along) < 1e-4) {
					t.Errorf("%s, %q: %.6g in cell %d, want %g", model, c.direction, u, i, c.along)
				}
			}
			if n := s.warnedOf("fluid enters obliquely through [boundary.sky] in 6 of 6 cells"); n != c.warned || len(s.warned) != n {
				t.Errorf("%s, %q: %q", model, c.direction, s.warned)
			}
		}
	}
}

// A direction has to lead into the domain.
func TestDirectionLeadsIn(t *testing.T) {
	for direction, want := range map[string]string{
		"direction = [1, 0]":  "does not lead into the domain at face y+",
		"direction = [0, 1]":  "does not lead into the domain at face y+",
		"direction = [0, -1]": "",
	} {
		_, err := trial{text: strings.Replace(fmt.Sprintf(drawn, "regularized", 0., direction), "steps = 6000", "steps = 1", 1), ranks: 1, dir: t.TempDir()}.run(t)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", direction, err)
		}
	}
}

// Flows with faces that fluid may enter, and with a direction, have the same bits for any number of ranks.
func TestInflowHasTheSameBits(t *testing.T) {
	const text = `
[domain]
cells = [12, 10, 13]
[fluid]
viscosity = 0.03
[temperature]
diffusivity = 0.01
initial = "0.1*sin(2*pi*x/Lx)"
reference = 0
expansion = 1
gravity = [0, 0, -1e-3]
[boundary.sky]
type = "pressure"
faces = ["z+"]
temperature = 0
direction = [0.3, 0.2, -1]
[boundary.side]
type = "outflow"
faces = ["x+", "x-"]
temperature = 0.05
[boundary.walls]
type = "wall"
faces = ["y-", "y+", "z-"]
temperature = 0.2
[run]
steps = 60
[checkpoint]
`
	var want []byte
	for _, cut := range [][3]int{{1, 1, 1}, {1, 1, 3}, {1, 2, 2}} {
		dir := t.TempDir()
		trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
		if got := stateIn(t, dir); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("cut into %v: another state", cut)
		}
	}
}
