// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of a state of moments on the CPU.
//
// A tile of rows marches through the planes. Each source row is read from memory once and expanded to populations, by its
// closure, a strip at a time, into a buffer that stays in the first cache; the populations that stream to one target are summed
// axis by axis, as (c_x) then (c_y) then (c_z) partial sums of moments, because a partial sum serves all the moments that share
// it:
//   x: of each group (c_y, c_z) the sums s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f, of
//      what lies in the buffer one cell to the left, at the place and one to the right
//   y: rows y-1, y, y+1 add to the moments of plane z, one set for each c_z;
//      partial sums for the next rows stay in two rows of sums (Rows)
//   z: planes z-1, z, z+1; partial sums stay in the tile's sums (Planes, L2 cache)
// Finished cells are stored past the caches in whole lines of memory, spread over the arithmetic of the next cells: a line
// that is written in parts, between lines of other components, reaches memory in parts, too. With a scalar they follow a row
// later (scalar.h). Populations come without their
// factors 1/2 (expansion.h): sums over directions that stream along an axis are twice what they stand for, once for each
// such axis. The order of the additions of one cell never depends on tiles or threads, so any decomposition gives the same
// bits.
#ifndef LBM_STEP_MOMENTS_H
#define LBM_STEP_MOMENTS_H
#include "../expansion.h"
#include "../outflow.h"
#include "box.h"
#include "expand.h"
#include "general.h"
#include "memory.h"
#include "scalar.h"

