// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/stat"

	"lbmsim/internal/stats"
)

// Quantities derived from the statistics of turbulent flow.

// The channel of cases/validation/turbulent_channel.toml.
const (
	channelNu   = 1. / 2857
	channelArea = 64. // of both plates
)

// channelReference is a part of the table of del Alamo & Jimenez, Phys. Fluids 15 (2003) L41:
// y+ and U+.
var channelReference = [][2]float64{
	{0.897, 0.895}, {2.489, 2.464}, {4.868, 4.697}, {8.024, 7.235}, {11.943, 9.558}, {14.184, 10.531}, {19.216, 12.073}, {31.403, 13.965},
	{42.297, 14.821}, {58.959, 15.662}, {77.800, 16.358}, {98.498, 16.974}, {120.70, 17.511}, {144.02, 17.944}, {168.07, 18.218}, {186.34, 18.284},
}

// across holds the profiles of a run across half the channel, in units of the friction
// velocity: both halves averaged.
type across struct {
	y, u, uu, vv, ww, uv []float64 // uu, vv, ww: roots of the mean squares
	half                 []float64 // of the interval of u
	halfUU               []float64 // of the interval of uu, by uu
	bulk                 float64   // mean of the velocity, in m/s
	friction, error      float64   // mean shear stress of the plates and half its interval, by the density
	skew                 float64   // largest difference of U between the halves, by the bulk velocity
}

// readAcross reads the last block of a profile, and the last row of the force on both plates.
func readAcross(dir string) (across, error) {
	var a across
	p, err := columns(dir, "profile_across.csv")
	if err != nil {
		return a, err
	}
	f, err := columns(dir, "force_plates.csv")
	if err != nil {
		return a, err
	}
	mean, half := f["mean force_x"], f["+- force_x"]
	if len(mean) == 0 || len(half) == 0 || len(p["mean_velocity x"]) == 0 {
		return a, fmt.Errorf("%s has no means of the plates' force or of the velocity", dir)
	}
	a.friction, a.error = mean[len(mean)-1]/channelArea, half[len(half)-1]/channelArea
	if !(a.friction > 0) {
		return a, fmt.Errorf("the friction is %g", a.friction)
	}
	steps := p["step"]
	first := slices.Index(steps, steps[len(steps)-1])
	n := len(steps) - first
	column := func(name string, sign, unit float64) []float64 {
		v := p[name][first:]
		both := make([]float64, n/2)
		for k := range both {
			both[k] = (v[k] + sign*v[n-1-k]) / 2 / unit
		}
		return both
	}
	tau := math.Sqrt(a.friction)
	u := p["mean_velocity x"][first:]
	a.bulk = floats.Sum(u) / float64(n)
	for k := range n / 2 {
		a.y = append(a.y, (float64(k)+0.5)*2/float64(n)*tau/channelNu)
		a.skew = math.Max(a.skew, math.Abs(u[k]-u[n-1-k])/a.bulk)
	}
	a.u, a.half = column("mean_velocity x", 1, tau), column("+- mean_velocity x", 1, tau)
	a.uu, a.vv, a.ww = column("reynolds_stress xx", 1, a.friction), column("reynolds_stress yy", 1, a.friction), column("reynolds_stress zz", 1, a.friction)
	for _, squares := range [][]float64{a.uu, a.vv, a.ww} {
		for k := range squares {
			squares[k] = math.Sqrt(math.Max(0, squares[k]))
		}
	}
	a.uv = column("reynolds_stress xy", -1, a.friction)
	a.halfUU = column("+- reynolds_stress xx", 1, 2*a.friction)
	floats.Div(a.halfUU, a.uu) // twice: of a root
	floats.Div(a.halfUU, a.uu)
	return a, nil
}

