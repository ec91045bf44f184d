// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// P of cells with individual relaxation times on two levels of a refined grid (levels.h). In P = -2/3 rho (tau - 1) e, tau
// follows from the cell's strain rate e by the law of each level. As with a uniform relaxation time P is rescaled, or
// computed from e where either tau is near 1. In between, where min(|tau - 1|) is up to LEVEL_RAMP above LEVEL_NEAR, P
// blends the two, so that it is continuous in e. The same holds for the flux q = -1/3 rho (tau_s - 1) grad theta of a
// scalar with eddy diffusivity.
#ifndef LBM_LEVEL_LAWS_H
#define LBM_LEVEL_LAWS_H
#include "level_lists.h"
#include "params.h"
#include "viscosity/newtonian.h"
#include "viscosity/smagorinsky.h"
#include "viscosity/wale.h"

namespace lbm { namespace {

constexpr double LEVEL_NEAR = 0.05;  // lookup.nearOne
constexpr double LEVEL_RAMP = 0.1;   // float32 resolves tau - 1 to 1e-6 at 0.1, P to this times (tau' - 1)/(tau - 1)

// Change converts a part of P, its deviator or its trace, to the other level: factors of the part and of the strain rate.
// For a scalar's flux: factors of the flux and of the gradient.
template <class R> struct Change { R scale, strain; };
// Changes holds the changes of P's deviator and of a scalar's flux.
template <class R> struct Changes { Change<R> shear, flux; };

// changeBy returns the change of a moment proportional to tau - 1 and to rates in cells of its level, from one level to another
// whose cells are width times as wide.
template <class R, class T> LBM_HD LBM_INLINE Change<R> changeBy(const R& from, const R& to, const T& width, const T& number) {
	const R none{}, one = none + T(1);
	const R a = select(from < none, none - from, from), b = select(to < none, none - to, to);
	R share = (select(a < b, a, b) - T(LEVEL_NEAR)) * T(1 / LEVEL_RAMP);
	share = select(share < none, none, select(share > one, one, share));
	return {share * to * reciprocal(select(a < T(LEVEL_NEAR), one, from)) * width, (one - share) * to * number};
}

// OwnTimes computes the relaxation times on both levels by law V, of a velocity gradient g[D a + b] = du_a/dx_b in cells of the level
// to, which are width times as wide as cells of the level from.
template <class V, int D, class R> struct OwnTimes {
	using T = typename Scalar<R>::type;
	R from, to;
	LBM_HD LBM_INLINE OwnTimes(const R* g, const T& width, const Params<T>& there, const Params<T>& here) {
		R third = g[0], square{};
		unroll<D - 1>([&](auto a) LBM_LAMBDA { third = third + g[(D + 1) * (a.value + 1)]; });
		third = third * (T(1) / T(D));
		unroll<D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const R normal = g[(D + 1) * A] - third;
			square = square + T(2) * normal * normal;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value;
				const R shear = g[D * A + B] + g[D * B + A];
				square = square + shear * shear;
			});
		});
		const R rate = squareRoot(square);
		from = V::tau(rate * (T(1) / width), there);
		to = V::tau(rate, here);
	}
};
template <int D, class R> struct OwnTimes<Wale, D, R> {
	using T = typename Scalar<R>::type;
	R from, to;
	LBM_HD LBM_INLINE OwnTimes(const R* g, const T& width, const Params<T>& there, const Params<T>& here) {
		const R eddies = Wale::eddies<D>(g, here);  // in cells of the level to, as the gradient
		from = eddies * (T(1) / width) + there.law[0];
		to = eddies + here.law[0];
	}
};

// CARRIES_LESS: laws whose eddy viscosity acts on a scalar only up to tau = (1 + tau0)/2 (risenBy of scalar.h).
template <class V> constexpr bool CARRIES_LESS = false;
template <> constexpr bool CARRIES_LESS<Smagorinsky> = true;

// changesBy sets the conversion of the deviator of P to the other level, by law V, and of a scalar's flux with eddy
// diffusivity.
template <class V, int D, class R> LBM_HD LBM_INLINE void changesBy(const lbm_conversion& c, const R* gradient, Changes<R>& changes) {
	using T = typename Scalar<R>::type;
	Params<T> there, here;
	for (int k = 0; k < 4; k++) there.law[k] = T(c.lawFrom[k]), here.law[k] = T(c.lawTo[k]);
	const OwnTimes<V, D, R> tau(gradient, T(c.width), there, here);
	const R one = R{} + T(1);
	changes.shear = changeBy(tau.from - one, tau.to - one, T(c.width), T(-2. / 3));
	if (c.scalarFrom[1] == 0 && c.scalarTo[1] == 0) return;
	R from = tau.from, to = tau.to;
	if constexpr (CARRIES_LESS<V>) {
		const R mostFrom = R{} + (T(0.5) + there.law[0]), mostTo = R{} + (T(0.5) + here.law[0]); // law[0] is half of tau0
		from = select(from < mostFrom, from, mostFrom);
		to = select(to < mostTo, to, mostTo);
	}
	from = from * T(c.scalarFrom[1]) + T(c.scalarFrom[0] - 1);
	to = to * T(c.scalarTo[1]) + T(c.scalarTo[0] - 1);
	changes.flux = changeBy(from, to, T(c.width), T(-1. / 3));
}

// OneTime is the law of levels whose cells have one relaxation time.
struct OneTime {
	template <int D, class R> LBM_HD static LBM_INLINE void change(const lbm_conversion&, const R*, Changes<R>&) {}
};
// OwnLaw is law V.
template <class V> struct OwnLaw {
	template <int D, class R> LBM_HD static LBM_INLINE void change(const lbm_conversion& c, const R* gradient, Changes<R>& changes) {
		if (c.kind != 0) changesBy<V, D>(c, gradient, changes);
	}
};
template <> struct OwnLaw<Newtonian> : OneTime {};

}}  // namespace lbm
#endif
