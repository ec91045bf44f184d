// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"
	"strings"
	"testing"

	"lbmsim/geometry"
)

const roomSI = `
[domain]
size = ["2 m", "2 m", "2 m"]
cells = [20, 20, 20]
origin = ["-1 m", "-1 m", "-1 m"]
periodic = ["x", "y", "z"]
[fluid]
viscosity = "0.01 m2/s"
[scaling]
tau = 0.8
[run]
steps = 1
`

// the place of a shape, by points in the user's coordinates.
func TestSolids(t *testing.T) {
	type point [3]float64
	for name, c := range map[string]struct {
		text    string
		in, out []point // in metres
	}{
		"ellipsoid": {`shape = "ellipsoid"
centre = [0, 0, 0]
radii = ["0.8 m", "0.4 m", "0.3 m"]`, []point{{0.75, 0, 0}, {0, 0.35, 0}, {0, 0, -0.25}}, []point{{0.85, 0, 0}, {0, 0.45, 0}, {0.5, 0.35, 0}}},
		"cone": {`shape = "cone"
from = [0, 0, "-0.5 m"]
to = [0, 0, "0.5 m"]
radius = "0.6 m"`, []point{{0.5, 0, -0.45}, {0, 0, 0.4}}, []point{{0.5, 0, 0}, {0.1, 0, 0.45}, {0, 0, 0.55}}},
		"capsule": {`shape = "capsule"
from = ["-0.5 m", "-0.5 m", 0]
to = ["0.5 m", "0.5 m", 0]
diameter = "0.4 m"`, []point{{0.6, 0.6, 0}, {0, 0, 0.15}}, []point{{0.3, -0.3, 0}, {0.7, 0.7, 0}}},
		"half_space": {`shape = "half_space"
point = ["0.5 m", 0, 0]
normal = [-3, 0, 0]`, []point{{0.55, 0, 0}, {0.9, 0.9, 0.9}}, []point{{0.45, 0, 0}, {-0.9, 0, 0}}},
		"turned about its middle": {`shape = "box"
from = ["0.2 m", "0.2 m", "-0.5 m"]
to = ["0.8 m", "0.4 m", "0.5 m"]
rotate = [0, 0, 90]`, []point{{0.5, 0.55, 0}, {0.5, 0.05, 0}}, []point{{0.75, 0.3, 0}, {0.25, 0.3, 0}}},
		"turned about the origin, then moved": {`shape = "box"
from = ["0.2 m", "0.2 m", "-0.5 m"]
to = ["0.8 m", "0.4 m", "0.5 m"]
rotate = [0, 0, 90]
about = [0, 0, 0]
translate = [0, 0, "0.3 m"]`, []point{{-0.3, 0.5, 0.75}}, []point{{-0.3, 0.5, -0.25}, {0.5, 0.3, 0}}},
		"larger": {`shape = "sphere"
centre = ["0.3 m", 0, 0]
radius = "0.2 m"
scale = 2`, []point{{0.65, 0, 0}, {-0.05, 0, 0}}, []point{{0.75, 0, 0}}},
		"difference, turned": {`shape = "difference"
of = ["bar", "hole"]
rotate = [0, 0, 45]
[body.bar]
shape = "box"
from = ["-0.8 m", "-0.1 m", "-0.1 m"]
to = ["0.8 m", "0.1 m", "0.1 m"]
[body.hole]
shape = "cylinder"
centre = [0, 0, 0]
radius = "0.05 m"
translate = ["0.5 m", 0, 0]`, []point{{0.1, 0.1, 0}, {0.5, 0.5, 0}}, []point{{0.5 / math.Sqrt2, 0.5 / math.Sqrt2, 0}, {0.5, 0, 0}}},
		"intersection of a union": {`shape = "intersection"
of = ["two", "left"]
[body.left]
shape = "half_space"
point = [0, 0, 0]
normal = [1, 0, 0]
[body.two]
shape = "union"
of = ["a", "b"]
[body.a]
shape = "sphere"
centre = ["-0.5 m", 0, 0]
radius = "0.3 m"
[body.b]
shape = "sphere"
centre = ["0.1 m", 0, 0]
radius = "0.3 m"`, []point{{-0.5, 0, 0}, {-0.1, 0, 0}}, []point{{0.1, 0, 0}, {-0.9, 0, 0}}},
	} {
		k := load(t, roomSI+"[body.it]\n"+c.text+"\n")
		if len(k.Bodies) != 1 || k.Bodies[0].Name != "it" {
			t.Errorf("%s: %+v", name, k.Bodies)
			continue
		}
		s := k.Bodies[0].Shape(nil)
		for i, p := range append(c.in, c.out...) {
			if got := s.Contains(10*(p[0]+1), 10*(p[1]+1), 10*(p[2]+1)); got != (i < len(c.in)) {
				t.Errorf("%s: %v inside: %v", name, p, got)
			}
		}
		again := load(t, k.Resolved)
		if again.Resolved != k.Resolved {
			t.Errorf("%s: %v", name, Diff(k.Resolved, again.Resolved, nil))
		}
	}
}

