// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"slices"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
	"lbmsim/model"
)

// Scene is the contents of the global box: boundaries on its faces and bodies in it.
type Scene struct {
	Cells    [3]int // global
	Periodic [3]bool
	// Faces gives, for axis and side (0 low, 1 high), the type of the cells
	// behind that face: k > 0 for boundary k-1. Periodic axes ignore it.
	Faces [3][2]uint8
	// Patches are regions of the faces whose cells have another type. No two of a face share
	// cells.
	Patches [3][2][]Patch
	Sponges []Sponge
	Bodies  []Body
	Links   [][3]int        // of the lattice, one of each pair of opposite directions (Half); for bodies with Thicken and for Thin
	Walls   []boundary.Wall // the wall of each boundary
}

// Body is a shape and the type that its cells get.
type Body struct {
	Shape   Shape
	Type    uint8
	Thicken bool // where links pass through it, cells cut by it are also solid
}

// rowsOfPiece is the number of rows that a thread takes at a time.
const rowsOfPiece = 64

// Sample samples the box of one rank with one more layer of cells around it.
// A later body wins where bodies overlap. Any box gives the same cells, so the result does not
// depend on the decomposition.
func (d Scene) Sample(box decomp.Box) boundary.Cells {
	cells := boundary.NewCells(box.Size())
	cells.Walls = d.Walls
	cells.Global, cells.Origin, cells.Periodic = d.Cells, box.Lo, d.Periodic
	for side := range cells.Rest {
		cells.Rest[side] = !d.Periodic[0] && d.still(cells, side)
	}
	if len(d.Sponges) > 0 {
		cells.Rates = func(x [3]int) *model.Params {
			return d.Rates([3]int{box.Lo[0] + x[0], box.Lo[1] + x[1], box.Lo[2] + x[2]})
		}
	}
	cells.Distance = func(x, c [3]int) float64 { return d.distance(cells, x, c) }
	for _, b := range d.Bodies {
		if cells.Wall(b.Type).Scalar.Law == boundary.ScalarFlux {
			cells.Slope = func(x, c [3]int) float64 { return d.slope(cells, x, c) }
		}
	}
	more := d.thickened(d.Rows(box))
	wide := cells.N[1] + 2
	parallel.Pieces(wide*(cells.N[2]+2), rowsOfPiece, func(lo, hi int) {
		inside := make([]bool, d.Cells[0])
		for row := lo; row < hi; row++ {
			y, z := row%wide-1, row/wide-1
			gy, outY := d.locate(1, box.Lo[1]+y)
			gz, outZ := d.locate(2, box.Lo[2]+z)
			types := cells.Type[cells.Index(-1, y, z):][:cells.N[0]+2]
			d.sampleRow(types, inside, box.Lo[0]-1, gy, gz, outY, outZ)
			if outY == 0 && outZ == 0 {
				d.thicken(types, box.Lo[0]-1, more[[2]int{gy, gz}])
			}
		}
	})
	return cells
}

// still reports whether all cells beyond an end of x are walls that are boundary.Cells.Still. It
// queries the domain, not the cells of one rank, since all ranks need the same answer; it returns
// false if edges may belong to a moving wall.
func (d Scene) still(cells boundary.Cells, side int) bool {
	plain := true
	for _, t := range d.types(0, side) {
		if !cells.Still(t) {
			return false
		}
		plain = plain && cells.Plain(t)
	}
	for a := 1; a < 3; a++ {
		for side := range 2 {
			for _, t := range d.types(a, side) {
				// Edges belong to the slower of their walls (see behind), except the edges of moving faces
				// with ghost cells.
				if cells.Wall(t).Law == boundary.MovingFace || !plain && !cells.Still(t) {
					return false
				}
			}
		}
	}
	return true
}

