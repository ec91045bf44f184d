// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"lbmsim/internal/parallel"
)

// partsOf returns all ranks' parts of all patches of a level, of moments in 3D with a ghost layer along z.
func partsOf(h *Hierarchy, level, ranks int) (list []Part) {
	for k, patch := range h.Levels[level].Patches {
		for rank := range ranks {
			if box := patch.Part(rank); box.Cells() > 0 {
				ghost := [3]int{0, 0, 1}
				if box.Size()[1] < patch.Stored.Size()[1] {
					ghost[1] = 1
				}
				list = append(list, Part{Hierarchy: h, Level: level, Patch: k, Rank: rank, Layout: NewLayout(box.Size(), ghost, 10)})
			}
		}
	}
	return list
}

// Every parent, mirror cell, face and cell outside is on the lists of one part, however levels are cut; what lies beyond faces of the
// domain is computed from cells that exist already.
func TestCouplingLists(t *testing.T) {
	for ranks := 1; ranks <= 5; ranks++ {
		plan, err := Slabs([3]int{16, 16, 24}, [3]bool{true, false, false}, 3, ranks)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHierarchy(plan, []Refinement{
			{Name: "corner", Level: 1, From: [3]float64{0, 0, 0}, To: [3]float64{8, 9, 20}},
			{Name: "beside", Level: 1, From: [3]float64{8, 4, 2}, To: [3]float64{12, 16, 24}},
			{Name: "inner", Level: 2, From: [3]float64{2, 0, 0}, To: [3]float64{6, 5, 12}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for level := 1; level < len(h.Levels); level++ {
			cells := map[[3]int]int{}
			var mu sync.Mutex
			place := func(c [3]int) int {
				mu.Lock()
				defer mu.Unlock()
				k, ok := cells[c]
				if !ok {
					k = len(cells)
					cells[c] = k
				}
				return k
			}
			const buffer = 1 << 20
			parents, families, inside, siblings := 0, 0, map[Face]int{}, 0
			for _, p := range partsOf(h, level, ranks) {
				list := p.Parents(buffer, place)
				parents += len(list.List)
				for round, first := range list.Rounds[:3] {
					for k := first; k < list.Rounds[round+1]; k++ {
						for _, from := range list.Extrapolated[k].From {
							if int(from) >= buffer+first || from < buffer && int(from) >= len(cells) {
								t.Fatalf("%d ranks, level %d: entry %d of round %d reads place %d", ranks, level, k, round, from)
							}
						}
					}
				}
				if list.Rounds[3] != len(list.Extrapolated) {
					t.Errorf("%d ranks, level %d: %d of %d entries are in rounds", ranks, level, list.Rounds[3], len(list.Extrapolated))
				}
				families += len(p.Families(place))
				siblings += len(p.Siblings(place))
				for _, f := range p.Inside() {
					inside[f]++
				}
			}
			want, copies := 0, 0
			h.Overlap(level, func(f Filled) {
				if f.Sibling >= 0 {
					copies++
				} else {
					want++
				}
			})
			if 8*parents != want || siblings != copies {
				t.Errorf("%d ranks, level %d: %d parents and %d copies of %d cells and %d copies", ranks, level, parents, siblings, want, copies)
			}
			mirror, faces := 0, 0
			h.Mirror(level-1, func([3]int) { mirror++ })
			outside := map[Face]int{}
			for _, p := range partsOf(h, level-1, ranks) {
				for _, o := range p.Outside() {
					for _, f := range o.Faces {
						outside[f]++
					}
				}
			}
			h.Faces(level-1, func(f Face) {
				faces++
				if inside[f] != 1 || outside[f] != 1 {
					t.Errorf("%d ranks, level %d: face %v is on %d fine and %d coarse lists", ranks, level, f, inside[f], outside[f])
				}
			})
			if families != mirror || len(inside) != faces || len(outside) != faces {
				t.Errorf("%d ranks, level %d: %d families of %d mirror cells, %d and %d lists of %d faces", ranks, level, families, mirror, len(inside), len(outside), faces)
			}
		}
	}
}

// Lists have the order in which the whole level is visited, by any number of threads and ranks.
func TestListsOfThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	defer parallel.Limit(0)
	nests(t, 40, func(t *testing.T, d Plan, s nest) {
		for _, ranks := range []int{1, 3} {
			h, err := NewHierarchy(domain(t, d.Global, d.Periodic, s.h.dims, ranks), s.boxes)
			if err != nil {
				t.Fatal(err)
			}
			for level := 1; level < len(h.Levels); level++ {
				place := func(c [3]int) int { return 1 + (c[2]*1000+c[1])*1000 + c[0] }
				for _, p := range partsOf(h, level, ranks) {
					var siblings []Copied
					var first []int64
					h.Overlap(level, func(f Filled) {
						switch at := int64(p.At(f.Cell)); {
						case f.Patch != p.Patch || !p.Box().Contains(f.Cell):
						case f.Sibling >= 0:
							siblings = append(siblings, Copied{at, int64(place(f.Source))})
						case max(f.Child[0], f.Child[1], f.Child[2]) < 1:
							first = append(first, at)
						}
					})
					var families []Family
					h.Mirror(level-1, func(c [3]int) {
						if at := h.refined(1, c); p.owned().Contains(at) {
							families = append(families, Family{int64(p.At(at)), int64(place(c))})
						}
					})
					var inside []Face
					h.Faces(level-1, func(f Face) {
						if p.owned().Contains(h.refined(1, f.Covered)) {
							inside = append(inside, f)
						}
					})
					for _, threads := range []int{1, 2, 5} {
						parallel.Limit(threads)
						list := p.Parents(1<<30, place)
						var got []int64
						for _, parent := range list.List {
							got = append(got, parent.First)
						}
						if !slices.Equal(got, first) || list.Rounds[3] != p.Extrapolated() {
							t.Errorf("level %d by %d threads: other parents", level, threads)
						}
						if !slices.Equal(p.Siblings(place), siblings) || !slices.Equal(p.Families(place), families) || !slices.Equal(p.Inside(), inside) {
							t.Errorf("level %d by %d threads: other siblings, families or faces inside", level, threads)
						}
					}
				}
				for _, p := range partsOf(h, level-1, ranks) {
					var cells [][3]int
					faces := map[[3]int][]Face{}
					h.Faces(level-1, func(f Face) {
						if p.owned().Contains(f.Cell) {
							if faces[f.Cell] == nil {
								cells = append(cells, f.Cell)
							}
							faces[f.Cell] = append(faces[f.Cell], f)
						}
					})
					for _, threads := range []int{1, 2, 5} {
						parallel.Limit(threads)
						list := p.Outside()
						if len(list) != len(cells) {
							t.Fatalf("level %d by %d threads: %d cells outside, want %d", level-1, threads, len(list), len(cells))
						}
						for k, o := range list {
							if o.Cell != cells[k] || !slices.Equal(o.Faces, faces[o.Cell]) {
								t.Fatalf("level %d by %d threads: cell %d outside is %v", level-1, threads, k, o)
							}
						}
					}
				}
			}
		}
	})
}

// Rows count the cells that have no children, and cells are blocked that are hidden or not stored, for each part.
func TestCountedAndBlocked(t *testing.T) {
	nests(t, 60, func(t *testing.T, d Plan, s nest) {
		for _, ranks := range []int{1, 3} {
			h, err := NewHierarchy(domain(t, d.Global, d.Periodic, s.h.dims, ranks), s.boxes)
			if err != nil {
				t.Fatal(err)
			}
			for level := range h.Levels {
				for _, p := range partsOf(h, level, ranks) {
					patch, around := h.Levels[level].Patches[p.Patch], p.Box()
					for a := range h.dims {
						around.Lo[a], around.Hi[a] = around.Lo[a]-1, around.Hi[a]+1
					}
					blocked := map[[3]int]bool{}
					p.Blocked(func(cell [3]int, run int) {
						for range run {
							blocked[cell] = true
							cell[0]++
						}
					})
					around.each(Box{}, func(cell [3]int) {
						at, inside := h.Wrap(level, cell)
						want := false
						if inside {
							_, owned := h.Find(level, at)
							want = owned && h.Role(level, at) == Hidden
							for a := range h.dims {
								want = want || !patch.Plan.Periodic[a] && (cell[a] < patch.Stored.Lo[a] || cell[a] >= patch.Stored.Hi[a])
							}
						}
						if blocked[cell] != want {
							t.Errorf("%d ranks, level %d, patch %d: cell %v is blocked: %v", ranks, level, p.Patch, cell, blocked[cell])
						}
						delete(blocked, cell)
						in := false
						for _, r := range p.Counted(cell[1], cell[2]) {
							in = in || cell[0] >= r.Lo && cell[0] < r.Hi
						}
						if in != (patch.Owned.Contains(cell) && h.Role(level, cell) == Counted) {
							t.Errorf("%d ranks, level %d, patch %d: cell %v is counted: %v", ranks, level, p.Patch, cell, in)
						}
					})
					if len(blocked) > 0 {
						t.Errorf("%d ranks, level %d, patch %d: %d more cells are blocked", ranks, level, p.Patch, len(blocked))
					}
				}
			}
		}
	})
}

// The rim covers the interpolated overlap and the cells around it, and no others.
func TestRim(t *testing.T) {
	nests(t, 60, func(t *testing.T, _ Plan, s nest) {
		for level := 1; level < len(s.h.Levels); level++ {
			in := map[[3]int]bool{}
			for _, b := range s.h.Rim(level, 1) {
				b.each(Box{}, func(cell [3]int) {
					at, _ := s.h.Wrap(level, cell)
					in[at] = true
				})
			}
			want := map[[3]int]bool{}
			s.h.Overlap(level, func(f Filled) {
				if f.Sibling >= 0 {
					return
				}
				reach := Box{Lo: f.Cell, Hi: plus(f.Cell, [3]int{1, 1, 1})}
				for a := range s.h.dims {
					reach.Lo[a], reach.Hi[a] = reach.Lo[a]-1, reach.Hi[a]+1
				}
				reach.each(Box{}, func(cell [3]int) {
					if at, inside := s.h.Wrap(level, cell); inside {
						want[at] = true
					}
				})
			})
			if !maps.Equal(in, want) {
				t.Errorf("level %d: the rim has %d cells instead of %d", level, len(in), len(want))
			}
		}
	})
}