// The numbers of a file lead to cells by unit, scale, rotate and translate.
func TestSolidFile(t *testing.T) {
	c, err := Load("some/folder/case.toml", []byte(roomSI+`[body.wing]
shape = "stl"
file = "shapes/wing.stl"
unit = "1 mm"
scale = 2
rotate = [90, 0, 0]
translate = [0, "0.5 m", 0]
repair = true
`))
	if err != nil {
		t.Fatal(err)
	}
	f := c.Files[0]
	if f.Body != "wing" || f.Path != "some/folder/shapes/wing.stl" || f.Shown != "shapes/wing.stl" || !f.Repair {
		t.Errorf("%+v", f)
	}
	// 100 mm along y, twice as large, up along z; moved by 0.5 m along y; from -1 m in cells of 0.1 m.
	got := f.Motion.Apply([3]float64{0, 100, 0})
	for a, want := range [3]float64{10, 15, 12} {
		if math.Abs(got[a]-want) > 1e-12 {
			t.Errorf("at %v", got)
		}
	}
	wing := geometry.Sphere{Centre: [3]float64{1, 2, 3}, Radius: 1}
	if c.Bodies[0].Whole() || c.Bodies[0].Shape([]geometry.Shape{wing}) != wing {
		t.Errorf("%+v", c.Bodies[0])
	}
	const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	pinned := Pin(c.Resolved, []string{sum})
	if !strings.Contains(pinned, "file = \"shapes/wing.stl\"\nsha256 = \""+sum+"\"\n") {
		t.Error(pinned)
	}
	again, err := Load("case.toml", []byte(pinned))
	if err != nil || again.Resolved != pinned || again.Files[0].SHA256 != sum {
		t.Errorf("%v\n%s", err, again.Resolved)
	}
	if d := Diff(pinned, Pin(c.Resolved, []string{strings.Repeat("0", 64)}), nil); len(d) != 1 || !strings.HasPrefix(d[0], "body.wing.sha256") {
		t.Errorf("%q", d)
	}
	if Pin(pinned, []string{sum}) != pinned {
		t.Error("pinned twice")
	}
}

func TestImages(t *testing.T) {
	c := load(t, roomSI+`[body.rock]
shape = "image"
file = "rock.raw"
unit = "10 mm"
voxels = [100, 90, 80]
number = "uint16"
solid_range = [5, 7]
[body.foam]
shape = "image"
file = "foam.vti"
unit = "1 m"
array = "phase"
`)
	raw, vti := c.Files[0], c.Files[1]
	if !raw.Image || raw.Voxels != [3]int{100, 90, 80} || raw.Number != "uint16" || raw.Solid != [2]float64{5, 7} {
		t.Errorf("%+v", raw)
	}
	if !vti.Image || vti.Voxels != [3]int{} || vti.Array != "phase" || vti.Solid != [2]float64{1, math.Inf(1)} || vti.Number != "" {
		t.Errorf("%+v", vti)
	}
	if again := load(t, c.Resolved); again.Resolved != c.Resolved {
		t.Errorf("%v", Diff(c.Resolved, again.Resolved, nil))
	}
	for text, want := range map[string]string{
		"file = \"a.raw\"\nunit = \"1 m\"":                                    "needs voxels",
		"file = \"a.vti\"\nunit = \"1 m\"\nvoxels = [1, 1, 1]":                "contains its number of voxels",
		"file = \"a.raw\"\nunit = \"1 m\"\nvoxels = [1, 1, 1]\narray = \"a\"": "no named arrays",
		"file = \"a.vti\"\nunit = \"1 m\"\nsolid_range = [2, 1]":              "the range is empty: no voxel is solid",
		"file = \"a.vti\"\nunit = \"1 m\"\nrepair = true":                     "an image cannot have repair",
		"file = \"a.vti\"": "needs unit",
	} {
		if _, err := Load("t.toml", []byte(roomSI+"[body.a]\nshape = \"image\"\n"+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ... %s ...", text, err, want)
		}
	}
}
