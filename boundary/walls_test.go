// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math/rand/v2"
	"testing"

	"lbmsim/decomp"
	"lbmsim/model"
)

// Links from blocked cells of a refined grid are unread, and no others.
func TestUnread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := [3]int{33, 6, 5}
	cells, open := NewCells(n), NewCells(n)
	cells.Walls, open.Walls = make([]Wall, 2), make([]Wall, 2)
	cells.Patch = &Patch{Blocked: 2}
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			for x := -1; x <= n[0]; x++ {
				k := cells.Index(x, y, z)
				outside := x < 0 || y < 0 || z < 0 || x == n[0] || y == n[1] || z == n[2]
				switch of := r.IntN(8); {
				case outside || of == 0:
					cells.Type[k], open.Type[k] = 1, 1
				case of == 1:
					cells.Type[k] = 2
				}
			}
		}
	}
	layout := decomp.NewLayout(n, [3]int{0, 0, 1}, 10)
	lattice, _ := model.FindLattice("D3Q19")
	found, err := FindWalls(lattice, layout, [3]bool{}, cells, 32)
	if err != nil {
		t.Fatal(err)
	}
	without, err := FindWalls(lattice, layout, [3]bool{}, open, 32)
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				k := cells.Index(x, y, z)
				if cells.Type[k] != 0 {
					continue
				}
				unread := found.Unread(k)
				if got, want := found.Links(k)&^unread, without.Links(k); got != want {
					t.Fatalf("cell (%d, %d, %d) has links %b, not %b", x, y, z, got, want)
				}
				some = some || unread != 0
			}
		}
	}
	if !some {
		t.Error("no link is unread")
	}
}
