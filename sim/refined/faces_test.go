// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/device"
	"lbmsim/internal/brief"
)

// road is a channel between a wall with a model, or any other type, and a top, with boxes of two levels that stand on the wall.
type road struct {
	lattice, precision, model, wall, top, initial, viscosity string
	force                                                    string
}

func (r road) flow() flow {
	for _, v := range []struct {
		to   *string
		with string
	}{{&r.lattice, "D3Q19"}, {&r.precision, "float64"}, {&r.model, "cumulant"}, {&r.wall, "sample = 2\nlayer = 1.5"}, {&r.top, `type = "slip"`}, {&r.viscosity, "2e-5"},
		{&r.initial, `velocity = ["0.05 + 0.01*sin(2*pi*y/12)*z/8", "0.01*cos(2*pi*x/16)", "0.002*sin(pi*z/8)*cos(2*pi*x/16)"]`}} {
		if *v.to == "" {
			*v.to = v.with
		}
	}
	c := named{lattice: r.lattice, precision: r.precision, model: r.model, cells: [3]int{16, 12, 8}, periodic: `"x", "y"`, viscosity: r.viscosity, force: r.force, initial: r.initial}
	c.faces = fmt.Sprintf("[boundary.road]\ntype = \"wall_model\"\nfaces = [\"z-\"]\n%s\n[boundary.top]\nfaces = [\"z+\"]\n%s\n", r.wall, r.top)
	box := func(x0, x1, y0, y1, z float64) [2][3]float64 { return [2][3]float64{{x0, y0, 0}, {x1, y1, z}} }
	return flow{text: c.text(), boxes: [][][2][3]float64{{box(2, 10, 1, 8, 4), box(4, 9, 8, 11, 3), box(0, 2, 3, 7, 4), box(14, 16, 3, 7, 4)}, {box(4, 8, 3, 7, 2), box(0, 1, 4, 6, 1)}}}
}

// Frictionless flow along a wall with a model on which boxes of two levels stand stays uniform to rounding, also past concave
// corners and periodic ends.
func TestUniformFlowAlongModelledRoad(t *testing.T) {
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		f := road{lattice: lattice, wall: `law = "frictionless"`, initial: "velocity = [0.05, 0.03, 0]"}.flow()
		f.alone(t, func(g *Grid) error {
			if err := g.Advance(4); err != nil {
				return err
			}
			worst := 0.0
			err := g.eachValue(func(_ [3]float64, _, density float64, u [3]float64) {
				worst = math.Max(worst, math.Abs(density))
				for a, v := range [3]float64{0.05, 0.03} {
					worst = math.Max(worst, math.Abs(u[a]-v))
				}
			})
			if t.Logf("%s: deviation up to %.1e", lattice, worst); !(worst <= 1e-14) {
				t.Errorf("%s: deviation up to %.1e", lattice, worst)
			}
			return err
		})
	}
}

// Mass is kept along such a wall, at rest or moving, with the bound of other closed boxes.
func TestMassAlongModelledRoad(t *testing.T) {
	brief.Fewer(t, "walls for each lattice")
	for i, lattice := range []string{"D3Q19", "D3Q27"} {
		for k, wall := range []string{"", "sample = 2\nlayer = 1.5\nvelocity = [0.03, 0.01, 0]", `law = "frictionless"`} {
			if testing.Short() && (k == 1) != (i == 1) {
				continue
			}
			drift := road{lattice: lattice, wall: wall}.flow().drift(t, 40)
			if t.Logf("%s %q: %.1e per step and cell", lattice, wall, drift); !(math.Abs(drift) <= 1e-17) {
				t.Errorf("%s %q: the mass changes by %.1e per step and cell", lattice, wall, drift)
			}
		}
		if testing.Short() && i == 0 {
			continue
		}
		// What a lid adds at each step, and what the road's ghost cells send, are in one list.
		f := road{lattice: lattice, top: "type = \"moving_wall\"\nvelocity = [0.03, 0, 0]\nramp = 100"}.flow()
		f.boxes[0][0][1][2] = 8 // up to the lid
		if drift := f.drift(t, 40); !(math.Abs(drift) <= 1e-17) {
			t.Errorf("%s, below a lid that starts: the mass changes by %.1e per step and cell", lattice, drift)
		}
	}
}

