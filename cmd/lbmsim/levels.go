// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/geometry"
	"lbmsim/io/picture"
)

// levelsPicture is the name of the picture of a refined grid in the folder of check --preview. No body has a name with a dot.
const levelsPicture = "refine.levels.png"

// previewLevels draws the levels of a refined grid in a plane through the middle of a body in the finest cells, and bodies; files are
// the bodies from files. If the finest boxes are small it also draws their surroundings.
func previewLevels(w io.Writer, c *config.Case, files []geometry.Shape, path string) error {
	var bodies []geometry.Shape
	for _, b := range c.Bodies {
		bodies = append(bodies, b.Shape(files))
	}
	p, near := levelsOf(c, bodies)
	if err := p.Write(path); err != nil {
		return err
	}
	fmt.Fprintln(w, "\npicture of the levels", path)
	share, long := 0., 0.
	for k := range 2 {
		length := near[1][k] - near[0][k]
		share, long = math.Max(share, length/(p.Hi[k]-p.Lo[k])), math.Max(long, length)
	}
	if share > smallShare {
		return nil
	}
	for k := range 2 {
		p.Lo[k], p.Hi[k] = math.Max(p.Lo[k], near[0][k]-long/2), math.Min(p.Hi[k], near[1][k]+long/2)
	}
	if err := p.Write(nearPicture(path)); err != nil {
		return err
	}
	fmt.Fprintln(w, "picture of the finest", nearPicture(path))
	return nil
}

// levelsOf returns the plane of a refined grid, and the corners of the finest boxes in it.
func levelsOf(c *config.Case, bodies []geometry.Shape) (p picture.Levels, near [2][2]float64) {
	patches := config.Patches(c)
	finest := patches[len(patches)-1].Level
	body, middle := subject(c, patches, bodies)
	normal := normalOf(c, patches, body)
	across := [2]int{[3]int{1, 0, 0}[normal], [3]int{2, 2, 1}[normal]}
	unit := c.Units.Length
	p = picture.Levels{Case: filepath.Base(c.Path), Lattice: !c.Units.Physical}
	place := func(axis int, cells float64) float64 { return c.Origin[axis] + cells*unit }
	for k, a := range across {
		p.Axes[k], p.Lo[k], p.Hi[k] = "xyz"[a:a+1], place(a, 0), place(a, float64(c.Cells[a]))
	}
	if c.Dims() == 3 {
		at := place(normal, middle[normal])
		if math.Abs(at) < 1e-6*unit { // rounding
			at = 0
		}
		p.Where = fmt.Sprintf("%c = %s", "xyz"[normal], lengthText(c, at))
	}
	if len(bodies) > 0 {
		p.Solid = func(at [2]float64) bool {
			x := middle
			for k, a := range across {
				x[a] = (at[k] - c.Origin[a]) / unit
			}
			return slices.ContainsFunc(bodies, func(s geometry.Shape) bool { return s.Contains(x[0], x[1], x[2]) })
		}
	}
	for l := 0; l <= finest; l++ {
		p.Levels = append(p.Levels, fmt.Sprintf("level %d, %s", l, lengthText(c, unit/float64(int(1)<<l))))
	}
	near = [2][2]float64{{math.Inf(1), math.Inf(1)}, {math.Inf(-1), math.Inf(-1)}}
	for _, patch := range patches[1:] {
		width := 1 / float64(int(1)<<patch.Level)
		if c.Dims() == 3 && (middle[normal] < float64(patch.Lo[normal])*width || middle[normal] >= float64(patch.Hi[normal])*width) {
			continue
		}
		box := picture.LevelBox{Level: patch.Level}
		for k, a := range across {
			box.Lo[k], box.Hi[k] = place(a, float64(patch.Lo[a])*width), place(a, float64(patch.Hi[a])*width)
			if patch.Level == finest {
				near[0][k], near[1][k] = math.Min(near[0][k], box.Lo[k]), math.Max(near[1][k], box.Hi[k])
			}
		}
		p.Boxes = append(p.Boxes, box)
	}
	return p, near
}

// smallShare is the share of the domain up to which the finest boxes get their own picture.
const smallShare = 0.25

// nearPicture returns the name of the picture of the finest boxes.
func nearPicture(path string) string { return strings.TrimSuffix(path, ".png") + ".near.png" }

// subject returns the first body in the finest cells, otherwise the first of the finest boxes, and its middle, in cells of level 0.
func subject(c *config.Case, patches []config.Patch, bodies []geometry.Shape) (of geometry.Shape, middle [3]float64) {
	level := -1
	for _, s := range bodies {
		lo, hi := s.Bounds()
		if l := config.SurfaceLevel(c, lo, hi); l > level {
			level, of = l, s
		}
	}
	if of == nil {
		last := patches[len(patches)-1]
		var box geometry.Box
		for a := range 3 {
			width := 1 / float64(int(1)<<last.Level)
			box.Lo[a], box.Hi[a] = width*float64(last.Lo[a]), width*float64(last.Hi[a])
		}
		of = box
	}
	return of, geometry.Middle(of, c.Cells)
}

// normalOf returns the normal of a plane that shows the boxes: among the axes normal to the stream one that all boxes span,
// otherwise the one along which the subject is widest.
func normalOf(c *config.Case, patches []config.Patch, of geometry.Shape) (normal int) {
	if c.Dims() == 2 {
		return 2
	}
	lo, hi := of.Bounds()
	widest := -1.
	for a := range 3 {
		spanned := true
		for _, p := range patches {
			spanned = spanned && p.Lo[a] == 0 && p.Hi[a] == c.Cells[a]<<p.Level
		}
		wide := hi[a] - lo[a]
		if spanned {
			wide = math.Inf(1)
		}
		if a != config.StreamAxis(c) && wide >= widest*(1-1e-9) { // the last of equal ones
			normal, widest = a, wide
		}
	}
	return normal
}