// types returns the types of the walls on a face, including the walls of its parts; none on a periodic axis.
func (d Scene) types(axis, side int) (list []uint8) {
	if d.Periodic[axis] {
		return nil
	}
	for _, t := range append([]uint8{d.Faces[axis][side]}, patchTypes(d.Patches[axis][side])...) {
		if t > 0 { // in 2D the third axis has no faces
			list = append(list, t)
		}
	}
	return list
}

func patchTypes(patches []Patch) (list []uint8) {
	for _, p := range patches {
		list = append(list, p.Type)
	}
	return list
}

// sampleRow fills the types of the cells from x0 on in row (y, z). inside is room for
// a whole row.
func (d Scene) sampleRow(row []uint8, inside []bool, x0, y, z, outY, outZ int) {
	if outY == 0 && outZ == 0 {
		for _, b := range d.Bodies {
			lo, hi := b.Shape.Bounds()
			if float64(y)+0.5 < lo[1] || float64(y)+0.5 > hi[1] || float64(z)+0.5 < lo[2] || float64(z)+0.5 > hi[2] {
				continue
			}
			rowOf(b.Shape, y, z, inside)
			for i := range row {
				if x, out := d.locate(0, x0+i); out == 0 && inside[x] {
					row[i] = b.Type
				}
			}
		}
		for _, i := range []int{0, len(row) - 1} {
			if x, out := d.locate(0, x0+i); out != 0 {
				row[i] = d.behind([3]int{x, y, z}, [3]int{out, 0, 0})
			}
		}
		return
	}
	for i := range row {
		x, out := d.locate(0, x0+i)
		row[i] = d.behind([3]int{x, y, z}, [3]int{out, outY, outZ})
	}
}

// thicken makes marked cells of the row from x0 on solid; a later body wins.
func (d Scene) thicken(row []uint8, x0 int, marks []mark) {
	for _, m := range marks {
		for _, x := range [3]int{m.x - d.Cells[0], m.x, m.x + d.Cells[0]} {
			if i := x - x0; i >= 0 && i < len(row) {
				if _, out := d.locate(0, x); out == 0 {
					row[i] = m.k
				}
			}
		}
	}
}

// locate wraps a global coordinate on a periodic axis and returns on which side
// (-1, +1) it lies outside the domain on the others.
func (d Scene) locate(axis, i int) (at, outside int) {
	n := d.Cells[axis]
	switch {
	case d.Periodic[axis]:
		return ((i % n) + n) % n, 0
	case i < 0:
		return i, -1
	case i >= n:
		return i, 1
	}
	return i, 0
}

// distance of the surface of the body that the solid cell x-c belongs to, from the centre
// of the fluid cell x, in lengths of c; 0 if that is not a body or its surface is not found.
func (d Scene) distance(cells boundary.Cells, x, c [3]int) float64 {
	_, t := d.surface(cells, x, c, [3]float64{})
	if k := cells.At(x[0]-c[0], x[1]-c[1], x[2]-c[2]); t == 0 && d.thickens(k) {
		return 1 // the surface is beyond the centre of a cell that it cuts: no wall can be nearer
	}
	return t
}

// thickens reports whether cells of a type belong to a body with Thicken.
func (d Scene) thickens(k uint8) bool {
	return slices.ContainsFunc(d.Bodies, func(b Body) bool { return b.Thicken && b.Type == k })
}

// surface returns the body that the solid cell x-c belongs to, and the distance of its surface along c, in lengths of c,
// from a position beside the centre of cell x; nil and 0 if the link crosses no surface.
func (d Scene) surface(cells boundary.Cells, x, c [3]int, beside [3]float64) (Shape, float64) {
	k := cells.At(x[0]-c[0], x[1]-c[1], x[2]-c[2])
	for _, b := range d.Bodies {
		if b.Type != k {
			continue
		}
		var p, v [3]float64
		for a := range p {
			at, _ := d.locate(a, cells.Origin[a]+x[a]-c[a])
			p[a], v[a] = float64(at+c[a])+0.5+beside[a], -float64(c[a])
		}
		if t, ok := b.Shape.Hit(p, v); ok {
			return b.Shape, t
		}
	}
	return nil, 0
}

