// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     regularized collision: only the moments up to second order survive.
// Equation: S* = (1-omega) S + omega rho u u + (1-omega/2)(u F + F u), j* = j + F, u = (j + F/2)/rho
// Source:   Latt & Chopard, Math. Comput. Simul. 72 (2006) 165; force: Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308
// Storage:  the moments themselves: Gounley, Vardhan, Draeger et al., IEEE TPDS 33 (2022) 2799
// Limits:   Ma << 1; a straight half-way wall is exact at tau = 0.875 only (Lambda = (tau-1/2)/2)
#ifndef LBM_REGULARIZED_H
#define LBM_REGULARIZED_H
#include "../closure.h"

namespace lbm { namespace {

struct Regularized : Closure<false> {
	template <class L, class R> LBM_HD static LBM_INLINE Expansion<L, R> expand(const Moments<L, R>& m) { return secondOrder(m); }
};

}}  // namespace lbm
#endif
