// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import "fmt"

// Plan is one cut of the global box: the cells that each rank owns, its
// neighbours, and the cells of a rank that they wait for. Callers see links and
// boxes only. The zero value is not a plan; Slabs, Pencils and Cut make one.
//
// Ranks are numbered with y fastest, so that neighbours along y, whose messages are
// a run of memory for each row, are likely to be on one node.
type Plan struct {
	Global   [3]int  // cells of the whole domain
	Periodic [3]bool // axes whose ends meet
	Faces    [3]bool // axes at whose ends lie ghost cells that the domain's faces fill
	Wraps    bool    // ranks read the other end of an uncut axis from their own cells: there are no links for it
	axis     int     // the slowest axis
	parts    [3]int  // boxes along each axis, 1 along x
	grain    int     // cuts are at multiples of so many cells after lead; 0: 1
	lead     [3]int  // cells at the lower ends of Global that belong to the first box whatever the cut
	trail    [3]int  // cells at the upper ends that belong to the last one
}

// TooManyRanks is the error of a domain with fewer planes than ranks.
type TooManyRanks struct {
	Ranks, Planes, Axis int
}

func (e *TooManyRanks) Error() string {
	return fmt.Sprintf("the domain has %d planes along %c, too few for %d ranks: every rank needs a plane, use at most %d ranks",
		e.Planes, "xyz"[e.Axis], e.Ranks, e.Planes)
}

// Slabs cuts the global box of cells along its slowest axis, y when dims is 2
// and z when it is 3, into one slab per rank. Slabs differ by one plane at most.
// The error is a *TooManyRanks when there are fewer planes than ranks.
func Slabs(global [3]int, periodic [3]bool, dims, ranks int) (Plan, error) {
	if err := valid(global, dims, ranks); err != nil {
		return Plan{}, err
	}
	parts := [3]int{1, 1, 1}
	parts[dims-1] = ranks
	return newPlan(global, periodic, dims, parts)
}

// Pencils cuts the box along y into py parts and each of these along z into pz: a
// grid of ranks. Boxes differ by one cell at most along either axis. With py = 1
// they are the slabs of three dimensions; two dimensions have slabs only.
func Pencils(global [3]int, periodic [3]bool, py, pz int) (Plan, error) {
	if err := valid(global, 3, min(py, pz)); err != nil {
		return Plan{}, err
	}
	return newPlan(global, periodic, 3, [3]int{1, py, pz})
}

// valid explains an invalid domain or number of ranks.
func valid(global [3]int, dims, ranks int) error {
	if dims != 2 && dims != 3 {
		return fmt.Errorf("cut the domain: %d dimensions, want 2 or 3", dims)
	}
	for a, n := range global {
		if n < 1 {
			return fmt.Errorf("cut the domain: %d cells along %c, want at least 1", n, "xyz"[a])
		}
	}
	if dims == 2 && global[2] != 1 {
		return fmt.Errorf("cut the domain: %d cells along z, want 1 in two dimensions", global[2])
	}
	if ranks < 1 {
		return fmt.Errorf("cut the domain: %d ranks, want at least 1", ranks)
	}
	return nil
}

func newPlan(global [3]int, periodic [3]bool, dims int, parts [3]int) (Plan, error) {
	for a, n := range parts {
		if n > global[a] {
			return Plan{}, &TooManyRanks{Ranks: n, Planes: global[a], Axis: a}
		}
	}
	return Plan{Global: global, Periodic: periodic, axis: dims - 1, parts: parts}, nil
}

// Ranks returns the number of boxes.
func (p Plan) Ranks() int { return p.parts[1] * p.parts[2] }

// Parts returns the number of boxes along each axis, 1 along x.
func (p Plan) Parts() [3]int { return p.parts }

// Axis returns the axis that planes are counted along, Layout.Axis of every rank: 1
// in 2D and 2 in 3D, with one rank too.
func (p Plan) Axis() int { return p.axis }

// Ghost returns the number of ghost layers on each side of a rank's box, for
// NewLayout: along the slowest axis always, along y where it is cut or has Faces; an axis
// without wraps around inside the box. It is the same on every rank, behind walls
// too.
func (p Plan) Ghost() [3]int {
	var g [3]int
	for a := 1; a <= p.axis; a++ {
		if a == p.axis || p.parts[a] > 1 || p.Faces[a] {
			g[a] = 1
		}
	}
	return g
}

// Layout places the cells of a rank with the given number of values per cell.
func (p Plan) Layout(rank, components int) Layout {
	return NewLayout(p.Box(rank).Size(), p.Ghost(), components)
}

// place returns a rank's place in the grid of boxes.
func (p Plan) place(rank int) [3]int { return [3]int{0, rank % p.parts[1], rank / p.parts[1]} }

// Box returns the cells that a rank owns, in global coordinates.
func (p Plan) Box(rank int) Box {
	var b Box
	at := p.place(rank)
	for a := range at {
		b.Lo[a], b.Hi[a] = p.start(a, at[a]), p.start(a, at[a]+1)
	}
	return b
}

// grains returns the number of units along an axis that are distributed over the boxes.
func (p Plan) grains(axis int) int {
	return (p.Global[axis] - p.lead[axis] - p.trail[axis]) / max(1, p.grain)
}

// start returns the first cell of box k along an axis, and the end of the last box for k = parts.
func (p Plan) start(axis, k int) int {
	switch k {
	case 0:
		return 0
	case p.parts[axis]:
		return p.Global[axis]
	}
	return p.lead[axis] + k*p.grains(axis)/p.parts[axis]*max(1, p.grain)
}

// Largest returns the size of the largest box, which some rank owns.
func (p Plan) Largest() [3]int {
	var n [3]int
	for a := range n {
		for k := range p.parts[a] {
			n[a] = max(n[a], p.start(a, k+1)-p.start(a, k))
		}
	}
	return n
}

// Owner returns the rank that owns the global cell c, which lies in the domain.
func (p Plan) Owner(c [3]int) int {
	var at [3]int
	for a := 1; a <= p.axis; a++ {
		n := p.grains(a)
		g := min(max(c[a]-p.lead[a], 0)/max(1, p.grain), n-1)
		// The largest i with i*n/parts <= g, that is with i*n < (g+1)*parts.
		at[a] = ((g+1)*p.parts[a] - 1) / n
	}
	return at[1] + p.parts[1]*at[2]
}

// Line returns the ranks along an axis through a cell, in the order of their boxes.
func (p Plan) Line(at [3]int, axis int) (ranks []int) {
	for at[axis] = 0; at[axis] < p.Global[axis]; at[axis] = p.Box(ranks[len(ranks)-1]).Hi[axis] {
		ranks = append(ranks, p.Owner(at))
	}
	return ranks
}

// Neighbour returns the rank beyond the lower (side -1) or the upper (side +1) end of
// a rank's box along Axis: the rank itself when it alone spans a periodic axis, and false
// where the domain ends.
func (p Plan) Neighbour(rank, side int) (int, bool) {
	var towards [3]int
	towards[p.axis] = side
	return p.beyond(rank, towards)
}

// beyond returns the rank whose box lies on a side of a rank's box: -1, 0 or +1 along each
// axis; false where the domain ends.
func (p Plan) beyond(rank int, side [3]int) (int, bool) {
	at := p.place(rank)
	for a, n := range p.parts {
		at[a] += side[a]
		if at[a] < 0 || at[a] >= n {
			if !p.Periodic[a] {
				return 0, false
			}
			at[a] = (at[a] + n) % n
		}
	}
	return at[1] + p.parts[1]*at[2], true
}
