package decomp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// plans calls f for every small cut: both dimensions, periodic or not, more
// ranks than most planes, uneven sizes.
func plans(t *testing.T, f func(t *testing.T, p Plan)) {
	for dims := 2; dims <= 3; dims++ {
		for planes := 1; planes <= 13; planes++ {
			for ranks := 1; ranks <= planes; ranks++ {
				for _, wrap := range []bool{false, true} {
					global, periodic := [3]int{5, 4, 1}, [3]bool{}
					global[dims-1], periodic[dims-1] = planes, wrap
					p, err := Slabs(global, periodic, dims, ranks)
					if err != nil {
						t.Fatal(err)
					}
					t.Run(fmt.Sprintf("%dD/%d planes/%d ranks/periodic %v", dims, planes, ranks, wrap),
						func(t *testing.T) { f(t, p) })
				}
			}
		}
	}
}

func TestBoxesTileTheDomain(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		cells, next, smallest, largest := 0, 0, 1<<30, 0
		for r := 0; r < p.Ranks(); r++ {
			b := p.Box(r)
			if b.Lo[p.Axis()] != next {
				t.Fatalf("rank %d starts at plane %d, want %d", r, b.Lo[p.Axis()], next)
			}
			next = b.Hi[p.Axis()]
			n := b.Size()[p.Axis()]
			smallest, largest = min(smallest, n), max(largest, n)
			cells += b.Cells()
			for k := b.Lo[p.Axis()]; k < b.Hi[p.Axis()]; k++ {
				c := b.Lo
				c[p.Axis()] = k
				if p.OwnerOfPlane(k) != r || p.Owner(c) != r || !b.Contains(c) {
					t.Errorf("plane %d of rank %d is said to be owned by %d", k, r, p.OwnerOfPlane(k))
				}
			}
		}
		if whole := (Box{Hi: p.Global}).Cells(); cells != whole {
			t.Errorf("the ranks own %d cells of %d", cells, whole)
		}
		if smallest < 1 || largest-smallest > 1 {
			t.Errorf("slabs have %d to %d planes", smallest, largest)
		}
	})
}

// Every message sent is expected by its receiver under the same tag and no
// other message between the two has that tag; what is sent is what the receiver's
// ghost cells stand for.
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

// Edges and bulk together are every cell once, and each cell that a link sends
// is in an edge.
func TestEdgesAndBulkTileTheBox(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		for r := 0; r < p.Ranks(); r++ {
			boxes, bulk := p.Edges(r)
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
					if needed != edge {
						t.Errorf("rank %d cell %v: needed %v, in an edge %v", r, c, needed, edge)
					}
				}
			}
		}
	})
}

// A link's planes are the contiguous ranges that Layout.Plane gives.
func TestLinksAreContiguous(t *testing.T) {
	plans(t, func(t *testing.T, p Plan) {
		for r := 0; r < p.Ranks(); r++ {
			layout := p.Layout(r, 6)
			if layout.Axis() != p.Axis() {
				t.Fatalf("layout counts planes along %d, the plan along %d", layout.Axis(), p.Axis())
			}
			for _, l := range p.Links(r) {
				for _, b := range []Box{l.Send, l.Recv} {
					lo, hi := layout.Plane(b.Lo[p.Axis()])
					if got := layout.Ranges(b); len(got) != 1 || got[0] != (Range{lo, hi}) {
						t.Errorf("rank %d box %v: ranges %v, want [%d, %d)", r, b, got, lo, hi)
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
		if p.OwnerOfPlane(b.Lo[2]) != r || p.OwnerOfPlane(b.Hi[2]-1) != r {
			t.Errorf("rank %d does not own its own planes %v", r, b)
		}
	}
}

func add(a, b [3]int) [3]int { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
