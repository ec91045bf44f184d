// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The cells of a scalar that have a wall or a face beside them (../scalar.h), on the CPU: they get the populations that come
// out of it, or are recomputed.
#ifndef LBM_CPU_SCALAR_WALLS_H
#define LBM_CPU_SCALAR_WALLS_H
#include <math.h>
#include "../scalar.h"
#include "box.h"
#include "general.h"
#include "memory.h"
#include "special.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S> struct ScalarWallsOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;  // component of the scalar

	// At reads the neighbours of one cell after the other of a row.
	struct At {
		const S* row[3][3] = {};          // by d_z, d_y; null where there is only wall
		const uint8_t* types[3][3] = {};  // of the cells of these rows
		int x[3];                         // by d_x
		int here;
		long pitch;
		int nx, model;
		bool wraps;

		At(const Box& box, const S* state, int model, const uint8_t* of, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), model(model), wraps(box.c->periodic[0]) {
			const int depth = L::D == 2 ? 0 : 1;
			for (int d = -depth; d <= depth; d++)
				for (int b = -1; b <= 1; b++) {
					row[d + 1][b + 1] = box.source(state, y + b, z + d);
					types[d + 1][b + 1] = of + ((long)(z + d + 1) * (box.layout.ny + 2) + y + b + 1) * (nx + 2) + 1;
				}
		}
		void go(int at) {
			here = at;
			for (int d = -1; d <= 1; d++) {
				x[d + 1] = at + d;
				if (wraps && x[d + 1] < 0) x[d + 1] += nx;
				if (wraps && x[d + 1] >= nx) x[d + 1] -= nx;
			}
		}
		struct Near {
			const S* p;
			long pitch;
			int model;
			LBM_INLINE T any(int k) const { return T(Values::get(p[k * pitch], k)); }
			template <int K> LBM_INLINE T get() const { return any(K); }
			LBM_INLINE Expansion<L, T> expand(const Moments<L, T>& m) const { return expandAny(model, m); }
		};
		LBM_INLINE Near near(const int* d) const { return {row[d[2] + 1][d[1] + 1] + x[d[0] + 1], pitch, model}; }
		LBM_INLINE int type(const int* d) const { return types[d[2] + 1][d[1] + 1][here + d[0]]; }
	};
	typedef ScalarCell<L, MOMENTS, T, At> Cell;

	// beside computes those cells of row (y, z) from x0 to x1 that have walls or faces beside them.
	static void beside(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, int32_t y, int32_t z, int32_t x0, int32_t x1) {
		const Box box(c);
		const long row = (long)z * box.layout.ny + y, pitch = box.layout.pitch;
		const uint32_t *const corrected = walls->correctedRows + row, *const recomputed = walls->recomputedRows + row;
		if (corrected[0] == corrected[1] && recomputed[0] == recomputed[1]) return;
		const ScalarParams<T> p(*n);
		const S* const old = (const S*)in + box.layout.start(y, z);
		S* const to = (S*)out + box.layout.start(y, z);
		const T* const eddies = c->eddies ? (const T*)c->eddies + row * pitch : nullptr;
		const bool layered = n->kind == LawNumber<Smagorinsky>::value;
		// keepAt returns 1 - 1/tau of the cell at x with the moments m.
		auto keepAt = [&](int x, const Moments<L, T>& m) { return eddies ? layered ? eddyKeep(m, eddies[x], p) : eddyKeep(eddies[x], p) : p.eddy != T(0) ? eddyKeep(m, p) : p.keep; };
		At at(box, (const S*)in, n->model, walls->types, y, z);
		auto put = [&](int x, int k, T v) { to[k * pitch + x] = rounded<L, MOMENTS, S>(v, k); };
		auto cell = [&](const lbm_scalar_place& place) {
			at.go(place.x);
			return Cell{at, (const T*)walls->laws, (const T*)walls->sent, (const T*)walls->heat};
		};
		T theta, q[L::D], j[L::D];
		for (uint32_t k = corrected[0]; k < corrected[1]; k++) {
			const int x = walls->corrected[k].x;
			if (x < x0 || x >= x1) continue;
			auto value = [&](int k) { return T(Values::get(to[k * pitch + x], k)); };
			const T before = T(Values::get(old[FIRST * pitch + x], FIRST));
			const Moments<L, T> m = after(value);
			theta = value(FIRST);
			for (int a = 0; a < L::D; a++) q[a] = value(FIRST + 1 + a), j[a] = m.j[a] - (p.force[a] + p.buoyancy[a] * before);
			cell(walls->corrected[k]).correct(walls->corrected[k].links, walls->corrected[k].type, keepAt(x, m), m.r, j, theta, q);
			put(x, FIRST, theta);
			for (int a = 0; a < L::D; a++) put(x, FIRST + 1 + a, q[a]);
		}
		for (uint32_t k = recomputed[0]; k < recomputed[1]; k++) {
			const int x = walls->recomputed[k].x;
			if (x < x0 || x >= x1) continue;
			const lbm_scalar_place& place = walls->recomputed[k];
			const Moments<L, T> m = after([&](int k) { return T(Values::get(to[k * pitch + x], k)); });
			cell(place).recompute(place.links, place.first == SCALAR_HALFWAY ? nullptr : walls->distances + place.first, keepAt(x, m), theta, q);
			put(x, FIRST, theta);
			for (int a = 0; a < L::D; a++) put(x, FIRST + 1 + a, q[a]);
		}
	}
	// after returns the moments of a cell after the step.
	template <class VALUE> static Moments<L, T> after(VALUE value) {
		return momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return value(k.value); });
	}

	// lost adds the scalar that leaves through measured walls in the coming step to sums, by type.
	static void lost(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* state, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		for (int64_t k = 0; k < walls->count; k++) {
			const lbm_scalar_link l = walls->links[k];
			At at(box, (const S*)state, n->model, walls->types, l.row % box.layout.ny, l.row / box.layout.ny);
			at.go(l.x);
			sums[l.type - 1] += llrint(double(Cell{at, (const T*)walls->laws, (const T*)walls->sent, (const T*)walls->heat}.lost(l.direction, l.type, l.distance, l.slope)) * SCALAR_UNITS);
		}
	}
};

}}  // namespace lbm
#endif
