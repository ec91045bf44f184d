// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mesh

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"lbmsim/internal/vector"
)

// tree is a bounding volume hierarchy: triangles in the order of a space-filling curve,
// four to a leaf, under a complete binary tree of boxes. It needs no pointers and is
// built in the time of a sort (Lauterbach et al., Fast BVH Construction on GPUs, 2009,
// without the GPU).
type tree struct {
	n      int
	leaves int // a power of two
	box    [][2][3]float64
}

const leafSize = 4

// build sorts the triangles.
func (t *tree) build(tri [][3][3]float64) {
	t.n = len(tri)
	if t.n == 0 {
		return
	}
	lo, hi := tri[0][0], tri[0][0]
	for i := range tri {
		for _, v := range tri[i] {
			for a, x := range v {
				lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
			}
		}
	}
	keys := make([]place, t.n)
	for i := range tri {
		keys[i] = place{curve(&tri[i], lo, hi), int32(i)}
	}
	slices.SortFunc(keys, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.tri, b.tri))
	})
	permute(tri, keys)
	t.leaves = 1 << bits.Len(uint((t.n-1)/leafSize))
	t.box = make([][2][3]float64, 2*t.leaves)
	inf := math.Inf(1)
	for k := range t.box {
		t.box[k] = [2][3]float64{{inf, inf, inf}, {-inf, -inf, -inf}}
	}
	for i := range tri {
		b := &t.box[t.leaves+i/leafSize]
		for _, v := range tri[i] {
			for a, x := range v {
				b[0][a], b[1][a] = min(b[0][a], x), max(b[1][a], x)
			}
		}
	}
	for k := t.leaves - 1; k > 0; k-- {
		l, r := &t.box[2*k], &t.box[2*k+1]
		for a := range 3 {
			t.box[k][0][a], t.box[k][1][a] = min(l[0][a], r[0][a]), max(l[1][a], r[1][a])
		}
	}
}

// position of a triangle on the curve.
type place struct {
	key uint64
	tri int32
}

// permute moves triangle keys[i].tri to index i, in place: each cycle is followed once.
func permute(tri [][3][3]float64, keys []place) {
	const done = -1
	for i := range keys {
		if keys[i].tri == done {
			continue
		}
		kept, at := tri[i], i
		for {
			from := int(keys[at].tri)
			keys[at].tri = done
			if from == i {
				tri[at] = kept
				break
			}
			tri[at] = tri[from]
			at = from
		}
	}
}

// curve returns the position of a triangle's centre on Morton's curve, with 21 bits per axis.
func curve(t *[3][3]float64, lo, hi [3]float64) (key uint64) {
	const steps = 1 << 21
	for a := range 3 {
		if size := hi[a] - lo[a]; size > 0 {
			mid := ((t[0][a]+t[1][a]+t[2][a])/3 - lo[a]) / size
			key |= spread(uint64(min(max(mid*steps, 0), steps-1))) << a
		}
	}
	return key
}

// spread puts two zeros between the 21 bits of x.
func spread(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}

// visit calls do for the triangles in leaves that touch a box.
func (t *tree) visit(lo, hi [3]float64, do func(i int)) {
	if t.n == 0 {
		return
	}
	var stack [64]int32
	stack[0] = 1
	for n := 1; n > 0; {
		n--
		k := int(stack[n])
		b := &t.box[k]
		if b[0][0] > hi[0] || b[1][0] < lo[0] || b[0][1] > hi[1] || b[1][1] < lo[1] || b[0][2] > hi[2] || b[1][2] < lo[2] {
			continue
		}
		if k < t.leaves {
			stack[n], stack[n+1] = int32(2*k), int32(2*k+1)
			n += 2
			continue
		}
		for i := (k - t.leaves) * leafSize; i < min((k-t.leaves+1)*leafSize, t.n); i++ {
			do(i)
		}
	}
}

// along calls do for the triangles in leaves near the segment from p to p + d.
func (t *tree) along(p, d [3]float64, do func(i int)) {
	if t.n == 0 {
		return
	}
	var stack [64]int32
	stack[0] = 1
	for n := 1; n > 0; {
		n--
		k := int(stack[n])
		if !touches(&t.box[k], p, d, 0, 1) {
			continue
		}
		if k < t.leaves {
			stack[n], stack[n+1] = int32(2*k), int32(2*k+1)
			n += 2
			continue
		}
		for i := (k - t.leaves) * leafSize; i < min((k-t.leaves+1)*leafSize, t.n); i++ {
			do(i)
		}
	}
}

// first returns the smallest t in from..to at which p + t d meets a triangle; more than to if none
// is met.
func (t *tree) first(tri [][3][3]float64, p, d [3]float64, from, to, slack float64) float64 {
	best := math.Nextafter(to, math.Inf(1))
	if t.n == 0 {
		return best
	}
	var stack [64]int32
	stack[0] = 1
	for n := 1; n > 0; {
		n--
		k := int(stack[n])
		if !touches(&t.box[k], p, d, from, best) {
			continue
		}
		if k < t.leaves {
			stack[n], stack[n+1] = int32(2*k), int32(2*k+1)
			n += 2
			continue
		}
		for i := (k - t.leaves) * leafSize; i < min((k-t.leaves+1)*leafSize, t.n); i++ {
			if at, ok := meet(&tri[i], p, d, slack); ok && at >= from && at < best {
				best = at
			}
		}
	}
	return best
}

// touches reports whether the part from..to of the line is within rounding of a box.
func touches(b *[2][3]float64, p, d [3]float64, from, to float64) bool {
	const around = 1e-6    // cells
	if b[0][0] > b[1][0] { // no triangle is in it
		return false
	}
	for a := range p {
		lo, hi := b[0][a]-around-p[a], b[1][a]+around-p[a]
		if d[a] == 0 {
			if lo > 0 || hi < 0 {
				return false
			}
			continue
		}
		lo, hi = lo/d[a], hi/d[a]
		from, to = max(from, min(lo, hi)), min(to, max(lo, hi))
	}
	return from <= to
}

// meet returns the t at which the line p + t d meets a triangle (Moeller and Trumbore,
// 1997), enlarged by slack, a share of its size.
func meet(t *[3][3]float64, p, d [3]float64, slack float64) (float64, bool) {
	e, f := vector.Minus(t[1], t[0]), vector.Minus(t[2], t[0])
	h := vector.Cross(d, f)
	det := vector.Dot(e, h)
	// A line in the plane of the triangle meets its neighbours instead.
	if size := math.Abs(det); size <= 2e-14*bound(d)*bound(e)*bound(f) && size <= 1e-14*vector.Length(d)*vector.Length(e)*vector.Length(f) {
		return 0, false
	}
	o := vector.Minus(p, t[0])
	u := vector.Dot(o, h) / det
	if !(u >= -slack && u <= 1+slack) {
		return 0, false
	}
	q := vector.Cross(o, e)
	v := vector.Dot(d, q) / det
	if !(v >= -slack && u+v <= 1+slack) {
		return 0, false
	}
	return vector.Dot(f, q) / det, true
}

// bound returns an upper bound of a vector's length: the sum of the magnitudes of its components.
func bound(v [3]float64) float64 { return math.Abs(v[0]) + math.Abs(v[1]) + math.Abs(v[2]) }
