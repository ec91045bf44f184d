// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const profiled = `
[domain]
cells = [24, 10, 9]
periodic = ["x", "z"]
[fluid]
viscosity = 0.02
[collision]
precision = "%s"
[temperature]
prandtl = 1
reference = 300
initial = "300 + y/Ly"
[initial]
velocity = ["0.05 + 0.03*sin(2*pi*x/Lx)*cos(2*pi*z/Lz)", "0.01*sin(2*pi*x/Lx)*sin(2*pi*y/Ly)", "0.01*cos(2*pi*y/Ly)"]
[boundary.plates]
type = "wall"
faces = ["y-", "y+"]
[body.box]
shape = "box"
from = [4, 3, 2]
to = [9, 6, 6]
[output.profile.y]
along = "y"
fields = ["mean_pressure", "pressure_variance", "mean_velocity", "reynolds_stress", "mean_temperature", "temperature_variance", "turbulent_heat_flux"]
sample_every = 2
start = 6
every = 20
[output.profile.x]
along = "x"
sample_every = 3
[output.profile.z]
along = "z"
sample_every = 3
[output.averages]
sample_every = 2
precision = "float64"
[checkpoint]
every = 30
[run]
steps = %d
`

// comments hold the resolved case, which has the number of steps.
var comments = regexp.MustCompile(`(?m)^#.*\n`)

// profileFiles returns the profiles of a run, without comments, and its averages.
func profileFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"x", "y", "z"} {
		all[name] = comments.ReplaceAllString(string(contents(t, filepath.Join(dir, "profile_"+name+".csv"))), "")
	}
	return all
}

// Profiles and averages have the same bits for any cut, and of a run that has been stopped.
func TestProfilesOfAnyCut(t *testing.T) {
	for _, precision := range []string{"float32", "float64"} {
		text := fmt.Sprintf(profiled, precision, 60)
		var want map[string]string
		for _, tr := range []trial{{ranks: 1}, {ranks: 3, threads: 2}, {ranks: 4, cut: [3]int{1, 2, 2}}} {
			tr.text, tr.dir = text, t.TempDir()
			tr.must(t)
			if got := profileFiles(t, tr.dir); want == nil {
				want = got
			} else {
				sameFiles(t, fmt.Sprintf("%d ranks", tr.ranks), got, want)
			}
		}
		dir := t.TempDir()
		trial{text: fmt.Sprintf(profiled, precision, 45), ranks: 2, dir: dir}.must(t)
		trial{text: text, ranks: 1, dir: dir, restart: filepath.Join(dir, "checkpoints", "checkpoint_000000000030.h5")}.must(t)
		sameFiles(t, "restarted", profileFiles(t, dir), want)
	}
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: profile %s differs:\n%.2000s\ninstead of\n%.2000s", what, name, got[name], want[name])
		}
	}
}

// A profile reports where it is and how many samples it has.
func TestProfileOfALayer(t *testing.T) {
	const text = `
[domain]
size = ["4 m", "8 m"]
cells = [8, 16]
periodic = ["x", "y"]
[fluid]
viscosity = "0.01 m2/s"
density = "3 kg/m3"
velocity = "0.1 m/s"
[scaling]
lattice_velocity = 0.05
[collision]
precision = "float64"
[initial]
velocity = ["0.05 + 0.01*sin(2*pi*x/Lx) m/s", "0.03 m/s"]
[run]
steps = 1
[output.profile.p]
along = "x"
every = 1
start = 1
sample_every = 1
`
	dir := t.TempDir()
	trial{text: text, ranks: 2, dir: dir}.must(t)
	b, err := os.ReadFile(filepath.Join(dir, "profile_p.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(b)))
	r.Comment = '#'
	table, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "step|time (s)|x (m)|samples|mean_velocity x (m/s)|mean_velocity y (m/s)|reynolds_stress xx (m2/s2)|reynolds_stress yy (m2/s2)|reynolds_stress xy (m2/s2)|" +
		"+- mean_velocity x (m/s)|+- mean_velocity y (m/s)|+- reynolds_stress xx (m2/s2)|+- reynolds_stress yy (m2/s2)|+- reynolds_stress xy (m2/s2)"
	if got := strings.Join(table[0], "|"); got != want {
		t.Errorf("columns %s\nwant    %s", got, want)
	}
	if len(table) != 9 {
		t.Fatalf("%d rows", len(table)-1)
	}
	for i, row := range table[1:] {
		number := func(k int) float64 {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if number(2) != (float64(i)+0.5)/2 || number(3) != 1 || number(5) < 0.0299 || number(5) > 0.0301 || number(6) > 1e-12 || number(6) < -1e-12 || row[9] != "+Inf" {
			t.Errorf("row %d: %v", i, row)
		}
	}
}
