// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// plans calls f for every small cut: both dimensions, slabs and pencils, periodic or
// not along each axis, more ranks than most planes, uneven sizes.
func plans(t *testing.T, f func(t *testing.T, p Plan)) {
	try := func(p Plan, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%dD %v/%v parts/periodic %v", p.Axis()+1, p.Global, p.Parts(), p.Periodic), func(t *testing.T) { f(t, p) })
	}
	for dims := 2; dims <= 3; dims++ {
		for planes := 1; planes <= 13; planes++ {
			for ranks := 1; ranks <= planes; ranks++ {
				for _, wrap := range []bool{false, true} {
					global, periodic := [3]int{5, 4, 1}, [3]bool{}
					global[dims-1], periodic[dims-1] = planes, wrap
					try(Slabs(global, periodic, dims, ranks))
				}
			}
		}
	}
	for dims := 2; dims <= 3; dims++ { // of patches: cut at even cells, with overlap at some ends
		for ends := range 4 {
			n := [3]int{6, 10, 1}
			p := Plan{grain: 2, axis: dims - 1, parts: [3]int{1, 3, 1}, Periodic: [3]bool{1: ends == 3}}
			if dims == 3 {
				n[2], p.parts[2], p.trail[2] = 8, 2, 2
			}
			p.lead[1], p.trail[1] = 2*(ends&1), ends&2
			if ends == 3 {
				p.lead[1], p.trail[1] = 0, 0
			}
			p.Global = plus(n, plus(p.lead, p.trail))
			try(p, nil)
		}
	}
	for _, rows := range []int{2, 3, 5, 8} {
		for _, planes := range []int{1, 2, 3, 7} {
			for py := 1; py <= min(rows, 4); py++ {
				for pz := 1; pz <= min(planes, 4); pz++ {
					for ends := range 4 {
						try(Pencils([3]int{5, rows, planes}, [3]bool{true, ends&1 != 0, ends&2 != 0}, py, pz))
					}
				}
			}
		}
	}
}

func TestBoxesTileTheDomain(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		owner := map[[3]int]int{} // of the cells at x = 0
		var smallest, largest [3]int
		for r := 0; r < p.Ranks(); r++ {
			b := p.Box(r)
			n := b.Size()
			for a := range n {
				if r == 0 {
					smallest[a] = n[a]
				}
				smallest[a], largest[a] = min(smallest[a], n[a]), max(largest[a], n[a])
			}
			if b.Lo[0] != 0 || b.Hi[0] != p.Global[0] {
				t.Fatalf("x is cut: %v", b)
			}
			for z := b.Lo[2]; z < b.Hi[2]; z++ {
				for y := b.Lo[1]; y < b.Hi[1]; y++ {
					c := [3]int{0, y, z}
					if other, taken := owner[c]; taken {
						t.Fatalf("cell %v belongs to ranks %d and %d", c, other, r)
					}
					if owner[c] = r; p.Owner(c) != r || !b.Contains(c) {
						t.Errorf("cell %v of rank %d is said to be owned by %d", c, r, p.Owner(c))
					}
				}
			}
		}
		if len(owner) != p.Global[1]*p.Global[2] {
			t.Errorf("the ranks own %d rows of %d", len(owner), p.Global[1]*p.Global[2])
		}
		if largest != p.Largest() {
			t.Errorf("the largest box is said to be %v, it is %v", p.Largest(), largest)
		}
		for a := range smallest {
			if smallest[a] < 1 || largest[a]-smallest[a] > max(1, p.grain)+max(p.lead[a], p.trail[a]) {
				t.Errorf("boxes have %v to %v cells", smallest, largest)
			}
		}
	})
}

