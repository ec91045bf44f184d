// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"

	"lbmsim/geometry"
	"lbmsim/internal/finding"
)

// A surface is compared with its cells, faces on the domain's faces included: buildings are on the ground.
func TestUnresolved(t *testing.T) {
	c, err := Load("case.toml", []byte(`
domain = { cells = [40, 30, 24], periodic = ["x", "y", "z"] }
fluid.viscosity = 0.05
body.r = { shape = "stl", file = "r.stl" }
run.steps = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	block := func(lo, hi [3]float64) (geometry.Shape, SolidSize) {
		size := SolidSize{Body: "r", Lo: lo, Hi: hi, Parts: 1, Cells: 1}
		var d [3]float64
		for a := range d {
			d[a] = hi[a] - lo[a]
			size.Cells *= d[a]
		}
		size.Surface = 2 * (d[0]*d[1] + d[1]*d[2] + d[2]*d[0])
		return geometry.Box{Lo: lo, Hi: hi}, size
	}
	for _, test := range []struct {
		name   string
		lo, hi [3]float64
		thin   float64
		want   string
	}{
		{"block", [3]float64{16, 8, 8}, [3]float64{24, 16, 16}, 0, ""},
		{"on the ground", [3]float64{16, 8, 0}, [3]float64{24, 16, 8}, 0, ""},
		{"low, on the ground", [3]float64{16, 8, 0}, [3]float64{24, 16, 2}, 0, ""},
		{"below the ceiling, in a corner", [3]float64{32, 0, 20}, [3]float64{40, 16, 24}, 0, ""},
		{"thin", [3]float64{16, 8, 8}, [3]float64{24, 16, 16}, 0.9999, "below one cell on 100 % of its area"},
		{"coarse", [3]float64{16, 8, 8}, [3]float64{17.6, 16, 16}, 0, "differ by 25 % in volume"},
	} {
		shape, size := block(test.lo, test.hi)
		size.Thin = test.thin
		e, err := c.Examine([]geometry.Shape{shape}, []SolidSize{size})
		got := strings.Join(e.Warnings.Of(finding.Unresolved).Texts(), "\n")
		if err != nil || !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q %v, expected %q", test.name, got, err, test.want)
		}
	}
}
