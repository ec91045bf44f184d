// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Sums along x of the populations that a row of cells sends to the rows beside it (row.h, step_moments.h), and the populations
// that walls send back to the cells.
#ifndef LBM_GPU_SUMS_H
#define LBM_GPU_SUMS_H
#include "row.h"

namespace lbm { namespace {

// sums computes Sums; edge has the values from across the edges of the tile: in 2D of the first or of the last lane, in 3D
// [side].
template <class L, class S, class T, int N>
template <int CY, int CZ, class SLICE, class WARMTH>
__device__ LBM_INLINE auto RowOf<L, S, T, N>::sums(const SLICE& slice, const T* edge, const WARMTH& warm) const -> Sums {
	const auto t = slice.template triple<CY>();
	Pair in{};
	Sums s{{t.zero, P{}, P{}}, {}};
	if constexpr (L::find(1, CY, CZ) >= 0) {
		in = streamed(t.plus, t.minus, edge + slot(CY, CZ), SLOTS);
		const P s2 = in.plus + in.minus;
		s.flow = {t.zero + s2 * T(0.5), in.plus - in.minus, s2};
	}
	if constexpr (MORE > 0) s.heat = heat<CY, CZ>(t.zero, in, warm);
	return s;
}

// streamed returns the values of plus and minus that stream along x. Beyond the tile the value is *edge; in 3D the value of
// the right side lies step numbers behind the left one.
template <class L, class S, class T, int N>
__device__ LBM_INLINE auto RowOf<L, S, T, N>::streamed(const P& plus, const P& minus, const T* edge, int step) const -> Pair {
	const bool first = L::D == 3 ? role & FIRST : lane == 0, end = L::D == 3 ? role & LAST : lane == 31;
	const T* const right = L::D == 3 ? edge + step : edge;
	Pair in;
	in.plus.v[0] = __shfl_up_sync(~0u, plus.v[N - 1], 1);
	in.minus.v[N - 1] = __shfl_down_sync(~0u, minus.v[0], 1);
	if (first) in.plus.v[0] = *edge;
	if (end) in.minus.v[N - 1] = *right;
#pragma unroll
	for (int i = 1; i < N; i++) {
		in.plus.v[i] = plus.v[i - 1];
		in.minus.v[i - 1] = minus.v[i];
	}
	if (L::D == 3 && N > 1 && role & HALF) in.minus.v[0] = *right;
	return in;
}

// edgeTo calls to(Int<c_y>, Int<c_z>, value) for the populations of an edge cell that
// stream into the tile.
template <class L, class S, class T, int N>
template <class F>
__device__ LBM_INLINE void RowOf<L, S, T, N>::edgeTo(const Expansion<L, T>& h, F to) {
	unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
		constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
		const typename Expansion<L, T>::template Slice<CZ> slice(h);
		unroll<3>([&](auto b) LBM_LAMBDA {
			constexpr int CY = decltype(b)::value - 1;
			if constexpr (L::find(1, CY, CZ) >= 0) to(Int<CY>{}, Int<CZ>{}, slice.template triple<CY>().plus);
		});
	});
}

// bounce returns the populations that walls send back to the cells h, as plain moments, each with the factors of the march's
// sums: all directions at once. Skipping directions that no lane needs requires votes, and a vote takes longer than the
// arithmetic. The momentum of moving walls does not depend on the flow: its sources are stored as moments
// (Case::wallMomentum).
template <class L, class S, class T, int N>
__device__ LBM_INLINE auto RowOf<L, S, T, N>::bounce(const Box& box, const Expansion<L, P>& h, const Walls& walls) const -> Moments<L, P> {
	Moments<L, P> back{};
	unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
		constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
		const typename Expansion<L, P>::template Slice<CZ> slice(h);
		unroll<3>([&](auto b) LBM_LAMBDA { turn<decltype(b)::value - 1, CZ>(back, slice, walls); });
	});
	if (walls.moving()) walls.addWallMomentum(back, box, x);
	return back;
}

// turn adds the populations that went out with c_y = CY and c_z = CZ.
template <class L, class S, class T, int N>
template <int CY, int CZ, class SLICE>
__device__ LBM_INLINE void RowOf<L, S, T, N>::turn(Moments<L, P>& m, const SLICE& slice, const Walls& walls) {
	constexpr int AXES = CY * CY + CZ * CZ;
	constexpr T part = T(1) / T(1 << AXES);  // s0, s1 and s2 have a factor 2 for each axis but x
	const auto out = slice.template triple<CY>();
	auto wall = [&](auto direction, const P& f) LBM_LAMBDA {
		constexpr int I = L::opposite(decltype(direction)::value);
		Mask<N> mask;
#pragma unroll
		for (int i = 0; i < N; i++) mask.v[i] = walls.word[i] >> I & 1;
		return Wall::apply(P{}, f, mask);
	};
	P s0{}, s1{}, s2{};
	if constexpr (AXES > 0) s0 = wall(Int<L::find(0, CY, CZ)>{}, out.zero);
	if constexpr (L::find(1, CY, CZ) >= 0) {
		const P p = wall(Int<L::find(1, CY, CZ)>{}, out.plus), n = wall(Int<L::find(-1, CY, CZ)>{}, out.minus);
		s1 = n - p, s2 = p + n;
		s0 = s0 + s2 * T(0.5);
		m.j[0] = m.j[0] + s1 * part;
		m.s[0] = m.s[0] + s2 * part;
	}
	m.r = m.r + s0 * part;
	// along adds to the moments of axis A, where the returning velocity is -C.
	auto along = [&](auto axis, auto sign) LBM_LAMBDA {
		constexpr int A = decltype(axis)::value, C = decltype(sign)::value;
		if constexpr (C != 0) {
			m.j[A] = m.j[A] - s0 * (C * T(2) * part);
			m.s[A] = m.s[A] + s0 * (T(2) * part);
			if constexpr (L::find(1, CY, CZ) >= 0) m.s[L::pair(A, 0)] = m.s[L::pair(A, 0)] - s1 * (C * T(2) * part);
		}
	};
	along(Int<1>{}, Int<CY>{});
	if constexpr (L::D == 3) along(Int<2>{}, Int<CZ>{});
	if constexpr (AXES == 2) m.s[L::pair(2, 1)] = m.s[L::pair(2, 1)] + s0 * T(CY * CZ);
}

}}  // namespace lbm
#endif
