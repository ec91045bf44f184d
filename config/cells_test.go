package config

import (
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
