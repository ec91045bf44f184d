package boundary

import (
	"math"
	"sort"

	"lbmsim/internal/parallel"
)

// fit finds the plane of each ghost cell.
func (f *modelledSearch) fit() {
	parallel.Ranges(len(f.ghosts), func(lo, hi int) {
		for i := range f.ghosts[lo:hi] {
			f.plane(&f.ghosts[lo+i])
		}
	})
	// Planes of all first: which neighbours belong to the same smooth surface follows from their normals.
	bent := make([]foundGhost, len(f.ghosts))
	parallel.Ranges(len(f.ghosts), func(lo, hi int) {
		for i := range f.ghosts[lo:hi] {
			bent[lo+i] = f.bent(f.ghosts[lo+i])
		}
	})
	f.ghosts = bent
}

// bendPairs are the axes of the components of a curvature.
var bendPairs = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}

// plane fits a plane through the points where links around the ghost cell cross the surface: exact for a plane, of second order
// on a curved surface.
func (f *modelledSearch) plane(g *foundGhost) {
	var sum, mean [3]float64
	var total float64
	type point struct {
		p [3]float64
		w float64
	}
	var points []point
	for z := -1; z <= 1; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				n, ok := f.index[[3]int{g.at[0] + x, g.at[1] + y, g.at[2] + z}]
				if !ok || f.ghosts[n].k != g.k || dot3(f.ghosts[n].out, g.out) <= 0 {
					continue
				}
				for _, p := range f.ghosts[n].points {
					p = [3]float64{p[0] + float64(x), p[1] + float64(y), p[2] + float64(z)}
					r := 1 + dot3(p, p)
					w := 1 / (r * r)
					points = append(points, point{p, w})
					total += w
					for a := range sum {
						sum[a] += w * p[a]
					}
				}
			}
		}
	}
	if total == 0 || dot3(g.out, g.out) < 1e-12 { // fluid on both sides of a single cell: none of them is before it
		return
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
	size := math.Sqrt(dot3(normal, normal))
	if dot3(normal, g.out) < 0 {
		size = -size
	}
	for a := range normal {
		g.normal[a] = normal[a] / size
		if math.Abs(g.normal[a]) < 1e-12 {
			g.normal[a] = 0
		}
	}
	g.behind = math.Max(0, dot3(mean, g.normal))
}

// Points of a curved surface: so many at least, within bendReach cells of the ghost cell, and curvatures up to mostBend.
const (
	bendPoints = 16
	bendReach  = 2
	mostBend   = 0.4
	edgeBend   = 0.2 // of an edge, which turns by 35 degrees or more, or a radius below 5 cells
)

// bent returns the ghost cell with the normal, the distance and the curvature of a surface of second order through the points where
// links around it cross the surface, where these are enough: not at edges, where it keeps its plane.
func (f *modelledSearch) bent(g foundGhost) foundGhost {
	if g.normal == [3]float64{} {
		return g
	}
	t := tangents(g.normal)
	var sums [6][7]float64 // the normal equations for the height over the plane: 1, a, b, a^2/2, a b, b^2/2
	count := 0
	for z := -bendReach; z <= bendReach; z++ {
		for y := -bendReach; y <= bendReach; y++ {
			for x := -bendReach; x <= bendReach; x++ {
				n, ok := f.index[[3]int{g.at[0] + x, g.at[1] + y, g.at[2] + z}]
				if !ok || f.ghosts[n].k != g.k || dot3(f.ghosts[n].normal, g.normal) < 0.7 {
					continue
				}
				for _, p := range f.ghosts[n].points {
					p = [3]float64{p[0] + float64(x), p[1] + float64(y), p[2] + float64(z)}
					a, b, h := dot3(p, t[0]), dot3(p, t[1]), dot3(p, g.normal)
					r := 1 + dot3(p, p)
					w := 1 / (r * r)
					terms := [7]float64{1, a, b, a * a / 2, a * b, b * b / 2, h}
					for i := range sums {
						for j := range terms {
							sums[i][j] += w * terms[i] * terms[j]
						}
					}
					count++
				}
			}
		}
	}
	if count < bendPoints || !solve6(&sums) {
		return g
	}
	c := [6]float64{}
	for i := range c {
		c[i] = sums[i][6]
	}
	g.edge = math.Abs(c[3]+c[5])/2+math.Hypot((c[3]-c[5])/2, c[4]) > edgeBend
	if math.Abs(c[3]) > mostBend || math.Abs(c[5]) > mostBend || math.Abs(c[4]) > mostBend || c[1]*c[1]+c[2]*c[2] > 0.25 {
		g.edge = true
		return g
	}
	size := math.Sqrt(1 + c[1]*c[1] + c[2]*c[2])
	for a := range g.normal {
		g.normal[a] = (g.normal[a] - c[1]*t[0][a] - c[2]*t[1][a]) / size
		if math.Abs(g.normal[a]) < 1e-9 {
			g.normal[a] = 0
		}
	}
	g.behind = math.Max(0, c[0]/size)
	for k, ab := range bendPairs {
		i, j := ab[0], ab[1]
		v := -(c[3]*t[0][i]*t[0][j] + c[4]*(t[0][i]*t[1][j]+t[1][i]*t[0][j]) + c[5]*t[1][i]*t[1][j])
		if math.Abs(v) > 1e-9 {
			g.bend[k] = v
		}
	}
	return g
}

// tangents returns two unit vectors across a unit vector.
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
	size := math.Sqrt(dot3(t[0], t[0]))
	for a := range t[0] {
		t[0][a] /= size
	}
	t[1] = [3]float64{n[1]*t[0][2] - n[2]*t[0][1], n[2]*t[0][0] - n[0]*t[0][2], n[0]*t[0][1] - n[1]*t[0][0]}
	return t
}

// solve6 solves six linear equations, whose right sides are the last column and become the solution; false: they are singular.
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
	order := []int{0, 1, 2}
	sort.SliceStable(order, func(i, j int) bool { return c[order[i]][order[i]] < c[order[j]][order[j]] })
	for k := range axis {
		axis[k] = v[k][order[0]]
	}
	return axis, c[order[1]][order[1]]
}

func dot3(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
