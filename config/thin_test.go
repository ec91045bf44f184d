// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// Bodies that the grid does not close are reported with numbers; those that it does, and sharp edges, are not.
func TestThinBodies(t *testing.T) {
	const domain = `
[domain]
cells = [60, 40]
periodic = ["x", "y"]
[fluid]
viscosity = 0.1
[run]
steps = 1
`
	box := func(name string, x, thick, angle float64, more string) string {
		return fmt.Sprintf("[body.%s]\nshape = \"box\"\nfrom = [%g, 5]\nto = [%g, 35]\nrotate = [0, 0, %g]\n%s\n", name, x, x+thick, angle, more)
	}
	for _, c := range []struct {
		name, bodies string
		want         []string // parts of the warnings
		refused      string
	}{
		{"thin", box("p", 30.1, 0.6, 30, ""), []string{"[body.p] is too thin for the grid, 0.6 cells at ("}, ""},
		{"a little thin", box("p", 30.1, 1.2, 30, ""), []string{"[body.p] is too thin for the grid, 1.2 cells"}, ""},
		{"thick", box("p", 30.1, 2, 30, ""), nil, ""},
		{"straight", box("p", 30.1, 0.6, 0, ""), nil, ""}, // it has one cell everywhere
		{"thickened", box("p", 30.1, 0.6, 30, "thicken = true"), nil, ""},
		{"no thickness", box("p", 30.1, 0, 30, "thicken = true"), nil, ""},
		{"no thickness as it is", box("p", 30.1, 0, 30, ""), nil, "the box is empty"},
		{"no cell", box("p", 30.6, 0.3, 0, ""), nil, "thicken = true makes a body at least one cell thick"},
		{"no cell, thickened", box("p", 30.6, 0.3, 0, "thicken = true"), nil, ""},
		{"no cell, thickened on a face", "[body.p]\nshape = \"box\"\nfrom = [10, -0.3]\nto = [40, 0.3]\nthicken = true\n[boundary.w]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n", nil, "move it into the domain by half a cell"},
		{"thickened beside a face", "[body.p]\nshape = \"box\"\nfrom = [10, 0.9]\nto = [40, 0.9]\nthicken = true\n[boundary.w]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n", nil, ""},
		{"disc", "[body.d]\nshape = \"cylinder\"\ncentre = [30.2, 20.3]\nradius = 5\n", nil, ""},
		{"covered", box("p", 30.1, 0.6, 30, "") + "[body.d]\nshape = \"cylinder\"\ncentre = [30.2, 20.3]\nradius = 17\n", nil, ""},
		{"many", box("a", 10.1, 0.6, 30, "") + box("b", 20.1, 0.6, 30, "") + box("c", 30.1, 0.6, 30, "") + box("d", 40.1, 0.6, 30, "") + box("e", 50.1, 0.6, 30, ""),
			[]string{"[body.a]", "[body.b]", "[body.c]", "through 2 other bodies that are too thin"}, ""},
		{"part", box("p", 30.1, 0.6, 30, "thicken = true") + box("q", 30.1, 3, 30, "") + "[body.u]\nshape = \"union\"\nof = [\"p\", \"q\"]\n", nil, "which sets its thicken"},
		{"cut at a periodic face", "[body.p]\nshape = \"box\"\nfrom = [30, -3]\nto = [38, 5]\n", nil, ""},
		{"cut at both ends", "[body.p]\nshape = \"box\"\nfrom = [56, 30]\nto = [64, 48]\n", nil, ""},
		{"thin and cut", "[body.p]\nshape = \"box\"\nfrom = [30.1, -5]\nto = [30.7, 20]\nrotate = [0, 0, 30]\n", []string{"[body.p] is too thin for the grid, 0.6 cells"}, ""},
		{"image", "[body.i]\nshape = \"image\"\nfile = \"none.raw\"\nvoxels = [2, 2, 2]\nthicken = true\n", nil, "cannot have thicken"},
	} {
		text := domain + c.bodies
		if strings.Contains(text, "[boundary") {
			text = strings.Replace(text, `["x", "y"]`, `["x"]`, 1)
		}
		got, err := Load("thin.toml", []byte(text))
		if err != nil || c.refused != "" {
			if err == nil || c.refused == "" || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, expected %q", c.name, err, c.refused)
			}
			continue
		}
		var thin []string
		for _, w := range got.Warnings {
			if w.Kind == finding.ThinBody.Name {
				thin = append(thin, w.Text)
			}
		}
		if len(thin) != len(c.want) {
			t.Errorf("%s: %q", c.name, thin)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(thin[i], want) {
				t.Errorf("%s: %q, expected %q", c.name, thin[i], want)
			}
		}
	}
}
