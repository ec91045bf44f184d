// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"lbmsim/config/language"
	"lbmsim/decomp"
	"lbmsim/geometry"
	"lbmsim/model"
)

// The text of a case on a coarser grid, as level 0 of finer boxes, and the parts of a case that a proposal of boxes needs.

// Without returns the text of a case without some of its tables and keys; gone is called with their paths.
func Without(src []byte, gone func(path []string) bool) []byte { return language.Without(src, gone) }

// Whole returns the number nearest to a factor by which the cells of all axes can be multiplied and stay whole, at most 1
// for a coarser grid: a ratio of whole numbers.
func (g *Grid) Whole(dims int, factor float64) float64 {
	common := 0
	for a := range dims {
		common = gcd(common, g.Cells[a])
	}
	return math.Max(1, math.Round(factor*float64(common))) / float64(common)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Coarser returns the changes (KEY=VALUE) that enlarge the cells of a case with units by a factor with which each axis has a whole number
// of them. Steps become longer by the same factor: a time step is multiplied, numbers of steps are divided, the lattice velocity stays,
// and so does the viscosity.
func Coarser(c *Case, factor float64) (changes []string, err error) {
	r, err := language.Read(c.Path, c.Source, nil, caseLanguage())
	if err != nil {
		return nil, err
	}
	set := func(s *language.Section, key, value string) {
		path := key
		if head := s.Head(); head != "[]" {
			path = head[1:len(head)-1] + "." + key
		}
		changes = append(changes, path+"="+value)
	}
	domain := r.Section("domain")
	if domain.InFile("cells") != nil {
		var cells string
		for a := range c.Dims() {
			if a > 0 {
				cells += ", "
			}
			cells += strconv.Itoa(int(math.Round(float64(c.Cells[a]) / factor)))
		}
		set(domain, "cells", "["+cells+"]")
	}
	if domain.InFile("spacing") != nil {
		set(domain, "spacing", quantity(c.Units.Length*factor, model.Length))
	}
	scaling := r.Section("scaling")
	if e := scaling.InFile("time_step"); e != nil {
		set(scaling, "time_step", quantity(e.Values[0].Value*factor, model.Time))
	}
	if e := scaling.InFile("tau"); e != nil {
		tau, _ := strconv.ParseFloat(fmt.Sprintf("%.12g", 0.5+(e.Values[0].Value-0.5)/factor), 64)
		set(scaling, "tau", language.Float(tau))
	}
	fewer := func(steps int) string { return strconv.Itoa(int(math.Ceil(float64(steps)/factor - 1e-9))) }
	for _, s := range r.Sections {
		for i := range s.Table.Keys {
			k := &s.Table.Keys[i]
			e := s.InFile(k.Name)
			switch {
			case e == nil:
			case k.Kind == language.Period && e.Steps:
				set(s, k.Name, fewer(e.Ints[0]))
			case s.Table.Path == "run" && k.Name == "steps":
				set(s, k.Name, fewer(e.Ints[0]))
			}
		}
	}
	return changes, nil
}

// quantity writes a quantity without the last digits, which are rounding errors.
func quantity(v float64, d model.Dimension) string {
	v, _ = strconv.ParseFloat(fmt.Sprintf("%.12g", v), 64)
	return language.Amount{Value: v, Dim: d}.TOML()
}

// ExtentOf returns the corners of the box around a body, in cells; extents are the corners of the bodies from files, in the order of
// c.Files.
func ExtentOf(c *Case, b Body, extents [][2][3]float64) (lo, hi [3]float64) {
	var boxes []geometry.Shape
	for _, e := range extents {
		boxes = append(boxes, geometry.Box{Lo: e[0], Hi: e[1]})
	}
	return b.Shape(boxes).Bounds()
}

// BoxTable returns a box of finer cells as a table of a case. Places are in cells of the grid.
func (g *Grid) BoxTable(b decomp.Refinement, dims int) string {
	f := &frame{Grid: g, dims: dims}
	l := levels{frame: f}
	return fmt.Sprintf("[refine.%s]\nlevel = %d\n%s\n", b.Name, b.Level, l.corners(b))
}

// StreamAxis returns the axis of the inlet's flow, otherwise of the body force, otherwise x.
func StreamAxis(c *Case) int {
	if a := c.inletAxis(); a >= 0 {
		return a
	}
	axis := 0
	for _, b := range c.Boundaries {
		for a, u := range b.Velocity {
			if math.Abs(u) > 0 && slices.ContainsFunc(b.Faces, func(f Face) bool { return f.Axis == a }) {
				return a
			}
		}
	}
	for a, f := range c.Force.Most {
		if f > c.Force.Most[axis] {
			axis = a
		}
	}
	return axis
}

// Upstream returns the axis of the main flow, and the side from which it comes: 0 (low) or 1 (high).
func Upstream(c *Case) Face {
	axis := StreamAxis(c)
	side := c.inletSide(axis)
	if side < 0 {
		side = 0
		if c.Force.Density[axis] < 0 {
			side = 1
		}
	}
	return Face{axis, side}
}
