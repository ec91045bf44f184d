// The ghost cells behind faces (../face.h) and the cells beside outflows (../outflow.h) on the CPU.
// What it costs is to gather them: one instance serves all instruction sets.
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
	static constexpr int W = Lanes<T>::W, AHEAD = 8;

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

	static void fill(const lbm_case* c, const lbm_face_cell* cells, const void* rules, int64_t first, int64_t last, void* state) {
		FlushTiny guard;
		const Box box(c);
		const int n = box.layout.nx;
		const long pitch = box.layout.pitch, row = pitch * box.layout.components;
		At at{{}, pitch, false};
		S* to[W];
		long step[W];
		for (int64_t i = first; i < last;) {
			int lanes = 0;
			const uint32_t rule = cells[i].rule;
			for (int64_t k = i + AHEAD; k < i + AHEAD + W && k < last; k++) {  // a line for each component of each
				const int x = cells[k].x < 0 ? 0 : cells[k].x >= n ? n - 1 : cells[k].x;
				const S* const p = (const S*)state + cells[k].from * row + x;
				for (int component = 0; component < (MOMENTS ? L::M : L::Q); component++) __builtin_prefetch(p + component * pitch, 0, 2);
			}
			for (; lanes < W && i < last && cells[i].rule == rule; lanes++, i++) {
				const lbm_face_cell cell = cells[i];
				const int x = cell.x < 0 ? 0 : cell.x >= n ? n - 1 : cell.x;
				const bool beyond = cell.x != x;
				at.p[lanes] = (const S*)state + cell.from * row + x;
				to[lanes] = beyond ? (S*)box.end<S>(cell.x > 0, cell.row, MOMENTS ? L::M : L::Q) : (S*)state + cell.row * row + x;
				step[lanes] = beyond ? 1 : pitch;
				if (beyond && c->waves) wave(box, cell.x > 0, cell.row, at.p[lanes]);
			}
			const lbm_face_cell *const group = cells + i - lanes, first = group[0];
			at.run = lanes == W && first.x >= 0 && first.x + W <= n;
			for (int l = 1; at.run && l < W; l++) at.run = group[l].x == first.x + l && group[l].row == first.row && group[l].from == first.from;
			for (int l = lanes; l < W; l++) at.p[l] = at.p[0];
			FaceGhost<L, MOMENTS, R, At>(at, (const T*)rules + (long)rule * FACE_NUMBERS).each([&](auto k, const R& v) {
				if constexpr (sizeof(S) > 2)
					if (at.run) return (void)memcpy(to[0] + k.value * pitch, &v, sizeof v);
				for (int l = 0; l < lanes; l++) to[l][k.value * step[l]] = rounded<L, MOMENTS, S>(v[l], k.value);
			});
		}
	}

	// wave asks an outflow for the wave that it wants in the row's last cell, which is at p.
	static void wave(const Box& box, int side, long row, const S* p) {
		const uint32_t outlet = box.rim(side, row).outlet;
		if (outlet == LBM_NONE) return;
		auto known = [&](const S* at) {
			const Moments<L, T> m = momentsAt<L, MOMENTS, T>([&](auto k) { return T(Values::get(at[k.value * (long)box.layout.pitch], k.value)); });
			const T u = m.j[0] * reciprocal(T(1) + m.r);
			return Before<T>{m.r, side ? u : -u};
		};
		const T* const rule = (const T*)box.c->outletRules + (long)(outlet & ~LBM_INNER) * OUTLET_NUMBERS;
		Before<T> inner{};
		if (outlet & LBM_INNER) inner = known(side ? p - 1 : p + 1);
		((T*)box.c->waves)[box.place(side, row)] = wantedWave(known(p), outlet & LBM_INNER, inner, rule[0], rule[1]);
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
	// Out is one cell.
	struct Out {
		S* p;
		long pitch;
		template <int K> LBM_INLINE T get() const { return T(Values::get(p[K * pitch], K)); }
		template <class K> LBM_INLINE void put(K k, const T& v) { p[k.value * pitch] = rounded<L, MOMENTS, S>(v, k.value); }
	};

	// drain applies those of cells first to last of a list whose x is in [xlo, xhi) to the state that
	// a step leads to.
	static void drain(const lbm_case* c, const lbm_outlet_cell* cells, const void* rules, int64_t first, int64_t last, int32_t xlo, int32_t xhi, const void* from, void* to) {
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
