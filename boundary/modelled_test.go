// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"lbmsim/internal/brief"
	"lbmsim/internal/vector"
	"lbmsim/model"
)

// reichardt returns u+ at y+ by the profile of PlusOf, implemented independently.
func reichardt(plus float64) float64 {
	c := 4.27 - math.Log(0.384)/0.384
	return math.Log(1+0.384*plus)/0.384 + c*(1-math.Exp(-plus/9.5)-plus/9.5*math.Exp(-0.33*plus))
}

// PlusOf solves the profile, and linear interpolation in the table is close to it.
func TestLawOfTheWall(t *testing.T) {
	for _, plus := range []float64{0.5, 3, 12, 100, 3000, 1e6} {
		if got := PlusOf(plus * reichardt(plus)); math.Abs(got/plus-1) > 1e-12 {
			t.Errorf("y+ %g: %g", plus, got)
		}
	}
	table := PlusTable(0.71)
	for re := 1.0; re < 1e9; re *= 1.037 {
		part, power := math.Frexp(re)
		at := (2*part-1)*PlusParts + float64(PlusParts*(power-1-PlusFirst))
		i := int(at)
		got := table[i] + (at-float64(i))*(table[i+1]-table[i])
		if want := PlusOf(re); math.Abs(got/want-1) > 5e-4 {
			t.Errorf("Re %g: y+ %g by the table, %g by the profile", re, got, want)
		}
	}
	// Far from the wall it is the logarithm of Lee & Moser.
	if u := 5000 / PlusOf(5000*reichardt(5000)) * reichardt(5000); math.Abs(u-(math.Log(5000)/0.384+4.27)) > 0.02 {
		t.Errorf("u+ = %g at y+ 5000", u)
	}
}

// body is a solid by its signed distance, which is negative inside, with a wall model.
type body func(p [3]float64) float64

// around returns the cells of a periodic box of n cells with more layers around it, in which a body is solid.
func (b body) around(n [3]int, more int, layer float64) Cells {
	return b.aroundPart(n, [3]int{}, n, more, layer)
}

// aroundPart returns the same of the part of a box that has n cells from lo on.
func (b body) aroundPart(box, lo, n [3]int, more int, layer float64) Cells {
	big := n
	for a := range big {
		big[a] += 2 * more
		lo[a] -= more
	}
	c := NewCells(big)
	c.Global, c.Origin, c.Periodic = box, lo, [3]bool{true, true, true}
	c.Walls = []Wall{{Law: ModelledWall, Model: WallModel{Sample: 4.5, Layer: layer}}}
	centre := func(at [3]int) (p [3]float64) { // of a cell's image in the domain
		for a := range p {
			p[a] = float64((at[a]+lo[a]+4*box[a])%box[a]) + 0.5
		}
		return p
	}
	for z := -1; z <= big[2]; z++ {
		for y := -1; y <= big[1]; y++ {
			for x := -1; x <= big[0]; x++ {
				if b(centre([3]int{x, y, z})) < 0 {
					c.Type[c.Index(x, y, z)] = 1
				}
			}
		}
	}
	c.Distance = func(x, v [3]int) float64 {
		p := centre([3]int{x[0] - v[0], x[1] - v[1], x[2] - v[2]})
		lo, hi := 0.0, 1.0
		for range 60 {
			q := (lo + hi) / 2
			if b([3]float64{p[0] + (1-q)*float64(v[0]), p[1] + (1-q)*float64(v[1]), p[2] + (1-q)*float64(v[2])}) > 0 {
				lo = q
			} else {
				hi = q
			}
		}
		return (lo + hi) / 2
	}
	return c
}

// testedMargin is ModelledMargin of the tests' walls, whose law samples at 4.5 cells.
const testedMargin = modelledMargin + edgeReach + 5

