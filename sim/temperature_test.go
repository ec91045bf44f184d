// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/io/checkpoint"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// warm is a flow with a temperature at every kind of wall and face, driven by it.
const warm = `
[domain]
cells = [26, 12, 17]
periodic = ["y"]
[fluid]
viscosity = 0.04
[temperature]
diffusivity = 0.03
reference = 300
initial = "300 + 0.5*sin(2*pi*y/Ly)"
expansion = 1e-3
gravity = [0, 1e-3, -2e-3]
[force]
acceleration = [1e-5, 0, 2e-6]
[boundary.floor]
type = "wall"
heat_flux = 1e-3
faces = ["z-"]
[boundary.ceiling]
type = "slip"
faces = ["z+"]
[boundary.inlet]
type = "velocity"
velocity = ["0.03*z*(2*Lz-z)/Lz^2", 0, 0]
temperature = 300.25
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.ball]
type = "interpolated_wall"
shape = "sphere"
centre = [9.3, 5.1, 8.2]
radius = 3.1
temperature = 301
[body.post]
shape = "cylinder"
axis = "y"
centre = [18.7, 6, 7]
radius = 2.2
[output.force.ball]
temperature_difference = 1
length = 6
area = 100
every = 4
[output.force.floor]
every = 4
[output.line.across]
from = [0, 6, 8]
to = [26, 6, 8]
fields = ["temperature"]
every = 10
[output.series.all]
quantities = ["mean_temperature", "kinetic_energy"]
every = 4
[output.probe.warm]
at = [20.5, 4.5, 9.5]
fields = ["temperature", "velocity"]
every = 3
`

// Flows with a temperature give the same bits on any number of ranks, for every cut and
// after a restart.
func TestTemperatureHasTheSameBits(t *testing.T) {
	brief.Fewer(t, "cuts")
	for i, c := range models(t) {
		precision := []string{"float32", "float64"}[i%2]
		text := withPoint(warm + ending(c.Name, precision, 40))
		straight := t.TempDir()
		trial{text: text, ranks: 1, dir: straight}.must(t)
		want := outputsIn(t, straight)
		for k, cut := range [][3]int{{1, 1, 5}, {1, 2, 2}, {1, 4, 1}} {
			if testing.Short() && k == i%2*2 {
				continue // another closure has it
			}
			dir := t.TempDir()
			trial{text: text, ranks: cut[1] * cut[2], cut: cut, dir: dir}.must(t)
			compare(t, fmt.Sprintf("%s %s, %v parts", c.Name, precision, cut), outputsIn(t, dir), want)
			if cut[2] != 2 {
				continue
			}
			files, err := checkpoint.Latest(filepath.Join(dir, output.CheckpointDir))
			if err != nil || len(files) != 4 {
				t.Fatalf("%d checkpoints, %v", len(files), err)
			}
			for _, later := range files[:2] {
				if err := os.Remove(later); err != nil {
					t.Fatal(err)
				}
			}
			trial{text: text, ranks: 3, dir: dir, restart: "latest"}.must(t)
			compare(t, fmt.Sprintf("%s %s, restart", c.Name, precision), outputsIn(t, dir), want)
		}
	}
}

// Fluid between a hot and a cold wall rises and falls as a cubic of the distance:
// u = b T L^2/nu (s^3/6 - s/24) with s from -1/2 to 1/2, T the difference of the walls.
func TestConvectionBetweenPlatesIsSecondOrder(t *testing.T) {
	brief.Fewer(t, "cells")
	sizes := []int{8, 16, 32}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, c := range model.Collisions {
		var errors []float64
		for _, n := range sizes {
			const nu, top = 0.1, 0.08 // top/n is the largest speed, of s = sqrt(1/12)
			within := 1e-9
			if c.Name == "cumulant" { // its stress across the plates is of the order of u^2
				within = 1e-5
			}
			b := top / float64(n) / (float64(n*n) / nu * (math.Sqrt(1./12)/24 - math.Pow(1./12, 1.5)/6))
			text := fmt.Sprintf(`
[domain]
cells = [%[1]d, 3]
periodic = ["y"]
[fluid]
viscosity = %[2]g
[temperature]
prandtl = 0.7
reference = 0
expansion = %.17[3]g
gravity = [0, -1]
initial = "0.5 - x/Lx"
[collision]
model = %[4]q
precision = "float64"
[boundary.hot]
type = "wall"
faces = ["x-"]
temperature = 0.5
[boundary.cold]
type = "wall"
faces = ["x+"]
temperature = -0.5
[initial]
velocity = [0, "%.17[5]g*((x/Lx-0.5)^3/6 - (x/Lx-0.5)/24)"]
[run]
steps = %[6]d
[output.force.hot]
temperature_difference = 1
[expect.velocity]
reference = [0, "%.17[5]g*((x/Lx-0.5)^3/6 - (x/Lx-0.5)/24)"]
l2 = 0.1
[expect.force.hot]
quantity = "nusselt"
statistic = "last"
value = %.17[7]g
within = %.17[8]g
`, n, nu, b, c.Name, b*float64(n*n)/nu, 10*n*n, 3/float64(n), within)
			s := trial{text: text, ranks: 1}.must(t)
			errors = append(errors, s.summary.Expect[0].Got)
		}
		t.Logf("%s: %.3g", c.Name, errors)
		for i := 1; i < len(errors); i++ {
			// With Lambda = 3/16 walls are where they should be, and cubics are exact.
			if order := math.Log2(errors[i-1] / errors[i]); order < 1.9 && errors[i] > 1e-12 {
				t.Errorf("%s: errors %.3g, order %.2f", c.Name, errors, order)
			}
		}
	}
}

