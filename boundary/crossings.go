// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"math"
	"sync"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Crossings lists the populations that cross faces of the interface between two levels, for one rank's part of a patch and its
// kernels (kernels/levels.h). An upstream cell sends the populations of one axis and side, computed once for all faces that they
// cross. Faces are counted in groups with one sum each, and groups that are alike share their list of crossings.
type Crossings struct {
	Upstream []Upstream
	Gains    []float64 // contributions of moving walls to reflected populations, as if from further upstream cells
	Models   []ModelledUpstream
	Groups   []Crossed
	Cells    []uint32       // of the groups: numbers in Upstream, behind them in Gains, and behind these in Models
	List     []Crossing     // of the patterns
	Scale    float64        // of the sums, in populations of the coarser level per sixth, positive out of the covered cell
	Sums     int            // number of sums: one more than the largest place
	Heat     *HeatCrossings // nil: there is no scalar

	lattice model.Lattice
	cells   Cells
	timed   []timedGain
}

// timedGain is the contribution of time-dependent walls to the populations that a cell sends across an
// axis.
type timedGain struct {
	sender
	first, count int // of its numbers in Gains
}

// Timed reports whether any of Gains change with time.
func (c *Crossings) Timed() bool { return c != nil && len(c.timed) > 0 }

// AdvanceTo sets Gains for time t, in steps of the level.
func (c *Crossings) AdvanceTo(t float64) {
	for _, g := range c.timed {
		list, _ := c.gainsOf(g.sender, t)
		copy(c.Gains[g.first:], list[:g.count])
	}
	if c.Heat != nil {
		c.Heat.AdvanceTo(t)
	}
}

// gain returns the number in Gains of what walls add to the populations that a cell sends across an axis. Equal ones that stay as they
// are share their numbers.
func (c *Crossings) gain(of sender, known gains) uint32 {
	if k, ok := known.later[of]; ok {
		return k
	}
	list, n := c.gainsOf(of, 0)
	return c.number(list, n, of, c.gainsLater(of), known)
}

// number returns the number of n gains of a sender, which is not needed for those that stay as they are.
func (c *Crossings) number(list [9]float64, n int, of sender, changes bool, known gains) uint32 {
	if k, ok := known.later[of]; ok && changes {
		return k
	}
	if k, ok := known.steady[list]; ok && !changes {
		return k
	}
	k := uint32(len(c.Gains) / n)
	if changes {
		c.timed = append(c.timed, timedGain{of, len(c.Gains), n})
		known.later[of] = k
	} else {
		known.steady[list] = k
	}
	c.Gains = append(c.Gains, list[:n]...)
	return k
}

// gains are the numbers of Gains: of those that are equal and stay as they are, and of the senders of others.
type gains struct {
	steady map[[9]float64]uint32 // D3Q27 has nine populations of an axis and side
	later  map[sender]uint32
}

// count returns the number of these numbers.
func (g gains) count() int { return len(g.steady) + len(g.later) }

func newGains() gains { return gains{map[[9]float64]uint32{}, map[sender]uint32{}} }

// gainsOf returns what walls add at a time to the populations that a cell sends across an axis, and their number.
func (c *Crossings) gainsOf(from sender, t float64) (list [9]float64, n int) {
	for i, v := range c.lattice.Velocities {
		if v[from.axis] != from.side {
			continue
		}
		to, known := plus(from.cell, v), true
		for a := range to {
			known = known && to[a] >= -1 && to[a] <= c.cells.N[a]
		}
		if known { // others pass none of the part's faces
			list[n] = c.cells.Gain(c.lattice, from.cell, i, t)
		}
		n++
	}
	return list, n
}

// gainsLater reports whether what walls add to these populations changes with time.
func (c *Crossings) gainsLater(from sender) bool {
	for _, v := range c.lattice.Velocities {
		if v[from.axis] != from.side {
			continue
		}
		to, known := plus(from.cell, v), true
		for a := range to {
			known = known && to[a] >= -1 && to[a] <= c.cells.N[a]
		}
		if !known {
			continue
		}
		if k := c.cells.Meets(from.cell, to, c.lattice.Dims); k != 0 && !c.cells.Motion(k).Steady() {
			return true
		}
	}
	return false
}

