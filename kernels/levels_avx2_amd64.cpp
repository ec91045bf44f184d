// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build isa_avx2 || isa_avx512 || !isa_baseline

// The coupling between levels in the vectors of AVX2.
#include "cpu/isa_avx2.h"
#include "cpu/levels.h"

LBM_LEVELS(lbm_levels_avx2)
