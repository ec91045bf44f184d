// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The quantities of a series match their names: for a convected shear wave, in SI.
func TestSeriesOfAShearWave(t *testing.T) {
	const text = `
[domain]
size = ["4 m", "8 m", "4 m"]
cells = [8, 16, 8]
periodic = ["x", "y", "z"]
[fluid]
viscosity = "0.01 m2/s"
density = "3 kg/m3"
velocity = "0.1 m/s"
[scaling]
lattice_velocity = 0.05
[collision]
precision = "float64"
[initial]
velocity = ["0.05*sin(2*pi*y/Ly) m/s", 0, "0.02 m/s"]
[run]
steps = 3
[output.series.all]
quantities = ["enstrophy", "kinetic_energy", "max_speed", "mean_density", "mean_velocity"]
every = 2
`
	dir := t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	b, err := os.ReadFile(filepath.Join(dir, "series_all.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(b)))
	r.Comment = '#'
	table, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "step|time (s)|mean_density (kg/m3)|mean_velocity x (m/s)|mean_velocity y (m/s)|mean_velocity z (m/s)|max_speed (m/s)|kinetic_energy (Pa)|enstrophy (1/s2)"
	if got := strings.Join(table[0], "|"); got != want {
		t.Errorf("columns %s\nwant    %s", got, want)
	}
	var steps []string
	for _, row := range table[1:] {
		steps = append(steps, row[0])
	}
	if got := strings.Join(steps, " "); got != "0 2 3" {
		t.Errorf("rows of steps %s", got)
	}
	// The crest lies between two cells. Central differences see the wave as sin(kh)/(kh)
	// of what it is.
	k, h := 2*math.Pi/8, 0.5
	crest := 0.05 * math.Cos(k*h/2)
	for i, w := range []float64{3, 0, 0, 0.02, math.Hypot(crest, 0.02), 3 * (0.05*0.05/4 + 0.02*0.02/2), math.Pow(0.05*math.Sin(k*h)/h, 2) / 4} {
		got, err := strconv.ParseFloat(table[1][2+i], 64)
		if err != nil || math.Abs(got-w) > 1e-13 {
			t.Errorf("%s = %v, want %v (%v)", table[0][2+i], got, w, err)
		}
	}
}
