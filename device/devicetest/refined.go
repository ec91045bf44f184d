// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/ref"
	"lbmsim/model"
)

// refinedFlow is a flow on nested grids.
type refinedFlow struct {
	spec     model.Spec
	params   model.Params // of level 0
	n        [3]int
	periodic [3]bool
	faces    [3][2]uint8 // types of the domain's faces, of walls
	walls    []boundary.Wall
	boxes    [][]decomp.Box // in cells of level 0, by level from 1 on
	ranks    int
}

// refined is such a flow on a device: all ranks' parts, with couplings instead of messages.
type refined struct {
	flow   refinedFlow
	h      *decomp.Hierarchy
	stream device.Stream
	params []model.Params // by level
	levels []refinedLevel
}

// refinedLevel has the parts of all patches of a level and the compact buffers from which they are filled.
type refinedLevel struct {
	parts []*refinedPart

	shell    device.Buffer // coarse cells from which the overlap is interpolated
	means    device.Buffer // of the coarser level's mirror cells
	fine     device.Buffer // sums of fine faces
	siblings device.Buffer // of the level's cells in other patches' overlap
	ghosts   device.Buffer // of the level's cells in ghost layers
}

type refinedPart struct {
	decomp.Part
	program device.Program
	state   [2]device.Buffer // now and next
	own     device.Buffer    // sums of coarse faces

	up, down, beside, around device.Coupling // with the coarser and the finer level, with other patches and parts
}

