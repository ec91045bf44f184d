// Populations that have given moments up to second order, and of higher order those
// that a closure derives from them. A lattice carries as many moments as it has
// velocities: of D2Q9 and D3Q27 all E[x^a y^b z^c] with exponents up to 2, of D3Q19 those
// without xyz. They are the populations' sums over opposite directions, so that
//   corner (D3Q27)  8 f = E222 + xy E112 + ... + (x E122 + ... + xyz E111)
//   diagonal        4 f = E220 - E222 + xy (E110 - E112) + x (E120 - E122) + y (E210 - E212)
//   axis            2 f = E200 - E220 - E202 + E222 + x (E100 - E120 - E102 + E122)
// with x, y, z the signs of the velocity. Here all are those of f - w, the deviations
// from rest; (x)(y)(z) with i from S, the second-order moments less rho/3.
#ifndef LBM_CLOSURE_H
#define LBM_CLOSURE_H
#include "moments.h"

namespace lbm { namespace {

template <class L, class R> struct Closure {
	using T = typename Scalar<R>::type;
	static constexpr int PAIRS = L::D * (L::D - 1) / 2;  // xy, (xz, yz)
	static constexpr bool CORNERS = L::Q == 27;
	R rest;
	R one[L::D], two[L::D], mixed[PAIRS], square[PAIRS];  // E100, E200; E110, E220 by pair
	R beside[L::D][L::D];                                 // [a][b]: E of a b^2
	R quad[3], five[3], six, xyz;                         // a^2 b c, a b^2 c^2, E222, E111: with corners

	// place of the pair of axes a and b; the third axis is 2 less that.
	LBM_HD static constexpr int place(int a, int b) { return a + b - 1; }

	template <int P> LBM_HD LBM_INLINE R even() const {
		constexpr int c[3] = {L::c(P, 0), L::c(P, 1), L::c(P, 2)};
		constexpr int norm = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
		if constexpr (norm == 0) {
			R e = rest;
			unroll<L::D>([&](auto a) LBM_LAMBDA { e = e - two[a.value]; });
			unroll<PAIRS>([&](auto k) LBM_LAMBDA { e = e + square[k.value]; });
			if constexpr (CORNERS) e = e - six;
			return e;
		} else if constexpr (norm == 1) {
			constexpr int A = c[0] ? 0 : c[1] ? 1 : 2;
			R e = two[A];
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				if constexpr (b.value != A) e = e - square[place(A, b.value)];
			});
			if constexpr (CORNERS) e = e + six;
			return e * T(0.5);
		} else if constexpr (norm == 2) {
			constexpr int A = c[0] ? 0 : 1, B = c[2] ? 2 : 1, k = place(A, B);
			R e = square[k], s = mixed[k];
			if constexpr (CORNERS) e = e - six, s = s - quad[2 - k];
			return (c[A] * c[B] > 0 ? e + s : e - s) * T(0.25);
		} else {
			constexpr int xy = c[0] * c[1], xz = c[0] * c[2], yz = c[1] * c[2];
			R e = six;
			e = xy > 0 ? e + quad[2] : e - quad[2];
			e = xz > 0 ? e + quad[1] : e - quad[1];
			e = yz > 0 ? e + quad[0] : e - quad[0];
			return e * T(0.125);
		}
	}
	template <int P> LBM_HD LBM_INLINE R odd() const {
		constexpr int c[3] = {L::c(P, 0), L::c(P, 1), L::c(P, 2)};
		constexpr int norm = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
		if constexpr (norm == 1) {
			constexpr int A = c[0] ? 0 : c[1] ? 1 : 2;
			static_assert(c[A] > 0, "give the direction with the larger index");
			R o = one[A];
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				if constexpr (b.value != A) o = o - beside[A][b.value];
			});
			if constexpr (CORNERS) o = o + five[A];
			return o * T(0.5);
		} else if constexpr (norm == 2) {
			constexpr int A = c[0] ? 0 : 1, B = c[2] ? 2 : 1;
			R a = beside[A][B], b = beside[B][A];
			if constexpr (CORNERS) a = a - five[A], b = b - five[B];
			static_assert(c[B] > 0, "give the direction with the larger index");
			return (c[A] > 0 ? b + a : b - a) * T(0.25);
		} else {
			static_assert(c[2] > 0, "give the direction with the larger index");
			R o = five[2];
			o = c[0] > 0 ? o + five[0] : o - five[0];
			o = c[1] > 0 ? o + five[1] : o - five[1];
			o = c[0] * c[1] > 0 ? o + xyz : o - xyz;
			return o * T(0.125);
		}
	}
	// fill makes the populations.
	LBM_HD LBM_INLINE void fill(R* f) const {
		unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value, P = L::opposite(N);
			const R e = even<P>(), o = odd<P>();
			f[P] = e + o;
			f[N] = e - o;
		});
		f[L::Q / 2] = even<L::Q / 2>();
	}

	// The moments up to third order, the same for all closures here:
	//   E[a b^2] = j_a/3 + u_a S_bb + 2 u_b (S_ab - rho u_a u_b)
	// which is E[a b^2] of a normal distribution, and the recursion of regularized models.
	R u[L::D], inv;
	LBM_HD LBM_INLINE explicit Closure(const Moments<L, R>& m) {
		constexpr T third = T(1) / T(3);
		inv = reciprocal(T(1) + m.r);
		rest = m.r;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			one[A] = m.j[A];
			two[A] = m.s[A] + m.r * third;
			u[A] = m.j[A] * inv;
		});
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value;
				if constexpr (A != B) {
					const R k = m.s[L::pair(A, B)] - u[A] * m.j[B];
					beside[A][B] = m.j[A] * third + u[A] * m.s[B] + (u[B] + u[B]) * k;
					if constexpr (A < B) mixed[place(A, B)] = m.s[L::pair(A, B)];
				}
			});
		});
		if constexpr (CORNERS) xyz = u[0] * m.s[L::pair(1, 2)] + u[1] * (m.s[L::pair(0, 2)] - u[0] * m.j[2]) + u[2] * (m.s[L::pair(0, 1)] - u[0] * m.j[1]);
	}
};

}}  // namespace lbm
#endif
