// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Populations from the moments that a lattice carries: as many as it has velocities, the
// raw moments E[x^a y^b z^c] with exponents up to 2 whose velocity (a > 0, b > 0, c > 0)
// exists. So D2Q9 and D3Q27 carry all of them, D3Q19 those in which one exponent is 0.
// Along each axis, with the exponents of the others kept,
//   2 f(+1) = E2 + E1,   2 f(-1) = E2 - E1,   f(0) = E0 - E2
// and the sum of the three is E0, their momentum E1, whatever E2 holds. So populations
// bring back mass, momentum and stress of the moments to rounding, without a constant
// that rounds: no moment drifts in float32 because weights do not add up exactly.
//
// Slice::triple returns the sums above, without the factors 1/2: each population times 2^n, n the
// number of non-zero components of its velocity. Code that adds them up halves the sums (an exact
// operation, part of a fused multiply-add on a GPU). each, population and any give f itself.
//
// Everything is a deviation from rest: the moments of f - w.
#ifndef LBM_EXPANSION_H
#define LBM_EXPANSION_H
#include "moments.h"

namespace lbm { namespace {

template <class L, class R> struct Expansion {
	using T = typename Scalar<R>::type;
	R e[27];  // by exponents, a + 3 b + 9 c; set only for moments that the lattice carries

	LBM_HD static constexpr bool carries(int a, int b, int c) { return L::find(a > 0, b > 0, c > 0) >= 0; }
	LBM_HD LBM_INLINE R& at(int a, int b, int c) { return e[a + 3 * b + 9 * c]; }
	LBM_HD LBM_INLINE const R& at(int a, int b, int c) const { return e[a + 3 * b + 9 * c]; }
	// of returns the moment with exponent N of axis A, and so on; the other exponents are 0.
	template <int A, int N> LBM_HD LBM_INLINE R& of() { return e[N * place(A)]; }
	template <int A, int N, int B, int M> LBM_HD LBM_INLINE R& of() { return e[N * place(A) + M * place(B)]; }
	LBM_HD static constexpr int place(int axis) { return axis == 0 ? 1 : axis == 1 ? 3 : 9; }

	// Triple holds the populations with given c_y and c_z, by c_x.
	struct Triple { R zero, plus, minus; };

	// Slice holds the partial sums shared by all populations with a given c_z.
	template <int CZ> struct Slice {
		R n[9];  // by exponents, a + 3 b

		LBM_HD static constexpr bool has(int a, int b) { return L::find(a > 0, b > 0, CZ) >= 0; }

		LBM_HD LBM_INLINE explicit Slice(const Expansion& m) {
			unroll<9>([&](auto i) LBM_LAMBDA {
				constexpr int A = decltype(i)::value % 3, B = decltype(i)::value / 3;
				if constexpr (has(A, B)) {
					if constexpr (CZ != 0) n[A + 3 * B] = CZ > 0 ? m.at(A, B, 2) + m.at(A, B, 1) : m.at(A, B, 2) - m.at(A, B, 1);
					else if constexpr (carries(A, B, 2)) n[A + 3 * B] = m.at(A, B, 0) - m.at(A, B, 2);
					else n[A + 3 * B] = m.at(A, B, 0);
				}
			});
		}
		// along returns the sum over c_x of c_x^A f.
		template <int A, int CY> LBM_HD LBM_INLINE R along() const {
			if constexpr (CY != 0) return CY > 0 ? n[A + 6] + n[A + 3] : n[A + 6] - n[A + 3];
			else if constexpr (has(A, 2)) return n[A] - n[A + 6];
			else return n[A];
		}
		template <int CY> LBM_HD LBM_INLINE Triple triple() const {
			const R m0 = along<0, CY>();
			if constexpr (L::find(1, CY, CZ) >= 0) {
				const R m1 = along<1, CY>(), m2 = along<2, CY>();
				return {m0 - m2, m2 + m1, m2 - m1};
			} else {
				return {m0, R{}, R{}};
			}
		}
	};

	// doublings returns n of direction i.
	LBM_HD static constexpr int doublings(int i) { return L::c(i, 0) * L::c(i, 0) + L::c(i, 1) * L::c(i, 1) + L::c(i, 2) * L::c(i, 2); }
	// share returns 2^-n.
	LBM_HD static constexpr T share(int i) { return T(1) / T(1 << doublings(i)); }

	// each calls take(Int<i>, f_i) for all populations, without the factors 2^n.
	template <class F> LBM_HD LBM_INLINE void each(F take) const {
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int z = L::D == 3 ? decltype(k)::value - 1 : 0;
			const Slice<z> slice(*this);
			unroll<3>([&](auto b) LBM_LAMBDA {
				constexpr int y = decltype(b)::value - 1;
				const Triple t = slice.template triple<y>();
				unroll<3>([&](auto a) LBM_LAMBDA {
					constexpr int x = decltype(a)::value - 1, I = L::find(x, y, z);
					if constexpr (I >= 0) {
						const R f = x == 0 ? t.zero : x > 0 ? t.plus : t.minus;
						if constexpr (doublings(I) > 0) take(Int<I>{}, f * share(I));
						else take(Int<I>{}, f);
					}
				});
			});
		});
	}

