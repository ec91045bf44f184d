// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Sheet is a plane of cells of a level across an axis, At their number along it.
type Sheet struct{ Level, At int }

// Sheets returns the planes across an axis that profiles have rows of, in their order: as thin as the largest cell in them. Where cells
// of level 0 count anywhere in a plane of these, it is one sheet; otherwise it is two of level 1, or more of finer levels in the same
// way. So no cell belongs to two sheets, and cells of different sizes in a sheet are centred about its middle.
func Sheets(h *Hierarchy, axis int) (list []Sheet) {
	counted := make([][]bool, len(h.Levels)) // of each level's planes
	for l := range h.Levels {
		n := h.Levels[l].N[axis]
		area := make([]int, n) // of cells whose values count, in planes
		planesOf(h, l, axis, 0, func(k, cells int) { area[k] += cells })
		if l+1 < len(h.Levels) {
			planesOf(h, l+1, axis, 1, func(k, cells int) { area[k] -= cells >> (h.dims - 1) })
		}
		counted[l] = make([]bool, n)
		for k, cells := range area {
			counted[l][k] = cells > 0
		}
	}
	var split func(level, k int)
	split = func(level, k int) {
		if counted[level][k] || axis >= h.dims {
			list = append(list, Sheet{level, k})
			return
		}
		split(level+1, 2*k)
		split(level+1, 2*k+1)
	}
	for k := range h.Levels[0].N[axis] {
		split(0, k)
	}
	return list
}

// planesOf calls use for each plane of each patch of a level across an axis, and the patch's cells in it: of the level, or for each plane of
// the level before (up 1) that the patch covers.
func planesOf(h *Hierarchy, level, axis, up int, use func(k, cells int)) {
	for _, p := range h.Levels[level].Patches {
		size := p.Owned.Size()
		for k := p.Owned.Lo[axis] >> up; k < p.Owned.Hi[axis]>>up; k++ {
			use(k, size[0]*size[1]*size[2]/size[axis])
		}
	}
}

// SheetOf returns the number of the sheet that each plane of a level belongs to; -1: none, since coarser cells are everywhere in it, or
// finer ones.
func SheetOf(h *Hierarchy, list []Sheet, level, axis int) []int {
	of := make([]int, h.Levels[level].N[axis])
	for k := range of {
		of[k] = -1
	}
	for i, s := range list {
		if by := level - s.Level; by >= 0 {
			for k := s.At << by; k < (s.At+1)<<by; k++ {
				of[k] = i
			}
		}
	}
	return of
}
