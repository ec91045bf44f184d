// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// In a sponge the fluid has the prescribed viscosity: the walls of a channel bear the friction of
// the parabola, 2 * 4 nu(x) U/H per cell, apart from the effect of the viscosity's change along the
// channel.
func TestSpongeIsViscous(t *testing.T) {
	const nu, high, u, thick, length, height = 0.05, 0.2, 0.004, 40., 100, 12
	want := 0.0
	for x := range length {
		n := nu
		if d := length - 0.5 - float64(x); d < thick {
			n += (high - nu) * (1 - d/thick) * (1 - d/thick)
		}
		want += 8 * n * u / height
	}
	for _, c := range []string{"regularized", "cumulant", "trt"} {
		dir := t.TempDir()
		trial{text: fmt.Sprintf(`
[domain]
cells = [%d, %d]
[fluid]
viscosity = %g
[collision]
model = %q
precision = "float64"
[initial]
velocity = ["%[5]g*4*y*(Ly-y)/Ly^2", 0]
[boundary.walls]
type = "wall"
faces = ["y-", "y+"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["%[5]g*4*y*(Ly-y)/Ly^2", 0]
[boundary.outlet]
type = "pressure"
faces = ["x+"]
sponge = %g
sponge_viscosity = %g
[run]
steps = 6000
[output.force.walls]
every = 6000
`, length, height, nu, c, u, thick, high), ranks: 1, dir: dir}.must(t)
		got := table(t, filepath.Join(dir, "force_walls.csv"))["force_x"]
		t.Logf("%s: the walls bear %.5g, the parabola gives %.5g", c, got[len(got)-1], want)
		if d := got[len(got)-1]/want - 1; math.Abs(d) > 0.03 {
			t.Errorf("%s: the walls bear %.5g instead of %.5g, %.2g %%", c, got[len(got)-1], want, 100*d)
		}
	}
}

// A sponge in front of a reflecting face leaves a quarter of a pulse. With cumulant it leaves
// slightly more: the bulk viscosity there does not rise with the shear's.
func TestSpongeDampsSound(t *testing.T) {
	left := func(model, sponge string) float64 {
		s := trial{text: fmt.Sprintf(`
[domain]
cells = [300, 3]
periodic = ["y"]
[fluid]
viscosity = 0.02
[collision]
model = %q
precision = "float64"
[initial]
density = "1 + 1e-3*exp(-((x-100)/12)^2)"
velocity = ["1e-3/sqrt(3)*exp(-((x-100)/12)^2)", 0]
[boundary.in]
type = "outflow"
faces = ["x-"]
[boundary.out]
type = "pressure"
faces = ["x+"]
%s
[run]
steps = 500
[expect.max_speed]
value = 0
within = 1
`, model, sponge), ranks: 1}.must(t)
		return s.summary.Expect[0].Got * math.Sqrt(3) / 1e-3
	}
	for model, most := range map[string]float64{"regularized": 0.25, "trt": 0.25, "cumulant": 0.3} {
		plain, damped := left(model, ""), left(model, "sponge = 150\nsponge_viscosity = 6")
		t.Logf("%s: %.3g of the pulse comes back, with a sponge %.3g", model, plain, damped)
		if plain < 0.5 || damped > most {
			t.Errorf("%s: %.3g of the pulse comes back, with a sponge %.3g", model, plain, damped)
		}
	}
}
