// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// Cells that a thickened plate takes beside an open face cover it.
func TestThickenedPlateCoversInlet(t *testing.T) {
	for x, want := range map[string]bool{"0.9": true, "1.0": true, "1.6": false, "40": false} {
		c, err := Load("case.toml", []byte(`
domain.cells = [80, 40]
fluid.viscosity = 0.05
boundary.inlet = { type = "pressure", faces = ["x-"], pressure = 1e-4 }
boundary.outlet = { type = "pressure", faces = ["x+"] }
boundary.walls = { type = "wall", faces = ["y-", "y+"] }
body.p = { shape = "box", from = [`+x+`, -9], to = [`+x+`, 49], thicken = true }
run.steps = 1
`))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(c.Warnings.Of(finding.CoveredFace).Texts(), "\n")
		if strings.Contains(text, "covers all of [boundary.inlet]") != want || !want && text != "" {
			t.Errorf("at %s: %q", x, text)
		}
	}
}

// The same holds for a plate without thickness between the first two layers of cells, which has no cell of the first one in its box.
func TestThickenedSheetCoversInlet(t *testing.T) {
	c, err := Load("case.toml", []byte(`
domain.cells = [80, 40]
fluid.viscosity = 0.05
boundary.inlet = { type = "pressure", faces = ["x-"], pressure = 1e-4 }
boundary.outlet = { type = "pressure", faces = ["x+"] }
boundary.walls = { type = "wall", faces = ["y-", "y+"] }
body.p = { shape = "stl", file = "p.stl", thicken = true }
run.steps = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	sheet := geometry.Box{Lo: [3]float64{1, -9, -9}, Hi: [3]float64{1 + 1e-9, 49, 9}}
	e, err := c.Examine([]geometry.Shape{sheet}, []SolidSize{{Body: "p"}})
	if text := strings.Join(e.Warnings.Of(finding.CoveredFace).Texts(), "\n"); err != nil || !strings.Contains(text, "covers all of [boundary.inlet]") {
		t.Errorf("%v, %q", err, text)
	}
}

// A file shows that a body has no cell, or leaves no fluid, before the run.
func TestFilesWithoutCellsOrFluid(t *testing.T) {
	for want, box := range map[string]geometry.Box{
		"is its position, or its spacing": {Lo: [3]float64{30, 0, 0}, Hi: [3]float64{50, 20, 20}},
		"there are no fluid cells":        {Hi: [3]float64{20, 20, 20}},
		"":                                {Hi: [3]float64{20, 20, 10}},
	} {
		c, err := Load("case.toml", []byte(`
domain = { cells = [20, 20, 20], periodic = ["x", "y", "z"] }
fluid.viscosity = 0.05
body.r = { shape = "image", file = "r.raw", voxels = [20, 20, 20] }
run.steps = 1
`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Examine([]geometry.Shape{box}, []SolidSize{{Body: "r"}})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// A second examination of a case has only its own errors.
func TestExamineTwice(t *testing.T) {
	c, err := Load("case.toml", []byte(`
domain = { cells = [20, 20, 20], periodic = ["x", "y", "z"] }
fluid.viscosity = 0.05
body.r = { shape = "image", file = "r.raw", voxels = [20, 20, 20] }
run.steps = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	outside, inside := geometry.Box{Lo: [3]float64{30, 0, 0}, Hi: [3]float64{50, 20, 20}}, geometry.Box{Hi: [3]float64{20, 20, 10}}
	for i, shape := range []geometry.Shape{outside, inside, outside} {
		_, err := c.Examine([]geometry.Shape{shape}, []SolidSize{{Body: "r"}})
		if (err != nil) != (i != 1) || err != nil && strings.Count(err.Error(), "error:") != 1 {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
}

// The surface speed of an image is its voxels' speed, wherever the image ends.
func TestSurfaceSpeedOfImages(t *testing.T) {
	for _, n := range []int{20, 60} {
		c, err := Load("case.toml", []byte(fmt.Sprintf(`
domain.cells = [60, 60, 4]
fluid.viscosity = 0.05
boundary.tank = { type = "wall", faces = ["x-", "x+", "y-", "y+", "z-", "z+"] }
body.r = { shape = "image", file = "r.raw", voxels = [%d, %d, 4], angular_velocity = 0.012, spin_centre = [30, 30, 2] }
run.steps = 1
`, n, n)))
		if err != nil {
			t.Fatal(err)
		}
		size := [3]int{n, n, 4}
		v := geometry.NewVoxels(size, [3]float64{float64(60-n) / 2, float64(60-n) / 2, 0}, [3]float64{1, 1, 1}, [3]int{}, size)
		for i := range n * n * 4 {
			x, y := i%n, i/n%n
			if math.Hypot(float64(x)+0.5-float64(n)/2, float64(y)+0.5-float64(n)/2) < 9 {
				v.Fill(x, y, i/n/n)
			}
		}
		e, err := c.Examine([]geometry.Shape{v}, []SolidSize{{Body: "r"}})
		if err != nil || e.Speed < 0.012*8.5 || e.Speed > 0.012*9 {
			t.Errorf("%d voxels across: %g, %v, expected %g", n, e.Speed, err, 0.012*9)
		}
		if list := e.Warnings.Of(finding.MovesAcross); len(list) > 0 {
			t.Errorf("%d voxels across: %v", n, list)
		}
	}
}

// A plate on the face of the domain that reaches no cell centre has no cell, however it is thickened.
func TestThickenedPlateWithoutCells(t *testing.T) {
	for x, want := range map[string]string{"-0.3": "[body.p] has no cell", "0.3": "[body.p] has no cell", "0.7": ""} {
		_, err := Load("case.toml", []byte(`
domain.cells = [40, 20]
fluid.viscosity = 0.05
boundary.walls = { type = "wall", faces = ["x-", "x+", "y-", "y+"] }
body.p = { shape = "box", from = [-0.4, -9], to = [`+x+`, 29], thicken = true }
run.steps = 1
`))
		if got := fmt.Sprint(err); (err != nil) != (want != "") || !strings.Contains(got, want) {
			t.Errorf("to %s: %v, expected %q", x, err, want)
		}
	}
}

// counted is a shape that counts queries of a point, a line or a row.
type counted struct {
	geometry.Shape
	in    func(x, y, z float64) bool
	asked *int
}

func (c counted) Contains(x, y, z float64) bool { *c.asked++; return c.in(x, y, z) }

func (c counted) Crossings(p, d [3]float64, ts []float64) []float64 {
	*c.asked++
	return c.Shape.Crossings(p, d, ts)
}

func (c counted) Row(y, z int, inside []bool) { *c.asked++; clear(inside) }

// The checks of files query a bounded number of cells, whatever the domain: a domain of 2000^3 cells has 8e9.
func TestChecksOfFilesAreBounded(t *testing.T) {
	const n, most = 2000, 1e7
	whole := geometry.Box{Hi: [3]float64{n, n, n}}
	for name, in := range map[string]func(x, y, z float64) bool{
		"nothing":  func(x, y, z float64) bool { return false },
		"all":      func(x, y, z float64) bool { return true },
		"a shell":  func(x, y, z float64) bool { return math.Abs(math.Hypot(math.Hypot(x-n/2, y-n/2), z-n/2)-n/2) < 2 },
		"a corner": func(x, y, z float64) bool { return min(x, y, z) > n-2 },
	} {
		for _, body := range []string{
			`{ shape = "stl", file = "r.stl", angular_velocity = 1e-5, spin_centre = [1000, 1000, 1000] }`,
			`{ shape = "stl", file = "r.stl", thicken = true }`,
		} {
			c, err := Load("case.toml", []byte(fmt.Sprintf(`
domain.cells = [%d, %d, %d]
fluid.viscosity = 0.05
boundary.inlet = { type = "velocity", faces = ["x-"], velocity = [0.01, 0, 0] }
boundary.outlet = { type = "outflow", faces = ["x+"] }
boundary.walls = { type = "wall", faces = ["y-", "y+", "z-", "z+"] }
body.r = %s
body.ball = { shape = "sphere", centre = [1000, 1000, 1000], radius = 300 }
run.steps = 1
output.force.r = { every = 1, area = 100, velocity = 0.01 }
`, n, n, n, body)))
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			_, _ = c.Examine([]geometry.Shape{counted{whole, in, &asked}}, []SolidSize{{Body: "r", Hi: whole.Hi, Parts: 1, Cells: 1, Surface: 1}})
			if asked > most {
				t.Errorf("%s, %s: asked %d times", name, body, asked)
			}
		}
	}
}
