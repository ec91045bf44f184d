// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The instruction set that every processor of the architecture has: SSE2 on amd64.
#ifndef LBM_ISA_H
#define LBM_ISA_H
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#define LBM_ISA baseline
#define LBM_ISA_HAS LBM_HAS_BASELINE
#define VECTOR_BYTES 16
#define LBM_ISA_CELLS(L) LBM_CELLS_NAME(L)
// Few amd64 processors are limited to it: one general step serves all models of populations.
#if defined(__x86_64__)
#define LBM_OWN_STEPS false
#else
#define LBM_OWN_STEPS true
#endif
#include "lanes.h"  // first: templates find the functions of vectors only if they come before
#endif
