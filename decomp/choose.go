package decomp

import "fmt"

// Which of the possible cuts? A step lasts as long as its edges and then the bulk or
// the messages, whichever is longer: what hides behind the bulk costs nothing. Slabs
// have two messages, each one run of memory; pencils have eight of less surface, of
// which two are a run for each row. So slabs are as good until they are so thin that
// their planes no longer hide, or fewer than the ranks.
//
// The weights are those of GPUs joined by NVLink: 4e10 cells computed a second, and
// of 40 bytes each 1e10 sent; a message costs about 3 us before its first byte, to
// launch a copy and to see that it has come. Over slower links pencils would win
// earlier. They are chosen late, because long messages are what every transport is
// best at; a case may say how it is to be cut.
const (
	sent       = 4     // a cell sent, in cells computed
	message    = 32768 // the start of a message, in cells sent
	worthwhile = 10    // pencils must win one part in this many
)

// NoCut says that a domain cannot be cut for a number of ranks.
type NoCut struct {
	Global [3]int
	Dims   int
	Ranks  int
	Wanted [3]int // parts along each axis, 0: any
	Fewer  int    // the largest smaller number of ranks that can be had, 0: none
}

func (e *NoCut) Error() string {
	if n := e.Wanted[1] * e.Wanted[2]; n > 0 && n != e.Ranks {
		return fmt.Sprintf("%d ranks, but the domain is to be cut into 1 x %d x %d parts: start %d ranks", e.Ranks, e.Wanted[1], e.Wanted[2], n)
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
	text := fmt.Sprintf("%d ranks for a domain of %s cells%s: it is cut along %s into a grid of parts, and every part needs at least one row of cells", e.Ranks, cells, wanted, axes)
	if e.Fewer > 0 {
		text += fmt.Sprintf("; the next smaller number that fits is %d", e.Fewer)
	}
	return text
}

// Cut cuts the domain for a number of ranks in the best way that fits: into slabs, or
// in three dimensions into pencils. wanted fixes the number of parts along an axis
// where it is not 0. The error is a *NoCut if the numbers are possible in themselves.
func Cut(global [3]int, periodic [3]bool, dims, ranks int, wanted [3]int) (Plan, error) {
	if err := valid(global, dims, ranks); err != nil {
		return Plan{}, err
	}
	best, found := choose(global, periodic, dims, ranks, wanted)
	if found {
		return best, nil
	}
	e := &NoCut{Global: global, Dims: dims, Ranks: ranks, Wanted: wanted}
	for n := min(ranks-1, global[1]*global[2]); n > 0 && e.Fewer == 0 && wanted[1]*wanted[2] == 0; n-- {
		if len(cuts(global, periodic, dims, n, wanted)) > 0 {
			e.Fewer = n
		}
	}
	return Plan{}, e
}

// choose is the best of the cuts.
func choose(global [3]int, periodic [3]bool, dims, ranks int, wanted [3]int) (best Plan, found bool) {
	all := cuts(global, periodic, dims, ranks, wanted)
	for i, p := range all {
		if i == 0 || p.cost() < best.cost() {
			best = p
		}
	}
	if len(all) > 0 && (all[0].cost()-best.cost())*worthwhile <= all[0].cost() {
		best = all[0] // the one with the fewest parts along y
	}
	return best, len(all) > 0
}

// cuts are all that fit, by the number of parts along y.
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

// cost of a step of the largest part amid others, in cells computed.
func (p Plan) cost() int {
	n := p.Largest()
	var real, all [3]int // ends with a neighbour, and those with a link
	for a := 1; a <= p.axis; a++ {
		if real[a] = min(p.parts[a]-1, 2); p.Periodic[a] && p.parts[a] == 2 {
			real[a] = 2
		}
		if all[a] = real[a]; p.Periodic[a] && a == p.axis {
			all[a] = 2
		}
	}
	bulk := n
	for a := range bulk {
		bulk[a] = max(0, n[a]-all[a])
	}
	corners := real[1] * all[2]
	cells, messages := n[0]*corners, corners
	for a := 1; a <= p.axis; a++ {
		cells += n[0] * n[3-a] * real[a]
		messages += real[a]
	}
	whole, inner := n[0]*n[1]*n[2], bulk[0]*bulk[1]*bulk[2]
	return whole - inner + max(inner, sent*(cells+message*messages))
}
