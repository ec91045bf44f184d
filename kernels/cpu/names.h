// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Names that the units of the kernels define for one another, and the processor's instruction sets.
#ifndef LBM_NAMES_H
#define LBM_NAMES_H
#define LBM_JOINED(A, B) A##B
#define LBM_JOIN(A, B) LBM_JOINED(A, B)
#define LBM_QUOTED(A) #A
#define LBM_STRING(A) LBM_QUOTED(A)
#define LBM_STEPS_NAME(L) LBM_JOIN(LBM_JOIN(lbm_steps_, LBM_ISA), LBM_JOIN(_, L))
#define LBM_CELLS_NAME(L) LBM_JOIN(lbm_cells_, L)
#define LBM_WIDE_NAME(L) LBM_JOIN(lbm_wide_, L)

// Processor features that an instruction set needs.
#define LBM_HAS_AVX512 (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#define LBM_HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("fma"))
#define LBM_HAS_BASELINE true
#endif
