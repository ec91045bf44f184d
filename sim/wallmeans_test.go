// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"lbmsim/io/fields"
)

// meansAtWalls is a flow past a ball on a floor, both with the model, with averages of these fields.
const meansAtWalls = `
[domain]
cells = [24, 18, 20]
periodic = ["x", "z"]
[fluid]
viscosity = 1e-4
[force]
mean_velocity = [0.06, 0, 0]
[initial]
velocity = ["0.06 + 0.01*sin(2*pi*z/Lz)", "0.01*sin(2*pi*x/Lx)", 0]
[boundary.floor]
type = "wall_model"
faces = ["y-"]
[boundary.roof]
type = "slip"
faces = ["y+"]
[body.ball]
type = "wall_model"
shape = "sphere"
centre = [11.3, 4.2, 9.1]
radius = 6.3
[output.averages]
fields = %s
sample_every = 4
start = 8
precision = "float64"
%s
[run]
steps = %d
`

// The means are the means of the fields at the same steps, bit-identical for any decomposition and after a restart, and other
// averages do not depend on them. The bound is the rounding of the fields, which are in float32.
func TestMeansAtWalls(t *testing.T) {
	const all, walls, others = `["mean_pressure", "mean_y_plus", "mean_velocity", "mean_wall_shear"]`, `["mean_wall_shear", "mean_y_plus"]`, `["mean_pressure", "mean_velocity"]`
	const more = `
[checkpoint]
every = 30
[output.fields]
fields = ["y_plus", "wall_shear"]
every = 4
start = 8
`
	dir := t.TempDir()
	trial{ranks: 1, dir: dir, text: fmt.Sprintf(meansAtWalls, all, more, 60)}.must(t)
	_, want := averaged(t, dir, 60)
	sums, samples := map[string][]float64{}, 0.0
	for step := int64(8); step <= 60; step += 4 {
		samples++
		_, now := readFields(t, fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Path(step))
		for name, values := range now {
			sums["mean_"+name] = append(sums["mean_"+name], make([]float64, len(values)-len(sums["mean_"+name]))...)
			for i, v := range values {
				sums["mean_"+name][i] += v
			}
		}
	}
	for _, name := range []string{"mean_y_plus", "mean_wall_shear"} {
		most, above := 0.0, 0
		for _, v := range sums[name] {
			most = math.Max(most, math.Abs(v)/samples)
		}
		for i, v := range want[name] {
			if v != 0 {
				above++
			}
			if math.Abs(v-sums[name][i]/samples) > 1e-6*most {
				t.Fatalf("%s, value %d: %g instead of %g", name, i, v, sums[name][i]/samples)
			}
		}
		if above < 24*20 { // only cells above the floor
			t.Errorf("%s has %d values", name, above)
		}
	}
	cut := t.TempDir()
	trial{ranks: 6, cut: [3]int{1, 2, 3}, dir: cut, text: fmt.Sprintf(meansAtWalls, all, more, 30)}.must(t)
	trial{ranks: 2, dir: cut, text: fmt.Sprintf(meansAtWalls, all, more, 60), restart: "latest"}.must(t)
	if _, got := averaged(t, cut, 60); !reflect.DeepEqual(got, want) {
		t.Error("averages of another cut and with a restart differ")
	}
	for _, fields := range []string{walls, others} {
		dir := t.TempDir()
		trial{ranks: 2, dir: dir, text: fmt.Sprintf(meansAtWalls, fields, "", 60)}.must(t)
		_, got := averaged(t, dir, 60)
		if len(got) != 2 {
			t.Errorf("%s: %d fields", fields, len(got))
		}
		for name, values := range got {
			if !reflect.DeepEqual(values, want[name]) {
				t.Errorf("%s of %s differs from the one beside other averages", name, fields)
			}
		}
	}
}

// Means at walls over an axis are means of the fluid cells of its columns; a restart that changes their fields restarts them.
func TestMeansAtWallsOverAnAxis(t *testing.T) {
	dir, flat := t.TempDir(), t.TempDir()
	const list = `["mean_wall_shear", "reynolds_stress", "mean_y_plus"]`
	trial{ranks: 1, dir: dir, text: fmt.Sprintf(meansAtWalls, list, "[output.fields]\nfields = [\"solid\"]\nat_end = true\n[checkpoint]\nevery = 20\n", 20)}.must(t)
	trial{ranks: 3, dir: flat, text: fmt.Sprintf(meansAtWalls, list, "over = \"z\"", 20)}.must(t)
	n, all := averaged(t, dir, 20)
	_, solid := readFields(t, fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Path(20))
	_, got := averaged(t, flat, 20)
	for name, components := range map[string]int{"mean_y_plus": 1, "mean_wall_shear": 3} {
		for i := range n[0] * n[1] * components {
			sum, cells := 0.0, 0.0
			for z := range n[2] {
				if solid["solid"][z*n[0]*n[1]+i/components] == 0 {
					sum, cells = sum+all[name][z*n[0]*n[1]*components+i], cells+1
				}
			}
			if want := sum / math.Max(cells, 1); math.Abs(got[name][i]-want) > 1e-12*math.Max(1e-6, math.Abs(want)) {
				t.Fatalf("%s, value %d: %g instead of %g", name, i, got[name][i], want)
			}
		}
	}
	report, err := trial{ranks: 1, dir: dir, text: fmt.Sprintf(meansAtWalls, `["mean_y_plus"]`, "", 40), restart: "latest"}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	heldTo(t, report.warned, "[boundary.floor]: 8.8 % of its area has no wall model\n[body.ball]: 100 % of its area has a radius\n[body.ball]: 7.7 % of its area has no wall model\n[output.averages]: the checkpoint has averages of other fields; restarting the averages")
}