// A heat flux comes in at one wall and leaves at the other, which has a temperature; between
// them it is a straight line, and heat supplied and removed is reported.
func TestHeatFluxes(t *testing.T) {
	text := `
[domain]
cells = [16, 4, 3]
periodic = ["y", "z"]
[fluid]
viscosity = 0.1
[temperature]
diffusivity = 0.2
reference = 10
[collision]
precision = "float64"
[boundary.heated]
type = "wall"
faces = ["x-"]
heat_flux = 0.01
[boundary.cold]
type = "wall"
faces = ["x+"]
temperature = 9
[output.force.heated]
temperature_difference = 0.8
length = 16
area = 12
[output.force.cold]
[output.series.mean]
quantities = ["mean_temperature"]
[output.probe.middle]
at = [4.5, 1.5, 1.5]
fields = ["temperature"]
[run]
steps = 20000
[expect.force.heated]
quantity = "nusselt"
statistic = "last"
value = 1
within = 1e-9
[expect.force.cold]
quantity = "heat"
statistic = "last"
value = -0.12
within = 1e-9
[expect.probe.middle]
field = "temperature"
value = 9.575
within = 1e-9
`
	dir := t.TempDir()
	trial{text: text, ranks: 1, dir: dir}.must(t)
	rows, err := os.ReadFile(filepath.Join(dir, "series_mean.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(rows)), "\n")
	last := strings.Split(lines[len(lines)-1], ",")
	if v, err := strconv.ParseFloat(last[len(last)-1], 64); err != nil || !(math.Abs(v-9.4) < 1e-9) {
		t.Errorf("the mean temperature is %g, not 9.4 (%v)", v, err)
	}
}

// Steps that are queued and recorded, on one rank and on several whose memory is open to
// their neighbours, leave the files of steps that are waited for.
func TestQueuedTemperatureIsTheSame(t *testing.T) {
	text := withPoint(warm + ending("regularized", "float64", 41))
	plain, recorded, open := t.TempDir(), t.TempDir(), t.TempDir()
	stepByStep(t, text, plain)
	on(t, text, recorded, 1, "", func(d device.Device) device.Device { return &recorder{Device: d} })
	on(t, text, open, 3, "", (&town{}).move)
	want := files(t, plain)
	for what, dir := range map[string]string{"recorded": recorded, "peers": open} {
		got := files(t, dir)
		for name, b := range want {
			if !bytes.Equal(got[name], b) {
				t.Errorf("%s: %s differs", what, name)
			}
		}
	}
}

// A Nusselt number in 2D is by the distance of the plates, not by their length: 1 where heat
// is only conducted.
func TestNusseltNumberOfPlates(t *testing.T) {
	trial{text: `
[domain]
cells = [30, 6]
periodic = ["x"]
[fluid]
viscosity = 0.1
[temperature]
diffusivity = 0.2
initial = "1 - y/Ly"
[collision]
precision = "float64"
[boundary.hot]
type = "wall"
faces = ["y-"]
temperature = 1
[boundary.cold]
type = "wall"
faces = ["y+"]
temperature = 0
[run]
steps = 500
[output.force.hot]
temperature_difference = 1
length = 6
[output.force.own]
of = ["hot"]
temperature_difference = 1
[expect.force.hot]
quantity = "nusselt"
statistic = "last"
value = 1
within = 1e-9
[expect.force.own]
quantity = "nusselt"
statistic = "last"
value = 5
within = 1e-9
`, ranks: 2}.must(t)
}
