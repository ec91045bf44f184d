// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Eddy viscosity of cells from velocity gradients (../viscosity/wale.h), computed from a state for the next steps. Neighbours
// that are not fluid, or beyond an end of a row that does not wrap, are excluded: the difference is one-sided there. Solid
// cells are at rest in all components, by which they are recognized.
#ifndef LBM_CPU_EDDIES_H
#define LBM_CPU_EDDIES_H
#include <stdlib.h>
#include "../moments.h"
#include "box.h"
#include "memory.h"
#include "../populations.h"
#include "../viscosity/wale.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S> struct EddiesOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W, COMPONENTS = MOMENTS ? L::M : L::Q;
	static constexpr int NUMBERS = L::D + 1;  // of a cell at hand: the velocity, and 1, or 0 if it is not fluid

	// Rows of these numbers: y-1, y, y+1 alternately, and z-1, z+1. Each has one more vector at both ends.
	struct Scratch {
		const long stride, row;
		T* const all;
		explicit Scratch(long pitch) : stride(pitch + 2 * W), row(NUMBERS * stride), all((T*)aligned_alloc(64, (5 * row * sizeof(T) + 63) / 64 * 64)) {}
		~Scratch() { free(all); }
		T* at(int k) const { return all + k * row + W; }
	};

	// velocities computes these numbers of a row; null: only wall.
	static void velocities(const Box& box, const S* row, const Scratch& s, T* to) {
		if (!row) {
			__builtin_memset(to - W, 0, s.row * sizeof(T));
			return;
		}
		const long pitch = box.layout.pitch;
		const int n = box.layout.nx;
		for (int x = 0; x < pitch; x += W) {
			R r, j[L::D];
			if constexpr (MOMENTS) {
				r = Values::load(row + x, 0);
				unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = Values::load(row + (1 + a.value) * pitch + x, 1 + a.value); });
			} else {
				R f[L::Q];
				unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = Values::load(row + i.value * pitch + x, i.value); });
				sumMoments<L>(f, r, j);
			}
			const R inverse = reciprocal(T(1) + r), zero{};
			R size = r * r;
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				size = size + j[a.value] * j[a.value];
				store(to + a.value * s.stride + x, j[a.value] * inverse);
			});
			store(to + L::D * s.stride + x, select(size == zero, zero, zero + T(1)));
		}
		for (int k = 0; k < NUMBERS; k++) {
			T* const v = to + k * s.stride;
			v[-1] = box.c->periodic[0] ? v[n - 1] : T(0);
			v[n] = box.c->periodic[0] ? v[0] : T(0);
		}
	}

	// differ computes the derivatives along an axis of cells from x on, from the rows before and after.
	LBM_INLINE static void differ(const Scratch& s, const T* before, const T* here, const T* after, int x, int axis, R* g) {
		const R zero{}, half = zero + T(0.5), one = zero + T(1);
		const R low = loadAny(before + L::D * s.stride + x), high = loadAny(after + L::D * s.stride + x);
		const R factor = select(low * high == zero, one, half);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const long k = a.value * s.stride + x;
			const R u = load(here + k), down = select(low == zero, u, loadAny(before + k)), up = select(high == zero, u, loadAny(after + k));
			g[L::D * a.value + axis] = (up - down) * factor;
		});
	}

	static void find(const lbm_case* c, const lbm_numbers* p, const void* state, const lbm_range* r) {
		FlushTiny guard;
		const Box box(c);
		const Params<T> params = Params<T>(*p);
		const Scratch s(box.layout.pitch);
		if (!s.all) __builtin_trap();
		auto take = [&](int y, int z, int place) { velocities(box, box.source((const S*)state, y, z), s, s.at(place)); };
		for (int z = r->lo[2]; z < r->hi[2]; z++) {
			take(r->lo[1] - 1, z, (r->lo[1] + 2) % 3);
			take(r->lo[1], z, r->lo[1] % 3);
			for (int y = r->lo[1]; y < r->hi[1]; y++) {
				take(y + 1, z, (y + 1) % 3);
				if (L::D == 3) take(y, z - 1, 3), take(y, z + 1, 4);
				const T* const here = s.at(y % 3);
				T* const to = (T*)c->eddies + ((long)z * c->n[1] + y) * box.layout.pitch;
				for (int x = 0; x < box.layout.nx; x += W) {
					R g[L::D * L::D];
					differ(s, here - 1, here, here + 1, x, 0, g);
					differ(s, s.at((y + 2) % 3), here, s.at((y + 1) % 3), x, 1, g);
					if constexpr (L::D == 3) differ(s, s.at(3), here, s.at(4), x, 2, g);
					store(to + x, Wale::eddies<L::D>(g, params));
				}
			}
		}
	}
};

}}  // namespace lbm
#endif
