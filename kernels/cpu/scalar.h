// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The scalar of a box (../scalar.h) on the CPU. A tile of rows marches through the planes: the populations of each source row
// are computed once, into a buffer that stays in the caches, and what streams from it is added to the sums of the rows around it.
// The order of the additions of one cell never depends on tiles or threads. Cells with a wall or a face beside them follow row
// by row (scalar_walls.h). In 3D the march of moments takes the scalar along (step_moments.h): it has the flow's populations at
// hand, and the cells that it has just finished. Otherwise the scalar marches after the flow's step of the same cells.
#ifndef LBM_CPU_SCALAR_H
#define LBM_CPU_SCALAR_H
#include "../scalar.h"
#include "box.h"
#include "expand.h"
#include "general.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S> struct ScalarOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q, SUMS = 1 + L::D;
	// Cells of the scalar: its value, its flux and, beside populations, the velocity.
	static constexpr int MORE = MOMENTS ? 1 + L::D : 1 + 2 * L::D;
	static constexpr int WIDTH = 512, ROWS = 24, PLANES = L::D == 3 ? 3 : 1;  // of a tile

	Box box;
	ScalarParams<T> p;
	const lbm_numbers* numbers;
	const lbm_scalar_walls* walls;
	Expand<S> expandFlow;  // of moments
	const S* in;
	S* out;
	bool forced;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	long stride, pitch;
	T *buffer, *sums;            // populations of the row at hand, [Q][stride]; [plane % PLANES][row][SUMS][width]

	static int64_t scratch(const lbm_range*) { return (L::Q * (WIDTH + 2 * W) + (long)PLANES * ROWS * SUMS * WIDTH) * sizeof(T) + 64; }

	static void step(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		for (int y = r->lo[1]; y < r->hi[1]; y += ROWS)
			for (int x = r->lo[0]; x < r->hi[0]; x += WIDTH) {
				const int end = r->hi[0] < x + WIDTH ? r->hi[0] : x + WIDTH, y1 = y + ROWS < r->hi[1] ? y + ROWS : r->hi[1];
				tile(c, n, walls, in, out, {{x, y, r->lo[2]}, {end, y1, r->hi[2]}}, scratch).march();
			}
	}

	// tile returns the march of a range of at most WIDTH cells and ROWS rows.
	static ScalarOf tile(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range& r, void* scratch) {
		if (r.hi[0] - r.lo[0] > WIDTH || r.hi[1] - r.lo[1] > ROWS) __builtin_trap();
		Expand<S> flow = nullptr;
		if constexpr (MOMENTS) flow = expandOf<L, S>(n->model);
		const int x1 = r.lo[0] + (r.hi[0] - r.lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		const long stride = x1 - r.lo[0] + 2 * W;
		T* const buffer = (T*)scratch;
		return {Box(c), ScalarParams<T>(*n), n, walls, flow, (const S*)in, (S*)out, n->buoyancy[0] != 0 || n->buoyancy[1] != 0 || n->buoyancy[2] != 0,
		        r.lo[0], x1, r.lo[1], r.hi[1], r.lo[2], r.hi[2], stride, c->pitch, buffer, buffer + L::Q * stride};
	}

	static constexpr int DEPTH = L::D == 3 ? 1 : 0;
	void march() const {
		for (int z = z0 - DEPTH; z < z1 + DEPTH; z++)
			for (int y = y0 - 1; y <= y1; y++) {
				const S* const row = box.source(in, y, z);
				if (row) populations(row + x0, pitch, buffer + W, stride, x1 - x0);
				add(row, y, z);
			}
	}

	// add adds source row (y, z), whose populations are in the buffer, null where there is only wall, and finishes the cells that
	// have all of theirs. The rows of a plane come in their order, and the planes.
	__attribute__((noinline)) void add(const S* row, int y, int z) const {
		if (y + 1 < y1 && z + DEPTH < z1) __builtin_memset(sumsOf(y + 1, z + DEPTH), 0, SUMS * (x1 - x0) * sizeof(T));
		if (row) {
			findBeyond(row);
			scatter(y, z);
		}
		if (y > y0 && z - DEPTH >= z0) finish(y - 1, z - DEPTH);
	}

	LBM_INLINE T* at(int i) const { return buffer + i * stride + W; }
	LBM_INLINE T* sumsOf(int y, int z) const { return sums + ((long)((z - z0) % PLANES) * ROWS + (y - y0)) * SUMS * (x1 - x0); }

	// carry fills g, [Q][stride], with the scalar's populations of one vector of cells whose component k is value(k). Of moments,
	// f has the flow's populations, [Q][flow].
	template <class VALUE> LBM_INLINE static void carry(VALUE value, const T* f, long flow, T* g, long stride) {
		const R theta = value(FIRST);
		R q[L::D], u[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = value(FIRST + 1 + a.value); });
		if constexpr (MOMENTS) {
			Moments<L, R> m;
			m.r = value(0);
			unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
			velocityOf(m, u);
			const Carrier<L, R> carrier(theta, q, u);
			unroll<L::D == 3 ? 9 : 3>([&](auto k) LBM_LAMBDA {
				constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0;
				constexpr T share = T(1) / T(1 << (CY * CY + CZ * CZ));
				constexpr int ZERO = L::find(0, CY, CZ), PLUS = L::find(1, CY, CZ), MINUS = L::find(-1, CY, CZ);
				typename Expansion<L, R>::Triple own{load(f + ZERO * flow), R{}, R{}};
				if constexpr (PLUS >= 0) own.plus = load(f + PLUS * flow), own.minus = load(f + MINUS * flow);
				const auto t = carrier.template triple<CY, CZ>(own);
				store(g + ZERO * stride, t.zero * share);
				if constexpr (PLUS >= 0) {
					store(g + PLUS * stride, t.plus * (share * T(0.5)));
					store(g + MINUS * stride, t.minus * (share * T(0.5)));
				}
			});
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = value(FIRST + 1 + L::D + a.value); });
			const Carrier<L, R> carrier(theta, q, u);
			for (int i = 0; i < L::Q; i++) store(g + i * stride, carrier.population(i, R(value(i))));
		}
	}

	// carryAll does so for cells whose component k is at from + k pitch.
	static __attribute__((noinline)) void carryAll(const S* from, long pitch, const T* f, long flow, T* to, long stride, int cells) {
		for (int x = 0; x < cells; x += W) carry([&](int k) LBM_LAMBDA { return Values::load(from + k * pitch + x, k); }, f + x, flow, to + x, stride);
	}
	void populations(const S* from, long pitch, T* to, long stride, int cells) const {
		if constexpr (MOMENTS) expandFlow(from, pitch, to, stride, cells);
		carryAll(from, pitch, to, stride, to, stride, cells);
	}
	// carryFlow fills the buffer from cell x of a row on, whose flow has the populations at f, [Q][flow].
	void carryFlow(const S* row, int x, const T* f, long flow, int cells) const { carryAll(row + x, pitch, f, flow, buffer + W + (x - x0), stride, cells); }

	// findBeyond adds the populations of the cells beside the tile to the buffer.
	void findBeyond(const S* row) const {
		const int n = box.layout.nx, end = x1 < n ? x1 : n;
		const bool periodic = box.c->periodic[0];
		const int cells[2] = {x0 > 0 ? x0 - 1 : periodic ? n - 1 : -1, end < n ? end : periodic ? 0 : -1};
		alignas(64) S own[(FIRST + MORE) * W] = {};
		for (int side = 0; side < 2; side++)
			if (cells[side] >= 0)
				for (int k = 0; k < FIRST + MORE; k++) own[k * W + side] = row[k * pitch + cells[side]];
		alignas(64) T beside[L::Q * W] = {};
		if (cells[0] >= 0 || cells[1] >= 0) populations(own, W, beside, W, W);
		for (int i = 0; i < L::Q; i++) {
			if (L::c(i, 0) > 0) at(i)[-1] = beside[i * W];
			if (L::c(i, 0) < 0) at(i)[end - x0] = beside[i * W + 1];
		}
	}

	// scatter adds the populations that stream from source row (y, z).
	void scatter(int y, int z) const {
		unroll<L::D == 3 ? 9 : 3>([&](auto k) LBM_LAMBDA {
			constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0;
			if (y + CY >= y0 && y + CY < y1 && (L::D == 2 || (z + CZ >= z0 && z + CZ < z1))) group<CY, CZ>(sumsOf(y + CY, z + CZ));
		});
	}
	template <int CY, int CZ> __attribute__((noinline)) void group(T* to) const {
		const int width = x1 - x0;
		const T* const zero = at(L::find(0, CY, CZ));
		for (int x = 0; x < width; x += W) {
			R s0 = load(zero + x);
			T* const s = to + x;
			if constexpr (L::find(1, CY, CZ) >= 0) {
				const R plus = loadAny(at(L::find(1, CY, CZ)) + x - 1), minus = loadAny(at(L::find(-1, CY, CZ)) + x + 1);
				s0 = s0 + (plus + minus);
				store(s + width, load(s + width) + (plus - minus));
			}
			store(s, load(s) + s0);
			if constexpr (CY != 0) store(s + 2 * width, CY > 0 ? load(s + 2 * width) + s0 : load(s + 2 * width) - s0);
			if constexpr (CZ != 0) store(s + 3 * width, CZ > 0 ? load(s + 3 * width) + s0 : load(s + 3 * width) - s0);
		}
	}

	template <class VALUE> LBM_INLINE static void stressOf(Moments<L, R>& m, VALUE value) {
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = value(1 + L::D + k.value); });
	}

	// finish computes the new scalar of row (y, z), whose flow the flow's step has written, and adds its force to that flow.
	__attribute__((noinline)) void finish(int y, int z) const {
		const int width = x1 - x0, n = box.layout.nx;
		const T* const from = sumsOf(y, z);
		const S* const old = in + box.layout.start(y, z);
		S* const to = out + box.layout.start(y, z);
		const T* const eddies = eddiesOf(y, z);
		const bool layered = numbers->kind == LawNumber<Smagorinsky>::value;
		for (int x = x0; x < x1; x += W) {
			auto value = [&](int k) LBM_LAMBDA { return Values::load(to + k * pitch + x, k); };
			auto put = [&](int k, const R& v) LBM_LAMBDA { Values::store(to + k * pitch + x, k, v); };
			ScalarSums<L, R> sum;
			sum.e = load(from + x - x0);
			unroll<L::D>([&](auto a) LBM_LAMBDA { sum.phi[a.value] = load(from + (1 + a.value) * width + x - x0); });
			Moments<L, R> m{};
			R f[L::Q];
			if constexpr (MOMENTS) {
				m.r = value(0);
				unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
			} else {
				unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = value(i.value); });
				sumMoments<L>(f, m.r, m.j);
			}
			sum.r = m.r;
			unroll<L::D>([&](auto a) LBM_LAMBDA { sum.j[a.value] = m.j[a.value] - p.force[a.value]; });
			R theta, q[L::D], u[L::D];
			sum.values(theta, q);
			const R before = Values::load(old + FIRST * pitch + x, FIRST);
			if constexpr (!MOMENTS) {
				buoyedPopulations<L>(f, before, p, u);
				if (forced) unroll<L::Q>([&](auto i) LBM_LAMBDA { put(i.value, f[i.value]); });
			} else if (forced) {
				stressOf(m, value);
				buoyed(m, before, p);
				unroll<L::D>([&](auto a) LBM_LAMBDA { put(1 + a.value, m.j[a.value]); });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { put(1 + L::D + k.value, m.s[k.value]); });
			}
			put(FIRST, theta);
			R keep = R{} + p.keep;
			if (eddies && !layered) {
				keep = eddyKeep(load(eddies + x), p);
			} else if (p.eddy != T(0)) {
				if constexpr (!MOMENTS) m = momentsOf<L>(f);
				else if (!forced) stressOf(m, value);
				keep = eddies ? eddyKeep(m, load(eddies + x), p) : eddyKeep(m, p);
			}
			unroll<L::D>([&](auto a) LBM_LAMBDA { put(FIRST + 1 + a.value, keep * q[a.value]); });
			if constexpr (!MOMENTS) unroll<L::D>([&](auto a) LBM_LAMBDA { put(FIRST + 1 + L::D + a.value, u[a.value]); });
		}
		// Solid cells and padding become zeros; conducting solids follow later.
		const uint8_t* const types = walls->types + ((long)(z + 1) * (box.layout.ny + 2) + y + 1) * (n + 2) + 1;
		for (int x = x0; x < x1; x++)
			if (x >= n || types[x])
				for (int k = 0; k < FIRST + MORE; k++) to[k * pitch + x] = S{};
		walls->beside(box.c, numbers, walls, in, out, y, z, x0, x1);
	}

	// eddiesOf returns the eddy viscosities of a row for laws that read neighbours, and of the layer above walls with a model; null
	// for others.
	const T* eddiesOf(int y, int z) const { return box.c->eddies ? (const T*)box.c->eddies + ((long)z * box.layout.ny + y) * pitch : nullptr; }

};

}}  // namespace lbm
#endif
