// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/brief"
	"lbmsim/io/fields"
	"lbmsim/sim/derive"
)

// levelFields are the numbers of a file of a refined grid, or of one grid, by field: [box][cell][component].
type levelFields struct {
	fields.Levels
	values map[string][][]float64
	of     map[string]fields.Field
}

// readLevels reads the newest file of a pattern.
func readLevels(t *testing.T, dir, pattern string) levelFields {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %s (%v)", pattern, dir, err)
	}
	r, err := fields.OpenLevels(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := levelFields{r.Levels, map[string][][]float64{}, map[string]fields.Field{}}
	for i, field := range r.Fields {
		f.of[field.Name] = field
		for box := range r.Levels.Count() {
			var all []float64
			for k := range r.BoxPlanes(box) {
				plane := make([]float64, r.BoxValues(box, i))
				if err := r.BoxPlane(box, i, k, plane); err != nil {
					t.Fatal(err)
				}
				all = append(all, plane...)
			}
			f.values[field.Name] = append(f.values[field.Name], all)
		}
	}
	return f
}

// counted calls use for each cell that no finer level covers, with its place among the numbers of its box and its box.
func (f levelFields) counted(use func(box, level int, cell [3]int, at int)) {
	for box := range f.Count() {
		level, number := f.Box(box)
		b := f.Boxes[level][number]
		n := b.Size()
		for i := range b.Cells() {
			cell := [3]int{b.Lo[0] + i%n[0], b.Lo[1] + i/n[0]%n[1], b.Lo[2] + i/n[0]/n[1]}
			hidden := false
			if level+1 < len(f.Boxes) {
				for _, finer := range f.Boxes[level+1] {
					c := [3]int{2 * cell[0], 2 * cell[1], cell[2]}
					if f.Boxes[0][0].Hi[2] > 1 {
						c[2] *= 2
					}
					hidden = hidden || finer.Contains(c)
				}
			}
			if !hidden {
				use(box, level, cell, i)
			}
		}
	}
}

// The averages of one sample are the fields of its step, on every level to the last bit, and have no fluctuations.
func TestRefinedAveragesOfOneSample(t *testing.T) {
	for _, name := range []string{"disc in a channel", "ball in a tunnel", "modelled ball"} {
		for _, ranks := range []int{1, 3} {
			list, shown := "", ""
			if strings.Contains(name, "modelled") {
				list, shown = `, "mean_y_plus", "mean_wall_shear"`, `, "y_plus", "wall_shear"`
			}
			text := refinedCases[name] + fmt.Sprintf(`
[run]
steps = 8
[collision]
precision = "float64"
[output.fields]
fields = ["pressure", "velocity"%s]
precision = "float64"
[output.averages]
fields = ["mean_pressure", "pressure_variance", "mean_velocity", "reynolds_stress"%s]
precision = "float64"
sample_every = 8
start = 8
`, shown, list)
			dir := t.TempDir()
			trial{text: text, ranks: ranks, dir: dir}.must(t)
			got, want := readLevels(t, dir, "averages/averages_*.hdf"), readLevels(t, dir, "fields/fields_*.hdf")
			pairs := map[string]string{"mean_pressure": "pressure", "mean_velocity": "velocity", "mean_y_plus": "y_plus", "mean_wall_shear": "wall_shear"}
			cells := 0
			got.counted(func(box, level int, cell [3]int, at int) {
				cells++
				for mean, field := range pairs {
					if want.values[field] == nil {
						continue
					}
					n := want.of[field].Components
					for c := range n {
						a, b := got.values[mean][box][at*n+c], want.values[field][box][at*n+c]
						if strings.Contains(field, "_") { // fields at walls are of 32 bits
							a, b = float64(float32(a)), float64(float32(b))
						}
						if a != b {
							t.Fatalf("%s on %d ranks: %s of cell %v of level %d is %g, %s %g", name, ranks, mean, cell, level, a, field, b)
						}
					}
				}
				for _, none := range []string{"pressure_variance", "reynolds_stress"} {
					for c := range got.of[none].Components {
						if v := got.values[none][box][at*got.of[none].Components+c]; v != 0 {
							t.Fatalf("%s on %d ranks: %s of cell %v of level %d is %g", name, ranks, none, cell, level, v)
						}
					}
				}
			})
			if cells < 1000 {
				t.Errorf("%s: %d cells", name, cells)
			}
		}
	}
}

