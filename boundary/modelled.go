package boundary

import (
	"fmt"
	"iter"
	"math"
	"sort"

	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// WallModel holds the numbers of a Modelled wall, in cells.
type WallModel struct {
	Sample       float64 // height above the surface at which the law reads the velocity
	Layer        float64 // height of the layer that has eddies; 0: none
	Roughness    float64 // z0 of the logarithmic law; 0: smooth
	Frictionless bool    // there is nothing to sample and no layer
}

// Modelled lists the ghost cells of Modelled walls: the solid cells from which populations stream into fluid cells. Before a step
// each gets moments from an image point on the surface's normal (kernels/modelled.h), and its populations stream
// as fluid cells' do.
//
// Stencils may read cells of other ranks, by places beyond the box. The rank gets these cells one by one, in rows behind its
// state (Listed), and what follows from them comes last in both lists.
type Modelled struct {
	Cells []ModelledCell
	// Layer lists the box's own fluid cells above Modelled walls that have eddies.
	Layer []LayerCell
	// Early and EarlyLayer are the numbers of ghost cells and of cells of the layer that follow from the box's own cells alone.
	Early, EarlyLayer int
	// Sent lists the cells that other ranks' ghost cells read.
	Sent []Sent

	at map[[3]int]uint32 // of each ghost cell, by its local place
}

// Sent is an own cell and its place in the rows behind the state, both local, that travels to another rank.
type Sent struct{ From, To [3]int }

// ModelledCell is a ghost cell behind a Modelled wall. Each rank whose cells need it has the same one.
type ModelledCell struct {
	At       [3]int // local; periodic images are one cell
	Own      bool   // its first link leads into one of the box's own cells: sums over walls count it on this rank
	Type     uint8
	Normal   [3]float64 // of the surface, into the fluid
	Bend     [6]float64 // curvature, dn/dx in the order xx, yy, zz, xy, xz, yz: 1/R along a convex surface of radius R
	Behind   float64    // distance of the cell's centre behind the surface
	Before   float64    // distance of the image point before the surface
	Image    Stencil    // at the image point: moments of fluid cells
	Height   float64    // distance of the sampled point before the surface
	Sample   Stencil    // at the sampled point
	Velocity [3]float64 // of the wall
	Rough    float64    // friction velocity by sampled velocity of a rough wall; 0: smooth; NoFriction: no friction
	Area     float64    // of the surface that links from this cell cross
	Without  Without    // why the wall is the no-slip wall here
	Links    []ModelledStream
}

// ModelledStream is a link along which a ghost cell sends a population into one of the box's own cells.
type ModelledStream struct {
	To        [3]int // local
	Direction int
	Area      float64 // of the surface that it crosses: of all links around a closed surface that is the surface's
}

// Curvature returns the magnitude of the curvature, in 1/cells.
func (c ModelledCell) Curvature() float64 {
	b := c.Bend
	return math.Sqrt(b[0]*b[0] + b[1]*b[1] + b[2]*b[2] + 2*(b[3]*b[3]+b[4]*b[4]+b[5]*b[5]))
}

// LayerCell is a fluid cell of the layer above a Modelled wall. Its eddies follow from the friction at the nearest ghost cell: there
// are none above a wall where the flow is laminar, and at edges.
type LayerCell struct {
	At     [3]int  // local
	Ghost  uint32  // number of that ghost cell
	Length float32 // 3 nu_t by u_tau
}

// Stencil interpolates linearly between fluid cells; its weights add up to 1 and are not negative.
type Stencil struct {
	N      int
	Cells  [8][3]int // local
	Weight [8]float64
}

// NoFriction is the number of a ghost cell behind a Frictionless wall, in place of a roughness.
const NoFriction = -1

// Without is a reason for a ghost cell without a model.
type Without int

const (
	WithModel    Without = iota
	WithoutSpace         // no fluid at the sampled height, in a gap or beside another body: a no-slip wall at its place
	AtEdge               // at an edge, where the flow separates: likewise
	WithoutImage         // no image point among fluid cells, or a body one cell thick: a half-way wall
)

// Model constants. Reichardt's profile, Z. Angew. Math. Mech. 31 (1951) 208, with the constants of Lee & Moser, J. Fluid
// Mech. 774 (2015) 395: u+ = ln(1 + kappa y+)/kappa + c (1 - exp(-y+/b) - y+/b exp(-0.33 y+)), c = B - ln(kappa)/kappa.
const (
	Kappa     = 0.384
	intercept = 4.27 // B
	buffer    = 9.5  // b
	// LeastMixing is the height below which the eddies do not shrink, and the height whose logarithmic slope a ghost cell
	// continues: a logarithm jumps by 2.7 u_tau between the first two cells, constant eddies make it straight.
	LeastMixing = 1.5
	// LaminarPlus and TurbulentPlus are y+ of half a cell below which a Modelled wall is the no-slip wall, and above which
	// the law holds in full.
	LaminarPlus, TurbulentPlus = 4, 10
)

// PlusOf returns y+ of a smooth wall by the Reynolds number u y/nu of a point above it, where u is the velocity along the wall.
func PlusOf(reynolds float64) float64 {
	c := intercept - math.Log(Kappa)/Kappa
	re := func(plus float64) float64 {
		return plus * (math.Log1p(Kappa*plus)/Kappa + c*(1-math.Exp(-plus/buffer)-plus/buffer*math.Exp(-0.33*plus)))
	}
	lo, hi := 0.0, math.Max(1, reynolds)
	for range 200 { // bisection: exact, and run once for each entry of a table
		if mid := (lo + hi) / 2; re(mid) < reynolds {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// The table of PlusOf: PlusParts entries for each power of two of the Reynolds number from 2^PlusFirst on. A step finds the entry by
// the bits of a double: the same numbers on every processor, without a logarithm.
const (
	PlusFirst = -6
	PlusParts = 16
	PlusCount = 44*PlusParts + 1
)

// PlusTable returns the table.
func PlusTable() []float64 {
	table := make([]float64, PlusCount)
	for i := range table {
		table[i] = PlusOf(math.Ldexp(1+float64(i%PlusParts)/PlusParts, PlusFirst+i/PlusParts))
	}
	return table
}

// The numbers of a ghost cell for kernels/modelled.h.
const (
	ModelledNormal   = 0
	ModelledVelocity = 3
	ModelledMirror   = 6  // Behind/Before
	ModelledReach    = 7  // Behind + Before
	ModelledHeight   = 8  // 0: no model
	ModelledRough    = 9  // friction velocity by sampled velocity, at least; NoFriction
	ModelledImage    = 10 // eight weights
	ModelledSample   = 18
	ModelledBend     = 26 // six components
	ModelledCount    = 32
)

// Numbers returns the numbers of the ghost cells, ModelledCount each.
func ModelledNumbersOf[T float32 | float64](m *Modelled) []T {
	list := make([]T, ModelledCount*len(m.Cells))
	for i, c := range m.Cells {
		n := list[i*ModelledCount:][:ModelledCount]
		for a := range 3 {
			n[ModelledNormal+a], n[ModelledVelocity+a] = T(c.Normal[a]), T(c.Velocity[a])
		}
		n[ModelledMirror], n[ModelledReach] = T(c.Behind/c.Before), T(c.Behind+c.Before)
		if c.Without == WithModel {
			n[ModelledHeight], n[ModelledRough] = T(c.Height), T(c.Rough)
		}
		for k, v := range c.Bend {
			n[ModelledBend+k] = T(v)
		}
		for k := range c.Image.N {
			n[ModelledImage+k] = T(c.Image.Weight[k])
		}
		for k := range c.Sample.N {
			n[ModelledSample+k] = T(c.Sample.Weight[k])
		}
	}
	return list
}

// Ghost returns the number of the ghost cell that sends a population along direction c into the cell x, local or a periodic image;
// false: none does, and the link is bounced back half-way. Of a body that is one cell thick a ghost cell serves one side.
func (m *Modelled) Ghost(x, c [3]int) (uint32, bool) {
	if m == nil {
		return 0, false
	}
	n, ok := m.at[[3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]}]
	return n, ok && dot3(m.Cells[n].Normal, [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}) > 0
}

// modelledMargin is the number of cells around a box that FindModelled looks at, beside the largest height that is sampled or has
// eddies. The plane of a ghost cell follows from points up to four cells away, and so much it takes for a
// stencil beside its normal, too.
const modelledMargin = 4

// ModelledMargin returns by how many cells the box of FindModelled is larger than a rank's, on each side; 0: no wall is
// Modelled.
func ModelledMargin(walls []Wall) int {
	reach := -1.0
	for _, w := range walls {
		if w.Law == ModelledWall {
			reach = math.Max(reach, math.Max(w.Model.Sample, w.Model.Layer))
		}
	}
	if reach < 0 {
		return 0
	}
	return modelledMargin + int(math.Ceil(reach))
}

// FindModelled lists the ghost cells of a box of n cells that begins at the domain's cell lo. around has a larger box, by
// ModelledMargin or up to the faces of the domain: what lies near the box decides, not how the domain is cut. All distances are
// counted from a ghost cell, so that they are rounded alike on every rank. nil: there are none.
func FindModelled(l model.Lattice, lo, n [3]int, around Cells) (*Modelled, error) {
	if ModelledMargin(around.Walls) == 0 {
		return nil, nil
	}
	f := &modelledSearch{lattice: l, lo: lo, n: n, Cells: around}
	f.find()
	f.fit()
	m := &Modelled{at: map[[3]int]uint32{}}
	f.collect(m, f.measure())
	if f.outside {
		return nil, fmt.Errorf("ghost cells of the box of %v cells from %v on read cells beyond the %v from %v on", n, lo, around.N, around.Origin) // a bug in ModelledMargin
	}
	for i, c := range m.Cells {
		if c.Without == WithoutImage {
			continue // its links are bounced back half-way
		}
		for _, at := range f.images(c.At) {
			m.at[at] = uint32(i)
		}
	}
	return m, nil
}

// eachStencil calls f for each stencil of the ghost cells.
func (m *Modelled) eachStencil(f func(s *Stencil)) {
	for i := range m.Cells {
		f(&m.Cells[i].Image)
		f(&m.Cells[i].Sample)
	}
}

// Foreign returns the places beyond the box of n cells that stencils read, each once.
func (m *Modelled) Foreign(n [3]int) (list [][3]int) {
	seen := map[[3]int]bool{}
	m.eachStencil(func(s *Stencil) {
		for _, at := range s.Cells[:s.N] {
			if !within(at, n) && !seen[at] {
				seen[at] = true
				list = append(list, at)
			}
		}
	})
	return list
}

// Replace replaces places that stencils read.
func (m *Modelled) Replace(by map[[3]int][3]int) {
	m.eachStencil(func(s *Stencil) {
		for k, at := range s.Cells[:s.N] {
			if to, ok := by[at]; ok {
				s.Cells[k] = to
			}
		}
	})
}

// LateCells returns the places in a box of n cells into which links lead from ghost cells that follow from other ranks' cells.
func (m *Modelled) LateCells(l model.Lattice, n [3]int) iter.Seq[[3]int] {
	return func(yield func([3]int) bool) {
		for at, i := range m.at {
			for _, c := range l.Velocities {
				x := [3]int{at[0] + c[0], at[1] + c[1], at[2] + c[2]}
				if int(i) >= m.Early && within(x, n) && !yield(x) {
					return
				}
			}
		}
	}
}

// within reports whether a local place is in a box of n cells.
func within(at, n [3]int) bool {
	for a := range at {
		if at[a] < 0 || at[a] >= n[a] {
			return false
		}
	}
	return true
}

// modelledSearch finds ghost cells. It counts places from the corner of the box around, [-1, N] along each axis.
type modelledSearch struct {
	Cells
	lattice model.Lattice
	lo, n   [3]int // of the rank's box
	ghosts  []foundGhost
	index   map[[3]int]int // of ghosts, by place
	outside bool           // a stencil has read a cell of the domain that is not in the box around
}

// foundGhost is a solid cell of a Modelled wall beside fluid.
type foundGhost struct {
	at     [3]int
	k      uint8
	points [][3]float64  // where links into fluid cells cross the surface, from the cell's centre
	out    [3]float64    // sum of 6 w_i c_i over these links
	turn   [3][3]float64 // sum of 6 w_i c_i p_i over these links, p_i the point
	needed bool          // a link leads into the rank's box
	own    bool          // the first one leads into one of the rank's own cells, or a periodic image of it
	links  []foundLink   // those into the rank's own cells, or periodic images of them
	normal [3]float64
	behind float64
	bend   [6]float64
	edge   bool // a principal curvature is beyond edgeBend
}

// foundLink is a link into a fluid cell that crosses the surface at a point.
type foundLink struct {
	direction int
	point     [3]float64
}

// typeAt returns the type of a place, also outside: 255, which is no type.
func (f *modelledSearch) typeAt(p [3]int) uint8 {
	for a := range p {
		if p[a] < -1 || p[a] > f.N[a] {
			return 255
		}
	}
	return f.At(p[0], p[1], p[2])
}

// local returns the place in the rank's box of a place of the box around: within the domain, of periodic images the one
// in the domain.
func (f *modelledSearch) local(p [3]int) (at [3]int) {
	for a := range p {
		g := p[a] + f.Origin[a]
		if f.Periodic[a] {
			g = ((g % f.Global[a]) + f.Global[a]) % f.Global[a]
		}
		at[a] = g - f.lo[a]
	}
	return at
}

// images returns a local place and its periodic images within a layer around the rank's box.
func (f *modelledSearch) images(at [3]int) (list [][3]int) {
	list = [][3]int{at}
	for a := range at {
		if !f.Periodic[a] {
			continue
		}
		for _, p := range list {
			for _, by := range []int{-f.Global[a], f.Global[a]} {
				if q := p[a] + by; q >= -1 && q <= f.n[a] {
					p[a] = q
					list = append(list, p)
					p[a] = q - by
				}
			}
		}
	}
	return list
}

// holds reports whether a place is in the rank's box.
func (f *modelledSearch) holds(p [3]int) bool {
	for a := range p {
		p[a] += f.Origin[a] - f.lo[a]
	}
	return within(p, f.n)
}

// find lists the solid cells beside fluid, z slowest.
func (f *modelledSearch) find() {
	f.index = map[[3]int]int{}
	planes := make([][]foundGhost, f.N[2]+2)
	parallel.Ranges(len(planes), func(lo, hi int) {
		for z := lo; z < hi; z++ {
			for y := -1; y <= f.N[1]; y++ {
				for x := -1; x <= f.N[0]; x++ {
					if g, ok := f.ghost([3]int{x, y, z - 1}); ok {
						planes[z] = append(planes[z], g)
					}
				}
			}
		}
	})
	for _, plane := range planes {
		for _, g := range plane {
			f.index[g.at] = len(f.ghosts)
			f.ghosts = append(f.ghosts, g)
		}
	}
}

// ghost examines a cell.
func (f *modelledSearch) ghost(p [3]int) (g foundGhost, ok bool) {
	k := f.typeAt(p)
	if k == 0 || f.Wall(k).Law != ModelledWall {
		return g, false
	}
	g.at, g.k = p, k
	for i, c := range f.lattice.Velocities {
		x := [3]int{p[0] + c[0], p[1] + c[1], p[2] + c[2]}
		if c == [3]int{} || f.typeAt(x) != 0 {
			continue
		}
		q := 0.5
		if f.Distance != nil {
			if d := f.Distance(x, c); d > 0 && d <= 1 {
				q = d
			}
		}
		var at [3]float64
		for a := range at {
			at[a] = (1 - q) * float64(c[a])
			part := 6 * f.lattice.Weights[i] * float64(c[a])
			g.out[a] += part
			for b := range at {
				g.turn[a][b] += part * (1 - q) * float64(c[b])
			}
		}
		own := within(f.local(x), f.n)
		if own {
			g.links = append(g.links, foundLink{i, at})
		}
		g.own = g.own || len(g.points) == 0 && own
		g.needed = g.needed || f.holds(x)
		g.points = append(g.points, at)
	}
	return g, len(g.points) > 0
}

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

// collect lists the ghost cells that the rank's cells have links from and those that its cells of the layer need, and these
// cells. What follows from other ranks' cells comes last.
func (f *modelledSearch) collect(m *Modelled, layer []LayerCell) {
	for _, c := range layer {
		f.ghosts[c.Ghost].needed = true
	}
	number := map[[3]int]uint32{} // of ghost cells by local place, which periodic images share
	var late []ModelledCell
	for _, g := range f.ghosts {
		at := f.local(g.at)
		if _, known := number[at]; known || !g.needed {
			continue
		}
		number[at] = 0
		c := ModelledCell{At: at, Own: g.own, Type: g.k, Normal: g.normal, Bend: g.bend, Behind: g.behind, Area: g.area()}
		f.stencils(g, &c)
		f.link(g, &c)
		if c.reads(f.n) {
			m.Cells = append(m.Cells, c)
		} else {
			late = append(late, c)
		}
	}
	m.Early = len(m.Cells)
	m.Cells = append(m.Cells, late...)
	for i, c := range m.Cells {
		number[c.At] = uint32(i)
	}
	var lateLayer []LayerCell
	for _, c := range layer {
		c.Ghost = number[f.local(f.ghosts[c.Ghost].at)]
		switch {
		case m.Cells[c.Ghost].Without == WithoutImage:
		case int(c.Ghost) < m.Early:
			m.Layer = append(m.Layer, c)
		default:
			lateLayer = append(lateLayer, c)
		}
	}
	m.EarlyLayer = len(m.Layer)
	m.Layer = append(m.Layer, lateLayer...)
}

// reads reports whether a ghost cell reads cells of a box of n cells alone.
func (c *ModelledCell) reads(n [3]int) bool {
	for _, s := range []*Stencil{&c.Image, &c.Sample} {
		for _, at := range s.Cells[:s.N] {
			if !within(at, n) {
				return false
			}
		}
	}
	return true
}

// area returns the area of the surface that links cross: the sum of 6 w_i c_i.n, with the normal
// where each crosses it. Over a plane it is exact.
func (g *foundGhost) area() float64 {
	sum := dot3(g.out, g.normal)
	for k, ab := range bendPairs {
		a, b := ab[0], ab[1]
		sum += g.bend[k] * g.turn[a][b]
		if a != b {
			sum += g.bend[k] * g.turn[b][a]
		}
	}
	return sum
}

// link lists the links into the rank's own cells that a ghost cell sends populations along (Ghost), with the area of the surface
// that each crosses: 6 w_i c_i.n, with the normal there.
func (f *modelledSearch) link(g foundGhost, to *ModelledCell) {
	if to.Without == WithoutImage {
		return
	}
	for _, l := range g.links {
		var c [3]float64
		x := g.at
		for a, v := range f.lattice.Velocities[l.direction] {
			c[a], x[a] = float64(v), x[a]+v
		}
		across := dot3(c, g.normal)
		area := across
		for k, ab := range bendPairs {
			a, b := ab[0], ab[1]
			area += g.bend[k] * c[a] * l.point[b]
			if a != b {
				area += g.bend[k] * c[b] * l.point[a]
			}
		}
		if across > 0 {
			to.Links = append(to.Links, ModelledStream{f.local(x), l.direction, area * 6 * f.lattice.Weights[l.direction]})
		}
	}
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

// Image points are sought from leastImage on to mostImage cells before the surface, in steps of imageStep.
const (
	leastImage, mostImage, imageStep = 0.5, 2.5, 0.02
	leastSample                      = 1.5 // height
	leastShare                       = 0.5 // of a stencil's weights that have to be of fluid cells where others are left out
)

// stencils finds what a ghost cell reads.
func (f *modelledSearch) stencils(g foundGhost, c *ModelledCell) {
	if g.normal == [3]float64{} {
		c.Without = WithoutImage
		return
	}
	model := f.Wall(g.k).Model
	foot := f.foot(g)
	above := func(height float64) (Stencil, float64) {
		return f.stencil(g.at, [3]float64{foot[0] + height*g.normal[0], foot[1] + height*g.normal[1], foot[2] + height*g.normal[2]})
	}
	best := -1.0
	first := math.Max(g.behind, leastImage)
	for k := 0; first+float64(k)*imageStep <= mostImage; k++ {
		height := first + float64(k)*imageStep
		s, share := above(height)
		if share > best {
			best, c.Image, c.Before = share, s, height
		}
		if share == 1 {
			break
		}
	}
	if best < leastShare {
		c.Without = WithoutImage
	}
	if motion := f.Motion(g.k); motion != nil {
		c.Velocity = f.wallVelocity(g, foot)
	}
	if model.Frictionless {
		c.Rough = NoFriction
	}
	if c.Without != WithModel || model.Frictionless {
		return
	}
	if g.edge {
		c.Without = AtEdge
		return
	}
	for c.Height = model.Sample; ; c.Height -= 0.5 { // in a corner or a gap the law is read lower
		if c.Height < math.Min(leastSample, model.Sample) {
			c.Without, c.Height = WithoutSpace, 0
			return
		}
		s, share := above(c.Height)
		_, beyond := above(c.Height + 1)
		if share >= leastShare && beyond >= leastShare {
			c.Sample = s
			break
		}
	}
	if z0 := model.Roughness; z0 > 0 {
		c.Rough = Kappa / math.Log((c.Height+z0)/z0)
	}
}

// foot returns the point of the surface before a ghost cell, from the cell's centre. Of a cell behind the edge of two faces it
// lies before the last cells of the domain: beyond them there is nothing to read.
func (f *modelledSearch) foot(g foundGhost) (p [3]float64) {
	for a := range p {
		p[a] = g.behind * g.normal[a]
		if at := g.at[a] + f.Origin[a]; !f.Periodic[a] && g.normal[a] == 0 {
			p[a] = math.Min(math.Max(p[a], float64(-at)), float64(f.Global[a]-1-at))
		}
	}
	return p
}

// wallVelocity returns the velocity of the surface at a point, given from the centre of a ghost cell.
func (f *modelledSearch) wallVelocity(g foundGhost, foot [3]float64) [3]float64 {
	at := f.local(g.at)
	var p [3]float64
	for a := range p { // images move like the cell in the domain
		p[a] = foot[a] + (float64(at[a]+f.lo[a]) + 0.5)
	}
	u := f.Motion(g.k).At(p, 0)
	across := dot3(u, g.normal)
	for a := range u {
		u[a] -= across * g.normal[a]
	}
	return u
}

// stencil returns the linear interpolation at a point, given from the centre of a cell, and the share of its weights that belongs
// to fluid cells. The others are left out.
func (f *modelledSearch) stencil(cell [3]int, p [3]float64) (s Stencil, share float64) {
	var first [3]int
	var part [3]float64
	for a := range p {
		floor := math.Floor(p[a] + 1e-6)
		first[a] = cell[a] + int(floor)
		part[a] = math.Max(0, p[a]-floor)
	}
	total := 0.0
	for k := range 8 {
		w, at := 1.0, first
		for a := range at {
			if k>>a&1 == 1 {
				w *= part[a]
				at[a]++
			} else {
				w *= 1 - part[a]
			}
		}
		if w < 1e-4 {
			continue
		}
		total += w
		if k := f.typeAt(at); k != 0 {
			f.outside = f.outside || k == 255 && f.inside(at)
			continue
		}
		share += w
		s.Cells[s.N], s.Weight[s.N] = f.local(at), w
		s.N++
	}
	for k := range s.N {
		s.Weight[k] /= share
	}
	if share >= total*(1-1e-12) {
		share = 1
	}
	return s, share
}

// inside reports whether a place, or a periodic image of it, is in the domain.
func (f *modelledSearch) inside(p [3]int) bool {
	for a := range p {
		if at := p[a] + f.Origin[a]; !f.Periodic[a] && (at < 0 || at >= f.Global[a]) {
			return false
		}
	}
	return true
}

// measure lists the rank's cells in the layer: each has the height above the plane of the nearest ghost cell, whose number is its
// place in the search's list.
func (f *modelledSearch) measure() (list []LayerCell) {
	deepest := 0.0
	for _, w := range f.Walls {
		if w.Law == ModelledWall {
			deepest = math.Max(deepest, w.Model.Layer)
		}
	}
	if deepest == 0 {
		return nil
	}
	planes := make([][]LayerCell, f.n[2])
	parallel.Ranges(f.n[2], func(lo, hi int) {
		for z := lo; z < hi; z++ {
			planes[z] = f.layer(z, int(math.Ceil(deepest))+1)
		}
	})
	for _, plane := range planes {
		list = append(list, plane...)
	}
	return list
}

// layer returns the cells of the layer in plane z of the rank's box. Of each cell the nearest foot of a ghost cell counts, of
// equally near ones the first: the order of ghost cells beside a cell is the same in every box.
func (f *modelledSearch) layer(z, reach int) (list []LayerCell) {
	nearest, of := make([]float64, f.n[0]*f.n[1]), make([]int, f.n[0]*f.n[1])
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	shift := [3]int{f.lo[0] - f.Origin[0], f.lo[1] - f.Origin[1], f.lo[2] - f.Origin[2]}
	at := z + shift[2] // in the box around
	first := sort.Search(len(f.ghosts), func(i int) bool { return f.ghosts[i].at[2] >= at-reach })
	for i := first; i < len(f.ghosts) && f.ghosts[i].at[2] <= at+reach; i++ {
		g := &f.ghosts[i]
		if g.normal == [3]float64{} {
			continue
		}
		for y := max(g.at[1]-reach-shift[1], 0); y <= min(g.at[1]+reach-shift[1], f.n[1]-1); y++ {
			for x := max(g.at[0]-reach-shift[0], 0); x <= min(g.at[0]+reach-shift[0], f.n[0]-1); x++ {
				d := f.above(g, [3]int{x + shift[0], y + shift[1], at})
				if r := dot3(d, d); r < nearest[y*f.n[0]+x] {
					nearest[y*f.n[0]+x], of[y*f.n[0]+x] = r, i
				}
			}
		}
	}
	for i, r := range nearest {
		x := [3]int{i % f.n[0], i / f.n[0], z}
		p := [3]int{x[0] + shift[0], x[1] + shift[1], at}
		if math.IsInf(r, 1) || f.typeAt(p) != 0 {
			continue
		}
		g := &f.ghosts[of[i]]
		if length := f.length(g, dot3(f.above(g, p), g.normal), r); length > 0 {
			list = append(list, LayerCell{x, uint32(of[i]), float32(length)})
		}
	}
	return list
}

// above returns the vector from the foot of a ghost cell on the surface to the centre of a cell.
func (f *modelledSearch) above(g *foundGhost, p [3]int) (d [3]float64) {
	for a := range d {
		d[a] = float64(p[a]-g.at[a]) - g.behind*g.normal[a]
	}
	return d
}

// mostAside is the square of the distance beside the surface up to which a cell lies above it: feet are at most a cell apart.
const mostAside = 2

// length returns 3 nu_t by u_tau of a cell at a height above a ghost cell's plane, the square of whose distance from the foot is r;
// 0 where the cell is above the layer, below the plane, or beside the end of the surface.
func (f *modelledSearch) length(g *foundGhost, height, r float64) float64 {
	layer := f.Wall(g.k).Model.Layer
	if height < 0 || height >= layer || r-height*height > mostAside {
		return 0
	}
	return 3 * Kappa * math.Max(height, LeastMixing) * (1 - height*height/(layer*layer))
}

func dot3(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
