// Moments of a cell and the way back to populations. Both are deviations from
// rest: populations f_i - w_i, and
//   r = rho - 1,  j = sum f c,  S = sum f (c c - delta/3)
// so that a fluid at rest is all zeros and small flows keep their digits.
#ifndef LBM_MOMENTS_H
#define LBM_MOMENTS_H
#include "direction.h"

namespace lbm { namespace {

template <class L, class R> struct Moments {
	R r;
	R j[L::D];
	R s[L::D * (L::D + 1) / 2];  // xx, yy, (zz,) xy, (xz, yz)
};

// stressPart is 3/2 of the smallest weight, 1/UNIT, for the terms of S. S brings no mass,
// because 3/2 tr S in all directions is 9/2 S_aa in those along a. In float32 that takes
// some care, or mass drifts at every step in the same sense:
// - the constants have to be as 1 to 3 to the last bit: adding a power of two takes the
//   bits from it that three times it has no room for;
// - the bits of 1/24 have a period of two, so that products with it are rounded up more
//   often than down. A few last places more, 3e-6 of it, break the period.
template <class T, int UNIT> LBM_HD constexpr T stressPart() {
	T whole = T(1.5) / T(UNIT), room = T(1);
	while (room / T(4) >= whole) room = room / T(2);
	T last = T(1) - T(3) * (T(4) / T(3) - T(1));  // 2^-23 or 2^-52, with a sign
	last = (last < T(0) ? -last : last) * room;
	return (whole + room) - room + T(9) * last;
}

// Hermite is the second-order Hermite expansion of the populations,
//   f_i - w_i = w_i (r + 3 c.j + 9/2 (c c - delta/3) : S)
// (Grad; Shan, Yuan & Chen, J. Fluid Mech. 550 (2006) 413), with the terms that
// directions share computed once. All terms carry the smallest weight, 1/UNIT.
template <class L, class R> struct Hermite {
	using T = typename Scalar<R>::type;
	R even;      // r - 3/2 tr S
	R odd[L::D];  // 3 j
	R s[L::D * (L::D + 1) / 2];  // 9/2 S_aa and 9 S_ab

	LBM_HD LBM_INLINE explicit Hermite(const Moments<L, R>& m) {
		constexpr T unit = T(1) / T(L::UNIT);
		constexpr T part = stressPart<T, L::UNIT>();
		static_assert(T(3) * part - part == part + part, "three times it is rounded");
		R trace = m.s[0] + m.s[1];
		if constexpr (L::D == 3) trace = trace + m.s[2];
		even = m.r * unit - trace * part;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			odd[a.value] = m.j[a.value] * (T(3) * unit);
			s[a.value] = m.s[a.value] * (T(3) * part);
		});
		unroll<L::D * (L::D - 1) / 2>([&](auto k) LBM_LAMBDA {
			s[L::D + k.value] = m.s[L::D + k.value] * (T(9) * unit);
		});
	}

	// The population of direction I. Opposite directions share all but one
	// addition; the compiler finds that when both are asked for.
	template <int I> LBM_HD LBM_INLINE R population() const {
		constexpr int P = I < L::opposite(I) ? L::opposite(I) : I;  // the one of the pair whose last non-zero c is +1
		R e = even;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			if constexpr (L::c(P, a.value) != 0) e = e + s[a.value];
		});
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, sign = L::c(P, A) * L::c(P, B);
				if constexpr (sign > 0) e = e + s[L::pair(A, B)];
				if constexpr (sign < 0) e = e - s[L::pair(A, B)];
			});
		});
		if constexpr (I != L::opposite(I)) {
			R o = along<L, P>(odd);
			e = I == P ? e + o : e - o;
		}
		if constexpr (L::share(I) != 1) e = e * T(L::share(I));
		return e;
	}
};

// addPopulation adds population f of direction I to the plain moments
// r, j, sum f c c where mask says so.
template <int I, class L, class R, class Mask>
LBM_HD LBM_INLINE void addPopulation(Moments<L, R>& m, const R& f, const Mask& mask) {
	m.r = select(mask, m.r + f, m.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value, c = L::c(I, A);
		if constexpr (c > 0) m.j[A] = select(mask, m.j[A] + f, m.j[A]);
		if constexpr (c < 0) m.j[A] = select(mask, m.j[A] - f, m.j[A]);
		if constexpr (c != 0) m.s[A] = select(mask, m.s[A] + f, m.s[A]);
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value, sign = L::c(I, A) * L::c(I, B), k = L::pair(A, B);
			if constexpr (sign > 0) m.s[k] = select(mask, m.s[k] + f, m.s[k]);
			if constexpr (sign < 0) m.s[k] = select(mask, m.s[k] - f, m.s[k]);
		});
	});
}

// removeTrace turns sum f c c into S = sum f (c c - delta/3).
template <class L, class R> LBM_HD LBM_INLINE void removeTrace(Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	R third = m.r * (T(1) / T(3));
	unroll<L::D>([&](auto a) LBM_LAMBDA { m.s[a.value] = m.s[a.value] - third; });
}

}}  // namespace lbm
#endif