// street is a laminar street behind a cylinder of 8 cells of level 0, at Re 100, on a grid that is so many times finer.
func street(by int, more string) string {
	n := float64(by)
	return fmt.Sprintf(`
[domain]
cells = [%g, %g]
[fluid]
viscosity = %g
[boundary.inlet]
type = "velocity"
velocity = [0.1, 0]
faces = ["x-"]
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.disc]
type = "interpolated_wall"
shape = "cylinder"
centre = [%g, %g]
radius = %g
[initial]
velocity = [0.1, "0.02*exp(-((x-%g)/%g)^2)"]
[collision]
precision = "float64"
[run]
steps = %d
[output.averages]
fields = ["mean_pressure", "mean_velocity", "reynolds_stress"]
precision = "float64"
start = %d
sample_every = %d
`, 88*n, 56*n, 0.008*n, 24*n, 28*n, 4*n, 36*n, 6*n, 12000*by, 5040*by, 10*by) + more
}

// The mean flow and the Reynolds stresses of a laminar street in a box are those on a grid that has its cells everywhere, in the L2 norm
// over the box within 1 % (mean velocity, by its own norm) and 5 % (stresses), set beforehand: fifteen periods are averaged, and the last is
// cut off somewhere.
func TestRefinedAveragesOfAStreet(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute: make test-all runs it")
	}
	uniform, refined := t.TempDir(), t.TempDir()
	trial{text: street(2, ""), ranks: 1, threads: 2, dir: uniform}.must(t)
	trial{text: street(1, "[refine.near]\nlevel = 1\nfrom = [12, 12]\nto = [76, 44]\n"), ranks: 1, threads: 2, dir: refined}.must(t)
	got, want := readLevels(t, refined, "averages/averages_*.hdf"), readLevels(t, uniform, "averages/averages_*.hdf")
	for field, bound := range map[string]float64{"mean_velocity": 0.01, "reynolds_stress": 0.05} {
		var diff, norm float64
		n := got.of[field].Components
		nx := want.Boxes[0][0].Hi[0]
		got.counted(func(box, level int, cell [3]int, at int) {
			if level == 0 {
				return
			}
			for c := range n {
				a, b := got.values[field][box][at*n+c], want.values[field][0][(cell[1]*nx+cell[0])*n+c]
				diff += (a - b) * (a - b)
				norm += b * b
			}
		})
		off := math.Sqrt(diff / norm)
		if t.Logf("%s: %.3g", field, off); !(off <= bound) {
			t.Errorf("%s is %.3g off, more than %g", field, off, bound)
		}
	}
}

// Averages over an axis in boxes that span it: of each column of cells, the mean of their means, and their fluctuations with those along
// the column. Any number of ranks and a restart on others have the same file, which has as many equal layers as cells of the level fit
// into one of level 0; along z one.
func TestRefinedAveragesOverTheSpan(t *testing.T) {
	for axis, name := range []string{"x", "y", "z"} {
		t.Run(name, func(t *testing.T) { averagesOver(t, axis) })
	}
}

