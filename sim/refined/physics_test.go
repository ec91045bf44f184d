// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/decomp"
	"lbmsim/internal/brief"
)

// Bounds of this file are the oracle's (docs/refinement-numerics.md), set before the implementation.

// eachValue visits the finest cells: their centres in cells of level 0, their share of such a cell, rho-1 and velocity.
func (g *Grid) eachValue(visit func(at [3]float64, volume, density float64, u [3]float64)) error {
	return g.eachScalar(func(at [3]float64, volume, density float64, u [3]float64, _ float64) { visit(at, volume, density, u) })
}

// eachScalar visits the finest cells, also with the temperature above the reference; 0 without one.
func (g *Grid) eachScalar(visit func(at [3]float64, volume, density float64, u [3]float64, theta float64)) error {
	dims := g.Case.Dims()
	for l := range g.levels {
		width := math.Pow(0.5, float64(l))
		for _, p := range g.Patches(l) {
			own := p.Owned()
			for z := own.Lo[2]; z < own.Hi[2]; z++ {
				for y := own.Lo[1]; y < own.Hi[1]; y++ {
					for _, run := range p.cut.Counted(y, z) {
						n := run.Hi - run.Lo
						values := make([]float64, g.Case.Spec.FieldValues()*n)
						if err := p.Fields(p.Part.Local(decomp.Box{Lo: [3]int{run.Lo, y, z}, Hi: [3]int{run.Hi, y + 1, z + 1}}), values); err != nil {
							return err
						}
						for i := range n {
							var at, u [3]float64
							for a, k := range [3]int{run.Lo + i, y, z} {
								at[a] = (float64(k) + 0.5) * width
							}
							for a := range dims {
								u[a] = values[(1+a)*n+i]
							}
							theta := 0.0
							if g.Case.Spec.Scalar {
								theta = values[(1+dims)*n+i]
							}
							visit(at, math.Pow(width, float64(dims)), values[i], u, theta)
						}
					}
				}
			}
		}
	}
	return nil
}

// errorAfter returns the L2 error of the velocity after some steps on one rank.
func (f flow) errorAfter(t *testing.T, steps int, exact func(at [3]float64) [3]float64) float64 {
	t.Helper()
	sum, all := 0.0, 0.0
	f.alone(t, func(g *Grid) error {
		for done := 0; done < steps; done += 64 {
			if err := g.Advance(min(64, steps-done)); err != nil {
				return err
			}
		}
		return g.eachValue(func(at [3]float64, volume, _ float64, u [3]float64) {
			want := exact(at)
			for a := range u {
				sum += volume * (u[a] - want[a]) * (u[a] - want[a])
				all += volume * want[a] * want[a]
			}
		})
	})
	return math.Sqrt(sum / all)
}

// second checks the order of two errors, of a grid and one of twice as many cells.
func second(t *testing.T, e [2]float64) {
	t.Helper()
	order := math.Log2(e[0] / e[1])
	if t.Logf("errors %.2e, %.2e, order %.2f", e[0], e[1], order); !(order >= 1.9) {
		t.Errorf("order %.2f, at least 1.9", order)
	}
}

// plane returns a box of two dimensions.
func plane(x0, x1, y0, y1 int) [2][3]float64 {
	return [2][3]float64{{float64(x0), float64(y0)}, {float64(x1), float64(y1), 1}}
}

// Poiseuille flow driven by a force through interfaces and beside a wall: second order.
func TestPoiseuille(t *testing.T) {
	const viscosity = 0.1 / 3
	sizes := [2]int{12, 24}
	if brief.Fewer(t, "cells"); testing.Short() {
		sizes = [2]int{8, 16}
	}
	for name, boxes := range map[string]func(n int) [2][3]float64{
		"across":      func(n int) [2][3]float64 { return plane(2, 6, 0, n) },
		"box on wall": func(n int) [2][3]float64 { return plane(2, 6, 0, n/2) },
	} {
		t.Run(name, func(t *testing.T) {
			var e [2]float64
			for k, n := range sizes {
				h := float64(n)
				u0 := 0.8 / h
				c := named{lattice: "D2Q9", cells: [3]int{8, n, 1}, periodic: `"x"`, viscosity: fmt.Sprint(viscosity)}
				c.force = fmt.Sprintf("%g, 0", 8*viscosity*u0/h/h)
				c.initial = fmt.Sprintf(`velocity = ["%g*y*(%g - y)", 0]`, 4*u0/h/h, h)
				c.faces = "[boundary.walls]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n"
				f := flow{text: c.text(), boxes: [][][2][3]float64{{boxes(n)}}}
				e[k] = f.errorAfter(t, int(0.25*h*h/viscosity), func(at [3]float64) [3]float64 {
					y := at[1] / h
					return [3]float64{4 * u0 * y * (1 - y)}
				})
			}
			second(t, e)
		})
	}
}