namespace lbm { namespace {

template <class L, class S> struct StepMoments {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, true> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr bool CORNERS = L::find(1, 1, 1) >= 0;  // populations with all three components
	// corner reports whether there are populations with c_x and c_y for this c_z.
	static constexpr bool corner(int cz) { return L::find(1, 1, cz) >= 0; }
	// Vectors of Rows per vector of cells for one c_z: first the sums of the next row (a: s0, with corners s1, s2), then of
	// this one (b: r, y, x, xx, with corners xy).
	static constexpr int FIRST(int cz) { return corner(cz) ? 3 : 1; }
	static constexpr int BOTH(int cz) { return corner(cz) ? 8 : 5; }
	static constexpr int AB = L::D == 3 ? BOTH(0) + 2 * BOTH(1) : BOTH(0);
	static constexpr int UP = CORNERS ? 6 : 5;              // of Planes, for one plane that rises
	static constexpr int MU = L::D == 3 ? 6 + 2 * UP : 0;   // of Planes

	// The moments of one plane's contribution.
	struct Sum { R r, x, y, xx, yy, xy; };
	struct Group { R s0, s1, s2; };

	// A segment is the LINE cells of a row whose values of one component fill a line of memory (64 bytes).
	static constexpr int LINE = 64 / sizeof(S);
	static constexpr int VECTORS = LINE / W;                        // per segment
	static constexpr int PIECE = VECTOR_BYTES / sizeof(S);          // values per store
	static constexpr int STORES = L::M * LINE / PIECE / VECTORS;    // per vector: a segment leaves while the next one is computed
	static constexpr int FETCHES = (L::M + VECTORS - 1) / VECTORS;  // lines of the next row to prefetch, per vector
	static constexpr bool TAKES = L::D == 3;                        // a scalar along; tiles in 2D have more rows than its own
	// Blocks may begin in the middle of a segment: only whole segments leave later.
	static constexpr bool WHOLE = LINE <= LBM_BLOCK;

	static constexpr int STRIP = Strip<T>::CELLS, STRIDE = Strip<T>::STRIDE;
	static_assert(STRIP % LINE == 0 && VECTORS * STORES * PIECE == L::M * LINE, "a segment is a part of a strip, and leaves in whole stores");
	// Source is the current row, which is null where there is only wall, and the populations that stream into the tile from the
	// cells beyond its ends.
	struct Source {
		const S *row, *next;
		long number;
		int y, z;
		T beyond[2][L::Q];
	};

	// Finished is the segment that was finished last, [component][LINE], and its place in memory; null: none yet.
	struct Finished { const S* from; S* to; };

	Box box;
	Params<T> params;
	Expand<S> populations;
	Relaxation how;
	const S* in;
	S* out;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	bool whole;   // the tile has whole rows: the next row is prefetched in the order of addresses, which the hardware then continues
	T* buffer;    // populations of two strips of the row at hand, [2][Q][STRIDE]; cells begin at W, so that there is one before
	Source* source;
	T* rows;      // Rows: [x/W][AB][W]
	T* planes;    // Planes: [y-y0][x/W][MU][W]
	T* returns;   // Returns: [z%2][y-y0+1][end][KEPT]
	ScalarOf<L, true, S>* scalar;  // which the march takes along; null: none
	S* done;      // [2][component][LINE]: the segment that leaves, and the one that is computed
	Finished* finished;
	// Offsets of the stores of a finished segment and of the prefetches beside it, by vector of the segment.
	long stores[VECTORS * STORES], fetches[VECTORS * FETCHES];

	// Sums of the populations that a plain wall at rest beyond an end of the rows returns to the end's cell, except for its
	// velocity across: sums of f, c_y f, c_z f, c_y^2 f, c_z^2 f, c_y c_z f. Every row of a closed box has two such cells;
	// their populations pass through the buffer once.
	static constexpr int BACK = 6;
	// Then the wave that an outflow there wants in that cell after the step (../outflow.h).
	static constexpr int KEPT = BACK + 1;

	static int64_t scratch(const lbm_range* r) {
		int64_t width = (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK, rows = r->hi[1] - r->lo[1];
		const int64_t sums = (2 * L::Q * STRIDE + width * AB + width * MU * rows + 4 * KEPT * (rows + 2)) * sizeof(T);
		return (sums + 63) / 64 * 64 + 2 * L::M * 64;
	}

	static void run(const lbm_case* c, const lbm_numbers* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		if (r->lo[0] % LINE) __builtin_trap();
		const int x1 = r->lo[0] + (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK, width = x1 - r->lo[0];
		StepMoments s{Box(c), Params<T>(*p), expandOf<L, S>(p->model)};
		s.how = relaxationOf(s.params);
		s.in = (const S*)in, s.out = (S*)out;
		s.x0 = r->lo[0], s.x1 = x1, s.y0 = r->lo[1], s.y1 = r->hi[1], s.z0 = r->lo[2], s.z1 = r->hi[2];
		s.whole = width == c->pitch;
		s.buffer = (T*)scratch;
		s.rows = s.buffer + 2 * L::Q * STRIDE;
		s.planes = s.rows + width * AB;
		s.returns = s.planes + width * MU * (s.y1 - s.y0);
		s.done = (S*)((char*)scratch + StepMoments::scratch(r) - 2 * L::M * 64);
		for (int n = 0; n < VECTORS * STORES; n++) s.stores[n] = n * PIECE / LINE * (long)c->pitch + n * PIECE % LINE;
		for (int n = 0; n < VECTORS * FETCHES; n++) {
			const int vector = n / FETCHES, line = vector * L::M / VECTORS + n % FETCHES;
			s.fetches[n] = (line < L::M ? line : L::M - 1) * (s.whole ? (long)LINE : (long)c->pitch);
		}
		Finished finished{s.done, nullptr};
		s.finished = &finished;
		Source source;
		s.source = &source;
		if constexpr (TAKES) {
			if (c->scalar) {
				auto scalar = ScalarOf<L, true, S>::tile(c, p, c->scalar, in, out, *r, (char*)scratch + StepMoments::scratch(r), true);
				s.scalar = &scalar;
				s.march();
				scalar.leaveRow();
				fence();
				return;
			}
		}
		s.march();
		for (int n = 0; finished.to && n < VECTORS * STORES; n++) s.storePiece(finished, n);
		fence();
	}

	void march() const {
		if constexpr (L::D == 2) {
			for (int z = z0; z < z1; z++) sweep(z);
		} else {
			for (int z = z0 - 1; z <= z1; z++) sweep(z);
		}
	}

	// sweep adds the rows of source plane z.
	void sweep(int z) const {
		long soon = box.stored(y0 - 1, z);
		for (int y = y0 - 1; y <= y1; y++) {
			const long number = soon;
			soon = y < y1 ? box.stored(y + 1, z) : L::D == 3 && z < z1 ? box.stored(y0 - 1, z + 1) : -1;
			const S *const row = box.row(in, number), *const next = box.row(in, soon);
			bool complete = y > y0, finish = complete && (L::D == 2 || z > z0);
			Walls walls(box.c, finish ? y - 1 : 0, finish && L::D == 3 ? z - 1 : 0, x0);
			if (y >= y0 && y < y1 && (L::D == 2 || z > z0)) fetchWalls<false, L::M>(box, in, y, L::D == 3 ? z - 1 : z, x0, x1, [&](auto* p, int x) { return isFace(p, x); });
			*source = Source{row, next, number, y, z, {}};
			begin();
			if (row && y >= y0 && y < y1) keepWaves(row, number, y, z);
			if (finish) gather(y, z, next, walls);
			else add(complete, y, z, next);
			if constexpr (TAKES)
				if (scalar) scalar->finishRow(row, y, z);
		}
	}

	// strip returns the buffer's place for the strip that holds x, cellAt for cell x.
	LBM_INLINE T* strip(int x) const { return buffer + ((x - x0) / STRIP & 1) * (L::Q * STRIDE) + W; }
	LBM_INLINE T* cellAt(int x) const { return strip(x) + (x - x0) % STRIP; }

	// begin starts the source row: it expands its first strip into the buffer.
	__attribute__((noinline)) void begin() const {
		if (!source->row) {
			__builtin_memset(buffer, 0, 2 * L::Q * STRIDE * sizeof(T));
			if constexpr (TAKES)
				if (scalar) scalar->leaveRow();
			return;
		}
		findBeyond();
		expand(x0);
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			if constexpr (L::c(i.value, 0) > 0) strip(x0)[i.value * STRIDE - 1] = source->beyond[0][i.value];
		});
	}
	// proceed is called where a strip begins, at x: it expands the next strip and exchanges the populations that stream between
	// the two.
	__attribute__((noinline)) void proceed(int x) const {
		if (!source->row) return;
		T* const own = strip(x);
		if (x + STRIP < x1) {
			T* const other = strip(x + STRIP);
			expand(x + STRIP);
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				if constexpr (L::c(I, 0) > 0) other[I * STRIDE - 1] = own[I * STRIDE + STRIP - 1];
				if constexpr (L::c(I, 0) < 0) own[I * STRIDE + STRIP] = other[I * STRIDE];
			});
		} else {
			const int end = (x1 < box.layout.nx ? x1 : box.layout.nx) - x;
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				if constexpr (L::c(i.value, 0) < 0) own[i.value * STRIDE + end] = source->beyond[1][i.value];
			});
		}
	}
	// expand writes the populations of the strip that begins at x to the buffer.
	LBM_INLINE void expand(int x) const {
		T* const to = strip(x);
		const int n = box.layout.nx;
		const int cells = x + STRIP < x1 ? STRIP : x1 - x;
		populations(source->row + x, box.layout.pitch, to, STRIDE, cells);
		if constexpr (TAKES)
			if (scalar) scalar->carryFlow(source->row, source->next, source->y, source->z, x, to, cells);
		if (source->y < y0 || source->y >= y1 || box.c->periodic[0]) return;
		auto wall = [&](int side) LBM_LAMBDA { return !box.c->rowEnds || box.rowEnd(side, source->number).rule == LBM_NONE; };
		if (x == 0 && wall(0)) keepReturn<1>(to, returned(0, source->y, source->z));
		if (x < n && n <= x + STRIP && x1 >= n && wall(1)) keepReturn<-1>(to + (n - 1 - x), returned(1, source->y, source->z));
	}

	// findBeyond finds the populations that come from beyond the ends of the tile's row: from the next cells, the other end of
	// a periodic row, ghost cells, nothing behind a wall.
	LBM_INLINE void findBeyond() const {
		const S* const row = source->row;
		const int n = box.layout.nx, end = x1 < n ? x1 : n;
		const bool periodic = box.c->periodic[0], ghosts = box.c->ends || box.c->rowEnds;
		const int cells[2] = {x0 > 0 ? x0 - 1 : periodic ? n - 1 : -1, end < n ? end : periodic ? 0 : -1};
		if (cells[0] < 0 && cells[1] < 0 && !ghosts) return;
		alignas(64) S own[(L::M + (TAKES ? 1 + L::D : 0)) * W] = {};  // ghost cells send no scalar
		for (int side = 0; side < 2; side++) {
			if (cells[side] >= 0) {
				for (int k = 0; k < (TAKES && scalar ? L::M + 1 + L::D : L::M); k++) own[k * W + side] = row[k * (long)box.layout.pitch + cells[side]];
			} else if (box.c->rowEnds) {
				const lbm_row_end& rowEnd = box.rowEnd(side, source->number);
				if (rowEnd.rule != LBM_NONE) box.c->beyond((const T*)box.c->faceRules + (long)rowEnd.rule * FACE_NUMBERS, in + (long)rowEnd.from * box.layout.components * box.layout.pitch + (side ? n - 1 : 0), box.layout.pitch, own + side, W);
			} else if (ghosts) {
				const S* const beyond = box.end<S>(side, source->number, L::M);
				for (int k = 0; k < L::M; k++) own[k * W + side] = beyond[k * LBM_BLOCK];
			}
		}
		alignas(64) T all[L::Q * STRIDE];
		populations(own, W, all, STRIDE, W);
		for (int i = 0; i < L::Q; i++) source->beyond[0][i] = all[i * STRIDE], source->beyond[1][i] = all[i * STRIDE + 1];
		if constexpr (TAKES)
			if (scalar) scalar->carryBeyond(own, all);
	}

	// returned returns the sums that the wall beyond an end of row (y, z) sends back; end 0: left, 1: right.
	LBM_INLINE T* returned(int end, int y, int z) const { return returns + (((z & 1) * (y1 - y0 + 2) + y - y0 + 1) * 2 + end) * KEPT; }
	// keepReturn reverses the populations that leave a cell with c_x = -CX.
	template <int CX> LBM_INLINE void keepReturn(const T* f, T* to) const {
		T back[BACK] = {};
		unroll<L::D == 3 ? 9 : 3>([&](auto k) LBM_LAMBDA {
			constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0, I = L::find(-CX, -CY, -CZ);
			if constexpr (I >= 0) {
				const T g = f[I * STRIDE] * Expansion<L, R>::share(I);
				back[0] += g;
				if constexpr (CY != 0) back[1] += CY > 0 ? g : -g, back[3] += g;
				if constexpr (CZ != 0) back[2] += CZ > 0 ? g : -g, back[4] += g;
				if constexpr (CY * CZ != 0) back[5] += CY * CZ > 0 ? g : -g;
			}
		});
		for (int k = 0; k < BACK; k++) to[k] = back[k];
	}

	// keepWaves stores the waves that outflows beyond the ends of row (y, z) want.
	LBM_INLINE void keepWaves(const S* row, long number, int y, int z) const {
		if (!box.c->rowEnds) return;
		const int n = box.layout.nx;
		for (int side = 0; side < 2; side++) {
			if (side == 0 ? x0 > 0 : x1 < n) continue;
			const uint32_t outlet = box.rowEnd(side, number).outlet;
			if (outlet == LBM_NONE) continue;
			const T* const rule = (const T*)box.c->outletRules + (long)(outlet & ~LBM_INNER) * OUTLET_NUMBERS;
			const int x = side ? n - 1 : 0;
			auto known = [&](int at) {
				const T r = Values::get(row[at], 0), u = T(Values::get(row[box.layout.pitch + at], 1)) * reciprocal(T(1) + r);
				return Before<T>{r, side ? u : -u};
			};
			Before<T> inner{};
			if (outlet & LBM_INNER) inner = known(side ? x - 1 : x + 1);
			returned(side, y, z)[BACK] = wantedWave(known(x), outlet & LBM_INNER, inner, rule[0], rule[1]);
		}
	}
	// wavesAt finds the vectors of row (y, z) with cells beside outflows, by their first x; -1: none.
	LBM_INLINE void wavesAt(int y, int z, int* at) const {
		at[0] = at[1] = -1;
		if (!box.c->rowEnds) return;
		const long number = box.layout.row(y, z);
		if (box.rowEnd(0, number).outlet != LBM_NONE) at[0] = 0;
		if (box.rowEnd(1, number).outlet != LBM_NONE) at[1] = (box.layout.nx - 1) / W * W;
	}
	// applyOutflow sets the wave of an adjacent outflow in a cell of the vector at x.
	__attribute__((noinline)) void applyOutflow(Moments<L, R>& m, int side, int y, int z, int x) const {
		const Corrected<0, L, R> is(m, side ? T(1) : T(-1), returned(side, y, z)[BACK]);
		const auto mask = laneNumbers<T>() == (typename Lanes<T>::I{} + ((side ? box.layout.nx - 1 : 0) - x));
		m.r = select(mask, is.r, m.r);
		m.j[0] = select(mask, is.j, m.j[0]);
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int K = L::pair(0, decltype(b)::value);
			m.s[K] = select(mask, m.s[K] + is.more.s[K], m.s[K]);
		});
	}

	// group sums the populations with the given c_y and c_z; f is the buffer at the target.
	template <int CY, int CZ> LBM_INLINE Group group(const T* f) const {
		const R zero = load(f + L::find(0, CY, CZ) * STRIDE);
		if constexpr (L::find(1, CY, CZ) >= 0) {
			const R p = loadAny(f + L::find(1, CY, CZ) * STRIDE - 1), m = loadAny(f + L::find(-1, CY, CZ) * STRIDE + 1);
			const R s2 = p + m;
			return {zero + s2 * T(0.5), p - m, s2};
		} else {
			return {zero, R{}, R{}};
		}
	}

	// pass adds the row's populations with velocity CZ to the waiting sums: those
	// with c_y = -1 complete the row below, which is returned; c_y = 0 and +1 wait.
	template <int CZ, bool COMPLETE> LBM_INLINE Sum pass(const T* f, T* a) const {
		constexpr T half = T(0.5);
		T* const b = a + FIRST(CZ) * W;
		Sum sum{};
		if constexpr (COMPLETE) {
			const Group g = group<-1, CZ>(f);
			const R y = load(b + W);
			sum.r = load(b) + g.s0 * half;
			sum.y = y - g.s0;
			sum.yy = y + g.s0;
			sum.x = load(b + 2 * W);
			sum.xx = load(b + 3 * W);
			if constexpr (corner(CZ)) {
				sum.x = sum.x + g.s1 * half;
				sum.xx = sum.xx + g.s2 * half;
				sum.xy = load(b + 4 * W) - g.s1;
			}
		}
		Group g = group<0, CZ>(f);
		const R s0 = load(a);
		store(b, s0 * half + g.s0);
		store(b + W, s0);
		if constexpr (corner(CZ)) {
			const R s1 = load(a + W);
			store(b + 2 * W, s1 * half + g.s1);
			store(b + 3 * W, load(a + 2 * W) * half + g.s2);
			store(b + 4 * W, s1);
		} else {
			store(b + 2 * W, g.s1);
			store(b + 3 * W, g.s2);
		}
		g = group<1, CZ>(f);
		store(a, g.s0);
		if constexpr (corner(CZ)) {
			store(a + W, g.s1);
			store(a + 2 * W, g.s2);
		}
		return sum;
	}

	// gather adds source row (y, z), which is in the buffer, to the waiting sums; the cells of row (y-1, z-1), in 2D (y-1, z),
	// then have all their populations.
	void gather(int y, int z, const S* next, Walls& walls) const {
		for (int x = x0; x < x1;) {
			const lbm_pattern* const pattern = walls.at(x);
			const bool face = pattern && isFace(pattern, x);
			if (pattern && !face) {
				stretch<false>(x, x + LBM_BLOCK, y, z, next, pattern, nullptr);
				x += LBM_BLOCK;
				continue;
			}
			int end = x1;  // of the blocks from x on without walls, but for those beyond the row's ends
			const lbm_pattern* const first = face && pattern->links == side<1>() ? pattern : nullptr;
			const lbm_pattern* last = face && !first ? pattern : nullptr;
			if (face) walls.next++;
			if (walls.next < walls.end) {
				const int other = walls.next->block * LBM_BLOCK;
				if (other < x1) end = other;
				if (end + LBM_BLOCK == x1 && isFace(walls.patterns + walls.next->pattern, end)) {
					last = walls.patterns + walls.next->pattern;
					end = x1;
				}
			}
			stretch<true>(x, end, y, z, next, first, last);
			x = end;
		}
	}
	// isFace reports whether the block at x has no walls but a plain one at rest beyond an end of the row. Beyond an end of a
	// periodic row is the other end, for whose bodies nothing is kept.
	LBM_INLINE bool isFace(const lbm_pattern* pattern, int x) const {
		if (pattern->moving || pattern->curved || box.c->periodic[0]) return false;
		unsigned others = 0;  // links of the other cells
		const int n = box.layout.nx;
		if (x == 0 && pattern->links == side<1>()) {
			for (int k = 1; k < LBM_BLOCK; k++) others |= pattern->cell[k] & pattern->links;
		} else if (x < n && n <= x + LBM_BLOCK && pattern->links == side<-1>()) {
			for (int k = 0; k < LBM_BLOCK; k++) others |= k == n - 1 - x ? 0 : pattern->cell[k] & pattern->links;
		} else {
			return false;
		}
		return !others;
	}

	// add does the same as gather where no cell has all its populations yet. complete: row y-1 of plane z has all its c_y.
	__attribute__((noinline)) void add(bool complete, int y, int z, const S* next) const {
		T* ab = rows;
		T* mu = planes + (complete ? (long)(y - 1 - y0) * (x1 - x0) * MU : 0);
		const T* f = nullptr;
		for (int x = x0; x < x1; x += W, ab += AB * W, mu += MU * W, f += W) {
			if ((x - x0) % STRIP == 0) proceed(x), f = strip(x);
			fetch<0, 10>(fetched(next, x), vectorAt(x));
			if (complete) {
				Moments<L, R> none;
				sums<true, false>(f, ab, mu, z, none, [](auto, auto) {});
			} else {
				passAll<false>(f, ab);
			}
		}
	}
	template <bool COMPLETE> LBM_INLINE void passAll(const T* f, T* ab) const {
		pass<0, COMPLETE>(f, ab);
		if constexpr (L::D == 3) pass<-1, COMPLETE>(f, ab + BOTH(0) * W), pass<1, COMPLETE>(f, ab + (BOTH(0) + BOTH(1)) * W);
	}

	// sums adds the populations of a vector of row (y, z) to the waiting sums. FINISH: m gets the plain moments of the
	// cells that have all their populations. Between its parts, tenths of the arithmetic, it calls between(Int<from>,
	// Int<to>).
	template <bool COMPLETE, bool FINISH, class BETWEEN> LBM_INLINE void sums(const T* f, T* ab, T* mu, int z, Moments<L, R>& m, BETWEEN between) const {
		constexpr T half = T(0.5);
		between(Int<0>{}, Int<2>{});
		if constexpr (L::D == 2) {
			const Sum mid = pass<0, COMPLETE>(f, ab);
			m.r = mid.r;
			m.j[0] = mid.x * half, m.j[1] = mid.y * half;
			m.s[0] = mid.xx * half, m.s[1] = mid.yy * half, m.s[2] = mid.xy * (half * half);
			between(Int<2>{}, Int<10>{});
		} else {
			// In this order few sums are alive at a time: of those that wait, each is used before its successor is there.
			T* u = mu + (6 + UP * (z & 1)) * W;  // what rose from plane z-2, then what rises from z
			const Sum down = pass<-1, COMPLETE>(f, ab + BOTH(0) * W);
			if constexpr (FINISH) {
				const R r = load(u), ux = load(u + W), uy = load(u + 2 * W), uxx = load(u + 3 * W), uyy = load(u + 4 * W);
				const R zz = r + down.r;
				R xy = load(mu + 5 * W);
				if constexpr (CORNERS) xy = xy + (load(u + 5 * W) + down.xy) * half;
				m.r = load(mu) + zz * half;
				m.j[0] = (load(mu + W) + (ux + down.x) * half) * half;
				m.j[1] = (load(mu + 2 * W) + (uy + down.y) * half) * half;
				m.j[2] = (r - down.r) * half;
				m.s[0] = (load(mu + 3 * W) + (uxx + down.xx) * half) * half;
				m.s[1] = (load(mu + 4 * W) + (uyy + down.yy) * half) * half;
				m.s[2] = zz * half;
				m.s[3] = xy * (half * half);
				m.s[4] = (ux - down.x) * (half * half);
				m.s[5] = (uy - down.y) * (half * half);
			}
			between(Int<2>{}, Int<5>{});
			const Sum mid = pass<0, COMPLETE>(f, ab);
			store(mu, mid.r), store(mu + W, mid.x), store(mu + 2 * W, mid.y);
			store(mu + 3 * W, mid.xx), store(mu + 4 * W, mid.yy), store(mu + 5 * W, mid.xy);
			between(Int<5>{}, Int<8>{});
			const Sum up = pass<1, COMPLETE>(f, ab + (BOTH(0) + BOTH(1)) * W);
			store(u, up.r), store(u + W, up.x), store(u + 2 * W, up.y), store(u + 3 * W, up.xx), store(u + 4 * W, up.yy);
			if constexpr (CORNERS) store(u + 5 * W, up.xy);
			between(Int<8>{}, Int<10>{});
		}
	}

	// stretch is gather for the cells [from, to), and collides and stores the cells that have all their populations. PLAIN:
	// they have no walls but beyond the row's ends, which are in the blocks of first and last (null if not); otherwise they
	// are one block, and first is its pattern.
	template <bool PLAIN>
	__attribute__((noinline)) void stretch(int from, int to, int y, int z, const S* next, const lbm_pattern* first, const lbm_pattern* last) const {
		const Params<T> constants = params;  // a copy that no store can change: values derived from it stay in registers
		const Relaxation how = this->how;
		const int ty = y - 1, tz = L::D == 3 ? z - 1 : z;
		S* const target = out + box.layout.start(ty, tz);
		const T* const eddies = box.c->eddies ? (const T*)box.c->eddies + ((long)tz * box.layout.ny + ty) * box.layout.pitch : nullptr;
		int waves[2];
		wavesAt(ty, tz, waves);
		T* ab = rows + (long)(from - x0) * AB;
		T* mu = planes + ((long)(ty - y0) * (x1 - x0) + from - x0) * MU;
		const T* f = cellAt(from);
		Finished late = *finished;
		for (int x = from; x < to;) {
			if ((x - x0) % STRIP == 0) proceed(x), f = strip(x);
			S* const segment = TAKES && scalar ? scalar->segment(x) : late.from == done ? done + L::M * LINE : done;
			const int begin = x, rest = x / LINE * LINE + LINE, end = rest < to ? rest : to;
			const bool full = PLAIN && (WHOLE || end - begin == LINE) && !(TAKES && scalar);
			const bool moves = full && late.to;
			const S* const ahead = fetched(next, x);
			for (int vector = vectorAt(x); x < end; x += W, vector++, ab += AB * W, mu += MU * W, f += W) {
				Moments<L, R> m;
				sums<true, true>(f, ab, mu, z, m, [&](auto lo, auto hi) LBM_LAMBDA {
					constexpr int LO = decltype(lo)::value, HI = decltype(hi)::value;
					// In small portions between the arithmetic, because the processor has room for a few lines in flight, and
					// stalls all other work when there are more. The compiler would gather the portions again.
					asm volatile("" ::: "memory");
					if (moves) unroll<STORES * HI / 10 - STORES * LO / 10>([&](auto n) LBM_LAMBDA { storePiece(late, vector * STORES + STORES * LO / 10 + n.value); });
					fetch<LO, HI>(ahead, vector);
					asm volatile("" ::: "memory");
				});
				if constexpr (!PLAIN) {
					addWalls(m, ty, tz, x, first);
				} else {
					if (first && x < from + LBM_BLOCK) addFace<1>(m, returned(0, ty, tz), x, first);
					if (last && x >= to - LBM_BLOCK) addFace<-1>(m, returned(1, ty, tz), x, last);
				}
				removeTrace(m);
				relax(how, m, constants, params, eddies ? eddies + x : nullptr);
				if (!PLAIN) clearSolid(m, x, first);
				if (PLAIN && last && x >= to - LBM_BLOCK) clearSolid(m, x, last);
				if (PLAIN && first && box.layout.nx < LBM_BLOCK) clearSolid(m, x, first);  // padding in the row's only block
				for (int side = 0; side < 2; side++) {
					if (__builtin_expect(x != waves[side], 1)) continue;
					Moments<L, R> beside = m;  // a copy, so that m stays in registers
					applyOutflow(beside, side, ty, tz, x);
					m = beside;
				}
				S* const place = segment + x % LINE;
				Values::store(place, 0, m.r);
				unroll<L::D>([&](auto a) LBM_LAMBDA { Values::store(place + (1 + a.value) * LINE, 1 + a.value, m.j[a.value]); });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { Values::store(place + (1 + L::D + k.value) * LINE, 1 + L::D + k.value, m.s[k.value]); });
			}
			if (full) late = Finished{segment, target + begin};
			else if (!(TAKES && scalar)) flush(segment + begin % LINE, target + begin, end - begin);
		}
		*finished = late;
	}

	// vectorAt returns the place of the vector at x in its segment.
	LBM_INLINE static int vectorAt(int x) { return x % LINE / W; }
	// fetched returns the start of the part of the next row that is prefetched beside the segment of x.
	LBM_INLINE const S* fetched(const S* next, int x) const { return (next ? next : in) + (whole ? (long)L::M : 1) * (x / LINE * LINE); }
	// fetch prefetches a share of it, from LO to HI tenths.
	template <int LO, int HI> LBM_INLINE void fetch(const S* ahead, int vector) const {
		unroll<FETCHES * HI / 10 - FETCHES * LO / 10>([&](auto n) LBM_LAMBDA { __builtin_prefetch(ahead + fetches[vector * FETCHES + FETCHES * LO / 10 + n.value], 0, 2); });
	}
	// storePiece performs store n of a finished segment.
	LBM_INLINE void storePiece(const Finished& late, int n) const { streamRaw<VECTOR_BYTES>(late.to + stores[n], late.from + n * PIECE); }

	// flush stores finished cells, a multiple of W, past the caches.
	LBM_INLINE void flush(const S* from, S* to, int cells) const {
		for (int k = 0; k < L::M; k++)
			for (int x = 0; x < cells; x += W) streamRaw<W * sizeof(S)>(to + k * (long)box.layout.pitch + x, from + k * LINE + x);
	}

	// addWalls adds the populations that walls return to a vector of cells. One loop for all directions: unrolled, walls were
	// most of the code of a step. Additions are in the order of the directions into half-way walls, out of others.
	__attribute__((noinline)) void addWalls(Moments<L, R>& m, int y, int z, int x, const lbm_pattern* pattern) const {
		if (!pattern->links) return;
		alignas(64) T own[L::Q * W];
		populations(in + box.layout.start(y, z) + x, box.layout.pitch, own, W, W);
		const unsigned* const cells = pattern->cell + x % LBM_BLOCK;
		auto of = [&](const T* f, int i) LBM_LAMBDA { return load(f + i * W) * share(i); };
		for (unsigned rest = pattern->links; rest;) {
			const int i = pattern->curved ? __builtin_ctz(rest) : 31 - __builtin_clz(rest), out = L::opposite(i);
			rest &= ~(1u << i);
			const R back = fromWall<T>(box, pattern, i, x, of(own, out), of(own, i), [&]() LBM_LAMBDA {
				alignas(64) T beyond[L::Q * W];
				next(i, y, z, x, beyond);
				return of(beyond, out);
			});
			addPopulation(m, i, back, bit<T>(cells, i));
		}
	}
	// share is Expansion::share for a direction known at run time only.
	LBM_INLINE static T share(int i) {
		constexpr T shares[4] = {T(1), T(0.5), T(0.25), T(0.125)};
		const int x = Known<L>::c(i, 0), y = Known<L>::c(i, 1), z = Known<L>::c(i, 2);
		return shares[x * x + y * y + z * z];
	}
	// next reads the populations of the cells one step along direction i, zeros beyond the ends of the row.
	void next(int i, int y, int z, int x, T* to) const {
		const S* const row = box.source(in, y + Known<L>::c(i, 1), z + Known<L>::c(i, 2));
		const int pitch = box.layout.pitch, from = x + Known<L>::c(i, 0);
		alignas(64) S own[L::M * W] = {};
		for (int k = 0; k < L::M; k++)
			for (int l = 0; l < W; l++)
				if (from + l >= 0 && from + l < pitch) own[k * W + l] = row[k * (long)pitch + from + l];
		populations(own, W, to, W, W);
	}

	// side returns the set of directions with c_x = CX.
	template <int CX> static constexpr unsigned side() {
		unsigned set = 0;
		for (int i = 0; i < L::Q; i++)
			if (L::c(i, 0) == CX) set |= 1u << i;
		return set;
	}
	// addFace adds to the cell at the row's end the populations that a plain wall at rest returns.
	// Incoming directions have c_x = CX.
	template <int CX> LBM_INLINE static void addFace(Moments<L, R>& m, const T* back, int x, const lbm_pattern* pattern) {
		const auto mask = bit<T>(pattern->cell + x % LBM_BLOCK, L::find(CX, 0, 0));
		auto add = [&](R& to, T v) LBM_LAMBDA { to = select(mask, to + v, to); };
		const T r = back[0];
		add(m.r, r), add(m.s[0], r), add(m.j[0], CX > 0 ? r : -r);
		unroll<L::D - 1>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			add(m.j[B + 1], back[1 + B]), add(m.s[B + 1], back[3 + B]);
			add(m.s[L::pair(B + 1, 0)], CX > 0 ? back[1 + B] : -back[1 + B]);
		});
		if constexpr (CORNERS) add(m.s[L::pair(2, 1)], back[5]);
	}

	// clearSolid keeps solid and padding cells at rest.
	LBM_INLINE static void clearSolid(Moments<L, R>& m, int x, const lbm_pattern* pattern) {
		const auto solid = bit<T>(pattern->cell + x % LBM_BLOCK, 31);
		const R zero{};
		m.r = select(solid, zero, m.r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = select(solid, zero, m.j[a.value]); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = select(solid, zero, m.s[k.value]); });
	}
};

}}  // namespace lbm
#endif
