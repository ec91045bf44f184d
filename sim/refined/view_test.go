// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package refined

import (
	"testing"

	"lbmsim/decomp"
	"lbmsim/model"
	"lbmsim/sim/derive"
)

// A region in cells of any level has the values of the finest cells in the middle of its cells, as the region has them in cells of the
// finest level there.
func TestRegionsAreOfTheFinestCells(t *testing.T) {
	speed, _ := model.FindField("speed")
	for _, lattice := range []string{"D2Q9", "D3Q19"} {
		for name, f := range flows(lattice, "cumulant", 1) {
			f.alone(t, func(g *Grid) error {
				if err := g.Advance(2); err != nil {
					return err
				}
				v, n := g.View(), g.Case.Cells
				slice := decomp.Box{Hi: n}
				if g.Case.Dims() == 3 {
					slice.Lo[2], slice.Hi[2] = n[2]/2, n[2]/2+1
				}
				// region returns the slice in cells of a level.
				region := func(level int) derive.Region {
					at := derive.Region{Level: level, Box: slice}
					for a := range g.Case.Dims() {
						at.Lo[a], at.Hi[a] = at.Lo[a]<<level, at.Hi[a]<<level
					}
					if g.Case.Dims() == 3 {
						at.Lo[2] += 1 << level / 2
						at.Hi[2] = at.Lo[2] + 1
					}
					return at
				}
				finest := v.Region(slice, derive.Middle())
				if finest.Level == 0 || finest != region(finest.Level) {
					t.Errorf("%s %s: the region is %v, want %v", lattice, name, finest, region(finest.Level))
				}
				for level := range finest.Level {
					at := region(level)
					got, err := v.Collect(speed, 0, at)
					if err != nil {
						return err
					}
					width, differ := 1<<(finest.Level-level), 0
					if middle := finest; g.Case.Dims() == 3 {
						middle.Lo[2] = at.Lo[2]*width + width/2
						middle.Hi[2] = middle.Lo[2] + 1
						finest = middle
					}
					want, err := v.Collect(speed, 0, finest)
					if err != nil {
						return err
					}
					for y := range at.Size()[1] {
						for x := range at.Size()[0] {
							fine := (y*width+width/2)*finest.Size()[0] + x*width + width/2
							if got[y*at.Size()[0]+x] != want[fine] {
								differ++
							}
						}
					}
					if differ > 0 || len(got) != at.Cells() {
						t.Errorf("%s %s: %d of %d values at level %d are not the finest cells'", lattice, name, differ, len(got), level)
					}
				}
				return nil
			})
		}
	}
}
