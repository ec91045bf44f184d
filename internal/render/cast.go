// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package render

import (
	"cmp"
	"math"
	"slices"

	"lbmsim/internal/vector"
)

// Scene is the scene in front of a camera, the same on all ranks.
type Scene struct {
	Camera Camera
	Size   [3]float64 // of the domain
	Level  float64    // of the surface
	Finest int        // level of the finest cells of the domain, whose spacing is the distance of samples
}

// samples is the number of rays along each edge of a pixel.
const samples = 2

// Rays returns the number of rays of a picture of this size.
func Rays(size [2]int) int { return samples * samples * size[0] * size[1] }

// Rows returns the number of rows of rays.
func (s *Scene) Rows() int { return samples * s.Camera.H }

// Hit is the first thing on a ray.
type Hit struct {
	Ray   uint32
	Depth float32 // distance from the camera
	Value float32 // that colours it; NaN: it is a solid
	Light float32 // share of the colour
	Gloss float32 // share of white beside it
}

// before orders hits of a ray: the nearer wins, and hits at the same depth have a fixed order whichever rank found them.
func (h Hit) before(o Hit) int {
	return cmp.Or(cmp.Compare(h.Depth, o.Depth), cmp.Compare(h.Value, o.Value), cmp.Compare(h.Light, o.Light), cmp.Compare(h.Gloss, o.Gloss))
}

