// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"lbmsim/internal/vector"
	"lbmsim/model"
)

// ballOverFloor is a ball over a floor, both with the model, in a box with faces of n cells; asked counts the queries of
// distances.
func ballOverFloor(n [3]int, asked *atomic.Int64) Cells {
	c := NewCells(n)
	c.Global = n
	c.Walls = []Wall{{Law: ModelledWall, Model: WallModel{Sample: 4.5, Layer: 4.5}}, {Law: Bounce}}
	r := float64(n[2]) / 4
	centre := [3]float64{float64(n[0])/2 + 0.13, float64(n[1])/2 - 0.21, float64(n[2])/2 + 0.31}
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			for x := -1; x <= n[0]; x++ {
				k := uint8(0)
				switch p := vector.Minus(middle([3]int{x, y, z}), centre); {
				case z < 0 || vector.Dot(p, p) < r*r:
					k = 1
				case !within([3]int{x, y, z}, n):
					k = 2
				}
				c.Type[c.Index(x, y, z)] = k
			}
		}
	}
	c.Distance = func(x, v [3]int) float64 {
		if asked != nil {
			asked.Add(1)
		}
		c := [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
		p := vector.Minus(middle(x), centre)
		a, b, d := vector.Dot(c, c), vector.Dot(p, c), vector.Dot(p, p)-r*r
		if root := b*b - a*d; root > 0 {
			return (b - math.Sqrt(root)) / a
		}
		return 0.5
	}
	return c
}

// The search queries the distance of each link once. Its memory per ghost cell is at most 3.25 KiB in one allocation or
// less, plus four bytes per row of cells. The bounds of memory were set after the first run, which took 3098 bytes in 0.49
// allocations.
func TestCostOfGhostCells(t *testing.T) {
	l, _ := model.FindLattice("D3Q27")
	n := [3]int{72, 64, 64}
	var asked atomic.Int64
	around := ballOverFloor(n, &asked)
	links := int64(0)
	for z := -1; z <= n[2]; z++ {
		for y := -1; y <= n[1]; y++ {
			for x := -1; x <= n[0]; x++ {
				for _, c := range l.Velocities {
					if to := [3]int{x + c[0], y + c[1], z + c[2]}; around.At(x, y, z) == 1 && within(to, n) && around.At(to[0], to[1], to[2]) == 0 {
						links++
					}
				}
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := FindModelled(l, [3]int{}, n, around)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	ghosts := float64(len(m.Cells))
	bytes, count := float64(after.TotalAlloc-before.TotalAlloc)/ghosts, float64(after.Mallocs-before.Mallocs)/ghosts
	t.Logf("%g ghost cells, %d cells of the layer, %.0f bytes and %.3f allocations per ghost cell", ghosts, len(m.Layer), bytes, count)
	if asked.Load() != links {
		t.Errorf("%d distances for %d links", asked.Load(), links)
	}
	if ghosts < 72*64 || bytes > 3328 || count > 1 {
		t.Errorf("%g ghost cells take %g bytes in %g allocations each", ghosts, bytes, count)
	}
}

// BenchmarkFindModelled reports the cells and ghost cells per second of the search in a box, the largest part of start-up.
func BenchmarkFindModelled(b *testing.B) {
	l, _ := model.FindLattice("D3Q27")
	n := [3]int{160, 128, 128}
	around := ballOverFloor(n, nil)
	ghosts := 0
	b.ResetTimer()
	for range b.N {
		m, err := FindModelled(l, [3]int{}, n, around)
		if err != nil {
			b.Fatal(err)
		}
		ghosts = len(m.Cells)
	}
	each := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(each*float64(n[0]*n[1]*n[2]), "cells/s")
	b.ReportMetric(each*float64(ghosts), "ghosts/s")
}