// Cells that a kernel reads around a box are the rank's own, come from a message
// or lie behind the end of the domain, edges included: each ghost cell that stands
// for a cell is filled exactly once.
func TestGhostsAreFilledOnce(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		g := p.Ghost()
		for r := 0; r < p.Ranks(); r++ {
			b := p.Box(r)
			n := b.Size()
			for z := -g[2]; z < n[2]+g[2]; z++ {
				for y := -g[1]; y < n[1]+g[1]; y++ {
					times := 0
					for _, l := range p.Links(r) {
						if l.Recv.Contains([3]int{0, y, z}) {
							times++
						}
					}
					want, global := 0, add(b.Lo, [3]int{0, y, z})
					if y < 0 || y >= n[1] || z < 0 || z >= n[2] {
						want = 1
					}
					for a := 1; a < 3; a++ {
						if (global[a] < 0 || global[a] >= p.Global[a]) && !p.Periodic[a] {
							want = 0
						}
					}
					if times != want {
						t.Errorf("rank %d: cell (%d, %d) is filled %d times, want %d", r, y, z, times, want)
					}
				}
			}
		}
	})
}

// Every message sent is expected by its receiver under the same tag and no
// other message between the two has that tag; the sent cells are those that the receiver's
// ghost cells represent.
func TestLinksMatch(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		type message struct{ from, to, tag int }
		sent := map[message][3]int{} // the global cell that its data starts at
		for r := 0; r < p.Ranks(); r++ {
			for _, l := range p.Links(r) {
				m := message{r, l.Rank, l.SendTag}
				if _, ok := sent[m]; ok {
					t.Errorf("two messages are %+v", m)
				}
				sent[m] = add(p.Box(r).Lo, l.Send.Lo)
				if l.Send.Size() != l.Recv.Size() {
					t.Errorf("rank %d sends %v and receives %v", r, l.Send, l.Recv)
				}
			}
		}
		received := 0
		for r := 0; r < p.Ranks(); r++ {
			for _, l := range p.Links(r) {
				received++
				want := add(p.Box(r).Lo, l.Recv.Lo)
				for a := range want {
					want[a] = (want[a] + p.Global[a]) % p.Global[a]
				}
				got, ok := sent[message{l.Rank, r, l.RecvTag}]
				if !ok || got != want {
					t.Errorf("rank %d side %v: ghost cell %v gets %v (sent: %v)", r, l.Side, want, got, ok)
				}
			}
		}
		if received != len(sent) {
			t.Errorf("%d messages sent, %d received", len(sent), received)
		}
	})
}

func TestWallsHaveNoNeighbour(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		_, below := p.Neighbour(0, -1)
		_, above := p.Neighbour(p.Ranks()-1, 1)
		if wrap := p.Periodic[p.Axis()]; below != wrap || above != wrap {
			t.Errorf("periodic %v, but the ends have neighbours: %v, %v", wrap, below, above)
		}
	})
}

// Edges and bulk together contain every cell once, and each cell that a link sends
// is in an edge. Deeper edges have the cells of that depth.
func TestEdgesAndBulkTileTheBox(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		for k := range 3 * p.Ranks() {
			r, layers := k/3, []int{1, 2, 5}[k%3]
			boxes, bulk := p.Edges(r, layers)
			edges := len(boxes)
			boxes = append(boxes, bulk)
			n := p.Box(r).Size()
			for z := 0; z < n[2]; z++ {
				for y := 0; y < n[1]; y++ {
					c, times, edge := [3]int{0, y, z}, 0, false
					for i, b := range boxes {
						if b.Cells() > 0 && b.Contains(c) {
							times++
							edge = edge || i < edges
						}
					}
					if times != 1 {
						t.Errorf("rank %d computes cell %v %d times", r, c, times)
					}
					needed := false
					for _, l := range p.Links(r) {
						needed = needed || l.Send.Contains(c)
					}
					if depth := p.Depth(r, [][3]int{c, c}); layers > 1 {
						needed = depth <= layers && len(p.Links(r)) > 0
					} else if needed && depth > 1 {
						t.Errorf("rank %d cell %v: depth %d in an edge", r, c, depth)
					}
					if needed != edge {
						t.Errorf("rank %d cell %v: needed %v, in an edge of %d layers %v", r, c, needed, layers, edge)
					}
				}
			}
		}
	})
}