// Upstream is a cell that sends populations (lbm_upstream).
type Upstream struct {
	At         int64 // place in the state
	Rule       int32 // face rule of the ghost cell beyond it, -1: the cell itself
	Axis, High uint8 // High is 1 for the side +1
	_          [2]uint8
}

// ModelledUpstream is a ghost cell of a modelled wall that sends populations; these are not in any
// state.
type ModelledUpstream struct {
	Ghost uint32 // number in Modelled.Cells
	Axis  int
	Side  int
}

// Crossing is a population that crosses a face (lbm_crossing).
type Crossing struct {
	Cell            uint16 // number within the group's Cells
	Slot, Direction uint8  // among the populations that the cell sends; of the lattice
	Mass, Momentum  int16  // sixths that count
}

// Crossed is a group of faces (lbm_crossed): the place of its sum, the first of its Cells, and its part of List.
type Crossed struct {
	Place                  int64
	Cells, First, Count, _ uint32
}

// GainNumbers returns Gains in the number type of the populations.
func GainNumbers[T float32 | float64](c *Crossings) (list []T) {
	for _, g := range c.Gains {
		list = append(list, T(g))
	}
	return list
}

// CoarseCrossings lists the crossings of a part's faces to the next level; the sum of cell k of outside is at place k.
func CoarseCrossings(spec model.Spec, part decomp.Part, cells Cells, outside []decomp.Outside) (*Crossings, error) {
	return findCrossings(spec, part, cells, -1.0/6, len(outside), func(f *crossingFinder, k int) {
		for _, face := range outside[k].Faces {
			covered := outside[k].Cell // which may be an image's neighbour
			covered[face.Axis] -= face.Side
			f.add(f.local(covered), face.Axis, face.Side)
		}
		f.end(k)
	})
}

// FineCrossings lists the crossings of the fine faces that make up faces of the coarser level, whose sums have the places given.
func FineCrossings(spec model.Spec, part decomp.Part, cells Cells, faces []decomp.Face, place func(decomp.Face) int) (*Crossings, error) {
	scale := math.Pow(0.5, float64(spec.Lattice.Dims)) / 6 // the area of a fine face times its step
	return findCrossings(spec, part, cells, scale, len(faces), func(f *crossingFinder, k int) {
		for _, pair := range part.Hierarchy.FineFaces(faces[k]) {
			f.add(f.local(pair[0]), faces[k].Axis, faces[k].Side)
		}
		f.end(place(faces[k]))
	})
}

// groupsOfPiece is the number of groups of faces that a thread takes at a time: enough to share patterns. Tests change it.
var groupsOfPiece = 4096

// findCrossings lists the crossings of n groups, each of which group lists by add and end. Pieces of them are listed in parallel, each
// with numbers of its own, and joined in their order: so the number of threads changes nothing.
func findCrossings(spec model.Spec, part decomp.Part, cells Cells, scale float64, n int, group func(f *crossingFinder, k int)) (*Crossings, error) {
	in := newInterface(spec, part, cells)
	pieces := make([]*crossingFinder, parallel.Count(n, groupsOfPiece))
	parallel.Pieces(n, groupsOfPiece, func(lo, hi int) {
		f := newCrossingFinder(in, scale)
		for k := lo; k < hi && f.err == nil; k++ {
			group(f, k)
		}
		f.release()
		pieces[lo/groupsOfPiece] = f
	})
	return join(in, scale, pieces)
}

// interfaceOf is a part's side of an interface, of which cells are local, from -1 to N along each axis.
type interfaceOf struct {
	spec    model.Spec
	lattice model.Lattice
	part    decomp.Part
	lo      [3]int  // of the part's box
	n       [3]int  // of the level
	wraps   [3]bool // axes along which the part continues at its other end
	cells   Cells
	paths   [3][]path // by axis
	slots   [3][]uint8
	// beyond returns the ghost cells beyond the ends of rows, by x and row, which it lists when it is first called.
	beyond func() (map[[2]int]FaceCell, error)
}