// Taylor-Green vortices around a box, and around a box in it: second order after a decay time.
func TestVortices(t *testing.T) {
	const viscosity = 0.1 / 3
	sizes := [2]int{32, 64}
	if brief.Fewer(t, "cells"); testing.Short() {
		sizes = [2]int{16, 32}
	}
	for levels := 1; levels <= 2; levels++ {
		var e [2]float64
		for k, n := range sizes {
			kappa, u0, phase := 2*math.Pi/float64(n), 0.04*32/float64(n), 0.3*float64(n)/8
			x, y := fmt.Sprintf("(%v*(x + %v))", kappa, phase), fmt.Sprintf("(%v*(y + %v))", kappa, phase)
			c := named{lattice: "D2Q9", cells: [3]int{n, n, 1}, periodic: `"x", "y"`, viscosity: fmt.Sprint(viscosity)}
			c.initial = fmt.Sprintf("velocity = [\"%[1]v*sin%[2]s*cos%[3]s\", \"-%[1]v*cos%[2]s*sin%[3]s\"]\ndensity = \"1 + %[4]v*(cos(2*%[2]s) + cos(2*%[3]s))\"", u0, x, y, 3*u0*u0/4)
			f := flow{text: c.text(), boxes: [][][2][3]float64{{plane(n/4, 3*n/4, n/4, 3*n/4)}, {plane(3*n/8, 5*n/8, 3*n/8, 5*n/8)}}[:levels]}
			rate := 2 * viscosity * kappa * kappa
			steps := int(math.Round(1 / rate))
			e[k] = f.errorAfter(t, steps, func(at [3]float64) [3]float64 {
				sa, ca := math.Sincos(kappa * (at[0] + phase))
				sb, cb := math.Sincos(kappa * (at[1] + phase))
				decay := u0 * math.Exp(-rate*float64(steps))
				return [3]float64{decay * sa * cb, -decay * ca * sb}
			})
		}
		second(t, e)
	}
}

// A uniform flow stays as it is, through a concave union and through boxes in corners of open faces.
func TestUniformFlowStays(t *testing.T) {
	for _, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		zero := ", 0]"
		if lattice == "D2Q9" {
			zero = "]"
		}
		for _, name := range []string{"concave", "channel"} {
			c := named{lattice: lattice, cells: [3]int{10, 9, 9}, initial: "velocity = [0.05, 0" + zero}
			u := [3]float64{0.05}
			if name == "concave" {
				c.periodic, c.initial, u = `"x", "y"`, "velocity = [0.07, 0.04"+zero, [3]float64{0.07, 0.04}
				if lattice != "D2Q9" {
					c.periodic += `, "z"`
				}
			} else {
				sides := ""
				if lattice != "D2Q9" {
					sides = `, "z-", "z+"`
				}
				c.faces = "[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [0.05, 0" + zero + "\n[boundary.out]\ntype = \"pressure\"\nfaces = [\"x+\"]\npressure = 0\n" +
					"[boundary.sides]\ntype = \"slip\"\nfaces = [\"y-\", \"y+\"" + sides + "]\n"
			}
			f := flow{text: c.text(), boxes: flows(lattice, "cumulant", 1)[name].boxes}
			f.alone(t, func(g *Grid) error {
				if err := g.Advance(4); err != nil {
					return err
				}
				worst := 0.0
				err := g.eachValue(func(_ [3]float64, _, density float64, v [3]float64) {
					worst = math.Max(worst, math.Abs(density))
					for a := range v {
						worst = math.Max(worst, math.Abs(v[a]-u[a]))
					}
				})
				if t.Logf("%s %s: deviation up to %.1e", lattice, name, worst); !(worst <= 1e-14) {
					t.Errorf("%s %s: deviation up to %.1e", lattice, name, worst)
				}
				return err
			})
		}
	}
}

// A closed box keeps its mass under a lid that slides, with boxes in its corners.
func TestMassStays(t *testing.T) {
	for _, c := range []struct {
		lattice string
		steps   int
	}{{"D2Q9", 400}, {"D3Q27", 40}} {
		f := flows(c.lattice, "cumulant", 1)["walls"]
		drift := f.drift(t, c.steps)
		if t.Logf("%s: %.1e per step and cell", c.lattice, drift); !(math.Abs(drift) <= 1e-17) {
			t.Errorf("%s: the mass changes by %.1e per step and cell", c.lattice, drift)
		}
	}
}

