// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Populations: their sums, and the gain that the collision adds to the part that it keeps,
// equilibrium and force in one. With u = (j + F/2)/rho, the second-order equilibrium relaxed at
// omega+ (even part) and omega- (odd part) and Guo's source with its factors 1 - omega/2 (Guo,
// Zheng & Shi, Phys. Rev. E 65 (2002) 046308) are together the second-order expansion of the
// moments
//   omega+ r,   omega- j + F,   omega+ rho u u + (1 - omega+/2)(u F + F u)
// (expand both sides in u and F to see it), so a force has almost no cost.
#ifndef LBM_POPULATIONS_H
#define LBM_POPULATIONS_H
#include "expansion.h"

namespace lbm { namespace {

// sumMoments computes r and j of populations f, in a fixed order of additions.
template <class L, class R> LBM_HD LBM_INLINE void sumMoments(const R* f, R& r, R* j) {
	R sum[3];
	unroll<3>([&](auto a) LBM_LAMBDA { sum[a.value] = R{}; });
	r = f[L::Q / 2];
	unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
		constexpr int N = decltype(i)::value, P = L::opposite(N);
		r = r + (f[P] + f[N]);
		R d = f[P] - f[N];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value, c = L::c(P, A);
			if constexpr (c > 0) sum[A] = sum[A] + d;
			if constexpr (c < 0) sum[A] = sum[A] - d;
		});
	});
	unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = sum[a.value]; });
}

// gainOf returns these moments. The rates are numbers or per cell: O is T or R.
template <class L, class R, class O, class T> LBM_HD LBM_INLINE Moments<L, R> gainOf(const R& r, const R* j, const O& plus, const O& minus, const T* force) {
	Moments<L, R> g;
	const R inv = reciprocal(T(1) + r);
	R u[L::D], k[L::D];
	g.r = r * plus;
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const R rhou = j[A] + T(0.5) * force[A];
		u[A] = rhou * inv;
		k[A] = rhou * (T(0.5) * plus) + (T(1) - T(0.5) * plus) * force[A];
		g.j[A] = j[A] * minus + force[A];
	});
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		g.s[A] = u[A] * (k[A] + k[A]);
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			g.s[L::pair(A, B)] = u[A] * k[B] + u[B] * k[A];
		});
	});
	return g;
}

// addTo adds the second-order expansion of g to populations.
template <class L, class R> LBM_HD LBM_INLINE void addTo(R* f, const Moments<L, R>& g) {
	secondOrder(g).each([&](auto i, const R& v) LBM_LAMBDA { f[i.value] = f[i.value] + v; });
}

}}  // namespace lbm
#endif