// No cut changes a bit of steps or of what readers of neighbours fill.
func TestModelledRoadOnRanks(t *testing.T) {
	f := road{precision: "float32", lattice: "D3Q27", top: "type = \"wall_model\"\nsample = 2.5\nlayer = 0"}.flow()
	f.text = strings.Replace(f.text, "sample = 2\nlayer = 1.5", "sample = 2.5\nlayer = 2", 1)
	f.text += "[turbulence]\nmodel = \"wale\"\nconstant = 0.5\n"
	f = f.warmed(`"0.1*sin(2*pi*x/16)"`, "temperature = 0.3\n")
	want, err := f.filled(1, 1, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	brief.Fewer(t, "numbers of ranks")
	for _, ranks := range []int{2, 3, 7} {
		if testing.Short() && ranks == 2 {
			continue
		}
		got, err := f.filled(ranks, 1, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		for key, b := range want {
			if !bytes.Equal(got[key], b) {
				t.Errorf("%d ranks: patch %d of level %d differs", ranks, key[1], key[0])
			}
		}
	}
}

// It does so where boxes meet the edges of the wall and other faces, frictionless or moving with the fluid, open, or with a model too.
func TestUniformFlowAtEdgesOfModelledRoad(t *testing.T) {
	const frictionless = "type = \"wall_model\"\nlaw = \"frictionless\"\n"
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		for sides, c := range map[string]string{"slip": "type = \"slip\"\n", "moving": "type = \"moving_wall\"\nvelocity = [0.05, 0, 0]\n", "model": frictionless} {
			for _, open := range []bool{false, true} {
				n := named{lattice: lattice, cells: [3]int{12, 9, 8}, periodic: `"x"`, initial: "velocity = [0.05, 0, 0]"}
				n.faces = "[boundary.road]\nfaces = [\"z-\"]\n" + frictionless + "[boundary.sides]\nfaces = [\"y-\", \"y+\"]\n" + c + "[boundary.top]\ntype = \"slip\"\nfaces = [\"z+\"]\n"
				boxes := [][][2][3]float64{{{{2, 0, 0}, {8, 6, 4}}}, {{{3, 0, 0}, {6, 3, 2}}}}
				if open {
					n.periodic = ""
					n.faces += "[boundary.in]\ntype = \"velocity\"\nfaces = [\"x-\"]\nvelocity = [0.05, 0, 0]\n[boundary.out]\ntype = \"pressure\"\nfaces = [\"x+\"]\npressure = 0\n"
					boxes = [][][2][3]float64{{{{0, 0, 0}, {5, 6, 4}}, {{8, 3, 0}, {12, 9, 3}}}, {{{0, 0, 0}, {2, 3, 2}}}}
				}
				flow{text: n.text(), boxes: boxes}.alone(t, func(g *Grid) error {
					if err := g.Advance(4); err != nil {
						return err
					}
					worst := 0.0
					err := g.eachValue(func(_ [3]float64, _, density float64, u [3]float64) {
						worst = math.Max(worst, math.Max(math.Abs(density), math.Max(math.Abs(u[0]-0.05), math.Max(math.Abs(u[1]), math.Abs(u[2])))))
					})
					if t.Logf("%s, %s, open %v: deviation up to %.1e", lattice, sides, open, worst); !(worst <= 1e-14) {
						t.Errorf("%s, %s, open %v: deviation up to %.1e", lattice, sides, open, worst)
					}
					return err
				})
			}
		}
	}
}

// What the faces take in a step, what bodies and the force give, and the momentum of all cells balance to the rounding of forces, with
// boxes on a face: links beside an interface belong to both levels. A step of level 0 has two of level 1, whose forces are known. Forces
// of moving walls count in the walls' frame, where the mass that passes an interface behind the wall is missing: 7e-5 (bound set after
// seeing it).
func TestMomentumBesideFaces(t *testing.T) {
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		for _, wall := range []string{`type = "wall"`, `type = "slip"`, "type = \"moving_wall\"\nvelocity = [0.03, 0.01, 0]", "type = \"wall_model\"\nsample = 2\nlayer = 1.5"} {
			f := road{lattice: lattice, viscosity: "1e-3", force: "1e-5, 2e-5, -1e-5"}.flow()
			f.boxes = f.boxes[:1]
			f.text = strings.Replace(f.text, "type = \"wall_model\"\nfaces = [\"z-\"]\nsample = 2\nlayer = 1.5", wall+"\nfaces = [\"z-\"]", 1) + "[output.force.all]\nof = [\"road\", \"top\"]\n"
			f.alone(t, func(g *Grid) error {
				for step := range 3 {
					_, before, err := g.View().Census()
					if err != nil {
						return err
					}
					coming, err := g.ComingForces()
					if err != nil {
						return err
					}
					if err := g.Advance(1); err != nil {
						return err
					}
					past, err := g.PastForces()
					if err != nil {
						return err
					}
					_, after, err := g.View().Census()
					if err != nil {
						return err
					}
					for a := range 3 {
						took := 0.0
						for _, list := range [][]device.Load{g.Loads(coming), g.Loads(past)} {
							took += float64(list[0].Force[a]+list[1].Force[a]) / device.ForceUnits / 2
						}
						left := after.Momentum[a] - before.Momentum[a] - g.Case.Force.Density[a]*before.Volume + took
						most := 1e-9
						if strings.Contains(wall, "moving_wall") {
							most = 2e-4
						}
						if !(math.Abs(left) <= most) {
							t.Errorf("%s %q step %d: the momentum along %c misses %.1e, the faces take %.1e", lattice, wall, step, "xyz"[a], left, took)
						}
					}
				}
				return nil
			})
		}
	}
}

