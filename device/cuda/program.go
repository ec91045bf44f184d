// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/raw"
	"lbmsim/model"
)

// program is a device.Program: the kernels of one spec on one box, and lists of walls in the GPU's memory. It embeds one
// part for each ability: what the part allocates, compiles, launches and frees is in the part's file, and the methods of
// package device's interfaces are the parts' own. Work that concerns several of them iterates over the lists at the end.
type program struct {
	*core
	boxLists
	stepping
	transfers
	sums
	links
	faces
	scalar
	timed
	multistep
	stepFields
	statistics
	eddies
	modelled
	couplings
	snapshots
	volumes

	placed []placed // in the order in which they are placed
	parts  []part   // in the order in which they are freed
}

// part has memory or kernels.
type part interface {
	// free frees the memory, except the core's lists, and unloads the kernels.
	free()
}

// placed is a part that needs its memory and kernels before the first step.
type placed interface {
	// place allocates, compiles and loads, if the case needs it.
	place(*placing) error
}

// placing holds the data from which parts are placed.
type placing struct {
	walls    *wallBlocks
	periodic [3]bool
	cells    boundary.Cells
	eddies   uint64 // the address of their memory, which the box has
}

// behind is a part that changes cells after the step.
type behind interface {
	// queue adds the launches that change cells of a box.
	queue(s *stream, in, out *buffer, box decomp.Box)
	// changed lists the cells that they change.
	changed() []changedCell
}

var _ interface {
	device.Program
	device.SnapshotTaker
	device.FieldsWriter
	device.StepSnapshots
	device.EddyKeeper
	device.Multistepper
	device.Timed
	device.Averager
	device.Profiler
	device.RayCaster
} = (*program)(nil)

// newProgram joins the parts of a program, none of which is placed yet.
func newProgram(c *core) *program {
	p := &program{
		core: c, boxLists: boxLists{c}, transfers: transfers{c}, sums: sums{core: c}, scalar: scalar{core: c}, statistics: statistics{core: c},
		eddies: eddies{core: c}, modelled: modelled{core: c}, snapshots: snapshots{core: c},
	}
	p.volumes = volumes{core: c, snapshots: &p.snapshots}
	p.links = links{core: c, modelled: &p.modelled, scalar: &p.scalar}
	p.scalar.modelled = &p.modelled
	p.couplings = couplings{core: c, modelled: &p.modelled}
	p.faces = faces{core: c, links: &p.links}
	p.timed = timed{core: c, links: &p.links, faces: &p.faces}
	p.multistep = multistep{core: c, faces: &p.faces}
	p.stepping = stepping{core: c, behind: []behind{&p.links, &p.scalar, &p.faces}}
	p.stepFields = stepFields{core: c, stepping: &p.stepping, snapshots: &p.snapshots}
	// The box has the address of the eddies, lists of links and the scalar have the addresses of what ghost cells send; faces and rules in time follow
	// the lists of links.
	p.placed = []placed{&p.eddies, &p.modelled, &p.boxLists, &p.sums, &p.links, &p.faces, &p.scalar, &p.timed, &p.multistep, &p.volumes}
	p.parts = []part{&p.boxLists, &p.sums, &p.links, &p.faces, &p.scalar, &p.timed, &p.stepFields, &p.statistics, &p.eddies, &p.modelled, &p.couplings, &p.snapshots, &p.volumes}
	return p
}

// directed is the option of kernels whose march computes ghost cells of faces that prescribe the direction of inflow. Few
// cases have such a face, and its arithmetic needs registers.
const directed = "-DLBM_DIRECTED=1"

