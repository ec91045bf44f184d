// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// spectral is the flow of profiles with other outputs.
var spectral = profiled[:strings.Index(profiled, "[output.profile.y]")] + `
[output.spectrum.along_x]
along = "x"
at = [0.5, 4.5, 9.5]
fields = ["velocity_spectrum", "pressure_spectrum", "temperature_spectrum"]
sample_every = 2
start = 6
every = 20
[output.spectrum.along_z]
along = "z"
normal = "x"
at = [1, 6]
sample_every = 3
[output.spectrum.pieces]
along = "x"
normal = "z"
cumulative = false
sample_every = 5
every = 20
[checkpoint]
every = 30
[run]
steps = %d
`

func spectrumFiles(t *testing.T, dir string, names ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range names {
		all[name] = comments.ReplaceAllString(string(contents(t, filepath.Join(dir, "spectrum_"+name+".csv"))), "")
	}
	return all
}

// tableOf returns the columns of a table by their names, units included.
func tableOf(t *testing.T, text string) map[string][]float64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]float64{}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[name] = append(columns[name], v)
		}
	}
	return columns
}

// Spectra have the same bits for any cut, and of a run that has been stopped.
func TestSpectraOfAnyCut(t *testing.T) {
	names := []string{"along_x", "along_z", "pieces"}
	for _, precision := range []string{"float32", "float64"} {
		text := fmt.Sprintf(spectral, precision, 60)
		var want map[string]string
		for _, tr := range []trial{{ranks: 1}, {ranks: 2}, {ranks: 3, threads: 2}, {ranks: 4, cut: [3]int{1, 2, 2}}} {
			tr.text, tr.dir = text, t.TempDir()
			tr.must(t)
			if got := spectrumFiles(t, tr.dir, names...); want == nil {
				want = got
			} else {
				sameFiles(t, fmt.Sprintf("%d ranks", tr.ranks), got, want)
			}
		}
		dir := t.TempDir()
		trial{text: fmt.Sprintf(spectral, precision, 45), ranks: 2, dir: dir}.must(t)
		trial{text: text, ranks: 1, dir: dir, restart: filepath.Join(dir, "checkpoints", "checkpoint_000000000030.h5")}.must(t)
		sameFiles(t, "restarted", spectrumFiles(t, dir, names...), want)

		x, pieces := tableOf(t, want["along_x"]), tableOf(t, want["pieces"])
		if n := len(x["k"]); n != 3*3*12 || x["y"][12] != 4.5 || x["samples"][n-1] != 28 || math.Abs(x["k"][1]-4*math.Pi/24) > 1e-15 {
			t.Errorf("%d rows, the last of %v samples:\n%s", n, x["samples"][n-1], want["along_x"])
		}
		for name, column := range x {
			for i, v := range column {
				if !(v >= 0) || strings.Contains(name, "spectrum") && v == 0 {
					t.Errorf("%s, row %d: %v", name, i, v)
				}
			}
		}
		if last := pieces["samples"]; len(last) != 3*12 || last[0] != 4 || last[35] != 4 {
			t.Errorf("samples of outputs that start over: %v", last)
		}
	}
}