// warmed returns a flow along a road with a temperature; the wall's key is more of [boundary.road].
func (f flow) warmed(initial, wall string) flow {
	f.text = strings.Replace(f.text, "[boundary.road]\n", "[boundary.road]\n"+wall, 1)
	f.text += "[temperature]\ndiffusivity = 1e-4\nreference = 0\ninitial = " + initial + "\n"
	return f
}

// A uniform temperature stays so along a road with friction, at rest or moving, and where boxes meet its edges: mass that passes ends of
// boxes behind the wall has the temperature of the cell before it. The bound is as of other uniform temperatures.
func TestUniformTemperatureAlongModelledRoad(t *testing.T) {
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		for _, wall := range []string{"", "sample = 2\nlayer = 1.5\nvelocity = [0.03, 0.01, 0]", `law = "frictionless"`} {
			f := road{lattice: lattice, wall: wall, top: "type = \"moving_wall\"\nvelocity = [0.03, 0, 0]\nramp = 100"}.flow().warmed("0.25", "")
			f.alone(t, func(g *Grid) error {
				if err := g.Advance(6); err != nil {
					return err
				}
				worst := 0.0
				err := g.eachScalar(func(_ [3]float64, _, _ float64, _ [3]float64, theta float64) {
					worst = math.Max(worst, math.Abs(theta-0.25))
				})
				if t.Logf("%s %q: deviation up to %.1e", lattice, wall, worst); !(worst <= 1e-14) {
					t.Errorf("%s %q: deviation up to %.1e", lattice, wall, worst)
				}
				return err
			})
		}
	}
}

// A wall with a model gives each cell the mass that passes behind it at the cell's own temperature. A sixth of the flow beside it passes so:
// in a gradient along the wall heat is lost, which cancels around a periodic channel of equal cells, and not between cells of two sizes.
// The change in 40 steps is 8.1e-5, and 9e-6 without boxes, seen before the bound was set.
func TestHeatAlongModelledRoad(t *testing.T) {
	heat := func(g *Grid) (sum float64) {
		if err := g.eachScalar(func(_ [3]float64, volume, density float64, _ [3]float64, theta float64) {
			sum += volume * (1 + density) * theta
		}); err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		f := road{lattice: lattice}.flow().warmed(`"0.25 + 0.1*sin(2*pi*x/16)*cos(2*pi*y/12)"`, "")
		f.alone(t, func(g *Grid) error {
			before := heat(g)
			err := g.Advance(40)
			change := math.Abs(heat(g)/before - 1)
			if t.Logf("%s: heat changes by %.1e", lattice, change); !(change <= 1e-4) {
				t.Errorf("%s: heat changes by %.1e", lattice, change)
			}
			return err
		})
	}
}
