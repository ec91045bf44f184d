// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/decomp"
	"lbmsim/internal/vector"
)

// Combinations of shapes, and shapes that sample whole rows of cells at a time.

// rower is a shape that reports for a row of cells along x which have their centre
// inside: inside[i] is cell (i, y, z).
type rower interface {
	Row(y, z int, inside []bool)
}

// liner is a shape that reports where a line along x crosses its surface, in any order: a point is inside if the turns of
// the crossings at or before its x do not add up to 0.
type liner interface {
	Along(y, z float64, use func(x float64, turn int))
}

// rowOf samples a row of any shape.
func rowOf(s Shape, y, z int, inside []bool) {
	if r, ok := s.(rower); ok {
		r.Row(y, z, inside)
		return
	}
	clear(inside)
	if m, ok := s.(Moved); ok && m.Motion.upright() {
		if l, ok := m.Shape.(liner); ok {
			m.rowAlong(l, y, z, inside)
			return
		}
	}
	lo, hi := s.Bounds()
	py, pz := float64(y)+0.5, float64(z)+0.5
	if py < lo[1] || py > hi[1] || pz < lo[2] || pz > hi[2] {
		return
	}
	// One more cell at each end: Contains decides, however the bounds are rounded.
	from, to := int(max(0, math.Floor(lo[0])-1)), int(min(float64(len(inside)), math.Ceil(hi[0])+1))
	for i := from; i < to; i++ {
		inside[i] = s.Contains(float64(i)+0.5, py, pz)
	}
}

// Operation combines shapes.
type Operation int

const (
	Union        Operation = iota // points in any part
	Intersection                  // points in all parts
	Difference                    // points in the first part alone
)

// Combination is a shape composed of others.
type Combination struct {
	Operation Operation
	Parts     []Shape // at least one
}

// Contains reports whether the point lies in the combination.
func (c Combination) Contains(x, y, z float64) bool {
	in := c.Parts[0].Contains(x, y, z)
	for _, p := range c.Parts[1:] {
		switch {
		case c.Operation == Union && in:
			return true
		case c.Operation != Union && !in:
			return false
		}
		in = p.Contains(x, y, z) != (c.Operation == Difference)
	}
	return in
}

// Bounds returns a box around the combination.
func (c Combination) Bounds() (lo, hi [3]float64) {
	lo, hi = c.Parts[0].Bounds()
	for _, p := range c.Parts[1:] {
		l, h := p.Bounds()
		for a := range lo {
			switch c.Operation {
			case Union:
				lo[a], hi[a] = min(lo[a], l[a]), max(hi[a], h[a])
			case Intersection:
				lo[a], hi[a] = max(lo[a], l[a]), min(hi[a], h[a])
			}
		}
	}
	return lo, hi
}

// Hit returns the parameter at which the segment enters the combination.
func (c Combination) Hit(p, d [3]float64) (float64, bool) { return firstHit(c, p, d) }

// Crossings appends the crossings of all parts.
func (c Combination) Crossings(p, d [3]float64, ts []float64) []float64 {
	for _, o := range c.Parts {
		ts = o.Crossings(p, d, ts)
	}
	return ts
}

// Row combines the rows of the parts.
func (c Combination) Row(y, z int, inside []bool) {
	rowOf(c.Parts[0], y, z, inside)
	other := make([]bool, len(inside))
	for _, p := range c.Parts[1:] {
		rowOf(p, y, z, other)
		for i, in := range other {
			switch c.Operation {
			case Union:
				inside[i] = inside[i] || in
			case Intersection:
				inside[i] = inside[i] && in
			case Difference:
				inside[i] = inside[i] && !in
			}
		}
	}
}

// Motion scales about the origin, then rotates about it, then translates.
type Motion struct {
	Scale float64
	Turn  [3][3]float64 // a rotation
	Shift [3]float64
}