// aside is the distance beside a link, in cells, at which the surface is sampled: large compared with rounding, small
// compared with triangles.
const aside = 1e-4

// slope returns |c.n| of that surface, with the unit vector n normal to it, from the distances of the surface beside the
// link; 0 where they are not found.
func (d Scene) slope(cells boundary.Cells, x, c [3]int) float64 {
	shape, t := d.surface(cells, x, c, [3]float64{})
	if shape == nil {
		return 0
	}
	// Two vectors normal to c, and the gradients of the distance along them: the surface is t(a, b), and
	// so n is along c + |c|^2 (t_a a + t_b b), with a and b of length 1.
	v := [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
	a := across(v)
	b := vector.Cross(v, a)
	length := math.Sqrt(vector.Dot(v, v))
	sum := 1.0
	for _, w := range [][3]float64{scaled(a, 1/math.Sqrt(vector.Dot(a, a))), scaled(b, 1/math.Sqrt(vector.Dot(b, b)))} {
		if d.Cells[2] == 1 && w[2] != 0 {
			continue // a plane has no slope along z
		}
		change, found := 0.0, false
		for _, side := range []float64{aside, -aside} {
			if _, s := d.surface(cells, x, c, scaled(w, side)); s > 0 && !found {
				change, found = (s-t)/side, true
			}
		}
		if !found {
			return 0
		}
		sum += change * change * length * length
	}
	return length / math.Sqrt(sum)
}

// across returns a vector perpendicular to v; along z where v is in the plane x, y, for a plane flow.
func across(v [3]float64) [3]float64 {
	if v[2] == 0 {
		return [3]float64{0, 0, 1}
	}
	if v[1] == 0 {
		return [3]float64{0, 1, 0}
	}
	return [3]float64{0, v[2], -v[1]}
}
func scaled(v [3]float64, f float64) [3]float64 { return [3]float64{f * v[0], f * v[1], f * v[2]} }

// Face returns the type of the cells behind a face, where it meets a cell of the domain.
func (d Scene) Face(axis, side int, cell [3]int) uint8 {
	for _, p := range d.Patches[axis][side] {
		if p.Region.Covers(axis, cell) {
			return p.Type
		}
	}
	return d.Faces[axis][side]
}

// behind returns the type of a cell outside the domain. Behind an edge or a corner
// several faces meet. Walls come before open faces, and these before faces without
// friction. Of walls the slowest wins, because links that end exactly at the edge of a moving one
// would drag the fluid along beyond it (in the lid-driven cavity at Re 100 on 128 x 128 cells the
// extrema are then 1.4 % off, otherwise 0.1 %). The mass gained and lost at the two ends of a
// moving wall cancels. Among equals the slowest axis wins.
func (d Scene) behind(cell, outside [3]int) uint8 {
	for a, n := range d.Cells {
		cell[a] = min(max(cell[a], 0), n-1)
	}
	best, bestRank, bestSpeed := uint8(0), 0, 0.0
	for axis := 2; axis >= 0; axis-- {
		if outside[axis] == 0 {
			continue
		}
		t := d.Face(axis, (outside[axis]+1)/2, cell)
		w := d.Walls[t-1]
		v, _ := boundary.Bare(w.Motion).(boundary.Constant) // other motions count as slow as walls at rest
		speed, rank := math.Hypot(math.Hypot(v[0], v[1]), v[2]), precedence[w.Law]
		if best == 0 || rank < bestRank || rank == bestRank && speed < bestSpeed {
			best, bestRank, bestSpeed = t, rank, speed
		}
	}
	return best
}

// precedence of laws where faces meet: walls first, at rest or not.
var precedence = map[boundary.Law]int{boundary.VelocityFace: 1, boundary.PressureFace: 2, boundary.Outflow: 3, boundary.Slip: 4}
