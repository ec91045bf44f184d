// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"
	"testing"

	"lbmsim/decomp"
	"lbmsim/model"
)

// An oscillating plate is opposite a plate at rest, and beside a part of its own face in steady
// motion: at the start their rules are equal, and only the first changes with time.
func TestSteadyRulesStay(t *testing.T) {
	n := [3]int{6, 4, 1}
	for _, timedFirst := range []bool{true, false} {
		cells := NewCells(n)
		cells.Periodic = [3]bool{true, false, true}
		swings := Wall{Law: VelocityFace, Motion: Formula{Timed: true, Velocity: func(_ [3]float64, t float64) [3]float64 { return [3]float64{0.1 * math.Sin(t), 0, 0} }}}
		rests := Wall{Law: VelocityFace}
		cells.Walls = []Wall{swings, rests}
		low, high := uint8(1), uint8(2)
		if !timedFirst {
			low, high = high, low
		}
		for x := -1; x <= n[0]; x++ {
			for z := -1; z <= n[2]; z++ {
				cells.Type[cells.Index(x, -1, z)], cells.Type[cells.Index(x, n[1], z)] = low, high
				if x >= 3 {
					cells.Type[cells.Index(x, -1, z)] = 2
				}
			}
		}
		layout := decomp.NewLayout(n, [3]int{0, 1, 0}, 6)
		f, err := FindFaces(model.Lattices[0], layout, cells.Periodic, cells)
		if err != nil {
			t.Fatal(err)
		}
		f.AdvanceTo(1)
		for _, c := range f.Cells {
			y := -1
			if c.Row == uint32(layout.Row(n[1], 0)) {
				y = n[1]
			}
			want := 0.0
			if cells.At(int(c.X), y, 0) == 1 {
				want = 0.2 * math.Sin(1)
			}
			if got := f.Rules[c.Rule].Velocity[0]; got != want {
				t.Errorf("the swinging plate first %v: ghost cell (%d, %d) has %g instead of %g", timedFirst, c.X, y, got, want)
			}
		}
	}
}
