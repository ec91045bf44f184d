// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package forecast

import (
	"slices"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/geometry"
	"lbmsim/model"
)

// Memory of data that are not per cell: the lists of links and ghost cells, the data that
// rank 0 gathers for outputs, and bodies from files.

// Approximate sizes of list entries, with the tables that find equal ones while the lists are
// made (boundary.Links, boundary.Faces).
const (
	listedCell = 32  // a cell, and the growth of its list
	listedLink = 8   // a link
	listedLaw  = 420 // a law that no other link has, and its momentum source (device/cpu/walls.go) ...
	heldLaw    = 130 // ... and of a link whose force is measured, which comes second
	ghostCell  = 56  // a ghost cell behind a face, and a cell beside an outflow
	rowEnds    = 40  // the record of both ends of a row where faces are open
	// Of a wall with a model: a ghost cell with its stencils, numbers and populations, on the host and the device; a cell of its layer.
	modelledCell = 1500
	layerCell    = 48
	ghostRule    = 160 // a rule that no other has
)

// ListBytes returns an upper bound of the lists of special cells, measured links and ghost cells of the largest part.
// Bodies that need a file count where their sizes are given.
func ListBytes(c *config.Case, ranks int, sizes ...config.SolidSize) int64 {
	n := Layout(c, ranks).N
	part := float64(n[0]) * float64(n[1]) * float64(n[2]) / float64(c.Box().Cells())
	across := 0 // links out of a flat wall
	for _, v := range c.Spec.Lattice.Velocities {
		if v[0] == 1 {
			across++
		}
	}
	measured := map[uint8]bool{}
	for _, f := range c.Forces {
		for _, t := range f.Types {
			measured[t] = true
		}
	}
	patches, levels, bytes := config.Patches(c), config.LevelsOf(c), 0.0
	// beside adds cells at a wall: special ones, and those whose force is measured.
	beside := func(cells float64, special, measured, own bool) {
		for _, list := range []struct {
			on  bool
			law int
		}{{special, listedLaw}, {measured, heldLaw}} {
			if list.on {
				bytes += cells * float64(listedCell+across*listedLink)
			}
			if list.on && own {
				bytes += cells * float64(across*list.law)
			}
		}
	}
	for i, b := range c.Boundaries {
		varies := b.Profile != nil || b.Outline != nil
		for _, f := range b.Faces {
			u, v := geometry.Along(f.Axis)
			cells := float64(n[u])*float64(n[v]) + finerCells(patches, f)
			bytes += cells * float64(len(b.Sponge)) * listedCell
			ghost := b.Kind.Law.Open() || b.Kind.Law == boundary.MovingFace
			if ghost {
				bytes += cells * ghostCell
				if varies {
					bytes += cells * ghostRule
				}
			}
			modelled := b.Kind.Law == boundary.ModelledWall
			if modelled {
				bytes += cells * (modelledCell + b.Model.Layer*layerCell)
			}
			beside(cells, modelled || !ghost && (varies || b.Ramp > 0 || b.Table != nil), measured[uint8(i+1)], varies || modelled)
		}
	}
	for i, b := range c.Bodies {
		modelled := b.Kind.Law == boundary.ModelledWall
		special := modelled || b.Kind.Law == boundary.Interpolated || b.Motion != nil && b.Motion.Angular != [3]float64{}
		asked := measured[uint8(len(c.Boundaries)+i+1)]
		if !special && !asked {
			continue
		}
		cells := 0.0
		if b.Whole() {
			cells = facesOf(c, b, levels[i])
			if b.Thicken {
				cells = max(cells, outline(b.Shape(nil), c))
			}
		}
		for _, s := range sizes {
			if s.Body == b.Name {
				cells = s.Surface
			}
		}
		cells = min(cells, cells*part*bodyShare) // it may lie in a few parts
		if modelled {
			bytes += cells * (modelledCell + b.Model.Layer*layerCell)
		}
		beside(cells, special, asked, special)
	}
	if c.Modelled() { // a number for each cell: the mixing length
		bytes += float64(n[0]) * float64(n[1]) * float64(n[2]) * float64(c.Spec.EddyBytes())
	}
	return int64(bytes) + endBytes(c, ranks)
}