// channelStatistics compares a channel's statistics with spectral simulations'.
func channelStatistics(_ []check, dir string) ([]check, error) {
	a, err := readAcross(dir)
	if err != nil {
		return nil, err
	}
	var profile interp.AkimaSpline
	if err := profile.Fit(append([]float64{0}, a.y...), append([]float64{0}, a.u...)); err != nil {
		return nil, err
	}
	worst := 0.
	for _, r := range channelReference {
		if r[0] >= 5 && r[0] <= a.y[len(a.y)-1] {
			worst = math.Max(worst, math.Abs(profile.Predict(r[0])/r[1]-1))
		}
	}
	peak := func(what string, v []float64, sign, want, part float64) check {
		turned := make([]float64, len(v))
		floats.ScaleTo(turned, sign, v)
		largest, _ := maximum(a.y, turned)
		return against(what, largest, want, part)
	}
	re := math.Sqrt(a.friction) / channelNu
	return []check{
		against("friction C_f", 2*a.friction/(a.bulk*a.bulk), 8.123e-3, 0.02),
		informative("half the width of its 95 % interval, %", 100*a.error/a.friction),
		{What: "largest deviation of U+ from y+ 5 up", Got: number(worst), Tolerance: 0.015, OK: worst <= 0.015},
		informative("half the width of the interval of U+ at y+ 31, %", 100*at(a.y, a.half, 31)/at(a.y, a.u, 31)),
		peak("largest u'", a.uu, 1, 2.659, 0.02),
		informative("half the width of the interval of u' at y+ 14, %", 100*at(a.y, a.halfUU, 14)),
		peak("largest v'", a.vv, 1, 0.848, 0.03),
		peak("largest w'", a.ww, 1, 1.089, 0.03),
		peak("largest -uv", a.uv, -1, 0.734, 0.03),
		informative("Re_tau", re),
		informative("largest deviation of the total stress from its line, y+ 30 up", a.unbalanced(re)),
	}, nil
}

// unbalanced returns the largest distance of the stress of eddies and of friction from the
// straight line of a steady mean flow, in units of the stress of the wall.
func (a across) unbalanced(re float64) (most float64) {
	for k := 1; k < len(a.y)-1; k++ {
		if a.y[k] >= 30 {
			friction := (a.u[k+1] - a.u[k-1]) / (a.y[k+1] - a.y[k-1])
			most = math.Max(most, math.Abs(friction-a.uv[k]-(1-a.y[k]/re)))
		}
	}
	return most
}

// channelLines returns the mean velocity and the fluctuations along the flow.
func channelLines(dir string) ([]line, error) {
	a, err := readAcross(dir)
	if err != nil {
		return nil, err
	}
	return []line{{"velocity", rounded(a.y), rounded(a.u)}, {"fluctuations", rounded(a.y), rounded(a.uu)}}, nil
}

// channelBalance checks the statistics against balances of any flow there: the
// bulk velocity, and the force that the fluid gets against the one that it gives to the plates.
func channelBalance(_ []check, dir string) ([]check, error) {
	const start, volume, kept = 4, 64., 1.
	a, err := readAcross(dir)
	if err != nil {
		return nil, err
	}
	s, err := columns(dir, "series_flow.csv")
	if err != nil {
		return nil, err
	}
	first := since(s["time"], start)
	force := s["body_force x"][first:]
	given := floats.Sum(force) / float64(len(force)) * volume
	times, u := s["time"][first:], s["mean_velocity x"][first:]
	if len(u) < 2 {
		return nil, fmt.Errorf("%s has no bulk velocity from %d h/U on", dir, start)
	}
	stays := (u[len(u)-1] - u[0]) / (times[len(u)-1] - times[0]) * volume // in the fluid
	return []check{
		against("mean of the profile's velocity", a.bulk, kept, 1e-4),
		against("force on the plates / (body force - change of momentum)", a.friction*channelArea/(given-stays), 1, 2e-3),
		{What: "difference of the halves' velocity", Got: number(a.skew), Tolerance: 0.01, OK: a.skew <= 0.01},
	}, nil
}

// at returns the value of a series at x, by linear interpolation.
func at(x, v []float64, where float64) float64 {
	k := min(max(1, since(x, where)), len(x)-1)
	part := (where - x[k-1]) / (x[k] - x[k-1])
	return v[k-1] + part*(v[k]-v[k-1])
}

// since returns the first index from a time on.
func since(t []float64, start float64) int {
	first, _ := slices.BinarySearch(t, start)
	return first
}

