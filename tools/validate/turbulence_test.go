// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/interp"
)

func write(t *testing.T, dir, name string, lines []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The channel's numbers match a profile that is the reference itself, with a known
// friction, and use the last block alone.
func TestChannelStatistics(t *testing.T) {
	dir := t.TempDir()
	const tau, n = 8.123e-3 / 2, 128
	u := math.Sqrt(tau)
	x, v := []float64{0}, []float64{0}
	for _, r := range channelReference {
		x, v = append(x, r[0]), append(v, r[1])
	}
	var profile interp.AkimaSpline
	if err := profile.Fit(x, v); err != nil {
		t.Fatal(err)
	}
	rows := []string{"step,time (s),y (m),samples,mean_velocity x (m/s),reynolds_stress xx (m2/s2),reynolds_stress yy (m2/s2),reynolds_stress zz (m2/s2),reynolds_stress xy (m2/s2),+- mean_velocity x (m/s),+- reynolds_stress xx (m2/s2)"}
	bulk := 0.0
	for block := range 2 {
		for k := range n {
			d, sign := (float64(k)+0.5)/n*2, 1.0
			if d > 1 {
				d, sign = 2-d, -1
			}
			bump := math.Exp(-math.Pow(d-0.2, 2) * 50) // the same peak for all
			u0 := u * profile.Predict(d*u/channelNu)
			if block == 0 {
				u0, bump = 7, 7
			} else {
				bulk += u0 / n
			}
			row := []string{fmt.Sprint(block), "0", num(float64(k)), "9", num(u0)}
			for _, peak := range []float64{2.7, 0.85, 1.1} {
				row = append(row, num(math.Pow(peak*u*bump, 2)))
			}
			row = append(row, num(-sign*0.73*tau*bump), num(0.01*u0), num(0.1*math.Pow(2.7*u*bump, 2)))
			rows = append(rows, strings.Join(row, ","))
		}
	}
	write(t, dir, "profile_across.csv", rows)
	write(t, dir, "force_plates.csv", []string{"step,mean force_x (N),+- force_x (N)", "1,7,7", "2," + num(64*tau) + "," + num(0.64*tau)})
	got, err := channelStatistics(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	// U+ at y+ 182 is the last of the table's points but one that the channel has.
	for i, want := range []float64{2 * tau / (bulk * bulk), 1, 0, 1, 2.7, 5, 0.85, 1.1, 0.73, u / channelNu} {
		if math.Abs(float64(got[i].Got)-want) > 3e-3*math.Max(1, want) {
			t.Errorf("%s = %g, want %g", got[i].What, float64(got[i].Got), want)
		}
	}
	for _, i := range []int{2, 4, 6, 7, 8} {
		if !got[i].OK || got[i].Free {
			t.Errorf("%+v", got[i])
		}
	}
	lines, err := channelLines(dir)
	if err != nil || len(lines) != 2 || len(lines[0].X) != n/2 {
		t.Errorf("%d lines (%v)", len(lines), err)
	}
	write(t, dir, "series_flow.csv", []string{"step,time (s),mean_velocity x (m/s),body_force x (N/m3)", "1,3,1,7", "2,4,1," + num(tau*1.19), "3,5," + num(1+0.2*tau) + "," + num(tau*1.21)})
	if got, err = channelBalance(nil, dir); err != nil || got[0].OK || !got[1].OK || !got[2].OK {
		t.Errorf("a bulk velocity that is not 1: %v %+v", err, got)
	}
	write(t, dir, "series_flow.csv", []string{"step,time (s),mean_velocity x (m/s),body_force x (N/m3)", "2,4,1," + num(tau*0.99), "3,5,1," + num(tau*0.99)})
	if got, err = channelBalance(nil, dir); err != nil || got[1].OK {
		t.Errorf("a body force that is too small: %v %+v", err, got)
	}
	write(t, dir, "force_plates.csv", []string{"step,mean force_x (N),+- force_x (N)", "1,0,0"})
	if _, err := channelStatistics(nil, dir); err == nil {
		t.Error("plates without friction have numbers")
	}
}

// The frequency of a noisy oscillation is found, by its cycles and by its spectrum.
func TestFrequencies(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const f = 0.215
	var times, lift []float64
	var series [8][]float64
	for i := range 400 {
		x := 30 + 0.1*float64(i)
		times = append(times, x)
		lift = append(lift, 3+math.Sin(2*math.Pi*f*x)+0.05*r.NormFloat64())
		for k := range series {
			series[k] = append(series[k], 1+math.Sin(2*math.Pi*f*x+float64(k))+3*math.Sin(2*math.Pi*0.03*x)+r.NormFloat64())
		}
	}
	got, half, err := cycles(times, lift)
	if err != nil || math.Abs(got-f) > 0.01*f || half <= 0 || half > 0.02*f {
		t.Errorf("%g +- %g (%v)", got, half, err)
	}
	if got, half, err = spectralPeak(times, series[:], 20, 0.1, 0.4); err != nil || math.Abs(got-f) > 0.02*f || half <= 0 || half > 0.04*f {
		t.Errorf("%g +- %g (%v)", got, half, err)
	}
	if got, _, err = cycles(times[:50], lift[:50]); err != nil || !math.IsNaN(got) {
		t.Error("one oscillation has a period")
	}
	if _, _, err := cycles(times, lift[:50]); err == nil {
		t.Error("times without values have a frequency")
	}
	if _, _, err := spectralPeak(times, [][]float64{lift[:50]}, 20, 0.1, 0.4); err == nil {
		t.Error("times without values have a spectrum")
	}
	if _, _, err := spectralPeak(times, series[:], 30, 0.1, 0.4); err == nil {
		t.Error("a single piece has an interval")
	}
	if peak, half, err := spectralPeak(times, series[:], 20, 0.25, 0.4); err != nil || !math.IsNaN(peak) || !math.IsNaN(half) {
		t.Errorf("power that rises to an end of the band has a peak at %g +- %g (%v)", peak, half, err)
	}
}

// wakeFiles writes the files of a body whose wake is known: it ends at x = 7 on average.
func wakeFiles(t *testing.T, dir, body string) {
	r := rand.New(rand.NewSource(1))
	force := []string{"step,time (s),lift,mean force_y (N),mean force_z (N),+- force_y (N),+- force_z (N),+- drag"}
	for i := range 2000 {
		// The lift is faster and weaker at the end: the spectrum's peak stays, the number of periods does not.
		x := 0.1 * float64(i)
		lift := 1.5 * math.Sqrt2 * math.Sin(2*math.Pi*0.131*x)
		if x > 150 {
			lift = 0.75 * math.Sqrt2 * math.Sin(2*math.Pi*0.18*x)
		}
		force = append(force, strings.Join([]string{num(x), num(x), num(lift), "0.016", "0.022", "0.003", "0.004", "0.01"}, ","))
	}
	write(t, dir, "force_"+body+".csv", force)
	for k := range 4 {
		rows := []string{"step,time (s),distance (m),x (m),velocity x (m/s),velocity y (m/s),velocity z (m/s)"}
		for i := range 400 {
			noise := 0.1 * r.NormFloat64()
			for p := range 33 {
				x := 5.5 + float64(p)/8
				v := 0.5*math.Tanh(x-7) + noise
				if i < 50 {
					v = 9 // before the start
				}
				if p == 0 {
					v = 0 // the body
				}
				f := 0.21 // of what turns around the axis behind the recirculation
				if x < 7.5 {
					f = 0.3
				}
				sin, cos := math.Sincos(2 * math.Pi * f * 0.5 * float64(i))
				rows = append(rows, strings.Join([]string{fmt.Sprint(i), num(0.5 * float64(i)), "0", num(x), num(v), num(cos), num(sin)}, ","))
			}
		}
		write(t, dir, fmt.Sprintf("line_wake%d.csv", k), rows)
	}
	for name, p := range map[string]float64{"stream": 0.1, "front": 0.6, "back": -0.34} {
		rows := []string{"step,time (s),z (m),pressure (Pa)"}
		for i := range 200 {
			q := p
			if i < 60 {
				q = 9
			}
			rows = append(rows, fmt.Sprintf("%d,%d,0,%g", i, i, q-0.1), fmt.Sprintf("%d,%d,1,%g", i, i, q+0.1))
		}
		write(t, dir, "line_"+name+".csv", rows)
	}
}

// Quantities derived from a wake match its files since the start.
func TestWakes(t *testing.T) {
	dir := t.TempDir()
	wakeFiles(t, dir, "cylinder")
	got, err := cylinder3900(60, 5.5)(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.01, 0.131, 0, 0.1485, 0.01, 0.88, 1, 1.5} {
		if math.Abs(float64(got[i].Got)-want) > 0.01 {
			t.Errorf("%s = %g, want %g", got[i].What, float64(got[i].Got), want)
		}
	}
	if half := float64(got[8].Got); half < 0.002 || half > 0.05 || got[1].OK || !got[3].Free || !got[5].OK || !got[7].OK {
		t.Errorf("%+v", got)
	}
	wakeFiles(t, dir, "square")
	if got, err = square22000(60, 6.5)(nil, dir); err != nil || math.Abs(float64(got[5].Got)-1.283) > 0.02 || !got[1].OK || !got[5].OK || got[3].What != countedPeriods {
		t.Errorf("%v %+v", err, got)
	}
	wakeFiles(t, dir, "sphere")
	if got, err = sphere300(nil, dir); err != nil || math.Abs(float64(got[1].Got)-math.Hypot(0.016, 0.022)*8/math.Pi) > 1e-9 || !got[1].OK {
		t.Errorf("%v %+v", err, got)
	}
	if _, err := sphere3700(nil, dir); err == nil {
		t.Error("a line that is missing is not missed")
	}
	if err := os.Rename(filepath.Join(dir, "line_wake0.csv"), filepath.Join(dir, "line_wake.csv")); err != nil {
		t.Fatal(err)
	}
	if got, err = sphere3700(nil, dir); err != nil || math.Abs(float64(got[1].Got)-0.21) > 0.003 || !got[1].OK || math.Abs(float64(got[3].Got)-3.5) > 0.02 {
		t.Errorf("%v %+v", err, got)
	}
}

// A slow and strong motion outside the band does not hide the shedding.
func TestSheddingBesideASlowMotion(t *testing.T) {
	dir := t.TempDir()
	rows := []string{"step,time (s),lift"}
	for i := range 3000 {
		x := 0.1 * float64(i)
		rows = append(rows, strings.Join([]string{num(x), num(x), num(math.Sin(2*math.Pi*0.131*x) + 3*math.Sin(2*math.Pi*0.03*x))}, ","))
	}
	write(t, dir, "force_square.csv", rows)
	got, err := wake{body: "square", start: 60}.shedding(dir, 75, 0.131, 0.001)
	if err != nil || !got[0].OK || got[0].What != "Strouhal number" {
		t.Errorf("%v %+v", err, got)
	}
}

// An unstable run is a result where no bound is asserted; informative runs only report, and
// the page has both.
func TestInformativeRuns(t *testing.T) {
	out := outcome{}
	text := []byte("{\"event\":\"start\",\"data\":{\"version\":\"v\",\"ranks\":[{\"Hi\":[4,5,6],\"Device\":{\"Model\":\"m\"}}]}}\n" +
		"{\"event\":\"error\",\"data\":\"lbmsim: the run is unstable, step 186: Mach 0.513 above the limit\"}\n")
	if err := out.takeUnstable(text, entry{informative: true}); err != nil || out.Steps != 186 || out.Cells != [3]int{4, 5, 6} || !out.Checks[0].Free || !out.Checks[0].OK {
		t.Errorf("%v %+v", err, out)
	}
	if err := out.takeUnstable(text[:90], entry{informative: true}); err == nil {
		t.Error("an end without a step is taken")
	}
	if err := out.takeUnstable(text, entry{}); err != nil || out.Checks[0].OK || out.Checks[0].row() != unstable+" | 186 | | | | **missed**" {
		t.Errorf("an unstable run that had to hold something: %v %+v", err, out)
	}
	run := []byte("{\"event\":\"finish\",\"data\":{\"steps\":3,\"expect\":[{\"Quantity\":\"expect.a\",\"Got\":2,\"Want\":1,\"Tolerance\":0.1,\"OK\":false}]}}\n")
	e := entry{informative: true, lines: func(string) ([]line, error) { return []line{{"f", []float64{1, 2}, []float64{3, 4}}}, nil }}
	out = outcome{}
	if err := out.takeRun(run, e, ""); err != nil || !out.Checks[0].OK || !out.Checks[0].Free || out.Checks[0].row() != "a | 2 | 1 | +100 % | | reported" {
		t.Errorf("%v %+v", err, out)
	}
	s := section{id: "s", costs: true, entries: []entry{{id: "s-a", args: []string{"run"}}, {id: "s-b", args: []string{"run"}}}, figures: []figure{{id: "f", title: "F", points: channelPoints(func([2]float64) float64 { return 1 })}}}
	s.table = func(kept map[string]outcome) string {
		return grid(kept, "model", []string{"a", "b"}, []int{8}, func(r string, _ int) string { return "s-" + r }, "a")
	}
	bad := outcome{}
	if err := bad.takeUnstable(text, entry{informative: true}); err != nil {
		t.Fatal(err)
	}
	page, plots, err := page([]section{s}, map[string]outcome{"s-a": out, "s-b": bad})
	if err != nil || len(plots["validation_s_f.svg"]) == 0 {
		t.Fatalf("%d plots (%v)", len(plots), err)
	}
	for _, want := range []string{"| a | 2 |", "| b | unstable |", "![F](validation_s_f.svg)", "| s-b | 186 | m |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
