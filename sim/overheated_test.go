// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"strings"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/sim/watch"
)

// stirred is dye in a tank with a rotor; its flow is fine at any Prandtl number. At 50 its front is too
// sharp for the grid and overshoots by a tenth; the limits of the tests are below that.
const stirred = `
[domain]
cells = [32, 32]
[fluid]
reynolds = %d
length = 4.8
velocity = 0.1
[temperature]
prandtl = %g
reference = 300
initial = "300.5 - 0.5*tanh((y - 16)/1.6)"
[boundary.tank]
type = "wall"
faces = ["x-", "x+", "y-", "y+"]
[body.rotor]
type = "interpolated_wall"
shape = "cylinder"
centre = [12.8, 14.4]
radius = 4.8
angular_velocity = "0.1/4.8"
conserve_mass = true
[run]
steps = %d
watch_every = 50
grid_scale_every = 2
warn_grid_scale = 0
`

// A temperature overshoot beyond the case's values, in an otherwise good flow, gives a warning, and ends the run at the
// limit, with the same message on any number of ranks. It is still checked if the grid-scale check is disabled.
func TestTemperatureBeyondTheCase(t *testing.T) {
	first := func(err error) string { return strings.Split(err.Error(), "\n")[0] }
	stopped, warned := "", ""
	const strict = "warn_temperature = 0.03\n"
	for _, ranks := range []int{1, 2, 3} {
		_, err := trial{text: fmt.Sprintf(stirred, 500, 50., 3000) + strict + "max_temperature = 0.05\n", ranks: ranks, dir: t.TempDir()}.run(t)
		if code, agreed := ExitCode(err); code != ExitUnstable || !agreed {
			t.Fatalf("%d ranks: exit code %d, %v", ranks, code, err)
		}
		for _, text := range []string{"stopped at step ", "temperature overshoot: ", "300 of [temperature] initial to 301 of [temperature] initial", "allowed 5 % (run.max_temperature", "a larger diffusivity"} {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%d ranks: no %q in %v", ranks, text, err)
			}
		}
		if stopped == "" {
			stopped = first(err)
		} else if first(err) != stopped {
			t.Errorf("%d ranks: %s\none:    %s", ranks, first(err), stopped)
		}
		s := trial{text: fmt.Sprintf(stirred, 500, 50., 130) + strict, ranks: ranks}.must(t)
		h := s.summary.Health
		if n := s.warnedOf("[run] warn_temperature = 0.03"); n != 1 || h.Warned[watch.Beyond] == 0 || h.Temperature < 0.03 {
			t.Fatalf("%d ranks: %q, %+v", ranks, s.warned, h)
		}
		if text := fmt.Sprint(s.warned, h.Temperature); warned == "" {
			warned = text
		} else if text != warned {
			t.Errorf("%d ranks: %s\none:    %s", ranks, text, warned)
		}
	}
}

// Temperatures within their bounds give no warning; neither do temperatures without bounds, or with the warning disabled.
func TestTemperatureWithinTheCase(t *testing.T) {
	flux := strings.Replace(fmt.Sprintf(stirred, 500, 50., 200), `type = "wall"`, "type = \"wall\"\nheat_flux = 1e-9", 1)
	for name, text := range map[string]string{
		"resolved":       fmt.Sprintf(stirred, 20, 0.7, 2000),
		"fed by a flux":  flux,
		"switched off":   fmt.Sprintf(stirred, 500, 50., 200) + "warn_temperature = 0\nmax_temperature = 0\n",
		"all alike":      strings.Replace(fmt.Sprintf(stirred, 20, 0.7, 500), `"300.5 - 0.5*tanh((y - 16)/1.6)"`, "310", 1),
		"as it comes in": tunnel,
	} {
		s := trial{text: text, ranks: 1}.must(t)
		if h := s.summary.Health; len(h.Warned) > 0 || h.Temperature > 0.5 {
			t.Errorf("%s: %q, %+v", name, s.warned, h)
		}
	}
}

