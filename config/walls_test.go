// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"strings"
	"testing"
)

// A body without a type has its wall where its surface is, unless a half-way wall is there or the body asks for cells. The
// resolved copy has the type, and the table the reason.
func TestWallOfBodiesWithoutType(t *testing.T) {
	const closed = `
[domain]
cells = [40, 30, 20]
[fluid]
viscosity = 0.05
[boundary.box]
type = "wall"
faces = ["x-", "x+", "y-", "y+", "z-", "z+"]
[run]
steps = 1
`
	outlet := strings.Replace(closed, `"x+", `, "", 1) + "[boundary.out]\ntype = \"outflow\"\nfaces = [\"x+\"]\n"
	const ball = "[body.b]\nshape = \"sphere\"\ncentre = [20, 15, 10]\nradius = 5\n"
	const box = "[body.b]\nshape = \"box\"\nfrom = [10, 10, 10]\nto = [20, 20, 15]\n"
	const oblique = "[body.b]\nshape = \"half_space\"\npoint = [3, 0, 0]\nnormal = [1, 1, 0]\n"
	const surface, voxels = "[body.b]\nshape = \"stl\"\nfile = \"b.stl\"\n", "[body.b]\nshape = \"image\"\nfile = \"b.raw\"\nvoxels = [4, 4, 4]\n"
	const heat = "[temperature]\ndiffusivity = 0.05\n"
	for name, c := range map[string]struct {
		text, kind, why string
		conserve        bool
	}{
		"ball":             {outlet + ball, "interpolated_wall", "surface not aligned with cell faces", false},
		"ball, closed":     {closed + ball, "interpolated_wall", "surface not aligned with cell faces; no open faces", true},
		"mass not wanted":  {closed + ball + "conserve_mass = false\n", "interpolated_wall", "surface not aligned with cell faces", false},
		"moving":           {outlet + ball + "angular_velocity = 1e-3\n", "interpolated_wall", "surface not aligned with cell faces", false},
		"box":              {closed + box, "wall", "surface aligned with cell faces", false},
		"box off the grid": {outlet + strings.Replace(box, "15]", "15.4]", 1), "interpolated_wall", "surface not aligned with cell faces", false},
		"turned box":       {outlet + box + "rotate = [0, 0, 20]\n", "interpolated_wall", "surface not aligned with cell faces", false},
		"oblique plane":    {outlet + oblique, "interpolated_wall", "surface not aligned with cell faces", false},
		"surface":          {outlet + surface, "interpolated_wall", "surface not aligned with cell faces", false},
		"voxels":           {outlet + voxels, "wall", "its cells are voxels", false},
		"cut voxels": {outlet + "[body.both]\nshape = \"union\"\nof = [\"b\", \"c\"]\n" + voxels + strings.Replace(ball, ".b]", ".c]", 1),
			"wall", "its cells are voxels", false},
		"thickened":    {outlet + ball + "thicken = true\n", "wall", "thicken adds whole cells", false},
		"conducting":   {closed + heat + ball + "diffusivity = 0.1\n", "wall", "heat flux is computed half-way between cells", false},
		"hot":          {closed + heat + ball + "temperature = 1\n", "interpolated_wall", "surface not aligned with cell faces; no open faces", true},
		"asked for":    {outlet + ball + "type = \"wall\"\n", "wall", "", false},
		"asked for it": {closed + ball + "type = \"interpolated_wall\"\n", "interpolated_wall", "", false},
	} {
		k := load(t, c.text)
		if b := k.Bodies[0]; b.Kind.Name != c.kind || b.Conserve != c.conserve || b.Chosen != c.why {
			t.Errorf("%s: %s, conserve_mass %v, %q", name, b.Kind.Name, b.Conserve, b.Chosen)
		}
		if again := load(t, k.Resolved); again.Resolved != k.Resolved || again.Bodies[0].Kind.Name != c.kind || again.Bodies[0].Conserve != c.conserve {
			t.Errorf("%s: the resolved copy is another case:\n%s", name, k.Resolved)
		}
		var rows []string
		for _, r := range k.Table {
			if strings.HasPrefix(r.Name, "wall of ") {
				rows = append(rows, r.Lattice+": "+r.SI)
			}
		}
		want := c.kind + ": " + c.why
		if c.conserve {
			want = c.kind + ", conserve_mass: " + c.why
		}
		if got := strings.Join(rows, "\n"); c.why == "" && got != "" || c.why != "" && got != want {
			t.Errorf("%s: the table has %q", name, got)
		}
	}
}
