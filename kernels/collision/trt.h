// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     two relaxation times, for the even and the odd part of the populations, with Guo's body force in each.
// Equation: f* = f - omega+ (f+ - feq+) - omega- (f- - feq-) + (1-omega+/2) F+ + (1-omega-/2) F-, f+- = (f_i +- f_i')/2
// Source:   Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427; force: Guo et al., Phys. Rev. E 65 (2002) 046308
// Storage:  populations f - w
// Limits:   Ma << 1; a straight half-way wall is exact at (1/omega+ - 1/2)(1/omega- - 1/2) = 3/16
#ifndef LBM_TRT_H
#define LBM_TRT_H
#include "../local.h"

namespace lbm { namespace {

struct Trt {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		const T plus = whole<T>(p.omega), minus = whole<T>(p.omegaMinus);
		R r, j[L::D];
		sumMoments<L>(f, r, j);
		relax<L>(f, gainOf<L>(r, j, plus, minus, p.force), plus, minus);
	}

	// With individual rates lambda is constant, and with it the position of the walls.
	template <class V, class L, class R, class... E>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p, const E&... mine) {
		using T = typename Scalar<R>::type;
		const Moments<L, R> m = momentsOf<L>(f);
		const Local<V, L, R> own(m, p, mine...);
		// 1/omega- = lambda/(1/omega - 1/2) + 1/2
		const R half = T(1) - T(0.5) * own.omega;
		const R plus = whole<T>(own.omega), minus = whole<T>(half * reciprocal(own.omega * p.lambda + T(0.5) * half));
		relax<L>(f, gainOf(m, own, plus, minus, p.force), plus, minus);
	}

	// The gain and the loss of the odd part are summed before they are added to the population: both are small, and a product
	// (1 - omega-) f would be rounded to the last place of f. Since omega- may be a fraction like 1/63, whose bits have a
	// period, that is not as often up as down. Beside memory of 16 bits, and in double, the shorter form serves.
	template <class L, class R, class O> LBM_HD static LBM_INLINE void relax(R* f, const Moments<L, R>& gain, const O& plus, const O& minus) {
		using T = typename Scalar<R>::type;
		if constexpr (LBM_COARSE || sizeof(T) == 8) {
			const O keepPlus = T(0.5) - T(0.5) * plus, keepMinus = T(0.5) - T(0.5) * minus;
			unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
				constexpr int N = decltype(i)::value, P = L::opposite(N);
				const R even = (f[P] + f[N]) * keepPlus, odd = (f[P] - f[N]) * keepMinus;
				f[P] = even + odd;
				f[N] = even - odd;
			});
			f[L::Q / 2] = f[L::Q / 2] * (T(1) - plus);
			addTo(f, gain);
			return;
		}
		const O halfPlus = T(0.5) * plus, halfMinus = T(0.5) * minus;
		R more[L::Q];
		secondOrder(gain).each([&](auto i, const R& v) LBM_LAMBDA { more[i.value] = v; });
		unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value, P = L::opposite(N);
			const R even = (f[P] + f[N]) * halfPlus, odd = (f[P] - f[N]) * halfMinus;
			f[P] = f[P] + (more[P] - (even + odd));
			f[N] = f[N] + (more[N] - (even - odd));
		});
		f[L::Q / 2] = f[L::Q / 2] * (T(1) - plus) + more[L::Q / 2];
	}
};

}}  // namespace lbm
#endif
