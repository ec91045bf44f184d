package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Slopes are those of a cubic, at uneven times, and sound on top of it hardly shows.
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

// The dissipation is that of the energy in the file of a run.
func TestDissipation(t *testing.T) {
	dir := t.TempDir()
	var energy, enstrophy strings.Builder
	energy.WriteString("# a comment\nstep,time (s),max_speed (m/s),kinetic_energy (Pa)\n")
	enstrophy.WriteString("step,time (s),enstrophy (1/s2)\n")
	for i := 0; i <= 240; i++ { // -dK/dt = 0.0128/cosh^2(x - 9.03)
		x := 0.05 * float64(i)
		energy.WriteString(strings.Join([]string{"0", num(x), "1", num(0.1 - 0.0128*math.Tanh(x-9.03))}, ",") + "\n")
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
	for i, want := range []float64{0.0128, 9.03, 0.012, 9.1} {
		if math.Abs(float64(got[i].Got)/want-1) > 1e-3 {
			t.Errorf("%s = %g, want %g", got[i].What, float64(got[i].Got), want)
		}
	}
	if !got[0].OK || !got[1].OK || got[0].Free || !got[2].Free {
		t.Errorf("%+v", got)
	}
	if err := os.Remove(filepath.Join(dir, "series_enstrophy.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := dissipation(nil, dir); err == nil {
		t.Error("a file that is missing is not missed")
	}
}

func num(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
