// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package refined contains one rank's part of a refined grid: the patches of all levels, each a level.Level, and the transfer
// between them. It advances them by steps of level 0; docs/refinement-numerics.md describes the scheme, decomp.Hierarchy the
// geometry.
package refined

import (
	"errors"
	"fmt"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/geometry"
	"lbmsim/internal/finding"
	"lbmsim/model"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/level"
	"lbmsim/sim/rank"
)

// Grid is a rank's part of a refined grid.
type Grid struct {
	Rank      *rank.Rank
	Case      *config.Case // of level 0
	Hierarchy *decomp.Hierarchy
	Device    device.Device
	whole     *domain.Part // the domain on level 0
	solids    []geometry.Shape
	level.Streams
	side sideline

	levels   []levelOf
	steps    int               // of level 0
	coming   [3]float64        // force of level 0 at the end of the coming step, where it is adjusted
	walls    []domain.Coverage // with a model, of all levels and ranks
	doubts   finding.List      // of these
	filled   bool              // overlap and ghost cells have the current state's values (Fill)
	uploaded bool              // a step has uploaded the numbers of all kernels: recordings cannot
	graphs   [len(recorded)]recording
}

// levelOf is a rank's part of a level.
type levelOf struct {
	// params are the numbers of a step, with the force at the current state: patches' own are with the coming one where it is adjusted.
	params   model.Params
	patches  []*Patch        // those that the rank has a part of
	absent   []*level.Absent // the others
	siblings *traffic        // nil: level 0
	coarse   *between        // with the coarser level; nil: level 0
}

// between is the exchange between two levels. Ranks without cells of either also have it: exchanges are collective.
type between struct {
	shells *traffic // values of the coarser level's cells, from which overlap is interpolated
	means  *traffic // of mirror cells
	fluxes *traffic // sums of fine faces
}

// New creates the patches at step 0 with cells, kernels and memory, and the exchanges with other ranks. The hierarchy's
// level 0 is the domain as the case cuts it (config.Case.Cut). whole is the domain on level 0, with the files that its case
// names, but of bodies those near the rank's cells of all levels (Near). Collective; Close frees all resources, also after
// an error.
func New(on *rank.Rank, whole *domain.Part, h *decomp.Hierarchy, dev device.Device) (*Grid, error) {
	c, solids := whole.Case, whole.Solids
	g := &Grid{Rank: on, Case: c, whole: whole, solids: solids, Hierarchy: h, Device: dev}
	if err := possible(c, h, dev); err != nil { // the same on every rank
		return g, exit.With(exit.Usage, err)
	}
	if err := errors.Join(measurable(c), containsModels(c, solids, h)); err != nil {
		return g, exit.With(exit.Usage, err)
	}
	// Other ranks wait for data from the side's stream. Without other ranks its kernels should fill the end of a step of the
	// inner cells: between blocks of that step they would disturb the rounds in which a GPU computes them.
	g.Streams, g.side.Stream = level.NewStreams(dev), dev.NewStream(on.Size > 1)
	if err := exit.Agreed(exit.Failure, comm.Agree(on.Comm, g.build())); err != nil {
		return g, err
	}
	g.walls = domain.ByLevel(g.walls)
	g.doubts = domain.ModelledDoubts(c, on, domain.Whole(g.walls))
	if err := balance(g); err != nil {
		return g, err
	}
	return g, g.connect()
}

// balance makes the flux through faces with turbulence constant. Collective.
func balance(g *Grid) error {
	parts, patches := make([][]*domain.Part, len(g.levels)), map[*domain.Part]*Patch{}
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			parts[l] = append(parts[l], p.Part)
			patches[p.Part] = p
		}
	}
	return domain.BalanceLevels(g.Rank, g.whole, parts, func(of *domain.Part, local [3]int) bool {
		p, x := patches[of], of.Global(local)
		return g.Hierarchy.Levels[p.cut.Level].Patches[p.cut.Patch].Owned.Contains(x) && !g.Hierarchy.Covered(p.cut.Level, x)
	})
}

