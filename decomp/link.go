package decomp

// Link is one message that a rank sends and the one that it gets back in every
// exchange: a neighbour with the cells that travel. A rank may have two links to
// the same neighbour (two ranks in a periodic domain) or to itself; the tags tell
// such messages apart.
type Link struct {
	Rank    int    // the neighbour, maybe the rank itself
	Side    [3]int // where the neighbour lies: -1, 0 or +1 along each axis
	Send    Box    // interior cells that the neighbour needs, local coordinates
	Recv    Box    // ghost cells that the neighbour fills, local coordinates
	SendTag int    // tag of the message sent, 0 to 26
	RecvTag int    // tag of the message received, 0 to 26
}

// Links of a rank, the lower neighbour first. Send and Recv cover whole rows of x.
func (p Plan) Links(rank int) []Link {
	n := p.Box(rank).Size()
	var links []Link
	for _, side := range []int{-1, 1} {
		neighbour, ok := p.Neighbour(rank, side)
		if !ok {
			continue
		}
		l := Link{Rank: neighbour, Send: Box{Hi: n}, Recv: Box{Hi: n}}
		l.Side[p.axis] = side
		first, ghost := 0, -1
		if side > 0 {
			first, ghost = n[p.axis]-1, n[p.axis]
		}
		l.Send.Lo[p.axis], l.Send.Hi[p.axis] = first, first+1
		l.Recv.Lo[p.axis], l.Recv.Hi[p.axis] = ghost, ghost+1
		l.SendTag, l.RecvTag = tag(l.Side), tag([3]int{-l.Side[0], -l.Side[1], -l.Side[2]})
		links = append(links, l)
	}
	return links
}

// tag numbers the 27 directions that a message can travel in. The receiver sees
// the sender on the opposite side, hence its tag is that of the reversed side.
func tag(side [3]int) int { return (side[2]+1)*9 + (side[1]+1)*3 + side[0] + 1 }

// Edges splits a rank's box, in local coordinates, into the cells that a neighbour
// waits for, as none, one or two boxes of whole planes, and the bulk: all others,
// with Cells 0 when the edges are all there is. No cell is in two boxes. Only edge
// cells read the ghost cells that an exchange fills, so the bulk never waits.
func (p Plan) Edges(rank int) (edges []Box, bulk Box) {
	bulk = Box{Hi: p.Box(rank).Size()}
	for _, l := range p.Links(rank) {
		if len(edges) == 1 && edges[0] == l.Send {
			continue // one plane serves both sides
		}
		edges = append(edges, l.Send)
		if l.Side[p.axis] < 0 {
			bulk.Lo[p.axis]++
		} else {
			bulk.Hi[p.axis]--
		}
	}
	return edges, bulk
}
