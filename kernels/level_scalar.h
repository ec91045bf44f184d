// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// A scalar (scalar.h) between two levels of a refined grid (levels.h). Its value is interpolated like the velocity, and its flux
// q = -1/3 rho (tau - 1) grad theta like P: rescaled, or from differences of the value where tau of either level is near
// 1. With eddy diffusivity, tau differs per cell (level_laws.h). The flux through a face is the mass times the value of its
// source cell, plus diffusion.
#ifndef LBM_LEVEL_SCALAR_H
#define LBM_LEVEL_SCALAR_H
#include "level_laws.h"
#include "scalar.h"

namespace lbm { namespace {

// Kinds of lbm_carrier (boundary.Carried and so on). A population that passes a face carries theta f with the flow; the rest is
// diffusion.
enum {
	LEVEL_CARRIED,    // all of a cell's population; of a ghost cell behind a slip face, by the mirror image's flux
	LEVEL_ENTERS,     // theta (w + f): from beyond an open face
	LEVEL_REFLECTED,  // the rest, with the value at rest: off a wall
	LEVEL_SLIDES,     // the rest: off a slip face
	LEVEL_GAINED      // theta f, with f added by a moving wall or sent by the ghost cell of a wall with a model
};

// LevelScalar is theta and q of one cell or a vector of them.
template <class L, class R> struct LevelScalar {
	using T = typename Scalar<R>::type;
	R theta, q[L::D];

	// of reads number k by get(Int<k>).
	template <class GET> LBM_HD LBM_INLINE static LevelScalar of(GET get) {
		LevelScalar v;
		v.theta = get(Int<0>{});
		unroll<L::D>([&](auto a) LBM_LAMBDA { v.q[a.value] = get(Int<1 + decltype(a)::value>{}); });
		return v;
	}
	// each calls f(k, v) for the numbers.
	template <class F> LBM_HD LBM_INLINE void each(F f) const {
		f(0, theta);
		unroll<L::D>([&](auto a) LBM_LAMBDA { f(1 + a.value, q[a.value]); });
	}
	// convert converts q to the other level, by the gradient of theta in its cells.
	LBM_HD LBM_INLINE void convert(const Change<R>& flux, const R& r, const R* gradient) {
		const R slope = (T(1) + r) * flux.strain;
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = q[a.value] * flux.scale + slope * gradient[a.value]; });
	}
};

// extrapolateScalar writes the scalar of a cell beyond an end of the domain: its value by a parabola, its flux linearly.
template <class L, class T> LBM_HD LBM_INLINE void extrapolateScalar(const T* first, const T* second, const T* third, T* to) {
	to[0] = T(3) * (first[0] - second[0]) + third[0];
	unroll<L::D>([&](auto a) LBM_LAMBDA { to[1 + a.value] = first[1 + a.value] + (first[1 + a.value] - second[1 + a.value]); });
}

