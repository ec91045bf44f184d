// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Special cells (sponges, walls that keep mass, the ends of parts of faces) in the vectors of AVX2, because many cells of a
// tunnel with a sponge pass through them. AVX-512 uses the same.
#ifndef LBM_WIDE_H
#define LBM_WIDE_H
#include "api.h"
#include "names.h"
#include "general.h"
#include "special.h"

namespace lbm { namespace {

template <class L> struct Wide {
	lbm_cells of[2][3];
	explicit Wide(const lbm_cells* (*shared)(int moments, int precision)) {
		set<false>(shared);
		set<true>(shared);
	}
	template <bool MOMENTS> void set(const lbm_cells* (*shared)(int moments, int precision)) {
		one<MOMENTS, float>(of[MOMENTS][0] = *shared(MOMENTS, 0));
		one<MOMENTS, double>(of[MOMENTS][1] = *shared(MOMENTS, 1));
		one<MOMENTS, Half>(of[MOMENTS][2] = *shared(MOMENTS, 2));
	}
	template <bool MOMENTS, class S> static void one(lbm_cells& k) {
		k.special = &SpecialOf<L, MOMENTS, S>::step;
	}
};

}}  // namespace lbm

// LBM_WIDE(L) defines the function of a unit that finds the kernels of lattice L: this one, and the kernels shared by all sets.
#define LBM_WIDE(L) \
	extern "C" const lbm_cells* LBM_CELLS_NAME(L)(int moments, int precision); \
	extern "C" const lbm_cells* LBM_WIDE_NAME(L)(int moments, int precision) { \
		static const lbm::Wide<lbm::L> table(&LBM_CELLS_NAME(L)); \
		return &table.of[moments][precision]; \
	}
#endif