// build creates all parts that need no other rank.
func (g *Grid) build() error {
	var levels []*config.Case
	for l, at := range g.Hierarchy.Levels {
		c := atLevel(g.Case, l, at.N)
		withSurfacesOf(c, g.solids, g.Hierarchy, l)
		levels = append(levels, c)
	}
	begin(g, levels)
	for l, c := range levels {
		params := numbers(g.Case, l)
		g.levels = append(g.levels, levelOf{params: params})
		for k, whole := range g.Hierarchy.Levels[l].Patches {
			p := &Patch{cut: decomp.Part{Hierarchy: g.Hierarchy, Level: l, Patch: k, Rank: g.Rank.ID}}
			of := domain.Patch{Whole: g.whole, Level: l, Params: params, Blocked: p.cut.Blocked, Roles: &boundary.Patch{Wraps: whole.Plan.Periodic, Role: p.cut.Role, Counted: p.cut.Counted, Sixths: sixths(c)}}
			if of.Box = whole.Part(g.Rank.ID); of.Box.Cells() == 0 {
				a, err := level.NewAbsent(c, g.Device)
				g.levels[l].absent = append(g.levels[l].absent, a)
				none := domain.NewPatch(c, of)
				if err := g.found(none, errors.Join(err, domain.FindNone(none, g.Rank))); err != nil {
					return err
				}
				continue
			}
			of.Plan, of.Origin = planOf(g.Hierarchy, l, k), whole.Stored.Lo
			part := domain.NewPatch(c, of)
			p.Level = level.New(g.Rank, part, g.Device)
			p.Streams = g.Streams
			g.levels[l].patches = append(g.levels[l].patches, p)
			err := p.Build()
			if err != nil {
				err = fmt.Errorf("patch %d of level %d: %w", k, l, err)
			}
			if err := g.found(part, err); err != nil {
				return err
			}
			p.cut.Layout = p.Part.Layout
		}
		if err := agreed(g, g.traffic(l)); err != nil {
			return err
		}
	}
	for l := range g.levels {
		at := &g.levels[l]
		var fine *between
		if g.refines(l) {
			fine = g.levels[l+1].coarse
		}
		for _, p := range at.patches {
			if err := p.build(at.siblings, at.coarse, fine); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin compiles the kernels of all patches side by side.
func begin(g *Grid, levels []*config.Case) {
	to, ok := g.Device.(device.Compiler)
	if !ok {
		return
	}
	for l, c := range levels {
		for k, p := range g.Hierarchy.Levels[l].Patches {
			if p.Part(g.Rank.ID).Cells() > 0 {
				to.Begin(c.Spec, planOf(g.Hierarchy, l, k).Layout(g.Rank.ID, c.Spec.Components()), wallsOf(c))
			}
		}
	}
}

// traffic allocates the buffers of exchanges within a level and with the coarser one.
func (g *Grid) traffic(l int) (err error) {
	if l == 0 {
		return nil
	}
	at, b := &g.levels[l], &between{}
	add := func(to **traffic, kind decomp.Passing, level, more, bytes int) {
		if err == nil {
			*to, err = newTraffic(g.Device, g.Hierarchy.Traffic(kind, level, g.Rank.ID), more, bytes)
		}
	}
	add(&at.siblings, decomp.Siblings, l, 0, g.cellBytes())
	more := 0 // cells beyond the ends of the domain, of one patch at a time
	for _, p := range at.patches {
		more = max(more, p.cut.Extrapolated())
	}
	add(&b.shells, decomp.Shells, l-1, more, g.cellBytes())
	add(&b.means, decomp.Means, l-1, 0, g.cellBytes())
	add(&b.fluxes, decomp.Fluxes, l-1, 0, sumBytes(g.Case.Spec))
	at.coarse = b
	return err
}

// cellBytes returns the size of a cell's values.
func (g *Grid) cellBytes() int { return g.Case.Spec.Components() * g.Case.Spec.Precision.Bytes() }

// connect creates the exchanges, in the same order on all ranks. Collective.
func (g *Grid) connect() error {
	number := 0
	for l := range g.levels {
		at, mine, absent := &g.levels[l], g.levels[l].patches, g.levels[l].absent
		for k := range g.Hierarchy.Levels[l].Patches {
			if len(mine) == 0 || mine[0].cut.Patch != k {
				if err := absent[0].Connect(g.Rank, g.Case); err != nil {
					return err
				}
				absent = absent[1:]
			} else {
				if l > 0 {
					mine[0].Tags = firstTag + tags*number
				}
				if err := mine[0].Connect(); err != nil {
					return err
				}
				mine = mine[1:]
			}
			if l > 0 {
				number++
			}
		}
		if l == 0 {
			continue
		}
		for _, t := range at.all() {
			bytes := g.cellBytes()
			if t == at.coarse.fluxes {
				bytes = sumBytes(g.Case.Spec)
			}
			if err := t.connect(g.Rank, g.Case, g.Device, bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// all returns the level's existing traffic.
func (l *levelOf) all() (list []*traffic) {
	if l.siblings != nil {
		list = append(list, l.siblings)
	}
	if l.coarse != nil {
		for _, t := range []*traffic{l.coarse.shells, l.coarse.means, l.coarse.fluxes} {
			if t != nil {
				list = append(list, t)
			}
		}
	}
	return list
}

// refines reports whether there is a finer level.
func (g *Grid) refines(l int) bool { return l+1 < len(g.levels) }

// Initialize sets the current state of all cells by the formulas of the case.
func (g *Grid) Initialize() error {
	return g.InitializeFrom(func(p *domain.Part) (level.Initial, error) { return &level.Formulas{Part: p}, nil })
}

// InitializeFrom sets the current state of the cells of each of the rank's parts to the values returned for it.
func (g *Grid) InitializeFrom(values func(p *domain.Part) (level.Initial, error)) error {
	g.filled = false
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			in, err := values(p.Part)
			if err == nil {
				err = p.Initialize(in)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Bytes returns the memory of the rank's part on the device.
func (g *Grid) Bytes() (n int) {
	for l := range g.levels {
		for _, p := range g.levels[l].patches {
			n += p.bytes()
		}
		for _, t := range g.levels[l].all() {
			n += t.bytes()
		}
	}
	return n
}

// Close frees the grid's parts of the device. Collective where there are exchanges.
func (g *Grid) Close() {
	for _, r := range g.graphs {
		if r.Graph != nil {
			r.Close()
		}
	}
	for l := range g.levels {
		at, mine, absent := &g.levels[l], g.levels[l].patches, g.levels[l].absent
		for k := range g.Hierarchy.Levels[l].Patches { // in the order of connect
			switch {
			case len(mine) > 0 && mine[0].cut.Patch == k:
				mine[0].close()
				mine = mine[1:]
			case len(absent) > 0:
				absent[0].Close()
				absent = absent[1:]
			}
		}
		for _, t := range at.all() {
			t.close()
		}
	}
}
