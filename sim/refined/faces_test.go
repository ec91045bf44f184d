package refined

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
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
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		for _, wall := range []string{"", "sample = 2\nlayer = 1.5\nvelocity = [0.03, 0.01, 0]", `law = "frictionless"`} {
			drift := road{lattice: lattice, wall: wall}.flow().drift(t, 40)
			if t.Logf("%s %q: %.1e per step and cell", lattice, wall, drift); !(math.Abs(drift) <= 1e-17) {
				t.Errorf("%s %q: the mass changes by %.1e per step and cell", lattice, wall, drift)
			}
		}
	}
}

// No cut changes a bit of steps or of what readers of neighbours fill.
func TestModelledRoadOnRanks(t *testing.T) {
	f := road{precision: "float32", lattice: "D3Q27", top: "type = \"wall_model\"\nsample = 2.5\nlayer = 0"}.flow()
	f.text = strings.Replace(f.text, "sample = 2\nlayer = 1.5", "sample = 2.5\nlayer = 2", 1)
	f.text += "[turbulence]\nmodel = \"wale\"\nconstant = 0.5\n"
	want, err := f.filled(1, 1, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{2, 3, 7} {
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
