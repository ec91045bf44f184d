// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// D2Q9: 9 velocities in 2D. Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479. The order
// is the same as in model.Lattices (a test verifies it): sorted by c_z, then c_y, then c_x, hence
// opposite(i) = Q-1-i.
#ifndef LBM_D2Q9_H
#define LBM_D2Q9_H
#include "../portable.h"

namespace lbm { namespace {

struct D2Q9 {
	static constexpr int D = 2, Q = 9;
	static constexpr int M = 1 + D + D * (D + 1) / 2;  // moments up to second order
	static constexpr int UNIT = 36;                    // weights are share(i) / UNIT

	// Component a of velocity i.
	LBM_HD static constexpr int c(int i, int a) {
		constexpr signed char table[Q][3] = {
			{-1, -1, 0}, {0, -1, 0}, {1, -1, 0},
			{-1, 0, 0}, {0, 0, 0}, {1, 0, 0},
			{-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
		};
		return table[i][a];
	}
	// Weight of direction i in units of 1/UNIT.
	LBM_HD static constexpr int share(int i) {
		constexpr signed char table[Q] = {1, 4, 1, 4, 16, 4, 1, 4, 1};
		return table[i];
	}
	LBM_HD static constexpr int opposite(int i) { return Q - 1 - i; }
	// Direction with velocity (x, y, z), or -1.
	LBM_HD static constexpr int find(int x, int y, int z) {
		for (int i = 0; i < Q; i++)
			if (c(i, 0) == x && c(i, 1) == y && c(i, 2) == z) return i;
		return -1;
	}
	// Place of the second moment ab among xx, yy, (zz,) xy, (xz, yz).
	LBM_HD static constexpr int pair(int a, int b) { return a == b ? a : D + a + b - 1; }
};

}}  // namespace lbm
#endif