// Slabs send and receive the contiguous ranges of Layout.Plane, and
// the edges of pencils are few runs too.
func TestLinksAreContiguous(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		for r := 0; r < p.Ranks(); r++ {
			layout := p.Layout(r, 6)
			if layout.Axis() != p.Axis() {
				t.Fatalf("layout counts planes along %d, the plan along %d", layout.Axis(), p.Axis())
			}
			for _, l := range p.Links(r) {
				for _, b := range []Box{l.Send, l.Recv} {
					got := layout.Ranges(b)
					if runs := 1; p.Axis() == 2 && l.Side[2] == 0 {
						if runs = b.Size()[2]; len(got) != runs {
							t.Errorf("rank %d box %v: %d runs of memory, want %d", r, b, len(got), runs)
						}
						continue
					}
					lo, hi := layout.Plane(b.Lo[p.Axis()])
					if whole := layout.Ghost[1] == 0 || p.Axis() == 1; len(got) != 1 || got[0].Lo < lo || got[0].Hi > hi || whole && got[0] != (Range{lo, hi}) {
						t.Errorf("rank %d box %v: ranges %v, want one in [%d, %d)", r, b, got, lo, hi)
					}
				}
			}
		}
	})
}

func TestRangesOfRows(t *testing.T) {
	l := NewLayout([3]int{40, 3, 4}, [3]int{0, 1, 1}, 10)
	n := l.RowLen()
	// The lower y face without ghosts: one row of each z-plane of 5 rows.
	got := l.Ranges(Box{Hi: [3]int{40, 1, 4}})
	if len(got) != 4 {
		t.Fatalf("%d ranges, want 4: %v", len(got), got)
	}
	for z, r := range got {
		if lo := ((z+1)*5 + 1) * n; r != (Range{lo, lo + n}) {
			t.Errorf("z = %d: %v, want [%d, %d)", z, r, lo, lo+n)
		}
	}
	if all := l.Ranges(Box{Lo: [3]int{0, -1, -1}, Hi: [3]int{40, 4, 5}}); len(all) != 1 || all[0] != (Range{0, l.Len()}) {
		t.Errorf("the whole memory is %v, want one range of %d", all, l.Len())
	}
}