// ScalarParabola is the Parabola of a scalar; at(Int<k>) returns the numbers of cell k of Around.
template <class L, class T, class Around> struct ScalarParabola {
	LevelScalar<L, T> mid, slope[L::D];
	T bend[L::D], mixed[L::D][L::D];  // mixed of the larger axis first

	template <class AT> LBM_HD LBM_INLINE explicit ScalarParabola(AT at) {
		const T* const own = at(Int<Around::Q / 2>{});
		mid = LevelScalar<L, T>::of([&](auto k) LBM_LAMBDA { return own[k.value]; });
		unroll<L::D>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value, HI = Around::find(X == 0, X == 1, X == 2);
			const T *const hi = at(Int<HI>{}), *const lo = at(Int<Around::opposite(HI)>{});
			slope[X] = LevelScalar<L, T>::of([&](auto k) LBM_LAMBDA { return hi[k.value] - lo[k.value]; });
			bend[X] = (hi[0] - mid.theta) - (mid.theta - lo[0]);
			unroll<X>([&](auto y) LBM_LAMBDA {
				constexpr int Y = decltype(y)::value;
				constexpr int SAME = Around::find(X == 0 || Y == 0, X == 1 || Y == 1, X == 2 || Y == 2);
				constexpr int MIXED = Around::find(Y == 0, Y == 1 ? 1 : X == 1 ? -1 : 0, X == 2 ? -1 : 0);
				mixed[X][Y] = (at(Int<SAME>{})[0] - at(Int<MIXED>{})[0]) - (at(Int<Around::opposite(MIXED)>{})[0] - at(Int<Around::opposite(SAME)>{})[0]);
			});
		});
	}

	// child returns the scalar of the child on these sides, whose density is 1 + r.
	template <class R> LBM_HD LBM_INLINE LevelScalar<L, R> child(const R* side, const Change<R>& flux, const R& r) const {
		LevelScalar<L, R> out;
		R gradient[L::D];  // at the child, in its cells
		out.theta = R{} + mid.theta;
		unroll<L::D>([&](auto a) LBM_LAMBDA { out.q[a.value] = R{} + mid.q[a.value]; });
		unroll<L::D>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value;
			const R eighth = side[X] * T(0.125);
			out.theta = out.theta + eighth * slope[X].theta;
			unroll<L::D>([&](auto a) LBM_LAMBDA { out.q[a.value] = out.q[a.value] + eighth * slope[X].q[a.value]; });
			gradient[X] = T(0.25) * slope[X].theta + eighth * bend[X];
		});
		unroll<L::D>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value;
			unroll<X>([&](auto y) LBM_LAMBDA {
				constexpr int Y = decltype(y)::value;
				const R along = side[Y] * (T(1.0 / 32) * mixed[X][Y]), across = side[X] * (T(1.0 / 32) * mixed[X][Y]);
				out.theta = out.theta + T(0.5) * side[X] * along;
				gradient[Y] = gradient[Y] + across;
				gradient[X] = gradient[X] + along;
			});
		});
		out.convert(flux, r, gradient);
		return out;
	}
};

// ScalarParent adds up the children of a mirror cell, in their order.
template <class L, class R> struct ScalarParent {
	using T = typename Scalar<R>::type;
	R heat{}, q[L::D]{}, gradient[L::D]{};  // gradient in cells of the coarser level

	template <int K> LBM_HD LBM_INLINE void add(const LevelScalar<L, R>& v, const R& r) {
		heat = heat + (T(1) + r) * v.theta;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			q[a.value] = q[a.value] + v.q[a.value];
			gradient[a.value] = K >> decltype(a)::value & 1 ? gradient[a.value] + v.theta : gradient[a.value] - v.theta;
		});
	}
	// mean returns the scalar of the mirror cell, whose density is 1 + r.
	LBM_HD LBM_INLINE LevelScalar<L, R> mean(const Change<R>& flux, const R& r) const {
		constexpr T share = T(1) / T(1 << L::D);
		LevelScalar<L, R> v;
		R slope[L::D];
		v.theta = heat * share * reciprocal(T(1) + r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { v.q[a.value] = q[a.value] * share, slope[a.value] = gradient[a.value] * (T(4) * share); });
		v.convert(flux, r, slope);
		return v;
	}
};

// passing returns the amount of a scalar that passes with population i, whose deviation is f (LEVEL_GAINED: the added part),
// with the flux in direction way. of belongs to the cell that carries it.
template <class L, class R> LBM_HD LBM_INLINE R passing(const Carrier<L, R>& of, int kind, int i, int way, const R& f) {
	using T = typename Scalar<R>::type;
	switch (kind) {
	case LEVEL_ENTERS: return of.theta * (f + weightOf<L, T>(i));
	case LEVEL_REFLECTED: return of.population(way, R{});
	case LEVEL_SLIDES: return of.population(way, R{}) - of.theta * weightOf<L, T>(way);
	case LEVEL_GAINED: return of.theta * f;
	}
	return of.population(way, f);
}

// turned returns direction i with the components along some axes, a bit each, reversed.
template <class L> LBM_HD LBM_INLINE int turned(int i, int axes) {
	int c[3] = {Known<L>::c(i, 0), Known<L>::c(i, 1), Known<L>::c(i, 2)};
	for (int a = 0; a < 3; a++)
		if (axes >> a & 1) c[a] = -c[a];
	return Known<L>::find(c[0], c[1], c[2]);
}

}}  // namespace lbm
#endif