// hierarchy returns the patches.
func (f refinedFlow) hierarchy(t testing.TB) *decomp.Hierarchy {
	t.Helper()
	plan, err := decomp.Slabs(f.n, f.periodic, f.spec.Lattice.Dims, f.ranks)
	if err != nil {
		t.Fatal(err)
	}
	var list []decomp.Refinement
	for k, boxes := range f.boxes {
		for _, b := range boxes {
			r := decomp.Refinement{Name: "refine.box", Level: k + 1}
			for a := range r.From {
				r.From[a], r.To[a] = float64(b.Lo[a]), float64(b.Hi[a])
			}
			list = append(list, r)
		}
	}
	h, err := decomp.NewHierarchy(plan, list)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// cells returns the cells of a box of a level's n cells, from lo on, by the faces of the domain; of two at an edge the later axis
// wins. solid reports which of them are hidden, or not stored.
func (f refinedFlow) cells(n, lo, size [3]int, solid func(cell [3]int) bool) boundary.Cells {
	c := boundary.NewCells(size)
	c.Global, c.Origin, c.Periodic = n, lo, f.periodic
	c.Walls = append(slices.Clone(f.walls), boundary.Wall{})
	eachCell(size, 1, func(x [3]int) {
		at, kind := x, uint8(0)
		for a := range f.spec.Lattice.Dims {
			at[a] += lo[a]
			switch {
			case f.periodic[a]:
			case at[a] < 0:
				kind = f.faces[a][0]
			case at[a] >= n[a]:
				kind = f.faces[a][1]
			}
		}
		if kind == 0 && solid != nil && solid(at) {
			kind = uint8(len(c.Walls))
		}
		c.Type[c.Index(x[0], x[1], x[2])] = kind
	})
	return c
}

// oracle returns the flow at rest on the oracle.
func (f refinedFlow) oracle(h *decomp.Hierarchy) *ref.Levels {
	s := ref.NewLevels(h, f.spec.Lattice, f.spec.Collision.Name, f.spec.Viscosity, f.params, func(level int) boundary.Cells {
		n := h.Levels[level].N
		return f.cells(n, [3]int{}, n, nil)
	})
	if f.spec.Scalar {
		s.SetScalar(func([3]float64) (float64, [3]float64) { return 0, [3]float64{} })
	}
	return s
}

// layout returns the layout of a part of a patch.
func (f refinedFlow) layout(p decomp.Patch, rank int) decomp.Layout {
	ghost := [3]int{0, 0, 1}
	if f.spec.Lattice.Dims == 2 {
		ghost = [3]int{0, 1, 0}
	}
	for k := range f.walls {
		if f.walls[k].Law.Open() && !f.periodic[1] {
			ghost[1] = 1
		}
	}
	if p.Part(rank).Size()[1] < p.Stored.Size()[1] {
		ghost[1] = 1
	}
	return decomp.NewLayout(p.Part(rank).Size(), ghost, f.spec.Components())
}

// startRefined loads a flow, with the state of an oracle.
func startRefined(t testing.TB, d device.Device, f refinedFlow, h *decomp.Hierarchy, oracle *ref.Levels) *refined {
	t.Helper()
	r := &refined{flow: f, h: h, stream: d.NewStream(false)}
	for level, l := range h.Levels {
		r.params = append(r.params, oracle.Grids[level].Params)
		var of refinedLevel
		for k, patch := range l.Patches {
			for rank := range f.ranks {
				if patch.Part(rank).Cells() > 0 {
					part := decomp.Part{Hierarchy: h, Level: level, Patch: k, Rank: rank, Layout: f.layout(patch, rank)}
					of.parts = append(of.parts, r.start(t, d, part))
				}
			}
		}
		r.levels = append(r.levels, of)
	}
	for level := range r.levels {
		r.besides(t, d, level)
		if level > 0 {
			r.couple(t, d, level)
		}
	}
	r.set(t, oracle)
	return r
}

// start loads a part.
func (r *refined) start(t testing.TB, d device.Device, part decomp.Part) *refinedPart {
	t.Helper()
	p := &refinedPart{Part: part}
	patch := r.h.Levels[part.Level].Patches[part.Patch]
	p.program = load(t, d, r.flow.spec, part.Layout, patch.Plan.Periodic, r.cellsOf(part))
	for k := range p.state {
		p.state[k] = alloc(t, d, stateBytes(r.flow.spec, part.Layout))
	}
	t.Cleanup(func() {
		p.program.Close()
		p.state[0].Free()
		p.state[1].Free()
	})
	return p
}

func (r *refined) cellsOf(part decomp.Part) boundary.Cells {
	box, patch := part.Box(), r.h.Levels[part.Level].Patches[part.Patch]
	return r.flow.cells(r.h.Levels[part.Level].N, box.Lo, box.Size(), func(cell [3]int) bool {
		for a := range cell {
			if !patch.Plan.Periodic[a] && (cell[a] < patch.Stored.Lo[a] || cell[a] >= patch.Stored.Hi[a]) {
				return r.flow.spec.Lattice.Dims > a // cells beyond the overlap do not matter
			}
		}
		return r.hidden(part.Level, cell)
	})
}

// hidden reports whether a cell is never read.
func (r *refined) hidden(level int, cell [3]int) bool {
	at, inside := r.h.Wrap(level, cell)
	if !inside {
		return false
	}
	_, found := r.h.Find(level, at)
	return found && r.h.Role(level, at) == decomp.Hidden
}

// compact is cells of a level in the order of a compact buffer.
type compact struct {
	cells [][3]int
	index map[[3]int]int
}

// note collects the cells requested by visit, in ascending z, y, x.
func note(visit func(place func(cell [3]int) int)) compact {
	c := compact{index: map[[3]int]int{}}
	var mu sync.Mutex
	visit(func(cell [3]int) int {
		mu.Lock()
		defer mu.Unlock()
		c.index[cell] = 0
		return 0
	})
	for cell := range c.index {
		c.cells = append(c.cells, cell)
	}
	slices.SortFunc(c.cells, func(a, b [3]int) int { return slices.Compare([]int{a[2], a[1], a[0]}, []int{b[2], b[1], b[0]}) })
	for k, cell := range c.cells {
		c.index[cell] = k
	}
	return c
}

func (c compact) place(cell [3]int) int {
	k, ok := c.index[cell]
	if !ok {
		panic("a cell without a place")
	}
	return k
}

func (r *refined) buffer(t testing.TB, d device.Device, cells int) device.Buffer {
	b := alloc(t, d, max(1, cells)*r.flow.spec.Components()*r.flow.spec.Precision.Bytes())
	t.Cleanup(b.Free)
	return b
}

func (r *refined) sums(t testing.TB, d device.Device, places int) device.Buffer {
	b := alloc(t, d, 8*device.SumNumbers(r.flow.spec)*max(1, places))
	t.Cleanup(b.Free)
	return b
}

func join(t testing.TB, p *refinedPart, lists device.CouplingLists) device.Coupling {
	t.Helper()
	c, err := p.program.(device.Coupler).Couple(lists)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// besides couples the parts of a level: overlap cells with other patches, ghost layers with other parts or the other end.
func (r *refined) besides(t testing.TB, d device.Device, level int) {
	t.Helper()
	l := &r.levels[level]
	siblings := note(func(place func([3]int) int) {
		for _, p := range l.parts {
			if level > 0 {
				p.Siblings(place)
			}
		}
	})
	type cell struct {
		patch int
		at    [3]int
	}
	var ghosts []cell
	index := map[cell]int{}
	each := func(p *refinedPart, visit func(ghost [3]int, from cell)) {
		patch := r.h.Levels[level].Patches[p.Patch]
		size, box := patch.Stored.Size(), p.Box()
		eachCell(p.Layout.N, 1, func(x [3]int) {
			var at, beyond [3]int
			for a := range x {
				at[a] = box.Lo[a] + x[a]
				beyond[a] = min(1, max(0, -x[a])+max(0, x[a]-p.Layout.N[a]+1))
				if patch.Plan.Periodic[a] {
					at[a] = patch.Stored.Lo[a] + (at[a]-patch.Stored.Lo[a]+size[a])%size[a]
				}
				if beyond[a] > p.Layout.Ghost[a] {
					return
				}
			}
			if beyond != [3]int{} && patch.Stored.Contains(at) {
				visit(x, cell{p.Patch, at})
			}
		})
	}
	for _, p := range l.parts {
		each(p, func(_ [3]int, from cell) {
			if _, ok := index[from]; !ok {
				index[from] = len(ghosts)
				ghosts = append(ghosts, from)
			}
		})
	}
	l.siblings, l.ghosts = r.buffer(t, d, len(siblings.cells)), r.buffer(t, d, len(ghosts))
	for _, p := range l.parts {
		beside := device.CouplingLists{Gathered: p.Owned(siblings.cells, siblings.place)}
		if level > 0 {
			beside.Scattered = p.Siblings(siblings.place)
		}
		p.beside = join(t, p, beside)
		var around device.CouplingLists
		for k, g := range ghosts {
			if g.patch == p.Patch && p.Box().Contains(g.at) {
				around.Gathered = append(around.Gathered, decomp.Copied{At: int64(p.At(g.at)), Place: int64(k)})
			}
		}
		each(p, func(x [3]int, from cell) {
			around.Scattered = append(around.Scattered, decomp.Copied{At: int64(p.Layout.At(x[0], x[1], x[2], 0)), Place: int64(index[from])})
		})
		p.around = join(t, p, around)
	}
}

// couple builds the lists between a level and the coarser one.
func (r *refined) couple(t testing.TB, d device.Device, level int) {
	t.Helper()
	fine, coarse := &r.levels[level], &r.levels[level-1]
	more := 0
	shell := note(func(place func([3]int) int) {
		for _, p := range fine.parts {
			more = max(more, len(p.Parents(0, place).Extrapolated))
		}
	})
	means := note(func(place func([3]int) int) { r.h.Mirror(level-1, func(cell [3]int) { place(cell) }) })
	faces := map[decomp.Face]int{}
	r.h.Faces(level-1, func(f decomp.Face) { faces[f] = len(faces) })
	place := func(f decomp.Face) int { return faces[f] }
	fine.shell, fine.means, fine.fine = r.buffer(t, d, len(shell.cells)+more), r.buffer(t, d, len(means.cells)), r.sums(t, d, len(faces))
	spec := r.flow.spec
	for _, p := range fine.parts {
		x, err := boundary.FineCrossings(spec, p.Part, r.cellsOf(p.Part), p.Inside(), place)
		if err != nil {
			t.Fatal(err)
		}
		p.up = join(t, p, device.CouplingLists{Parents: p.Parents(len(shell.cells), shell.place), Families: p.Families(means.place), Crossings: x})
	}
	for _, p := range coarse.parts {
		outside := p.Outside()
		x, err := boundary.CoarseCrossings(spec, p.Part, r.cellsOf(p.Part), outside)
		if err != nil {
			t.Fatal(err)
		}
		lists := device.CouplingLists{Values: p.Owned(shell.cells, shell.place), Scattered: p.Owned(means.cells, means.place), Crossings: x}
		lists.Corrected, lists.Faces = p.Corrected(outside, place)
		p.own, p.down = r.sums(t, d, len(outside)), join(t, p, lists)
	}
}

// prolong queues the overlap of a level.
func (r *refined) prolong(level int) {
	l := &r.levels[level]
	for _, p := range r.levels[level-1].parts {
		p.down.GatherValues(r.stream, p.state[0], l.shell, r.params[level-1])
	}
	for _, p := range l.parts {
		p.up.Prolong(r.stream, l.shell, p.state[0], r.params[level-1], r.params[level])
	}
}

// exchange queues the copies that a step of a level reads from outside its cells.
func (r *refined) exchange(level int) {
	l := &r.levels[level]
	for _, p := range l.parts {
		p.beside.Gather(r.stream, p.state[0], l.siblings)
	}
	for _, p := range l.parts {
		p.beside.Scatter(r.stream, l.siblings, p.state[0])
	}
	for _, p := range l.parts {
		p.around.Gather(r.stream, p.state[0], l.ghosts)
	}
	for _, p := range l.parts {
		p.around.Scatter(r.stream, l.ghosts, p.state[0])
		p.program.FillFaces(r.stream, p.state[0], false)
		p.program.FillFaces(r.stream, p.state[0], true)
	}
}

// countFine and countCoarse queue the flux sums at the interface of a level, in its own steps and in the coarser
// level's.
func (r *refined) countFine(level, which int) {
	l := &r.levels[level]
	for _, p := range l.parts {
		p.up.Count(r.stream, p.state[0], l.fine, which > 0)
	}
}

func (r *refined) countCoarse(level int) {
	for _, p := range r.levels[level-1].parts {
		p.down.Count(r.stream, p.state[0], p.own, false)
	}
}

// restrict and correct queue the updates of the coarser level.
func (r *refined) restrict(level int) {
	l := &r.levels[level]
	for _, p := range l.parts {
		p.up.Restrict(r.stream, p.state[0], l.means, r.params[level], r.params[level-1])
	}
	for _, p := range r.levels[level-1].parts {
		p.down.Scatter(r.stream, l.means, p.state[0])
	}
}

func (r *refined) correct(level int) {
	for _, p := range r.levels[level-1].parts {
		p.down.Correct(r.stream, p.own, r.levels[level].fine, p.state[0], r.params[level-1])
	}
}

// advance queues the step of a level after its own step n: an even n is the first within a step of the coarser level.
func (r *refined) advance(level, n int) {
	finer := level+1 < len(r.levels)
	if finer {
		r.prolong(level + 1)
	}
	r.exchange(level)
	if level > 0 {
		r.countFine(level, n%2)
	}
	if finer {
		r.countCoarse(level + 1)
	}
	for _, p := range r.levels[level].parts {
		if r.flow.spec.Viscosity.LooksAround() && n%model.EddySteps == 0 {
			p.program.(device.EddyKeeper).FindEddies(r.stream, p.state[0], r.params[level])
		}
		p.program.Step(r.stream, p.state[0], p.state[1], decomp.Box{Hi: p.Layout.N}, r.params[level])
		p.state[0], p.state[1] = p.state[1], p.state[0]
	}
	if finer {
		r.advance(level+1, 2*n)
		r.advance(level+1, 2*n+1)
		r.restrict(level + 1)
		r.correct(level + 1)
	}
}

// set writes an oracle's state.
func (r *refined) set(t testing.TB, oracle *ref.Levels) {
	t.Helper()
	bytes := r.flow.spec.Precision.Bytes()
	for level, l := range r.levels {
		g := oracle.Grids[level]
		for _, p := range l.parts {
			state := make([]byte, stateBytes(r.flow.spec, p.Layout))
			r.eachValue(level, p, g, func(cell int, at int) {
				for k, v := range numbersOf(g, cell) {
					to := state[(at+k*p.Layout.Pitch)*bytes:]
					if bytes == 8 {
						binary.LittleEndian.PutUint64(to, math.Float64bits(v))
					} else {
						binary.LittleEndian.PutUint32(to, math.Float32bits(float32(v)))
					}
				}
			})
			write(t, p.state[0], state, 0)
		}
	}
}

// numbersOf returns the numbers of a cell of an oracle: moments, then the scalar and its flux.
func numbersOf(g *ref.Grid, cell int) []float64 {
	m := g.Moments(g.F[cell])
	if g.G != nil {
		m = append(append(m, g.G[cell].Theta), g.G[cell].Q[:g.Lattice.Dims]...)
	}
	return m
}

// eachValue visits the cells of a part with values in the oracle: these values and their places.
func (r *refined) eachValue(level int, p *refinedPart, g *ref.Grid, visit func(cell, at int)) {
	n, lo := r.h.Levels[level].N, p.Box().Lo
	eachCell(p.Layout.N, 0, func(x [3]int) {
		c, _ := r.h.Wrap(level, [3]int{x[0] + lo[0], x[1] + lo[1], x[2] + lo[2]})
		if cell := (c[2]*n[1]+c[1])*n[0] + c[0]; g.Stores(cell) {
			visit(cell, p.Layout.At(x[0], x[1], x[2], 0))
		}
	})
}

// values reads the moments of a part's cells by their places.
func (r *refined) values(t testing.TB, p *refinedPart) func(at int) []float64 {
	t.Helper()
	if err := r.stream.Sync(); err != nil {
		t.Fatal(err)
	}
	state := read(t, p.state[0], stateBytes(r.flow.spec, p.Layout), 0)
	wide := r.flow.spec.Precision == model.Float64
	return func(at int) []float64 {
		m := make([]float64, r.flow.spec.Components())
		for k := range m {
			if from := at + k*p.Layout.Pitch; wide {
				m[k] = math.Float64frombits(binary.LittleEndian.Uint64(state[8*from:]))
			} else {
				m[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(state[4*from:])))
			}
		}
		return m
	}
}
