// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory layout: [z][y][component][x], by the same arithmetic as decomp.Layout in Go (a test
// verifies that both are equal). Rows of x are contiguous, the components of a row are adjacent, a
// plane is one range.
#ifndef LBM_LAYOUT_H
#define LBM_LAYOUT_H
#include "portable.h"

namespace lbm { namespace {

struct Layout {
	int nx, ny, nz;     // interior cells
	int gy, gz;         // ghost layers; x is never cut
	int components;     // values per cell
	int pitch;          // padded length of a row, in values

	// Number of row (y, z); both may lie in the ghost layers.
	LBM_HD LBM_INLINE long long row(int y, int z) const { return (long long)(z + gz) * (ny + 2 * gy) + y + gy; }
	// Index of the first value of row (y, z).
	LBM_HD LBM_INLINE long long start(int y, int z) const { return row(y, z) * components * pitch; }
	// Index of component c of cell (x, y, z).
	LBM_HD LBM_INLINE long long at(int x, int y, int z, int c) const { return (row(y, z) * components + c) * pitch + x; }
};

}}  // namespace lbm
#endif