// crossingFinder collects crossings.
type crossingFinder struct {
	*interfaceOf
	found Crossings
	err   error

	upstream map[Upstream]uint32
	gains    gains
	models   map[ModelledUpstream]uint32
	patterns map[string][2]uint32
	plain    map[string]*pattern // groups away from faces of the domain, by their faces
	heat     *heatFinder         // nil: there is no scalar

	faces []faceOf // of the group at hand
}

type faceOf struct {
	inside     [3]int
	axis, side int
}

// path is the path of a population through a face: the start, from the cell inside, and the end.
type path struct {
	decomp.Crossing
	direction, axis, side int
}

// passage is the counted part of a population on a path.
type passage struct {
	from           [3]int
	mass, momentum int
	returns        bool // to its cell, from a wall
	models         bool // from a ghost cell of a wall with a model
}

// sender is an upstream cell before it has a place.
type sender struct {
	cell       [3]int // from the inside of the group's first face
	axis, side int
	gains      bool // it stands for the contribution of walls
	models     bool // it is a ghost cell of a modelled wall
}

// pattern is shared by groups.
type pattern struct {
	senders      []sender
	first, count uint32
}

func newInterface(spec model.Spec, part decomp.Part, cells Cells) *interfaceOf {
	l, level := spec.Lattice, part.Hierarchy.Levels[part.Level]
	f := &interfaceOf{spec: spec, lattice: l, part: part, lo: part.Box().Lo, n: level.N, cells: cells}
	whole := level.Patches[part.Patch]
	for a := range f.wraps {
		f.wraps[a] = whole.Plan.Periodic[a] && part.Layout.N[a] == whole.Stored.Size()[a]
	}
	f.beyond = sync.OnceValues(func() (map[[2]int]FaceCell, error) {
		faces, err := FindFaces(l, part.Layout, whole.Plan.Periodic, cells)
		list := map[[2]int]FaceCell{}
		if faces != nil {
			for _, c := range faces.Cells {
				list[[2]int{int(c.X), int(c.Row)}] = c
			}
		}
		return list, err
	})
	for a := range l.Dims {
		f.slots[a] = make([]uint8, l.Q())
		counted := map[int]uint8{}
		for i, c := range l.Velocities {
			f.slots[a][i] = counted[c[a]]
			counted[c[a]]++
			for _, p := range decomp.Crossings(c, a) {
				f.paths[a] = append(f.paths[a], path{p, i, a, c[a]})
			}
		}
	}
	return f
}

func newCrossingFinder(in *interfaceOf, scale float64) *crossingFinder {
	f := &crossingFinder{interfaceOf: in, found: newCrossings(in, scale),
		upstream: map[Upstream]uint32{}, gains: newGains(), models: map[ModelledUpstream]uint32{}, patterns: map[string][2]uint32{}, plain: map[string]*pattern{}}
	if in.spec.Scalar {
		f.heat = newHeatFinder(f)
	}
	return f
}

// release gives the memory back that only listing needs.
func (f *crossingFinder) release() {
	f.upstream, f.plain, f.patterns = nil, nil, nil
	if f.heat != nil {
		f.heat.carriers, f.heat.plain, f.heat.patterns = nil, nil, nil
	}
}

func (f *interfaceOf) local(cell [3]int) [3]int { return minus(cell, f.lo) }

func (f *crossingFinder) add(inside [3]int, axis, side int) {
	f.faces = append(f.faces, faceOf{inside, axis, side})
}

// end lists the faces that were added as one group.
func (f *crossingFinder) end(place int) {
	first := f.faces[0].inside
	away := true
	key := make([]byte, 0, 25) // of small numbers
	for _, face := range f.faces {
		away = away && f.away(face.inside)
		for a := range first {
			key = append(key, byte(face.inside[a]-first[a]))
		}
		key = append(key, byte(face.axis), byte(face.side))
	}
	var p *pattern
	if away {
		p = f.plain[string(key)]
	}
	if p == nil {
		p = f.pattern(first)
		if away {
			f.plain[string(key)] = p
		}
	}
	f.found.Groups = append(f.found.Groups, Crossed{Place: int64(place), Cells: uint32(len(f.found.Cells)), First: p.first, Count: p.count})
	f.found.Sums = max(f.found.Sums, place+1)
	for _, s := range p.senders {
		if s.gains {
			f.found.Cells = append(f.found.Cells, f.found.gain(sender{cell: plus(first, s.cell), axis: s.axis, side: s.side}, f.gains)|gainOf)
			continue
		}
		if s.models {
			f.found.Cells = append(f.found.Cells, f.model(plus(first, s.cell), s.axis, s.side)|modelOf)
			continue
		}
		u, err := f.place(plus(first, s.cell), s.axis, s.side)
		if err != nil && f.err == nil {
			f.err = err
		}
		f.found.Cells = append(f.found.Cells, numberIn(&f.found.Upstream, f.upstream, u))
	}
	if f.heat != nil && f.err == nil {
		f.err = f.heat.end(place, first, string(key), away)
	}
	f.faces = f.faces[:0]
}

