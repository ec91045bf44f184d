// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// at is a cell that a patch of a level stores.
type at struct {
	level, patch int
	cell         [3]int
}

func (s at) rank(h *Hierarchy) int { return h.Levels[s.level].Patches[s.patch].Owner(s.cell) }

// want is an item, the cell whose rank has it, and a cell whose rank needs it.
type want struct {
	item     Item
	from, to at
}

// wants lists the items, cell by cell from the masks. Items may occur several times.
func (s nest) wants(kind Passing, l int) (list []want) {
	owner := func(level int, c [3]int) at {
		k, ok := s.h.Find(level, c)
		if !ok || !s.owned[level][c] {
			panic(fmt.Sprintf("level %d does not own %v", level, c))
		}
		return at{level, k, c}
	}
	add := func(c [3]int, axis, side int, from, to at) {
		list = append(list, want{Item{owner(l, c).patch, c, axis, side}, from, to})
	}
	if kind == Siblings {
		if l == 0 {
			return nil
		}
		s.h.Overlap(l, func(f Filled) {
			if c, _ := s.h.Wrap(l, f.Cell); s.owned[l][c] {
				add(c, 0, 0, owner(l, c), at{l, f.Patch, f.Cell})
			}
		})
		return list
	}
	if l+1 == len(s.h.Levels) {
		return nil
	}
	if kind == Shells {
		s.h.Overlap(l+1, func(f Filled) {
			c, _ := s.h.Wrap(l+1, f.Cell)
			if s.owned[l+1][c] {
				return
			}
			var read func(c [3]int)
			read = func(c [3]int) {
				c, inside := s.h.Wrap(l, c)
				if inside {
					add(c, 0, 0, owner(l, c), at{l + 1, f.Patch, f.Cell})
					return
				}
				for _, in := range s.h.Inwards(l, c) {
					read(in)
				}
			}
			lo, hi := c, c
			for a := range s.h.dims {
				lo[a], hi[a] = c[a]/2-1, c[a]/2+1
			}
			Box{Lo: lo, Hi: plus(hi, [3]int{1, 1, 1})}.each(Box{}, read)
		})
		return list
	}
	for c := range s.owned[l] {
		if s.covered(l, c) {
			if kind == Means && s.h.Role(l, c) == Mirrored {
				add(c, 0, 0, owner(l+1, s.h.refined(1, c)), owner(l, c))
			}
			continue
		}
		for a := 0; a < s.h.dims && kind == Fluxes; a++ {
			for side := -1; side <= 1; side += 2 {
				beside := c
				beside[a] -= side
				if beside, inside := s.h.Wrap(l, beside); inside && s.covered(l, beside) {
					add(c, a, side, owner(l+1, s.h.refined(1, beside)), owner(l, c))
				}
			}
		}
	}
	return list
}

// order compares items as Traffic sorts them.
func order(a, b Item) int {
	return cmp.Or(cmp.Compare(a.Axis, b.Axis), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Patch, b.Patch),
		cmp.Compare(a.Cell[2], b.Cell[2]), cmp.Compare(a.Cell[1], b.Cell[1]), cmp.Compare(a.Cell[0], b.Cell[0]))
}

// Every item is needed by the ranks that the masks name, comes from the rank that has it, once, and has one place in the buffer:
// sender and receiver list it alike. Seeds: 1 of nests, 3 of the cuts.
func TestTrafficIsDeliveredOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var passed, across [passings]int
	nests(t, 32, func(t *testing.T, d Plan, s nest) {
		var plans []Plan
		for ranks := 1; ranks <= 12; ranks++ {
			if s.h.dims == 2 || r.IntN(2) == 0 {
				plans = append(plans, domain(t, d.Global, d.Periodic, s.h.dims, ranks))
			}
			for py := 2; py <= ranks && s.h.dims == 3; py++ {
				if ranks%py == 0 && r.IntN(2) == 0 {
					plans = append(plans, domain(t, d.Global, d.Periodic, 3, py, ranks/py))
				}
			}
		}
		n, m := s.deliveredOn(t, plans)
		for kind := range passings {
			passed[kind] += n[kind]
			across[kind] += m[kind]
		}
	})
	for kind := range passings {
		if passed[kind] < 10000 || across[kind] < passed[kind]/20 {
			t.Errorf("kind %d: only %d items were tried, %d of them between ranks", kind, passed[kind], across[kind])
		}
	}
}

