// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

import (
	"fmt"
	"math/bits"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/model"
)

// randomCells fills a box and its layer with fluid and three boundaries, walls
// around it as asked for.
func randomCells(r *rand.Rand, n [3]int, dims int, share float64, left, right uint8) boundary.Cells {
	cells := boundary.NewCells(n)
	cells.Walls = boundary.BounceWalls([3]float64{}, [3]float64{0.02, 0.01, -0.03}, [3]float64{-0.01, 0.02, 0.015})
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			for x := -1; x <= n[0]; x++ {
				t := uint8(0)
				switch {
				case x < 0:
					t = left
				case x >= n[0]:
					t = right
				case y < 0 || y >= n[1]:
					t = 1 + uint8(r.Intn(3))
				case dims == 3 && (z < 0 || z >= n[2]):
					t = 2
				case r.Float64() < share:
					t = 1 + uint8(r.Intn(3))
				}
				cells.Type[cells.Index(x, y, z)] = t
			}
		}
	}
	return cells
}

// TestWalls reads the lists as kernels/gpu/box.h does and compares each cell with
// what its neighbours say.
func TestWalls(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	populations, _ := model.FindCollision("trt")
	moments, _ := model.FindCollision("regularized")
	for _, l := range model.Lattices {
		for _, share := range []float64{0, 0.003, 0.3} {
			for _, nx := range []int{1, 31, 32, 33, 64, 100} {
				for _, sides := range [][2]uint8{{1, 1}, {1, 2}, {2, 3}} {
					for _, mirrors := range [][2]bool{{}, {true, false}, {true, true}} {
						n := [3]int{nx, 7, 5}
						ghost := [3]int{0, 0, 1}
						if l.Dims == 2 {
							n[2], ghost = 1, [3]int{0, 1, 0}
						}
						name := fmt.Sprintf("%s, %v, %g solid, sides %v, mirrors %v", l.Name, n, share, sides, mirrors)
						cells := randomCells(r, n, l.Dims, share, sides[0], sides[1])
						compareWalls(t, name, model.Spec{Lattice: l, Collision: populations}, n, ghost, cells.WithRest(false, l.Dims), sides, mirrors)
						if l.Dims == 3 {
							compareWalls(t, name+", moments", model.Spec{Lattice: l, Collision: moments}, n, ghost, cells, sides, mirrors)
						}
					}
				}
			}
		}
	}
}