// drift returns the change of the mean density per step.
func (f flow) drift(t *testing.T, steps int) (drift float64) {
	t.Helper()
	f.alone(t, func(g *Grid) error {
		_, before, err := g.View().Census()
		if err != nil {
			return err
		}
		if err := g.Advance(steps); err != nil {
			return err
		}
		_, after, err := g.View().Census()
		drift = (after.Mass - before.Mass) / before.Volume / float64(steps)
		return err
	})
	return drift
}

// A cylinder that turns in a box of finer cells changes the mass as on a uniform grid of these: bounce-back not at all, interpolation
// with conserve_mass neither, and without it by as much. The bound of that, 5 %, was set after seeing up to 2.2 %.
func TestMassAroundRotor(t *testing.T) {
	for _, body := range []string{`"wall"`, "\"interpolated_wall\"\nconserve_mass = true", `"interpolated_wall"`} {
		for _, at := range [][2]float64{{12, 12}, {12.3, 11.9}} {
			turning := func(by int) (f flow) {
				h := float64(by)
				c := named{lattice: "D2Q9", cells: [3]int{24 * by, 24 * by, 1}, viscosity: fmt.Sprint(0.03 * h)}
				c.faces = "[boundary.rest]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\"]\n" + fmt.Sprintf("[body.rotor]\ntype = %s\nshape = \"cylinder\"\ncentre = [%g, %g]\nradius = %g\nangular_velocity = %g\n",
					body, at[0]*h, at[1]*h, 3.3*h, 0.01/h)
				f.text = c.text()
				return f
			}
			f := turning(1)
			f.boxes = [][][2][3]float64{{plane(4, 20, 4, 20)}}
			got, uniform := f.drift(t, 100), 2*turning(2).drift(t, 200)
			most := 1e-17
			if body == `"interpolated_wall"` {
				most = 0.05 * math.Abs(uniform)
			}
			if t.Logf("%s at %v: %.2e, uniform %.2e per step and cell", body, at, got, uniform); !(math.Abs(got-uniform) <= most) {
				t.Errorf("%s at %v: the mass changes by %.2e per step and cell, on a uniform grid by %.2e", body, at, got, uniform)
			}
		}
	}
}

// A lid that bounces back, since a body touches it, keeps the mass between any ends, with and without boxes in its corners: behind the
// edge of the lid and a face without friction the lid is mirrored.
func TestMassUnderALidBetweenSides(t *testing.T) {
	for _, lattice := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		for _, ends := range [][2]string{{"slip", "slip"}, {"slip", "wall"}, {"wall", "wall"}} {
			n := named{lattice: lattice, cells: [3]int{24, 16, 6}, initial: "velocity = [0, 0]"}
			lid, sides, from, to := "velocity = [0.05, 0]", "", "[11, 12]", "[14, 16]"
			if lattice != "D2Q9" {
				n.initial, lid, sides, from, to = "velocity = [0, 0, 0]", "velocity = [0.05, 0, 0.02]", "[boundary.sides]\ntype = \"slip\"\nfaces = [\"z-\", \"z+\"]\n", "[11, 12, 2]", "[14, 16, 4]"
			}
			n.faces = fmt.Sprintf("[boundary.lid]\ntype = \"moving_wall\"\nfaces = [\"y+\"]\n%s\n[boundary.left]\ntype = %q\nfaces = [\"x-\"]\n[boundary.right]\ntype = %q\nfaces = [\"x+\"]\n[boundary.floor]\ntype = \"wall\"\nfaces = [\"y-\"]\n%s[body.bar]\ntype = \"wall\"\nshape = \"box\"\nfrom = %s\nto = %s\n", lid, ends[0], ends[1], sides, from, to)
			f := flow{text: n.text()}
			for _, f.boxes = range [][][][2][3]float64{nil, {{{{0, 10, 0}, {6, 16, 4}}}}} {
				drift := f.drift(t, 40)
				if t.Logf("%s between %v, %d levels of boxes: %.1e per step and cell", lattice, ends, len(f.boxes), drift); !(math.Abs(drift) <= 1e-17) {
					t.Errorf("%s between %v, %d levels of boxes: the mass changes by %.1e per step and cell", lattice, ends, len(f.boxes), drift)
				}
			}
			f.asOracle(t, 3, 1e-12)
		}
	}
}