// spectral is the solution of the workshop: t, K, -dK/dt.
var spectral = [][3]float64{
	{1, 0.12451527, 0.00051882}, {2, 0.12391677, 0.00070756}, {3, 0.12302388, 0.00112652}, {4, 0.12150819, 0.00206624}, {4.5, 0.12024067, 0.00306120},
	{5, 0.11843575, 0.00412710}, {5.5, 0.11617148, 0.00487154}, {6, 0.11358111, 0.00553099}, {6.5, 0.11056281, 0.00662507}, {7, 0.10702473, 0.00736477},
	{7.5, 0.10304289, 0.00872999}, {8, 0.09828988, 0.01037290}, {8.5, 0.09270220, 0.01192071}, {8.75, 0.08960794, 0.01272199}, {8.97, 0.08678956, 0.01285753},
	{9.25, 0.08323166, 0.01238635}, {9.5, 0.08023133, 0.01172934}, {10, 0.07447917, 0.01127205}, {10.5, 0.06891427, 0.01089268}, {11, 0.06366471, 0.01009790},
	{12, 0.05444166, 0.00836089}, {13, 0.04719371, 0.00633607}, {14, 0.04131464, 0.00542406}, {15, 0.03643872, 0.00433186},
}

// dissipation compares the rate at which the Taylor-Green vortex loses energy with the spectral
// solution, and with the dissipation of the vorticity that the grid resolves.
func dissipation(_ []check, dir string) ([]check, error) {
	const nu, peak, when = 1. / 1600, 0.01285753, 8.97
	times, rates, s, err := losses(dir)
	if err != nil {
		return nil, err
	}
	largest, then := maximum(times, rates)
	w, err := columns(dir, "series_enstrophy.csv")
	if err != nil {
		return nil, err
	}
	enstrophy, _ := maximum(w["time"], w["enstrophy"])
	var vorticity interp.AkimaSpline
	if err := vorticity.Fit(w["time"], w["enstrophy"]); err != nil {
		return nil, err
	}
	off, err := distance(times, rates)
	if err != nil {
		return nil, err
	}
	return []check{
		against("largest -dK/dt", largest, peak, 0.02),
		against("its time", then, when, 0.02),
		against("kinetic energy at t = 10", at(s["time"], s["kinetic_energy"], 10), 0.07447917, 0.01),
		informative("2 nu times the largest enstrophy", 2*nu*enstrophy),
		informative(effective, largest/(2*nu*vorticity.Predict(then))),
		informative(deviation, 100*off/peak),
	}, nil
}

// Names of numbers that tables gather.
const (
	effective = "effective viscosity / nu at the peak"
	deviation = "root mean square deviation of -dK/dt, % of the peak"
)

// losses of energy over time.
func losses(dir string) (times, rates []float64, series map[string][]float64, err error) {
	if series, err = columns(dir, "series_energy.csv"); err != nil {
		return
	}
	if times, rates, err = slopes(series["time"], series["kinetic_energy"], 0.3); err == nil {
		floats.Scale(-1, rates)
	}
	return
}

