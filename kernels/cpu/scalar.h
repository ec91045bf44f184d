// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The scalar of a box (../scalar.h) on the CPU. A tile of rows marches through the planes: the populations of each source row
// are computed once, a strip at a time, into a buffer that stays in the caches, and what streams from it is added to the sums of
// the rows around it. The order of the additions of one cell never depends on tiles or threads. Cells with a wall or a face
// beside them follow row by row (scalar_walls.h).
//
// In 3D the march of moments takes the scalar along (step_moments.h): it has the flow's populations at hand, and the cells that
// it has just finished. These stay in private memory until they have their scalar, too. Then they are stored past the caches in
// whole lines, in small portions while the next row is computed: stores through the caches would first read the lines, and were
// the largest cost of the scalar. Otherwise the scalar marches after the flow's step of the same cells.
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
	static constexpr int STRIP = Strip<T>::CELLS, STRIDE = Strip<T>::STRIDE;
	static constexpr int WIDTH = 512, ROWS = 24, PLANES = L::D == 3 ? 3 : 1;  // of a tile
	static constexpr int DEPTH = L::D == 3 ? 1 : 0, GROUPS = L::D == 3 ? 9 : 3;  // source planes on either side of a target; pairs c_y, c_z
	static constexpr bool ALONG = MOMENTS && L::D == 3;                          // the flow's march may take the scalar along
	// A segment is the LINE cells of a row whose values of one component fill a line of memory (64 bytes).
	static constexpr int LINE = 64 / sizeof(S), VECTORS = LINE / W, ALL = FIRST + MORE;
	static_assert(WIDTH % LINE == 0 && STRIP % LINE == 0, "tiles and strips have whole segments");

	Box box;
	ScalarParams<T> p;
	const lbm_numbers* numbers;
	const lbm_scalar_walls* walls;
	Expand<S> expandFlow;  // of moments
	const S* in;
	S* out;
	S* done;   // segments of the row that is finished last, [segment][component][LINE]; null: rows are finished in out
	S* place;  // of that row in out, for which it leaves while the next one is computed; null: it has left
	bool forced;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	long pitch;
	T* buffer;  // populations of two strips of the source row, [2][Q][STRIDE]
	T* beyond;  // of the cells beside the tile, [2][Q]
	T* sums;    // [plane % PLANES][row][x/W][SUMS][W], with two rows more on either side

	static int64_t scratch(const lbm_range*) { return (long)WIDTH * ALL * sizeof(S) + (2 * L::Q * (STRIDE + W) + PLANES * (ROWS + 4L) * SUMS * WIDTH) * sizeof(T) + 64; }

	static void step(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		for (int y = r->lo[1]; y < r->hi[1]; y += ROWS)
			for (int x = r->lo[0]; x < r->hi[0]; x += WIDTH) {
				const int end = r->hi[0] < x + WIDTH ? r->hi[0] : x + WIDTH, y1 = y + ROWS < r->hi[1] ? y + ROWS : r->hi[1];
				tile(c, n, walls, in, out, {{x, y, r->lo[2]}, {end, y1, r->hi[2]}}, scratch, false).march();
			}
	}

	// tile returns the march of a range of at most WIDTH cells and ROWS rows. along: the flow's march takes it along.
	static ScalarOf tile(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range& r, void* scratch, bool along) {
		if (r.hi[0] - r.lo[0] > WIDTH || r.hi[1] - r.lo[1] > ROWS) __builtin_trap();
		Expand<S> flow = nullptr;
		if constexpr (MOMENTS) flow = expandOf<L, S>(n->model);
		const int x1 = r.lo[0] + (r.hi[0] - r.lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		S* const done = (S*)scratch;
		T* const buffer = (T*)(done + WIDTH * ALL);
		if (along) __builtin_memset(done, 0, WIDTH * ALL * sizeof(S));  // the padding of the last segment stays zero
		T* const beyond = buffer + 2 * L::Q * STRIDE;
		__builtin_memset(beyond, 0, 2 * L::Q * sizeof(T));
		return {Box(c), ScalarParams<T>(*n), n, walls, flow, (const S*)in, (S*)out, along ? done : nullptr, nullptr, n->buoyancy[0] != 0 || n->buoyancy[1] != 0 || n->buoyancy[2] != 0,
		        r.lo[0], x1, r.lo[1], r.hi[1], r.lo[2], r.hi[2], c->pitch, buffer, beyond, beyond + 2 * L::Q * W};
	}

	void march() {
		for (int z = z0 - DEPTH; z < z1 + DEPTH; z++)
			for (int y = y0 - 1; y <= y1; y++) {
				const S* const row = box.source(in, y, z);
				if (row) {
					findBeyond(row);
					for (int x = x0; x < x1; x += STRIP) {
						if (x >= x0 + 2 * STRIP) scatter(x - 2 * STRIP, x - STRIP, y, z);
						populations(row + x, pitch, strip(x), x1 - x < STRIP ? x1 - x : STRIP);
						join(x);
					}
				}
				finishRow(row, y, z);
			}
	}

	// join exchanges the populations that stream between the strip from x on and the one before, or the cells beside the tile.
	// Loads that overlap two recent stores wait until both have reached the cache, so scatter follows as late as possible.
	LBM_INLINE void join(int x) const {
		T* const own = strip(x);
		T* const before = strip(x - STRIP);
		const bool first = x == x0, last = x + STRIP >= x1;
		const int end = (x1 < box.layout.nx ? x1 : box.layout.nx) - x;
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (L::c(I, 0) > 0) own[I * STRIDE - 1] = first ? beyond[I] : before[I * STRIDE + STRIP - 1];
			if constexpr (L::c(I, 0) < 0) {
				if (!first) before[I * STRIDE + STRIP] = own[I * STRIDE];
				if (last) own[I * STRIDE + end] = beyond[L::Q + I];
			}
		});
	}

	// finishRow follows source row (y, z), null where there is only wall: it adds the strips that are still in the buffer, and
	// finishes the cells that have all their populations. The rows of a plane come in their order, and the planes.
	__attribute__((noinline)) void finishRow(const S* row, int y, int z) {
		const int last = x0 + (x1 - x0 - 1) / STRIP * STRIP;
		if (row) {
			scatter(last > x0 ? last - STRIP : x0, x1, y, z);
			if constexpr (ALONG && LINE > LBM_BLOCK) leaveFrom<FIRST, ALL>(x1);  // the padding of the last segment
		} else {
			__builtin_memset(sumsOf(y + 1, z + DEPTH), 0, SUMS * (x1 - x0) * sizeof(T));
		}
		place = nullptr;
		if (y > y0 && z - DEPTH >= z0) finish(y - 1, z - DEPTH);
	}

	LBM_INLINE T* strip(int x) const { return buffer + ((x - x0) / STRIP & 1) * (L::Q * STRIDE) + W; }
	// sumsOf returns the sums of target row (y, z). Those beside the tile serve nothing.
	LBM_INLINE T* sumsOf(int y, int z) const { return sums + ((long)((z - z0 + PLANES) % PLANES) * (ROWS + 4) + (y - y0 + 2)) * SUMS * (x1 - x0); }

	// carry fills g, [Q][STRIDE], with the scalar's populations of one vector of cells whose component k is value(k). Of moments,
	// f has the flow's populations, [Q][STRIDE].
	template <class VALUE, class BETWEEN> LBM_INLINE static void carry(VALUE value, const T* f, T* g, BETWEEN between) {
		const R theta = value(FIRST);
		R q[L::D], u[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = value(FIRST + 1 + a.value); });
		if constexpr (MOMENTS) {
			Moments<L, R> m;
			m.r = value(0);
			unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
			velocityOf(m, u);
			const Carrier<L, R> carrier(theta, q, u);
			unroll<GROUPS>([&](auto k) LBM_LAMBDA {
				constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0;
				constexpr T share = T(1) / T(1 << (CY * CY + CZ * CZ));
				constexpr int ZERO = L::find(0, CY, CZ), PLUS = L::find(1, CY, CZ), MINUS = L::find(-1, CY, CZ);
				typename Expansion<L, R>::Triple own{load(f + ZERO * STRIDE), R{}, R{}};
				if constexpr (PLUS >= 0) own.plus = load(f + PLUS * STRIDE), own.minus = load(f + MINUS * STRIDE);
				const auto t = carrier.template triple<CY, CZ>(own);
				between(k);
				store(g + ZERO * STRIDE, t.zero * share);
				if constexpr (PLUS >= 0) {
					store(g + PLUS * STRIDE, t.plus * (share * T(0.5)));
					store(g + MINUS * STRIDE, t.minus * (share * T(0.5)));
				}
			});
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = value(FIRST + 1 + L::D + a.value); });
			const Carrier<L, R> carrier(theta, q, u);
			for (int i = 0; i < L::Q; i++) store(g + i * STRIDE, carrier.population(i, R(value(i))));
		}
	}

	// carryAll does so for cells whose component k is at from + k pitch. Meanwhile the flow of the finished cells in segments leaves
	// for place, and the scalar of the next row, at ahead, is prefetched; null: none.
	static __attribute__((noinline)) void carryAll(const S* from, long pitch, const T* f, T* to, int cells, const S* ahead, const S* segments, S* place) {
		for (int x = 0; x < cells; x += W) {
			if (ALONG && ahead && x % LINE == 0) unroll<MORE>([&](auto k) LBM_LAMBDA { __builtin_prefetch(ahead + (FIRST + k.value) * pitch + x, 0, 2); });
			carry([&](int k) LBM_LAMBDA { return Values::load(from + k * pitch + x, k); }, f + x, to + x, [&](auto k) LBM_LAMBDA {
				if constexpr (ALONG) {
					asm volatile("" ::: "memory");  // in small portions, as in step_moments.h
					if (place) leave<0, FIRST, decltype(k)::value, GROUPS>(segments, place, pitch, x / W);
					asm volatile("" ::: "memory");
				}
			});
		}
	}
	// leave stores part PART of PARTS of a vector's share of a finished segment, of components [LO, HI), past the caches.
	template <int LO, int HI, int PART, int PARTS> LBM_INLINE static void leave(const S* segments, S* place, long pitch, int vector) {
		constexpr int PIECE = VECTOR_BYTES / sizeof(S), PIECES = (HI - LO) * W / PIECE, BEGIN = PIECES * PART / PARTS, END = PIECES * (PART + 1) / PARTS;
		static_assert(PIECES * PIECE == (HI - LO) * W, "a segment leaves in whole stores");
		unroll<END - BEGIN>([&](auto n) LBM_LAMBDA {
			const int i = LO * LINE + (vector % VECTORS * PIECES + BEGIN + n.value) * PIECE;
			streamRaw<VECTOR_BYTES>(place + vector / VECTORS * LINE + i / LINE * pitch + i % LINE, segments + vector / VECTORS * (ALL * LINE) + i);
		});
	}
	// leaveFrom does so for the rest of the row, from cell x on.
	template <int LO, int HI> __attribute__((noinline)) void leaveFrom(int x) const {
		if (!place) return;
		for (const int end = (x1 + LINE - 1) / LINE * LINE; x < end; x += W) leave<LO, HI, 0, 1>(done, place, pitch, (x - x0) / W);
	}
	// leaveRow does so for the row, where no source row follows.
	void leaveRow() {
		leaveFrom<0, FIRST>(x0);
		leaveFrom<FIRST, ALL>(x0);
		place = nullptr;
	}
	LBM_INLINE S* segment(int x) const { return done + (x - x0) / LINE * (ALL * LINE); }
	void populations(const S* from, long pitch, T* to, int cells) const {
		if constexpr (MOMENTS) expandFlow(from, pitch, to, STRIDE, cells);
		carryAll(from, pitch, to, to, cells, nullptr, nullptr, nullptr);
	}
	// carryFlow takes the strip of source row (y, z) from x on, whose flow has the populations f, [Q][STRIDE]. The flow of the
	// finished cells there leaves, before the march computes others in their place.
	void carryFlow(const S* row, const S* next, int y, int z, int x, const T* f, int cells) const {
		if (x >= x0 + 2 * STRIP) scatter(x - 2 * STRIP, x - STRIP, y, z);
		carryAll(row + x, pitch, f, strip(x), cells, next ? next + x : nullptr, segment(x), place ? place + (x - x0) : nullptr);
		if constexpr (LINE > LBM_BLOCK)
			if (x + cells == x1) leaveFrom<0, FIRST>(x1);
		join(x);
	}
	// carryBeyond takes the cells beside the tile, the first two of a vector; f becomes their scalar's populations.
	void carryBeyond(const S* own, T* f) const {
		carryAll(own, W, f, f, W, nullptr, nullptr, nullptr);
		for (int i = 0; i < L::Q; i++) beyond[i] = f[i * STRIDE], beyond[L::Q + i] = f[i * STRIDE + 1];
	}

	// findBeyond finds the populations of the cells beside the tile.
	void findBeyond(const S* row) const {
		const int n = box.layout.nx, end = x1 < n ? x1 : n;
		const bool periodic = box.c->periodic[0];
		const int cells[2] = {x0 > 0 ? x0 - 1 : periodic ? n - 1 : -1, end < n ? end : periodic ? 0 : -1};
		if (cells[0] < 0 && cells[1] < 0) return;
		alignas(64) S own[ALL * W] = {};
		for (int side = 0; side < 2; side++)
			if (cells[side] >= 0)
				for (int k = 0; k < ALL; k++) own[k * W + side] = row[k * pitch + cells[side]];
		alignas(64) T f[L::Q * STRIDE];
		if constexpr (MOMENTS) expandFlow(own, W, f, STRIDE, W);
		carryBeyond(own, f);
	}

	// scatter adds the populations that stream from the cells [from, to) of source row (y, z). The scalar of the finished cells
	// there leaves.
	__attribute__((noinline)) void scatter(int from, int to, int y, int z) const {
		const long row = SUMS * (x1 - x0);
		T* s[PLANES];
		for (int k = 0; k < PLANES; k++) s[k] = sumsOf(y, z + k - DEPTH) + (long)(from - x0) * SUMS;
		for (int x = from; x < to;) {
			const T* f = strip(x);
			const int end = to - x < STRIP ? to : x + STRIP;
			for (; x < end; x += W, f += W)
				unroll<PLANES>([&](auto k) LBM_LAMBDA {
					T*& at = s[k.value];
					group<-1, decltype(k)::value - DEPTH>(f, at - row);
					group<0, decltype(k)::value - DEPTH>(f, at);
					group<1, decltype(k)::value - DEPTH>(f, at + row);
					at += SUMS * W;
					if constexpr (ALONG && decltype(k)::value == 1)
						if (place) leave<FIRST, ALL, 0, 1>(done, place, pitch, (x - x0) / W);
				});
		}
	}
	template <int CY, int CZ> LBM_INLINE static void group(const T* f, T* s) {
		constexpr int PLUS = L::find(1, CY, CZ), MINUS = L::find(-1, CY, CZ);
		constexpr bool START = CY > 0 && CZ == DEPTH;  // the first populations that the row gets
		auto sum = [&](int k) LBM_LAMBDA { return START ? R{} : load(s + k * W); };
		R s0 = load(f + L::find(0, CY, CZ) * STRIDE);
		if constexpr (PLUS >= 0) {
			const R plus = loadAny(f + PLUS * STRIDE - 1), minus = loadAny(f + MINUS * STRIDE + 1);
			s0 = s0 + (plus + minus);
			store(s + W, sum(1) + (plus - minus));
		} else if constexpr (START) {
			store(s + W, R{});
		}
		store(s, sum(0) + s0);
		if constexpr (CY != 0) store(s + 2 * W, CY > 0 ? sum(2) + s0 : sum(2) - s0);
		if constexpr (CZ != 0) store(s + 3 * W, CZ > 0 ? sum(3) + s0 : sum(3) - s0);
	}

	template <class VALUE> LBM_INLINE static void stressOf(Moments<L, R>& m, VALUE value) {
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = value(1 + L::D + k.value); });
	}

	// finish computes the new scalar of row (y, z), whose flow the flow's step has written, and adds its force to that flow.
	__attribute__((noinline)) void finish(int y, int z) {
		const int n = box.layout.nx;
		const T* incoming = sumsOf(y, z);
		const S* const old = in + box.layout.start(y, z);
		S* const row = out + box.layout.start(y, z);
		const lbm_row own = done ? lbm_row{done - x0 / LINE * (ALL * LINE), ALL * LINE, LINE} : lbm_row{row, LINE, pitch};
		const RowOf<S> to(own);
		const T* const eddies = eddiesOf(y, z);
		const bool layered = numbers->kind == LawNumber<Smagorinsky>::value;
		for (int x = x0; x < x1; x += W, incoming += SUMS * W) {
			S* const cell = to.at(x);
			auto value = [&](int k) LBM_LAMBDA { return Values::load(cell + k * to.pitch, k); };
			auto put = [&](int k, const R& v) LBM_LAMBDA { Values::store(cell + k * to.pitch, k, v); };
			ScalarSums<L, R> sum;
			sum.e = load(incoming);
			unroll<L::D>([&](auto a) LBM_LAMBDA { sum.phi[a.value] = load(incoming + (1 + a.value) * W); });
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
		for (int x = x0; x < x1; x += 8) {
			uint64_t some;
			__builtin_memcpy(&some, types + x, 8);
			if (x + 8 <= n && !some) continue;
			for (int l = x; l < x + 8; l++)
				if (l >= n || types[l])
					for (int k = 0; k < ALL; k++) to.at(l)[k * to.pitch] = S{};
		}
		walls->beside(box.c, numbers, walls, in, own, y, z, x0, x1);
		if (done) place = row + x0;
	}

	// eddiesOf returns the eddy viscosities of a row for laws that read neighbours, and of the layer above walls with a model; null
	// for others.
	const T* eddiesOf(int y, int z) const { return box.c->eddies ? (const T*)box.c->eddies + ((long)z * box.layout.ny + y) * pitch : nullptr; }

};

}}  // namespace lbm
#endif
