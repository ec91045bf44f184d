// What the collision of populations adds: equilibrium and force in one.
// With u = (j + F/2)/rho, the second-order equilibrium relaxed at omega+ (even
// part) and omega- (odd part) and Guo's source with its factors 1 - omega/2
// (Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308) are together
//   even_i = w_i (omega+ r + (c.u)(c.G) - u.G/3),  G = 9/2 omega+ rho u + 9 (1-omega+/2) F
//   odd_i  = w_i c.H,                              H = 3 (omega- j + F)
// (expand both sides in u and F to see it), so a force costs next to nothing.
#ifndef LBM_POPULATIONS_H
#define LBM_POPULATIONS_H
#include "direction.h"

namespace lbm { namespace {

// sumMoments gives r and j of populations f, in a fixed order of additions.
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

template <class L, class R> struct Gain {
	using T = typename Scalar<R>::type;
	// 3 u, G/3, H and what all directions share; the last three carry the smallest
	// weight, 1/UNIT. The 3 stands with u, because u.G/3 of all directions is (c.u)(c.G) of
	// those along an axis: no mass comes of it unless 1/3 is a rounded constant.
	R u[L::D], g[L::D], h[L::D], base;

	// The rates are numbers, or the cells' own: O is T or R.
	template <class O> LBM_HD LBM_INLINE Gain(const R* f, const O& plus, const O& minus, const T* force) {
		constexpr T unit = T(1) / T(L::UNIT);
		R r, j[L::D];
		sumMoments<L>(f, r, j);
		R inv = reciprocal(T(1) + r);
		base = r * (plus * unit);
		R ug{};
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			R rhou = j[A] + T(0.5) * force[A], one = rhou * inv;
			u[A] = one * T(3);
			g[A] = rhou * (T(1.5) * unit * plus) + T(3) * unit * (T(1) - T(0.5) * plus) * force[A];
			h[A] = j[A] * (T(3) * unit * minus) + T(3) * unit * force[A];
			ug = ug + one * g[A];
		});
		base = base - ug;
	}

	template <int P> LBM_HD LBM_INLINE R even() const {
		R e = base;
		if constexpr (P != L::opposite(P)) e = e + along<L, P>(u) * along<L, P>(g);
		if constexpr (L::share(P) != 1) e = e * T(L::share(P));
		return e;
	}
	template <int P> LBM_HD LBM_INLINE R odd() const {
		R o = along<L, P>(h);
		if constexpr (L::share(P) != 1) o = o * T(L::share(P));
		return o;
	}
};

}}  // namespace lbm
#endif
