// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"math"
	"slices"
)

// Border is a boundary close to a cell.
type Border struct {
	Name     string
	Kind     string // of its surface
	Text     string
	Distance int // cells, along the axes
	Velocity [3]float64
}

// Near returns the boundaries, the nearest first, each with the least of its distances.
func (p *Part) Near(global [3]int) (list []Border) {
	domain := p.Geometry()
	for i, b := range p.Case.Boundaries {
		best := Border{Distance: math.MaxInt}
		for _, f := range b.Faces {
			if domain.Face(f.Axis, f.Side, global) != uint8(i+1) {
				continue // another part of the face is nearer
			}
			d := global[f.Axis]
			if f.Side == 1 {
				d = p.Case.Cells[f.Axis] - 1 - d
			}
			if d < best.Distance {
				name := "[boundary." + b.Name + "]"
				best = Border{name, b.Kind.Name, fmt.Sprintf("%s on face %s, %d cells away", name, f, d), d, b.Velocity}
			}
		}
		if best.Name != "" {
			list = append(list, best)
		}
	}
	for i, b := range p.Bodies() {
		lo, hi := b.Shape.Bounds()
		d := 0
		for a := 0; a < p.Case.Dims(); a++ {
			at := float64(global[a]) + 0.5
			d = max(d, int(lo[a]-at), int(at-hi[a]))
		}
		body := p.Case.Bodies[i]
		near := Border{Name: "[body." + body.Name + "]", Kind: body.Kind.Name, Distance: d}
		near.Text = fmt.Sprintf("%s, within %d cells", near.Name, d)
		list = append(list, near)
	}
	slices.SortStableFunc(list, func(a, b Border) int { return a.Distance - b.Distance })
	return list
}