// deliveredOn checks all kinds and levels on plans, and returns by kind the number of items and how many of them are other ranks'.
func (s nest) deliveredOn(t *testing.T, plans []Plan) (passed, across [passings]int) {
	t.Helper()
	for l := range s.h.Levels {
		for kind := range passings {
			list := s.wants(kind, l)
			for _, plan := range plans {
				h, err := NewHierarchy(plan, s.boxes)
				if err != nil {
					t.Fatal(err)
				}
				n, m := delivered(t, h, kind, l, list)
				passed[kind] += n
				across[kind] += m
			}
		}
	}
	return passed, across
}

// The extrapolation to a wall reads the third cell of a patch's neighbour on the wall's side, which is two cells from the first: a
// mirror cell of another patch than the second cell, on each side and along each axis.
func TestMeansBesideWalls(t *testing.T) {
	for axis := range 3 {
		for _, upper := range []bool{false, true} {
			box := func(name string, from, to [3]float64) Refinement {
				turned := Refinement{Name: name, Level: 1}
				for a := range 3 {
					b := (a + 3 - axis) % 3
					turned.From[a], turned.To[a] = from[b], to[b]
				}
				if upper {
					turned.From[axis], turned.To[axis] = 12-turned.To[axis], 12-turned.From[axis]
				}
				return turned
			}
			boxes := []Refinement{box("a", [3]float64{2, 3, 3}, [3]float64{8, 9, 9}), box("b", [3]float64{1, 4, 4}, [3]float64{4, 8, 8})}
			n := [3]int{12, 12, 12}
			h, err := NewHierarchy(domain(t, n, [3]bool{}, 3), boxes)
			if err != nil {
				t.Fatal(err)
			}
			third := [3]int{6, 6, 6}
			if third[axis] = 2; upper {
				third[axis] = 9
			}
			if k := h.Traffic(Means, 0, 0).Place(third); k < 0 {
				t.Errorf("%v is no mirror cell", third)
			}
			s := nest{boxes: boxes, h: h, owned: masks(boxes, h)}
			s.deliveredOn(t, []Plan{domain(t, n, [3]bool{}, 3), domain(t, n, [3]bool{}, 3, 5), domain(t, n, [3]bool{}, 3, 3, 2)})
		}
	}
}

// letter is an item in a slot.
type letter struct {
	item Item
	slot int
}

// delivery is one kind at one level, on all ranks of a cut.
type delivery struct {
	what  string
	kind  Passing
	h     *Hierarchy
	all   []*Traffic
	needs []map[Item]int // by rank that needs an item: the rank that has it
	got   [][][]letter   // [receiver][sender]
	sent  [][][]letter   // [sender][receiver]
}

// delivered checks one kind at one level, and returns the number of items and how many of them are other ranks'.
func delivered(t *testing.T, h *Hierarchy, kind Passing, l int, list []want) (passed, across int) {
	t.Helper()
	ranks := h.Levels[0].Patches[0].Plan.Ranks()
	d := delivery{what: fmt.Sprintf("kind %d, level %d, %d ranks", kind, l, ranks), kind: kind, h: h}
	for r := range ranks {
		d.all = append(d.all, h.Traffic(kind, l, r))
		d.needs = append(d.needs, map[Item]int{})
		d.got, d.sent = append(d.got, make([][]letter, ranks)), append(d.sent, make([][]letter, ranks))
	}
	for _, w := range list {
		d.needs[w.to.rank(h)][w.item] = w.from.rank(h)
	}
	for r, tr := range d.all {
		d.read(t, r)
		passed += tr.Needs
		across += tr.Needs - len(d.got[r][r])
	}
	for r := range ranks {
		d.peers(t, r)
		for from := range ranks {
			d.alike(t, from, r)
		}
	}
	if kind == Means || kind == Fluxes {
		for _, w := range list {
			d.written(t, w)
		}
	}
	return passed, across
}

