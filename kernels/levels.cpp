// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The coupling between levels for the baseline instruction set.
#include "cpu/isa_baseline.h"
#include "cpu/levels.h"

LBM_LEVELS(lbm_levels_baseline)

// The same in vectors of AVX2, which AVX-512 uses too: a parent has eight children. Null if the build omits it.
extern "C" const lbm_levels* lbm_levels_avx2(int lattice, int precision) __attribute__((weak));

extern "C" const lbm_levels* lbm_levels_of(int wide, int lattice, int precision) {
	return wide && lbm_levels_avx2 ? lbm_levels_avx2(lattice, precision) : lbm_levels_baseline(lattice, precision);
}
