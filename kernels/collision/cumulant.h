// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     cumulants of third and higher order vanish, the trace of the stress relaxes by itself.
// Equation: f* has the moments of a normal distribution: mean u = j*/rho, covariance delta/3 + k, k = S*/rho - u u, as far as the lattice carries them
// Source:   Geier, Schoenherr, Pasquali & Krafczyk, Comput. Math. Appl. 70 (2015) 507, all rates above second order 1
// Storage:  the moments rho, j and S
// Limits:   errors of order u^3 remain in compressed flow (aaa is on no lattice); walls as in regularized.h
#ifndef LBM_CUMULANT_H
#define LBM_CUMULANT_H
#include "../closure.h"

namespace lbm { namespace {

struct Cumulant : Closure<true> {
	// For numbers with a joint normal distribution E[a g] = u_a E[g] + sum k_ab E[dg/db]
	// (Isserlis, Biometrika 12 (1918) 134).
	template <class L, class R> LBM_HD static LBM_INLINE Expansion<L, R> expand(const Moments<L, R>& m) {
		using T = typename Scalar<R>::type;
		constexpr T third = T(1) / T(3), ninth = third * third;
		Expansion<L, R> x;
		const ThirdOrder<L, R> order(x, m);
		const R* const u = order.u;
		const R* const K = order.k;           // rho k_ab, a and b different
		R k[L::D * (L::D + 1) / 2], s[L::D];  // 2 k_ab; S_aa/rho
		const R twice = order.inv + order.inv;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			s[A] = m.s[A] * order.inv;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int ab = L::pair(A, decltype(b)::value);
				k[ab] = K[ab] * twice;
			});
		});
		const R rest = m.r * ninth;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				// E[a^2 b^2] = E[a^2] E[b^2]/rho + 2 K (k + 2 u_a u_b), less 1/9
				x.template of<A, 2, B, 2>() = ((rest + (m.s[A] + m.s[B]) * third) + s[A] * m.s[B]) + K[ab] * (k[ab] + u[A] * u[B] * T(4));
			});
		});
		if constexpr (L::Q == 27) {
			unroll<3>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value, B = A == 0, C = A == 2 ? 1 : 2;
				constexpr int P = Expansion<L, R>::place(A), Q = Expansion<L, R>::place(B) + Expansion<L, R>::place(C);
				constexpr int ab = L::pair(A, B), ac = L::pair(A, C), bc = L::pair(B, C);
				// E[a^2 b c] = E[a^2] E[b c] + 2 k_ab k_ac + 2 u_a (u_b k_ac + u_c k_ab)
				x.e[2 * P + Q] = (m.s[bc] * (third + s[A]) + K[ab] * k[ac]) + u[A] * T(2) * (u[B] * K[ac] + u[C] * K[ab]);
				// E[a b^2 c^2] = u_a E[b^2 c^2] + 2 k_ab E[b c^2] + 2 k_ac E[b^2 c]
				x.e[P + 2 * Q] = (u[A] * (x.e[2 * Q] + ninth) + k[ab] * x.template of<B, 1, C, 2>()) + k[ac] * x.template of<C, 1, B, 2>();
			});
			// E222 = u_x E122 + (1/3 + k_xx) E022 + 2 k_xy E112 + 2 k_xz E121, less 1/27
			const R yyzz = x.at(0, 2, 2);
			x.at(2, 2, 2) = (((u[0] * x.at(1, 2, 2) + yyzz * third) + (s[0] - u[0] * u[0]) * (yyzz + ninth)) + k[L::pair(0, 1)] * x.at(1, 1, 2)) +
			                k[L::pair(0, 2)] * x.at(1, 2, 1);
		}
		return x;
	}
};

}}  // namespace lbm
#endif
