// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// ScalarLaw is the treatment of a scalar at a wall or a face (kernels/scalar.h has the formulas).
type ScalarLaw int

const (
	ScalarClosed   ScalarLaw = iota // nothing passes: an adiabatic wall
	ScalarFixed                     // the value at the wall
	ScalarFlux                      // flux into the fluid per unit of area and time
	ScalarOpen                      // no gradient: outflow leaves with its own value
	ScalarInlet                     // the value of the inflow: ScalarFixed at a face with flow through it
	ScalarMirror                    // ScalarClosed at a slip face
	ScalarConducts                  // a solid that stores and conducts it
	ScalarOutlet                    // ScalarInlet where fluid enters, ScalarOpen where it leaves (Entering)
	ScalarModelled                  // ScalarClosed, ScalarFixed or ScalarFlux by the ghost cells of a wall with a model; its other links are closed
)

// Entering returns the share of a face's inflow law for a cell with this inward velocity: 0 where fluid leaves,
// 1 where it enters faster than 1e-5. In between the law of outflow turns into the law of inflow, so that
// rounding of a velocity around 0 does not switch laws.
func Entering(inwards float64) float64 { return min(max(inwards*EnteringPer, 0), 1) }

// EnteringPer is ENTERING of kernels/local.h.
const EnteringPer = 100_000

// ScalarWall is a wall's law and its numbers, in lattice units.
type ScalarWall struct {
	Law   ScalarLaw
	Bare  ScalarLaw // of ScalarModelled: the law that ghost cells follow
	Value float64   // for ScalarConducts, the source per unit of volume and time
	// For ScalarConducts: capacity and conductivity, relative to the fluid.
	Capacity, Conductivity float64
}

// ScalarLink is a link of the flow's lattice to a wall that is measured, for
// kernels/scalar.h: of cell X in interior row z*ny + y, along the direction out of the
// wall, whose type follows, at a distance (ScalarPlaces.Distances).
type ScalarLink struct {
	X, Row, Direction, Type uint32
	Distance, Slope         float64
}

// ScalarLinks lists them, row after row, in rising x: the links of fluid cells, and of conducting solids to others.
func (w *Walls) ScalarLinks() (list []ScalarLink) {
	if !w.measured() {
		return nil
	}
	n, types := w.given.N, w.ScalarTypes()
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				own := w.given.At(x, y, z)
				if own != 0 && !w.given.Conducts(own) {
					continue
				}
				for i, from := range w.from {
					if k := types[w.given.Index(x, y, z)+from]; k != 0 && k != own && w.given.Wall(k).Measured {
						at, link := [3]int{x, y, z}, ScalarLink{uint32(x), uint32(z*n[1] + y), uint32(i), uint32(k), 0, 1}
						if own == 0 {
							link.Distance, link.Slope = w.curve(at, i, k), w.slope(at, i, k)
						}
						list = append(list, w.measuredTimes(link, at)...)
					}
				}
			}
		}
	}
	return list
}

// measuredTimes returns a link once, or beside the end of a box once per sixth that meets the wall there, as the flow's
// links are listed.
func (w *Walls) measuredTimes(link ScalarLink, at [3]int) []ScalarLink {
	if w.given.Patch == nil {
		return []ScalarLink{link}
	}
	sixths := w.measuredPart(at, int(link.Direction))
	if sixths == 6 {
		return []ScalarLink{link}
	}
	link.Type += uint32(w.given.Patch.Sixths)
	return slices.Repeat([]ScalarLink{link}, sixths)
}

func (w *Walls) measured() bool {
	for _, wall := range w.given.Walls {
		if wall.Measured {
			return true
		}
	}
	return false
}

// ScalarPlace is a cell with solid ones beside it along directions of the flow's lattice, in interior row
// z*ny + y: the directions out of them, their common type (0 if they differ), and where the distances of
// these links begin in ScalarPlaces.Distances, or ScalarHalfway. Conducting solid cells are places, too.
type ScalarPlace struct{ X, Row, Links, Type, First uint32 }

// ScalarHalfway is First of a place whose walls are all half-way and normal to axes.
const ScalarHalfway = math.MaxUint32

