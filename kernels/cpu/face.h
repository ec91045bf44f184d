// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The ghost cells behind faces (../face.h) and the cells beside outflows (../outflow.h) on the CPU.
#ifndef LBM_CPU_FACE_H
#define LBM_CPU_FACE_H
#include "../face.h"
#include "../outflow.h"
#include "box.h"
#include "memory.h"
#include "special.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S> struct FacesOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;

	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W, AHEAD = W > 8 ? W : 8, COMPONENTS = MOMENTS ? L::M : L::Q;

	// At reads the sources of W ghost cells, whose first components are at p.
	struct At {
		const S* p[W];
		long pitch;  // from a component to the next
		bool run;    // they lie side by side
		LBM_INLINE R any(int k) const {
			if (run) return Values::loadAny(p[0] + k * pitch, k);
			alignas(64) T v[W];
			for (int l = 0; l < W; l++) v[l] = T(Values::get(p[l][k * pitch], k));
			return load(v);
		}
		template <int K> LBM_INLINE R get() const { return any(K); }
	};

	// Sources holds the components of W cells, read once.
	struct Sources {
		R v[COMPONENTS];
		__attribute__((noinline)) explicit Sources(const At& at) {
			for (int k = 0; k < COMPONENTS; k++) v[k] = at.any(k);
		}
		LBM_INLINE R any(int k) const { return v[k]; }
		template <int K> LBM_INLINE R get() const { return v[K]; }
	};

	// Ghosts is the state that the list belongs to, and the layout of its cells.
	struct Ghosts {
		const Box box;
		S* const state;
		const bool kept;  // sources beside the ends of rows are read where a step has left them

		Ghosts(const lbm_case* c, void* state, bool kept) : box(c), state((S*)state), kept(kept) {}

		// side returns the end of the row that the cell lies beyond, or -1.
		LBM_INLINE int side(const lbm_face_cell& cell) const { return cell.x < 0 ? 0 : cell.x >= box.layout.nx ? 1 : -1; }
		LBM_INLINE S* stored(unsigned row, int x) const { return state + (long)row * box.layout.components * box.layout.pitch + x; }
		// source and target return the places of first components, from and to the distances to the next ones.
		LBM_INLINE const S* source(const lbm_face_cell& cell, int side) const {
			if (side >= 0 && kept) return box.kept<S>(side, 0, cell.from, COMPONENTS);
			return stored(cell.from, side < 0 ? cell.x : side ? box.layout.nx - 1 : 0);
		}
		LBM_INLINE long from(int side) const { return side >= 0 && kept ? LBM_BLOCK : box.layout.pitch; }
		LBM_INLINE S* target(const lbm_face_cell& cell, int side) const { return side >= 0 ? box.end<S>(side, cell.row, COMPONENTS) : stored(cell.row, cell.x); }
		LBM_INLINE long to(int side) const { return side >= 0 ? LBM_BLOCK : box.layout.pitch; }

		// alike counts the cells that share a vector with the first one: of one rule, on one side and there of one vector of a
		// block of rows.
		LBM_INLINE int alike(const lbm_face_cell* cells, int64_t most, int side) const {
			const int room = side < 0 ? W : W - int(cells[0].row % W);
			int lanes = 1;
			while (lanes < room && lanes < most && cells[lanes].rule == cells[0].rule && this->side(cells[lanes]) == side) lanes++;
			return lanes;
		}
		// run reports whether the cells of a whole vector are contiguous, along a row or in rows side by side.
		LBM_INLINE static bool run(const lbm_face_cell* cells, int side) {
			const int x = side < 0, row = side >= 0;
			bool all = side < 0 || cells[0].from % W == 0;
			for (int l = 1; l < W; l++)
				all = all && cells[l].x == cells[0].x + l * x && cells[l].row == cells[0].row + l * row && cells[l].from == cells[0].from + l * row;
			return all;
		}
		LBM_INLINE void fetch(const lbm_face_cell& cell) const {
			const int side = this->side(cell);
			if (side >= 0 && kept) return;
			const S* const p = source(cell, side);
			for (int k = 0; k < COMPONENTS; k++) __builtin_prefetch(p + k * box.layout.pitch, 0, 2);
		}
	};

	static void fill(const lbm_case* c, const lbm_face_cell* cells, const void* rules, int64_t first, int64_t last, void* state, int32_t kept) {
		FlushTiny guard;
		const Ghosts ghosts(c, state, kept);
		for (int64_t i = first; i < last;) {
			for (int64_t k = i + AHEAD; k < i + AHEAD + W && k < last; k++) ghosts.fetch(cells[k]);  // a line for each component of each
			const lbm_face_cell* const group = cells + i;
			const int side = ghosts.side(group[0]), lanes = ghosts.alike(group, last - i, side);
			const bool run = lanes == W && Ghosts::run(group, side);
			At at{{}, ghosts.from(side), run && (side < 0 || kept)};
			for (int l = 0; l < (at.run ? 1 : W); l++) at.p[l] = ghosts.source(group[l < lanes ? l : 0], side);
			S* to[W];
			for (int l = 0; l < (run && sizeof(S) > 2 ? 1 : lanes); l++) to[l] = ghosts.target(group[l], side);
			if (c->waves && side >= 0) waves(ghosts, group, lanes, side, at);
			const long step = ghosts.to(side);
			R ghost[COMPONENTS];
			ghostOf(at, (const T*)rules + (long)group[0].rule * FACE_NUMBERS, ghost);
			for (int k = 0; k < COMPONENTS; k++) {
				if (run && sizeof(S) > 2) memcpy(to[0] + k * step, ghost + k, sizeof(R));
				else
					for (int l = 0; l < lanes; l++) to[l][k * step] = rounded<L, MOMENTS, S>(ghost[k][l], k);
			}
			i += lanes;
		}
	}

	// ghostOf computes ghost cells from their sources by a rule.
	static __attribute__((noinline)) void ghostOf(const At& at, const T* rule, R* ghost) {
		FaceGhost<L, MOMENTS, R, Sources>(Sources(at), rule).each([&](auto k, const R& v) LBM_LAMBDA { ghost[k.value] = v; });
	}

	// waves computes the waves that outflows want in the sources of some ghost cells, the last cells of rows.
	static void waves(const Ghosts& ghosts, const lbm_face_cell* cells, int lanes, int side, const At& at) {
		const Box& box = ghosts.box;
		uint32_t outlet[W];
		bool any = false, deep = false;
		for (int l = 0; l < lanes; l++) {
			outlet[l] = box.rowEnd(side, cells[l].row).outlet;
			any = any || outlet[l] != LBM_NONE;
			deep = deep || (outlet[l] != LBM_NONE && outlet[l] & LBM_INNER);
		}
		if (!any) return;
		auto known = [&](const Sources& at) {
			const Moments<L, R> m = momentsAt<L, MOMENTS, R>([&](auto k) { return at.template get<decltype(k)::value>(); });
			return Before<R>{m.r, (side ? T(1) : T(-1)) * (m.j[0] * reciprocal(T(1) + m.r))};
		};
		const Before<R> own = known(Sources(at));
		Before<R> inner{};
		if (deep) {
			At next = at;
			const long inwards = ghosts.kept ? box.kept<S>(side, 1, 0, COMPONENTS) - box.kept<S>(side, 0, 0, COMPONENTS) : side ? -1 : 1;
			for (int l = 0; l < (at.run ? 1 : W); l++) next.p[l] += inwards;
			inner = known(Sources(next));
		}
		for (int l = 0; l < lanes; l++) {
			if (outlet[l] == LBM_NONE) continue;
			const T* const rule = (const T*)box.c->outletRules + (long)(outlet[l] & ~LBM_INNER) * OUTLET_NUMBERS;
			((T*)box.c->waves)[box.place(side, cells[l].row)] = wantedWave(Before<T>{own.r[l], own.u[l]}, outlet[l] & LBM_INNER, Before<T>{inner.r[l], inner.u[l]}, rule[0], rule[1]);
		}
	}

	// One reads the source of one ghost cell.
	struct One {
		const S* p;
		long pitch;
		LBM_INLINE T any(int k) const { return T(Values::get(p[k * pitch], k)); }
		template <int K> LBM_INLINE T get() const { return any(K); }
	};
	static void ghost(const void* rule, const void* from, int64_t pitch, void* to, int64_t step) {
		FaceGhost<L, MOMENTS, T, One>(One{(const S*)from, pitch}, (const T*)rule).each([&](auto k, const T& v) { ((S*)to)[k.value * step] = rounded<L, MOMENTS, S>(v, k.value); });
	}

	// In reads any cell of a state.
	struct In {
		const S* state;
		const Layout& l;
		template <int K> LBM_INLINE T get(int x, unsigned row) const { return T(Values::get(state[((long)row * l.components + K) * l.pitch + x], K)); }
	};
	// Out reads and writes one cell.
	struct Out {
		S* p;
		long pitch;
		template <int K> LBM_INLINE T get() const { return T(Values::get(p[K * pitch], K)); }
		template <class K> LBM_INLINE void put(K k, const T& v) { p[k.value * pitch] = rounded<L, MOMENTS, S>(v, k.value); }
	};

	// applyOutflow applies the outflows of cells first to last of a list, if their x is in [xlo, xhi) to the state that
	// a step leads to.
	static void applyOutflow(const lbm_case* c, const lbm_outlet_cell* cells, const void* rules, int64_t first, int64_t last, int32_t xlo, int32_t xhi, const void* from, void* to) {
		FlushTiny guard;
		const Box box(c);
		const Layout& l = box.layout;
		for (int64_t i = first; i < last; i++) {
			const OutletCell cell{cells[i].x, cells[i].row, cells[i].axes, cells[i].rule};
			if (cell.x < xlo || cell.x >= xhi) continue;
			const In in{(const S*)from, l};
			Out out{(S*)to + (long)cell.row * l.components * l.pitch + cell.x, l.pitch};
			Outlet<L, MOMENTS, T, In, Out>(l, cell, (const T*)rules, in, out).apply();
		}
	}
};

}}  // namespace lbm
#endif
