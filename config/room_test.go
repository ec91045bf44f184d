package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// check tells how much room a body has in a stream, and says where it is too little.
func TestRoom(t *testing.T) {
	const stream = `
[domain]
cells = [%CELLS]
periodic = ["z"]
[fluid]
viscosity = 0.01
[boundary.in]
type = "%IN"
%VALUE
faces = ["%FROM"]
[boundary.out]
type = "outflow"
faces = ["%TO"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.b]
%BODY
[run]
steps = 10
`
	const cylinder = "shape = \"cylinder\"\naxis = \"z\"\ncentre = [%X, 60, 0]\ndiameter = 10"
	const sphere = "shape = \"sphere\"\ncentre = [%X, 60, 20]\ndiameter = 10"
	const box = "shape = \"box\"\nfrom = [100, 0, 0]\nto = [110, 80, 40]"
	for _, c := range []struct{ cells, in, from, body, x, want string }{
		{"300, 120, 40", "velocity", "x-", cylinder, "55", "5 heights behind the inlet, blocks 8.3 % of the stream|the inlet is near and the stream narrow: drag comes out too large"},
		{"300, 240, 40", "velocity", "x-", cylinder, "55", "5 heights behind the inlet, blocks 4.2 % of the stream|the inlet is near: drag comes out too large"},
		{"300, 240, 40", "velocity", "x-", cylinder, "105", "10 heights behind the inlet, blocks 4.2 % of the stream|enough"},
		{"300, 120, 40", "velocity", "x-", cylinder, "105", "10 heights behind the inlet, blocks 8.3 % of the stream|the stream is narrow: drag comes out too large"},
		{"300, 120, 40", "velocity", "x+", cylinder, "255", "4 heights behind the inlet, blocks 8.3 % of the stream|the inlet is near and the stream narrow: drag comes out too large"},
		{"300, 120, 40", "velocity", "x-", sphere, "45", "4 heights behind the inlet, blocks 2.1 % of the stream|enough"},
		{"300, 120, 40", "velocity", "x-", sphere, "25", "2 heights behind the inlet, blocks 2.1 % of the stream|the inlet is near: drag comes out too large"},
		{"300, 120, 40", "velocity", "x-", box, "", ""},        // a duct
		{"300, 120, 40", "pressure", "x-", cylinder, "55", ""}, // lets the stream slow down
	} {
		value, to := "velocity = [0.05, 0, 0]", "x+"
		if c.from == "x+" {
			value, to = "velocity = [-0.05, 0, 0]", "x-"
		}
		if c.in == "pressure" {
			value = "pressure = 1e-3"
		}
		text := strings.NewReplacer("%CELLS", c.cells, "%IN", c.in, "%VALUE", value, "%FROM", c.from, "%TO", to, "%BODY", strings.ReplaceAll(c.body, "%X", c.x)).Replace(stream)
		loaded, err := Load(filepath.Join(t.TempDir(), "case.toml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range loaded.Room() {
			got += r.Lattice + "|" + r.SI
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
