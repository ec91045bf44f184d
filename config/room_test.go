// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// check reports the space around a body in a stream, and warns where it is too small.
func TestRoom(t *testing.T) {
	const stream = `
[domain]
cells = [%CELLS]
periodic = ["z"]
[fluid]
viscosity = %NU
[boundary.in]
type = "%IN"
%VALUE
faces = ["%FROM"]
[boundary.out]
type = "outflow"
faces = ["%TO"]
[boundary.sides]
%SIDES
[body.b]
%BODY
[run]
steps = 10
`
	const cylinder = "shape = \"cylinder\"\naxis = \"z\"\ncentre = [%X, 60, 0]\ndiameter = 10"
	const sphere = "shape = \"sphere\"\ncentre = [%X, 60, 20]\ndiameter = 10"
	const duct = "shape = \"box\"\nfrom = [100, 0, 0]\nto = [110, 80, 40]"
	const pipe = "shape = \"difference\"\nof = [\"%Y\", \"bore\"]\n[body.%Y]\nshape = \"box\"\nfrom = [20, 30, -1]\nto = [280, 90, 41]\n[body.bore]\nshape = \"box\"\nfrom = [10, 40, -2]\nto = [290, 80, 42]"
	const walls = "shape = \"box\"\nfrom = [20, -1, -1]\nto = [280, 40, 41]\n[body.other]\nshape = \"box\"\nfrom = [20, 90, -1]\nto = [280, 130, 41]"
	const step = "shape = \"box\"\nfrom = [0, 0, 0]\nto = [50, 40, 40]"
	const ground = "shape = \"half_space\"\npoint = [0, 10, 0]\nnormal = [0, 1, 0]"
	const two = cylinder + "\n[body.other]\nshape = \"cylinder\"\naxis = \"z\"\ncentre = [%X, 30, 0]\ndiameter = 10"
	const inside = cylinder + "\n[body.other]\nshape = \"cylinder\"\naxis = \"z\"\ncentre = [%X, 60, 0]\ndiameter = 6"
	for _, c := range []struct{ cells, in, from, body, x, want string }{
		{"300, 120, 40", "velocity", "x-", cylinder, "55", "5 heights from the inlet, blockage 8.3 %|inlet too close, blockage too high: drag will be overestimated"},
		{"300, 240, 40", "velocity", "x-", cylinder, "55", "5 heights from the inlet, blockage 4.2 %|inlet too close: drag will be overestimated"},
		{"300, 240, 40", "velocity", "x-", cylinder, "105", "10 heights from the inlet, blockage 4.2 %|enough"},
		{"300, 120, 40", "velocity", "x-", cylinder, "105", "10 heights from the inlet, blockage 8.3 %|blockage too high: drag will be overestimated"},
		{"300, 120, 40", "velocity", "x+", cylinder, "255", "4 heights from the inlet, blockage 8.3 %|inlet too close, blockage too high: drag will be overestimated"},
		{"300, 120, 40", "velocity", "x-", sphere, "45", "4 heights from the inlet, blockage 2.1 %|enough"},
		{"300, 120, 40", "velocity", "x-", sphere, "25", "2 heights from the inlet, blockage 2.1 %|inlet too close: drag will be overestimated"},
		{"300, 240, 40", "velocity", "x-", two, "105", "10 heights from the inlet, blockage 8.3 %|blockage too high: drag will be overestimated and 1 more"},
		{"300, 240, 40", "velocity", "x-", inside, "105", "10 heights from the inlet, blockage 4.2 %|enough; 17 heights from the inlet, blockage 4.2 %|enough"},
		{"300, 240, 40", "velocity", "slow", cylinder, "105", "10 heights from the inlet, blockage 4.2 %|Re 1 based on the height of the body: at this low Re the body's influence extends far; try doubling the domain"},
		{"300, 144, 40", "velocity", "open", cylinder, "105", "10 heights from the inlet, blockage 6.9 %, open sides|enough"},
		{"300, 100, 40", "velocity", "open", cylinder, "145", "14 heights from the inlet, blockage 10 %, open sides|open sides too close for an inlet this far away: drag will be underestimated"},
		{"300, 130, 40", "velocity", "open", cylinder, "105", "10 heights from the inlet, blockage 7.7 %, open sides|blockage too high: drag will be inaccurate"},
		{"300, 144, 40", "velocity", "open", cylinder, "55", "5 heights from the inlet, blockage 6.9 %, open sides|inlet too close: drag will be overestimated"},
		{"300, 144, 40", "velocity", "open", cylinder, "145", "14 heights from the inlet, blockage 6.9 %, open sides|open sides too close for an inlet this far away: drag will be underestimated"},
		{"300, 144, 40", "velocity", "half", cylinder, "105", "10 heights from the inlet, blockage 6.9 %|blockage too high: drag will be overestimated"},
		{"300, 144, 40", "velocity", "elbow", cylinder, "105", ""},   // lets out at a side alone
		{"300, 120, 40", "velocity", "crossed", cylinder, "105", ""}, // inlets of two axes
		{"300, 120, 40", "velocity", "x-", duct, "", ""},
		{"300, 120, 40", "velocity", "x-", step, "", ""},
		{"300, 240, 40", "velocity", "x-", strings.ReplaceAll(pipe, "%Y", "tube"), "", ""}, // the middle is free
		{"300, 120, 40", "velocity", "x-", walls, "", ""},                                  // they block more than half
		{"300, 120, 40", "velocity", "jet", cylinder, "55", ""},                            // the inlet is a part of its face
		{"300, 120, 40", "velocity", "x-", ground, "", ""},
		{"300, 120, 40", "pressure", "x-", cylinder, "55", ""}, // lets the stream slow down
		{"300, 120, 40", "velocity", "suction", cylinder, "55", ""},
	} {
		value, to, nu := "velocity = [0.05, 0, 0]", "x+", "0.005"
		sides := "type = \"slip\"\nfaces = [\"y-\", \"y+\"]"
		switch c.from {
		case "open":
			c.from, sides = "x-", strings.Replace(sides, "slip", "outflow", 1)
		case "half": // one side is open
			c.from, sides = "x-", "type = \"slip\"\nfaces = [\"y-\"]\n[boundary.other]\ntype = \"outflow\"\nfaces = [\"y+\"]"
		case "jet":
			c.from, sides = "x-", sides+"\n[boundary.rest]\ntype = \"wall\"\nfaces = [\"x-\"]"
			value += "\nfrom = [-1, 40, -1]\nto = [1, 80, 41]"
		case "elbow":
			c.from, to, sides = "x-", "y+", "type = \"slip\"\nfaces = [\"y-\", \"x+\"]"
		case "crossed":
			c.from, sides = "x-", strings.Replace(sides, "slip\"", "velocity\"\nvelocity = [0, 0.01, 0]", 1)
		}
		if c.from == "slow" {
			c.from, nu = "x-", "0.5"
		}
		if c.from == "suction" {
			c.from, to, value = "x+", "x-", "velocity = [0.05, 0, 0]"
		}
		if c.from == "x+" && to == "x+" {
			value, to = "velocity = [-0.05, 0, 0]", "x-"
		}
		if c.in == "pressure" {
			value = "pressure = 1e-3"
		}
		text := strings.NewReplacer("%CELLS", c.cells, "%IN", c.in, "%VALUE", value, "%FROM", c.from, "%TO", to, "%NU", nu, "%SIDES", sides, "%BODY", strings.ReplaceAll(c.body, "%X", c.x)).Replace(stream)
		loaded, err := Load(filepath.Join(t.TempDir(), "case.toml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, r := range loaded.Room() {
			list = append(list, r.Lattice+"|"+r.SI+strings.TrimPrefix(r.Name, "[body.b]"))
		}
		if got := strings.ReplaceAll(strings.Join(list, "; "), "[body.other]", ""); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
