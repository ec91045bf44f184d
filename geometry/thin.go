// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"slices"

	"lbmsim/internal/parallel"
)

// Lattice links that pass through a body between two fluid cells: there the body is thinner than the
// cell spacing, and fluid leaks through it as through a hole.

// Half returns one of each pair of opposite directions of a lattice: the first component that is not
// zero is positive.
func Half(velocities [][3]int) (links [][3]int) {
	for _, c := range velocities {
		if c[0] > 0 || c[0] == 0 && (c[1] > 0 || c[1] == 0 && c[2] > 0) {
			links = append(links, c)
		}
	}
	return links
}

// sheet is a shape with parts of no thickness, which contain no point: Sheet returns where a segment
// first meets one.
type sheet interface {
	Sheet(p, d [3]float64) (t float64, ok bool)
}

// through reports whether the segment from p to p + d passes through the shape or a sheet of it, and the
// middle of the part inside.
func through(s Shape, p, d [3]float64) (mid float64, ok bool) {
	if s, has := s.(sheet); has {
		if t, ok := s.Sheet(p, d); ok {
			return t, true
		}
	}
	var buffer [16]float64
	ts := append(s.Crossings(p, d, buffer[:0]), 0, 1)
	slices.Sort(ts)
	first, last := math.Inf(1), math.Inf(-1)
	for k := range ts[1:] {
		if lo, hi := ts[k], ts[k+1]; hi-lo > touch && holds(s, at(p, d, (lo+hi)/2)) {
			first, last = min(first, lo), max(last, hi)
		}
	}
	return (first + last) / 2, first < last
}

// thin searches for the links that pass through one body of a domain.
type thin struct {
	d      Scene
	body   Body
	near   []Shape // all bodies whose bounds are near this one
	lo, hi [3]float64
	two    map[[3]int][][3]int // first of two links that together replace one
}

func (d Scene) thin(b int) *thin {
	t := &thin{d: d, body: d.Bodies[b], two: map[[3]int][][3]int{}}
	t.lo, t.hi = t.body.Shape.Bounds()
	const beside = around + 3 // cells: links of a path round it, and some rounding
	for _, o := range d.Bodies {
		lo, hi := o.Shape.Bounds()
		apart := false
		for a := range lo {
			apart = apart || lo[a] > t.hi[a]+beside || hi[a] < t.lo[a]-beside
		}
		if !apart {
			t.near = append(t.near, o.Shape)
		}
	}
	all := map[[3]int]bool{}
	for _, c := range d.Links {
		all[c], all[[3]int{-c[0], -c[1], -c[2]}] = true, true
	}
	for _, c := range d.Links {
		for _, e := range d.Links {
			for _, first := range [][3]int{e, {-e[0], -e[1], -e[2]}} {
				if all[minus(c, first)] {
					t.two[c] = append(t.two[c], first)
				}
			}
		}
	}
	return t
}

