// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Window is a subset of a grid of cells: whole rows along x at these y and z. Cell (i, j, k) has
// its centre at (i+1/2, j+1/2, k+1/2).
type Window struct {
	Cells [3]int
	Y, Z  []bool // Cells[1] and Cells[2] long
}

// Whole returns the window of all rows.
func Whole(cells [3]int) Window {
	w := Window{cells, make([]bool, cells[1]), make([]bool, cells[2])}
	for i := range w.Y {
		w.Y[i] = true
	}
	for i := range w.Z {
		w.Z[i] = true
	}
	return w
}

// Body is a closed surface as a solid in the cells of a window, and sheets without an inside. It keeps
// only the triangles that can affect such cells: memory does not grow with the rest.
type Body struct {
	cells  [3]int
	y, z   []int32 // number of a row, or -1
	ny, nz int
	tri    [][3][3]float64
	times  []int32 // how often each of tri was added; nil: once each
	start  []int64 // of each row in change
	change []int32 // where the winding number changes: 2 * the first cell behind, +1 when it falls
	lo, hi [3]float64
	tree   tree
	sheet  [][3][3]float64 // triangles that bound no solid
	leaves tree            // of sheet
}

// reach is the distance, in cells, to which a link reaches out of a window.
const reach = 2

// NewBody returns an empty solid; add triangles, then call Close.
func NewBody(w Window) *Body {
	b := &Body{cells: w.Cells}
	b.y, b.ny = number(w.Y)
	b.z, b.nz = number(w.Z)
	for a := range b.lo {
		b.lo[a], b.hi[a] = math.Inf(1), math.Inf(-1)
	}
	return b
}

func number(of []bool) (at []int32, n int) {
	at = make([]int32, len(of))
	for i, in := range of {
		at[i] = -1
		if in {
			at[i] = int32(n)
			n++
		}
	}
	return at, n
}

// largest plausible coordinate, in cells.
const largest = 1e7

// Add adds a triangle in cells. The triangles of a surface may come in any order and
// in any pieces; corners that are one vertex must have the same bits.
func (b *Body) Add(t [3][3]float64) error { return b.add(&b.tri, t) }

// AddSheet adds a triangle that bounds no solid, but that links can cross.
func (b *Body) AddSheet(t [3][3]float64) error { return b.add(&b.sheet, t) }

func (b *Body) add(to *[][3][3]float64, t [3][3]float64) error {
	for _, v := range t {
		for a, x := range v {
			if !(math.Abs(x) < largest) {
				return fmt.Errorf("a vertex of the surface lies %g cells away from the domain", x)
			}
			b.lo[a], b.hi[a] = min(b.lo[a], x), max(b.hi[a], x)
		}
	}
	if near(b.y, t, 1) && near(b.z, t, 2) {
		*to = append(*to, t)
	}
	return nil
}

// near reports whether a triangle is near a row of the window along an axis.
func near(rows []int32, t [3][3]float64, axis int) bool {
	lo := min(t[0][axis], t[1][axis], t[2][axis]) - reach
	hi := max(t[0][axis], t[1][axis], t[2][axis]) + reach
	for i := max(0, int(math.Floor(lo))); i < len(rows) && float64(i) <= hi; i++ {
		if rows[i] >= 0 {
			return true
		}
	}
	return false
}

// Close completes the body. It fails if the surface is not closed.
func (b *Body) Close() error {
	rows := b.ny * b.nz
	b.start = make([]int64, rows+1)
	total := 0
	for i := range b.tri {
		b.scan(&b.tri[i], func(row int, _ float64, _ int) {
			b.start[row+1]++
			total++
		})
		if total > mostChanges+64*rows {
			return tooFolded(total, rows)
		}
	}
	for r := range rows {
		b.start[r+1] += b.start[r]
	}
	b.change = make([]int32, b.start[rows])
	at := slices.Clone(b.start[:rows])
	sum := make([]int32, rows)
	for i := range b.tri {
		b.scan(&b.tri[i], func(row int, x float64, turn int) {
			k := int32(min(max(math.Ceil(x-0.5), 0), float64(b.cells[0])))
			down := int32(0)
			if turn < 0 {
				down = 1
			}
			b.change[at[row]] = 2*k + down
			at[row]++
			sum[row] += int32(turn)
		})
	}
	for row, n := range sum {
		if n != 0 {
			return errors.New("the surface is not closed")
		}
		slices.Sort(b.change[b.start[row]:b.start[row+1]])
	}
	times := b.merge()
	b.tree.build(b.tri)
	for i := range b.tri {
		if times != nil {
			b.times = append(b.times, times[b.tri[i]])
		}
	}
	b.leaves.build(b.sheet)
	return nil
}

