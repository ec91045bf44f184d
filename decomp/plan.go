package decomp

import "fmt"

// Plan is one cut of the global box: which cells each rank owns, who its
// neighbours are, and which planes of a rank they wait for. Callers see links
// and boxes only, so that cuts along two axes can be added without changing them.
// The zero value is no plan; Slabs makes one.
type Plan struct {
	Global   [3]int  // cells of the whole domain
	Periodic [3]bool // axes whose ends meet
	axis     int     // the axis that is cut
	ranks    int
}

// TooManyRanks says that a domain has fewer planes than there are ranks.
type TooManyRanks struct {
	Ranks, Planes, Axis int
}

func (e *TooManyRanks) Error() string {
	return fmt.Sprintf("the domain has %d planes along %c, too few for %d ranks: every rank needs one plane, use at most %d ranks",
		e.Planes, "xyz"[e.Axis], e.Ranks, e.Planes)
}

// Slabs cuts the global box of cells along its slowest axis, y when dims is 2
// and z when it is 3, into one slab per rank. Slabs differ by one plane at most.
// The error is a *TooManyRanks when there are fewer planes than ranks.
func Slabs(global [3]int, periodic [3]bool, dims, ranks int) (Plan, error) {
	if dims != 2 && dims != 3 {
		return Plan{}, fmt.Errorf("cut the domain: %d dimensions, want 2 or 3", dims)
	}
	for a, n := range global {
		if n < 1 {
			return Plan{}, fmt.Errorf("cut the domain: %d cells along %c, want at least 1", n, "xyz"[a])
		}
	}
	if dims == 2 && global[2] != 1 {
		return Plan{}, fmt.Errorf("cut the domain: %d cells along z, want 1 in two dimensions", global[2])
	}
	if ranks < 1 {
		return Plan{}, fmt.Errorf("cut the domain: %d ranks, want at least 1", ranks)
	}
	axis := dims - 1
	if ranks > global[axis] {
		return Plan{}, &TooManyRanks{Ranks: ranks, Planes: global[axis], Axis: axis}
	}
	return Plan{Global: global, Periodic: periodic, axis: axis, ranks: ranks}, nil
}

// Ranks is the number of boxes.
func (p Plan) Ranks() int { return p.ranks }

// Axis is the axis that planes are counted along, Layout.Axis of every rank: 1
// in 2D and 2 in 3D, with one rank too.
func (p Plan) Axis() int { return p.axis }

// Ghost is the number of ghost layers on each side of a rank's box, for
// NewLayout. It is the same on every rank, behind walls too.
func (p Plan) Ghost() [3]int {
	var g [3]int
	g[p.axis] = 1
	return g
}

// Layout places the cells of a rank with the given number of values a cell.
func (p Plan) Layout(rank, components int) Layout {
	return NewLayout(p.Box(rank).Size(), p.Ghost(), components)
}

// Box is the cells that a rank owns, in global coordinates.
func (p Plan) Box(rank int) Box {
	b := Box{Hi: p.Global}
	n := p.Global[p.axis]
	b.Lo[p.axis] = rank * n / p.ranks
	b.Hi[p.axis] = (rank + 1) * n / p.ranks
	return b
}

// Owner is the rank that owns the global cell c, which lies in the domain.
func (p Plan) Owner(c [3]int) int { return p.OwnerOfPlane(c[p.axis]) }

// OwnerOfPlane is the rank that owns global plane k along Axis, 0 <= k < Global[Axis].
func (p Plan) OwnerOfPlane(k int) int {
	// The largest r with r*n/ranks <= k, that is with r*n < (k+1)*ranks.
	return ((k+1)*p.ranks - 1) / p.Global[p.axis]
}

// Neighbour is the rank beyond the lower (side -1) or the upper (side +1) end of
// a rank's box along Axis: itself when one rank is periodic, and false where the
// domain ends.
func (p Plan) Neighbour(rank, side int) (int, bool) {
	n := rank + side
	if n < 0 || n >= p.ranks {
		if !p.Periodic[p.axis] {
			return 0, false
		}
		n = (n + p.ranks) % p.ranks
	}
	return n, true
}
