// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// domain returns a plan of one rank, or of slabs or pencils.
func domain(t *testing.T, n [3]int, periodic [3]bool, dims int, parts ...int) Plan {
	t.Helper()
	var p Plan
	var err error
	if len(parts) == 2 {
		p, err = Pencils(n, periodic, parts[0], parts[1])
	} else {
		p, err = Slabs(n, periodic, dims, append(parts, 1)[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nest is a random hierarchy, and the same as masks: owned[l] has the cells of level l.
type nest struct {
	boxes []Refinement
	owned []map[[3]int]bool
	h     *Hierarchy
}

// nests calls f for random unions of boxes on up to three levels, along periodic axes and between walls.
func nests(t *testing.T, count int, f func(t *testing.T, d Plan, s nest)) {
	for dims := 2; dims <= 3; dims++ {
		r := rand.New(rand.NewPCG(1, uint64(dims)))
		deepest := 0
		if dims == 3 { // cells are many
			count = (count + 3) / 4
		}
		for tried := 0; tried < count; {
			n, periodic := [3]int{12, 18, 1}, [3]bool{r.IntN(2) == 0, r.IntN(2) == 0, false}
			if dims == 3 {
				n, periodic[2] = [3]int{8, 16, 12}, r.IntN(2) == 0
			}
			d := domain(t, n, periodic, dims)
			s := nest{boxes: randomBoxes(r, n, dims)}
			var err error
			if s.h, err = NewHierarchy(d, s.boxes); err != nil {
				if !strings.Contains(err.Error(), "must end at least") {
					t.Fatal(err)
				}
				continue
			}
			tried++
			deepest = max(deepest, len(s.h.Levels)-1)
			s.owned = masks(s.boxes, s.h)
			name := fmt.Sprintf("%dD %d %v", dims, tried, periodic)
			t.Run(name, func(t *testing.T) { f(t, d, s) })
		}
		if deepest < 5-dims {
			t.Errorf("%dD: the hierarchies have %d levels at most", dims, deepest)
		}
	}
}

// randomBoxes returns boxes of level 1 anywhere, and smaller ones inside some of them, with corners on parent cells.
func randomBoxes(r *rand.Rand, n [3]int, dims int) (list []Refinement) {
	within := []Refinement{{Level: 0, To: [3]float64{float64(n[0]), float64(n[1]), float64(n[2])}}}
	for l := 1; l <= 3 && len(within) > 0; l++ {
		var next []Refinement
		for range 1 + r.IntN(3) {
			o := within[r.IntN(len(within))]
			b := Refinement{Name: fmt.Sprintf("refine.%c%d", 'a'+l, len(list)), Level: l, To: [3]float64{1, 1, 1}}
			scale := float64(int(1) << (l - 1))
			ok := true
			for a := range dims {
				room := 0.0
				if l > 1 && o.From[a] > 0 {
					room = Nesting / scale
				}
				lo, hi := (o.From[a]+room)*scale, (o.To[a]-room)*scale
				if o.To[a] == float64(n[a]) {
					hi = o.To[a] * scale
				}
				if hi-lo < 1 {
					ok = false
					continue
				}
				from := r.IntN(int(hi - lo))
				to := from + 1 + r.IntN(int(hi-lo)-from)
				if r.IntN(3) == 0 {
					from, to = 0, int(hi-lo)
				}
				b.From[a], b.To[a] = (lo+float64(from))/scale, (lo+float64(to))/scale
			}
			if ok {
				list, next = append(list, b), append(next, b)
			}
		}
		within = next
	}
	return list
}

// masks returns the cells of each level by their centres.
func masks(boxes []Refinement, h *Hierarchy) (owned []map[[3]int]bool) {
	for l, level := range h.Levels {
		mask := map[[3]int]bool{}
		size := 1 / float64(int(1)<<l)
		Box{Hi: level.N}.each(Box{}, func(c [3]int) {
			in := l == 0
			for _, b := range boxes {
				inside := b.Level == l
				for a := range h.dims {
					x := (float64(c[a]) + 0.5) * size
					inside = inside && x > b.From[a] && x < b.To[a]
				}
				in = in || inside
			}
			if in {
				mask[c] = true
			}
		})
		owned = append(owned, mask)
	}
	return owned
}

// around visits the cells of the domain within a distance of a cell, along all axes; of periodic ones images too.
func (s nest) around(level int, c [3]int, reach int, visit func(at [3]int)) {
	b := Box{Lo: c, Hi: plus(c, [3]int{1, 1, 1})}
	for a := range s.h.dims {
		b.Lo[a], b.Hi[a] = c[a]-reach, c[a]+reach+1
	}
	b.each(Box{}, func(d [3]int) {
		for a, n := range s.h.Levels[level].N {
			if d[a] < 0 || d[a] >= n {
				if !s.h.Periodic[a] {
					return
				}
				d[a] = (d[a] + n) % n
			}
		}
		visit(d)
	})
}

func (s nest) covered(level int, c [3]int) bool {
	return level+1 < len(s.owned) && s.owned[level+1][s.h.refined(1, c)]
}

// Patches of a level are disjoint and make up the union of its boxes; what they store beyond is two cells, and no wall is passed.
func TestPatchesTileTheirLevel(t *testing.T) {
	nests(t, 60, func(t *testing.T, _ Plan, s nest) {
		for l, level := range s.h.Levels {
			times := map[[3]int]int{}
			for _, p := range level.Patches {
				p.Owned.each(Box{}, func(c [3]int) { times[c]++ })
				for a := range p.Stored.Lo {
					if s.h.Periodic[a] {
						continue
					}
					if p.Stored.Lo[a] < 0 || p.Stored.Hi[a] > level.N[a] {
						t.Errorf("level %d stores %v beyond the domain", l, p.Stored)
					}
				}
			}
			for c := range s.owned[l] {
				if times[c] != 1 {
					t.Fatalf("cell %v of level %d is owned %d times", c, l, times[c])
				}
			}
			if len(times) != len(s.owned[l]) {
				t.Errorf("level %d owns %d cells, want %d", l, len(times), len(s.owned[l]))
			}
			for c := range s.owned[l] { // two steps read so far
				k, _ := s.h.Find(l, c)
				s.around(l, c, 2, func(at [3]int) {
					if !level.Patches[k].Owned.Contains(at) && !s.storedAt(l, k, at) {
						t.Fatalf("cell %v of level %d: the patch does not store %v", c, l, at)
					}
				})
			}
		}
	})
}

// storedAt reports whether a patch stores a cell of the domain or an image of it.
func (s nest) storedAt(level, patch int, at [3]int) bool {
	for _, b := range s.h.images(s.h.Levels[level].Patches[patch].Stored, s.h.Levels[level].N) {
		if b.Contains(at) {
			return true
		}
	}
	return false
}

// Every overlap cell is filled once: by the sibling that owns it, otherwise from its parent, whose surroundings the parent level has
// and does not hide.
func TestOverlapIsFilledOnce(t *testing.T) {
	siblings := 0
	nests(t, 60, func(t *testing.T, _ Plan, s nest) {
		for l := 1; l < len(s.h.Levels); l++ {
			times := map[[4]int]int{}
			s.h.Overlap(l, func(f Filled) {
				p := s.h.Levels[l].Patches[f.Patch]
				if times[[4]int{f.Patch, f.Cell[0], f.Cell[1], f.Cell[2]}]++; !p.Stored.Contains(f.Cell) || p.Owned.Contains(f.Cell) {
					t.Errorf("level %d: %v is not an overlap cell", l, f)
				}
				at, inside := s.h.Wrap(l, f.Cell)
				if !inside || s.owned[l][at] != (f.Sibling >= 0) {
					t.Fatalf("level %d: %v, but the level owns the cell: %v", l, f, s.owned[l][at])
				}
				if f.Sibling >= 0 {
					if siblings++; f.Source != at || f.Sibling == f.Patch || !s.h.Levels[l].Patches[f.Sibling].Owned.Contains(at) {
						t.Errorf("level %d: %v is not where %v is owned", l, f, at)
					}
					return
				}
				s.parentIsRead(t, l, at, f)
			})
			for k, p := range s.h.Levels[l].Patches {
				p.Stored.each(p.Owned, func(c [3]int) {
					if n := times[[4]int{k, c[0], c[1], c[2]}]; n != 1 {
						t.Errorf("level %d: overlap cell %v of patch %d is filled %d times", l, c, k, n)
					}
				})
			}
		}
	})
	if siblings < 1000 {
		t.Errorf("only %d cells come from siblings", siblings)
	}
}

// parentIsRead checks the interpolation of the cell at.
func (s nest) parentIsRead(t *testing.T, l int, at [3]int, f Filled) {
	for a := range s.h.dims {
		if f.Source[a] != at[a]/2 || f.Child[a] != at[a]%2*2-1 {
			t.Fatalf("level %d: the parent of %v is said to be %v, on side %v", l, at, f.Source, f.Child)
		}
	}
	if s.covered(l-1, f.Source) {
		t.Fatalf("level %d: the parent of %v is covered", l, at)
	}
	var read func(c [3]int)
	read = func(c [3]int) {
		c, inside := s.h.Wrap(l-1, c)
		if !inside {
			for _, in := range s.h.Inwards(l-1, c) {
				read(in)
			}
			return
		}
		if !s.owned[l-1][c] || s.h.Role(l-1, c) == Hidden {
			t.Fatalf("level %d: %v reads %v, which level %d does not keep", l, at, c, l-1)
		}
	}
	lo, hi := minus(f.Source, [3]int{1, 1, s.h.dims - 2}), plus(f.Source, [3]int{2, 2, s.h.dims - 1})
	Box{Lo: lo, Hi: hi}.each(Box{}, read)
}

// Every covered cell beside the interface gets its mean once, others only where an extrapolation reads them; cells deeper are hidden.
func TestMirrorIsFilledOnce(t *testing.T) {
	nests(t, 60, func(t *testing.T, _ Plan, s nest) {
		for l := range s.h.Levels {
			times := map[[3]int]int{}
			s.h.Mirror(l, func(c [3]int) { times[c]++ })
			for c := range s.owned[l] {
				beside, wall := false, false
				s.around(l, c, 1, func(at [3]int) { beside = beside || !s.covered(l, at) })
				for a := range s.h.dims {
					wall = wall || !s.h.Periodic[a] && (c[a] == 2 || c[a] == s.h.Levels[l].N[a]-3)
				}
				want := 0
				if s.covered(l, c) && beside {
					want = 1
				}
				if times[c] != want && !(wall && s.covered(l, c) && times[c] == 1) {
					t.Fatalf("level %d: mirror cell %v is filled %d times, want %d", l, c, times[c], want)
				}
				if role := s.h.Role(l, c); (role == Mirrored) != (times[c] == 1) || (role == Counted) == s.covered(l, c) {
					t.Errorf("level %d: cell %v has role %d", l, c, role)
				}
				delete(times, c)
			}
			if len(times) > 0 {
				t.Errorf("level %d has mirror cells outside: %v", l, times)
			}
		}
	})
}

// Every face of the interface, coarse or fine, is listed once.
func TestFacesAreListedOnce(t *testing.T) {
	type key struct {
		cell       [3]int
		axis, side int
	}
	nests(t, 60, func(t *testing.T, _ Plan, s nest) {
		for l := range s.h.Levels {
			coarse, fine := map[key]int{}, map[key]int{}
			s.h.Faces(l, func(f Face) {
				coarse[key{f.Covered, f.Axis, f.Side}]++
				list := s.h.FineFaces(f)
				if len(list) != 1<<(s.h.dims-1) {
					t.Errorf("%v has %d fine faces", f, len(list))
				}
				for _, c := range list {
					fine[key{c[0], f.Axis, f.Side}]++
					k, _ := s.h.Find(l+1, c[0])
					if p := s.h.Levels[l+1].Patches[k]; !p.Owned.Contains(c[0]) || !p.Stored.Contains(c[1]) {
						t.Errorf("%v: fine face %v is not one of patch %d", f, c, k)
					}
				}
			})
			wanted := func(level int, inside func([3]int) bool) (n int, list map[key]bool) {
				list = map[key]bool{}
				for c := range s.owned[level] {
					if !inside(c) {
						continue
					}
					for a := range s.h.dims {
						for side := -1; side <= 1; side += 2 {
							at := c
							at[a] += side
							if at, in := s.h.Wrap(level, at); in && !inside(at) {
								list[key{c, a, side}] = true
							}
						}
					}
				}
				return len(list), list
			}
			check := func(what string, have map[key]int, n int, list map[key]bool) {
				for f := range list {
					if have[f] != 1 {
						t.Fatalf("level %d: %s face %v is listed %d times", l, what, f, have[f])
					}
				}
				if len(have) != n {
					t.Errorf("level %d: %d %s faces, want %d", l, len(have), what, n)
				}
			}
			n, list := wanted(l, func(c [3]int) bool { return s.covered(l, c) })
			check("coarse", coarse, n, list)
			if l+1 < len(s.h.Levels) {
				n, list = wanted(l+1, func(c [3]int) bool { return s.owned[l+1][c] })
				check("fine", fine, n, list)
			}
		}
	})
}

// A cut changes only the rank that stores a cell: every stored cell has one rank, the children of a cell share theirs, and so do the
// fine faces of a face with the cells on both sides.
func TestCutsOfPatches(t *testing.T) {
	largest := 0
	nests(t, 40, func(t *testing.T, d Plan, s nest) {
		for ranks := 1; ranks <= 12; ranks++ {
			var plans []Plan
			plans = append(plans, domain(t, d.Global, d.Periodic, d.axis+1, ranks))
			for py := 2; py <= ranks && s.h.dims == 3; py++ {
				if ranks%py == 0 {
					plans = append(plans, domain(t, d.Global, d.Periodic, 3, py, ranks/py))
				}
			}
			for _, plan := range plans {
				h, err := NewHierarchy(plan, s.boxes)
				if err != nil {
					t.Fatal(err)
				}
				if len(h.Levels) != len(s.h.Levels) || h.Levels[0].Patches[0].Plan != plan {
					t.Fatalf("%d ranks: other levels", ranks)
				}
				for l := 1; l < len(h.Levels); l++ {
					for k, p := range h.Levels[l].Patches {
						if o := s.h.Levels[l].Patches[k]; p.Owned != o.Owned || p.Stored != o.Stored {
							t.Fatalf("%d ranks: patch %v, with one rank %v", ranks, p, o)
						}
						largest = max(largest, p.Plan.Ranks())
						dealtOut(t, h, p, ranks)
					}
					h.Faces(l-1, func(f Face) {
						k, _ := h.Find(l, h.refined(1, f.Covered))
						p := h.Levels[l].Patches[k]
						for _, c := range h.FineFaces(f) {
							if r := p.Owner(h.refined(1, f.Covered)); p.Owner(c[0]) != r || p.Owner(c[1]) != r {
								t.Errorf("%d ranks: the fine faces of %v are on several ranks", ranks, f)
							}
						}
					})
				}
			}
		}
	})
	if largest < 6 {
		t.Errorf("patches are cut over %d ranks at most", largest)
	}
}

// dealtOut checks the distribution of a patch.
func dealtOut(t *testing.T, h *Hierarchy, p Patch, ranks int) {
	if p.Plan.Ranks() > ranks {
		t.Fatalf("a patch of %d ranks, there are %d", p.Plan.Ranks(), ranks)
	}
	times := map[[3]int]int{}
	for r := range ranks {
		part := p.Part(r)
		part.each(Box{}, func(c [3]int) {
			if times[c]++; p.Owner(c) != r {
				t.Errorf("cell %v of rank %d is said to be on %d", c, r, p.Owner(c))
			}
		})
		n := part.Size()
		for a := 1; a < h.dims; a++ {
			if p.Plan.parts[a] > 1 && r < p.Plan.Ranks() && n[a] < 2*thinnest {
				t.Errorf("rank %d has %d planes along %c", r, n[a], "xyz"[a])
			}
		}
		if largest := p.Plan.Largest(); n[0] > largest[0] || n[1] > largest[1] || n[2] > largest[2] {
			t.Errorf("rank %d has %v, the largest part is said to be %v", r, n, largest)
		}
	}
	if len(times) != p.Stored.Cells() {
		t.Errorf("the ranks store %d cells of %d", len(times), p.Stored.Cells())
	}
	p.Owned.each(Box{}, func(c [3]int) {
		parent := c
		for a := range h.dims {
			parent[a] /= 2
		}
		if p.Owner(c) != p.Owner(h.refined(1, parent)) {
			t.Errorf("the children of %v are on several ranks", parent)
		}
	})
	for c, n := range times {
		if n != 1 {
			t.Fatalf("cell %v is on %d ranks", c, n)
		}
	}
}

// A population leaves its cell once, arrives once, and only passes the cells in between; all of it crosses one face of each of its axes.
func TestCrossingsConserve(t *testing.T) {
	Box{Lo: [3]int{-1, -1, -1}, Hi: [3]int{2, 2, 2}}.each(Box{}, func(c [3]int) {
		gain := map[[3]int]int{} // of cells, of a population that starts at 0
		for axis, v := range c {
			sum := 0
			for _, p := range Crossings(c, axis) {
				up := p.Before // it starts at up - Before = 0
				down := up
				down[axis] += v
				gain[up] -= p.Sixths
				gain[down] += p.Sixths
				sum += p.Sixths
			}
			if want := 6 * v * v; sum != want {
				t.Errorf("%v: %d sixths cross faces along %c, want %d", c, sum, "xyz"[axis], want)
			}
		}
		for at, n := range gain {
			want := 0
			switch {
			case c == [3]int{}:
			case at == [3]int{}:
				want = -6
			case at == c:
				want = 6
			}
			if n != want {
				t.Errorf("%v: cell %v gains %d sixths, want %d", c, at, n, want)
			}
		}
	})
}

func TestRefinementsAreRefused(t *testing.T) {
	box := func(name string, level int, x0, x1, y0, y1, z0, z1 float64) Refinement {
		return Refinement{"refine." + name, level, [3]float64{x0, y0, z0}, [3]float64{x1, y1, z1}}
	}
	outer := box("outer", 1, 4, 12, 4, 12, 4, 12)
	for _, c := range []struct {
		boxes []Refinement
		want  string
	}{
		{[]Refinement{box("a", 0, 1, 2, 1, 2, 1, 2)}, "refine.a: level 0 is not one of 1 to 5"},
		{[]Refinement{box("a", 6, 1, 2, 1, 2, 1, 2)}, "refine.a: level 6 is not one of 1 to 5"},
		{[]Refinement{box("a", 1, 1, 2, 3, 3, 1, 2)}, "refine.a: from 3 to 3 cells along y is empty: from must be below to"},
		{[]Refinement{box("a", 1, 1, 2, 1, 2, 20, 30)}, "refine.a: from 20 to 30 cells along z is outside the domain of 16 cells"},
		{[]Refinement{box("a", 1, -2, 3, 1, 2, 1, 2)}, "refine.a: from -2 to 3 cells along x crosses the periodic end of the domain of 16 cells: write two boxes, one at each end"},
		{[]Refinement{outer, box("a", 3, 6, 7, 6, 7, 6, 7)}, "refine.a: level 3 needs a box of level 2 around it, at least 2 cells of level 2 wider on each side"},
		{[]Refinement{outer, box("a", 2, 4.5, 8, 6, 12, 6, 8)}, "refine.a: the box of level 2 must end at least 2 cells of level 1 before the ends of level 1: shrink it by 1 at the lower end of x and by 2 at the upper end of y (in cells of level 1), or let level 1 grow by as many there"},
		{[]Refinement{outer, box("a", 2, 1, 2, 1, 2, 1, 2)}, "refine.a: the box of level 2 must end at least 2 cells of level 1 before the ends of level 1, and no part of it does: put a box of level 1 around it"},
		// Beyond the corner of a concave union.
		{[]Refinement{outer, box("b", 1, 4, 8, 12, 16, 4, 12), box("a", 2, 5, 8, 5, 15, 6, 8)}, "refine.a: the box of level 2 must end at least 2 cells of level 1 before the ends of level 1: shrink it by 2 at the upper end of x (in cells of level 1), or let level 1 grow by as many there"},
	} {
		_, err := NewHierarchy(domain(t, [3]int{16, 16, 16}, [3]bool{true, false, false}, 3), c.boxes)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	_, err := NewHierarchy(domain(t, [3]int{16, 2, 1}, [3]bool{true, false, false}, 2), []Refinement{box("a", 1, 1, 2, 1, 2, 0, 1)})
	if want := "refine.a: refinement needs at least 3 cells between the faces across y, the domain has 2"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Where a level ends one parent cell before a face, the next one keeps three cells: the third parent cell from the face is read, and
// so all its children have to hold values.
func TestChildrenOfTheThirdCellFromAFace(t *testing.T) {
	d := domain(t, [3]int{6, 10, 1}, [3]bool{}, 2)
	for _, c := range []struct {
		from, to   float64 // of level 1, along y
		from2, to2 float64 // of level 2
		fits       bool
	}{{1, 10, 2, 6, false}, {1, 10, 2.5, 6, true}, {0, 10, 2, 6, true}, {2, 10, 3, 6, true}, {0, 9, 4, 8, false}, {0, 9, 4, 7.5, true}, {0, 10, 4, 8, true}} {
		h, err := NewHierarchy(d, []Refinement{
			{"refine.a", 1, [3]float64{0, c.from}, [3]float64{6, c.to, 1}}, {"refine.b", 2, [3]float64{0, c.from2}, [3]float64{6, c.to2, 1}},
		})
		if (err == nil) != c.fits {
			t.Errorf("%+v: %v", c, err)
		}
		if err == nil {
			h.Mirror(0, func(cell [3]int) {
				for _, child := range h.Children(cell) {
					if h.Role(1, child) == Hidden {
						t.Errorf("%+v: mirror cell %v has the hidden child %v", c, cell, child)
					}
				}
			})
		}
	}
}

// Every box suggested by a message is accepted.
func TestSuggestedBoxesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	d := domain(t, [3]int{16, 16, 16}, [3]bool{true, false, true}, 3)
	suggested := 0
	for range 500 {
		boxes := randomBoxes(r, d.Global, 3)
		h := &Hierarchy{Periodic: d.Periodic, dims: 3, Levels: []Level{{N: d.Global}}}
		level := Level{N: h.refined(1, d.Global)}
		var coarse []Box
		for _, b := range boxes {
			if b.Level == 1 {
				s, err := h.snap(b)
				if err != nil {
					t.Fatal(err)
				}
				coarse = append(coarse, s)
			}
		}
		for _, b := range disjoint(coarse) {
			level.Patches = append(level.Patches, h.patch(b, level.N, 1))
		}
		h.Levels = append(h.Levels, level)
		for _, b := range level.Patches { // a box of level 2 that is too large
			fine := b.Owned
			missing := missing(h, 1, room(h, 1, fine))
			if _, inner := shrink(h, 1, fine, missing); len(missing) > 0 && inner.Cells() > 0 {
				suggested++
				if err := nested(h, Refinement{Name: "refine.fine", Level: 2}, inner); err != nil {
					t.Errorf("%v in %v: %v", fine, boxes, err)
				}
			}
		}
	}
	if suggested < 100 {
		t.Errorf("only %d suggestions", suggested)
	}
}

// Corners that miss a parent cell's edge by rounding do not include the next parent; others are snapped outwards. Boxes of one
// level that make up a larger box become one patch, and a periodic axis that it spans has no interface.
func TestBoxesAreSnappedAndJoined(t *testing.T) {
	d := domain(t, [3]int{16, 16, 1}, [3]bool{true, false, false}, 2)
	h, err := NewHierarchy(d, []Refinement{
		{"refine.a", 1, [3]float64{0, 3.9999999, 0}, [3]float64{8, 8.0000001, 1}},
		{"refine.b", 1, [3]float64{8, 4.2, 0}, [3]float64{16, 7.5, 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Patch{Owned: Box{[3]int{0, 8, 0}, [3]int{32, 16, 1}}, Stored: Box{[3]int{0, 6, 0}, [3]int{32, 18, 1}}}
	if p := h.Levels[1].Patches; len(p) != 1 || p[0].Owned != want.Owned || p[0].Stored != want.Stored || p[0].Plan.Periodic != [3]bool{true, false, false} {
		t.Errorf("%+v, want %+v", p, want)
	}
}
