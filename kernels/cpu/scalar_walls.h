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

	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	// Flat walls along rows are corrected in vectors where that is usual and worth its code: halves would triple that.
	static constexpr bool FLAT = MOMENTS && sizeof(S) == 4;

	// read and write access component k of the cell at p, or of W cells; V is T or R.
	template <class V> LBM_INLINE static V read(const S* p, long pitch, int k) {
		if constexpr (sizeof(V) == sizeof(T)) return T(Values::get(p[k * pitch], k));
		else return Values::loadAny(p + k * pitch, k);
	}
	LBM_INLINE static void write(S* p, long pitch, int k, const T& v) { p[k * pitch] = rounded<L, MOMENTS, S>(v, k); }
	LBM_INLINE static void write(S* p, long pitch, int k, const R& v) { Values::store(p + k * pitch, k, v); }
	template <class V> static Moments<L, V> momentsOfCells(const S* p, long pitch) {
		return momentsAt<L, MOMENTS, V>([&](auto k) LBM_LAMBDA { return read<V>(p, pitch, k.value); });
	}

	// Around holds the rows around one row, and the neighbours of one cell after the other.
	struct Around {
		const S* row[3][3] = {};          // by d_z, d_y; null where there is only wall
		const uint8_t* types[3][3] = {};  // of the cells of these rows
		int x[3];                         // by d_x
		int here;
		long pitch;
		int nx, model;
		bool wraps;

		Around(const Box& box, const S* state, int model, const uint8_t* of, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), model(model), wraps(box.c->periodic[0]) {
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
	};
	// At reads the neighbours of the cell, or of W cells from it on that have neighbours on both sides.
	template <class V> struct At {
		const Around& of;
		struct Near {
			const S* p;
			long pitch;
			int model;
			LBM_INLINE V any(int k) const { return read<V>(p, pitch, k); }
			template <int K> LBM_INLINE V get() const { return any(K); }
			LBM_INLINE Expansion<L, V> expand(const Moments<L, V>& m) const { return expandAny(model, m); }
		};
		LBM_INLINE Near near(const int* d) const { return {of.row[d[2] + 1][d[1] + 1] + of.x[d[0] + 1], of.pitch, of.model}; }
		LBM_INLINE int type(const int* d) const { return of.types[d[2] + 1][d[1] + 1][of.here + d[0]]; }
	};
	template <class V> using Cells = ScalarCell<L, MOMENTS, V, At<V>>;

	// Row holds one row of a step.
	struct Row {
		const lbm_scalar_walls* walls;
		const ScalarParams<T> p;
		const S* old;
		RowOf<S> to;
		long pitch;  // of old
		const T* eddies;
		bool layered;
		Around around;

		template <class V> Cells<V> cells(const At<V>& at) const { return {at, (const T*)walls->laws, (const T*)walls->sent, (const T*)walls->heat}; }
		// keep returns 1 - 1/tau of the cells at x with the moments m.
		template <class V> V keep(int x, const Moments<L, V>& m) const {
			if (!eddies) return eddyKeep(m, p);
			V own;
			__builtin_memcpy(&own, eddies + x, sizeof own);
			return layered ? eddyKeep(m, own, p) : eddyKeep(own, p);
		}
		// correct calls by(cells, keep, r, j, theta, q) for the cells at x, with their results so far.
		template <class V, class BY> LBM_INLINE void correct(int x, BY by) {
			S* const cell = to.at(x);
			const V before = read<V>(old + x, pitch, FIRST);
			const Moments<L, V> m = momentsOfCells<V>(cell, to.pitch);
			V theta = read<V>(cell, to.pitch, FIRST), q[L::D], j[L::D];
			for (int a = 0; a < L::D; a++) q[a] = read<V>(cell, to.pitch, FIRST + 1 + a), j[a] = m.j[a] - (p.force[a] + p.buoyancy[a] * before);
			around.go(x);
			by(cells(At<V>{around}), keep(x, m), m.r, j, theta, q);
			write(cell, to.pitch, FIRST, theta);
			for (int a = 0; a < L::D; a++) write(cell, to.pitch, FIRST + 1 + a, q[a]);
		}
		// correctFlat corrects W cells at x beside a flat wall behind them along axis A.
		template <int A, int SIDE> __attribute__((noinline)) void correctFlat(int x, int type) {
			correct<R>(x, [&](const Cells<R>& cells, const R& keep, const R& r, const R* j, R& theta, R* q) LBM_LAMBDA {
				const int here[3] = {0, 0, 0};
				ScalarSums<L, R> more{};
				cells.template flat<A, SIDE>(cells.source(here), type, more.e, more.phi);
				cells.raise(more, keep, r, j, theta, q);
			});
		}
	};

	// run reports whether places from k on are W cells, aligned, with the same walls, and have neighbours on both sides.
	static bool run(const lbm_scalar_place* k, const lbm_scalar_place* end, int nx) {
		if (!k->type || k->x % W || k->x == 0 || (int)k->x + W >= nx || k + W > end) return false;
		for (int l = 1; l < W; l++)
			if (k[l].x != k->x + l || k[l].links != k->links || k[l].type != k->type) return false;
		return true;
	}

	// beside computes those cells of row (y, z) from x0 to x1 that have walls or faces beside them.
	static void beside(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, lbm_row out, int32_t y, int32_t z, int32_t x0, int32_t x1) {
		const Box box(c);
		const long number = (long)z * box.layout.ny + y, pitch = box.layout.pitch;
		const uint32_t *const corrected = walls->correctedRows + number, *const recomputed = walls->recomputedRows + number;
		if (corrected[0] == corrected[1] && recomputed[0] == recomputed[1]) return;
		Row row{walls, ScalarParams<T>(*n), (const S*)in + box.layout.start(y, z), RowOf<S>(out), pitch,
		        c->eddies ? (const T*)c->eddies + number * pitch : nullptr, n->kind == LawNumber<Smagorinsky>::value, Around(box, (const S*)in, n->model, walls->types, y, z)};
		for (uint32_t k = corrected[0]; k < corrected[1]; k++) {
			const lbm_scalar_place& place = walls->corrected[k];
			const int x = place.x;
			if (x < x0 || x >= x1) continue;
			bool flat = false;
			if (FLAT && run(&place, walls->corrected + corrected[1], box.layout.nx)) {
				unroll<FLAT ? L::D - 1 : 0>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value + 1;
					if (place.links == Cells<T>::face(A, 1)) row.template correctFlat<A, 1>(x, place.type), flat = true;
					if (place.links == Cells<T>::face(A, -1)) row.template correctFlat<A, -1>(x, place.type), flat = true;
				});
			}
			if (flat) k += W - 1;
			else row.template correct<T>(x, [&](const Cells<T>& cell, const T& keep, const T& r, const T* j, T& theta, T* q) { cell.correct(place.links, place.type, keep, r, j, theta, q); });
		}
		for (uint32_t k = recomputed[0]; k < recomputed[1]; k++) {
			const lbm_scalar_place& place = walls->recomputed[k];
			const int x = place.x;
			if (x < x0 || x >= x1) continue;
			row.around.go(x);
			T theta, q[L::D];
			S* const cell = row.to.at(x);
			row.cells(At<T>{row.around}).recompute(place.links, place.first == SCALAR_HALFWAY ? nullptr : walls->distances + place.first, row.keep(x, momentsOfCells<T>(cell, row.to.pitch)), theta, q);
			write(cell, row.to.pitch, FIRST, theta);
			for (int a = 0; a < L::D; a++) write(cell, row.to.pitch, FIRST + 1 + a, q[a]);
		}
	}

	// lost adds the scalar that leaves through measured walls in the coming step to sums, by type.
	static void lost(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* state, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		for (int64_t k = 0; k < walls->count; k++) {
			const lbm_scalar_link l = walls->links[k];
			Around around(box, (const S*)state, n->model, walls->types, l.row % box.layout.ny, l.row / box.layout.ny);
			around.go(l.x);
			const At<T> at{around};
			sums[l.type - 1] += llrint(double(Cells<T>{at, (const T*)walls->laws, (const T*)walls->sent, (const T*)walls->heat}.lost(l.direction, l.type, l.distance, l.slope)) * SCALAR_UNITS);
		}
	}
};

}}  // namespace lbm
#endif
