// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/geometry"
	"lbmsim/geometry/mesh"
)

const (
	// fewestRows cut a silhouette at least. A disc's area is then within 3e-5.
	fewestRows = 1024
	// mostHeights is the number of heights of corners that rows end at: a body with more is curved.
	mostHeights = 4 * fewestRows
)

// silhouette returns the area of the shadow of surfaces along x. Rows end at the heights of all corners, and where no edges cross
// within one its shadow is a trapezium, whose area is its height times its width half-way: plane faces have their exact area.
func silhouette(surfaces []*mesh.Surface, stand []geometry.Motion, lo, hi float64) (area float64) {
	ends := rowEnds(surfaces, stand, lo, hi)
	rows := make([]shadow, max(0, len(ends)-1))
	middles := make([]float64, len(rows))
	for i := range rows {
		middles[i] = (ends[i] + ends[i+1]) / 2
	}
	for i, s := range surfaces {
		for k := range s.T {
			var t [3][3]float64
			for c, p := range s.Corners(k) {
				t[c] = stand[i].Apply(p)
			}
			top := max(t[0][2], t[1][2], t[2][2])
			first, _ := slices.BinarySearch(middles, min(t[0][2], t[1][2], t[2][2]))
			for row := first; row < len(rows) && middles[row] < top; row++ {
				from, to := chord(t, middles[row])
				rows[row].add(from, to)
			}
		}
	}
	for i := range rows {
		area += (ends[i+1] - ends[i]) * rows[i].width()
	}
	return area
}

// rowEnds returns the heights between rows.
func rowEnds(surfaces []*mesh.Surface, stand []geometry.Motion, lo, hi float64) (ends []float64) {
	if !(hi > lo) {
		return nil
	}
	heights := []float64{hi}
	for i, s := range surfaces {
		for _, p := range s.V {
			heights = append(heights, stand[i].Apply(p)[2])
		}
		slices.Sort(heights)
		heights = slices.CompactFunc(heights, func(a, b float64) bool { return math.Abs(b-a) < 1e-9*(hi-lo) })
	}
	if len(heights) > mostHeights {
		heights = []float64{hi}
	}
	ends = []float64{lo}
	for _, z := range heights {
		last := ends[len(ends)-1]
		n := int(math.Ceil((z - last) / (hi - lo) * fewestRows))
		for k := 1; k <= n; k++ {
			ends = append(ends, last+(z-last)*float64(k)/float64(n))
		}
	}
	return ends
}

// chord returns the ends along y of a triangle at a height between its corners.
func chord(t [3][3]float64, z float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for c := range t {
		p, q := t[c], t[(c+1)%3]
		if (p[2] <= z) == (q[2] <= z) {
			continue
		}
		y := p[1] + (z-p[2])/(q[2]-p[2])*(q[1]-p[1])
		from, to = min(from, y), max(to, y)
	}
	return from, to
}

// shadow is a set of intervals.
type shadow struct {
	list   [][2]float64
	merged int // of the list, which are in order and apart
}

// add adds an interval. Intervals are merged whenever their number has doubled.
func (s *shadow) add(from, to float64) {
	if !(from < to) {
		return
	}
	if s.list = append(s.list, [2]float64{from, to}); len(s.list) > 2*s.merged+64 {
		s.merge()
	}
}

func (s *shadow) merge() {
	slices.SortFunc(s.list, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	n := 0
	for _, next := range s.list {
		if n > 0 && next[0] <= s.list[n-1][1] {
			s.list[n-1][1] = max(s.list[n-1][1], next[1])
			continue
		}
		s.list[n] = next
		n++
	}
	s.list, s.merged = s.list[:n], n
}

// width returns the length of the union.
func (s *shadow) width() (w float64) {
	s.merge()
	for _, i := range s.list {
		w += i[1] - i[0]
	}
	return w
}
