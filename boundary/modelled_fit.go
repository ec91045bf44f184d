// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"slices"

	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
)

// ghostsOfPiece is the number of ghost cells that a processor takes at a time.
const ghostsOfPiece = 256

// fit determines the surface at each ghost cell.
func (f *modelledSearch) fit() {
	// All planes first: their normals decide which neighbours belong to the same smooth surface.
	f.fitEach(planeReach, f.plane)
	f.fitEach(bendReach, f.bent)
}

// fitEach fits each surface to the ghost cells up to reach cells away.
func (f *modelledSearch) fitEach(reach int, by func(g *foundGhost, near []beside, room *[]fitTerms) surface) {
	found := make([]surface, len(f.ghosts))
	parallel.Pieces(len(found), ghostsOfPiece, func(lo, hi int) {
		var last fitted
		var near []beside
		var room []fitTerms
		for i := lo; i < hi; i++ {
			g := &f.ghosts[i]
			near = f.rows.around(near[:0], g.at, reach)
			known := last.find(f, near)
			if known == nil {
				known = last.keep(near, by(g, near, &room))
			}
			found[i] = *known
		}
	})
	for i := range found {
		f.ghosts[i].surface = found[i]
	}
}

// fitted caches the last few surroundings of ghost cells and their fits: along the faces of the domain and of bodies they
// repeat.
type fitted struct {
	near  [4][]beside
	found [4]surface
	count int
}

// find returns the surface of the same surroundings; nil: not in the cache.
func (k *fitted) find(f *modelledSearch, near []beside) *surface {
	for i := range min(k.count, len(k.near)) {
		if slices.EqualFunc(k.near[i], near, f.alike) {
			return &k.found[i]
		}
	}
	return nil
}

func (k *fitted) keep(near []beside, s surface) *surface {
	i := k.count % len(k.near)
	k.count++
	k.near[i], k.found[i] = append(k.near[i][:0], near...), s
	return &k.found[i]
}

// alike reports whether the neighbours of two ghost cells are at the same relative places and have the same links.
func (f *modelledSearch) alike(a, b beside) bool {
	g, h := &f.ghosts[a.number], &f.ghosts[b.number]
	return a.from == b.from && g.k == h.k && g.normal == h.normal &&
		slices.EqualFunc(g.links, h.links, func(l, m foundLink) bool { return l.direction == m.direction && l.distance == m.distance })
}

// bendPairs are the axes of the components of a curvature.
var bendPairs = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}

// plane fits a plane through the points where links around the ghost cell cross the surface: exact for a plane, of second order
// on a curved surface.
func (f *modelledSearch) plane(g *foundGhost, near []beside, _ *[]fitTerms) (s surface) {
	var sum, mean [3]float64
	var total float64
	type point struct {
		p [3]float64
		w float64
	}
	var room [128]point
	points := room[:0]
	for _, n := range near {
		other := &f.ghosts[n.number]
		if other.k != g.k || vector.Dot(other.out, g.out) < 1e-9 { // perpendicular is not along, whatever the rounding
			continue
		}
		for _, l := range other.links {
			p := f.point(l, n.from)
			r := 1 + vector.Dot(p, p)
			w := 1 / (r * r)
			points = append(points, point{p, w})
			total += w
			for a := range sum {
				sum[a] += w * p[a]
			}
		}
	}
	if total == 0 || vector.Dot(g.out, g.out) < 1e-12 { // fluid on both sides of a single cell: neither is in front of it
		return s
	}
	for a := range mean {
		mean[a] = sum[a] / total
	}
	var c [3][3]float64
	for _, q := range points {
		for a := range c {
			for b := range c {
				c[a][b] += q.w / total * (q.p[a] - mean[a]) * (q.p[b] - mean[b])
			}
		}
	}
	normal, second := leastAxis(c)
	if second < 1e-3 { // points on a line
		normal = g.out
	}
	size := math.Sqrt(vector.Dot(normal, normal))
	if vector.Dot(normal, g.out) < 0 {
		size = -size
	}
	for a := range normal {
		s.normal[a] = normal[a] / size
		if math.Abs(s.normal[a]) < 1e-12 {
			s.normal[a] = 0
		}
	}
	s.behind = math.Max(0, vector.Dot(mean, s.normal))
	return s
}

// Points of a curved surface: their least number, within bendReach cells of the ghost cell, and curvatures up to
// mostBend.
const (
	bendPoints = 16
	bendReach  = 2
	planeReach = 1 // likewise, of its plane
	mostBend   = 0.4
	edgeBend   = 0.2 // of an edge, which turns by 35 degrees or more, or a radius below 5 cells
)

// fitTerms are the terms of the height over a plane of a point near the surface, that height, and the point's weight.
type fitTerms [8]float64