// facesOf returns the faces of a body's cells, of a level.
func facesOf(c *config.Case, b config.Body, level int) float64 {
	n := c.Cells
	for a := range c.Dims() {
		n[a] <<= level
	}
	return geometry.Faces(geometry.Finer(b.Shape(nil), level, c.Dims()), n, c.Dims())
}

// finerCells returns the cells above level 0 beside a face of the domain.
func finerCells(patches []config.Patch, f config.Face) (cells float64) {
	for _, p := range patches {
		end := patches[0].Hi[f.Axis] << p.Level
		if p.Level > 0 && (f.Side == 0 && p.Lo[f.Axis] == 0 || f.Side == 1 && p.Hi[f.Axis] == end) {
			cells += float64(p.Cells() / p.Size()[f.Axis])
		}
	}
	return cells
}

// outline returns the largest number of faces of a convex body, however thin it is: two for each cell of
// the three sides of the box around it.
func outline(s geometry.Shape, c *config.Case) (faces float64) {
	from, to := geometry.Reach(s, c.Cells, c.Dims())
	for a := range c.Dims() {
		u, v := geometry.Along(a)
		faces += 2 * float64(to[u]-from[u]+1) * float64(to[v]-from[v]+1)
	}
	return faces
}

// endBytes returns the size of the data beyond the ends of rows, where some face is open: for models of
// populations ghost cells, too, which models of moments compute, and on a CPU two cells that steps keep for each.
func endBytes(c *config.Case, ranks int) int64 {
	l := Layout(c, ranks)
	if c.Periodic[0] || !slices.ContainsFunc(c.Boundaries, func(b config.Boundary) bool { return b.Kind.Law.Open() }) {
		return 0
	}
	row := int64(rowEnds)
	if c.Spec.Collision.Scheme == model.Populations {
		row += 6 * int64(c.Spec.FlowComponents()*c.Spec.Precision.Bytes())
	}
	return row * int64(l.Rows())
}

// bodyShare is the largest ratio of a part's share of a body's surface to its share of the domain.
const bodyShare = 4

// GatheredBytes returns the memory that rank 0 takes for planes, pictures and tables while they are written.
func GatheredBytes(c *config.Case) int64 {
	bytes := int64(0)
	for _, p := range c.Planes {
		most := 0
		for _, f := range p.Fields {
			most = max(most, f.Components)
		}
		// The file's numbers, and one field's while they are gathered.
		n := config.Slice(c, p.Axis, p.At)
		bytes += p.BytesOf(c) + 4*8*int64(most)*int64(n[0])*int64(n[1])*int64(n[2])
	}
	for _, p := range c.Spectra {
		// The cells of a plane as they are read, as lines, and their spectra; ranks that share planes have a part of it each.
		bytes += 8 * int64(c.Box().Cells()/c.Cells[p.Normal]) * int64(3*(1+c.Spec.FieldValues()))
	}
	for _, p := range c.Pictures {
		w, h := p.Sides(config.Slice(c, p.Axis, p.At))
		bytes += 6*8*int64(w*h) + outlineBytes(c, int64(w*h)) + 4*8*config.PictureSide*config.PictureSide
	}
	for _, l := range c.Lines {
		bytes += lineTable + linePoint*int64(min(l.Points, linePoints))
	}
	return bytes
}

// outlineBytes returns the memory of distances to bodies in a picture's plane: four numbers per cell, as gathered and as stored.
func outlineBytes(c *config.Case, cells int64) int64 {
	if len(c.Bodies) == 0 {
		return 0
	}
	return 2 * 4 * 8 * cells
}

// Memory of a line: its points are gathered in pieces.
const (
	lineTable  = 8 << 20 // rows on their way to the disk
	linePoints = 1 << 14
	linePoint  = 1 << 10
)
