// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/io/fields"
)

const spanned = `
[domain]
cells = [12, 10, 9]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.02
[collision]
precision = "%s"
[initial]
velocity = ["0.05 + 0.03*sin(2*pi*x/Lx)*cos(2*pi*z/Lz)", "0.02*sin(2*pi*z/Lz)*sin(2*pi*y/Ly)", "0.03*cos(2*pi*y/Ly+x)"]
[body.box]
shape = "box"
from = [4, 3, 2]
to = [7, 6, 6]
[body.columns]
shape = "union"
of = ["cx", "cy", "cz"]
[body.cx]
shape = "box"
from = [0, 1, 7]
to = [12, 2, 9]
[body.cy]
shape = "box"
from = [10, 0, 7]
to = [11, 10, 9]
[body.cz]
shape = "box"
from = [10, 8, 0]
to = [12, 10, 9]
[output.averages]
fields = ["mean_pressure", "mean_velocity", "reynolds_stress", "pressure_variance"]
sample_every = 3
start = 6
precision = "float64"
%s
[checkpoint]
every = 30
[run]
steps = %d
`

// averaged returns the fields of the file of averages of a step, [z][y][x][component].
func averaged(t *testing.T, dir string, step int64) (n [3]int, all map[string][]float64) {
	t.Helper()
	return readFields(t, fields.Series{Dir: filepath.Join(dir, "averages"), Name: "averages"}.Path(step))
}

func readFields(t *testing.T, path string) (n [3]int, all map[string][]float64) {
	t.Helper()
	f, err := fields.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all = map[string][]float64{}
	for i, field := range f.Fields {
		for k := range f.Planes {
			plane := make([]float64, f.Values(i))
			if err := f.Plane(i, k, plane); err != nil {
				t.Fatal(err)
			}
			all[field.Name] = append(all[field.Name], plane...)
		}
	}
	return f.N, all
}

// On a host several planes are read at once, and the last batch may be smaller. The mean of one sample is the field
// itself, for any cut.
func TestAveragesOfManyPlanes(t *testing.T) {
	const text = `
[domain]
cells = %v
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.02
[initial]
velocity = ["0.05 + 0.03*sin(2*pi*x/Lx)", "0.02*sin(2*pi*x/Lx)*cos(2*pi*y/Ly)"%s]
[output.averages]
fields = ["mean_velocity"]
start = 4
sample_every = 4
[output.fields]
fields = ["velocity"]
every = 4
[run]
steps = 4
`
	for _, c := range []struct{ cells, more string }{{"[90, 203]", ""}, {"[48, 50, 10]", ", 0.01"}} {
		in := fmt.Sprintf(text, c.cells, c.more)
		if c.more == "" {
			in = strings.Replace(in, `, "z"]`, "]", 1)
		}
		for _, ranks := range []int{1, 3} {
			dir := t.TempDir()
			trial{text: in, ranks: ranks, dir: dir}.must(t)
			_, means := averaged(t, dir, 4)
			_, now := readFields(t, fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Path(4))
			if got, want := means["mean_velocity"], now["velocity"]; len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s cells on %d ranks: %d values of means are not the %d of the field", c.cells, ranks, len(got), len(want))
			}
		}
	}
}

// Averages over an axis follow from the averages of its cells by their definitions, with the same bits for any cut and after
// a restart.
func TestAveragesOverAnAxis(t *testing.T) {
	for _, precision := range []string{"float32", "float64"} {
		dir := t.TempDir()
		trial{text: fmt.Sprintf(spanned, precision, "", 50), ranks: 1, dir: dir}.must(t)
		n, cells := averaged(t, dir, 50)
		for axis, name := range []string{"x", "y", "z"} {
			over := fmt.Sprintf("over = %q", name)
			var first map[string]string
			for _, tr := range []trial{{ranks: 1}, {ranks: 2}, {ranks: 3, threads: 2}, {ranks: 6, cut: [3]int{1, 2, 3}}} {
				tr.text, tr.dir = fmt.Sprintf(spanned, precision, over, 50), t.TempDir()
				tr.must(t)
				got, columns := averaged(t, tr.dir, 50)
				text := map[string]string{"averages": fmt.Sprint(got, columns)}
				if first == nil {
					first = text
					held(t, n, axis, cells, columns)
				} else {
					sameFiles(t, fmt.Sprintf("over %s, %d ranks", name, tr.ranks), text, first)
				}
			}
			dir := t.TempDir()
			trial{text: fmt.Sprintf(spanned, precision, over, 40), ranks: 4, dir: dir}.must(t)
			trial{text: fmt.Sprintf(spanned, precision, over, 50), ranks: 1, dir: dir, restart: filepath.Join(dir, "checkpoints", "checkpoint_000000000030.h5")}.must(t)
			got, columns := averaged(t, dir, 50)
			sameFiles(t, "over "+name+", restarted", map[string]string{"averages": fmt.Sprint(got, columns)}, first)
		}
	}
}

// held compares averages over an axis with the cells' averages, n along each axis.
func held(t *testing.T, n [3]int, axis int, cells, columns map[string][]float64) {
	t.Helper()
	to := n
	to[axis] = 1
	solid, stress := 0, 0.0
	for column := range to[0] * to[1] * to[2] {
		at := [3]int{column % to[0], column / to[0] % to[1], column / to[0] / to[1]}
		var fluid []int
		for at[axis] = range n[axis] {
			i := (at[2]*n[1]+at[1])*n[0] + at[0]
			// Solid cells have no pressure fluctuations.
			if cells["pressure_variance"][i] > 0 {
				fluid = append(fluid, i)
			}
		}
		if len(fluid) == 0 {
			solid++
		}
		mean := func(name string, components, c int) (m float64) {
			for _, i := range fluid {
				m += cells[name][components*i+c] / float64(len(fluid))
			}
			return m
		}
		covariance := func(name string, of, i, j int) (v float64) {
			for _, k := range fluid {
				v += (cells[name][of*k+i] - mean(name, of, i)) * (cells[name][of*k+j] - mean(name, of, j)) / float64(len(fluid))
			}
			return v
		}
		near := func(name string, got, want, scale float64) {
			if !(math.Abs(got-want) <= 1e-12*scale) {
				t.Errorf("over %c, column %d, %d cells: %s is %v instead of %v", "xyz"[axis], column, len(fluid), name, got, want)
			}
		}
		near("mean_pressure", columns["mean_pressure"][column], mean("mean_pressure", 1, 0), 1e-2)
		near("pressure_variance", columns["pressure_variance"][column], mean("pressure_variance", 1, 0)+covariance("mean_pressure", 1, 0, 0), 1e-4)
		for c := range 3 {
			near("mean_velocity", columns["mean_velocity"][3*column+c], mean("mean_velocity", 3, c), 1e-1)
		}
		for c, pair := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}} {
			want := mean("reynolds_stress", 6, c) + covariance("mean_velocity", 3, pair[0], pair[1])
			near("reynolds_stress", columns["reynolds_stress"][6*column+c], want, 1e-3)
			stress = max(stress, math.Abs(covariance("mean_velocity", 3, pair[0], pair[1])))
		}
	}
	if solid < 2 || stress < 1e-4 {
		t.Errorf("over %c: %d columns without fluid, %v along it: too little to conclude", "xyz"[axis], solid, stress)
	}
}
