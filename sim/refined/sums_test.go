// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/internal/brief"
	"lbmsim/internal/ref"
	"lbmsim/sim/derive"
)

// The totals are sums over the finest cells of the oracle, each with its volume, and no cut changes a bit of them.
func TestTotals(t *testing.T) {
	brief.Fewer(t, "numbers of ranks")
	for _, lattice := range []string{"D2Q9", "D3Q27"} {
		for name, f := range flows(lattice, "cumulant", 1) {
			t.Run(lattice+" "+name, func(t *testing.T) {
				var want derive.Totals
				f.alone(t, func(g *Grid) (err error) {
					s, err := g.oracle()
					if err != nil {
						return err
					}
					var sum derive.Totals
					s.EachCounted(func(_ *ref.Grid, _ [3]int, density float64, u [3]float64, volume float64) {
						speed2 := u[0]*u[0] + u[1]*u[1] + u[2]*u[2]
						sum.Cells++
						sum.Volume += volume
						sum.Mass += volume * density
						for a := range u {
							sum.Momentum[a] += volume * (1 + density) * u[a]
						}
						sum.Energy += volume * (1 + density) * speed2 / 2
						sum.MaxSpeed = math.Max(sum.MaxSpeed, math.Sqrt(speed2))
					})
					var sections []derive.Section
					if sections, want, err = g.View().Census(); err != nil {
						return err
					}
					near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*sum.Volume }
					for a := range sum.Momentum {
						if !near(want.Momentum[a], sum.Momentum[a]) {
							t.Errorf("momentum %v, want %v", want.Momentum, sum.Momentum)
						}
					}
					if want.Cells != sum.Cells || want.Volume != sum.Volume || !near(want.Mass, sum.Mass) || !near(want.Energy, sum.Energy) || math.Abs(want.MaxSpeed-sum.MaxSpeed) > 1e-15 {
						t.Errorf("totals %+v, want %+v", want, sum)
					}
					fastest := 0.0
					for _, s := range sections {
						fastest = math.Max(fastest, s.MaxSpeed)
					}
					if fastest != want.MaxSpeed {
						t.Errorf("the fastest cell has %g", fastest)
					}
					return nil
				})
				for _, ranks := range []int{2, 3, 7} {
					if testing.Short() && ranks == 2 {
						continue
					}
					cuts := [][3]int{{}}
					if lattice != "D2Q9" && ranks == 3 {
						cuts = append(cuts, [3]int{1, 3, 1})
					}
					for _, f.cut = range cuts {
						err := f.over(ranks, 1, nil, func(g *Grid) error {
							_, got, err := g.View().Census()
							if err == nil && g.Rank.Root && got != want {
								err = fmt.Errorf("%d ranks %v: totals %+v, one has %+v", ranks, f.cut, got, want)
							}
							return err
						})
						if err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
}

// Beside the faces each place has one cell, of the finest level there, for any cut: 17 and 25 by the corners of the boxes.
func TestPassagesOfTheFinestCells(t *testing.T) {
	f := flows("D2Q9", "cumulant", 1)["pressure"]
	for _, ranks := range []int{1, 3} {
		err := f.over(ranks, 1, nil, func(g *Grid) error {
			list, err := g.View().Passages(func(b config.Boundary) bool { return b.Name != "sides" }, 0)
			if err == nil && g.Rank.Root && (list[0].Cells != 17 || list[1].Cells != 25) {
				t.Errorf("%d ranks: %d and %d cells beside the faces, want 17 and 25", ranks, list[0].Cells, list[1].Cells)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The parts of the ranks make up what files of the state hold.
func TestStoredCells(t *testing.T) {
	f := flows("D3Q27", "cumulant", 1)["concave"]
	var parts atomic.Int64
	want := 0
	err := f.over(3, 1, nil, func(g *Grid) error {
		for _, l := range g.Levels() {
			parts.Add(int64(l.Part.Box.Cells()))
		}
		if g.Rank.Root {
			want = g.View().Stored()
		}
		return nil
	})
	if err != nil || int(parts.Load()) != want {
		t.Errorf("ranks store %d cells, files %d (%v)", parts.Load(), want, err)
	}
}

// place is a cell of a level.
type place struct {
	level int
	cell  [3]int
}

// A cell without finite values is found by its level and place, if outputs see it, on the rank that owns it.
func TestBadCellsAreFound(t *testing.T) {
	f := flows("D2Q9", "cumulant", 1)["concave"]
	for _, ranks := range []int{1, 3} {
		for _, c := range []struct {
			at    place
			count int
		}{{place{0, [3]int{0, 3, 0}}, 1}, {place{1, [3]int{3, 12, 0}}, 1}, {place{0, [3]int{3, 3, 0}}, 0}, {place{1, [3]int{0, 8, 0}}, 0}} {
			found, mutex := 0, sync.Mutex{}
			err := f.over(ranks, 1, nil, func(g *Grid) error {
				for _, p := range g.Patches(c.at.level) {
					box := p.Part.Box
					if !box.Contains(c.at.cell) {
						continue
					}
					n := p.Part.Case.Spec.InitValues()
					values := make([]float64, n)
					for k := range values {
						values[k] = math.NaN()
					}
					if err := p.Program.Init(p.State[0], p.Part.Local(decomp.Box{Lo: c.at.cell, Hi: [3]int{c.at.cell[0] + 1, c.at.cell[1] + 1, 1}}), values, p.Params); err != nil {
						return err
					}
				}
				sections, _, err := g.View().Census()
				if err != nil {
					return err
				}
				mutex.Lock()
				defer mutex.Unlock()
				for _, s := range sections {
					if found += s.Bad; s.Bad > 0 && (place{s.Level, s.Of.Part.Global(s.BadAt)}) != c.at {
						t.Errorf("found at %+v of level %d instead of %+v", s.BadAt, s.Level, c.at)
					}
				}
				return nil
			})
			if err != nil || found != c.count {
				t.Errorf("%d ranks, %+v: ranks have found %d bad cells, want %d (%v)", ranks, c.at, found, c.count, err)
			}
		}
	}
}

// A cell whose stress alone is not finite, which no field shows, is found in its place: the search for the first bad cell looks after
// every step.
func TestBadStress(t *testing.T) {
	flows("D3Q27", "cumulant", 1)["channel"].alone(t, func(g *Grid) error {
		finest := g.levels[len(g.levels)-1].patches[0]
		want := decomp.Place{Level: finest.cut.Level, Cell: finest.Owned().Lo}
		for a := range want.Cell {
			want.Cell[a] += 2
		}
		l, spec := finest.Part.Layout, finest.Part.Case.Spec
		at := finest.Part.Local(decomp.Box{Lo: want.Cell, Hi: want.Cell}).Lo
		if err := finest.State[0].Write(slices.Repeat([]byte{0xff}, spec.Precision.Bytes()), spec.Precision.Bytes()*l.At(at[0], at[1], at[2], l.Components-1)); err != nil {
			return err
		}
		got, found, err := g.View().FirstOfBad()
		if err == nil && (!found || got != want) {
			t.Errorf("found %v: %v, want %v", found, got, want)
		}
		return err
	})
}