func TestSlabsRefuses(t *testing.T) {
	_, err := Slabs([3]int{8, 8, 3}, [3]bool{}, 3, 5)
	var many *TooManyRanks
	if !errors.As(err, &many) || many.Planes != 3 || !strings.Contains(err.Error(), "at most 3 ranks") {
		t.Errorf("5 ranks on 3 planes: %v", err)
	}
	for _, bad := range []struct {
		global      [3]int
		dims, ranks int
	}{{[3]int{8, 8, 8}, 1, 1}, {[3]int{8, 0, 8}, 3, 1}, {[3]int{8, 8, 2}, 2, 1}, {[3]int{8, 8, 8}, 3, 0}} {
		if _, err := Slabs(bad.global, [3]bool{}, bad.dims, bad.ranks); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

// Numbers of the largest machines stay exact: 100000 ranks, 10^5 planes and more.
func TestLargeCuts(t *testing.T) {
	p, err := Slabs([3]int{1 << 17, 1 << 17, 1<<17 + 12345}, [3]bool{true, true, true}, 3, 100003)
	if err != nil {
		t.Fatal(err)
	}
	for r := 0; r < p.Ranks(); r += 997 {
		b := p.Box(r)
		if p.Owner(b.Lo) != r || p.Owner(add(b.Hi, [3]int{-1, -1, -1})) != r {
			t.Errorf("rank %d does not own its own planes %v", r, b)
		}
	}
	if p, err = Cut(p.Global, p.Periodic, 3, 100000, [3]int{}); err != nil {
		t.Fatal(err)
	}
	if p.Parts()[1] == 1 {
		t.Errorf("slabs of one plane and pencils of %v cells: %v parts are taken", p.Largest(), p.Parts())
	}
	for r := 0; r < p.Ranks(); r += 997 {
		b := p.Box(r)
		if p.Owner(b.Lo) != r || p.Owner(add(b.Hi, [3]int{-1, -1, -1})) != r {
			t.Errorf("rank %d does not own the corners of its box %v", r, b)
		}
	}
}

// The rule as a table: slabs while their messages hide behind the bulk, pencils where slabs
// are thin, do not fit or leave ranks with one plane less than others.
func TestCutChooses(t *testing.T) {
	for _, c := range []struct {
		global [3]int
		dims   int
		ranks  int
		wanted [3]int
		parts  [3]int
	}{
		{[3]int{512, 512, 512}, 3, 1, [3]int{}, [3]int{1, 1, 1}},
		{[3]int{512, 512, 512}, 3, 8, [3]int{}, [3]int{1, 1, 8}},
		{[3]int{1024, 1024, 1024}, 3, 8, [3]int{}, [3]int{1, 1, 8}},
		{[3]int{256, 256, 256}, 3, 8, [3]int{}, [3]int{1, 1, 8}},
		{[3]int{512, 512, 512 * 64}, 3, 64, [3]int{}, [3]int{1, 1, 64}},
		{[3]int{512, 512, 512}, 3, 16, [3]int{}, [3]int{1, 4, 4}},
		{[3]int{512, 512, 512}, 3, 64, [3]int{}, [3]int{1, 8, 8}},
		{[3]int{5120, 5120, 5120}, 3, 1000, [3]int{}, [3]int{1, 25, 40}},
		{[3]int{64, 64, 64}, 3, 12, [3]int{}, [3]int{1, 1, 12}},
		{[3]int{64, 64, 3}, 3, 12, [3]int{}, [3]int{1, 12, 1}},
		{[3]int{64, 64, 1}, 3, 12, [3]int{}, [3]int{1, 12, 1}},
		{[3]int{512, 512, 9}, 3, 8, [3]int{}, [3]int{1, 8, 1}},
		{[3]int{64, 64, 64}, 3, 12, [3]int{1, 3, 0}, [3]int{1, 3, 4}},
		{[3]int{64, 64, 64}, 3, 12, [3]int{0, 0, 2}, [3]int{1, 6, 2}},
		{[3]int{64, 64, 1}, 2, 12, [3]int{}, [3]int{1, 12, 1}},
	} {
		p, err := Cut(c.global, [3]bool{true, true, true}, c.dims, c.ranks, c.wanted)
		if err != nil || p.Parts() != c.parts || p.Ranks() != c.ranks {
			t.Errorf("%v for %d ranks, wanted %v: %v (%v), want %v", c.global, c.ranks, c.wanted, p.Parts(), err, c.parts)
		}
	}
}

func TestCutRefuses(t *testing.T) {
	for _, c := range []struct {
		global [3]int
		dims   int
		ranks  int
		wanted [3]int
		fewer  int
		words  string
	}{
		{[3]int{8, 3, 5}, 3, 16, [3]int{}, 15, "next smaller valid number is 15"},
		{[3]int{8, 3, 5}, 3, 7, [3]int{}, 6, "7 ranks for a domain of 8 x 3 x 5 cells: it is divided along y and z"},
		{[3]int{8, 3, 1}, 2, 4, [3]int{}, 3, "4 ranks for a domain of 8 x 3 cells: it is divided along y into"},
		{[3]int{8, 8, 8}, 3, 9, [3]int{0, 2, 0}, 8, ", 2 of them along y"},
		{[3]int{8, 8, 8}, 3, 9, [3]int{1, 2, 4}, 8, "start 8 ranks"},
		{[3]int{8, 8, 8}, 3, 7, [3]int{1, 2, 4}, 0, "start 8 ranks"},
		{[3]int{8, 1 << 20, 1 << 20}, 3, 1<<40 - 1, [3]int{}, 1<<40 - 1<<20, "the next smaller"},
		{[3]int{8, 1 << 20, 1 << 20}, 3, 1<<40 - 1, [3]int{0, 0, 7}, 7 << 20, ", 7 of them along z"},
		{[3]int{8, 2, 8}, 3, 9, [3]int{1, 3, 0}, 0, ", 3 of them along y"},
	} {
		_, err := Cut(c.global, [3]bool{}, c.dims, c.ranks, c.wanted)
		var no *NoCut
		if !errors.As(err, &no) || no.Fewer != c.fewer || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v for %d ranks, wanted %v: %v", c.global, c.ranks, c.wanted, err)
		}
	}
	if _, err := Pencils([3]int{8, 3, 5}, [3]bool{}, 4, 2); err == nil {
		t.Error("4 parts of 3 rows")
	}
	if _, err := Pencils([3]int{8, 3, 5}, [3]bool{}, 0, 2); err == nil {
		t.Error("0 parts")
	}
}

func add(a, b [3]int) [3]int { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Ranks that read the other end of an uncut axis from their own cells have links for the other
// axes alone, and no edges where they have no links.
func TestWrapsNeedsNoLinks(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		p.Wraps = true
		parts := p.Parts()
		for rank := range p.Ranks() {
			for _, l := range p.Links(rank) {
				for a, up := range l.Side {
					if up != 0 && parts[a] == 1 {
						t.Errorf("a link towards %v, where the domain is not cut: %v parts", l.Side, parts)
					}
				}
			}
			if edges, bulk := p.Edges(rank, 1); p.Ranks() == 1 && (len(edges) > 0 || bulk != (Box{Hi: p.Box(0).Size()})) {
				t.Errorf("one rank has the edges %v and the bulk %v", edges, bulk)
			}
		}
	})
}

