// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Directions that are known at run time only.
#ifndef LBM_DIRECTION_H
#define LBM_DIRECTION_H
#include "portable.h"

namespace lbm { namespace {

// Known<L> is L::c, L::share and L::find for directions that are known at run time only. A compiler
// for GPUs would copy the tables of L to each thread's stack, byte by byte, for each access; these
// are bits of numbers.
template <class L> struct Known {
	// Component a of all velocities plus 1, two bits each.
	LBM_HD static constexpr unsigned long long components(int a) {
		unsigned long long all = 0;
		for (int i = 0; i < L::Q; i++) all |= (unsigned long long)(L::c(i, a) + 1) << 2 * i;
		return all;
	}
	// Weights depend on the number of non-zero components: eight bits for each number.
	LBM_HD static constexpr unsigned shares() {
		unsigned all = 0;
		for (int i = 0; i < L::Q; i++) {
			const int n = 8 * (L::c(i, 0) * L::c(i, 0) + L::c(i, 1) * L::c(i, 1) + L::c(i, 2) * L::c(i, 2));
			all = (all & ~(255u << n)) | unsigned(L::share(i)) << n;
		}
		return all;
	}
	// Velocities of the lattice, in the order of directions: bit (c_z+1)*9 + (c_y+1)*3 + c_x+1.
	LBM_HD static constexpr unsigned present() {
		unsigned all = 0;
		for (int i = 0; i < L::Q; i++) all |= 1u << key(L::c(i, 0), L::c(i, 1), L::c(i, 2));
		return all;
	}
	LBM_HD static constexpr int key(int x, int y, int z) { return (z + 1) * 9 + (y + 1) * 3 + x + 1; }

	template <int A> LBM_HD LBM_INLINE static int c(int i) {
		constexpr unsigned long long all = components(A);
		return int(all >> 2 * i & 3) - 1;
	}
	LBM_HD LBM_INLINE static int c(int i, int a) { return a == 0 ? c<0>(i) : a == 1 ? c<1>(i) : c<2>(i); }
	LBM_HD LBM_INLINE static int share(int i) {
		constexpr unsigned all = shares();
		const int x = c<0>(i), y = c<1>(i), z = c<2>(i);
		return all >> 8 * (x * x + y * y + z * z) & 255;
	}
	// Returns the direction of a velocity of the lattice: the number of velocities before it.
	LBM_HD LBM_INLINE static int find(int x, int y, int z) {
		constexpr unsigned all = present();
		return ones(all & ((1u << key(x, y, z)) - 1));
	}
};

}}  // namespace lbm
#endif