// tunnel is a start at rest of a warm stream far from its reference: its sound does not change the temperature. The mass
// added by the start is another warning, which is disabled.
const tunnel = `
[domain]
cells = [64, 12]
periodic = ["y"]
[fluid]
viscosity = 0.02
[temperature]
diffusivity = 0.02
reference = 200
initial = 300
[boundary.inlet]
type = "velocity"
velocity = [0.05, 0]
temperature = 301
faces = ["x-"]
[boundary.end]
type = "outflow"
faces = ["x+"]
[run]
steps = 1500
watch_every = 10
grid_scale_every = 1
warn_density_drift = 0
`

// A series of the share at the scale of the grid reads the sample of the last step before the watch
// does: the watch still judges it.
func TestSampleOfASeriesIsJudged(t *testing.T) {
	text := fmt.Sprintf(stirred, 500, 50., 130) + "warn_temperature = 0.03\n[output.series.s]\nquantities = [\"grid_scale\"]\nevery = 65\n"
	text = strings.Replace(text, "grid_scale_every = 2", "grid_scale_every = 100", 1)
	if s := (trial{text: text, ranks: 1}).must(t); s.warnedOf("step 130: temperature overshoot: ") != 1 {
		t.Errorf("%q, %+v", s.warned, s.summary.Health)
	}
}

// waves is a fast uniform stream with very low diffusivity: any growth here is an instability of
// the scheme, from rounding.
const waves = `
[domain]
cells = [64, 4]
periodic = ["y"]
[fluid]
viscosity = 0.1
[temperature]
diffusivity = %g
initial = "exp(-(x - 30)^2/20)"
[initial]
velocity = [0.15, 0]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.15, 0]
temperature = 0
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[run]
steps = 12000
grid_scale_every = 1000000
`

// No wave grows at any diffusivity (kernels/scalar.h): by the scheme's eigenvalues none does at Mach 0.3 from
// 1e-4 on.
func TestScalarWaves(t *testing.T) {
	for _, d := range []float64{1e-5, 1e-4, 1e-3, 0.01, 0.05} {
		s := trial{text: fmt.Sprintf(waves, d), ranks: 1}.must(t)
		if h := s.summary.Health; h.Temperature > 1e-3 {
			t.Errorf("diffusivity %g: the temperature ends %g spans beyond what the case gives it", d, h.Temperature)
		}
	}
}

// hot is a warm body in a fast stream that diffuses next to nothing: with stairs of cells that the scalar
// alone crossed its temperature grew a thousandfold.
const hot = `
[domain]
cells = [96, 48]
periodic = ["y"]
[fluid]
viscosity = 0.01
[temperature]
diffusivity = 2e-4
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0]
temperature = 0
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[body.ball]
type = %q
shape = "cylinder"
centre = [30.3, 24.2]
radius = 7.3
%s
[run]
steps = 6000
grid_scale_every = 1
watch_every = 100
warn_grid_scale = 0
`

// The temperature does not grow at curved walls: it overshoots by less than its span.
func TestHotBodyInAFastStream(t *testing.T) {
	brief.Fewer(t, "walls")
	for _, kind := range []string{"wall", "interpolated_wall"} {
		for _, law := range []string{"temperature = 1", ""} {
			if testing.Short() && (kind == "wall") != (law == "") {
				continue // the other walls have it
			}
			text := fmt.Sprintf(hot, kind, law)
			if law == "" {
				text = strings.Replace(text, "diffusivity = 2e-4", "diffusivity = 2e-4\ninitial = \"exp(-((x-15)^2+(y-24)^2)/50)\"", 1)
			}
			s := trial{text: text, ranks: 1}.must(t)
			t.Logf("%s %q: %.3g spans beyond", kind, law, s.summary.Health.Temperature)
			if h := s.summary.Health; h.Temperature > 0.5 {
				t.Errorf("%s %q: the temperature ends %g spans beyond what the case gives it", kind, law, h.Temperature)
			}
		}
	}
}
