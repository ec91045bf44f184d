// What:     regularized collision: only the moments up to second order survive.
// Equation: S* = (1-omega) S + omega rho u u + (1-omega/2)(u F + F u), j* = j + F, u = (j + F/2)/rho
// Source:   Latt & Chopard, Math. Comput. Simul. 72 (2006) 165; force: Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308
// Storage:  the moments themselves: Gounley, Vardhan, Draeger et al., IEEE TPDS 33 (2022) 2799
// Limits:   Ma << 1; a straight half-way wall is exact at tau = 0.875 only (Lambda = (tau-1/2)/2)
#ifndef LBM_REGULARIZED_H
#define LBM_REGULARIZED_H
#include "../expansion.h"
#include "../local.h"

namespace lbm { namespace {

struct Regularized {
	static constexpr bool OWN_BULK = false;  // collide gives the trace of the stress a rate of its own

	template <class L, class R> LBM_HD static LBM_INLINE Expansion<L, R> expand(const Moments<L, R>& m) { return secondOrder(m); }

	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) { relax<false>(m, p); }

	// relax is the collision at the same rates everywhere; BULK: the trace has its own (local.h).
	template <bool BULK, class L, class R>
	LBM_HD static LBM_INLINE void relax(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
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
	}

	template <class V, class L, class R, class... E>
	LBM_HD static LBM_INLINE void local(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p, const E&... mine) { Local<V, L, R>(m, p, mine...).collide(m, p); }
};

}}  // namespace lbm
#endif