	// population returns the population of direction I, without the factor 2^n.
	template <int I> LBM_HD LBM_INLINE R population() const {
		constexpr int X = L::c(I, 0);
		const auto t = Slice<L::c(I, 2)>(*this).template triple<L::c(I, 1)>();
		return (X == 0 ? t.zero : X > 0 ? t.plus : t.minus) * share(I);
	}

	// any returns population i, known at run time only, without the factor 2^n.
	LBM_HD LBM_INLINE R any(int i) const {
#ifdef __CUDACC__
		R along[3][3];  // the factors of the exponents 0 to 2 along each axis, for c_x, c_y, c_z
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const int c = Known<L>::c(i, a.value);
			along[a.value][0] = R{} + T(c == 0 ? 1 : 0);
			along[a.value][1] = R{} + T(c) * T(0.5);
			along[a.value][2] = R{} + (c == 0 ? T(-1) : T(0.5));
		});
		R sum{};
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			R plane{};
			unroll<3>([&](auto b) LBM_LAMBDA {
				R row{};
				unroll<3>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value, B = decltype(b)::value, C = decltype(k)::value;
					if constexpr (carries(A, B, C)) row = row + along[0][A] * at(A, B, C);
				});
				plane = plane + along[1][b.value] * row;
			});
			if constexpr (L::D == 3) sum = sum + along[2][k.value] * plane;
			else sum = plane;
		});
		return sum;
#else
		// The same sums without the terms whose factor is 0, which change no bit of a finite number: the numbers are in memory and
		// have an index here, in the registers of a GPU they have none.
		int exponent[3][2] = {};
		T factor[3][2] = {{T(1)}, {T(1)}, {T(1)}};
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const int c = Known<L>::c(i, a.value);
			exponent[a.value][0] = c == 0 ? 0 : 1;
			exponent[a.value][1] = 2;
			factor[a.value][0] = c == 0 ? T(1) : T(c) * T(0.5);
			factor[a.value][1] = c == 0 ? T(-1) : T(0.5);
		});
		R sum{};
		unroll<L::D == 3 ? 2 : 1>([&](auto k) LBM_LAMBDA {
			R plane{};
			unroll<2>([&](auto b) LBM_LAMBDA {
				R row{};
				unroll<2>([&](auto a) LBM_LAMBDA {
					const int A = exponent[0][a.value], B = exponent[1][b.value], C = exponent[2][k.value];
					if (L::D == 2 || L::Q == 27 || A * B * C == 0) row = row + factor[0][a.value] * e[A + 3 * B + 9 * C];
				});
				plane = plane + factor[1][b.value] * row;
			});
			if constexpr (L::D == 3) sum = sum + factor[2][k.value] * plane;
			else sum = plane;
		});
		return sum;