// Nearest returns the nearest of two lists of hits, each with one hit at most for a ray and in the order of the rays.
func Nearest(a, b []Hit) []Hit {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	all := make([]Hit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Or(cmp.Compare(a[0].Ray, b[0].Ray), a[0].before(b[0])); {
		case a[0].Ray == b[0].Ray:
			if c > 0 {
				a[0] = b[0]
			}
			all = append(all, a[0])
			a, b = a[1:], b[1:]
		case c < 0:
			all = append(all, a[0])
			a = a[1:]
		default:
			all = append(all, b[0])
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// Optics is a scene as devices cast rays into it: Optics of kernels/cast.h.
type Optics struct {
	From, Right, Up, Ahead, Key [3]float64
	Size                        [3]float64
	Step, Level                 float64
	W, H, Levels                int64
}

// Optics returns the numbers from which rays follow.
func (s *Scene) Optics() Optics {
	l := newLens(s.Camera)
	return Optics{l.from, l.right, l.up, l.ahead, newLights(s.Camera).key, s.Size, s.step(), s.Level, int64(l.w), int64(l.h), int64(1 + s.Finest)}
}

// step returns the distance of samples: a finest cell.
func (s *Scene) step() float64 { return 1 / float64(int(1)<<s.Finest) }

// Caster casts rays through blocks of cells.
type Caster struct {
	scene  Scene
	lens   lens
	lights lights
	step   float64
	blocks []Block
}

// NewCaster prepares blocks, which no cell is in twice.
func NewCaster(s Scene, blocks []Block) *Caster {
	c := &Caster{scene: s, lens: newLens(s.Camera), lights: newLights(s.Camera), step: s.step(), blocks: blocks}
	for i := range blocks {
		blocks[i].prepare(s.Level, s.Size)
	}
	return c
}

// From returns the caster of the same surface with another camera. Both may be used at the same time.
func (c *Caster) From(camera Camera) *Caster {
	d := *c
	d.scene.Camera, d.lens, d.lights = camera, newLens(camera), newLights(camera)
	return &d
}

// Row returns the hits of the surface on a row of rays, in their order. It may be called from several threads.
func (c *Caster) Row(y int) (hits []Hit) {
	for x := range c.lens.w {
		r := c.lens.ray(x, y)
		var best Hit
		found := false
		for i := range c.blocks {
			if h, ok := c.cast(&r, &c.blocks[i]); ok && (!found || h.before(best) < 0) {
				best, found = h, true
			}
		}
		if found {
			best.Ray = uint32(y*c.lens.w + x)
			hits = append(hits, best)
		}
	}
	return hits
}

// cast returns the first hit of a ray in a block. Samples are where the ray enters and leaves the domain, and between at whole multiples
// of the step from the camera, at most a cell apart. The one behind the surface decides which block has the hit; the one before it may
// be a cell outside the block, where its margin has the same values as the block there. Two levels differ a little in their values
// between both samples, so that each may see the surface beyond the other's end: there the block of either sample counts, and there is
// no gap.
func (c *Caster) cast(r *ray, b *Block) (Hit, bool) {
	if b.lo[0] > b.hi[0] { // no surface is in it
		return Hit{}, false
	}
	in, out := r.span(b.lo, b.hi)
	if in >= out {
		return Hit{}, false
	}
	start, end := r.span([3]float64{}, c.scene.Size)
	first, final := int(math.Ceil(start/c.step)), int(math.Ceil(end/c.step))
	before, last, owned := math.NaN(), -2, false // value of sample `last`, and whether it is one of the block
	for k := max(int(in/c.step)-1, first); k <= final; k++ {
		t, previous := min(float64(k)*c.step, end), max(float64(k-1)*c.step, start)
		if t > out+c.step {
			break
		}
		p := r.at(t)
		at, mine := b.cell(p)
		if mine && !b.bricks.active[b.bricks.of(at)] {
			pass := &b.bricks
			if !b.piles.active[b.piles.of(at)] {
				pass = &b.piles
			}
			k = max(k, int(b.leaves(r, at, pass.shift)/c.step)-1) // rounding may leave it there once more
			continue
		}
		mine = mine && (b.Finest == nil || b.Finest[(at[2]*b.N[1]+at[1])*b.N[0]+at[0]])
		if !mine && !(owned && last == k-1 && c.scene.Finest > 0) {
			continue
		}
		here := b.value(b.Shape, b.between(p))
		if last != k-1 {
			before = b.value(b.Shape, b.between(r.at(previous)))
		}
		if before == before && here == here && (before >= c.scene.Level) != (here >= c.scene.Level) {
			return c.surface(r, b, previous, t, before, here), true
		}
		before, last, owned = here, k, mine
	}
	return Hit{}, false
}

// leaves returns the distance at which a ray leaves the brick or the pile around a cell.
func (b *Block) leaves(r *ray, at [3]int, shift int) float64 {
	out := inf
	for a, u := range r.along {
		side := at[a] >> shift
		if u > 0 {
			side++
		}
		if u != 0 {
			out = min(out, (float64(b.Lo[a]+side<<shift)/b.scale-r.from[a])/u)
		}
	}
	return out
}

// surface finds the place of the surface between two samples, by false position.
func (c *Caster) surface(r *ray, b *Block, t0, t1, v0, v1 float64) Hit {
	level, t := c.scene.Level, t1
	var at corner
	for range 4 {
		t = t0 + (t1-t0)*(level-v0)/(v1-v0)
		at = b.between(r.at(t))
		v := b.value(b.Shape, at)
		if v != v || v == level {
			break
		}
		if (v >= level) == (v0 >= level) {
			t0, v0 = t, v
		} else {
			t1, v1 = t, v
		}
	}
	h := Hit{Depth: float32(t), Value: float32(b.value(b.Colour, at))}
	if h.Value != h.Value { // in a solid that conducts heat, where the flow is at rest
		h.Value = 0
	}
	h.Light, h.Gloss = c.lights.on(b.gradient(at), r.along)
	return h
}

// Solid is a solid in the domain, such as geometry.Shape.
type Solid interface {
	Contains(x, y, z float64) bool
	Bounds() (lo, hi [3]float64)
	// Crossings appends to ts where the line p + t d crosses the surface for t of 0 to 1, and may append places where it does not.
	Crossings(p, d [3]float64, ts []float64) []float64
}

// sheeted is a solid with parts of no thickness, which contain no point.
type sheeted interface {
	// Sheet returns the first place of a segment on such a part.
	Sheet(p, d [3]float64) (t float64, ok bool)
}

// Solids casts rays onto solids, of which a rank may know only the parts in and near its own box.
type Solids struct {
	scene  Scene
	lens   lens
	lights lights
	lo, hi [3]float64
	list   []Solid
}

// NewSolids returns the solids of the box from lo to hi.
func NewSolids(s Scene, list []Solid, lo, hi [3]float64) *Solids {
	return &Solids{s, newLens(s.Camera), newLights(s.Camera), lo, hi, list}
}

// Row returns the hits of solids on a row of rays, in their order. It may be called from several threads.
func (s *Solids) Row(y int) (hits []Hit) {
	var ts []float64
	for x := range s.lens.w {
		r := s.lens.ray(x, y)
		in, out := r.span([3]float64{}, s.scene.Size)
		own, end := r.span(s.lo, s.hi)
		if in >= out || own >= end {
			continue
		}
		best := inf
		var normal [3]float64
		for _, solid := range s.list {
			if near, far := r.span(solid.Bounds()); near > far {
				continue
			}
			var t float64
			var ok bool
			if t, ts, ok = first(solid, &r, in, out, own, end, ts); ok && t < best {
				best = t
				normal = facing(solid, &r, in, out, t)
			}
		}
		if best < inf {
			h := Hit{Ray: uint32(y*s.lens.w + x), Depth: float32(best), Value: float32(math.NaN())}
			h.Light, h.Gloss = s.lights.on(normal, r.along)
			hits = append(hits, h)
		}
	}
	return hits
}

// deep is how far behind a crossing a point is asked whether it is inside, in cells, and thin the least thickness that counts.
const (
	deep = 0.25
	thin = 1e-7
)

// first returns the distance at which a ray enters a solid, if it does so in the box from own to end. Crossings are on the whole way
// through the domain, from in to out: they have the same bits on all ranks.
func first(s Solid, r *ray, in, out, own, end float64, ts []float64) (float64, []float64, bool) {
	start, way := r.at(in), plus([3]float64{}, r.along, out-in)
	sheet := inf
	if s, ok := s.(sheeted); ok {
		if t, ok := s.Sheet(start, way); ok { // a real place wherever it is: the nearest of all ranks is the first
			sheet = in + t*(out-in)
		}
	}
	ts = s.Crossings(start, way, ts[:0])
	for i := range ts {
		ts[i] = in + ts[i]*(out-in)
	}
	ts = append(ts, in) // the domain cuts a solid off
	slices.Sort(ts)
	for k, t := range ts {
		if t < own || t >= end || t >= sheet {
			continue
		}
		depth := deep
		if k+1 < len(ts) {
			depth = min(depth, (ts[k+1]-t)/2)
		}
		if depth < thin {
			continue
		}
		if p := r.at(t + depth); s.Contains(p[0], p[1], p[2]) {
			return t, ts, true
		}
	}
	return sheet, ts, sheet < inf
}

// beside is the distance of the rays that find the normal of a surface, in cells.
const beside = 1e-3

// facing returns the normal of a solid where a ray meets it: of the plane through the places where two more rays do.
func facing(s Solid, r *ray, in, out, t float64) [3]float64 {
	if t == in {
		return vector.Minus([3]float64{}, r.along)
	}
	least := 0
	for a, u := range r.along {
		if math.Abs(u) < math.Abs(r.along[least]) {
			least = a
		}
	}
	var axis [3]float64
	axis[least] = 1
	e := vector.Unit(vector.Cross(r.along, axis))
	f := vector.Cross(r.along, e)
	var on [2][3]float64
	var buffer [16]float64
	for k, side := range [2][3]float64{e, f} {
		nearest := inf
		for _, sign := range [2]float64{beside, -beside} {
			shifted := ray{plus(r.from, side, sign), r.along}
			for _, u := range s.Crossings(shifted.at(in), plus([3]float64{}, r.along, out-in), buffer[:0]) {
				if u = in + u*(out-in); math.Abs(u-t) < nearest {
					nearest = math.Abs(u - t)
					on[k] = vector.Minus(shifted.at(u), r.at(t))
				}
			}
			if nearest < 10*beside {
				break
			}
		}
		if nearest > 100*beside { // seen edge-on
			return vector.Minus([3]float64{}, r.along)
		}
	}
	return vector.Cross(on[0], on[1])
}
