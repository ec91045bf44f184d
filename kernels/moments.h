// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Moments of a cell. Like populations, f_i - w_i, they are deviations from rest,
//   r = rho - 1,  j = sum f c,  S = sum f (c c - delta/3)
// so that a fluid at rest is all zeros and small flows keep their digits. expansion.h converts them back to populations.
#ifndef LBM_MOMENTS_H
#define LBM_MOMENTS_H
#include "direction.h"

namespace lbm { namespace {

template <class L, class R> struct Moments {
	R r;
	R j[L::D];
	R s[L::D * (L::D + 1) / 2];  // xx, yy, (zz,) xy, (xz, yz)
};

// addPopulation adds population f of direction I to the plain moments r, j, sum f c c where mask is set.
template <int I, class L, class R, class Mask>
LBM_HD LBM_INLINE void addPopulation(Moments<L, R>& m, const R& f, const Mask& mask) {
	m.r = select(mask, m.r + f, m.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value, c = L::c(I, A);
		if constexpr (c > 0) m.j[A] = select(mask, m.j[A] + f, m.j[A]);
		if constexpr (c < 0) m.j[A] = select(mask, m.j[A] - f, m.j[A]);
		if constexpr (c != 0) m.s[A] = select(mask, m.s[A] + f, m.s[A]);
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value, sign = L::c(I, A) * L::c(I, B), k = L::pair(A, B);
			if constexpr (sign > 0) m.s[k] = select(mask, m.s[k] + f, m.s[k]);
			if constexpr (sign < 0) m.s[k] = select(mask, m.s[k] - f, m.s[k]);
		});
	});
}

// addPopulation does so with direction i, known at run time only.
template <class L, class R, class Mask>
LBM_HD LBM_INLINE void addPopulation(Moments<L, R>& m, int i, const R& f, const Mask& mask) {
	m.r = select(mask, m.r + f, m.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const int c = Known<L>::c(i, A);
		if (c == 0) return;
		m.j[A] = select(mask, c > 0 ? m.j[A] + f : m.j[A] - f, m.j[A]);
		m.s[A] = select(mask, m.s[A] + f, m.s[A]);
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value, k = L::pair(A, B);
			const int sign = c * Known<L>::c(i, B);
			if (sign != 0) m.s[k] = select(mask, sign > 0 ? m.s[k] + f : m.s[k] - f, m.s[k]);
		});
	});
}

// removeTrace turns sum f c c into S = sum f (c c - delta/3).
template <class L, class R> LBM_HD LBM_INLINE void removeTrace(Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	R third = m.r * (T(1) / T(3));
	unroll<L::D>([&](auto a) LBM_LAMBDA { m.s[a.value] = m.s[a.value] - third; });
}

// LBM_COARSE is 1 in instances of GPU kernels whose memory has fewer digits than the arithmetic: 16 bits.
#ifndef LBM_COARSE
#define LBM_COARSE 0
#endif

// ditherStress dithers the shear stress of float32, so that the next step rounds momentum without bias. If a low viscosity
// changes it by a few last places per step, the same fraction of one would otherwise be lost in each (docs/precision.md).
// The part of S_ab that is lost beside 8 (|j_x| + |j_y| + |j_z|), at most half a last place of that, is added once more.
// Such a remainder is as good as random, the same for any cut and after a restart, odd in S_ab as mirror symmetry requires,
// and zero where S_ab is. The stress moves momentum from one cell to another: so the noise creates none. Where memory has 16
// bits (LBM_COARSE) their own dither, some thousand times as large, hides what float32 rounds.
template <class L, class R> LBM_HD LBM_INLINE void ditherStress(Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	if constexpr (sizeof(T) == 4 && !LBM_COARSE) {
		R large{};
		unroll<L::D>([&](auto a) LBM_LAMBDA { large = large + magnitude(m.j[a.value]); });
		large = large * T(8);
		unroll<L::D*(L::D - 1) / 2>([&](auto k) LBM_LAMBDA {
			R& s = m.s[L::D + k.value];
			s = s + (s - ((s + large) - large));
		});
	}
}

// velocityOf computes the velocity of moments.
template <class L, class R> LBM_HD LBM_INLINE void velocityOf(const Moments<L, R>& m, R* u) {
	const R inv = reciprocal(typename Scalar<R>::type(1) + m.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = m.j[a.value] * inv; });
}

}}  // namespace lbm
#endif
