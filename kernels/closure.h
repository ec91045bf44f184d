// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of closures. All collide alike, up to second order; they differ in the moments above. Closures beyond second
// order also share the third-order moments that second order implies,
//   E[a b^2] = j_a/3 + u_a S_bb + 2 u_b K_ab,   E[x y z] = u_x S_yz + u_y K_xz + u_z K_xy,
// with K = S_ab - rho u_a u_b: the moments of a normal distribution, and the recursion of
// regularized models (a*_abc = u_a S_bc + u_b S_ac + u_c S_ab - 2 rho u_a u_b u_c).
#ifndef LBM_CLOSURE_H
#define LBM_CLOSURE_H
#include "expansion.h"
#include "local.h"

namespace lbm { namespace {

// Closure is the collision of moments up to second order,
//   S* = (1-omega) S + omega rho u u + (1-omega/2)(u F + F u),  j* = j + F,  u = (j + F/2)/rho.
// BULK: the trace of the stress relaxes at a separate rate, whatever the viscosity law (local.h).
template <bool BULK> struct Closure {
	static constexpr bool OWN_BULK = BULK;

	// collide relaxes at the same rates everywhere.
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		R inv = reciprocal(T(1) + m.r);
		R u[L::D], k[L::D], trace{};  // S* = (1-omega) S + u k + k u
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			R rhou = m.j[A] + T(0.5) * p.force[A];
			u[A] = rhou * inv;
			k[A] = rhou * (T(0.5) * p.omega) + (T(1) - T(0.5) * p.omega) * p.force[A];
			if constexpr (BULK) trace = (A == 0 ? m.s[A] : trace + m.s[A]) - u[A] * (rhou - p.force[A]);
			m.j[A] = m.j[A] + p.force[A];
		});
		T keep = T(1) - p.omega;
		if constexpr (BULK) trace = trace * ((p.omega - p.omegaBulk) * (T(1) / T(L::D)));
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			if constexpr (BULK) m.s[A] = (m.s[A] * keep + trace) + u[A] * (k[A] + k[A]);
			else m.s[A] = m.s[A] * keep + u[A] * (k[A] + k[A]);
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				m.s[ab] = m.s[ab] * keep + (u[A] * k[B] + u[B] * k[A]);
			});
		});
		ditherStress(m);
	}

	// local relaxes at the cells' own rates, by the viscosity law V.
	template <class V, class L, class R, class... E>
	LBM_HD static LBM_INLINE void local(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p, const E&... mine) { Local<V, L, R>(m, p, mine...).collide(m, p); }
};

template <class L, class R> struct ThirdOrder {
	using T = typename Scalar<R>::type;
	R inv, u[L::D];
	R k[L::D * (L::D + 1) / 2];  // K_ab, a and b different

	// Sets the moments of x up to third order.
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