// ScalarPlaces are such cells, row after row, in rising x.
type ScalarPlaces struct {
	Rows  []uint32 // first place of interior row z*ny + y; one more at the end
	Cells []ScalarPlace
	// Distances of walls along the links of a place, in rising direction, in links; 0: half-way, where the flow
	// does not interpolate. Each is followed by its slope.
	Distances []float64
}

// curve returns the distance of an interpolated wall of type k along direction i out of it from cell x, -1 less the number of a ghost
// cell of a wall with a model that sends a population along it, 0 for others.
func (w *Walls) curve(x [3]int, i int, k uint8) float64 {
	if n, ok := w.modelledLink(x, i, k); ok {
		return -1 - float64(n)
	}
	if w.given.Wall(k).Law != Interpolated {
		return 0
	}
	return w.distance(x, i, k)
}

// modelledLink returns the number of the ghost cell that sends a population along direction i into cell x, of a wall with a model;
// k is the type that the scalar meets.
func (w *Walls) modelledLink(x [3]int, i int, k uint8) (n uint32, ok bool) {
	if w.given.Modelled == nil || w.given.Wall(k).Law != ModelledWall {
		return 0, false
	}
	if of := w.given.Type[w.given.Index(x[0], x[1], x[2])+w.from[i]]; of == 0 || w.given.Wall(of).Law != ModelledWall && w.given.Wall(of).Law != Slip {
		return 0, false
	}
	return w.given.Modelled.Ghost(x, w.lattice.Velocities[i], i)
}

// slope of the wall of type k along direction i out of it into cell x, |c.n|, if a flux needs it. For a wall with a model,
// where no ghost cell sends the population, it is the wall's velocity along the link, with which the flow bounces back.
func (w *Walls) slope(x [3]int, i int, k uint8) float64 {
	if n, ok := w.modelledLink(x, i, k); ok {
		return w.given.Modelled.Cells[n].slopeAlong(w.lattice, i)
	}
	if w.given.ScalarLaw(k).Law == ScalarModelled {
		of := w.given.Type[w.given.Index(x[0], x[1], x[2])+w.from[i]]
		if of == 0 || w.given.Wall(of).Law != ModelledWall {
			return 0
		}
		return w.law(x, i, of, Unscaled(w.given.Motion(of)), 0).K / (6 * w.lattice.Weights[i])
	}
	if w.given.Slope != nil && w.given.ScalarLaw(k).Law == ScalarFlux {
		if s := w.given.Slope(x, w.lattice.Velocities[i]); s > 0 {
			return s
		}
	}
	return 1
}

// ScalarPlaces lists cells with links out of walls or faces. plain are those beside half-way walls at rest alone, in
// which the sums of the flow are the sums of the scalar, too (kernels/scalar.h); mixed are the others, and solid
// cells that conduct. special are the cells whose flow is recomputed, nil: none; all: these are always places.
func (w *Walls) ScalarPlaces(special *Links, all bool) (plain, mixed ScalarPlaces) {
	n, c := w.given.N, w.given
	w.ScalarTypes()
	still, conducts, some := make([]bool, 1+len(c.Walls)), make([]bool, 1+len(c.Walls)), false
	for k := range c.Walls {
		wall := c.Wall(uint8(k + 1))
		law := wall.Scalar.Law
		still[k+1] = c.Plain(uint8(k+1)) && c.Rests(uint8(k+1)) && law != ScalarOpen && law != ScalarConducts && !(law == ScalarFlux && c.Slope != nil)
		conducts[k+1] = c.Conducts(uint8(k + 1))
		some = some || conducts[k+1]
	}
	found := make([][2][]ScalarPlace, n[1]*n[2])
	parallel.Ranges(len(found), func(lo, hi int) {
		near := make([]byte, (n[0]+2+7)/8*8)
		for r := lo; r < hi; r++ {
			y, z, own := r%n[1], r/n[1], special.Of(r)
			w.around(near, y, z)
			for x := 0; x < n[0]; x++ {
				if x+10 <= len(near) && binary.NativeEndian.Uint64(near[x:]) == 0 {
					x += 5 // six cells with nothing around
					continue
				}
				index := c.Index(x, y, z)
				solid := c.Type[index] != 0
				if solid && !(some && conducts[c.Type[index]]) || near[x]|near[x+1]|near[x+2] == 0 {
					continue
				}
				place, simple := w.placeOf(index, still)
				if place.Links == 0 && !solid {
					continue
				}
				place.X, place.Row = uint32(x), uint32(r)
				for len(own) > 0 && int(own[0].X) < x {
					own = own[1:]
				}
				list := &found[r][0]
				if solid || !simple || len(own) > 0 && int(own[0].X) == x {
					list = &found[r][1]
				}
				*list = append(*list, place)
			}
			if all {
				found[r][1] = withAll(found[r][1], special.Of(r), uint32(r))
			}
		}
	})
	var both sync.WaitGroup
	for i, to := range []*ScalarPlaces{&plain, &mixed} {
		both.Add(1)
		go func() {
			defer both.Done()
			for _, row := range found {
				to.Rows = append(to.Rows, uint32(len(to.Cells)))
				to.Cells = append(to.Cells, row[i]...)
			}
			if i == 1 {
				w.measure(to)
			}
			to.Rows = append(to.Rows, uint32(len(to.Cells)))
		}()
	}
	both.Wait()
	return plain, mixed
}

