// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     viscosity as a power of the shear rate: paints, melts, suspensions.
// Equation: tau = 1/2 + 3 K |shear rate|^(n-1), between two bounds, with tau |shear rate| = a (solve.h)
// Source:   Ostwald, Kolloid-Z. 36 (1925) 99; Boyd, Buick & Green, J. Phys. A 39 (2006) 14241
// Storage:  nothing; law[0] = 3 K, law[1] = n - 1, law[2] and law[3] the bounds of tau
// Limits:   needs the bounds: without shear nu would be infinite (n < 1) or zero (n > 1)
#ifndef LBM_POWER_LAW_H
#define LBM_POWER_LAW_H
#include "../solve.h"

namespace lbm { namespace {

struct PowerLaw {
	template <class R> struct At {
		R tau, slope;
		template <class T> LBM_HD LBM_INLINE At(const R& x, const Params<T>& p) {
			const R power = exp2Of(x * p.law[1]) * p.law[0], free = power + T(0.5);
			slope = power * p.law[1] * reciprocal(free) + T(1);
			tau = select(free < p.law[2], R{} + p.law[2], free);
			tau = select(free > p.law[3], R{} + p.law[3], tau);
			slope = select(free < p.law[2], R{} + T(1), slope);
			slope = select(free > p.law[3], R{} + T(1), slope);
		}
		template <class T> LBM_HD static LBM_INLINE T least(const Params<T>& p) { return p.law[2]; }
		template <class T> LBM_HD static LBM_INLINE T most(const Params<T>& p) { return p.law[3]; }
	};
	template <class R> LBM_HD static LBM_INLINE R omega(const R& a, const Params<typename Scalar<R>::type>& p) {
		return each(a, [&](const auto& b) { return omegaOf<At>(b, p); });
	}
	// tau returns the relaxation time at a shear rate.
	template <class R> LBM_HD static LBM_INLINE R tau(const R& rate, const Params<typename Scalar<R>::type>& p) {
		return At<R>(log2Of(rateOf(rate)), p).tau;
	}
};

}}  // namespace lbm
#endif