// Listed cells follow the state, each at a separate place; links have equally many rows in both directions, and both ranks
// agree on them.
func TestListedCellsLieBehindTheState(t *testing.T) {
	for _, ghost := range [][3]int{{0, 1, 0}, {0, 0, 1}, {0, 1, 1}} {
		plain := NewLayout([3]int{40, 3, 4}, ghost, 10)
		l, links := plain.List([]Listed{{0, 1, 70}, {3, 64, 0}, {4, 128, 129}})
		if l.Listed != 4+2+6 || l.Len() != plain.Len()+12*l.RowLen() || l.Rows() != plain.Rows() {
			t.Errorf("ghosts %v: %+v from %+v", ghost, l, plain)
		}
		taken := map[int]bool{}
		for i, n := range [][2]int{{1, 70}, {64, 0}, {128, 129}} {
			k := links[i]
			if k.Rank != []int{0, 3, 4}[i] || k.SendTag != k.RecvTag || k.SendTag <= 26 || k.Send.Size() != k.Recv.Size() {
				t.Errorf("ghosts %v: link %+v", ghost, k)
			}
			for j, b := range []Box{k.Send, k.Recv} {
				if !l.IsListed(b) || len(l.Ranges(b)) != 1 {
					t.Errorf("ghosts %v: box %v in ranges %v", ghost, b, l.Ranges(b))
				}
				within := l.Ranges(b)[0]
				for c := range n[j] {
					for component := range l.Components {
						p := l.Place(b, c)
						at := l.At(p[0], p[1], p[2], component)
						if at < plain.Len() || at < within.Lo || at >= within.Hi || taken[at] {
							t.Fatalf("ghosts %v: cell %d of %v at %d, in %v", ghost, c, b, at, within)
						}
						taken[at] = true
					}
				}
			}
		}
		if l.IsListed(Box{Hi: l.N}) || l.IsListed(Box{Lo: [3]int{0, -1, 4}, Hi: [3]int{40, 3, 5}}) && ghost[2] > 0 {
			t.Error("own cells or ghost cells are listed")
		}
	}
}