// withAll adds those cells of a row that are not yet places, without links.
func withAll(list []ScalarPlace, special []LinkCell, row uint32) []ScalarPlace {
	places := list // in rising x
	for _, c := range special {
		if _, ok := slices.BinarySearchFunc(places, c.X, func(p ScalarPlace, x uint32) int { return cmp.Compare(p.X, x) }); !ok {
			list = append(list, ScalarPlace{X: c.X, Row: row, First: ScalarHalfway})
		}
	}
	slices.SortFunc(list, func(a, b ScalarPlace) int { return cmp.Compare(a.X, b.X) })
	return list
}

// around sets near, for each x from -1 on, to nonzero where a cell at x in row (y, z) or in a row beside it is solid.
func (w *Walls) around(near []byte, y, z int) {
	clear(near)
	width, depth := w.given.N[0]+2, w.lattice.Dims-2
	for dz := -depth; dz <= depth; dz++ {
		for dy := -1; dy <= 1; dy++ {
			row := w.given.Type[w.given.Index(-1, y+dy, z+dz):][:width]
			at := 0
			for ; at+8 <= width; at += 8 {
				if v := binary.NativeEndian.Uint64(row[at:]); v != 0 {
					binary.NativeEndian.PutUint64(near[at:], binary.NativeEndian.Uint64(near[at:])|v)
				}
			}
			for ; at < width; at++ {
				near[at] |= row[at]
			}
		}
	}
}

// placeOf describes the cell of that index; simple: all of its walls are still ones.
func (w *Walls) placeOf(index int, still []bool) (place ScalarPlace, simple bool) {
	place.First, simple = ScalarHalfway, true
	for i, from := range w.from {
		k := w.scalar[index+from]
		if k == 0 {
			continue
		}
		simple = simple && still[k]
		if place.Links == 0 {
			place.Type = uint32(k)
		} else if place.Type != uint32(k) {
			place.Type = 0
		}
		place.Links |= 1 << i
	}
	return place, simple
}

// measure finds the distances and slopes of places beside walls that are not half-way and across axes.
func (w *Walls) measure(l *ScalarPlaces) {
	for n := range l.Cells {
		place, own, curved := &l.Cells[n], []float64(nil), false
		x := [3]int{int(place.X), int(place.Row) % w.given.N[1], int(place.Row) / w.given.N[1]}
		index := w.given.Index(x[0], x[1], x[2])
		if w.given.Type[index] != 0 {
			continue
		}
		for rest := place.Links; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			k := w.scalar[index+w.from[i]]
			q, slope := w.curve(x, i, k), w.slope(x, i, k)
			own, curved = append(own, q, slope), curved || q != 0 || slope != 1
		}
		if curved {
			place.First = uint32(len(l.Distances))
			l.Distances = append(l.Distances, own...)
		}
	}
}

