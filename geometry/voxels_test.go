// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math/rand"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
)

// bricks returns a random image.
func bricks(rng *rand.Rand, v *Voxels, n [3]int) {
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				if rng.Intn(3) == 0 {
					v.Fill(x, y, z)
				}
			}
		}
	}
}

func TestVoxels(t *testing.T) {
	n := [3]int{5, 4, 6}
	origin, spacing := [3]float64{-1, 0.5, -2}, [3]float64{1, 1.5, 0.7}
	v := NewVoxels(n, origin, spacing, [3]int{}, n)
	bricks(rand.New(rand.NewSource(1)), v, n)
	everyHit(t, "voxels", v)
	everyBound(t, "voxels", v)
	everyHit(t, "turned voxels", Moved{v, NewMotion(0.8, [3]float64{10, 20, 30}, [3]float64{1, 2, 3})})
	// One brick, checked by hand.
	one := NewVoxels(n, origin, spacing, [3]int{}, n)
	one.Fill(2, 1, 3)
	if !one.Contains(1.5, 2.1, 0.2) || one.Contains(1.5, 1.9, 0.2) || one.Contains(2, 2.1, 0.2) || !one.Contains(1, 2, 0.1+1e-12) {
		t.Error("the brick is not where it should be")
	}
	if q, ok := one.Hit([3]float64{0, 2.5, 0.5}, [3]float64{2, 0, 0}); !ok || q != 0.5 {
		t.Errorf("hit %v at %v", ok, q)
	}
}

// The bricks that a rank keeps suffice for its rows.
func TestVoxelsOfARank(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 40 {
		n := [3]int{4 + rng.Intn(9), 4 + rng.Intn(9), 4 + rng.Intn(9)}
		m := NewMotion(0.5+rng.Float64(), [3]float64{float64(rng.Intn(4) * 30), 0, 360 * rng.Float64()}, [3]float64{2, 3, 1})
		d := Scene{Cells: [3]int{12, 11, 10}, Periodic: [3]bool{true, rng.Intn(2) == 0, true}, Walls: make([]boundary.Wall, 3), Faces: [3][2]uint8{1: {1, 2}}}
		image := func(rows [2][]bool) *Voxels {
			v := NewVoxels(n, [3]float64{}, [3]float64{1, 1, 1}, [3]int{}, [3]int{})
			lo, hi := v.Kept(m, d.Cells, rows)
			v = NewVoxels(n, [3]float64{}, [3]float64{1, 1, 1}, lo, hi)
			bricks(rand.New(rand.NewSource(7)), v, n)
			return v
		}
		box := decomp.Box{Lo: [3]int{0, 3, 4}, Hi: [3]int{12, 6, 7}}
		whole, part := d, d
		whole.Bodies = []Body{{Shape: Moved{image(d.Rows(decomp.Box{Hi: d.Cells})), m}, Type: 3}}
		part.Bodies = []Body{{Shape: Moved{image(d.Rows(box)), m}, Type: 3}}
		a, b := whole.Sample(box), part.Sample(box)
		for i := range a.Type {
			if a.Type[i] != b.Type[i] {
				t.Fatalf("cell %d: %d of the whole, %d of the part", i, a.Type[i], b.Type[i])
			}
		}
	}
}
