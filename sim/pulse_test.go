// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// plainPulse computes cases/examples/gaussian_pulse.toml as a separate program, written as one
// would in numpy: whole populations, collide, then roll each by its velocity. It
// returns rho, u_x and u_y of each cell, x fastest.
func plainPulse(n, steps int) [3][]float64 {
	c := [9][2]int{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
	w := [9]float64{4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36}
	const omega = 1 / (3*0.02 + 0.5)
	var f, g [9][]float64
	for i := range f {
		f[i], g[i] = make([]float64, n*n), make([]float64, n*n)
		for cell := range f[i] {
			x, y := -1+2*float64(cell%n)/float64(n-1), -1+2*float64(cell/n)/float64(n-1)
			f[i][cell] = w[i] * (1 + 1e-3*math.Exp(-100*(x*x+y*y)))
		}
	}
	out := [3][]float64{make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)}
	macroscopic := func(cell int) (rho, ux, uy float64) {
		for i := range f {
			rho += f[i][cell]
			ux += float64(c[i][0]) * f[i][cell]
			uy += float64(c[i][1]) * f[i][cell]
		}
		return rho, ux / rho, uy / rho
	}
	for range steps {
		for cell := range n * n {
			rho, ux, uy := macroscopic(cell)
			x, y := cell%n, cell/n
			for i := range f {
				cu := float64(c[i][0])*ux + float64(c[i][1])*uy
				feq := w[i] * rho * (1 + 3*cu + 4.5*cu*cu - 1.5*(ux*ux+uy*uy))
				to := (y+c[i][1]+n)%n*n + (x+c[i][0]+n)%n
				g[i][to] = f[i][cell] - omega*(f[i][cell]-feq)
			}
		}
		f, g = g, f
	}
	for cell := range n * n {
		out[0][cell], out[1][cell], out[2][cell] = macroscopic(cell)
	}
	return out
}

// The pulse matches the plain program to 1e-12 in each cell, in any number of ranks.
func TestGaussianPulse(t *testing.T) {
	text, err := os.ReadFile("../cases/examples/gaussian_pulse.toml")
	if err != nil {
		t.Fatal(err)
	}
	const n, steps = 96, 150
	small := strings.NewReplacer("cells = [256, 256]", fmt.Sprintf("cells = [%d, %d]", n, n), "steps = 200", fmt.Sprintf("steps = %d", steps),
		"at = [128, 128]", "at = [48, 48]").Replace(string(text))
	small = small[:strings.Index(small, "[expect]")] + "[checkpoint]\nevery = 150\n"
	want := plainPulse(n, steps)
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		trial{text: small, ranks: ranks, dir: dir}.must(t)
		// Rows of populations less their weights, [component][x], as model.Lattices
		// orders them: by c_y, then by c_x.
		state := stateIn(t, dir)
		worst := 0.0
		for y := range n {
			for x := range n {
				var m [3]float64
				for i := range 9 {
					v := math.Float64frombits(binary.LittleEndian.Uint64(state[8*((y*9+i)*n+x):]))
					m[0] += v
					m[1] += float64(i%3-1) * v
					m[2] += float64(i/3-1) * v
				}
				rho := 1 + m[0]
				for k, got := range []float64{rho, m[1] / rho, m[2] / rho} {
					worst = math.Max(worst, math.Abs(got-want[k][y*n+x]))
				}
			}
		}
		t.Logf("%d ranks: largest difference %.2g", ranks, worst)
		if !(worst <= 1e-12) {
			t.Errorf("%d ranks: density or velocity differs by %g from the plain program's", ranks, worst)
		}
	}
}
