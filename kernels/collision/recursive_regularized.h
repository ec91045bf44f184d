// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     regularized collision with the third-order moments that the second-order ones imply.
// Equation: as regularized.h, and f* = w (rho + 3 c.j + 9/2 H2:S* + third order), a*_abc = u_a S*_bc + u_b S*_ac + u_c S*_ab - 2 rho u_a u_b u_c, u = j*/rho
// Source:   Malaspinas, arXiv:1505.06900 (2015); Coreixas et al., Phys. Rev. E 96 (2017) 033306; D3Q19: Jacob, Malaspinas & Sagaut, J. Turbul. 19 (2018) 1051
// Storage:  the moments rho, j and S, as regularized.h
// Limits:   D2Q9 carries xxy and xyy, D3Q27 all but aaa, D3Q19 all but aaa and xyz; walls as in regularized.h
#ifndef LBM_RECURSIVE_REGULARIZED_H
#define LBM_RECURSIVE_REGULARIZED_H
#include "../closure.h"

namespace lbm { namespace {

struct RecursiveRegularized : Closure<false> {
	template <class L, class R> LBM_HD static LBM_INLINE Expansion<L, R> expand(const Moments<L, R>& m) {
		using T = typename Scalar<R>::type;
		constexpr T third = T(1) / T(3);
		Expansion<L, R> x;
		ThirdOrder<L, R> order(x, m);
		squares(x, m);
		if constexpr (L::Q == 27)
			unroll<3>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value, B = A == 0, C = A == 2 ? 1 : 2, P = Expansion<L, R>::place(A), Q = Expansion<L, R>::place(B) + Expansion<L, R>::place(C);
				x.e[2 * P + Q] = m.s[L::pair(B, C)] * third;
				x.e[P + 2 * Q] = (x.template of<A, 1, B, 2>() + x.template of<A, 1, C, 2>()) * third - m.j[A] * (third * third);
			});
		return x;
	}
};

}}  // namespace lbm
#endif