// gainOf and modelOf mark a number in Gains and in Models of a piece until the numbers of those before them are known.
const (
	gainOf  = 1 << 31
	modelOf = 1 << 30
)

// model returns the number in Models of a ghost cell.
func (f *crossingFinder) model(cell [3]int, axis, side int) uint32 {
	all := f.cells.Modelled.at.all(cell)
	if len(all) != 1 {
		f.err = fmt.Errorf("the interface of level %d meets an edge of a wall with a model at %v", f.part.Level, plus(f.lo, cell))
		return 0
	}
	return numberIn(&f.found.Models, f.models, ModelledUpstream{uint32(all[0]), axis, side})
}

// away reports whether no face of the domain is within two cells of a cell.
func (f *interfaceOf) away(cell [3]int) bool {
	for a := range f.lattice.Dims {
		if at := f.lo[a] + cell[a]; !f.part.Hierarchy.Periodic[a] && (at < 2 || at >= f.n[a]-2) {
			return false
		}
	}
	return true
}

// gained returns how many sixths of what a moving wall adds to a population that it sends back pass on a path.
func (f *interfaceOf) gained(x passage, p path, sign int) int {
	c := f.lattice.Velocities[f.lattice.Opposite(p.direction)]
	slips, _ := f.cells.SlipsBehind(x.from, c, f.lattice.Dims)
	return sign * p.Along(c, p.axis, slips)
}

// pattern lists the crossings of the group at hand, by the rules of the oracle (internal/ref/coupling.go): the ghost cells of open
// faces send and receive like others, also from one to another past an edge of the domain. But a ghost cell behind faces that let no
// mass through sends what the cell before it has sent there: that mass moves along the faces. What a wall sends back passes the face a
// second time: its momentum counts twice, of its mass only the part that a moving wall adds, which moves along faces without friction.
// Past the edge of two walls, from behind one of them to behind the other, as only D3Q27 does, no population exists: the upstream
// cell's stands for the pressure there.
func (f *crossingFinder) pattern(first [3]int) *pattern {
	found := newCollector[sender]()
	for _, face := range f.faces {
		outside := face.inside
		outside[face.axis] += face.side
		for _, path := range f.paths[face.axis] {
			up, sign := face.inside, 1
			if path.side != face.side {
				up, sign = outside, -1
			}
			x := f.crossing(up, path, sign)
			if x.momentum == 0 {
				continue
			}
			s := sender{cell: minus(x.from, first), axis: face.axis, side: path.side, models: x.models}
			slot := f.slots[face.axis][path.direction]
			found.add(s, slot, path.direction, x.mass, x.momentum)
			if x.returns && f.cells.Gains(f.lattice, x.from, path.direction) {
				s.gains = true
				found.add(s, slot, path.direction, -f.gained(x, path, sign), x.momentum/2)
			}
		}
	}
	p := &pattern{senders: found.senders}
	p.first, p.count = share(found.list, f.patterns, &f.found.List)
	return p
}

