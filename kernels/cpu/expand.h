// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Closures at run time. The models of moments share their collision (../closure.h); they differ in one function, the
// expansion of a cell's moments into populations. Compiled once for each closure, it is called through a pointer: by the
// march (step_moments.h) for a row at a time, so one march serves all closures, and by the kernels of single cells.
#ifndef LBM_CPU_EXPAND_H
#define LBM_CPU_EXPAND_H
#include "memory.h"
#include "../catalogue.h"

namespace lbm { namespace {

// momentsFrom returns the moments of W cells whose component k is get(k).
template <class L, class R, class GET> LBM_INLINE Moments<L, R> momentsFrom(GET get) {
	Moments<L, R> m;
	m.r = get(0);
	unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = get(1 + a.value); });
	unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = get(1 + L::D + k.value); });
	return m;
}

// Expand<S> writes the populations of cells, a multiple of W, to [Q][stride], aligned, each without its factor
// 2^-n (../expansion.h). Component k of the cells is at row + k pitch, aligned.
template <class S> using Expand = void (*)(const S* row, long pitch, typename Arithmetic<S>::T* to, long stride, int cells);

// Strip has the number of cells of a row that are expanded at a time, into a buffer [Q][STRIDE] in which they begin at W, so that
// there is one before. While one is in use, the next one is in a buffer, too: with 27 populations of 64 doubles, two would leave little
// of a first cache of 48 kB.
template <class T> struct Strip { static constexpr int CELLS = 256 / sizeof(T), STRIDE = CELLS + 2 * Lanes<T>::W; };

template <class L, class C, class S> void expandRow(const S* row, long pitch, typename Arithmetic<S>::T* to, long stride, int cells) {
	typedef Memory<S, L, true> Values;
	typedef typename Values::R R;
	constexpr int W = Lanes<typename Arithmetic<S>::T>::W;
	for (int x = 0; x < cells; x += W) {
		const Expansion<L, R> h = C::expand(momentsFrom<L, R>([&](int k) LBM_LAMBDA { return Values::load(row + k * pitch + x, k); }));
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
			const typename Expansion<L, R>::template Slice<CZ> slice(h);
			unroll<3>([&](auto b) LBM_LAMBDA {
				constexpr int CY = decltype(b)::value - 1;
				const auto t = slice.template triple<CY>();
				store(to + L::find(0, CY, CZ) * stride + x, t.zero);
				if constexpr (L::find(1, CY, CZ) >= 0) {
					store(to + L::find(1, CY, CZ) * stride + x, t.plus);
					store(to + L::find(-1, CY, CZ) * stride + x, t.minus);
				}
			});
		});
	}
}

// expandOf returns the function of the closure with number model of model.Collisions.
template <class L, class S> Expand<S> expandOf(int model) {
	switch (model) {
#define CLOSURE(NUMBER, C) \
	case NUMBER: return &expandRow<L, C, S>;
#define POPULATIONS(NUMBER, C)
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	}
	__builtin_trap();
}

// ownBulk reports whether that closure relaxes the trace of the stress at a separate rate.
LBM_INLINE bool ownBulk(int model) {
	switch (model) {
#define CLOSURE(NUMBER, C) \
	case NUMBER: return C::OWN_BULK;
#define POPULATIONS(NUMBER, C)
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	}
	return false;
}

}}  // namespace lbm
#endif
