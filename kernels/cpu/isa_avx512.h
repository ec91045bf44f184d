// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// AVX-512, on server processors since 2017.
#ifndef LBM_ISA_H
#define LBM_ISA_H
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#define LBM_ISA avx512
#define LBM_ISA_HAS LBM_HAS_AVX512
#define VECTOR_BYTES 64
#define LBM_OWN_STEPS true
#define LBM_ISA_CELLS(L) LBM_WIDE_NAME(L)
#include "lanes.h"  // first: templates find the functions of vectors only if they come before
#endif
