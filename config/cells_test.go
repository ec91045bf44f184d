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

// A file shows that a body has no cell, or leaves no fluid, before the run.
func TestFilesWithoutCellsOrFluid(t *testing.T) {
	for want, box := range map[string]geometry.Box{
		"is its place, or its spacing": {Lo: [3]float64{30, 0, 0}, Hi: [3]float64{50, 20, 20}},
		"no fluid is left":             {Hi: [3]float64{20, 20, 20}},
		"":                             {Hi: [3]float64{20, 20, 10}},
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

// The surface speed of an image is that of its voxels, wherever the image ends.
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