// merge keeps one of each triangle and counts them, where rows change more than once at most of their crossings: a line
// through a thousand copies of a part would meet each of them.
func (b *Body) merge() (times map[[3][3]float64]int32) {
	again := 0
	for i := 1; i < len(b.change); i++ {
		if b.change[i] == b.change[i-1] {
			again++
		}
	}
	if 2*again <= len(b.change) {
		return nil
	}
	times = map[[3][3]float64]int32{}
	kept := b.tri[:0]
	for _, t := range b.tri {
		if times[t]++; times[t] == 1 {
			kept = append(kept, t)
		}
	}
	b.tri = slices.Clip(kept)
	return times
}

// mostChanges is the number of places where a surface may cross rows of cells, beside 64
// a row: a solid crosses a row a few times.
const mostChanges = 1 << 24

func tooFolded(changes, rows int) error {
	return fmt.Errorf("the surface crosses %d rows of cells more than %d times: a surface folded this often cannot be voxelized", rows, changes)
}

// scan calls emit for every row of the window whose line through the centres of cells
// passes through the triangle: where, and how the winding number changes there.
//
// The lines of triangles that share an edge meet it at the same bits, for the point is
// computed from the edge alone, from its lower to its upper end; and a line on the
// edge belongs to one side of it by the rule "at or above". So on every line the
// changes add up to zero, whatever the rounding: nothing leaks at edges and corners,
// and no row depends on which other rows a rank has.
func (b *Body) scan(t *[3][3]float64, emit func(row int, x float64, turn int)) {
	zlo, zhi := min(t[0][2], t[1][2], t[2][2]), max(t[0][2], t[1][2], t[2][2])
	for k := max(0, int(math.Ceil(zlo-0.5))); k < len(b.z) && float64(k)+0.5 < zhi; k++ {
		if b.z[k] < 0 {
			continue
		}
		up, down, ok := chord(t, float64(k)+0.5)
		if !ok || up[1] == down[1] {
			continue
		}
		lo, hi, turn := up, down, 1
		if lo[1] > hi[1] {
			lo, hi, turn = down, up, -1
		}
		for j := max(0, int(math.Ceil(lo[1]-0.5))); j < len(b.y) && float64(j)+0.5 < hi[1]; j++ {
			if b.y[j] >= 0 {
				emit(int(b.z[k])*b.ny+int(b.y[j]), between(lo, hi, 1, float64(j)+0.5)[0], turn)
			}
		}
	}
}

// chord returns the points at which the plane at z cuts the triangle: on the rising and on the
// falling edge.
func chord(t *[3][3]float64, z float64) (up, down [3]float64, ok bool) {
	for c := range t {
		p, q := &t[c], &t[(c+1)%3]
		switch below := p[2] <= z; {
		case below == (q[2] <= z):
		case below:
			up, ok = between(*p, *q, 2, z), true
		default:
			down, ok = between(*q, *p, 2, z), true
		}
	}
	return up, down, ok
}

// between returns the point at a coordinate on the line from p to q, which lies above p
// there.
func between(p, q [3]float64, axis int, at float64) [3]float64 {
	f := (at - p[axis]) / (q[axis] - p[axis])
	for a := range p {
		p[a] += f * (q[a] - p[a])
	}
	return p
}

// Bounds returns the box around the whole surface.
func (b *Body) Bounds() (lo, hi [3]float64) { return b.lo, b.hi }

