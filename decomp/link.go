// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Link is one message that a rank sends and the one that it gets back in every
// exchange: a neighbour with the cells that travel. A rank may have two links to
// the same neighbour (two ranks in a periodic domain) or to itself; the tags
// distinguish such messages.
type Link struct {
	Rank    int    // the neighbour, maybe the rank itself
	Side    [3]int // direction of the neighbour: -1, 0 or +1 along each axis; 0 for listed cells
	Send    Box    // interior or listed cells that the neighbour needs, local coordinates
	Recv    Box    // ghost or listed cells that the neighbour fills, local coordinates
	SendTag int    // tag of the message sent, 0 to 26, or 27 of listed cells
	RecvTag int    // tag of the message received
}

// sides lists the directions in which a rank may have links: across the ends of the
// slowest axis, then across the ends of y where it is cut, then the four edges where
// both meet, which the diagonal velocities cross. All messages are sent together: exchanging
// one axis after the other would need half as many, but wait twice.
func (p Plan) sides() [][3]int {
	var list [][3]int
	ghost := p.Ghost()
	for a := range ghost {
		if p.Wraps && p.parts[a] == 1 {
			ghost[a] = 0
		}
	}
	for a := p.axis; a > 0; a-- {
		for _, up := range []int{-1, 1} {
			var side [3]int
			if side[a] = up; ghost[a] > 0 {
				list = append(list, side)
			}
		}
	}
	if ghost[1]*ghost[2] > 0 {
		list = append(list, [3]int{0, -1, -1}, [3]int{0, 1, -1}, [3]int{0, -1, 1}, [3]int{0, 1, 1})
	}
	return list
}

// Links of a rank: the faces of the slowest axis, the lower first, then the faces of y
// and the edges. Send and Recv cover whole rows of x.
func (p Plan) Links(rank int) []Link {
	n := p.Box(rank).Size()
	var links []Link
	for _, side := range p.sides() {
		neighbour, ok := p.beyond(rank, side)
		if !ok {
			continue
		}
		l := Link{Rank: neighbour, Side: side, Send: Box{Hi: n}, Recv: Box{Hi: n}}
		for a, up := range side {
			switch {
			case up < 0:
				l.Send.Hi[a] = 1
				l.Recv.Lo[a], l.Recv.Hi[a] = -1, 0
			case up > 0:
				l.Send.Lo[a] = n[a] - 1
				l.Recv.Lo[a], l.Recv.Hi[a] = n[a], n[a]+1
			}
		}
		l.SendTag, l.RecvTag = tag(side), tag([3]int{-side[0], -side[1], -side[2]})
		links = append(links, l)
	}
	return links
}

// tag numbers the 27 directions that a message can travel in. The receiver sees
// the sender on the opposite side, hence its tag is the reversed side's.
func tag(side [3]int) int { return (side[2]+1)*9 + (side[1]+1)*3 + side[0] + 1 }

// Edges splits a rank's box, in local coordinates, into the cells that a neighbour
// waits for and the bulk: all others, with Cells 0 when the edges are all there is.
// The edges are up to four boxes: whole planes first, then the rest of the
// outermost rows, of so many layers. No cell is in two boxes. Only edge cells read
// the ghost cells that an exchange fills, so the bulk never waits.
func (p Plan) Edges(rank, layers int) (edges []Box, bulk Box) {
	bulk = Box{Hi: p.Box(rank).Size()}
	for _, side := range p.sides() {
		if side[1]*side[2] != 0 {
			continue // edges of the box are in its faces
		}
		if _, ok := p.beyond(rank, side); !ok {
			continue
		}
		e := bulk
		for a, up := range side {
			switch {
			case up < 0:
				e.Hi[a] = min(e.Lo[a]+layers, e.Hi[a])
				bulk.Lo[a] = e.Hi[a]
			case up > 0: // no cells where the layers of the lower side are all
				e.Lo[a] = max(e.Hi[a]-layers, e.Lo[a])
				bulk.Hi[a] = e.Lo[a]
			}
		}
		if e.Cells() > 0 {
			edges = append(edges, e)
		}
	}
	return edges, bulk
}