// averagesOver tests them in a flow along axis+1 between plates across axis+2.
func averagesOver(t *testing.T, axis int) {
	along, across := (axis+1)%3, (axis+2)%3
	at := func(span, u, v int) string { // numbers by axis
		var n [3]int
		n[axis], n[along], n[across] = span, u, v
		return fmt.Sprintf("[%d, %d, %d]", n[0], n[1], n[2])
	}
	name := func(a int) string { return "xyz"[a : a+1] }
	speeds := [3]string{}
	speeds[along] = fmt.Sprintf(`"0.02*sin(2*pi*%[1]s/L%[1]s)"`, name(along))
	speeds[across] = fmt.Sprintf(`"0.01*cos(2*pi*%[1]s/L%[1]s)"`, name(along))
	speeds[axis] = fmt.Sprintf(`"0.01*cos(2*pi*%[1]s/L%[1]s)*sin(2*pi*%[2]s/L%[2]s)"`, name(axis), name(across))
	var lid [3]string
	lid[axis], lid[along], lid[across] = "0", "0.02", "0"
	base := fmt.Sprintf(`
[domain]
cells = %s
periodic = ["%s", "%s"]
[fluid]
viscosity = 0.05
[boundary.plates]
type = "moving_wall"
velocity = [%s]
faces = ["%[5]s-", "%[5]s+"]
[body.post]
shape = "box"
from = %s
to = %s
[initial]
velocity = [%s]
[refine.near]
level = 1
from = %s
to = %s
[refine.nearer]
level = 2
from = %s
to = %s
[collision]
precision = "float64"
[run]
steps = 12
[output.averages]
fields = ["mean_pressure", "pressure_variance", "mean_velocity", "reynolds_stress"]
precision = "float64"
sample_every = 4
`, at(6, 24, 16), name(along), name(axis), strings.Join(lid[:], ", "), name(across), at(0, 9, 6), at(6, 11, 9), strings.Join(speeds[:], ", "),
		at(0, 4, 2), at(6, 18, 14), at(0, 7, 4), at(6, 15, 11))
	over, all := t.TempDir(), t.TempDir()
	collapsed := base + fmt.Sprintf("over = %q\n", name(axis))
	trial{text: collapsed, ranks: 5, dir: over}.must(t)
	trial{text: base, ranks: 2, dir: all}.must(t)
	same := func(what, dir string) {
		if file := "averages/averages_0000000012.hdf"; !bytes.Equal(contents(t, filepath.Join(dir, file)), contents(t, filepath.Join(over, file))) {
			t.Errorf("the file of %s differs from the file of 5 ranks", what)
		}
	}
	brief.Fewer(t, "numbers of ranks")
	for _, ranks := range []int{1, 3} {
		if testing.Short() && ranks == 3 {
			continue // after the restart
		}
		other := t.TempDir()
		trial{text: collapsed, ranks: ranks, dir: other}.must(t)
		same(fmt.Sprint(ranks, " ranks"), other)
	}
	half := t.TempDir()
	trial{text: strings.Replace(collapsed, "steps = 12", "steps = 8", 1) + "[checkpoint]\n", ranks: 2, dir: half}.must(t)
	trial{text: collapsed + "[checkpoint]\n", ranks: 3, dir: half, restart: "latest"}.must(t)
	resumed := readLevels(t, half, "averages/averages_*.hdf")
	got, whole := readLevels(t, over, "averages/averages_*.hdf"), readLevels(t, all, "averages/averages_*.hdf")
	if !reflect.DeepEqual(resumed.values, got.values) {
		t.Error("the averages after a restart differ")
	}
	if len(got.Boxes) != 3 || got.Corner[axis] != 2.5 {
		t.Fatalf("boxes %v, corner %v", got.Boxes, got.Corner)
	}
	cells := 0
	for box := range got.Count() {
		level, number := got.Box(box)
		b, full := got.Boxes[level][number], whole.Boxes[level][number]
		layers := map[bool]int{true: 1, false: 1 << level}[axis == 2]
		if full.Hi[axis] = layers; b != full {
			t.Fatalf("box %v of level %d, want %v", b, level, full)
		}
	}
	place := func(f levelFields, box int, cell [3]int) int {
		level, number := f.Box(box)
		b := f.Boxes[level][number]
		n := b.Size()
		return ((cell[2]-b.Lo[2])*n[1]+cell[1]-b.Lo[1])*n[0] + cell[0] - b.Lo[0]
	}
	xx := [3]int{0, 1, 2}[axis] // of the symmetric tensor
	whole.counted(func(box, level int, cell [3]int, _ int) {
		if cell[axis] > 0 {
			return
		}
		layers, n, first := got.Boxes[level][0].Hi[axis], whole.Boxes[level][0].Hi[axis], cell
		by := 1 << level
		if cell[along] >= 9*by && cell[along] < 11*by && cell[across] >= 6*by && cell[across] < 9*by {
			return // solid
		}
		cells++
		var mean [3]float64
		for cell[axis] = 0; cell[axis] < n; cell[axis]++ {
			for c := range mean {
				mean[c] += whole.values["mean_velocity"][box][place(whole, box, cell)*3+c] / float64(n)
			}
		}
		stress := 0.0
		for cell[axis] = 0; cell[axis] < n; cell[axis]++ {
			k := place(whole, box, cell)
			d := whole.values["mean_velocity"][box][k*3+axis] - mean[axis]
			stress += (whole.values["reynolds_stress"][box][k*6+xx] + d*d) / float64(n)
		}
		for first[axis] = 0; first[axis] < layers; first[axis]++ {
			k := place(got, box, first)
			for c := range mean {
				if v := got.values["mean_velocity"][box][k*3+c]; math.Abs(v-mean[c]) > 1e-15 {
					t.Fatalf("mean velocity %d of %v of level %d is %g, want %g", c, first, level, v, mean[c])
				}
			}
			if v := got.values["reynolds_stress"][box][k*6+xx]; math.Abs(v-stress) > 1e-15 {
				t.Fatalf("stress of %v of level %d is %g, want %g", first, level, v, stress)
			}
		}
	})
	if want := 24*16 - 14*12 + 4*(14*12-8*7) + 16*(8*7-2*3); cells != want {
		t.Errorf("%d columns, want %d", cells, want)
	}
}