func found(t *testing.T, b body, n [3]int, layer float64) *Modelled {
	t.Helper()
	l, _ := model.FindLattice("D3Q27")
	around := b.around(n, testedMargin, layer)
	if want := ModelledMargin(around.Walls); want > testedMargin {
		t.Fatalf("the margin is %d", want)
	}
	m, err := FindModelled(l, [3]int{}, n, around)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// layer is a solid layer across a normal of length 1, which continues across the periodic faces of a box with that period.
func layer(normal [3]float64, thick, from, period float64) body {
	return func(at [3]float64) float64 {
		d := vector.Dot(at, normal) - from
		d -= period * math.Floor(d/period)
		if d < thick {
			return -math.Min(d, thick-d)
		}
		return math.Min(d-thick, period-d)
	}
}

// band is a layer along (q, p) in the plane x, y, in a box of q k by p k cells.
func band(p, q, k int, thick, from float64) (body, [3]int, [3]float64) {
	size := math.Hypot(float64(p), float64(q))
	normal := [3]float64{-float64(p) / size, float64(q) / size, 0}
	return layer(normal, thick, from, float64(p*k)*float64(q)/size), [3]int{q * k, p * k, 4}, normal
}

// tilted is a layer across (1, 2, 2)/3, in a box of three periods by one and a half.
func tilted(thick float64, period int) (body, [3]int, [3]float64) {
	normal := [3]float64{1. / 3, 2. / 3, 2. / 3}
	return layer(normal, thick, 0.4387, float64(period)), [3]int{3 * period, 3 * period / 2, 3 * period / 2}, normal
}

// Of a plane at any angle the normal and the distance are exact, it has no curvature, and the areas of its links add up to its own.
func TestGhostCellsOfPlanes(t *testing.T) {
	slopes := [][3]int{{1, 10, 16}, {1, 6, 16}, {1, 3, 18}, {1, 2, 20}, {1, 1, 24}}
	if brief.Fewer(t, "slopes"); testing.Short() {
		slopes = [][3]int{{1, 6, 16}, {1, 1, 24}}
	}
	for _, slope := range slopes {
		p, q := slope[0], slope[1]
		b, n, normal := band(p, q, slope[2], 5.04, 0.4387)
		checkPlanes(t, b, n, normal, 2*float64(n[0])*math.Hypot(1, float64(p)/float64(q))*float64(n[2]))
	}
	b, n, normal := tilted(5.04, 12)
	checkPlanes(t, b, n, normal, 2*float64(n[0]*n[1]*n[2])/12)
}

// checkPlanes examines the ghost cells behind both surfaces of a layer.
func checkPlanes(t *testing.T, b body, n [3]int, normal [3]float64, want float64) {
	t.Helper()
	m := found(t, b, n, 4)
	area := 0.0
	for _, c := range m.Cells {
		side := vector.Dot(c.Normal, normal)
		if math.Abs(math.Abs(side)-1) > 1e-9 || c.Curvature() > 1e-6 {
			t.Fatalf("across %v, ghost cell %v: normal %v, curvature %g", normal, c.At, c.Normal, c.Curvature())
		}
		if d := -b(middle(c.At)); math.Abs(c.Behind-d) > 1e-9 {
			t.Fatalf("across %v, ghost cell %v: %g behind the surface instead of %g", normal, c.At, c.Behind, d)
		}
		if c.Without != WithModel || c.Height != 4.5 {
			t.Fatalf("across %v, ghost cell %v: reason %d, height %g", normal, c.At, c.Without, c.Height)
		}
		area += c.Area
	}
	if math.Abs(area/want-1) > 1e-9 {
		t.Errorf("across %v: area %g instead of %g", normal, area, want)
	}
}

// middle returns the centre of a cell.
func middle(at [3]int) [3]float64 {
	return [3]float64{float64(at[0]) + 0.5, float64(at[1]) + 0.5, float64(at[2]) + 0.5}
}

// Of spheres normals, distances and curvature are exact to second order. The bounds have twice or thrice the errors of the first run: 0.24
// degrees, 0.0022 cells, 3 % of 1/R and 0.3 % of the area with a radius of 10 cells, 0.065, 0.00024, 0.7 % and 0.06 % with 20.
func TestGhostCellsOfSpheres(t *testing.T) {
	for _, s := range []struct {
		radius                    float64
		angle, away, bend, ofArea float64
	}{{10, 0.5, 0.005, 0.06, 0.008}, {20, 0.15, 0.0007, 0.02, 0.0015}} {
		size := 2*int(s.radius) + 10
		b, centre := ballOf(s.radius, size)
		m := found(t, b, [3]int{size, size, size}, 4)
		area, angle, away, bend := 0.0, 0.0, 0.0, 0.0
		for _, c := range m.Cells {
			out := vector.Minus(middle(c.At), centre)
			r := math.Sqrt(vector.Dot(out, out))
			angle = math.Max(angle, math.Acos(math.Min(1, vector.Dot(out, c.Normal)/r))*180/math.Pi)
			away = math.Max(away, math.Abs(c.Behind-(s.radius-r)))
			bend = math.Max(bend, math.Abs(c.Curvature()*s.radius/math.Sqrt2-1)) // two equal curvatures
			area += c.Area / (4 * math.Pi * s.radius * s.radius)
			if c.Without == AtEdge {
				t.Errorf("an edge of a sphere of radius %g at %v", s.radius, c.At)
			}
		}
		t.Logf("radius %g, largest errors: normal %.2g degrees, distance %.2g cells, curvature %.2g, area %.2g", s.radius, angle, away, bend, area-1)
		if !(angle <= s.angle && away <= s.away && bend <= s.bend && math.Abs(area-1) <= s.ofArea) {
			t.Errorf("a sphere of radius %g is not found where it is", s.radius)
		}
	}
}

// ballOf is a sphere near the middle of a box, and its centre.
func ballOf(radius float64, size int) (body, [3]float64) {
	half := float64(size) / 2
	centre := [3]float64{half + 0.13, half - 0.21, half + 0.31}
	return func(p [3]float64) float64 {
		return math.Sqrt(vector.Dot(vector.Minus(p, centre), vector.Minus(p, centre))) - radius
	}, centre
}

// A body shifted across the periodic faces has the same ghost cells and the same layer, shifted, and periodic images of a
// cell are one.
func TestPeriodicImagesOfGhostCells(t *testing.T) {
	const size = 24
	b, _ := ballOf(6, size)
	n, by := [3]int{size, size, size}, [3]int{11, 13, -9}
	moved := body(func(p [3]float64) float64 {
		for a := range p {
			p[a] = math.Mod(p[a]-float64(by[a])+2*size, size)
		}
		return b(p)
	})
	shift := func(at [3]int) [3]int {
		for a := range at {
			at[a] = (at[a] + by[a] + size) % size
		}
		return at
	}
	here, there := found(t, b, n, 4), found(t, moved, n, 4)
	if len(here.Cells) == 0 || len(here.Cells) != len(there.Cells) || len(here.Layer) != len(there.Layer) {
		t.Fatalf("%d ghost cells and %d cells in the layer, moved %d and %d", len(here.Cells), len(here.Layer), len(there.Cells), len(there.Layer))
	}
	for _, c := range here.Cells {
		all := there.at.all(shift(c.At))
		k := slices.IndexFunc(all, func(k int32) bool { return there.Cells[k].Serves == c.Serves })
		if k < 0 {
			t.Fatalf("ghost cell %v is lost", c.At)
		}
		sameGhost(t, c, there.Cells[all[k]], shift)
		if c.Sharp != 0 {
			t.Fatalf("ghost cell %v of a ball is beside an edge", c.At)
		}
	}
	lengths := map[[3]int]LayerCell{}
	for _, c := range there.Layer {
		lengths[c.At] = c
	}
	for _, c := range here.Layer {
		got := lengths[shift(c.At)]
		if math.Abs(float64(got.Length-c.Length)) > 1e-6 || there.Cells[got.Ghost].At != shift(here.Cells[c.Ghost].At) {
			t.Fatalf("cell %v of the layer: %+v, moved %+v", c.At, c, got)
		}
	}
	for k, c := range there.Cells {
		for a := range n {
			image := c.At
			switch c.At[a] {
			case 0:
				image[a] = size
			case size - 1:
				image[a] = -1
			default:
				continue
			}
			if all := there.at.all(image); !slices.Contains(all, int32(k)) {
				t.Fatalf("ghost cell %v has number %d, its image %v has %d", c.At, k, image, all)
			}
		}
	}
}

// sameGhost compares a ghost cell with a shifted one.
func sameGhost(t *testing.T, c, moved ModelledCell, shift func([3]int) [3]int) {
	t.Helper()
	far := math.Max(math.Abs(c.Behind-moved.Behind), math.Max(math.Abs(c.Before-moved.Before), math.Abs(c.Area-moved.Area)))
	for a := range 3 {
		far = math.Max(far, math.Abs(c.Normal[a]-moved.Normal[a]))
	}
	for k := range c.Bend {
		far = math.Max(far, math.Abs(c.Bend[k]-moved.Bend[k]))
	}
	for _, s := range [][2]Stencil{{c.Image, moved.Image}, {c.Sample, moved.Sample}} {
		if s[0].N != s[1].N {
			t.Fatalf("ghost cell %v reads %d cells, moved %d", c.At, s[0].N, s[1].N)
		}
		for k := range s[0].N {
			if shift(s[0].Cells[k].Cell()) != s[1].Cells[k].Cell() {
				t.Fatalf("ghost cell %v reads %v, moved %v", c.At, s[0].Cells[k], s[1].Cells[k])
			}
			far = math.Max(far, math.Abs(s[0].Weight[k]-s[1].Weight[k]))
		}
	}
	if !(far <= 1e-9) || c.Without != moved.Without || c.Height != moved.Height {
		t.Fatalf("ghost cell %+v, moved %+v", c, moved)
	}
}

// partition is a box around a body, and the number of its parts along each axis.
type partition struct {
	b        body
	n, parts [3]int
}

// However a box is cut, each part has the same ghost cells as the whole to the last bit, exactly one part counts each, and
// the cells of the layer are the same. Those that depend on the part's own cells come first.
func TestGhostCellsOfParts(t *testing.T) {
	l, _ := model.FindLattice("D3Q27")
	ball := body(func(p [3]float64) float64 {
		return math.Hypot(math.Hypot(p[0]-1.3, p[1]-10.2), p[2]-17.6) - 6.3
	})
	block := blockOf([3]float64{10.1, 10.2, 11.3}, [3]float64{6.3, 5.4, 6.2}, 0.31)
	// Thin parts read many times their own cells, so fewer are tested.
	few := [3]int{14, 15, 16}
	marble := body(func(p [3]float64) float64 {
		return math.Hypot(math.Hypot(p[0]-1.3, p[1]-7.2), p[2]-12.6) - 4.3
	})
	brick := blockOf([3]float64{7.1, 7.2, 8.3}, [3]float64{4.3, 3.4, 4.2}, 0.31)
	slope, n, _ := tilted(3, 12)
	torn := body(func(p [3]float64) float64 { // a slab that does not continue across the periodic faces
		return math.Abs(0.2*(p[0]-10)+0.97*(p[1]-9)-0.14*(p[2]-11)) - 2.8
	})
	plated := body(func(p [3]float64) float64 { // a plate one cell thick in front of a wall
		return math.Min(math.Abs(p[2]-11)-3, math.Hypot(math.Max(0, math.Abs(p[0]-9.5)-6), math.Max(math.Abs(p[2]-16.5)-0.5, 0)+math.Max(0, math.Abs(p[1]-10)-5))-1e-3)
	})
	cases := []partition{{slope, n, [3]int{1, 1, 2}}, {slope, n, [3]int{1, 2, 3}}, {slope, n, [3]int{1, 9, 1}}, {ball, [3]int{20, 21, 22}, [3]int{1, 3, 2}}, {marble, few, [3]int{1, 1, 16}},
		{plated, [3]int{20, 21, 22}, [3]int{1, 3, 2}}, {block, [3]int{20, 21, 22}, [3]int{1, 3, 2}}, {brick, few, [3]int{1, 1, 8}}, {torn, [3]int{20, 21, 22}, [3]int{1, 1, 2}}, {torn, [3]int{20, 21, 22}, [3]int{1, 4, 1}}}
	if brief.Fewer(t, "parts, of larger bodies,"); testing.Short() { // thin parts of the slope, thicker ones of the others
		slope, n, _ = tilted(3, 10)
		cases = []partition{{slope, n, [3]int{1, 3, 1}}, {marble, few, [3]int{1, 3, 2}}, {plated, [3]int{20, 21, 22}, [3]int{1, 1, 2}}, {brick, few, [3]int{1, 1, 2}}, {torn, [3]int{16, 20, 18}, [3]int{1, 1, 2}}}
	}
	for _, c := range cases {
		whole := found(t, c.b, c.n, 4)
		type face struct {
			at     [3]int
			serves uint32
			normal [3]float64 // those that serve no link have their normals
		}
		ghosts, layer := map[face]ModelledCell{}, map[[3]int]LayerCell{}
		for _, g := range whole.Cells {
			ghosts[face{g.At, g.Serves, g.Normal}] = g
		}
		for _, x := range whole.Layer {
			layer[x.At] = x
		}
		counted, measured, linked := 0, 0, 0
		for k := range c.parts[1] * c.parts[2] {
			var lo, size [3]int
			for a, at := range [3]int{0, k % c.parts[1], k / c.parts[1]} {
				lo[a] = at * c.n[a] / c.parts[a]
				size[a] = (at+1)*c.n[a]/c.parts[a] - lo[a]
			}
			around := c.b.aroundPart(c.n, lo, size, testedMargin, 4)
			m, err := FindModelled(l, lo, size, around)
			if err != nil || ModelledMargin(around.Walls) > testedMargin {
				t.Fatal(err)
			}
			global := func(at [3]int) [3]int { return [3]int{at[0] + lo[0], at[1] + lo[1], at[2] + lo[2]} }
			for i := range m.Cells {
				g := m.Cells[i]
				if g.reads(size) != (i < m.Early) {
					t.Fatalf("%v parts, part %d: ghost cell %d of %d early ones reads %v, %v", c.parts, k, i, m.Early, g.Image.Cells, g.Sample.Cells)
				}
				if g.Own {
					counted++
				}
				g.At, g.Own = global(g.At), true
				for _, s := range []*Stencil{&g.Image, &g.Sample} {
					for j := range s.N {
						s.Cells[j] = placeOf(global(s.Cells[j].Cell()))
					}
				}
				want := ghosts[face{g.At, g.Serves, g.Normal}]
				for _, l := range g.Links {
					l.To = placeOf(global(l.To.Cell()))
					if linked++; !slices.Contains(want.Links, l) {
						t.Fatalf("%v parts, part %d: link %+v, of the whole %+v", c.parts, k, l, want.Links)
					}
				}
				g.Links, want.Links = nil, nil
				if !reflect.DeepEqual(g, want) {
					t.Fatalf("%v parts, part %d: ghost cell %+v, of the whole %+v", c.parts, k, g, want)
				}
			}
			for i, x := range m.Layer {
				measured++
				of, want := m.Cells[x.Ghost], layer[global(x.At)]
				if x.Length != want.Length || global(of.At) != whole.Cells[want.Ghost].At || of.Serves != whole.Cells[want.Ghost].Serves || (int(x.Ghost) < m.Early) != (i < m.EarlyLayer) {
					t.Fatalf("%v parts, part %d: cell %+v of the layer, of the whole %+v", c.parts, k, x, want)
				}
			}
		}
		for _, g := range whole.Cells {
			linked -= len(g.Links)
		}
		if linked != 0 {
			t.Errorf("%v parts have %d links more than the whole", c.parts, linked)
		}
		if counted != len(whole.Cells) || measured != len(whole.Layer) || counted == 0 || measured == 0 {
			t.Errorf("%v parts count %d of %d ghost cells and %d of %d cells of the layer", c.parts, counted, len(whole.Cells), measured, len(whole.Layer))
		}
	}
}

// blockOf returns a block around a point, with half sides, turned about z.
func blockOf(centre, half [3]float64, turn float64) body {
	sin, cos := math.Sincos(turn)
	return func(p [3]float64) float64 {
		d := vector.Minus(p, centre)
		x, y := cos*d[0]+sin*d[1], cos*d[1]-sin*d[0]
		return math.Max(math.Max(math.Abs(x)-half[0], math.Abs(y)-half[1]), math.Abs(d[2])-half[2])
	}
}

// Every face of a block is flat up to its edges, also turned by any angle: a cell behind an edge is a ghost cell for each face, and
// each link has the face that it crosses. Links beside edges lean both ways along an axis. Only at corners faces may be too
// narrow to be found. The area lacks the share of links from beyond the edges.
func TestFacesOfBlocks(t *testing.T) {
	half := [3]float64{7.3, 6.6, 6.2}
	l, _ := model.FindLattice("D3Q27")
	for _, turn := range []float64{0, 0.31, 0.62} {
		sin, cos := math.Sincos(turn)
		axes := [3][3]float64{{cos, sin, 0}, {-sin, cos, 0}, {0, 0, 1}}
		m := found(t, blockOf([3]float64{15.1, 15.1, 15.1}, half, turn), [3]int{30, 30, 30}, 4)
		shared, edges, along, lee, wrong, area, sharp := 0, 0, 0, 0, 0, 0.0, 0.0
		var lean struct {
			middle [3]int
			axis   int
		}
		leans := map[any]int{}
		for _, c := range m.Cells {
			if c.Turned {
				along++
				axis := slices.Index(c.Normal[:], 1)
				if axis < 0 || vector.Dot(c.Normal, c.Normal) != 1 || c.Area != 0 || bits.OnesCount32(c.Serves) != 1 || c.Image.N != 1 {
					t.Errorf("turned by %g: beside an edge %+v", turn, c)
				}
				v := l.Velocities[bits.TrailingZeros32(c.Serves)]
				for a := range v {
					lean.middle[a] = 2*c.At[a] + v[a]
				}
				lean.axis = axis
				leans[lean] += v[axis]
				continue
			}
			area += c.Area
			if len(m.at.all(c.At)) > 1 {
				shared++
			}
			if c.Without == AtEdge {
				edges++
				continue
			}
			sharp += c.Sharp
			best := 0.0
			for a := range axes {
				best = math.Max(best, math.Abs(vector.Dot(c.Normal, axes[a])))
			}
			if c.Without != WithModel || best < 1-1e-3 {
				t.Errorf("turned by %g: ghost cell %v has the normal %v, without %d", turn, c.At, c.Normal, c.Without)
			}
			// Its lee is to the nearest edge, which is within leeWidth.
			near, to := leeWidth, [3]float64{}
			for a := range axes {
				d := vector.Dot(axes[a], [3]float64{float64(c.At[0]) + 0.5 - 15.1, float64(c.At[1]) + 0.5 - 15.1, float64(c.At[2]) + 0.5 - 15.1})
				if left := half[a] - math.Abs(d); math.Abs(vector.Dot(c.Normal, axes[a])) < 0.5 && left < near {
					near = left
					for b := range to {
						to[b] = math.Copysign(1, d) * axes[a][b]
					}
				}
			}
			if off := vector.Dot(vector.Minus(c.Lee, to), vector.Minus(c.Lee, to)); near < leeWidth-0.1 && off > 1e-4 {
				wrong++
			} else if near < leeWidth-0.1 {
				lee++
			} else if near == leeWidth && c.Lee != to {
				t.Errorf("turned by %g: ghost cell %v, far from edges, has the lee %v", turn, c.At, c.Lee)
			}
		}
		want := 8 * (half[0]*half[1] + half[1]*half[2] + half[2]*half[0])
		t.Logf("turned by %g: %d of %d ghost cells are edges, %d share a cell, %d are in lees, %d in another one, %d links follow edges, area %g of %g, bounced back %g", turn, edges, len(m.Cells), shared, lee, wrong, along, area, want, sharp)
		for at, sum := range leans {
			if sum != 0 {
				t.Errorf("turned by %g: links along an edge lean to one side: %+v", turn, at)
			}
		}
		if edges > 8*6 || shared < 150 || along < 80 || math.Abs(area/want-1) > 0.1 {
			t.Errorf("turned by %g: the faces of a block are not found", turn)
		}
		if edge := 8 * (half[0] + half[1] + half[2]); sharp > 0.25*edge {
			t.Errorf("turned by %g: links that cross an area of %g are bounced back, beside edges of length %g", turn, sharp, edge)
		}
		if lee < 200 || wrong > lee/10 {
			t.Errorf("turned by %g: %d ghost cells are in the lee of the nearest edge, %d of another one", turn, lee, wrong)
		}
		if turn == 0 {
			closed(t, m)
		}
	}
}

// closed checks that no link of a face along the grid adds or removes mass without a partner: links with the same middle
// lean to both sides.
func closed(t *testing.T, m *Modelled) {
	t.Helper()
	type place struct {
		middle, normal [3]int
	}
	lean := map[place][3]float64{}
	l, _ := model.FindLattice("D3Q27")
	for _, c := range m.Cells {
		if c.Turned {
			continue
		}
		for _, link := range c.Links {
			v, to, at := l.Velocities[link.Direction], link.To.Cell(), place{}
			for a := range v {
				at.middle[a], at.normal[a] = 2*to[a]-v[a], int(math.Round(c.Normal[a]))
			}
			sum := lean[at]
			for a := range sum {
				if at.normal[a] == 0 {
					sum[a] += l.Weights[link.Direction] * float64(v[a])
				}
			}
			lean[at] = sum
		}
	}
	for at, sum := range lean {
		if vector.Dot(sum, sum) > 1e-20 {
			t.Errorf("links of a face with the normal %v around %v/2 lean to one side by %v", at.normal, at.middle, sum)
		}
	}
}

// A cell whose links leave both sides of a thin body equally has no normal: it is not a ghost cell, and the others stay
// valid.
func TestThinBodiesHaveNoGhostCells(t *testing.T) {
	for _, thick := range []float64{0.9, 1} {
		b := layer([3]float64{0, 1, 0}, thick, 8.04, 18)
		m := found(t, b, [3]int{6, 18, 6}, 4)
		for _, c := range m.Cells {
			if all := m.at.all(c.At); len(all) > 0 || c.Without != WithoutImage {
				t.Errorf("a plate of %g cells has a ghost cell, %+v", thick, c)
			}
		}
		if len(m.Cells) == 0 || len(m.Layer) != 0 {
			t.Errorf("a plate of %g cells: %d cells are counted, %d have a mixing length", thick, len(m.Cells), len(m.Layer))
		}
	}
	b, n, _ := tilted(3, 12)
	for _, c := range found(t, b, n, 4).Cells {
		if c.Without == WithoutImage {
			continue
		}
		if !(math.Abs(vector.Dot(c.Normal, c.Normal)-1) < 1e-9) || !(c.Before > 0 && c.Behind >= 0) {
			t.Fatalf("ghost cell %+v", c)
		}
	}
}

// Stencils read fluid cells, with weights that add up to 1; the layer has the mixing length of the distance from the
// plane.
func TestStencilsAndLengths(t *testing.T) {
	b, n, _ := band(1, 2, 26, 5.04, 0.4387)
	m := found(t, b, n, 4)
	for _, c := range m.Cells {
		for _, s := range []Stencil{c.Image, c.Sample} {
			sum := 0.0
			for k := range s.N {
				sum += s.Weight[k]
				if s.Weight[k] < 0 || b(middle(s.Cells[k].Cell())) <= 0 {
					t.Fatalf("ghost cell %v reads %v with the weight %g", c.At, s.Cells[k], s.Weight[k])
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("ghost cell %v: the weights add up to %g", c.At, sum)
			}
		}
	}
	lengths := map[[3]int]float64{}
	for _, c := range m.Layer {
		if int(c.Ghost) >= len(m.Cells) {
			t.Fatalf("cell %v belongs to ghost cell %d of %d", c.At, c.Ghost, len(m.Cells))
		}
		lengths[c.At] = float64(c.Length)
	}
	for i := range n[0] * n[1] * n[2] {
		at := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
		y, want := b(middle(at)), 0.0
		if y > 0 && y < 4 {
			want = 3 * Kappa * math.Max(y, LeastMixing) * (1 - y*y/16)
		}
		if math.Abs(lengths[at]-want) > 1e-6 {
			t.Fatalf("cell %v, %g above the wall: 3 nu_t by u_tau is %g instead of %g", at, y, lengths[at], want)
		}
	}
}

// A plate one cell thick in front of a wall, at any angle, hides the flow beyond: the wall's law is sampled in the gap or
// not at all, and no stencil reads cells on the other side. A gap of two cells has no room; with five the law is sampled
// lower.
func TestNothingIsReadBeyondAPlate(t *testing.T) {
	slopes := [][3]int{{0, 1, 24}, {1, 3, 16}, {1, 1, 22}}
	if brief.Fewer(t, "slopes"); testing.Short() {
		slopes = [][3]int{{0, 1, 24}, {1, 1, 22}}
	}
	for _, slope := range slopes {
		for _, gap := range []float64{2, 5} {
			wall, n, normal := band(slope[0], slope[1], slope[2], 5, 0.5)
			if slope[0] == 0 {
				wall, n, normal = layer([3]float64{0, 1, 0}, 5, 1, 24), [3]int{6, 24, 6}, [3]float64{0, 1, 0}
			}
			surface := 5.5 // of the wall, along the normal
			if slope[0] == 0 {
				surface = 6
			}
			// across the stairs of an oblique plate no line leads between solid cells
			thick := math.Abs(normal[0]) + math.Abs(normal[1])
			plate := layer(normal, thick, surface+gap, periodOf(slope))
			m := found(t, func(p [3]float64) float64 { return math.Min(wall(p), plate(p)) }, n, 4)
			seen := 0
			for _, c := range m.Cells {
				from := surface - vector.Dot(middle(c.At), normal)
				if from -= periodOf(slope) * math.Round(from/periodOf(slope)); from < 0 || from > 2 || vector.Dot(c.Normal, normal) < 0.9 {
					continue // of the plate, or of the wall's other side
				}
				seen++
				if gap == 2 && c.Without == WithModel || gap == 5 && c.Without == WithModel && !(c.Height < 4.5) {
					t.Fatalf("slope %v, a gap of %g cells, ghost cell %v: reason %d, height %g", slope, gap, c.At, c.Without, c.Height)
				}
				for _, s := range []Stencil{c.Image, c.Sample} {
					for k := range s.N {
						h := vector.Dot(middle(s.Cells[k].Cell()), normal) - surface
						if h -= periodOf(slope) * math.Floor(h/periodOf(slope)); h > gap {
							t.Fatalf("slope %v, a gap of %g cells: ghost cell %v reads %v, %g above the wall", slope, gap, c.At, s.Cells[k], h)
						}
					}
				}
			}
			if seen == 0 {
				t.Errorf("slope %v: no ghost cells of the wall", slope)
			}
		}
	}
}

// periodOf returns the period of band along its normal.
func periodOf(slope [3]int) float64 {
	if slope[0] == 0 {
		return float64(slope[2])
	}
	p, q := float64(slope[0]), float64(slope[1])
	return p * float64(slope[2]) * q / math.Hypot(p, q)
}

// A gap that has no room for the sampled point is a no-slip wall, and is counted.
func TestGapsHaveNoModel(t *testing.T) {
	b := body(func(p [3]float64) float64 { return 1.2 - math.Abs(p[1]-10) }) // fluid 2.4 cells wide
	m := found(t, b, [3]int{8, 20, 8}, 0)
	for _, c := range m.Cells {
		if c.Without != WithoutSpace || c.Height != 0 {
			t.Fatalf("ghost cell %v: reason %d, height %g", c.At, c.Without, c.Height)
		}
	}
	if len(m.Cells) == 0 || m.Layer != nil {
		t.Errorf("%d ghost cells, %d cells in a layer", len(m.Cells), len(m.Layer))
	}
}

// A cylinder between slip faces has the ghost cells of an infinite one: every link from behind the faces has one, and the
// area is whole.
func TestImagesBehindSlipFaces(t *testing.T) {
	l, _ := model.FindLattice("D3Q27")
	b := func(p [3]float64) float64 { return math.Hypot(p[0]-15.1, p[1]-14.8) - 7.3 }
	for _, nz := range []int{1, 2, 5} {
		n := [3]int{30, 30, nz}
		around := body(b).between(n)
		m, err := FindModelled(l, [3]int{}, n, around)
		if err != nil {
			t.Fatal(err)
		}
		area := 0.0
		for _, c := range m.Cells {
			area += c.Area
		}
		if want := 2 * math.Pi * 7.3 * float64(nz); math.Abs(area/want-1) > 0.01 {
			t.Errorf("%d cells between the faces: area %g of %g", nz, area, want)
		}
		links := 0
		for z := range nz {
			for y := range n[1] {
				for x := range n[0] {
					for i, c := range l.Velocities {
						p := [3]int{x - c[0], y - c[1], z - c[2]}
						if around.At(x+testedMargin, y+testedMargin, z) != 0 || around.At(p[0]+testedMargin, p[1]+testedMargin, z) == 0 || p[2] >= 0 && p[2] < nz {
							continue
						}
						k, ok := m.Ghost([3]int{x, y, z}, c, i)
						if links++; !ok {
							t.Errorf("%d cells between the faces: no ghost cell at %v for direction %v", nz, p, c)
							continue
						}
						if g := m.Cells[k]; g.Mirrored != 4 || g.At != p || math.Abs(g.Normal[2]) > 2e-3 || g.Without != WithModel {
							t.Errorf("%d cells between the faces: the image at %v, %+v", nz, g.At, g.Normal)
						}
					}
				}
			}
		}
		if links < 200 {
			t.Errorf("%d links", links)
		}
	}
}

// between returns the cells of a body between slip faces of z, in a box of n cells that is periodic along x and y.
func (b body) between(n [3]int) Cells {
	whole := b.aroundPart(n, [3]int{}, n, testedMargin, 4)
	c := NewCells([3]int{n[0] + 2*testedMargin, n[1] + 2*testedMargin, n[2]})
	c.Global, c.Origin, c.Periodic = n, [3]int{-testedMargin, -testedMargin, 0}, [3]bool{true, true, false}
	c.Walls = append(whole.Walls, Wall{Law: Slip})
	for z := -1; z <= c.N[2]; z++ {
		for y := -1; y <= c.N[1]; y++ {
			for x := -1; x <= c.N[0]; x++ {
				k := whole.At(x, y, z+testedMargin)
				if z < 0 || z == n[2] {
					k = 2
				}
				c.Type[c.Index(x, y, z)] = k
			}
		}
	}
	c.Distance = func(x, v [3]int) float64 { return whole.Distance([3]int{x[0], x[1], x[2] + testedMargin}, v) }
	return c
}

// The ghost cells of a body that is symmetric to a plane of the grid are symmetric: a force normal to that plane would be a
// discretization error. Around this ball some are fitted again for each of their links (facets).
func TestGhostCellsOfSymmetricBodies(t *testing.T) {
	n := [3]int{36, 36, 36}
	m := found(t, func(p [3]float64) float64 {
		return math.Hypot(math.Hypot(p[0]-18.23, p[1]-18), p[2]-17.91) - 8
	}, n, 4)
	across := func(at [3]int) [3]int { return [3]int{at[0], n[1] - 1 - at[1], at[2]} }
	for _, c := range m.Cells {
		all := m.at.all(across(c.At))
		if len(all) != len(m.at.all(c.At)) {
			t.Errorf("%d ghost cells at %v", len(all), across(c.At))
			continue
		}
		if len(all) > 1 {
			continue // in another order
		}
		d := m.Cells[all[0]]
		off := math.Abs(c.Behind-d.Behind) + math.Abs(c.Before-d.Before) + math.Abs(c.Height-d.Height) + math.Abs(c.Area-d.Area)
		for a, s := range [3]float64{1, -1, 1} {
			off += math.Abs(c.Normal[a] - s*d.Normal[a])
		}
		for k, s := range [6]float64{1, 1, 1, -1, 1, -1} {
			off += math.Abs(c.Bend[k] - s*d.Bend[k])
		}
		if !(off < 1e-9) {
			t.Errorf("ghost cell %v: %v %v %g, across: %v %v %g", c.At, c.Normal, c.Bend, c.Behind, d.Normal, d.Bend, d.Behind)
		}
	}
}

// A block and its mirror image have ghost cells that mirror each other, and the same area wherever it lies on the grid: also if its
// faces are half-way between centres, where diagonal links cross edges and corners, and if they contain centres.
func TestGhostCellsOfBlocksOnTheGrid(t *testing.T) {
	l, _ := model.FindLattice("D3Q27")
	n, half := [3]int{30, 30, 30}, [3]float64{7, 6, 5}
	share := 0.0
	for _, at := range []float64{0, 0.25, 0.49, 0.5 - 1e-12, 0.5, 0.5 + 1e-12} {
		m := found(t, blockOf([3]float64{15 + at, 15, 15}, half, 0), n, 4)
		area, count := 0.0, 0
		cells := map[mirrored]*ModelledCell{}
		for k := range m.Cells {
			c := &m.Cells[k]
			cells[mirrored{c.At, c.Normal, c.Turned, c.Serves}] = c
			if !c.Turned {
				area, count = area+c.Area-c.Sharp, count+1
			}
		}
		if len(cells) != len(m.Cells) {
			t.Errorf("at %g: %d of %d ghost cells differ", at, len(cells), len(m.Cells))
		}
		for _, c := range m.Cells {
			for axis := 1; axis < 3; axis++ { // the block is in the middle along y and z
				want := mirror(c, l, axis, n[axis])
				d := cells[mirrored{want.At, want.Normal, want.Turned, want.Serves}]
				if d == nil {
					t.Errorf("at %g: nothing mirrors ghost cell %v with the normal %v across axis %d", at, c.At, c.Normal, axis)
				} else if off := differ(want, *d); off > 1e-9 {
					t.Errorf("at %g: ghost cell %v with the normal %v is mirrored across axis %d with a difference of %g", at, c.At, c.Normal, axis, off)
				}
			}
		}
		area /= float64(count) // at 0.5 the block is a cell shorter
		if share == 0 {
			share = area
		}
		if math.Abs(area-share) > 0.01*share {
			t.Errorf("at %g the model has an area of %g per ghost cell, at 0 %g", at, area, share)
		}
		for axis := 1; axis < 3; axis++ {
			layer := map[[3]int]LayerCell{}
			for _, c := range m.Layer {
				layer[c.At] = c
			}
			for place, c := range layer {
				place[axis] = n[axis] - 1 - place[axis]
				ghost := mirror(m.Cells[c.Ghost], l, axis, n[axis])
				if d := layer[place]; math.Abs(float64(d.Length-c.Length)) > 1e-6 || m.Cells[d.Ghost].At != ghost.At || m.Cells[d.Ghost].Normal != ghost.Normal {
					t.Errorf("at %g: the layer at %v differs from its mirror image across axis %d", at, place, axis)
				}
			}
		}
	}
}

// mirrored identifies a ghost cell.
type mirrored struct {
	at     [3]int
	normal [3]float64
	turned bool
	serves uint32
}

// mirror returns a ghost cell's image in a box of n cells along an axis.
func mirror(c ModelledCell, l model.Lattice, axis, n int) ModelledCell {
	c.At[axis], c.Lee[axis] = n-1-c.At[axis], -c.Lee[axis]
	if !c.Turned && c.Normal[axis] != 0 {
		c.Normal[axis] = -c.Normal[axis]
	}
	serves := c.Serves
	c.Serves = 0
	for i, v := range l.Velocities {
		if v[axis] = -v[axis]; serves>>i&1 != 0 {
			c.Serves |= 1 << slices.Index(l.Velocities, v)
		}
	}
	for _, s := range []*Stencil{&c.Image, &c.Sample} {
		for k := range s.N {
			s.Cells[k][axis] = int32(n) - 1 - s.Cells[k][axis]
		}
	}
	return c
}

// differ returns the largest difference between the numbers of two ghost cells at the same place.
func differ(c, d ModelledCell) float64 {
	off := math.Max(math.Abs(c.Behind-d.Behind)+math.Abs(c.Before-d.Before), math.Abs(c.Area-d.Area)+math.Abs(c.Sharp-d.Sharp))
	if !math.IsInf(c.Height, 1) || !math.IsInf(d.Height, 1) {
		off = math.Max(off, math.Abs(c.Height-d.Height))
	}
	for a := range c.Lee {
		off = math.Max(off, math.Abs(c.Lee[a]-d.Lee[a]))
	}
	for _, pair := range [][2]Stencil{{c.Image, d.Image}, {c.Sample, d.Sample}} {
		weights := map[Place]float64{}
		for i, sign := range []float64{1, -1} {
			for k := range pair[i].N {
				weights[pair[i].Cells[k]] += sign * pair[i].Weight[k]
			}
		}
		for _, w := range weights {
			off = math.Max(off, math.Abs(w))
		}
	}
	return off
}
