// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The scalar (../scalar.h) that a row of cells sends, beside the sums of the flow (sums.h).
#ifndef LBM_GPU_HEAT_H
#define LBM_GPU_HEAT_H
#include "row.h"

namespace lbm { namespace {

// warmBeside calls to(Int<k>, value) with the WARM numbers of a cell beside the tile.
template <class L, class S, class T, int N>
template <class F>
__device__ LBM_INLINE void RowOf<L, S, T, N>::warmBeside(const Beside& edgeCell, bool right, F to) {
	const Moments<L, T> m = moments(edgeCell, false);
	const T theta = edgeCell.template get<L::M>(), q = edgeCell.template get<L::M + 1>();
	to(Int<0>{}, theta);
	to(Int<1>{}, right ? theta - q * T(3) : theta + q * T(3));
	to(Int<2>{}, (q + q) * (m.j[0] * reciprocal(T(1) + m.r)));
	unroll<L::D - 1>([&](auto k) LBM_LAMBDA { to(Int<3 + k.value>{}, edgeCell.template get<L::M + 2 + decltype(k)::value>() * T(3)); });
}

// warmOf computes Warm; edge has the values beyond the tile, as for streamed.
template <class L, class S, class T, int N>
__device__ LBM_INLINE auto RowOf<L, S, T, N>::warmOf(const Raw& raw, const T* edge) const -> Warm {
	Warm w;
	P u[L::D], q3[L::D], all;
	velocityOf(moments(raw), u);
	w.own = theta(raw);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const P q = extra<1 + A>(raw);
		q3[A] = q * T(3);
		w.a[A] = (q + q) * u[A];
		all = A == 0 ? w.a[0] : all + w.a[A];
	});
	w.theta = streamed(w.own, w.own, edge, WARM);
	w.half = {w.theta.plus * T(0.5), w.theta.minus * T(0.5)};
	const Pair both = streamed(w.a[0], w.a[0], edge + 2, WARM), along = streamed(w.own + q3[0], w.own - q3[0], edge + 1, WARM);
	constexpr T beside = doubled(1, 0, 0);
	const P sum = along.plus + along.minus, difference = along.plus - along.minus;
	w.level = w.own * doubled(0, 0, 0) + sum * (beside * T(0.5)) + ((both.plus + both.minus) * T(0.5) - all);
	w.tilt = difference * beside + (both.plus - both.minus);
	w.s0[0] = (w.own + sum * (RATIO * T(0.5))) * LEAST;
	w.s1[0] = difference * (RATIO * LEAST);
	unroll<L::D - 1>([&](auto k) LBM_LAMBDA {
		constexpr int A = 1 + decltype(k)::value;
		const Pair q = streamed(q3[A], q3[A], edge + 2 + A, WARM);
		w.s0[A] = (q3[A] + (q.plus + q.minus) * (RATIO * T(0.5))) * LEAST;
		w.s1[A] = (q.plus - q.minus) * (RATIO * LEAST);
	});
	if constexpr (L::Q == 19) {  // populations with c_y and c_z have no c_x
		w.corner[0] = w.own * LEAST;
		unroll<2>([&](auto k) LBM_LAMBDA { w.corner[1 + k.value] = q3[1 + k.value] * LEAST; });
	}
	return w;
}

// heat returns the scalar that the row sends with c_y = CY and c_z = CZ; the flow sends zero and,
// from the cells beside, in.
template <class L, class S, class T, int N>
template <int CY, int CZ>
__device__ LBM_INLINE auto RowOf<L, S, T, N>::heat(const P& zero, const Pair& in, const Warm& w) -> Heat {
	constexpr bool BESIDE = L::find(1, CY, CZ) >= 0;
	constexpr T times = CY == 0 && CZ == 0 ? T(1) : doubled(0, CY, CZ) / LEAST;
	static_assert(times * LEAST == doubled(0, CY, CZ) || (CY == 0 && CZ == 0), "weights are multiples");
	static_assert(!BESIDE || RATIO * doubled(0, CY, CZ) == doubled(1, CY, CZ) || (CY == 0 && CZ == 0), "weights are multiples");
	auto across = [&](const P* of) LBM_LAMBDA {
		P sum = of[0];
		if constexpr (CY > 0) sum = sum + of[1];
		if constexpr (CY < 0) sum = sum - of[1];
		if constexpr (CZ > 0) sum = sum + of[2];
		if constexpr (CZ < 0) sum = sum - of[2];
		return times == T(1) ? sum : sum * times;
	};
	Heat h;
	if constexpr (CY == 0 && CZ == 0) h.s0 = w.level, h.s1 = w.tilt;
	else if constexpr (BESIDE) h.s0 = across(w.s0), h.s1 = across(w.s1);
	else h.s0 = across(w.corner), h.s1 = P{};
	if constexpr (CY != 0 && CZ == 0) h.s0 = h.s0 + w.a[1];
	if constexpr (CY == 0 && CZ != 0) h.s0 = h.s0 + w.a[2];
	h.s0 = h.s0 + w.own * zero;
	if constexpr (BESIDE) {
		h.s0 = h.s0 + w.half.plus * in.plus + w.half.minus * in.minus;
		h.s1 = h.s1 + w.theta.plus * in.plus - w.theta.minus * in.minus;
	}
	return h;
}

}}  // namespace lbm
#endif
