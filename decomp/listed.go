// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"math"
	"slices"
)

// Cells that are exchanged one by one, where a ghost layer does not reach far enough: the sender gathers them in rows after its state,
// and the receiver reads them from rows after its own. A link carries these rows, as others carry edges: so every transport
// moves them, and only the gathering kernel treats them specially.

// listedTag is the tag of these messages, in both directions: two ranks have one such link.
const listedTag = 27

// Listed is the number of cells exchanged between a rank and another one.
type Listed struct{ Rank, Send, Recv int }

// List adds space after a rank's state for listed cells, by rising Rank, and returns the layout with that space and the links
// that carry them, one for each entry. Both directions of a link have equally many rows, of which the last are unused.
func (l Layout) List(cells []Listed) (Layout, []Link) {
	var links []Link
	for _, c := range cells {
		rows := (max(c.Send, c.Recv) + l.Pitch - 1) / l.Pitch
		link := Link{Rank: c.Rank, SendTag: listedTag, RecvTag: listedTag}
		for _, b := range []*Box{&link.Send, &link.Recv} {
			first := l.listed(0)
			*b = Box{Lo: [3]int{0, first[1] + l.Listed, first[2]}, Hi: [3]int{l.N[0], first[1] + l.Listed + rows, first[2] + 1}}
			l.Listed += rows
		}
		links = append(links, link)
	}
	return l, links
}

// listed returns the place of the first cell of a row after the state: At extends to it, beyond the last ghost layer.
func (l Layout) listed(row int) [3]int { return [3]int{0, row - l.Ghost[1], l.N[2] + l.Ghost[2]} }

// Place returns the place of cell k of a box of listed rows. Rows have Pitch cells.
func (l Layout) Place(b Box, k int) [3]int {
	return [3]int{k % l.Pitch, b.Lo[1] + k/l.Pitch, b.Lo[2]}
}

// IsListed reports whether a box is rows of listed cells.
func (l Layout) IsListed(b Box) bool {
	first := l.listed(0)
	return b.Lo[2] == first[2] && b.Hi[2] == first[2]+1 && b.Lo[1] >= first[1] && b.Hi[1] <= first[1]+l.Listed
}

// Depth returns how deep the edges of a rank's box must be to contain some of its cells, in local coordinates: 1 at least.
func (p Plan) Depth(rank int, cells [][3]int) int {
	n, depth := p.Box(rank).Size(), 1
	faces := slices.DeleteFunc(p.sides(), func(side [3]int) bool {
		_, ok := p.beyond(rank, side)
		return !ok || side[1]*side[2] != 0
	})
	for _, c := range cells {
		nearest := math.MaxInt
		for _, side := range faces {
			for a, up := range side {
				switch {
				case up < 0:
					nearest = min(nearest, c[a]+1)
				case up > 0:
					nearest = min(nearest, n[a]-c[a])
				}
			}
		}
		if len(faces) > 0 {
			depth = max(depth, nearest)
		}
	}
	return depth
}