// distance of rates from the rates of the spectral solution: the root mean square over the times
// from 1 to 15 that have a slope.
func distance(times, rates []float64) (float64, error) {
	var x, y []float64
	for _, r := range spectral {
		x, y = append(x, r[0]), append(y, r[2])
	}
	var curve interp.AkimaSpline
	if err := curve.Fit(x, y); err != nil {
		return 0, err
	}
	var squares, count float64
	for i, t := range times {
		if t >= x[0] && t <= x[len(x)-1] {
			squares += math.Pow(rates[i]-curve.Predict(t), 2)
			count++
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("no slope of the energy is at a time of the reference")
	}
	return math.Sqrt(squares / count), nil
}

// lossLines returns a function that reads -dK/dt over time.
func lossLines(figure string) func(string) ([]line, error) {
	return func(dir string) ([]line, error) {
		times, rates, _, err := losses(dir)
		if err != nil {
			return nil, err
		}
		l := line{Figure: figure}
		for i := 0; i < len(times); i += 2 {
			l.X, l.Y = append(l.X, times[i]), append(l.Y, rates[i])
		}
		l.X, l.Y = rounded(l.X), rounded(l.Y)
		return []line{l}, nil
	}
}

// enstrophyAt2 checks the enstrophy of the Taylor-Green vortex at t = 2, the end of the run.
func enstrophyAt2(_ []check, dir string) ([]check, error) {
	w, err := columns(dir, "series_enstrophy.csv")
	if err != nil {
		return nil, err
	}
	return []check{against("enstrophy at t = 2", w["enstrophy"][len(w["enstrophy"])-1], 0.566048, 0.05)}, nil
}

// wake of a body 1 m wide in a stream of 1 m/s, of a fluid of 1 kg/m3.
type wake struct {
	body  string
	start float64 // s, from which on the flow is counted
	area  float64 // m2
}

// dragInterval reports how well the mean drag is known.
func (w wake) dragInterval(dir string) (check, error) {
	f, err := columns(dir, "force_"+w.body+".csv")
	if err != nil {
		return check{}, err
	}
	half := f["+- drag"]
	if len(half) == 0 {
		return check{}, fmt.Errorf("%s has no drag", dir)
	}
	return informative("half the width of the drag's 95 % interval", half[len(half)-1]), nil
}

// lift over time.
func (w wake) lift(dir string) (times, lift []float64, err error) {
	f, err := columns(dir, "force_"+w.body+".csv")
	if err != nil {
		return nil, nil, err
	}
	first := since(f["time"], w.start)
	return f["time"][first:], f["lift"][first:], nil
}

// shedding holds the Strouhal number of the lift: the peak of its spectrum, searched from half to twice
// the wanted one, of pieces of some ten periods. Counted periods are reported.
func (w wake) shedding(dir string, piece, want, within float64) ([]check, error) {
	times, lift, err := w.lift(dir)
	if err != nil {
		return nil, err
	}
	peak, half, err := spectralPeak(times, [][]float64{lift}, piece, want/2, 2*want)
	if err != nil {
		return nil, err
	}
	counted, scatter, err := cycles(times, lift)
	if err != nil {
		return nil, err
	}
	const interval = "half the width of its 95 % interval"
	return []check{near("Strouhal number", peak, want, within), informative(interval, half), informative(countedPeriods, counted), informative(interval, scatter)}, nil
}

// countedPeriods is the Strouhal number that wakes have by [cycles].
const countedPeriods = "Strouhal number by counting periods"

// near holds a number to an interval around a middle.
func near(what string, got, want, within float64) check {
	return check{What: what, Got: number(got), Want: number(want), Tolerance: number(within), OK: math.Abs(got-want) <= within}
}

// cycles counts oscillations: their frequency, and half the width of its interval by the
// periods' scatter. A series has to be a quarter of its standard deviation below its mean
// before a rise through it counts, so that noise does not count. NaN with too few oscillations.
func cycles(t, v []float64) (frequency, half float64, err error) {
	if len(t) != len(v) || len(t) < 2 {
		return 0, 0, fmt.Errorf("%d times of %d values", len(t), len(v))
	}
	mean, std := stat.MeanStdDev(v, nil)
	var rises []float64
	low := false
	for i := 1; i < len(v); i++ {
		low = low || v[i] < mean-std/4
		if low && v[i] >= mean {
			low = false
			rises = append(rises, t[i-1]+(t[i]-t[i-1])*(mean-v[i-1])/(v[i]-v[i-1]))
		}
	}
	n := len(rises) - 1
	if n < 2 {
		return math.NaN(), math.NaN(), nil
	}
	periods := make([]float64, n)
	for i := range periods {
		periods[i] = rises[i+1] - rises[i]
	}
	period, scatter := stat.MeanStdDev(periods, nil)
	return 1 / period, stats.Student95(n-1) * scatter / math.Sqrt(float64(n)) / (period * period), nil
}

// spectralPeak returns the frequency, between two others, at which series that were taken together
// have most power: the sum of their periodograms (Welch, IEEE Trans. Audio Electroacoust. 15
// (1967) 70) of pieces of a length in time, which overlap by half, with Hann's window. Zeros
// behind each make the peak smooth. NaN where the power rises to an end, so that no peak is between
// them. Half the width of its 95 % interval is by the jackknife, from
// how much the peak moves if one of the pieces is left out. A peak is not a smooth statistic, and pieces
// that overlap are not independent: with six of them such an interval has the truth in 80 to 90 %.
func spectralPeak(t []float64, series [][]float64, piece, from, to float64) (peak, half float64, err error) {
	if len(t) < 2 || len(series) == 0 {
		return 0, 0, fmt.Errorf("%d values have no spectrum", len(t))
	}
	const zeros = 8
	step := (t[len(t)-1] - t[0]) / float64(len(t)-1)
	n := int(math.Round(piece / step))
	if n < 16 || n+n/2 > len(t) {
		return 0, 0, fmt.Errorf("%d values, pieces of %d", len(t), n)
	}
	transform := fourier.NewFFT(zeros * n)
	frequencies := make([]float64, zeros*n/2+1)
	for k := range frequencies {
		frequencies[k] = transform.Freq(k) / step
	}
	low, high := since(frequencies, from), since(frequencies, to)
	if high-low < 3 {
		return 0, 0, fmt.Errorf("%d frequencies between %g and %g", high-low, from, to)
	}
	frequencies = frequencies[low:high]
	total, padded := make([]float64, high-low), make([]float64, zeros*n)
	var pieces [][]float64
	for first := 0; first+n <= len(t); first += n / 2 {
		power := make([]float64, high-low)
		for _, v := range series {
			if len(v) != len(t) {
				return 0, 0, fmt.Errorf("%d times of %d values", len(t), len(v))
			}
			mean := stat.Mean(v[first:first+n], nil)
			for k := range n {
				padded[k] = (v[first+k] - mean) * (1 - math.Cos(2*math.Pi*float64(k)/float64(n-1)))
			}
			for k, c := range transform.Coefficients(nil, padded)[low:high] {
				power[k] += cmplx.Abs(c) * cmplx.Abs(c)
			}
		}
		floats.Add(total, power)
		pieces = append(pieces, power)
	}
	if highest := floats.MaxIdx(total); highest == 0 || highest == len(total)-1 {
		return math.NaN(), math.NaN(), nil
	}
	_, peak = maximum(frequencies, total)
	without := make([]float64, len(pieces))
	for i, power := range pieces {
		_, without[i] = maximum(frequencies, floats.SubTo(make([]float64, len(total)), total, power))
	}
	scatter := stat.PopStdDev(without, nil) * math.Sqrt(float64(len(pieces)-1))
	return peak, stats.Student95(len(pieces)-1) * scatter, nil
}

// along returns a line of a run over time: the places of its points, the times, and for each time the values there.
func along(dir, name, place, field string, start float64) (x, times []float64, values [][]float64, err error) {
	l, err := columns(dir, "line_"+name+".csv")
	if err != nil {
		return nil, nil, nil, err
	}
	v := l[field]
	if len(v) == 0 {
		return nil, nil, nil, fmt.Errorf("line %s has no %s", name, field)
	}
	for first := since(l["time"], start); first < len(v); {
		last := first
		for last < len(v) && l["step"][last] == l["step"][first] {
			last++
		}
		x, times, values = l[place][first:last], append(times, l["time"][first]), append(values, v[first:last])
		first = last
	}
	if len(values) == 0 {
		return nil, nil, nil, fmt.Errorf("line %s has nothing from %g s on", name, start)
	}
	return x, times, values, nil
}

// recirculation returns where the mean velocity of lines behind a body rises through zero for the
// last time, and half the width of its interval, by the interval of the velocity there and its slope.
// NaN if it never does.
func (w wake) recirculation(dir string, lines []string) (where, half float64, err error) {
	var x []float64
	var u [][]float64 // of each time the mean of the lines
	for _, name := range lines {
		places, _, values, err := along(dir, name, "x", "velocity x", w.start)
		if err != nil {
			return 0, 0, err
		}
		if x == nil {
			x = places
			for range values {
				u = append(u, make([]float64, len(x)))
			}
		}
		if len(values) != len(u) {
			return 0, 0, fmt.Errorf("line %s has %d times, the others %d", name, len(values), len(u))
		}
		for i := range values {
			floats.AddScaled(u[i], 1/float64(len(lines)), values[i])
		}
	}
	mean := make([]float64, len(x))
	for _, v := range u {
		floats.AddScaled(mean, 1/float64(len(u)), v)
	}
	for k := len(x) - 1; k > 0; k-- {
		if mean[k-1] < 0 && mean[k] >= 0 {
			slope := (mean[k] - mean[k-1]) / (x[k] - x[k-1])
			where = x[k-1] - mean[k-1]/slope
			var b stats.Blocking
			for _, v := range u {
				b.Add(at(x, v, where))
			}
			return where, b.Estimate().Half / slope, nil
		}
	}
	return math.NaN(), math.NaN(), nil
}

// pressureOf returns the mean over a line and time.
func pressureOf(dir, name string, start float64) (float64, error) {
	_, _, values, err := along(dir, name, "z", "pressure", start)
	if err != nil {
		return 0, err
	}
	sum := 0.
	for _, v := range values {
		sum += floats.Sum(v) / float64(len(v))
	}
	return sum / float64(len(values)), nil
}

// sphere300 checks the run of cases/validation/sphere_re300.toml beyond its case file.
func sphere300(_ []check, dir string) ([]check, error) {
	w := wake{body: "sphere", area: math.Pi / 4}
	drag, err := w.dragInterval(dir)
	if err != nil {
		return nil, err
	}
	f, err := columns(dir, "force_sphere.csv")
	if err != nil {
		return nil, err
	}
	last := len(f["time"]) - 1
	lift := math.Hypot(f["mean force_y"][last], f["mean force_z"][last]) / (w.area / 2)
	return []check{
		drag,
		against("mean lift, in any direction", lift, 0.069, 0.05),
		informative("half the width of its 95 % interval", math.Hypot(f["+- force_y"][last], f["+- force_z"][last])/(w.area/2)),
	}, nil
}

// sphere3700 checks the run of cases/validation/sphere_re3700.toml beyond its case file.
func sphere3700(_ []check, dir string) ([]check, error) {
	w := wake{"sphere", 60, math.Pi / 4}
	drag, err := w.dragInterval(dir)
	if err != nil {
		return nil, err
	}
	var times []float64
	var across [][]float64 // velocities across the axis at places behind the recirculation
	for _, field := range []string{"velocity y", "velocity z"} {
		x, t, values, err := along(dir, "wake", "x", field, w.start)
		if err != nil {
			return nil, err
		}
		times = t
		for k := since(x, 7.5); k < len(x); k++ {
			series := make([]float64, len(t))
			for i := range t {
				series[i] = values[i][k]
			}
			across = append(across, series)
		}
	}
	f, half, err := spectralPeak(times, across, 50, 0.1, 0.4)
	if err != nil {
		return nil, err
	}
	length, width, err := w.recirculation(dir, []string{"wake"})
	if err != nil {
		return nil, err
	}
	return []check{
		drag,
		against("Strouhal number", f, 0.215, 0.05),
		informative("half the width of its 95 % interval", half),
		informative("recirculation length from the middle", length-3.5),
		informative("half the width of its 95 % interval", width),
	}, nil
}

// cylinder3900 checks a run of cases/validation/cylinder_re3900.toml beyond its case file. back is the x of its back.
func cylinder3900(start, back float64) func([]check, string) ([]check, error) {
	return func(_ []check, dir string) ([]check, error) {
		w := wake{body: "cylinder", start: start}
		drag, err := w.dragInterval(dir)
		if err != nil {
			return nil, err
		}
		shed, err := w.shedding(dir, 50, 0.2115, 0.0035)
		if err != nil {
			return nil, err
		}
		var p [3]float64
		for i, name := range []string{"stream", "front", "back"} {
			if p[i], err = pressureOf(dir, name, start); err != nil {
				return nil, err
			}
		}
		length, half, err := w.recirculation(dir, []string{"wake0", "wake1", "wake2", "wake3"})
		if err != nil {
			return nil, err
		}
		return append([]check{drag}, append(shed,
			near("-C_pb", -2*(p[2]-p[0]), 0.885, 0.045),
			informative("C_p in front", 2*(p[1]-p[0])),
			near("recirculation length from the back", length-back, 1.445, 0.115),
			informative("half the width of its 95 % interval", half))...), nil
	}
}

// square22000 checks a run of cases/validation/square_re22000.toml beyond its case file. middle is the x of its middle.
func square22000(start, middle float64) func([]check, string) ([]check, error) {
	return func(_ []check, dir string) ([]check, error) {
		w := wake{body: "square", start: start}
		drag, err := w.dragInterval(dir)
		if err != nil {
			return nil, err
		}
		shed, err := w.shedding(dir, 75, 0.131, 0.001)
		if err != nil {
			return nil, err
		}
		_, lift, err := w.lift(dir)
		if err != nil {
			return nil, err
		}
		length, half, err := w.recirculation(dir, []string{"wake0", "wake1", "wake2", "wake3"})
		if err != nil {
			return nil, err
		}
		return append([]check{drag}, append(shed,
			near("root mean square of the lift", stat.PopStdDev(lift, nil), 1.45, 0.25),
			informative("recirculation length from the middle", length-middle),
			informative("half the width of its 95 % interval", half))...), nil
	}
}
