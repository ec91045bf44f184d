// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/finding"
)

// boxFile writes a box as binary STL.
func boxFile(t *testing.T, lo, hi [3]float64) string {
	t.Helper()
	var b []byte
	put := func(corners ...[3]float64) {
		b = append(b, make([]byte, 12)...)
		for _, v := range corners {
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	for a := range 3 {
		for side, x := range [2]float64{lo[a], hi[a]} {
			at := func(j, k int) (p [3]float64) {
				u, v := (a+1)%3, (a+2)%3
				p[a], p[u], p[v] = x, [2]float64{lo[u], hi[u]}[j], [2]float64{lo[v], hi[v]}[k]
				return p
			}
			if side == 1 {
				put(at(0, 0), at(1, 0), at(1, 1))
				put(at(0, 0), at(1, 1), at(0, 1))
			} else {
				put(at(0, 0), at(1, 1), at(1, 0))
				put(at(0, 0), at(0, 1), at(1, 1))
			}
		}
	}
	b = append(binary.LittleEndian.AppendUint32(make([]byte, 80), 12), b...)
	path := filepath.Join(t.TempDir(), "box.stl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A body from a file is checked like the same box in closed form, on any ranks.
func TestFilesAreCheckedLikeShapes(t *testing.T) {
	const around = `
[domain]
cells = [24, 16, 12]
[fluid]
viscosity = 0.1
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [%s, 0, 0]
[boundary.out]
type = "%s"
faces = ["x+"]
%s
[boundary.rest]
type = "wall"
faces = ["y-", "y+", "z-", "z+"]
[body.box]
%s
%s
[run]
steps = 1
%s
`
	type box struct{ lo, hi [3]float64 }
	middle, beside := box{[3]float64{8.2, 5.2, 4.2}, [3]float64{15.8, 7.8, 7.8}}, box{[3]float64{0, 4, 0}, [3]float64{3, 8, 6}}
	for _, c := range []struct {
		name                       string
		box                        box
		in, out, outlet, body, end string
		kind                       *finding.Kind
		refused                    string
	}{
		{name: "blade", box: middle, body: "angular_velocity = 0.001\nspin_centre = [12, 6.5, 6]", kind: finding.MovesAcross},
		{name: "covered inlet", box: beside, kind: finding.CoveredFace},
		{name: "swallowed", box: middle, end: "[body.large]\nshape = \"box\"\nfrom = [7, 4, 3]\nto = [17, 9, 9]", kind: finding.SwallowedBody},
		{name: "fast surface", box: middle, body: "velocity = [0.08, 0, 0]", kind: finding.MachNumber},
		{name: "too fast a surface", box: middle, body: "velocity = [0.3, 0, 0]", refused: "Mach number"},
		{name: "much solid, partly outside", box: box{[3]float64{8.2, 4.2, -30}, [3]float64{15.8, 11.8, 40}}, body: "type = \"wall\"", kind: finding.Porous},
		{name: "probe", box: middle, end: "[output.probe.p]\nat = [12, 6, 6]\nevery = 1", refused: "lies inside [body.box]"},
		{name: "initial", box: middle, end: "[initial]\nvelocity = [\"0.01/max(0, (x-12.5)^2+(y-7.5)^2+(z-6.5)^2 - 0.0001)\", 0, 0]"},
		{name: "initial outside", box: middle, end: "[initial]\nvelocity = [\"1e-9/((x-4.5)^2+(y-7.5)^2+(z-6.5)^2)\", 0, 0]", refused: "+Inf"},
		{name: "balance", box: beside, out: "velocity", outlet: "velocity = [0.01, 0, 0]", refused: "the velocity faces have a net outflow"},
	} {
		if c.in == "" {
			c.in = "0.01"
		}
		if c.out == "" {
			c.out = "outflow"
		}
		p := func(v [3]float64) string { return fmt.Sprintf("[%g, %g, %g]", v[0], v[1], v[2]) }
		closed := "shape = \"box\"\nfrom = " + p(c.box.lo) + "\nto = " + p(c.box.hi)
		file := fmt.Sprintf("shape = \"stl\"\nfile = %q", boxFile(t, c.box.lo, c.box.hi))
		want := ""
		for i, shape := range []string{closed, file, file} {
			s, err := trial{text: fmt.Sprintf(around, c.in, c.out, c.outlet, shape, c.body, c.end), ranks: []int{1, 1, 3}[i], dir: t.TempDir()}.run(t)
			got := ""
			if err != nil {
				got = fmt.Sprint(err)
			}
			if refused := err != nil; refused != (c.refused != "") || !strings.Contains(got, c.refused) {
				t.Errorf("%s, %d: %v, want %q", c.name, i, err, c.refused)
				continue
			}
			if err == nil {
				for _, w := range s.start.Case.Warnings {
					if c.kind != nil && w.Kind == c.kind.Name {
						got += w.Text + "\n"
					}
				}
				if c.kind != nil && got == "" {
					t.Errorf("%s, %d: no warning: %v", c.name, i, s.start.Case.Warnings)
				}
			}
			if i == 0 {
				want = got
			} else if err == nil && got != want {
				t.Errorf("%s, %d: %q, want %q", c.name, i, got, want)
			}
		}
	}
}

// A box of voxels with empty ones around it, and a union with a part from a file, have the sizes of the same box in closed form.
func TestSizesOfImagesAndUnions(t *testing.T) {
	voxels := make([]byte, 12*12*12)
	for i := range voxels {
		if x, y, z := i%12, i/12%12, i/144; min(x, y, z) >= 2 && max(x, y, z) < 10 {
			voxels[i] = 1
		}
	}
	image := filepath.Join(t.TempDir(), "box.raw")
	if err := os.WriteFile(image, voxels, 0o600); err != nil {
		t.Fatal(err)
	}
	surface := boxFile(t, [3]float64{28, 12, 12}, [3]float64{32, 20, 20})
	const around = `
[domain]
cells = [40, 32, 32]
[fluid]
viscosity = 1e-3
[boundary.in]
type = "velocity"
faces = ["x-"]
velocity = [0.03, 0, 0]
[boundary.out]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+", "z-", "z+"]
[body.b]
%s
[output.force.b]
every = 1
area = 6400
velocity = 0.03
[run]
steps = 1
`
	texts := func(list finding.List) string {
		return strings.Join(list.Of(finding.CutWake, finding.ReferenceValues, finding.UnresolvedWalls).Texts(), "\n")
	}
	want := ""
	for i, shape := range []string{
		"shape = \"box\"\nfrom = [28, 12, 12]\nto = [36, 20, 20]",
		fmt.Sprintf("shape = \"image\"\nfile = %q\nvoxels = [12, 12, 12]\ntranslate = [26, 10, 10]", image),
		fmt.Sprintf("shape = \"union\"\nof = [\"s\", \"c\"]\n[body.s]\nshape = \"stl\"\nfile = %q\n[body.c]\nshape = \"box\"\nfrom = [30, 12, 12]\nto = [36, 20, 20]", surface),
	} {
		s := trial{text: fmt.Sprintf(around, shape), ranks: 2, dir: t.TempDir()}.must(t)
		got := texts(s.start.Case.Warnings)
		if i == 0 {
			want = got
		}
		if got != want || strings.Count(got, "\n") != 2 {
			t.Errorf("%d: %s\nwant\n%s", i, got, want)
		}
	}
}