// NewMotion turns by angles in degrees about x, then y, then z: the right-hand rule.
func NewMotion(scale float64, degrees, shift [3]float64) Motion {
	m := Motion{Scale: scale, Shift: shift, Turn: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	for a, angle := range degrees {
		sin, cos := sincos(angle)
		b, c := (a+1)%3, (a+2)%3
		for k := range m.Turn {
			u, v := m.Turn[b][k], m.Turn[c][k]
			m.Turn[b][k], m.Turn[c][k] = cos*u-sin*v, sin*u+cos*v
		}
	}
	return m
}

// sincos of degrees, exact at right angles: a face rotated by these stays flat.
func sincos(degrees float64) (sin, cos float64) {
	switch math.Mod(math.Mod(degrees, 360)+360, 360) {
	case 0:
		return 0, 1
	case 90:
		return 1, 0
	case 180:
		return 0, -1
	case 270:
		return -1, 0
	}
	return math.Sincos(degrees * math.Pi / 180)
}

// Apply moves a point.
func (m Motion) Apply(p [3]float64) (q [3]float64) {
	for a := range q {
		q[a] = m.Scale*vector.Dot(m.Turn[a], p) + m.Shift[a]
	}
	return q
}

// back rotates a direction back: the inverse of a rotation is its transpose.
func (m Motion) back(d [3]float64) (q [3]float64) {
	for a := range q {
		q[a] = (m.Turn[0][a]*d[0] + m.Turn[1][a]*d[1] + m.Turn[2][a]*d[2]) / m.Scale
	}
	return q
}

// Moved is a shape after a motion.
type Moved struct {
	Shape  Shape
	Motion Motion
}

// Contains reports whether the point lies in the moved shape.
func (m Moved) Contains(x, y, z float64) bool {
	return holds(m.Shape, m.Motion.back(vector.Minus([3]float64{x, y, z}, m.Motion.Shift)))
}

// Bounds returns the box around the moved bounds.
func (m Moved) Bounds() (lo, hi [3]float64) {
	box := [2][3]float64{}
	box[0], box[1] = m.Shape.Bounds()
	for k := range 8 {
		p := m.Motion.Apply([3]float64{box[k&1][0], box[k>>1&1][1], box[k>>2][2]})
		for a := range p {
			x := min(max(p[a], -unbounded), unbounded)
			if k == 0 {
				lo[a], hi[a] = x, x
			}
			lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
		}
	}
	return lo, hi
}

// Hit returns the parameter at which the segment enters the moved shape: t is the same before the motion.
func (m Moved) Hit(p, d [3]float64) (float64, bool) {
	return m.Shape.Hit(m.Motion.back(vector.Minus(p, m.Motion.Shift)), m.Motion.back(d))
}

// Crossings appends the crossings of the shape before the motion.
func (m Moved) Crossings(p, d [3]float64, ts []float64) []float64 {
	return m.Shape.Crossings(m.Motion.back(vector.Minus(p, m.Motion.Shift)), m.Motion.back(d), ts)
}

// upright reports whether a motion preserves the axes.
func (m Motion) upright() bool { return m.Turn == [3][3]float64{{1}, {0, 1}, {0, 0, 1}} }

// rowAlong implements rowOf by the crossings of one line.
func (m Moved) rowAlong(l liner, y, z int, inside []bool) {
	type crossing struct {
		x    float64
		turn int
	}
	var list []crossing
	at := func(x int) [3]float64 {
		return m.Motion.back(vector.Minus([3]float64{float64(x) + 0.5, float64(y) + 0.5, float64(z) + 0.5}, m.Motion.Shift))
	}
	line := at(0)
	l.Along(line[1], line[2], func(x float64, turn int) { list = append(list, crossing{x, turn}) })
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	wind, k := 0, 0
	for i := range inside {
		for x := at(i)[0]; k < len(list) && list[k].x <= x; k++ {
			wind += list[k].turn
		}
		inside[i] = wind != 0
	}
}

// Finer returns a shape in cells of a level of refined grids, each level's half as wide as the coarser level's. In two dimensions z is the
// z of the cells' centres on all levels.
func Finer(s Shape, level, dims int) Shape {
	if level == 0 {
		return s
	}
	m := NewMotion(float64(int(1)<<level), [3]float64{}, [3]float64{})
	if dims == 2 {
		m.Shift[2] = 0.5 * (1 - m.Scale)
	}
	return Moved{Shape: s, Motion: m}
}

// After returns the motion that applies first, then m.
func (m Motion) After(first Motion) Motion {
	out := Motion{Scale: m.Scale * first.Scale, Shift: m.Apply(first.Shift)}
	for a := range out.Turn {
		for b := range out.Turn {
			for k := range 3 {
				out.Turn[a][b] += m.Turn[a][k] * first.Turn[k][b]
			}
		}
	}
	return out
}

// Rows reports which rows of cells Sample queries: along y and along z.
func (d Scene) Rows(box decomp.Box) (rows [2][]bool) {
	for k := range rows {
		axis := k + 1
		rows[k] = make([]bool, d.Cells[axis])
		for i := box.Lo[axis] - 1; i <= box.Hi[axis]; i++ {
			if at, out := d.locate(axis, i); out == 0 {
				rows[k][at] = true
			}
		}
	}
	return rows
}