// bent returns the normal, the distance and the curvature of a surface of second order through the points where links around a ghost
// cell cross the surface, if there are enough: edges keep their plane.
func (f *modelledSearch) bent(g *foundGhost, near []beside, room *[]fitTerms) surface {
	s := g.surface
	if s.normal == [3]float64{} {
		return s
	}
	t := tangents(s.normal)
	var sums [6][7]float64 // the normal equations for the height over the plane: 1, a, b, a^2/2, a b, b^2/2
	points := (*room)[:0]
	for _, n := range near {
		other := &f.ghosts[n.number]
		if other.k != g.k || vector.Dot(other.normal, s.normal) < 0.7 {
			continue
		}
		for _, l := range other.links {
			p := f.point(l, n.from)
			a, b, h := vector.Dot(p, t[0]), vector.Dot(p, t[1]), vector.Dot(p, s.normal)
			r := 1 + vector.Dot(p, p)
			points = append(points, fitTerms{1, a, b, a * a / 2, a * b, b * b / 2, h, 1 / (r * r)})
		}
	}
	*room = points
	for k := range points {
		terms := &points[k]
		for i := range sums {
			row, by := &sums[i], terms[7]*terms[i]
			for j := range row {
				row[j] += by * terms[j]
			}
		}
	}
	if len(points) < bendPoints || !solve6(&sums) {
		return s
	}
	c := [6]float64{}
	for i := range c {
		c[i] = sums[i][6]
	}
	bend := math.Abs(c[3]+c[5])/2 + math.Hypot((c[3]-c[5])/2, c[4]) // largest principal curvature
	s.edge, s.hollow = bend > edgeBend, c[3]+c[5] > 0
	for k := range points {
		off := -points[k][6]
		for i := range c {
			off += c[i] * points[k][i]
		}
		s.rough = s.rough || math.Abs(off) > smoothest+smoothCubic*bend*bend
	}
	if math.Abs(c[3]) > mostBend || math.Abs(c[5]) > mostBend || math.Abs(c[4]) > mostBend || c[1]*c[1]+c[2]*c[2] > 0.25 {
		s.edge = true
		return s
	}
	size := math.Sqrt(1 + c[1]*c[1] + c[2]*c[2])
	for a := range s.normal {
		s.normal[a] = (s.normal[a] - c[1]*t[0][a] - c[2]*t[1][a]) / size
		if math.Abs(s.normal[a]) < 1e-9 {
			s.normal[a] = 0
		}
	}
	s.behind = math.Max(0, c[0]/size)
	for k, ab := range bendPairs {
		i, j := ab[0], ab[1]
		v := -(c[3]*t[0][i]*t[0][j] + c[4]*(t[0][i]*t[1][j]+t[1][i]*t[0][j]) + c[5]*t[1][i]*t[1][j])
		if math.Abs(v) > 1e-9 {
			s.bend[k] = v
		}
	}
	return s
}

// tangents returns two unit vectors perpendicular to a unit vector.
func tangents(n [3]float64) (t [2][3]float64) {
	least := 0
	for a := range n {
		if math.Abs(n[a]) < math.Abs(n[least]) {
			least = a
		}
	}
	var e [3]float64
	e[least] = 1
	t[0] = [3]float64{n[1]*e[2] - n[2]*e[1], n[2]*e[0] - n[0]*e[2], n[0]*e[1] - n[1]*e[0]}
	size := math.Sqrt(vector.Dot(t[0], t[0]))
	for a := range t[0] {
		t[0][a] /= size
	}
	t[1] = [3]float64{n[1]*t[0][2] - n[2]*t[0][1], n[2]*t[0][0] - n[0]*t[0][2], n[0]*t[0][1] - n[1]*t[0][0]}
	return t
}

// solve6 solves six linear equations. The right-hand sides are the last column and become the solution; false: singular.
func solve6(m *[6][7]float64) bool {
	for i := range m {
		best := i
		for k := i + 1; k < len(m); k++ {
			if math.Abs(m[k][i]) > math.Abs(m[best][i]) {
				best = k
			}
		}
		m[i], m[best] = m[best], m[i]
		if math.Abs(m[i][i]) < 1e-6 {
			return false
		}
		for k := range m {
			if k == i {
				continue
			}
			by := m[k][i] / m[i][i]
			for j := i; j < len(m[k]); j++ {
				m[k][j] -= by * m[i][j]
			}
		}
	}
	for i := range m {
		m[i][6] /= m[i][i]
	}
	return true
}

// leastAxis returns the eigenvector of the smallest eigenvalue of a symmetric matrix, by Jacobi's rotations, and its second
// eigenvalue.
func leastAxis(c [3][3]float64) (axis [3]float64, second float64) {
	v := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for range 30 {
		for _, ab := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			a, b := ab[0], ab[1]
			if c[a][b] == 0 {
				continue
			}
			theta := (c[b][b] - c[a][a]) / (2 * c[a][b])
			t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
			cos := 1 / math.Sqrt(t*t+1)
			sin := t * cos
			for k := range 3 {
				c[k][a], c[k][b] = cos*c[k][a]-sin*c[k][b], sin*c[k][a]+cos*c[k][b]
			}
			for k := range 3 {
				c[a][k], c[b][k] = cos*c[a][k]-sin*c[b][k], sin*c[a][k]+cos*c[b][k]
			}
			for k := range 3 {
				v[k][a], v[k][b] = cos*v[k][a]-sin*v[k][b], sin*v[k][a]+cos*v[k][b]
			}
		}
	}
	order := [3]int{0, 1, 2} // by eigenvalue, a stable order
	for i := range order {
		for k := i; k > 0 && c[order[k]][order[k]] < c[order[k-1]][order[k-1]]; k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	for k := range axis {
		axis[k] = v[k][order[0]]
	}
	return axis, c[order[1]][order[1]]
}
