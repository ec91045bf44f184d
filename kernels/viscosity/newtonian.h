// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     the same viscosity everywhere.
// Equation: omega = 1/tau, nu = (tau - 1/2)/3
// Source:   Krueger et al., The Lattice Boltzmann Method, Springer 2017, eq. 3.5
// Storage:  nothing
// Limits:   none; a law for cells with individual rates, as with a bulk viscosity
#ifndef LBM_NEWTONIAN_H
#define LBM_NEWTONIAN_H
#include "../params.h"

namespace lbm { namespace {

struct Newtonian {
	// omega returns the rate of cells where tau |shear rate| is a.
	template <class R> LBM_HD static LBM_INLINE R omega(const R& a, const Params<typename Scalar<R>::type>& p) { return R{} + p.omega; }
};

}}  // namespace lbm
#endif