// crossing returns the flux through a face on a path, in sixths; no momentum: nothing.
func (f *interfaceOf) crossing(up [3]int, p path, sign int) passage {
	c, dims, part := f.lattice.Velocities[p.direction], f.lattice.Dims, sign*p.Sixths
	from := minus(up, p.Before)
	to := plus(from, c)
	if x, ok := f.besideModel(from, to, p, sign); ok {
		return x
	}
	fluid, ghost := f.sends(from)
	arrives, beyond := f.sends(to)
	reflects, across := f.cells.Reflects(from, dims)
	returns, _ := f.cells.Reflects(to, dims)
	mass := part
	switch {
	case returns && (fluid || reflects):
		mass = 0
	case reflects:
		mass = sign * p.Along(c, p.axis, across)
	}
	switch {
	case fluid && f.cells.Meets(from, to, dims) != 0:
		return passage{from: from, momentum: 2 * part, returns: true}
	case ghost && !arrives && !beyond:
		return passage{from: from, momentum: 2 * part}
	case fluid, ghost && beyond, ghost && f.cells.Meets(to, from, dims) == 0:
		return passage{from: from, mass: mass, momentum: part}
	case !ghost && !arrives && !beyond:
		return passage{from: up, momentum: part}
	}
	return passage{} // counted twice in the opposite direction
}

// besideModel returns what passes on a path to or from a ghost cell of a face with a wall model; false: it is no such path, or the link
// is bounced back. On a plane these cells send upwards the mass that the cell before them sends downwards, as slip faces do.
func (f *interfaceOf) besideModel(from, to [3]int, p path, sign int) (x passage, ok bool) {
	if f.cells.Modelled == nil {
		return x, false
	}
	c, part := f.lattice.Velocities[p.direction], sign*p.Sixths
	fluid, ghost := f.sends(from)
	arrives, beyond := f.sends(to)
	switch {
	case fluid:
		back := f.lattice.Opposite(p.direction)
		_, ok = f.cells.Modelled.Ghost(from, f.lattice.Velocities[back], back)
		return passage{from: from, momentum: part}, ok
	case ghost: // past the edge of an open face
		return passage{from: from, momentum: part}, f.isModelled(to)
	case beyond:
		return passage{from: from, momentum: part, models: true}, f.isModelled(from)
	case !arrives:
		return x, false
	}
	if _, ok = f.cells.Modelled.Ghost(to, c, p.direction); !ok {
		return x, false
	}
	behind, _, _ := f.cells.Ghost(from, f.lattice.Dims)
	var across [3]bool
	for a, out := range behind.Out {
		across[a] = out != 0
	}
	return passage{from: from, mass: sign * p.Along(c, p.axis, across), momentum: part, models: true}, true
}

// isModelled reports whether a cell is a ghost cell of a modelled wall.
func (f *interfaceOf) isModelled(x [3]int) bool { return len(f.cells.Modelled.at.all(x)) > 0 }

// sends reports whether a cell is one of the fluid, or a ghost cell behind an open face.
func (f *interfaceOf) sends(x [3]int) (fluid, ghost bool) {
	_, wall, ghost := f.cells.Ghost(x, f.lattice.Dims)
	return !ghost && wall == 0, ghost
}

// place returns an upstream cell's place in the state: a cell of the part, of its ghost layers, or the source of a ghost cell beyond
// an end of a row, which states have no room for.
func (f *interfaceOf) place(cell [3]int, axis, side int) (Upstream, error) {
	u := Upstream{Rule: -1, Axis: uint8(axis), High: uint8((side + 1) / 2)}
	l := &f.part.Layout
	for a := range cell {
		switch beyond := cell[a] < 0 || cell[a] >= l.N[a]; {
		case !beyond:
		case f.wraps[a]:
			cell[a] = (cell[a] + l.N[a]) % l.N[a]
		case a > 0 && l.Ghost[a] == 0:
			return u, fmt.Errorf("cell %v beside an interface is beyond the cells %v of its part", cell, l.N)
		}
	}
	if cell[0] >= 0 && cell[0] < l.N[0] {
		u.At = int64(l.At(cell[0], cell[1], cell[2], 0))
		return u, nil
	}
	beyond, err := f.beyond()
	if err != nil {
		return u, err
	}
	ghost, ok := beyond[[2]int{cell[0], l.Row(cell[1], cell[2])}]
	if !ok {
		return u, fmt.Errorf("cell %v beside an interface is beyond the rows of its part and no ghost cell", cell)
	}
	u.Rule = int32(ghost.Rule)
	u.At = int64(int(ghost.From)*l.RowLen() + min(max(cell[0], 0), l.N[0]-1))
	return u, nil
}

func plus(a, b [3]int) [3]int  { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func minus(a, b [3]int) [3]int { return [3]int{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