func compareWalls(t *testing.T, name string, spec model.Spec, n, ghost [3]int, cells boundary.Cells, sides [2]uint8, mirrors [2]bool) {
	t.Helper()
	l, rowEnds := spec.Lattice, spec.Collision.Scheme == model.Moments
	layout := decomp.NewLayout(n, ghost, spec.Components())
	w, err := findWalls(spec, layout, [3]bool{false, false, l.Dims == 2}, cells, mirrors)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	words, sets := slices.Concat(w.words...), slices.Concat(w.sets...)
	if len(words) != w.count || len(sets) != w.count && sets != nil {
		t.Fatalf("%s: %d words and %d sets, said to be %d", name, len(words), len(sets), w.count)
	}
	for side := range mirrors {
		if want := mirrors[side] && sides[side] == 1 && !rowEnds; w.mirror[side] != want {
			t.Fatalf("%s: mirror %v", name, w.mirror)
		}
	}
	special := 0
	across := layout.Pitch / blockCells
	for z := 0; z < n[2]; z++ {
		for y := 0; y < n[1]; y++ {
			for x := 0; x < across*blockCells; x++ {
				b := w.blocks[(z*n[1]+y)*across+x/blockCells]
				word, set := uint32(0), 0
				if b.links>>(x%blockCells)&1 == 1 {
					at := int(b.first) + bits.OnesCount32(b.links&(1<<(x%blockCells)-1))
					word = words[at]
					if special++; word == 0 {
						t.Fatalf("%s: cell %d %d %d has a word that says nothing", name, x, y, z)
					}
					if word>>movingBit == 1 {
						if set = int(sets[at]); set == 0 {
							t.Fatalf("%s: cell %d %d %d is MOVING without momentum sources", name, x, y, z)
						}
					}
				}
				solid := b.solid>>(x%blockCells)&1 == 1
				if x >= n[0] || cells.At(x, y, z) != 0 {
					if word != 0 || solid != (x < n[0]) {
						t.Fatalf("%s: cell %d %d %d of %v has the word %x, solid: %v", name, x, y, z, n, word, solid)
					}
					continue
				}
				if solid {
					t.Fatalf("%s: fluid cell %d %d %d is solid", name, x, y, z)
				}
				for i, c := range l.Velocities {
					from := [3]int{x - c[0], y - c[1], z - c[2]}
					kind := cells.At(from[0], from[1], from[2])
					mirrored := from[0] < 0 && w.mirror[0] || from[0] >= n[0] && w.mirror[1]
					if rowEnds && kind == 1 { // the one at rest
						mirrored = from[0] < 0 && mirrors[0] || from[0] >= n[0] && mirrors[1]
					}
					if got := word>>i&1 == 1; got != (kind != 0 && !mirrored) {
						t.Fatalf("%s: cell %d %d %d, direction %d: a wall? %v, word %x", name, x, y, z, i, kind, word)
					}
					momentum := 0.0
					if kind != 0 && !mirrored {
						u := cells.LinkMotion(kind, [3]int{x, y, z}, 0.5, c, l.Dims, 0)
						momentum = 6 * l.Weights[i] * (float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2])
					}
					if got := w.momentum[set*l.Q()+i]; got != momentum {
						t.Fatalf("%s: cell %d %d %d, direction %d: momentum %g, not %g", name, x, y, z, i, got, momentum)
					}
				}
			}
		}
	}
	if special != w.count {
		t.Fatalf("%s: %d words for %d special cells", name, w.count, special)
	}
}

// The moments of one population are the moments of its velocity, in the kernels' order.
func TestMomentsOf(t *testing.T) {
	for _, l := range model.Lattices {
		for i, c := range l.Velocities {
			sets := make([]float64, 2*l.Q()) // none, and this one
			sets[l.Q()+i] = 2
			want := make([]float64, l.Moments(), 2*l.Moments())
			want = append(want, 2, float64(2*c[0]), float64(2*c[1]))
			if l.Dims == 2 {
				want = append(want, float64(2*c[0]*c[0]), float64(2*c[1]*c[1]), float64(2*c[0]*c[1]))
			} else {
				want = append(want, float64(2*c[2]), float64(2*c[0]*c[0]), float64(2*c[1]*c[1]), float64(2*c[2]*c[2]),
					float64(2*c[0]*c[1]), float64(2*c[0]*c[2]), float64(2*c[1]*c[2]))
			}
			if got := momentsOf(l, sets); !slices.Equal(got, want) {
				t.Fatalf("%s, direction %v: %v, not %v", l.Name, c, got, want)
			}
		}
	}
}

// Cells that wrongly report an end of the rows at rest are refused: kernels would drop the momentum
// of a moving wall.
func TestRestThatMoves(t *testing.T) {
	n := [3]int{64, 4, 4}
	cells := randomCells(rand.New(rand.NewSource(2)), n, 3, 0.1, 1, 2)
	cells.Rest = [2]bool{true, true}
	lattice, _ := model.FindLattice("D3Q19")
	spec := model.Spec{Lattice: lattice, Collision: model.Collisions[1]}
	_, err := findWalls(spec, decomp.NewLayout(n, [3]int{0, 0, 1}, spec.Components()), [3]bool{}, cells, [2]bool{true, true})
	if err == nil || !strings.Contains(err.Error(), "at x = 64 it is not") {
		t.Errorf("error %v", err)
	}
}