// read checks the items that a rank needs, and records those that it receives and sends.
func (d delivery) read(t *testing.T, r int) {
	tr, count := d.all[r], 0
	var last Item
	tr.Needed(func(i Item, slot, from int) {
		if want, ok := d.needs[r][i]; !ok || want != from || slot != count || count > 0 && order(last, i) >= 0 {
			t.Fatalf("%s, rank %d: item %+v at %d behind %+v from %d, want from %d, %v", d.what, r, i, slot, last, from, want, ok)
		}
		place := tr.Place(i.Cell)
		if d.kind == Fluxes {
			place = tr.FacePlace(Face{Cell: i.Cell, Axis: i.Axis, Side: i.Side})
		}
		if place != slot {
			t.Fatalf("%s, rank %d: the place of %+v is %d, not %d", d.what, r, i, place, slot)
		}
		d.got[r][from] = append(d.got[r][from], letter{i, slot})
		last = i
		count++
	})
	if count != len(d.needs[r]) || tr.Needs != count {
		t.Fatalf("%s, rank %d: %d items of %d, said to be %d", d.what, r, count, len(d.needs[r]), tr.Needs)
	}
	end := tr.Needs
	for _, p := range tr.Peers {
		if p.Send.Lo != end {
			t.Fatalf("%s, rank %d: slots for rank %d begin at %d, not at %d", d.what, r, p.Rank, p.Send.Lo, end)
		}
		end = p.Send.Hi
	}
	if tr.Slots != end {
		t.Fatalf("%s, rank %d: %d slots, want %d", d.what, r, tr.Slots, end)
	}
	tr.Sources(func(i Item, slot int) {
		to := r
		for _, p := range tr.Peers {
			if slot >= p.Send.Lo && slot < p.Send.Hi {
				to = p.Rank
			}
		}
		d.sent[r][to] = append(d.sent[r][to], letter{i, slot})
	})
}

// peers checks the slots of the items that a rank receives and sends.
func (d delivery) peers(t *testing.T, r int) {
	last := -1
	for _, p := range d.all[r].Peers {
		if p.Rank <= last || p.Rank == r || len(d.got[r][p.Rank])+len(d.sent[r][p.Rank]) == 0 {
			t.Fatalf("%s, rank %d: peers %+v", d.what, r, d.all[r].Peers)
		}
		last = p.Rank
		var slots, want []int
		for _, r := range p.Recv {
			for s := r.Lo; s < r.Hi; s++ {
				slots = append(slots, s)
			}
		}
		for _, m := range d.got[r][p.Rank] {
			want = append(want, m.slot)
		}
		if !slices.Equal(slots, want) || d.all[p.Rank].Tag != d.all[r].Tag || p.Send.Hi-p.Send.Lo != len(d.sent[r][p.Rank]) {
			t.Fatalf("%s, rank %d: peer %+v gets %v, want %v", d.what, r, p, slots, want)
		}
	}
}

// alike checks that a rank sends the items that another one expects from it.
func (d delivery) alike(t *testing.T, from, to int) {
	out, in := d.sent[from][to], d.got[to][from]
	known := slices.ContainsFunc(d.all[to].Peers, func(p Peer) bool { return p.Rank == from })
	if known != (from != to && len(in)+len(d.sent[to][from]) > 0) {
		t.Fatalf("%s: is rank %d a peer of %d: %v", d.what, from, to, known)
	}
	same := len(out) == len(in)
	for i := 0; same && i < len(out); i++ {
		same = out[i].item == in[i].item && (from != to || out[i].slot == in[i].slot)
	}
	if !same {
		t.Fatalf("%s: rank %d sends %v to %d, which wants %v", d.what, from, out, to, in)
	}
}

// written checks the slots to which ranks write an item that one rank needs: its owner, and the rank behind it.
func (d delivery) written(t *testing.T, w want) {
	has := w.from.rank(d.h)
	for _, r := range []int{has, (has + 1) % len(d.all)} {
		got, want := d.all[r].Source(w.item.Cell), -1
		if d.kind == Fluxes {
			got = d.all[r].FaceSource(Face{Cell: w.item.Cell, Axis: w.item.Axis, Side: w.item.Side})
		}
		if list := d.sent[r][w.to.rank(d.h)]; r == has {
			k, ok := slices.BinarySearchFunc(list, w.item, func(m letter, i Item) int { return order(m.item, i) })
			if !ok {
				t.Fatalf("%s: rank %d does not send %+v", d.what, r, w.item)
			}
			want = list[k].slot
		}
		if got != want {
			t.Fatalf("%s, rank %d: %+v is written to slot %d, not to %d", d.what, r, w.item, got, want)
		}
	}
}

