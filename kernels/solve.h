// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The relaxation time of a cell whose viscosity depends on the shear rate, where the stress gives
// only the product of the two, a = tau |shear rate|. In logarithms, x = log2 |shear rate|,
//   x + log2 tau(2^x) = log2 a
// has a slope between the flow index n and 1, so that Newton's iteration takes a few steps from
// anywhere; it is kept between the bounds that follow from the bounds of tau, and bisects where it
// would leave them.
#ifndef LBM_SOLVE_H
#define LBM_SOLVE_H
#include "params.h"

namespace lbm { namespace {

// rateOf returns a shear rate that has a logarithm: below 1e-20 no rate is meaningful.
template <class R> LBM_HD LBM_INLINE R rateOf(const R& rate) {
	const R least = R{} + typename Scalar<R>::type(1e-20);
	return select(rate < least, least, rate);
}

// omegaOf returns 1/tau. At(x, p) gives tau of x and the slope of the left side; least and most are
// the bounds of tau.
template <template <class> class At, class R> LBM_HD LBM_INLINE R omegaOf(const R& a, const Params<typename Scalar<R>::type>& p) {
	using T = typename Scalar<R>::type;
	using V = At<R>;
	const R goal = log2Of(rateOf(a));
	R lo = goal - log2Of(R{} + V::most(p)), hi = goal - log2Of(R{} + V::least(p));
	R x = hi;
	constexpr int STEPS = 10;
	for (int k = 0; k < STEPS; k++) {
		const V at(x, p);
		const R off = x + log2Of(at.tau) - goal;
		lo = select(off < T(0), x, lo);
		hi = select(off < T(0), hi, x);
		x = x - off * reciprocal(at.slope);
		x = select(x < lo, (lo + hi) * T(0.5), x);
		x = select(x > hi, (lo + hi) * T(0.5), x);
	}
	return reciprocal(V(x, p).tau);
}

}}  // namespace lbm
#endif