// Load compiles the kernels, or takes them from the cache, and places all parts of a program.
func (d *Device) Load(spec model.Spec, layout decomp.Layout, periodic [3]bool, cells boundary.Cells) (device.Program, error) {
	if layout.Components != spec.Components() || layout.Ghost[0] != 0 || layout.Pitch < layout.N[0] || layout.Pitch%decomp.Align != 0 ||
		spec.Lattice.Dims == 2 && layout.N[2] != 1 || layout.Ghost[spec.Lattice.Dims-1] == 0 {
		return nil, fmt.Errorf("the layout %+v does not fit %s", layout, spec)
	}
	options, march, err := d.optionsOf(spec, layout, cells)
	if err != nil {
		return nil, err
	}
	c := &core{d: d, spec: spec, layout: layout, types: len(cells.Walls), options: options}
	for a := range c.wraps {
		c.wraps[a] = periodic[a] && (layout.Ghost[a] == 0 || cells.Global == [3]int{} || cells.Global[a] == layout.N[a])
	}
	if found := cells.Modelled; found != nil && len(found.Cells) > 0 {
		begin(d, c.anyRows(modelledFile), c.anyRows(specialFile))
	}
	if c.kernels, err = d.kernels(spec, ownPitch(layout.Pitch), march...); err != nil {
		return nil, err
	}
	p, in := newProgram(c), &placing{periodic: periodic, cells: cells}
	in.walls, err = findWalls(spec, layout, periodic, cells, c.kernels.servesEnds(layout.N[0]))
	for _, part := range p.placed {
		if err == nil {
			err = part.place(in)
		}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Begin compiles in the background what Load needs for a patch.
func (d *Device) Begin(spec model.Spec, layout decomp.Layout, walls []boundary.Wall) {
	options, march, err := d.optionsOf(spec, layout, boundary.Cells{Walls: walls, Patch: &boundary.Patch{}})
	if err != nil {
		return // Load reports it
	}
	pitch := ownPitch(layout.Pitch)
	begin(d, fileOf(instanceFile, spec, pitch, march...), fileOf(levelsFile, spec, pitch, options...))
}

// optionsOf returns the compiler's options for all kernels of a program, and for its march.
func (d *Device) optionsOf(spec model.Spec, layout decomp.Layout, cells boundary.Cells) (all, march []string, err error) {
	if cells.Directed() {
		all = []string{directed}
	}
	all = append(all, modelledOptions(cells.Walls, spec.Viscosity)...)
	fitted, err := d.fit(spec, layout, cells)
	return all, append(fitted, all...), err
}

// ownPitch returns the pitch that kernels are compiled for, as a constant: it saves a tenth
// of the instructions (a fourth of the regularized march's). Short rows belong to
// tiny cases, for which a quick start matters more: they share kernels for any pitch (0).
// The choice does not depend on the decomposition, so that all ranks make the same one.
func ownPitch(pitch int) int {
	if pitch < 64 {
		return 0
	}
	return pitch
}

// fit returns the compiler's options for a small box of one rank, or for a patch of a refined grid, whose blocks would otherwise leave
// processors idle. Other boxes share kernels.
func (d *Device) fit(spec model.Spec, l decomp.Layout, cells boundary.Cells) ([]string, error) {
	const small, most, width = 256, 80, 64 // cells; planes and width of a tile
	n := l.N
	whole := cells.Global == [3]int{} || cells.Global == n
	fitted := cells.Patch != nil || whole && max(n[0], n[1], n[2]) <= small
	if spec.Collision.Scheme != model.Moments || spec.Lattice.Q() != 19 || spec.Scalar || spec.Precision.Bytes() > 4 || !fitted || min(n[0], n[1], n[2]) < width {
		return nil, nil
	}
	slots, err := d.processors()
	if rows := fittingRows(n[1], n[2], most, raw.Ceil(n[0], width), slots); err == nil && rows != usualRows {
		return []string{fmt.Sprintf("-DLBM_ROWS=%d", rows)}, nil
	}
	return nil, err
}

// Bytes returns the GPU's memory for lists and sums.
func (p *program) Bytes() int {
	sum := p.box.bytes + p.sums.rows.bytes
	for _, b := range p.lists {
		sum += b.bytes
	}
	return sum
}

// Close frees all parts and unloads the kernels.
func (p *program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, part := range p.parts {
		part.free()
	}
	p.kernels.unload(p.d)
}