// scalarOrder selects which of the faces that meet at an edge of the domain a scalar has behind it: behind an
// insulated face is the mirror image of the cell in front of it.
var scalarOrder = [...]int{ScalarClosed: 2, ScalarMirror: 1, ScalarOpen: 3, ScalarFlux: 4, ScalarConducts: 5, ScalarOutlet: 6, ScalarInlet: 7, ScalarFixed: 8}

func (s ScalarWall) order() int {
	if s.Law == ScalarModelled {
		return scalarOrder[s.Bare]
	}
	return scalarOrder[s.Law]
}

// ScalarAt returns the type that a scalar meets at cell g, from -1 to N along each axis: the type in Cells except
// behind the edges of the domain, and behind slip faces where a wall with a model ends.
func (c Cells) ScalarAt(g [3]int, dims int) uint8 {
	k, behind := c.At(g[0], g[1], g[2]), 0
	inside := g
	for a := range dims {
		if k != 0 && !c.Periodic[a] && c.outside(g, a) {
			behind++
			if inside[a]++; c.Origin[a]+g[a] >= 0 {
				inside[a] -= 2
			}
		}
	}
	if behind > 0 && c.Wall(k).Law == Slip {
		if of := c.At(inside[0], inside[1], inside[2]); of != 0 && c.Wall(of).Law == ModelledWall {
			return of // as the flow (modelledSearch.mirror)
		}
	}
	if behind < 2 {
		return k
	}
	most := 0
	for a := range dims {
		if inside[a] == g[a] {
			continue
		}
		at := inside
		at[a] = g[a]
		if t := c.At(at[0], at[1], at[2]); t != 0 && c.ScalarLaw(t).order() > most {
			k, most = t, c.ScalarLaw(t).order()
		}
	}
	return k
}

// ScalarTypes returns the types of all cells and of one layer around (Cells.Type), as a scalar meets them.
func (w *Walls) ScalarTypes() []uint8 {
	if w.scalar == nil {
		w.scalar = append([]uint8(nil), w.given.Type...)
		w.given.behind(w.lattice.Dims, func(g [3]int) {
			w.scalar[w.given.Index(g[0], g[1], g[2])] = w.given.ScalarAt(g, w.lattice.Dims)
		})
	}
	return w.scalar
}

// ScalarLaw returns the law of type k > 0.
func (c Cells) ScalarLaw(k uint8) ScalarWall {
	s, law := c.Wall(k).Scalar, c.Wall(k).Law
	switch {
	case law == ModelledWall:
		s.Bare, s.Law = s.Law, ScalarModelled
	case s.Law == ScalarFixed && law == VelocityFace && !c.Wall(k).MayExit:
		s.Law = ScalarInlet
	case s.Law == ScalarFixed && law.Passed():
		s.Law = ScalarOutlet
	case s.Law == ScalarClosed && (law == Slip || law == MovingFace):
		s.Law = ScalarMirror
	}
	return s
}

// Conducts reports whether cells of type k, 0 for fluid, are solids that store and conduct a scalar.
func (c Cells) Conducts(k uint8) bool { return k != 0 && c.Wall(k).Scalar.Law == ScalarConducts }

// ScalarNumbers is the count of numbers of a type in ScalarLaws.
const ScalarNumbers = 4

// ScalarLaws returns the laws of all types, 0 too: the number of the law, its value, and for a conducting solid the
// capacity and 1 - 1/tau.
func ScalarLaws[T float32 | float64](w *Walls) []T {
	list := make([]T, ScalarNumbers, ScalarNumbers*(1+len(w.given.Walls)))
	for k := range w.given.Walls {
		of := k + 1
		if p := w.given.Patch; p != nil && p.Sixths > 0 && of > int(p.Sixths) { // partly measured links
			of -= int(p.Sixths)
		}
		law := w.given.ScalarLaw(uint8(of))
		list = append(list, T(law.Law), T(law.Value), T(law.Capacity), T(model.ScalarKeep(law.Conductivity)))
	}
	return list
}
