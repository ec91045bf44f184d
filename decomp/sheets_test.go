// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import "testing"

// Each cell that counts is in one sheet as a whole; sheets are in order without gaps, each as thin as its largest cell.
func TestSheets(t *testing.T) {
	nests(t, 40, func(t *testing.T, _ Plan, s nest) {
		h := s.h
		for axis := range h.Dims() {
			sheets := Sheets(h, axis)
			last := len(h.Levels) - 1
			end := 0 // in cells of the finest level
			largest := make([]bool, len(sheets))
			for i, at := range sheets {
				if lo := at.At << (last - at.Level); lo != end {
					t.Fatalf("sheet %d of %v begins at %d, the one before ends at %d", i, sheets, lo, end)
				}
				end = (at.At + 1) << (last - at.Level)
			}
			if end != h.Levels[last].N[axis] {
				t.Fatalf("sheets end at %d of %d", end, h.Levels[last].N[axis])
			}
			for l := range h.Levels {
				of := SheetOf(h, sheets, l, axis)
				for k, p := range h.Levels[l].Patches {
					p.Owned.each(Box{}, func(cell [3]int) {
						if s.covered(l, cell) {
							return
						}
						i := of[cell[axis]]
						if i < 0 {
							t.Fatalf("cell %v of patch %d of level %d is in no sheet", cell, k, l)
						}
						largest[i] = largest[i] || sheets[i].Level == l
					})
				}
			}
			for i, ok := range largest {
				if !ok {
					t.Fatalf("sheet %v has no cell of its thickness", sheets[i])
				}
			}
		}
	})
}
