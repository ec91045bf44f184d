package boundary

import (
	"fmt"
	"math"

	"lbmsim/internal/parallel"
	"lbmsim/model"
)

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

// inside reports whether a place, or a periodic image of it, is in the domain.
func (f *modelledSearch) inside(p [3]int) bool {
	for a := range p {
		if at := p[a] + f.Origin[a]; !f.Periodic[a] && (at < 0 || at >= f.Global[a]) {
			return false
		}
	}
	return true
}