// A linear field has a linear profile across three levels, with rows as thin as the largest cell; the mean over the rows by their
// thickness is the field's.
func TestRefinedProfileOfALinearField(t *testing.T) {
	text := twoBoxes + `
[initial]
velocity = ["0.001*y", "0.002 + 0.0005*y"]
[refine.floor]
level = 1
from = [0, 0]
to = [24, 3]
[run]
steps = 1
[output.profile.y]
along = "y"
every = 1
`
	for _, ranks := range []int{1, 3} {
		err := comm.RunLocal(ranks, func(c comm.Comm) error {
			o, err := trial{text: text, dir: t.TempDir()}.options(c, &silent{})
			if err != nil {
				return err
			}
			defer o.Device.Close()
			r, err := start(o)
			if err != nil {
				return err
			}
			defer r.close()
			v := r.view()
			sheets := derive.SheetsOf(v, 1)
			means, err := v.Profile(1)
			if err != nil || c.Rank() > 0 {
				return err
			}
			if len(sheets) != 19 { // 3 of level 0 in halves, and 13
				return fmt.Errorf("sheets %v", sheets)
			}
			mean := 0.0
			for i, s := range sheets {
				thick := 1 / float64(int(1)<<s.Level)
				y, row := (float64(s.At)+0.5)*thick, means[i*len(means)/len(sheets):]
				for k, want := range []float64{0.001 * y, 0.002 + 0.0005*y} {
					if got := row[device.ProfileVelocity-1+k]; math.Abs(got-want) > 1e-13 { // sums have units of 2^-44
						return fmt.Errorf("velocity %d is %.17g at %g, want %g", k, got, y, want)
					}
				}
				mean += row[device.ProfileVelocity-1] * thick / 16
			}
			if math.Abs(mean-0.008) > 1e-13 {
				return fmt.Errorf("the mean is %.17g", mean)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// Rows of a table are at the middles of the planes, in the case's unit, and a steady shear flow keeps its profile.
func TestRefinedProfileTable(t *testing.T) {
	dir := t.TempDir()
	trial{ranks: 3, dir: dir, text: `
[domain]
size = ["3 m", "2 m"]
spacing = "0.125 m"
periodic = ["x"]
origin = ["0 m", "-1 m"]
[fluid]
reynolds = 10
velocity = "1 m/s"
length = "2 m"
density = "1 kg/m3"
[scaling]
lattice_velocity = 0.05
[boundary.low]
type = "wall"
faces = ["y-"]
[boundary.top]
type = "moving_wall"
velocity = ["1 m/s", 0]
faces = ["y+"]
[initial]
velocity = ["(y+1)/2 m/s", 0]
[refine.low]
level = 1
from = ["0 m", "-1 m"]
to = ["3 m", "-0.5 m"]
[run]
steps = 40
[output.profile.y]
along = "y"
sample_every = 10
`}.must(t)
	c := table(t, filepath.Join(dir, "profile_y.csv"))
	if len(c["y (m)"]) != 8+12 {
		t.Fatalf("%v", c)
	}
	for i, y := range c["y (m)"] {
		want := -1 + 0.0625*(float64(i)+0.5)
		if i >= 8 {
			want = -0.5 + 0.125*(float64(i-8)+0.5)
		}
		if math.Abs(y-want) > 1e-12 || math.Abs(c["mean_velocity x (m/s)"][i]-(want+1)/2) > 1e-4 { // float32; a shear flow is exact
			t.Errorf("row %d at %g, want %g, has the velocity %g", i, y, want, c["mean_velocity x (m/s)"][i])
		}
	}
}

// The stress along the walls of a channel that a constant force drives, in boxes of two levels beside one wall and far from the other, is
// half the force per area of the wall (within 1 %, set beforehand: the corners of a box have an error of that size), on all levels.
func TestRefinedWallShearStress(t *testing.T) {
	for _, dims := range []int{2, 3} {
		cells, along, lo, hi, deep, deepest := "[24, 16]", `"x"`, "4, 0", "20, 6", "8, 0", "16, 3"
		force := "[2e-5, 0]"
		if dims == 3 {
			cells, along, lo, hi, deep, deepest, force = "[24, 16, 4]", `"x", "z"`, "4, 0, 0", "20, 6, 4", "8, 0, 0", "16, 3, 4", "[2e-5, 0, 0]"
		}
		text := fmt.Sprintf(`
[domain]
cells = %s
periodic = [%s]
[fluid]
viscosity = 0.1
[force]
force_density = %s
[initial]
velocity = ["1e-4*y*(16-y)"%s]
[boundary.plates]
type = "wall"
faces = ["y-", "y+"]
[collision]
precision = "float64"
[refine.low]
level = 1
from = [%s]
to = [%s]
[refine.lowest]
level = 2
from = [%s]
to = [%s]
[run]
steps = 100
[output.fields]
fields = ["wall_shear_stress"]
precision = "float64"
`, cells, along, force, strings.Repeat(", 0", dims-1), lo, hi, deep, deepest)
		dir := t.TempDir()
		trial{text: text, ranks: 3, dir: dir}.must(t)
		f, found := readLevels(t, dir, "fields/fields_*.hdf"), map[int]int{}
		f.counted(func(box, level int, cell [3]int, at int) {
			tau := f.values["wall_shear_stress"][box][3*at:][:3]
			end := 16<<level - 1
			want := 0.0
			if cell[1] == 0 || cell[1] == end {
				want = 16 * 2e-5 / 2
				found[level]++
			}
			if math.Abs(tau[0]-want) > 0.01*16*2e-5/2 || math.Abs(tau[1]) > 1e-12 || math.Abs(tau[2]) > 1e-12 {
				t.Errorf("%dD: the stress in %v of level %d is %v, want %g", dims, cell, level, tau, want)
			}
		})
		if len(found) != 3 {
			t.Errorf("cells beside walls by level: %v", found)
		}
	}
}

// The distance of a cell of the finest level to the walls, of which some are in coarser cells and some are images beyond a periodic face,
// is the one on a grid that has its cells everywhere; of a coarser cell it differs from its children's by no more than their places do.
func TestRefinedWallDistance(t *testing.T) {
	text := func(by int, more string, third bool) string {
		n, z := float64(by), func(string) string { return "" }
		layers, axes, still := "", `"x"`, ""
		if third {
			z, layers, axes, still = func(s string) string { return s }, fmt.Sprintf(", %g", 6*n), `"x", "z"`, ", 0"
		}
		return fmt.Sprintf(`
[domain]
cells = [%g, %g%s]
periodic = [%s]
[fluid]
viscosity = 0.1
[boundary.low]
type = "wall"
faces = ["y-"]
[boundary.top]
type = "slip"
faces = ["y+"]
[body.post]
shape = "box"
from = [%g, %g%s]
to = [%g, %g%s]
[body.slab]
shape = "box"
from = [0, %g%s]
to = [%g, %g%s]
[run]
steps = 1
[initial]
velocity = [0, 0%s]
[output.fields]
fields = ["wall_distance"]
precision = "float64"
`, 24*n, 16*n, layers, axes, 10*n, 6*n, z(fmt.Sprintf(", %g", 2*n)), 13*n, 8.5*n, z(fmt.Sprintf(", %g", 4*n)),
			15*n, z(", 0"), 3*n, 16*n, z(fmt.Sprintf(", %g", 6*n)), still) + more
	}
	for _, third := range []bool{false, true} {
		const boxes = "[refine.near]\nlevel = 1\nfrom = [5, 2%[1]s]\nto = [18, 12%[2]s]\n[refine.nearer]\nlevel = 2\nfrom = [7, 4%[1]s]\nto = [16, 10%[2]s]\n"
		low, high := "", ""
		if third {
			low, high = ", 0", ", 6"
		}
		uniform, dims := t.TempDir(), 2
		if third {
			dims = 3
		}
		trial{text: text(4, "", third), ranks: 2, dir: uniform}.must(t)
		fine := readLevels(t, uniform, "fields/fields_*.hdf")
		n := fine.Boxes[0][0].Hi
		var first levelFields
		for _, ranks := range []int{1, 3, 7} {
			dir := t.TempDir()
			trial{text: text(1, fmt.Sprintf(boxes, low, high), third), ranks: ranks, dir: dir}.must(t)
			f := readLevels(t, dir, "fields/fields_*.hdf")
			if first.values == nil {
				first = f
			}
			f.counted(func(box, level int, cell [3]int, at int) {
				got := f.values["wall_distance"][box][at]
				if got != first.values["wall_distance"][box][at] {
					t.Fatalf("%dD on %d ranks: %g in %v of level %d, on one rank %g", dims, ranks, got, cell, level, first.values["wall_distance"][box][at])
				}
				by := 1 << (2 - level)
				bound := float64(by-1) / 8 * math.Sqrt(float64(dims)) // from the middle to the middle of the outermost child
				for k := range int(math.Pow(float64(by), float64(dims))) {
					x, y, z := cell[0]*by+k%by, cell[1]*by+k/by%by, cell[2]
					if third {
						z = cell[2]*by + k/by/by
					}
					want := fine.values["wall_distance"][0][(z*n[1]+y)*n[0]+x] / 4
					if got > 0 && math.Abs(got-want) > bound+1e-6 {
						t.Fatalf("%dD: %g in %v of level %d, want %g", dims, got, cell, level, want)
					}
				}
			})
		}
	}
}