// A large box is examined in a fraction of the time of its first step.
func BenchmarkWalls(b *testing.B) {
	lattice, _ := model.FindLattice("D3Q19")
	spec := model.Spec{Lattice: lattice, Collision: model.Collisions[0]}
	n := [3]int{256, 256, 256}
	for _, share := range []float64{0, 0.25} {
		b.Run(fmt.Sprintf("solid=%g", share), func(b *testing.B) {
			cells := randomCells(rand.New(rand.NewSource(3)), n, 3, share, 1, 1)
			for i, t := range cells.Type {
				if t > 1 && share > 0 || t == 3 { // one lid, as in a cavity
					cells.Type[i] = 1
				}
			}
			cells = cells.WithRest(false, 3)
			b.SetBytes(int64(n[0] * n[1] * n[2]))
			for i := 0; i < b.N; i++ {
				if _, err := findWalls(spec, decomp.NewLayout(n, [3]int{0, 0, 1}, spec.Components()), [3]bool{}, cells, [2]bool{true, true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Whatever comes from beyond the end of a row is put there once: by the row itself, or by the cell that
// a half-way wall sends it back to. It is the latter exactly where a link meets a wall at rest.
func TestRowEnds(t *testing.T) {
	lattice, _ := model.FindLattice("D3Q19")
	n := [3]int{64, 6, 5}
	for _, wraps := range []bool{false, true} {
		cells := randomCells(rand.New(rand.NewSource(4)), n, 3, 0.2, 1, 2)
		r := rand.New(rand.NewSource(5))
		for z := -1; z <= n[2]; z++ { // faces of which parts move
			for y := -1; y <= n[1]; y++ {
				cells.Type[cells.Index(-1, y, z)], cells.Type[cells.Index(n[0], y, z)] = 1+uint8(r.Intn(2)), 1+uint8(r.Intn(3))
			}
		}
		periodic := [3]bool{false, wraps, false}
		layout := decomp.NewLayout(n, [3]int{0, 0, 1}, 10)
		found, err := boundary.FindWalls(lattice, layout, periodic, cells, blockCells)
		if err != nil {
			t.Fatal(err)
		}
		rowEnds := findRowEnds(found, layout, periodic, [2]bool{true, true})
		at := func(side, y, z int) rowEndABI { return rowEnds[side][(z+1)*(n[1]+2)+y+1] }
		served := 0
		for side, x := range []int{0, n[0] - 1} {
			for z := 0; z < n[2]; z++ {
				for y := 0; y < n[1]; y++ {
					if cells.At(x, y, z) != 0 {
						continue
					}
					for cy := -1; cy <= 1; cy++ {
						for cz := -1; cz <= 1; cz++ { // what comes to (x, y, z) from the place behind
							place, slot := at(side, y-cy, z-cz), rowEndSlot(cy, cz)
							sends, own := at(side, y, z).code>>slot&1, place.code>>(rowEndOwn+slot)&1
							rest := cells.At([]int{-1, n[0]}[side], y-cy, z-cz) == 1
							if sends+own != 1 || sends == 1 != rest {
								t.Fatalf("side %d, cell (%d, %d) with (%d, %d): sent back %d, the row's own %d, at rest %v", side, y, z, cy, cz, sends, own, rest)
							}
							served += int(sends)
						}
					}
					if row := at(side, y, z).from; int(row) != layout.Row(y, z) {
						t.Errorf("row %d %d is read at %d", y, z, row)
					}
				}
			}
		}
		if served == 0 {
			t.Error("nothing is sent back")
		}
		want := uint32(rowEndNone)
		if wraps {
			want = uint32(layout.Row(n[1]-1, 2))
		}
		if got := at(0, -1, 2).from; got != want {
			t.Errorf("wraps %v: the row before the first is read at %d, not %d", wraps, got, want)
		}
	}
}