// A spectrum is where a wave is, in the case's units, and its sum is the variance that a profile has of the same lines.
func TestSpectrumOfAWave(t *testing.T) {
	const text = `
[domain]
size = ["4 m", "1 m"]
cells = [64, 16]
periodic = ["x", "y"]
[fluid]
viscosity = "1e-4 m2/s"
density = "3 kg/m3"
velocity = "0.1 m/s"
[scaling]
lattice_velocity = 0.05
[collision]
precision = "float64"
[initial]
velocity = ["0.05 m/s", "0.03 + 0.02*cos(2*pi*3*x/Lx) + 0.01*sin(2*pi*x/Lx) m/s"]
[output.profile.rows]
along = "y"
fields = ["mean_velocity", "reynolds_stress", "pressure_variance"]
[output.spectrum.all]
along = "x"
[output.spectrum.rows]
along = "x"
normal = "y"
at = ["0.1 m", "0.7 m"]
fields = ["velocity_spectrum", "pressure_spectrum"]
[run]
steps = 100
`
	dir := t.TempDir()
	trial{text: strings.ReplaceAll(text, "along", "sample_every = 100\nalong"), ranks: 3, dir: dir}.must(t)
	files := spectrumFiles(t, dir, "all", "rows")
	all, rows := tableOf(t, files["all"]), tableOf(t, files["rows"])
	profile := tableOf(t, comments.ReplaceAllString(string(contents(t, filepath.Join(dir, "profile_rows.csv"))), ""))
	dk := 2 * math.Pi / 4
	decay := func(n float64) float64 { return math.Exp(-2 * 1e-4 * (n * dk) * (n * dk) * all["time (s)"][0]) }
	for i, e := range all["velocity_spectrum y (m3/s2)"] {
		want := map[int]float64{0: 0.01 * 0.01 / 2 / dk * decay(1), 2: 0.02 * 0.02 / 2 / dk * decay(3)}[i]
		if k := all["k (rad/m)"][i]; math.Abs(e-want) > 2e-3*want+1e-10 || math.Abs(k-dk*float64(i+1)) > 1e-14 {
			t.Errorf("k %v: %v instead of %v", k, e, want)
		}
	}
	if len(all["samples"]) != 32 || all["y (m)"] != nil || !math.IsInf(all["+- velocity_spectrum x (m3/s2)"][0], 1) {
		t.Errorf("one sample of all lines:\n%s", files["all"])
	}
	for i, plane := range []int{1, 11} {
		for of, as := range map[string]string{"velocity_spectrum x (m3/s2)": "reynolds_stress xx (m2/s2)", "velocity_spectrum y (m3/s2)": "reynolds_stress yy (m2/s2)",
			"pressure_spectrum (kg2/(m s4))": "pressure_variance (kg2/(m2 s4))"} {
			sum := 0.0
			for _, e := range rows[of][32*i:][:32] {
				sum += e * dk
			}
			want := profile[as][plane]
			if rows["y (m)"][32*i] != profile["y (m)"][plane] || math.Abs(sum-want) > 1e-9*want+1e-13 /* the digits of profiles */ {
				t.Errorf("%s at %v: the sum is %v instead of %v", of, rows["y (m)"][32*i], sum, want)
			}
		}
	}
}

// Outputs before the first sample have no rows, and one warning reports when it comes. Those that start over are silent about it later.
func TestSpectrumBeforeItsSamples(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(spectral, "float32", 50), "sample_every = 5\nevery = 20", "start = 21\nsample_every = 15\nevery = 10", 1)
	dir := t.TempDir()
	var said []string
	for _, w := range (trial{text: text, ranks: 2, dir: dir}).must(t).warned {
		if strings.Contains(w, "spectrum.pieces") {
			said = append(said, w)
		}
	}
	if len(said) != 1 || said[0] != "step 10: [output.spectrum.pieces] has no samples yet: the first is at step 30" {
		t.Errorf("%q", said)
	}
	pieces := tableOf(t, spectrumFiles(t, dir, "pieces")["pieces"])
	if n := len(pieces["step"]); n != 24 || pieces["step"][0] != 30 || pieces["step"][23] != 50 || pieces["samples"][23] != 1 {
		t.Errorf("%d rows: %v", n, pieces["step"])
	}
}

// Where no line is all fluid there is no spectrum, and one rank reports it, once.
func TestSpectrumOfNoLines(t *testing.T) {
	text := fmt.Sprintf(spectral, "float32", 12)
	text = strings.Replace(text, "at = [0.5, 4.5, 9.5]", "at = [4.5, 9.5]", 1)
	text = strings.Replace(strings.Replace(text, "from = [4, 3, 2]", "from = [4, 3, 0]", 1), "to = [9, 6, 6]", "to = [9, 6, 9]", 1)
	dir := t.TempDir()
	said := 0
	for _, w := range (trial{text: text, ranks: 2, dir: dir}).must(t).warned {
		if w == "[output.spectrum.along_x]: each line of the plane y = 4.5 along x has solid cells: its spectrum is NaN" {
			said++
		}
	}
	if said != 1 {
		t.Errorf("it was said %d times", said)
	}
	x := tableOf(t, spectrumFiles(t, dir, "along_x")["along_x"])["velocity_spectrum x"]
	if len(x) != 24 || !math.IsNaN(x[0]) || !(x[12] > 0) {
		t.Errorf("%v", x)
	}
}
