// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The special cells of a box (../special.h) on the CPU, a vector of them at a time, one lane each.
// The components of their neighbours are gathered lane by lane.
#ifndef LBM_CPU_SPECIAL_H
#define LBM_CPU_SPECIAL_H
#include <math.h>
#include <string.h>
#include <type_traits>
#include "../special.h"
#include "box.h"
#include "general.h"
#include "memory.h"

namespace lbm { namespace {

// rounded returns component k as a step stores it.
template <class L, bool MOMENTS, class S> S rounded(typename Arithmetic<S>::T v, int k) {
	if constexpr (sizeof(S) == 2) {
		int bits;
		v *= Memory<S, L, MOMENTS>::scale(k);
		memcpy(&bits, &v, 4);
		bits = dither<unsigned>(bits);
		memcpy(&v, &bits, 4);
		return narrow(v);
	} else {
		return v;
	}
}

template <class L, bool MOMENTS, class S> struct SpecialOf {
	typedef std::conditional_t<MOMENTS, AnyClosure, AnyModel<false>> Model;
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;

	// At reads the neighbours of one cell after the other of a row.
	struct At {
		const S* row[3][3] = {};     // by d_z, d_y; null where there is only wall
		const S* end[2][3][3] = {};  // of them the ghost cells beyond their ends
		int x[3];                    // by d_x
		long pitch;
		int nx, model;
		bool wraps;

		At() = default;
		At(const Box& box, const S* state, int model, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), model(model), wraps(box.c->periodic[0]) {
			for (int d = L::D == 2 ? 0 : -1; d <= (L::D == 2 ? 0 : 1); d++)
				for (int b = -1; b <= 1; b++) {
					row[d + 1][b + 1] = box.source(state, y + b, z + d);
					for (int side = 0; side < 2; side++)
						if (row[d + 1][b + 1] && box.c->ends) end[side][d + 1][b + 1] = box.end<S>(side, box.stored(y + b, z + d), COMPONENTS);
				}
		}
		void go(int at) {
			for (int d = -1; d <= 1; d++) {
				x[d + 1] = at + d;
				if (wraps && x[d + 1] < 0) x[d + 1] += nx;
				if (wraps && x[d + 1] >= nx) x[d + 1] -= nx;
			}
		}
		// place returns the place of the first component of the neighbour at d, and in step the
		// distance to the next.
		LBM_INLINE const S* place(const int* d, long& step) const {
			const int at = x[d[0] + 1];
			const S* const beyond = at < 0 ? end[0][d[2] + 1][d[1] + 1] : at >= nx ? end[1][d[2] + 1][d[1] + 1] : nullptr;
			step = beyond ? LBM_BLOCK : pitch;
			return beyond ? beyond : row[d[2] + 1][d[1] + 1] + at;
		}
		struct Near {
			const S* p;
			long step;
			int model;
			LBM_INLINE T any(int k) const { return T(Values::get(p[k * step], k)); }
			template <int K> LBM_INLINE T get() const { return any(K); }
			LBM_INLINE Expansion<L, T> expand(const Moments<L, T>& m) const { return expandAny(model, m); }
		};
		LBM_INLINE Near near(const int* d) const {
			Near cell;
			cell.model = model;
			cell.p = place(d, cell.step);
			return cell;
		}
	};

	typedef typename Lanes<T>::R R;
	typedef typename Lanes<T>::I I;
	static constexpr int W = Lanes<T>::W;
	typedef unsigned Set;  // of lanes

	// Group is up to W cells, in any rows of a plane.
	struct Group {
		const lbm_links* const links;
		const long pitch;
		At at[W];
		const lbm_link_cell* cell[W];
		S* to[W];
		int count = 0;
		bool adjacent;        // W cells side by side
		uint32_t directions;  // along which any lane has a link

		// Lanes with a link along direction i.
		LBM_INLINE Set linked(int i) const {
			Set set = 0;
			if (!(directions >> i & 1)) return set;
			for (int l = 0; l < count; l++) set |= (cell[l]->links >> i & 1) << l;
			return set;
		}
		LBM_INLINE static I mask(Set set) {
			I m;
			for (int l = 0; l < W; l++) m[l] = -int(set >> l & 1);
			return m;
		}

		// sideBySide reports whether the cells are W neighbours in a row, none of them at its ends.
		LBM_INLINE bool sideBySide() const {
			if (count < W || cell[0]->x == 0 || int(cell[0]->x) + W >= at[0].nx) return false;
			for (int l = 1; l < W; l++)
				if (cell[l]->row != cell[0]->row || cell[l]->x != cell[0]->x + l) return false;
			return true;
		}

		// get reads components first to last. Of adjacent cells all lanes are read.
		LBM_INLINE void get(Set lanes, const int* d, int first, int last, T (*to)[W]) const {
			if (adjacent) {
				long step;
				const S* const p = at[0].place(d, step);
				for (int k = first; k < last; k++) store(to[k - first], Values::loadAny(p + k * step, k));
				return;
			}
			for (int k = first; k < last; k++)
				for (int l = 0; l < W; l++) to[k - first][l] = T(0);
			for (; lanes; lanes &= lanes - 1) {
				const int l = __builtin_ctz(lanes);
				long step;
				const S* const p = at[l].place(d, step);
				for (int k = first; k < last; k++) to[k - first][l] = T(Values::get(p[k * step], k));
			}
		}
		LBM_INLINE Expansion<L, R> expansion(Set lanes, const int* d) const {
			if (MOMENTS && adjacent) {
				long step;
				const S* const p = at[0].place(d, step);
				return expandAny(at[0].model, momentsFrom<L, R>([&](int k) LBM_LAMBDA { return Values::loadAny(p + k * step, k); }));
			}
			alignas(64) T v[COMPONENTS][W];
			get(lanes, d, 0, COMPONENTS, v);
			return expandAny(at[0].model, momentsOf(v));
		}
		// population returns population i of the neighbours at d of some lanes; the others are not
		// defined.
		LBM_INLINE R population(Set lanes, int i, const int* d) const {
			if constexpr (MOMENTS) {
				return expansion(lanes, d).any(i);
			} else {
				alignas(64) T v[1][W];
				get(lanes, d, i, i + 1, v);
				return load(v[0]);
			}
		}

		// eddies holds the eddy viscosity of all cells of the box, or is null.
		void step(const Params<T>& params, const T* eddies) {
			Params<T> p = params;
			alignas(64) T around[W] = {};
			for (int l = 0; eddies && l < count; l++) around[l] = eddies[(long)cell[l]->row * pitch + cell[l]->x];
			p.eddies = around;
			const Set all = (1u << (count - 1) << 1) - 1;
			adjacent = sideBySide();
			directions = 0;
			for (int l = 0; l < count; l++) directions |= cell[l]->links;
			const int here[3] = {0, 0, 0};
			std::conditional_t<MOMENTS, Expansion<L, R>, int> own;
			if constexpr (MOMENTS) own = expansion(all, here);
			auto mine = [&](int i) LBM_LAMBDA {
				if constexpr (MOMENTS) return own.any(i);
				else return population(all, i, here);
			};
			uint32_t next[W];  // link of each
			for (int l = 0; l < count; l++) next[l] = cell[l]->first;
			R in[L::Q], missing{};
			for (int i = 0; i < L::Q; i++) {
				const int c[3] = {L::c(i, 0), L::c(i, 1), L::c(i, 2)}, from[3] = {-c[0], -c[1], -c[2]};
				const Set walls = linked(i);
				Set pull = all & ~walls;
				R f{};
				if (!walls) {
					in[i] = i == L::Q / 2 ? mine(i) : population(pull, i, from);
					continue;
				}
				alignas(64) T law[4][W] = {}, sent[W] = {};
				Set conserve = 0, modelled = 0;
				for (Set rest = walls; rest; rest &= rest - 1) {
					const int l = __builtin_ctz(rest);
					const uint32_t at = next[l]++, word = links->list[at];
					if (word & MODELLED_LINK) {
						modelled |= 1u << l;
						sent[l] = ((const T*)links->populations)[(long)links->ghosts[at] * L::Q + i];
						continue;
					}
					if (cell[l]->more & MORE_CONSERVE) conserve |= 1u << l;
					if (word & GHOST_LINK) {
						pull |= 1u << l;
						continue;
					}
					const T* const n = (const T*)links->laws + (long)word * LINK_NUMBERS;
					for (int k = 0; k < 4; k++) law[k][l] = n[k];
				}
				if (pull) f = population(pull, i, from);
				if (modelled == walls) {
					in[i] = select(mask(walls), load(sent), f);
					continue;
				}
				const R a = load(law[0]), b = load(law[1]), behind = load(law[2]), back = mine(L::opposite(i));
				const R zero{};
				Set beyond = 0;
				for (int l = 0; l < W; l++) beyond |= Set(law[2][l] != T(0)) << l;
				R v = a * back;
				v = select(b != zero, v + b * mine(i), v);
				if (beyond) v = select(behind != zero, v + behind * population(beyond, L::opposite(i), c), v);
				v = v + load(law[3]);
				if (modelled) v = select(mask(modelled), load(sent), v);
				in[i] = select(mask(walls & ~pull), v, f);
				missing = select(mask(conserve), missing + (back - in[i]), missing);
			}
			finish(p, in, missing);
		}

		// finish collides the cells; cells with individual rates one after the other, in a lane of
		// a vector as well.
		LBM_INLINE void finish(const Params<T>& p, const R* in, const R& missing) const {
			Set plain = 0;
			for (int l = 0; l < count; l++) {
				const bool own = cell[l]->more & MORE_RATES;
				if (!own) plain |= 1u << l;
				else put(SpecialCell<L, MOMENTS, T, At>(at[l], view(l), links->list, (const T*)links->laws).rates(p), in, missing, 1u << l);
			}
			if (plain) put(p, in, missing, plain);
		}
		__attribute__((noinline)) void put(const Params<T>& p, const R* in, const R& missing, Set lanes) const {
			R v[COMPONENTS];
			collideIncoming<L, Model, MOMENTS>(p, in, missing, v);
			for (; lanes; lanes &= lanes - 1) {
				const int l = __builtin_ctz(lanes);
				for (int k = 0; k < COMPONENTS; k++) to[l][k * pitch] = rounded<L, MOMENTS, S>(v[k][l], k);
			}
		}
		LBM_INLINE LinkCell view(int l) const { return {cell[l]->x, cell[l]->row, cell[l]->first, cell[l]->links, cell[l]->more}; }
	};

	static void step(const lbm_case* c, const lbm_numbers* p, const lbm_links* links, const void* in, void* out, const lbm_range* r) {
		FlushTiny guard;
		const Box box(c);
		const Params<T> params = Params<T>(*p);
		Group group{links, box.layout.pitch};
		for (int z = r->lo[2]; z < r->hi[2]; z++) {
			for (int y = r->lo[1]; y < r->hi[1]; y++)
				each(box, links, (const S*)in, params.model, y, z, [&](const At& at, const lbm_link_cell& cell) {
					if (int(cell.x) < r->lo[0] || int(cell.x) >= r->hi[0]) return;  // another task's
					group.at[group.count] = at;
					group.cell[group.count] = &cell;
					group.to[group.count++] = (S*)out + box.layout.start(y, z) + cell.x;
					if (group.count < W) return;
					group.step(params, (const T*)c->eddies);
					group.count = 0;
				});
		}
		if (group.count) group.step(params, (const T*)c->eddies);
	}

	LBM_INLINE static Moments<L, R> momentsOf(const T (*v)[W]) {
		Moments<L, R> m;
		m.r = load(v[0]);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = load(v[1 + a.value]); });
		unroll<COMPONENTS - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = load(v[1 + L::D + k.value]); });
		return m;
	}

	static void forces(const lbm_case* c, const lbm_numbers* p, const lbm_links* links, const void* state, const int32_t origin[3], int32_t y, int32_t z, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		each(box, links, (const S*)state, p->model, y, z, [&](const At& at, const lbm_link_cell& cell) {
			const double x[3] = {origin[0] + int(cell.x) + 0.5, origin[1] + y + 0.5, origin[2] + z + 0.5};
			SpecialCell<L, MOMENTS, T, At>(at, {cell.x, cell.row, cell.first, cell.links, cell.more}, links->list, (const T*)links->laws, links->ghosts, (const T*)links->populations)
				.force(x, [&](unsigned k, const double* F, const double* M) {
					int64_t* to = sums + 6 * links->types[k];
					for (int a = 0; a < 3; a++) {
						to[a] += llrint(F[a] * FORCE_UNITS);
						to[3 + a] += llrint(M[a] * TORQUE_UNITS);
					}
				});
		});
	}

	// each visits the special cells of a row.
	template <class F> static void each(const Box& box, const lbm_links* links, const S* state, int model, int y, int z, F visit) {
		const uint32_t* row = links->rows + (long)z * box.c->n[1] + y;
		if (row[0] == row[1]) return;
		At at(box, state, model, y, z);
		for (uint32_t k = row[0]; k < row[1]; k++) {
			at.go(links->cells[k].x);
			visit(at, links->cells[k]);
		}
	}
};

}}  // namespace lbm
#endif
