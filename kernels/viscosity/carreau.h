// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     viscosity that falls (or rises) from one plateau to another: blood, polymer solutions.
// Equation: tau = 1/2 + 3 nu_inf + 3 (nu0 - nu_inf) (1 + (lambda |shear rate|)^2)^((n-1)/2), with tau |shear rate| = a (solve.h)
// Source:   Carreau, Trans. Soc. Rheol. 16 (1972) 99; Boyd, Buick & Green, Phys. Fluids 19 (2007) 093103
// Storage:  nothing; law[0] = 3 (nu0 - nu_inf), law[1] = 1/2 + 3 nu_inf, law[2] = lambda^2, law[3] = (n-1)/2
// Limits:   n <= 1, so that nu stays between nu0 and nu_inf
#ifndef LBM_CARREAU_H
#define LBM_CARREAU_H
#include "../solve.h"

namespace lbm { namespace {

struct Carreau {
	template <class R> struct At {
		R tau, slope;
		template <class T> LBM_HD LBM_INLINE At(const R& x, const Params<T>& p) {
			const R q = exp2Of(x + x) * p.law[2], all = q + T(1), part = exp2Of(log2Of(all) * p.law[3]) * p.law[0];
			tau = part + p.law[1];
			slope = part * q * (T(2) * p.law[3]) * reciprocal(tau * all) + T(1);
		}
		template <class T> LBM_HD static LBM_INLINE T least(const Params<T>& p) { return p.law[1]; }
		template <class T> LBM_HD static LBM_INLINE T most(const Params<T>& p) { return p.law[1] + p.law[0]; }
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
