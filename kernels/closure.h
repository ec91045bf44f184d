// What closures beyond the second order share: the third-order moments that those of
// second order imply,
//   E[a b^2] = j_a/3 + u_a S_bb + 2 u_b K_ab,   E[x y z] = u_x S_yz + u_y K_xz + u_z K_xy,
// with K = S_ab - rho u_a u_b: those of a normal distribution, and the recursion of
// regularized models (a*_abc = u_a S_bc + u_b S_ac + u_c S_ab - 2 rho u_a u_b u_c).
#ifndef LBM_CLOSURE_H
#define LBM_CLOSURE_H
#include "expansion.h"

namespace lbm { namespace {

template <class L, class R> struct ThirdOrder {
	using T = typename Scalar<R>::type;
	R inv, u[L::D];
	R k[L::D * (L::D + 1) / 2];  // K_ab, a and b different

	// The moments of x up to third order are set.
	LBM_HD LBM_INLINE ThirdOrder(Expansion<L, R>& x, const Moments<L, R>& m) {
		upToSecond(x, m);
		inv = reciprocal(T(1) + m.r);
		R twice[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			u[A] = m.j[A] * inv;
			twice[A] = u[A] + u[A];
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int ab = L::pair(A, decltype(b)::value);
				k[ab] = m.s[ab] - u[b.value] * m.j[A];
			});
		});
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const R j3 = m.j[A] * unevenThird<T>();
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value;
				if constexpr (A != B) x.template of<A, 1, B, 2>() = (j3 + u[A] * m.s[B]) + twice[B] * k[L::pair(A, B)];
			});
		});
		if constexpr (L::Q == 27) x.at(1, 1, 1) = (u[0] * m.s[L::pair(1, 2)] + u[1] * k[L::pair(0, 2)]) + u[2] * k[L::pair(0, 1)];
	}
};

}}  // namespace lbm
#endif
