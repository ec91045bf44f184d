// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

// Range is a run of values [Lo, Hi) in the memory of a Layout.
type Range struct{ Lo, Hi int }

// Ranges returns the contiguous runs of memory that hold the whole rows of a box in
// local coordinates (ghost cells allowed), in the order of memory; neighbouring
// runs are merged, so that a plane along Axis is one run. x is never cut: the
// box's x range is ignored, rows come with their padding.
func (l Layout) Ranges(b Box) []Range {
	var out []Range
	for z := b.Lo[2]; z < b.Hi[2]; z++ {
		for y := b.Lo[1]; y < b.Hi[1]; y++ {
			lo := l.Row(y, z) * l.RowLen()
			if n := len(out); n > 0 && out[n-1].Hi == lo {
				out[n-1].Hi = lo + l.RowLen()
			} else {
				out = append(out, Range{lo, lo + l.RowLen()})
			}
		}
	}
	return out
}
