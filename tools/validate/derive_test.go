// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Slopes match a cubic's, at uneven times, and sound on top of it hardly shows.
func TestSlopes(t *testing.T) {
	var at, v []float64
	for i := range 200 {
		x := 0.05*float64(i) + 0.004*float64(i%3)
		at = append(at, x)
		v = append(v, 2-3*x+0.5*x*x-0.1*x*x*x+1e-4*math.Sin(2*math.Pi*x/0.2))
	}
	times, got, err := slopes(at, v, 0.3)
	if err != nil || len(times) < 180 {
		t.Fatalf("%d slopes (%v)", len(times), err)
	}
	const loud = 1e-4 * 2 * math.Pi / 0.2 // what a difference of neighbours would show
	for i, x := range times {
		if want := -3 + x - 0.3*x*x; math.Abs(got[i]-want) > loud/5 {
			t.Errorf("slope at %g is %g, want %g", x, got[i], want)
		}
	}
	if _, _, err := slopes(at[:4], v[:4], 0.3); err == nil {
		t.Error("four values have slopes")
	}
	if _, _, err := slopes([]float64{0, 1, 2, 3}, []float64{0, 1, 2, 3}, 0.3); err == nil {
		t.Error("values far apart have slopes")
	}
	if _, _, err := slopes(at, v[:4], 0.3); err == nil {
		t.Error("times without values have slopes")
	}
}

// The dissipation is the dissipation of the energy in the file of a run.
func TestDissipation(t *testing.T) {
	dir := t.TempDir()
	var energy, enstrophy strings.Builder
	energy.WriteString("# a comment\nstep,time (s),max_speed (m/s),kinetic_energy (Pa)\n")
	enstrophy.WriteString("step,time (s),enstrophy (1/s2)\n")
	for i := 0; i <= 300; i++ { // -dK/dt = 0.0128/cosh^2(x - 9.03)
		x := 0.05 * float64(i)
		energy.WriteString(strings.Join([]string{"0", num(x), "1", num(0.07 - 0.0128*math.Tanh(x-9.03))}, ",") + "\n")
		if i%5 == 0 {
			enstrophy.WriteString(strings.Join([]string{"0", num(x), num(800 * 0.012 / math.Pow(math.Cosh(x-9.1), 2))}, ",") + "\n")
		}
	}
	for name, b := range map[string]*strings.Builder{"series_energy.csv": &energy, "series_enstrophy.csv": &enstrophy} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := dissipation(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.0128, 9.03, 0.07 - 0.0128*math.Tanh(10-9.03), 0.012, 0.0128 / (0.012 / math.Pow(math.Cosh(9.03-9.1), 2))} {
		if math.Abs(float64(got[i].Got)/want-1) > 2e-3 {
			t.Errorf("%s = %g, want %g", got[i].What, float64(got[i].Got), want)
		}
	}
	if !got[0].OK || !got[1].OK || got[0].Free || got[2].Free || !got[3].Free {
		t.Errorf("%+v", got)
	}
	if err := os.Remove(filepath.Join(dir, "series_enstrophy.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := dissipation(nil, dir); err == nil {
		t.Error("a file that is missing is not missed")
	}
}

// Quantities derived from forces and lines match their files.
func TestCylinder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, lines []string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	force := []string{"step,time (s),drag,lift"}
	for i := range 4001 {
		x := 0.002 * float64(i)
		force = append(force, "0,"+num(x)+",3,"+num(0.02*(x-8)*(x-8)+math.Sin(2*math.Pi*3*x)-0.01)) // it has not settled before 6 s
	}
	write("force_cylinder.csv", force)
	got, err := shedding(0.01)(nil, dir)
	if err != nil || math.Abs(float64(got[0].Got)-0.3) > 2e-3 || !got[0].OK || math.Abs(float64(got[1].Got)-1.05) > 0.02 {
		t.Errorf("%v %+v", err, got)
	}
	// A pressure that is a parabola of the distance, and something else inside.
	for name, at := range map[string]float64{"front": 0.15, "back": 0.25} {
		line := []string{"step,time (s),distance (m),x (m),y (m),pressure (Pa)"}
		for i := range 33 {
			d := float64(i) * 0.02 / 32
			x, p := at+d, -0.03+d-4*d*d
			if name == "front" {
				x, p = at-d, 0.0876+d+3*d*d
			}
			if d < 0.00125-1e-9 {
				p = 77
			}
			line = append(line, "100,20,0,"+num(x)+",0.2,"+num(p))
		}
		write("line_"+name+".csv", line)
	}
	got, err = pressureDrop(0.0025, 0.005)(nil, dir)
	if err != nil || math.Abs(float64(got[0].Got)-0.1176) > 1e-12 || !got[0].OK {
		t.Errorf("%v %+v", err, got)
	}
	if _, err := pressureDrop(0.001, 0.005)(nil, dir); err == nil || !strings.Contains(err.Error(), "no point") {
		t.Errorf("a spacing that the line does not know: %v", err)
	}
}

func num(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
