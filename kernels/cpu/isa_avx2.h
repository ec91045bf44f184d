// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// AVX2, the conversion of halves (F16C) and fused multiply-adds (FMA, where a kernel asks for them), on processors since 2013.
#ifndef LBM_ISA_H
#define LBM_ISA_H
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx2,f16c,fma")
#define LBM_ISA avx2
#define LBM_ISA_HAS LBM_HAS_AVX2
#define VECTOR_BYTES 32
#define LBM_OWN_STEPS true
#define LBM_ISA_CELLS(L) LBM_WIDE_NAME(L)
#include "lanes.h"  // first: templates find the functions of vectors only if they come before
#endif
