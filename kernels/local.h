// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Cells with individual relaxation rates: the rates follow from the non-equilibrium stress, which the cell knows before it
// collides,
//   Pi = S - rho u u + (u F + F u)/2 = -2/3 rho tau e
// with e the strain rate (Chapman-Enskog; Krueger et al., The Lattice Boltzmann Method,
// Springer 2017, ch. 4 and 6), so that
//   tau |shear rate| = tau sqrt(2 e:e) = 3 |Pi| / (sqrt(2) rho).
// Only the traceless part of Pi counts: sound is not shear. The trace itself may relax at a separate rate, omega_b, which sets
// the bulk viscosity (Dellar, Phys. Rev. E 64 (2001) 031203). The collision is then, for every model,
//   S* = S + u F + F u - omega Pi + (omega - omega_b) (tr Pi / D) delta.
#ifndef LBM_LOCAL_H
#define LBM_LOCAL_H
#include "moments.h"
#include "params.h"
#include "populations.h"

namespace lbm { namespace {

// Local holds a cell's velocity, non-equilibrium stress and rate from the moments before the collision, by the law V.
template <class V, class L, class R> struct Local {
	using T = typename Scalar<R>::type;
	R u[L::D], pi[L::D * (L::D + 1) / 2];
	R omega, trace;  // trace is the contribution of the bulk viscosity to each S_aa

	// mine is the law's additional input of the cell beside its stress: nothing, or its eddy viscosity (viscosity/wale.h).
	template <class... E> LBM_HD LBM_INLINE Local(const Moments<L, R>& m, const Params<T>& p, const E&... mine) {
		const R inv = reciprocal(T(1) + m.r);
		R back[L::D], third{}, square{}, mixed{};  // Pi = S - (u back + back u)/2, back = j - F/2
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			u[A] = (m.j[A] + T(0.5) * p.force[A]) * inv;
			back[A] = m.j[A] - T(0.5) * p.force[A];
			pi[A] = m.s[A] - u[A] * back[A];
			third = A == 0 ? pi[A] : third + pi[A];
		});
		third = third * (T(1) / T(L::D));
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const R d = pi[A] - third;
			square = A == 0 ? d * d : square + d * d;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				pi[ab] = m.s[ab] - (u[A] * back[B] + u[B] * back[A]) * T(0.5);
				mixed = ab == L::D ? pi[ab] * pi[ab] : mixed + pi[ab] * pi[ab];
			});
		});
		const R sum = square + mixed * T(2);
		omega = V::omega(squareRoot(sum * T(4.5)) * inv, p, mine...);
		trace = (omega * p.ownBulk - p.omegaBulk) * third;
	}

	// collide turns m into the moments after the collision.
	LBM_HD LBM_INLINE void collide(Moments<L, R>& m, const Params<T>& p) const {
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			m.j[A] = m.j[A] + p.force[A];
			m.s[A] = m.s[A] - omega * pi[A] + (u[A] * (T(2) * p.force[A]) + trace);
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				m.s[ab] = m.s[ab] - omega * pi[ab] + (u[A] * p.force[B] + u[B] * p.force[A]);
			});
		});
		ditherStress(m);
	}
};

// entering returns the share of a face's inflow law for a cell with this inward velocity, boundary.Entering: the outflow law
// turns into the inflow law over 1/ENTERING, so that a velocity around 0 switches nothing.
enum { ENTERING = 100000 };
template <class R> LBM_HD LBM_INLINE R entering(const R& inwards) {
	using T = typename Scalar<R>::type;
	const R none{}, share = inwards * T(ENTERING), all = none + T(1);
	return select(share > all, all, select(share > none, share, none));
}

// momentsOf computes the moments of populations, in a fixed order of additions.
template <class L, class R> LBM_HD LBM_INLINE Moments<L, R> momentsOf(const R* f) {
	Moments<L, R> m;
	sumMoments<L>(f, m.r, m.j);
	unroll<L::D*(L::D + 1) / 2>([&](auto k) LBM_LAMBDA { m.s[k.value] = R{}; });
	unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
		constexpr int N = decltype(i)::value, P = L::opposite(N);
		const R sum = f[P] + f[N];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			if constexpr (L::c(P, A) != 0) m.s[A] = m.s[A] + sum;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, sign = L::c(P, A) * L::c(P, B), k = L::pair(A, B);
				if constexpr (sign > 0) m.s[k] = m.s[k] + sum;
				if constexpr (sign < 0) m.s[k] = m.s[k] - sum;
			});
		});
	});
	removeTrace(m);
	return m;
}

// momentsAt returns the moments of the cell whose component K is get(Int<K>).
template <class L, bool MOMENTS, class T, class GET> LBM_HD LBM_INLINE Moments<L, T> momentsAt(GET get) {
	if constexpr (MOMENTS) {
		Moments<L, T> m;
		m.r = get(Int<0>{});
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = get(Int<1 + decltype(a)::value>{}); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = get(Int<1 + L::D + decltype(k)::value>{}); });
		return m;
	} else {
		T f[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = get(i); });
		return momentsOf<L>(f);
	}
}

// gainOf for the cell's own rates, with the contribution of a bulk viscosity.
template <class V, class L, class R, class T>
LBM_HD LBM_INLINE Moments<L, R> gainOf(const Moments<L, R>& m, const Local<V, L, R>& own, const R& plus, const R& minus, const T* force) {
	Moments<L, R> g = gainOf<L>(m.r, m.j, plus, minus, force);
	unroll<L::D>([&](auto a) LBM_LAMBDA { g.s[a.value] = g.s[a.value] + own.trace; });
	return g;
}

// Varying is collision model C with rates by the law V, for either scheme.
template <class C, class V> struct Varying : C {
	template <class L, class R, class... E>
	LBM_HD static LBM_INLINE void collide(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p, const E&... mine) { C::template local<V, L>(m, p, mine...); }
	template <class L, class R, class... E>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p, const E&... mine) { C::template local<V, L>(f, p, mine...); }
};

struct Wale;
struct Layered;
// LooksAround reports whether a model needs the cells' eddy viscosity, which follows from their neighbours (viscosity/wale.h) or from
// ghost cells of a wall with a model (modelled.h).
template <class C> constexpr bool LooksAround = false;
template <class C> constexpr bool LooksAround<Varying<C, Wale>> = true;
template <class C> constexpr bool LooksAround<Varying<C, Layered>> = true;

}}  // namespace lbm
#endif