// Row sets inside for the cells of row (y, z) whose centres are inside.
func (b *Body) Row(y, z int, inside []bool) {
	for i := range inside {
		inside[i] = false
	}
	if b.y[y] < 0 || b.z[z] < 0 {
		panic(fmt.Sprintf("mesh: row y = %d, z = %d is not in the window", y, z))
	}
	row := int(b.z[z])*b.ny + int(b.y[y])
	changes := b.change[b.start[row]:b.start[row+1]]
	if len(changes) == 0 {
		return
	}
	wind, k := 0, 0
	for _, c := range changes {
		for ; k < int(c>>1) && k < len(inside); k++ {
			inside[k] = wind != 0
		}
		wind += 1 - 2*int(c&1)
	}
}

// Contains reports whether a point near to the window lies inside, by the rule of Row.
func (b *Body) Contains(x, y, z float64) bool {
	wind := 0
	b.along([3]float64{math.Inf(-1), y, z}, x, func(at float64, turn int) {
		if at <= x {
			wind += turn
		}
	})
	return wind != 0
}

// Along reports where the line along x at y and z, near to the window, crosses the surface: a point lies inside, by the rule of
// Row, where the turns of the crossings at or before its x do not add up to 0.
func (b *Body) Along(y, z float64, use func(x float64, turn int)) {
	b.along([3]float64{math.Inf(-1), y, z}, math.Inf(1), use)
}

// along visits crossings of the line from a point to x; some beyond may be among them.
func (b *Body) along(from [3]float64, x float64, use func(x float64, turn int)) {
	y, z := from[1], from[2]
	b.tree.visit(from, [3]float64{x, y, z}, func(i int) {
		t := &b.tri[i]
		up, down, ok := chord(t, z)
		if !ok {
			return
		}
		lo, hi, turn := up, down, 1
		if lo[1] > hi[1] {
			lo, hi, turn = down, up, -1
		}
		if lo[1] <= y && y < hi[1] {
			if b.times != nil {
				turn *= int(b.times[i])
			}
			use(between(lo, hi, 1, y)[0], turn)
		}
	})
}

// touch is the rounding of a position, in links; least the length of the shortest link.
const (
	touch = 1e-9
	least = 1e-9
)

// Hit returns the first t in (0, 1] at which the segment from p, a point outside, to p + t d
// meets the surface.
func (b *Body) Hit(p, d [3]float64) (t float64, ok bool) {
	// A segment that passes exactly through an edge may miss both triangles by rounding:
	// the second search takes all that are near.
	for _, slack := range [2]float64{1e-12, 1e-7} {
		t := min(b.tree.first(b.tri, p, d, -touch, 1+touch, slack), b.leaves.first(b.sheet, p, d, -touch, 1+touch, slack))
		if t <= 1+touch {
			return min(max(t, least), 1), true
		}
	}
	// A part of zero thickness that contains the segment gives no intersection: Contains decides.
	in := func(t float64) bool { return b.Contains(p[0]+t*d[0], p[1]+t*d[1], p[2]+t*d[2]) }
	if !in(1) {
		return 0, false
	}
	lo, hi := 0., 1.
	for hi-lo > least {
		if mid := (lo + hi) / 2; in(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}

// onEdge is the enlargement of triangles, as a share of their size, that lets no line pass between two
// that share an edge.
const onEdge = 1e-7

// Sheet returns the parameter at which the segment first crosses a sheet.
func (b *Body) Sheet(p, d [3]float64) (t float64, ok bool) {
	t = b.leaves.first(b.sheet, p, d, -touch, 1+touch, onEdge)
	return min(max(t, 0), 1), t <= 1+touch
}

// Crossings appends all places where the segment meets the surface to ts; on an edge it may meet both triangles.
func (b *Body) Crossings(p, d [3]float64, ts []float64) []float64 {
	for k, t := range [2]*tree{&b.tree, &b.leaves} {
		tri := [2][][3][3]float64{b.tri, b.sheet}[k]
		t.along(p, d, func(i int) {
			if t, ok := meet(&tri[i], p, d, onEdge); ok && t >= 0 && t <= 1 {
				ts = append(ts, t)
			}
		})
	}
	return ts
}