#endif
	}

	// list writes all populations to a list, with the bits of any.
	LBM_HD LBM_INLINE void list(R* to) const {
		constexpr int depth = L::D == 3 ? 3 : 1;
		R rows[27], planes[27];  // by c_x + 1 instead of the exponent of x; planes also by c_y + 1 instead of the exponent of y
		unroll<3 * depth>([&](auto i) LBM_LAMBDA {
			constexpr int B = decltype(i)::value % 3, C = decltype(i)::value / 3, at = 3 * B + 9 * C;
			unroll<3>([&](auto x) LBM_LAMBDA {
				rows[x.value + at] = term<decltype(x)::value - 1, carries(0, B, C), carries(1, B, C), carries(2, B, C)>(e[at], e[1 + at], e[2 + at]);
			});
		});
		unroll<3 * depth>([&](auto i) LBM_LAMBDA {
			constexpr int X = decltype(i)::value % 3, C = decltype(i)::value / 3, at = X + 9 * C;
			unroll<3>([&](auto y) LBM_LAMBDA { planes[3 * y.value + at] = term<decltype(y)::value - 1, true, true, true>(rows[at], rows[3 + at], rows[6 + at]); });
		});
		unroll<9>([&](auto i) LBM_LAMBDA {
			constexpr int X = decltype(i)::value % 3 - 1, Y = decltype(i)::value / 3 - 1, at = decltype(i)::value;
			unroll<depth>([&](auto k) LBM_LAMBDA {
				constexpr int Z = L::D == 3 ? decltype(k)::value - 1 : 0, I = L::find(X, Y, Z);
				if constexpr (I >= 0 && L::D == 3) to[I] = term<Z, true, true, true>(planes[at], planes[9 + at], planes[18 + at]);
				else if constexpr (I >= 0) to[I] = planes[at];
			});
		});
	}
	// term returns a sum of any along an axis, for velocity C there; of exponents 0 to 2 those that the lattice carries.
	template <int C, bool ZERO, bool ONE, bool TWO> LBM_HD LBM_INLINE static R term(const R& zero, const R& one, const R& two) {
		R sum{};
		if constexpr (C == 0 && ZERO) sum = sum + zero;
		if constexpr (C == 0 && TWO) sum = sum - two;
		if constexpr (C != 0 && ONE) sum = C > 0 ? sum + T(0.5) * one : sum - T(0.5) * one;
		if constexpr (C != 0 && TWO) sum = sum + T(0.5) * two;
		return sum;
	}
};

// upToSecond sets the moments up to second order: S has them less rho/3.
template <class L, class R> LBM_HD LBM_INLINE void upToSecond(Expansion<L, R>& x, const Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	x.e[0] = m.r;
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		x.template of<A, 1>() = m.j[A];
		x.template of<A, 2>() = m.s[A] + m.r * (T(1) / T(3));
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			x.template of<A, 1, B, 1>() = m.s[L::pair(A, B)];
		});
	});
}

// squares sets E[a^2 b^2], and E222 of corners, where Hermite moments of fourth and sixth
// order vanish.
template <class L, class R> LBM_HD LBM_INLINE void squares(Expansion<L, R>& x, const Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	constexpr T third = T(1) / T(3);
	const R ninth = m.r * (third * third);
	if constexpr (L::D == 2) {
		x.at(2, 2, 0) = ninth + (m.s[0] + m.s[1]) * third;
	} else {
		const R trace = m.s[0] + m.s[1] + m.s[2], all = ninth + trace * third;
		constexpr T part = L::Q == 19 ? T(0.5) : third;
		unroll<3>([&](auto a) LBM_LAMBDA { x.e[2 * (13 - Expansion<L, R>::place(a.value))] = all - m.s[a.value] * part; });
		if constexpr (L::Q == 27) x.at(2, 2, 2) = (ninth + trace * third) * third;
	}
}

// unevenThird returns 1/3 but for a few last places, 3e-6 of it in float32, for E[a b^2] = j_a/3 of
// second order. The bits of 1/3 have a period, and the rest of j_a after subtracting it twice would
// be rounded down more often than up: momentum would decay by 1e-8 of itself per step. The
// populations that this shifts carry no momentum.
template <class T> LBM_HD constexpr T unevenThird() {
	T last = T(1) - T(3) * (T(4) / T(3) - T(1));  // 2^-23 or 2^-52, with a sign
	return T(1) / T(3) + (last < T(0) ? -last : last) * T(9);
}

// secondOrder returns the Hermite expansion of the moments, f - w = w (r + 3 c.j + 9/2 (c c -
// delta/3) : S) (Grad; Shan, Yuan & Chen, J. Fluid Mech. 550 (2006) 413): Hermite moments above
// second order vanish. On D3Q19 fourth-order moments are not orthogonal to second-order ones; hence
// the third axis in E[a^2 b^2].
template <class L, class R> LBM_HD LBM_INLINE Expansion<L, R> secondOrder(const Moments<L, R>& m) {
	using T = typename Scalar<R>::type;
	constexpr T third = T(1) / T(3);
	Expansion<L, R> x;
	upToSecond(x, m);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const R j3 = m.j[A] * unevenThird<T>();
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			if constexpr (A != B) x.template of<A, 1, B, 2>() = j3;
		});
	});
	squares(x, m);
	if constexpr (L::Q == 27) {
		const R zero{};
		x.at(1, 1, 1) = zero;
		unroll<3>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value, B = A == 0, C = A == 2 ? 1 : 2, P = Expansion<L, R>::place(A), Q = Expansion<L, R>::place(B) + Expansion<L, R>::place(C);
			x.e[2 * P + Q] = m.s[L::pair(B, C)] * third;
			x.e[P + 2 * Q] = m.j[A] * (third * third);
		});
	}
	return x;
}

}}  // namespace lbm
#endif
