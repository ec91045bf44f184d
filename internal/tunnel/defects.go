// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package tunnel

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/geometry/mesh"
)

// Defect is a defect of a surface, and its repair.
type Defect struct {
	File string `json:"file"`
	What string `json:"what"`
	Done string `json:"done"`
}

// Examined is a surface before and after it was closed.
type Examined struct {
	File     string
	Found    mesh.Findings
	Repaired string        // the changes made by closing it; "": no changes
	Surface  *mesh.Surface // closed
	Cell     float64       // edge of the finest cells, in the numbers of the file
	Cells    int           // of them along the body
}

// fewAcross is the number of cells below which a part of a body is thin: the wall model needs fluid and solid cells beside it.
const fewAcross = 2

// muchThin is the share of the area above which thin parts are named; sharp edges always have some.
const muchThin = 0.005

// mostFiner is the most by which cells are proposed to become smaller for thin parts.
const mostFiner = 4

// Defects lists the defects of a surface, and returns its thin places.
func Defects(e Examined) (list []Defect, thin mesh.Thin) {
	add := func(done, what string, args ...any) {
		list = append(list, Defect{e.File, fmt.Sprintf(what, args...), done})
	}
	f := e.Found
	if !f.Watertight() {
		what := fmt.Sprintf("not closed: %d edges with one triangle, %d between triangles of opposite orientation", f.Open, f.Against)
		if f.Holes > 0 {
			what += fmt.Sprintf("; %d loops, the widest %.4g wide at (%.4g, %.4g, %.4g) of the file", f.Holes, f.Widest, f.WidestAt[0], f.WidestAt[1], f.WidestAt[2])
		}
		add("repaired: "+e.Repaired, "%s", what)
	}
	switch {
	case e.Surface.Volume() < 0:
		add("turned back", "inside out: its triangles face into the body")
	case f.InsideOut > 0:
		add("kept: cavities and parts that are inside out are solid or fluid by the whole surface", "%d of %d parts enclose a negative volume", f.InsideOut, f.Parts)
	}
	thin = e.Surface.ThinnerThan(fewAcross * e.Cell)
	if thin.Share > muchThin {
		least := thin.Least / e.Cell
		done := "kept: a thicker part in the file resolves it"
		if finer := fewAcross / least; finer <= mostFiner {
			done = fmt.Sprintf("kept: --cells %d resolves it", int(math.Ceil(float64(e.Cells)*finer)))
		}
		what := "the law of the wall fails there"
		if least < 1 {
			what = "they have holes, or vanish"
		}
		add(done, "parts thinner than %d cells on %.2g %% of the surface, the thinnest %.2g cells at (%.4g, %.4g, %.4g) of the file: %s", fewAcross, 100*thin.Share, least, thin.At[0], thin.At[1], thin.At[2], what)
	}
	return list, thin
}

// Units proposes units by the length of a body in the numbers of its file.
func Units(length float64) string {
	const least, most = 0.05, 60 // m, of most bodies in wind tunnels
	var list []string
	for _, u := range []struct {
		name   string
		metres float64
	}{{"mm", 1e-3}, {"cm", 1e-2}, {"inch", 0.0254}, {"ft", 0.3048}, {"m", 1}, {"km", 1e3}} {
		if l := length * u.metres; l >= least && l <= most {
			list = append(list, fmt.Sprintf("--unit %s makes it %s", u.name, metres(l)))
		}
	}
	if !slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "--unit m ") }) {
		list = append(list, "--unit m keeps it")
	}
	return strings.Join(list, ", ")
}
