// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Lines of a refined grid along a periodic axis whose cells are all of one level.

// Whole reports whether a patch of a level has all cells along a periodic axis.
func Whole(h *Hierarchy, level, patch, axis int) bool {
	owned := h.Levels[level].Patches[patch].Owned
	return h.Periodic[axis] && owned.Lo[axis] == 0 && owned.Hi[axis] == h.Levels[level].N[axis]
}

// WholeLines reports whether planes of a level, from lo up to hi across an axis, have a line along a periodic axis within one patch, of
// cells that no finer level covers.
func WholeLines(h *Hierarchy, level, along, normal, lo, hi int) bool {
	across := 3 - along - normal
	for k := range h.Levels[level].Patches {
		if !Whole(h, level, k, along) {
			continue
		}
		owned := h.Levels[level].Patches[k].Owned
		for at := max(lo, owned.Lo[normal]); at < min(hi, owned.Hi[normal]); at++ {
			free := owned.Lo[across]
			for free < owned.Hi[across] {
				next := beyondFiner(h, level, normal, at, across, free)
				if next == free {
					return true
				}
				free = next
			}
		}
	}
	return false
}

// beyondFiner returns where a patch of the next level ends along an axis whose cells cover some of a line in plane k across another; the
// line's own place: no patch does.
func beyondFiner(h *Hierarchy, level, normal, k, axis, at int) int {
	if level+1 == len(h.Levels) {
		return at
	}
	for _, p := range h.Levels[level+1].Patches {
		if b := h.parents(p.Owned); b.Lo[normal] <= k && k < b.Hi[normal] && b.Lo[axis] <= at && at < b.Hi[axis] {
			return b.Hi[axis]
		}
	}
	return at
}
