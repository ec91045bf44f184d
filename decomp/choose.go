// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"fmt"
	"math"
)

// The choice among the possible cuts. A step lasts as long as its edges and then the bulk or
// the messages, whichever is longer: messages hidden behind the bulk cost nothing. Slabs
// have two messages, each one run of memory; pencils have eight of less surface, of
// which two are a run for each row. So slabs are as good until they are so thin that
// their planes no longer hide, or fewer than the ranks. Then the surface counts, for
// the number of messages is the same for all pencils.
//
// The numbers are for GPUs, where the choice matters most: eight to a node, joined
// by NVLink, and 400 Gb/s for each between nodes, which the slowest messages of more
// ranks must cross. A case may say how it is to be cut.
const (
	update     = 1 / 4e10  // seconds to compute a cell
	sent       = 40        // bytes of a cell: ten moments of four
	within     = 1 / 4e11  // seconds for a byte inside a node
	between    = 1 / 5e10  // and from node to node
	start      = 3e-6      // seconds to launch a copy and to detect its arrival
	node       = 8         // ranks of a node
	worthwhile = 1 - 1./10 // pencils must be a tenth faster
)

// NoCut states that a domain cannot be cut for a number of ranks.
type NoCut struct {
	Global [3]int
	Dims   int
	Ranks  int
	Wanted [3]int // parts along each axis, 0: any
	Fewer  int    // the largest smaller number of ranks that is possible, 0: none
}

func (e *NoCut) Error() string {
	if n := e.Wanted[1] * e.Wanted[2]; n > 0 && n != e.Ranks {
		return fmt.Sprintf("%d ranks, but the case divides the domain into 1 x %d x %d parts: start %d ranks", e.Ranks, e.Wanted[1], e.Wanted[2], n)
	}
	cells, axes, wanted := fmt.Sprintf("%d x %d", e.Global[0], e.Global[1]), "y", ""
	if e.Dims == 3 {
		cells, axes = fmt.Sprintf("%s x %d", cells, e.Global[2]), "y and z"
	}
	for a := 1; a < e.Dims; a++ {
		if n := e.Wanted[a]; n > 0 {
			wanted = fmt.Sprintf(", %d of them along %c", n, "xyz"[a])
		}
	}
	text := fmt.Sprintf("%d ranks for a domain of %s cells%s: it is divided along %s into a grid of parts, and every part must have at least one row of cells", e.Ranks, cells, wanted, axes)
	if e.Fewer > 0 {
		text += fmt.Sprintf("; the next smaller valid number is %d", e.Fewer)
	}
	return text
}

// Cut cuts the domain for a number of ranks by the fastest cut that fits: into slabs, or
// in three dimensions into pencils. wanted fixes the number of parts along an axis
// where it is not 0. The error is a *NoCut if the numbers are possible in themselves.
func Cut(global [3]int, periodic [3]bool, dims, ranks int, wanted [3]int) (Plan, error) {
	if err := valid(global, dims, ranks); err != nil {
		return Plan{}, err
	}
	best, found := choose(cuts(global, periodic, dims, ranks, wanted), ranks)
	if found {
		return best, nil
	}
	e := &NoCut{Global: global, Dims: dims, Ranks: ranks, Wanted: wanted}
	for py := 1; py <= min(ranks-1, global[1]); py++ {
		pz := min((ranks-1)/py, global[2])
		if wanted[2] > 0 && wanted[2] <= pz {
			pz = wanted[2]
		}
		if (wanted[1] == 0 || wanted[1] == py) && (wanted[2] == 0 || wanted[2] == pz) {
			e.Fewer = max(e.Fewer, py*pz)
		}
	}
	return Plan{}, e
}

// choose returns the best of the cuts for a number of ranks.
func choose(all []Plan, ranks int) (best Plan, found bool) {
	if len(all) == 0 {
		return best, false
	}
	least := math.Inf(1)
	for _, p := range all {
		least = min(least, p.seconds())
	}
	surface := math.MaxInt
	for _, p := range all {
		if p.seconds()*worthwhile > least {
			continue
		}
		if p.parts[p.axis] == ranks {
			return p, true // slabs
		}
		if cells, _ := p.messages(); cells < surface {
			best, surface = p, cells
		}
	}
	return best, true
}

// cuts returns all cuts that fit, by the number of parts along y.
func cuts(global [3]int, periodic [3]bool, dims, ranks int, wanted [3]int) (list []Plan) {
	for py := 1; py <= min(ranks, global[1]); py++ {
		parts := [3]int{1, py, ranks / py}
		fits := ranks%py == 0
		for a, n := range wanted {
			fits = fits && (n == 0 || n == parts[a])
		}
		if !fits {
			continue
		}
		if p, err := newPlan(global, periodic, dims, parts); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// links returns, for each axis, how many ends of an interior box have a neighbour, and how
// many have a link, if only to the rank itself.
func (p Plan) links() (others, all [3]int) {
	for a := 1; a <= p.axis; a++ {
		if others[a] = min(p.parts[a]-1, 2); p.Periodic[a] && p.parts[a] == 2 {
			others[a] = 2
		}
		if all[a] = others[a]; p.Periodic[a] && a == p.axis {
			all[a] = 2
		}
	}
	return others, all
}

// messages returns the number of cells that the largest box sends to others, and the number of messages.
func (p Plan) messages() (cells, messages int) {
	n := p.Largest()
	others, all := p.links()
	messages = others[1] * all[2] // along the edges
	cells = n[0] * messages
	for a := 1; a <= p.axis; a++ {
		cells += n[0] * n[3-a] * others[a]
		messages += others[a]
	}
	return cells, messages
}

// seconds returns the approximate time of a step of the largest box.
func (p Plan) seconds() float64 {
	n := p.Largest()
	_, all := p.links()
	whole, bulk := 1., 1.
	for a := range n {
		whole *= float64(n[a])
		bulk *= float64(max(0, n[a]-all[a]))
	}
	cells, messages := p.messages()
	rate := within
	if p.Ranks() > node {
		rate = between
	}
	exchange := start*float64(messages) + rate*sent*float64(cells)
	return update*(whole-bulk) + max(update*bulk, exchange)
}
