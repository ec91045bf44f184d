// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Outflows correct the cells beside them after a step (boundary.Outlet). Along the
// axis of the face the incoming wave, W = r - u_n/c_s, gets the value that follows from the state
// before the step; the other wave, the tangential momentum and the non-equilibrium stress are
// unchanged.
#ifndef LBM_OUTFLOW_H
#define LBM_OUTFLOW_H
#include "face.h"
#include "layout.h"

namespace lbm { namespace {

// OutletCell is boundary.OutletCell; its row is numbered as in Layout.
struct OutletCell { int x; unsigned row, axes, rule; };
// Bits of axes, for each axis.
enum { OUTLET_IS = 1, OUTLET_HIGH = 2, OUTLET_INNER = 4, OUTLET_BITS = 3 };
// A rule is two numbers: share and aim of the relaxation.
enum { OUTLET_NUMBERS = 2 };

// least returns the smaller of two numbers of one sign, otherwise 0.
template <class T> LBM_HD LBM_INLINE T least(const T& a, const T& b) { return a > T(0) && b > T(0) ? (a < b ? a : b) : a < T(0) && b < T(0) ? (a > b ? a : b) : T(0); }

// Before holds the data of a cell before the step that an outflow needs: the density less 1 and the
// outward velocity.
template <class T> struct Before { T r, u; };

// wantedWave returns the new value of the incoming wave; inner is the next cell inwards, if that is
// fluid.
template <class T> LBM_HD LBM_INLINE T wantedWave(const Before<T>& old, bool fluid, const Before<T>& inner, const T& share, const T& aim) {
	constexpr T root3 = T(1.7320508075688772);
	T want = (old.r - root3 * old.u) + share * (aim - old.r);
	if (fluid && old.u > T(0)) {
		const T dr = old.r - inner.r, du = root3 * (inner.u - old.u);
		want = want - old.u * least(dr + du, du);
	}
	return want;
}

// Corrected holds the moments m of the cell after the step, corrected for that wave: n is 1 at the
// high end of axis A and -1 at the low one. T may be a vector.
template <int A, class L, class T> struct Corrected {
	T r, j;
	Moments<L, T> more;  // the corrected moments less m

	using N = typename Scalar<T>::type;
	LBM_HD LBM_INLINE Corrected(const Moments<L, T>& m, const N& n, const N& want) {
		constexpr N root3 = N(1.7320508075688772), cs = N(0.5773502691896258);
		const T u = m.j[A] * reciprocal(N(1) + m.r), half = N(0.5) * (want - (m.r - root3 * (n * u)));
		r = m.r + half;
		const T v = u - n * (cs * half);
		j = (N(1) + r) * v;
		more = Moments<L, T>{};
		more.r = half;
		more.j[A] = j - m.j[A];
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			more.s[L::pair(A, B)] = B == A ? j * v - m.j[A] * u : m.j[B] * (v - u);
		});
	}
};

// IN reads the state before the step: get<K>(x, row); OUT reads and writes the cell after it:
// get<K>() and put(Int<K>, v).
template <class L, bool MOMENTS, class T, class IN, class OUT> struct Outlet {
	const Layout& l;
	const OutletCell& cell;
	const T* const rule;
	const IN& in;
	OUT& out;

	LBM_HD LBM_INLINE Outlet(const Layout& l, const OutletCell& cell, const T* rules, const IN& in, OUT& out)
		: l(l), cell(cell), rule(rules + (long long)cell.rule * OUTLET_NUMBERS), in(in), out(out) {}

	LBM_HD LBM_APART Moments<L, T> before(int x, unsigned row) const {
		return momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return in.template get<decltype(k)::value>(x, row); });
	}
	// beside returns the row a number of steps away along an axis.
	LBM_HD LBM_INLINE unsigned beside(int axis, int step) const {
		return cell.row + unsigned(axis == 1 ? step : axis == 2 ? step * (l.ny + 2 * l.gy) : 0);
	}

	LBM_HD LBM_INLINE void apply() const {
		unroll<L::D>([&](auto axis) LBM_LAMBDA {
			if (cell.axes >> (OUTLET_BITS * axis.value) & OUTLET_IS) across<decltype(axis)::value>();
		});
	}

	// across applies the face across axis A. It writes only the changed moments: r, j_n and the
	// stresses that j_n carries.
	template <int A> LBM_HD LBM_APART void across() const {
		const unsigned bits = cell.axes >> (OUTLET_BITS * A);
		const int side = bits & OUTLET_HIGH ? 1 : -1;
		const T n = T(side);
		auto known = [&](int x, unsigned row) LBM_LAMBDA {
			const Moments<L, T> m = before(x, row);
			return Before<T>{m.r, n * (m.j[A] * reciprocal(T(1) + m.r))};
		};
		Before<T> inner{};
		if (bits & OUTLET_INNER) inner = known(A == 0 ? cell.x - side : cell.x, beside(A, -side));
		const T want = wantedWave(known(cell.x, cell.row), bits & OUTLET_INNER, inner, rule[0], rule[1]);
		const Moments<L, T> m = momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return out.template get<decltype(k)::value>(); });
		const Corrected<A, L, T> is(m, n, want);
		if constexpr (MOMENTS) {
			out.put(Int<0>{}, is.r);
			out.put(Int<1 + A>{}, is.j);
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				constexpr int AB = L::pair(A, decltype(b)::value);
				out.put(Int<1 + L::D + AB>{}, m.s[AB] + is.more.s[AB]);
			});
		} else {
			add(is.more);
		}
	}
	LBM_HD LBM_APART void add(const Moments<L, T>& more) const {
		secondOrder(more).each([&](auto i, const T& f) LBM_LAMBDA { out.put(i, out.template get<decltype(i)::value>() + f); });
	}
};

}}  // namespace lbm
#endif