func plus(a, b [3]int) [3]int  { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func minus(a, b [3]int) [3]int { return [3]int{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// centre of a cell.
func centre(x [3]int) [3]float64 {
	return [3]float64{float64(x[0]) + 0.5, float64(x[1]) + 0.5, float64(x[2]) + 0.5}
}

// floats returns a link as a vector.
func floats(c [3]int) [3]float64 { return [3]float64{float64(c[0]), float64(c[1]), float64(c[2])} }

// within reports whether a cell lies in the domain itself, not in a periodic image.
func (d Scene) within(x [3]int) bool {
	for a, n := range d.Cells {
		if x[a] < 0 || x[a] >= n {
			return false
		}
	}
	return true
}

// fluid reports whether the cell, or the cell of which it is a periodic image, is in no body.
func (t *thin) fluid(x [3]int) bool {
	shapes := t.near
	if !t.d.within(x) {
		for a := range x {
			var out int
			if x[a], out = t.d.locate(a, x[a]); out != 0 {
				return false
			}
		}
		shapes = nil
		for _, b := range t.d.Bodies {
			shapes = append(shapes, b.Shape)
		}
	}
	p := centre(x)
	return !slices.ContainsFunc(shapes, func(s Shape) bool {
		lo, hi := s.Bounds()
		for a := range p {
			if p[a] < lo[a] || p[a] > hi[a] {
				return false
			}
		}
		return holds(s, p)
	})
}

// passes reports whether fluid passes through the body along the link c from cell x: both ends are fluid, the
// body is between, and no third cell gives a path around it in two links. The corner of a thick body, cut by a
// diagonal link, has such a cell.
func (t *thin) passes(x, c [3]int) (mid float64, ok bool) {
	mid, ok = through(t.body.Shape, centre(x), floats(c))
	if !ok || !t.fluid(x) || !t.fluid(plus(x, c)) {
		return mid, false
	}
	for _, first := range t.two[c] {
		between := plus(x, first)
		if t.d.within(between) && t.fluid(between) && t.free(x, first) && t.free(between, minus(c, first)) {
			return mid, false
		}
	}
	return mid, true
}

// cut reports whether a cell is in the body beyond the end of the domain, which truncates it: its periodic image is not
// solid, and a link that ends there has met the body's end, however thick the body is.
func (t *thin) cut(x [3]int) bool { return !t.d.within(x) && holds(t.body.Shape, centre(x)) }

// free reports whether the link c from cell x passes through no body.
func (t *thin) free(x, c [3]int) bool {
	return !slices.ContainsFunc(t.near, func(s Shape) bool {
		_, ok := through(s, centre(x), floats(c))
		return ok
	})
}

// links visits the links that cross the body's surface, each once, whose lower end lies in a block of
// cells, which may lie beyond the faces of the domain. It follows one in stride squared of the cell lines
// along each direction.
func (t *thin) links(from, to [3]int, stride int, visit func(x, c [3]int)) {
	for _, l := range t.rows(from, to, stride) {
		t.line(l.x, l.c, l.n, visit)
	}
}

// row is a line of n cells from x along c.
type row struct {
	x, c [3]int
	n    int
}

// rows returns the lines that links follows.
func (t *thin) rows(from, to [3]int, stride int) (list []row) {
	for a := range from { // cells from which a link of one cell may start
		from[a] = max(from[a], int(math.Floor(max(t.lo[a], -unbounded)))-2)
		to[a] = min(to[a], int(math.Ceil(min(t.hi[a], unbounded)))+2)
		if to[a] <= from[a] {
			return nil
		}
	}
	for _, c := range t.d.Links {
		starts(from, to, c, stride, func(x [3]int) {
			n := math.MaxInt
			for a := range x {
				switch {
				case c[a] > 0:
					n = min(n, to[a]-x[a])
				case c[a] < 0:
					n = min(n, x[a]-from[a]+1)
				}
			}
			list = append(list, row{x, c, n})
		})
	}
	return list
}

// starts visits the cells of a block from which lines along c begin: the preceding cell is not in it. A stride selects
// lines independently of the block.
func starts(from, to, c [3]int, stride int, visit func(x [3]int)) {
	first := 0
	for c[first] == 0 {
		first++
	}
	u, v := Along(first)
	for a := range c {
		if c[a] == 0 {
			continue
		}
		lo, hi := from, to // the face where c enters, without cells visited from faces of earlier axes
		if c[a] > 0 {
			hi[a] = from[a] + 1
		} else {
			lo[a] = to[a] - 1
		}
		for b := range a {
			if c[b] > 0 {
				lo[b]++
			} else if c[b] < 0 {
				hi[b]--
			}
		}
		var x [3]int
		for x[first] = lo[first]; x[first] < hi[first]; x[first]++ {
			for x[u] = next(lo[u], c[u]*x[first], stride); x[u] < hi[u]; x[u] += stride {
				for x[v] = next(lo[v], c[v]*x[first], stride); x[v] < hi[v]; x[v] += stride {
					visit(x)
				}
			}
		}
	}
}

// next returns the smallest number from lo on that differs from other by a multiple of stride.
func next(lo, other, stride int) int {
	return lo + ((other-lo)%stride+stride)%stride
}

// line visits the links of a line of n cells from x along c that cross the surface.
func (t *thin) line(x, c [3]int, n int, visit func(x, c [3]int)) {
	const before = 0.5 // a surface at a centre is met, too
	p := at(centre(x), floats(c), -before)
	length := float64(n) + 2*before
	var buffer [16]float64
	var places [32]int
	at := places[:0]
	for _, s := range t.body.Shape.Crossings(p, scaled(floats(c), length), buffer[:0]) {
		s = s*length - before
		for _, k := range [2]float64{math.Floor(s - rounding), math.Floor(s + rounding)} {
			if k >= 0 && k < float64(n) {
				at = append(at, int(k))
			}
		}
	}
	slices.Sort(at)
	for _, k := range slices.Compact(at) {
		visit([3]int{x[0] + k*c[0], x[1] + k*c[1], x[2] + k*c[2]}, c)
	}
}

// rounding of a position on a long line, in links.
const rounding = 1e-6

// mark is a cell of a row that a thickened body makes solid.
type mark struct {
	x int
	k uint8
}

// thickened finds, for the rows of a box and of the layer around it, the cells that bodies with Thicken occupy in addition
// to those whose centres they contain: for each link that passes through, the end nearer to the middle of the section
// inside. Then no link between two fluid cells passes through the body, except links with a path around: a body that closes
// a channel in space closes it for the populations, and a plate becomes the thinnest closed one, the digital plane of the
// lattice's directions (Cohen-Or & Kaufman, Graphical Models and Image Processing 57 (1995) 453, for rays of voxels). Each
// link is judged separately, so that the decomposition does not matter.
func (d Scene) thickened(rows [2][]bool) map[[2]int][]mark {
	found := map[[2]int][]mark{}
	for i, b := range d.Bodies {
		if !b.Thicken {
			continue
		}
		t := d.thin(i)
		took := map[[3]int]bool{}
		for _, z := range runs(rows[1]) {
			for _, y := range runs(rows[0]) {
				from, to := [3]int{-1, y[0] - 1, z[0] - 1}, [3]int{d.Cells[0], y[1] + 1, z[1] + 1}
				t.links(from, to, 1, func(x, c [3]int) {
					if cell, ok := t.takes(x, c); ok && !took[cell] {
						took[cell] = true
						row := [2]int{cell[1], cell[2]}
						found[row] = append(found[row], mark{cell[0], b.Type})
					}
				})
			}
		}
	}
	return found
}

// Takes reports, for a body with Thicken in its own domain, whether a cell becomes solid because a link passes through the body.
func (d Scene) Takes(b int) func(cell [3]int) bool {
	t := d.thin(b)
	return func(cell [3]int) bool {
		for a, x := range centre(cell) {
			if x < t.lo[a]-1 || x > t.hi[a]+1 {
				return false
			}
		}
		for _, c := range d.Links {
			for _, x := range [2][3]int{cell, minus(cell, c)} {
				if taken, ok := t.takes(x, c); ok && taken == cell {
					return true
				}
			}
		}
		return false
	}
}

// TakesAny reports whether Takes holds for any cell on a sample of the lines that Thin follows; if the sample is incomplete,
// it returns true.
func (d Scene) TakesAny(b int) bool {
	t := d.thin(b)
	stride, any := t.stride(), false
	if stride > 1 {
		return true
	}
	t.links([3]int{-1, -1, -1}, plus(d.Cells, [3]int{1, 1, 1}), stride, func(x, c [3]int) {
		if !any {
			_, any = t.takes(x, c)
		}
	})
	return any
}

// takes returns the end of a link that a body with Thicken occupies, if any.
func (t *thin) takes(x, c [3]int) (cell [3]int, ok bool) {
	mid, ok := t.passes(x, c)
	switch y := plus(x, c); {
	case !ok:
		return cell, false
	case !t.d.within(x):
		return y, t.d.within(y)
	case !t.d.within(y):
		return x, true
	case t.nearer(x, c, mid):
		return x, true
	default:
		return y, true
	}
}

// nearer reports whether the lower end of a link is nearer to the middle of the section inside. At equal distances all
// links along the surface have to choose the same side: they choose as if the body were shifted slightly.
func (t *thin) nearer(x, c [3]int, mid float64) bool {
	const tie = 1e-6
	if math.Abs(mid-0.5) < tie {
		p := centre(x)
		for a, by := range [3]float64{1, 0.618, 0.382} {
			p[a] += 10 * tie * by
		}
		if moved, ok := through(t.body.Shape, p, floats(c)); ok {
			mid = moved
		}
	}
	return mid <= 0.5
}

// runs of true: from <= i < to.
func runs(of []bool) (list [][2]int) {
	for i, in := range of {
		if n := len(list); in && n > 0 && list[n-1][1] == i {
			list[n-1][1]++
		} else if in {
			list = append(list, [2]int{i, i + 1})
		}
	}
	return list
}

// Thin measures the parts of a body that are thinner than the cell spacing.
type Thin struct {
	Through int // links that pass through it, between two fluid cells
	Stopped int // links between a fluid cell and a cell of the body
	Least   float64
	At      [3]float64 // thinnest position at which links pass through
	// Closed: somewhere there is no path of links around it either. Sharp edges leak on every grid, but
	// only in the few cells where they are thin.
	Closed bool
}

// Share of the links that meet the body and pass through it: one passing link replaces two that end, one on each side.
func (t Thin) Share() float64 {
	if t.Through == 0 {
		return 0
	}
	return float64(t.Through) / (float64(t.Through) + float64(t.Stopped)/2)
}

// leakShare of links: edges that taper to nothing leak 1 to 4 %, on bodies of 60 cells.
const leakShare = 0.05

// Leaks reports whether more than the sharp edges of a body leak.
func (t Thin) Leaks() bool { return t.Closed || t.Share() > leakShare }

// mostLines is the approximate number of cell lines along each direction that Thin follows through all
// bodies, and leastLines through each body; it samples if there are more.
const (
	mostLines  = 1 << 14
	leastLines = 1 << 5
)

// effort returns the cost of a line through a shape, relative to a line through a simple one.
func effort(s Shape) (n int) {
	switch s := s.(type) {
	case Moved:
		return effort(s.Shape)
	case Combination:
		for _, p := range s.Parts {
			n += effort(p)
		}
		return n
	case *Voxels:
		return 1 << 8
	}
	return 1
}

// resolvedVoxels reports whether a shape is an image whose voxels are at least as large as cells: no part of it is
// thinner.
func resolvedVoxels(s Shape) bool {
	m, ok := s.(Moved)
	if !ok {
		return false
	}
	v, ok := m.Shape.(*Voxels)
	return ok && m.Motion.Scale*min(v.Spacing[0], v.Spacing[1], v.Spacing[2]) > 1-rounding
}

// mostPaths is the number of links for which it searches a path around the body.
const mostPaths = 16

// Thin searches for links that pass through body b; the rest of the domain is not needed.
func (d Scene) Thin(b int) (found Thin) {
	t := d.thin(b)
	if resolvedVoxels(t.body.Shape) {
		return found
	}
	stride := t.stride()
	rows := t.rows([3]int{}, d.Cells, stride)
	const piece = 64
	parts := make([]passing, parallel.Count(len(rows), piece))
	parallel.Pieces(len(rows), piece, func(lo, hi int) {
		for _, l := range rows[lo:hi] {
			t.line(l.x, l.c, l.n, func(x, c [3]int) { parts[lo/piece].add(t, x, c) })
		}
	})
	var passing [][2][3]int
	for _, part := range parts {
		if part.Through > 0 && (found.Through == 0 || part.Least < found.Least) {
			found.Least, found.At = part.Least, part.At
		}
		found.Through, found.Stopped = found.Through+part.Through, found.Stopped+part.Stopped
		passing = append(passing, part.links...)
	}
	for k := 0; k < min(mostPaths, len(passing)) && !found.Leaks(); k++ {
		l := passing[k*len(passing)/min(mostPaths, len(passing))]
		found.Closed = !t.round(l[0], plus(l[0], l[1]))
	}
	return found
}

// passing holds the findings on a thin body from some cell lines, and the links that pass through it: a cell and a
// direction.
type passing struct {
	Thin
	links [][2][3]int
}

// add examines a link that crosses the body's surface.
func (p *passing) add(t *thin, x, c [3]int) {
	if mid, ok := t.passes(x, c); ok && !t.cut(plus(x, c)) {
		q := at(centre(x), floats(c), mid)
		if w := t.thickness(q); p.Through == 0 || w < p.Least {
			p.Least, p.At = w, q
		}
		p.Through++
		p.links = append(p.links, [2][3]int{x, c})
		return
	}
	y := plus(x, c)
	first, second := holds(t.body.Shape, centre(x)), holds(t.body.Shape, centre(y))
	if first != second && (first && t.fluid(y) || second && t.fluid(x)) {
		p.Stopped++
	}
}

// around is the largest distance, in cells, of a path around a sharp edge.
const around = 10

// round reports whether a path of links between nearby fluid cells connects two of them without passing
// through a body.
func (t *thin) round(from, to [3]int) bool {
	seen := map[[3]int]bool{from: true}
	for stack := [][3]int{from}; len(stack) > 0; {
		x := stack[0]
		stack = stack[1:]
		for _, c := range t.d.Links {
			for _, y := range [2][3]int{plus(x, c), minus(x, c)} {
				away := minus(y, from)
				if seen[y] || max(away[0], -away[0], away[1], -away[1], away[2], -away[2]) > around || !t.d.within(y) || !t.fluid(y) || !t.free(x, minus(y, x)) {
					continue
				}
				if y == to {
					return true
				}
				seen[y] = true
				stack = append(stack, y)
			}
		}
	}
	return false
}

// stride returns the spacing of the lines of cells that Thin follows, along each of two axes.
func (t *thin) stride() int {
	stride := 1
	for most := max(leastLines, mostLines/(len(t.d.Bodies)*effort(t.body.Shape))); t.lines(stride) > float64(most); {
		stride++
	}
	return stride
}

// lines of cells along the axes near the body.
func (t *thin) lines(stride int) float64 {
	var size [3]float64
	for a, n := range t.d.Cells {
		size[a] = (max(min(t.hi[a], float64(n))-max(t.lo[a], 0), 0) + 1) / float64(stride)
	}
	return max(size[0]*size[1], size[1]*size[2], size[2]*size[0])
}

// thickness of the body around a point in it, in cells: exact for a plate, from the lengths l = w/|n| of lines
// along the axes inside.
func (t *thin) thickness(p [3]float64) float64 {
	const reach = 4
	sum := 0.0
	for a := range p {
		if t.d.Cells[a] == 1 {
			continue // in 2D there is no thickness along z
		}
		var d [3]float64
		d[a] = 2 * reach
		from := p
		from[a] -= reach
		below, above := math.Inf(-1), math.Inf(1)
		for _, s := range t.body.Shape.Crossings(from, d, nil) {
			if s = (s - 0.5) * 2 * reach; s <= touch {
				below = max(below, s)
			}
			if s >= -touch {
				above = min(above, s)
			}
		}
		if l := above - below; l > 0 {
			sum += 1 / (l * l)
		} else {
			return 0
		}
	}
	if sum == 0 {
		return math.Inf(1)
	}
	return 1 / math.Sqrt(sum)
}