// No two kinds or levels share a tag, nor one with a link.
func TestTagsOfTraffic(t *testing.T) {
	h, err := NewHierarchy(domain(t, [3]int{16, 16, 1}, [3]bool{}, 2), []Refinement{
		{"a", 1, [3]float64{2, 2, 0}, [3]float64{14, 14, 1}},
		{"b", 2, [3]float64{4, 4, 0}, [3]float64{12, 12, 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	known := map[int]bool{}
	for tag := range listedTag + 1 {
		known[tag] = true
	}
	for l := range h.Levels {
		for kind := range passings {
			tag := h.Traffic(kind, l, 0).Tag
			if known[tag] {
				t.Errorf("tag %d of kind %d at level %d is in use", tag, kind, l)
			}
			known[tag] = true
		}
	}
}

// Cells that do not exist have no place.
func TestPlacesOfOtherCells(t *testing.T) {
	h, err := NewHierarchy(domain(t, [3]int{16, 16, 1}, [3]bool{}, 2), []Refinement{{"a", 1, [3]float64{4, 4, 0}, [3]float64{12, 12, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	// Shells: parents of the overlap are the ring beside cells 4 to 11, and those within one cell of it.
	tr := h.Traffic(Shells, 0, 0)
	count := 0
	Box{Hi: [3]int{16, 16, 1}}.each(Box{}, func(c [3]int) {
		want := -1
		deep := min(c[0], 15-c[0], c[1], 15-c[1])
		if deep >= 2 && deep <= 4 {
			want = count
			count++
		}
		if got := tr.Place(c); got != want {
			t.Errorf("the place of %v is %d, want %d", c, got, want)
		}
	})
	if tr.Needs != count || tr.Slots != count || len(tr.Peers) != 0 {
		t.Errorf("%d items of %d slots, want %d", tr.Needs, tr.Slots, count)
	}
	faces := h.Traffic(Fluxes, 0, 0)
	for _, f := range []struct {
		f    Face
		want int
	}{
		{Face{Cell: [3]int{3, 4, 0}, Axis: 0, Side: -1}, 0},
		{Face{Cell: [3]int{3, 4, 0}, Axis: 0, Side: 1}, -1},
		{Face{Cell: [3]int{12, 5, 0}, Axis: 0, Side: 1}, 9},
		{Face{Cell: [3]int{11, 12, 0}, Axis: 1, Side: 1}, 31},
		{Face{Cell: [3]int{12, 12, 0}, Axis: 1, Side: 1}, -1},
	} {
		if got := faces.FacePlace(f.f); got != f.want {
			t.Errorf("the place of %+v is %d, want %d", f.f, got, f.want)
		}
	}
}

// Lists scale with surfaces: a level of 500^3 cells on 8 ranks with the next level inside, within half a second and 100 MB for each
// kind and rank. The bounds were set before the measurement.
func TestTrafficIsCheap(t *testing.T) {
	for _, plan := range []Plan{
		domain(t, [3]int{320, 320, 320}, [3]bool{}, 3, 8),
		domain(t, [3]int{320, 320, 320}, [3]bool{}, 3, 2, 4),
	} {
		h, err := NewHierarchy(plan, []Refinement{
			{"a", 1, [3]float64{35, 35, 35}, [3]float64{285, 285, 285}},
			{"b", 2, [3]float64{60, 60, 60}, [3]float64{185, 185, 185}},
			{"c", 2, [3]float64{185, 60, 60}, [3]float64{280, 185, 100}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for l := range h.Levels {
			for kind := range passings {
				longest, most := time.Duration(0), 0
				for rank := range 8 {
					took := time.Duration(1 << 62)
					for range 3 { // others use the machine, too
						start := time.Now()
						tr := h.Traffic(kind, l, rank)
						took = min(took, time.Since(start))
						most = max(most, tr.bytes())
					}
					longest = max(longest, took)
				}
				t.Logf("%v, level %d, kind %d: %v, %d kB", plan.parts, l, kind, longest, most/1000)
				if longest > time.Second/2 || most > 100e6 {
					t.Errorf("%v, level %d, kind %d: %v and %d bytes", plan.parts, l, kind, longest, most)
				}
			}
		}
	}
}

// bytes returns the memory of the lists.
func (t *Traffic) bytes() (n int) {
	for _, s := range append(t.sends, t.needs) {
		n += cap(s.runs) * int(reflect.TypeFor[run]().Size())
		for _, sh := range s.sheets {
			n += 4 * cap(sh.first)
		}
	}
	for _, p := range t.Peers {
		n += 16 * cap(p.Recv)
	}
	return n
}
