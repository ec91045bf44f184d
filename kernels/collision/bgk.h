// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     one relaxation time for all populations, with Guo's body force.
// Equation: f* = f - omega (f - feq(rho, u)) + (1-omega/2) w (3 (c-u).F + 9 (c.u)(c.F)), u = (j + F/2)/rho
// Source:   Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479; force: Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308
// Storage:  populations f - w
// Limits:   Ma << 1; the wall's position depends on the viscosity (Lambda = (tau-1/2)^2)
#ifndef LBM_BGK_H
#define LBM_BGK_H
#include "../local.h"

namespace lbm { namespace {

struct Bgk {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		const T omega = whole<T>(p.omega);
		R r, j[L::D];
		sumMoments<L>(f, r, j);
		relax<L>(f, gainOf<L>(r, j, omega, omega, p.force), T(1) - omega);
	}

	template <class V, class L, class R, class... E>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p, const E&... mine) {
		using T = typename Scalar<R>::type;
		const Moments<L, R> m = momentsOf<L>(f);
		const Local<V, L, R> own(m, p, mine...);
		const R omega = whole<T>(own.omega);
		relax<L>(f, gainOf(m, own, omega, omega, p.force), T(1) - omega);
	}

	// keep is 1 - omega, a number or per cell.
	template <class L, class R, class O> LBM_HD static LBM_INLINE void relax(R* f, const Moments<L, R>& gain, const O& keep) {
		unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = f[i.value] * keep; });
		addTo(f, gain);
	}
};

}}  // namespace lbm
#endif
