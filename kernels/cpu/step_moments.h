// One step of a state of moments on the CPU.
//
// A tile of rows marches through the planes. Each source row is read from memory
// once and expanded to populations, as its closure says, into a buffer that stays in the
// caches; what streams to one target is summed axis by axis, as (c_x) then (c_y) then
// (c_z) partial sums of moments, because a partial sum serves all the moments that share
// it:
//   x: of each group (c_y, c_z) the sums s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f, of
//      what lies in the buffer one cell to the left, at the place and one to the right
//   y: rows y-1, y, y+1 add to the moments of plane z, one set for each c_z;
//      what waits for the next rows stays in two rows of sums (Rows)
//   z: planes z-1, z, z+1; what waits stays in the tile's sums (Planes, L2 cache)
// Populations come without their factors 1/2 (expansion.h): sums over directions that
// stream along an axis are twice what they stand for, once for each such axis.
// The order of the additions of one cell never depends on tiles or threads, so a
// cut anywhere gives the same bits.
#ifndef LBM_STEP_MOMENTS_H
#define LBM_STEP_MOMENTS_H
#include "../wall.h"
#include "../expansion.h"
#include "../outflow.h"
#include "box.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, class C, class S> struct StepMoments {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, true> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr bool CORNERS = L::find(1, 1, 1) >= 0;  // populations with all three components
	// corner tells if there are populations with c_x and c_y for this c_z.
	static constexpr bool corner(int cz) { return L::find(1, 1, cz) >= 0; }
	// Vectors of Rows per vector of cells for one c_z: first those of the next row (a: s0, with
	// corners s1, s2), then those of this one (b: r, y, x, xx, with corners xy).
	static constexpr int FIRST(int cz) { return corner(cz) ? 3 : 1; }
	static constexpr int BOTH(int cz) { return corner(cz) ? 8 : 5; }
	static constexpr int AB = L::D == 3 ? BOTH(0) + 2 * BOTH(1) : BOTH(0);
	static constexpr int UP = CORNERS ? 6 : 5;              // of Planes, for one plane that rises
	static constexpr int MU = L::D == 3 ? 6 + 2 * UP : 0;   // of Planes

	// The moments of one plane's contribution.
	struct Sum { R r, x, y, xx, yy, xy; };
	struct Group { R s0, s1, s2; };

	Box box;
	Params<T> params;
	const S* in;
	S* out;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	long stride;  // of the buffer: values of a population
	T* buffer;    // populations of the row at hand, [Q][stride]; x0 is at W, so that there is a cell before
	T* rows;      // Rows: [x/W][AB][W]
	T* planes;    // Planes: [y-y0][x/W][MU][W]
	T* returns;   // Returns: [z%2][y-y0+1][end][KEPT]

	// What a plain wall at rest beyond an end of the rows sends back to the end's cell, but
	// for its velocity across: sums of f, c_y f, c_z f, c_y^2 f, c_z^2 f, c_y c_z f. Every row
	// of a closed box has two such cells; their populations pass through the buffer once.
	static constexpr int BACK = 6;
	// Then the wave that an outflow there wants in that cell after the step (../outflow.h).
	static constexpr int KEPT = BACK + 1;

	static int64_t scratch(const lbm_range* r) {
		int64_t width = (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK, rows = r->hi[1] - r->lo[1];
		return (L::Q * (width + 2 * W) + width * AB + width * MU * rows + 4 * KEPT * (rows + 2)) * sizeof(T) + 64;
	}

	static void run(const lbm_case* c, const lbm_numbers* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		const int x1 = r->lo[0] + (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK, width = x1 - r->lo[0];
		T* buffer = (T*)scratch;
		const long stride = width + 2 * W;
		T* rows = buffer + L::Q * stride;
		StepMoments s{Box(c), Params<T>(*p), (const S*)in, (S*)out, r->lo[0], x1,
		              r->lo[1], r->hi[1], r->lo[2], r->hi[2], stride, buffer, rows, rows + width * AB,
		              rows + width * (AB + MU * (r->hi[1] - r->lo[1]))};
		s.march();
		fence();
	}

	void march() const {
		if constexpr (L::D == 2) {
			for (int z = z0; z < z1; z++) sweep(z);
		} else {
			for (int z = z0 - 1; z <= z1; z++) sweep(z);
		}
	}

	// sweep takes the rows of source plane z in.
	void sweep(int z) const {
		long soon = box.stored(y0 - 1, z);
		for (int y = y0 - 1; y <= y1; y++) {
			const long number = soon;
			soon = y < y1 ? box.stored(y + 1, z) : L::D == 3 && z < z1 ? box.stored(y0 - 1, z + 1) : -1;
			const S *const row = box.row(in, number), *const next = box.row(in, soon);
			bool complete = y > y0, finish = complete && (L::D == 2 || z > z0);
			Walls walls(box.c, finish ? y - 1 : 0, finish && L::D == 3 ? z - 1 : 0, x0);
			if (y >= y0 && y < y1 && (L::D == 2 || z > z0)) fetchWalls<false, L::M>(box, in, y, L::D == 3 ? z - 1 : z, x0, x1, [&](auto* p, int x) { return isFace(p, x); });
			expand(row, number);
			if (row && y >= y0 && y < y1) keepReturns(number, y, z), keepWaves(row, number, y, z);
			if (finish) gather<true, true>(y, z, next, walls);
			else if (complete) gather<true, false>(y, z, next, walls);
			else gather<false, false>(y, z, next, walls);
		}
	}

	// at is population I of the cell at x0, in the buffer.
	LBM_INLINE T* at(int i) const { return buffer + i * stride + W; }

	// expand fills the buffer with the populations of a row, with zeros where there is only
	// wall (null).
	__attribute__((noinline)) void expand(const S* row, long number) const {
		if (!row) {
			__builtin_memset(buffer, 0, L::Q * stride * sizeof(T));
			return;
		}
		for (int x = x0; x < x1; x += W) put(C::expand(moments(row + x, box.layout.pitch)), buffer + W + (x - x0), stride);
		ends(row, number);
	}
	LBM_INLINE static void put(const Expansion<L, R>& h, T* to, long stride) {
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
			const typename Expansion<L, R>::template Slice<CZ> slice(h);
			unroll<3>([&](auto b) LBM_LAMBDA {
				constexpr int CY = decltype(b)::value - 1;
				const auto t = slice.template triple<CY>();
				store(to + L::find(0, CY, CZ) * stride, t.zero);
				if constexpr (L::find(1, CY, CZ) >= 0) {
					store(to + L::find(1, CY, CZ) * stride, t.plus);
					store(to + L::find(-1, CY, CZ) * stride, t.minus);
				}
			});
		});
	}

	// ends puts what comes in from beyond the ends of the tile's row beside it: from the next
	// cells, the other end of a periodic row, ghost cells, nothing behind a wall.
	LBM_INLINE void ends(const S* row, long number) const {
		const int n = box.layout.nx, end = x1 < n ? x1 : n;
		const bool periodic = box.c->periodic[0], ghosts = box.c->ends || box.c->rims, whole = x0 == 0 && end == n && !ghosts;
		if (!whole) {
			const int cells[2] = {x0 > 0 ? x0 - 1 : periodic ? n - 1 : -1, end < n ? end : periodic ? 0 : -1};
			alignas(64) S own[L::M * W] = {};
			for (int side = 0; side < 2; side++) {
				if (cells[side] >= 0) {
					for (int k = 0; k < L::M; k++) own[k * W + side] = row[k * (long)box.layout.pitch + cells[side]];
				} else if (box.c->rims) {
					const lbm_rim& rim = box.rim(side, number);
					if (rim.rule != LBM_NONE) box.c->beyond((const T*)box.c->faceRules + (long)rim.rule * FACE_NUMBERS, in + (long)rim.from * box.layout.components * box.layout.pitch + (side ? n - 1 : 0), box.layout.pitch, own + side, W);
				} else if (ghosts) {
					const S* const beyond = box.end<S>(side, number, L::M);
					for (int k = 0; k < L::M; k++) own[k * W + side] = beyond[k * LBM_BLOCK];
				}
			}
			putEnds(C::expand(moments(own, W)), end - x0);
			return;
		}
		for (int i = 0; i < L::Q; i++) {
			T* const to = at(i);
			if (L::c(i, 0) > 0) to[-1] = periodic ? to[n - 1] : T(0);
			if (L::c(i, 0) < 0) to[n] = periodic ? to[0] : T(0);
		}
	}
	// putEnds puts what of the cells in the first two lanes comes into a tile of so many cells.
	LBM_INLINE void putEnds(const Expansion<L, R>& h, int cells) const {
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
			const typename Expansion<L, R>::template Slice<CZ> slice(h);
			unroll<3>([&](auto b) LBM_LAMBDA {
				constexpr int CY = decltype(b)::value - 1;
				if constexpr (L::find(1, CY, CZ) >= 0) {
					const auto t = slice.template triple<CY>();
					at(L::find(1, CY, CZ))[-1] = t.plus[0];
					at(L::find(-1, CY, CZ))[cells] = t.minus[1];
				}
			});
		});
	}

	// returned is what the wall beyond the end of row (y, z) sends back; END 0: left, 1: right.
	LBM_INLINE T* returned(int end, int y, int z) const { return returns + (((z & 1) * (y1 - y0 + 2) + y - y0 + 1) * 2 + end) * KEPT; }
	LBM_INLINE void keepReturns(long number, int y, int z) const {
		if (box.c->periodic[0]) return;
		auto wall = [&](int side) LBM_LAMBDA { return !box.c->rims || box.rim(side, number).rule == LBM_NONE; };
		if (x0 == 0 && wall(0)) keepReturn<1>(buffer + W, returned(0, y, z));
		if (x1 >= box.layout.nx && wall(1)) keepReturn<-1>(buffer + W + (box.layout.nx - 1 - x0), returned(1, y, z));
	}
	// keepReturn reverses the populations that leave a cell with c_x = -CX.
	template <int CX> LBM_INLINE void keepReturn(const T* f, T* to) const {
		T back[BACK] = {};
		unroll<L::D == 3 ? 9 : 3>([&](auto k) LBM_LAMBDA {
			constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0, I = L::find(-CX, -CY, -CZ);
			if constexpr (I >= 0) {
				const T g = f[I * stride] * Expansion<L, R>::share(I);
				back[0] += g;
				if constexpr (CY != 0) back[1] += CY > 0 ? g : -g, back[3] += g;
				if constexpr (CZ != 0) back[2] += CZ > 0 ? g : -g, back[4] += g;
				if constexpr (CY * CZ != 0) back[5] += CY * CZ > 0 ? g : -g;
			}
		});
		for (int k = 0; k < BACK; k++) to[k] = back[k];
	}

	// keepWaves asks outflows beyond the ends of row (y, z) for the waves that they want.
	LBM_INLINE void keepWaves(const S* row, long number, int y, int z) const {
		if (!box.c->rims) return;
		const int n = box.layout.nx;
		for (int side = 0; side < 2; side++) {
			if (side == 0 ? x0 > 0 : x1 < n) continue;
			const uint32_t outlet = box.rim(side, number).outlet;
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
	// wavesAt is where in row (y, z) the vectors begin that have cells beside outflows; -1: nowhere.
	LBM_INLINE void wavesAt(int y, int z, int* at) const {
		at[0] = at[1] = -1;
		if (!box.c->rims) return;
		const long number = box.layout.row(y, z);
		if (box.rim(0, number).outlet != LBM_NONE) at[0] = 0;
		if (box.rim(1, number).outlet != LBM_NONE) at[1] = (box.layout.nx - 1) / W * W;
	}
	// drain gives a cell of the vector at x the wave that the outflow beside it wants.
	__attribute__((noinline)) void drain(Moments<L, R>& m, int side, int y, int z, int x) const {
		const Corrected<0, L, R> is(m, side ? T(1) : T(-1), returned(side, y, z)[BACK]);
		const auto mask = laneNumbers<T>() == (typename Lanes<T>::I{} + ((side ? box.layout.nx - 1 : 0) - x));
		m.r = select(mask, is.r, m.r);
		m.j[0] = select(mask, is.j, m.j[0]);
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int K = L::pair(0, decltype(b)::value);
			m.s[K] = select(mask, m.s[K] + is.more.s[K], m.s[K]);
		});
	}

	LBM_INLINE static Moments<L, R> moments(const S* row, long pitch) {
		Moments<L, R> m;
		m.r = Values::load(row, 0);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = Values::load(row + (1 + a.value) * pitch, 1 + a.value); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = Values::load(row + (1 + L::D + k.value) * pitch, 1 + L::D + k.value); });
		return m;
	}

	// group sums the populations with the given c_y and c_z; f is the buffer at the target.
	template <int CY, int CZ> LBM_INLINE Group group(const T* f) const {
		const R zero = load(f + L::find(0, CY, CZ) * stride);
		if constexpr (L::find(1, CY, CZ) >= 0) {
			const R p = loadAny(f + L::find(1, CY, CZ) * stride - 1), m = loadAny(f + L::find(-1, CY, CZ) * stride + 1);
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

	// gather takes source row (y, z), which is in the buffer, into the waiting sums.
	// COMPLETE: row y-1 of plane z has all its c_y; FINISH: and so has the cell
	// (y-1, z-1), in 2D (y-1, z), all its populations.
	template <bool COMPLETE, bool FINISH> void gather(int y, int z, const S* next, Walls& walls) const {
		for (int x = x0; x < x1;) {
			const lbm_pattern* const pattern = FINISH ? walls.at(x) : nullptr;
			const bool face = pattern && isFace(pattern, x);
			if (pattern && !face) {
				stretch<COMPLETE, FINISH, false>(x, x + LBM_BLOCK, y, z, next, pattern, nullptr);
				x += LBM_BLOCK;
				continue;
			}
			int end = x1;  // of the blocks from x on without walls, but for those beyond the row's ends
			const lbm_pattern* const first = face && pattern->links == side<1>() ? pattern : nullptr;
			const lbm_pattern* last = face && !first ? pattern : nullptr;
			if (FINISH) {
				if (face) walls.next++;
				if (walls.next < walls.end) {
					const int other = walls.next->block * LBM_BLOCK;
					if (other < x1) end = other;
					if (end + LBM_BLOCK == x1 && isFace(walls.patterns + walls.next->pattern, end)) {
						last = walls.patterns + walls.next->pattern;
						end = x1;
					}
				}
			}
			stretch<COMPLETE, FINISH, true>(x, end, y, z, next, first, last);
			x = end;
		}
	}
	// isFace: the block at x has no walls but a plain one at rest beyond an end of the row. Beyond one of a periodic
	// row is the other end, for whose bodies nothing is kept.
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

	// stretch does so for the cells [from, to). PLAIN: they have no walls but beyond the
	// row's ends, which are in the blocks of first and last (null if not); else they are one
	// block, and first is its pattern.
	template <bool COMPLETE, bool FINISH, bool PLAIN>
	__attribute__((noinline)) void stretch(int from, int to, int y, int z, const S* next, const lbm_pattern* first, const lbm_pattern* last) const {
		constexpr T half = T(0.5);
		const Params<T> constants = params;  // a copy that no store can change: what follows from it stays in registers
		const long pitch = box.layout.pitch;
		const int ty = y - 1, tz = L::D == 3 ? z - 1 : z;
		S* const target = out + (FINISH ? box.layout.start(ty, tz) : 0);
		const T* const eddies = FINISH && box.c->eddies ? (const T*)box.c->eddies + ((long)tz * box.layout.ny + ty) * pitch : nullptr;
		int waves[2];
		if constexpr (FINISH) wavesAt(ty, tz, waves);
		T* ab = rows + (long)(from - x0) * AB;
		T* mu = planes + ((long)(ty - y0) * (x1 - x0) + from - x0) * MU;
		const T* f = buffer + W + (from - x0);
		// The next row is asked for in the order of addresses where the tile has whole
		// rows, which the hardware then continues.
		const bool whole = x1 - x0 == pitch;
		const long line = whole ? W : pitch, lines = whole ? L::M * W : W;
		const S* ahead = (next ? next : in) + (whole ? (long)L::M * from : (long)from);
		// The vector before and its place. The first one's is written twice, for want of
		// one before it.
		alignas(64) T done[L::M * W];
		for (int i = 0; i < L::M * W; i++) done[i] = 0;
		S* place = target + from;
		for (int x = from; x < to; x += W, ab += AB * W, mu += MU * W, f += W, ahead += lines) {
			if constexpr (!FINISH || !PLAIN) unroll<L::M>([&](auto k) LBM_LAMBDA { __builtin_prefetch(ahead + k.value * line, 0, 2); });
			Moments<L, R> m;
			if constexpr (L::D == 2) {
				if constexpr (FINISH && PLAIN) move<0, 3>(place, pitch, done, ahead, line);
				Sum s = pass<0, COMPLETE>(f, ab);
				if constexpr (FINISH && PLAIN) move<3, 6>(place, pitch, done, ahead, line);
				m.r = s.r;
				m.j[0] = s.x * half, m.j[1] = s.y * half;
				m.s[0] = s.xx * half, m.s[1] = s.yy * half, m.s[2] = s.xy * (half * half);
			} else {
				if constexpr (FINISH && PLAIN) move<0, 2>(place, pitch, done, ahead, line);
				Sum mid = pass<0, COMPLETE>(f, ab);
				if constexpr (FINISH && PLAIN) move<2, 4>(place, pitch, done, ahead, line);
				Sum down = pass<-1, COMPLETE>(f, ab + BOTH(0) * W);
				if constexpr (FINISH && PLAIN) move<4, 6>(place, pitch, done, ahead, line);
				Sum up = pass<1, COMPLETE>(f, ab + (BOTH(0) + BOTH(1)) * W);
				if constexpr (FINISH && PLAIN) move<6, 8>(place, pitch, done, ahead, line);
				if constexpr (COMPLETE) {
					T* u = mu + (6 + UP * (z & 1)) * W;  // what rose from plane z-2, then what rises from z
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
					store(mu, mid.r), store(mu + W, mid.x), store(mu + 2 * W, mid.y);
					if constexpr (FINISH && PLAIN) move<8, 9>(place, pitch, done, ahead, line);
					store(mu + 3 * W, mid.xx), store(mu + 4 * W, mid.yy), store(mu + 5 * W, mid.xy);
					if constexpr (FINISH && PLAIN) move<9, 10>(place, pitch, done, ahead, line);
					store(u, up.r), store(u + W, up.x), store(u + 2 * W, up.y), store(u + 3 * W, up.xx), store(u + 4 * W, up.yy);
					if constexpr (CORNERS) store(u + 5 * W, up.xy);
				}
			}
			if constexpr (FINISH) {
				if constexpr (!PLAIN) {
					addWalls(m, ty, tz, x, first);
				} else {
					if (first && x < from + LBM_BLOCK) addFace<1>(m, returned(0, ty, tz), x, first);
					if (last && x >= to - LBM_BLOCK) addFace<-1>(m, returned(1, ty, tz), x, last);
				}
				removeTrace(m);
				C::collide(m, constants, eddies ? eddies + x : nullptr);
				if (!PLAIN) clearSolid(m, x, first);
				if (PLAIN && last && x >= to - LBM_BLOCK) clearSolid(m, x, last);
				if (PLAIN && first && box.layout.nx < LBM_BLOCK) clearSolid(m, x, first);  // padding in the row's only block
				for (int side = 0; side < 2; side++) {
					if (__builtin_expect(x != waves[side], 1)) continue;
					Moments<L, R> beside = m;  // a copy, so that m stays in registers
					drain(beside, side, ty, tz, x);
					m = beside;
				}
				place = target + x;
				store(done, m.r);
				unroll<L::D>([&](auto a) LBM_LAMBDA { store(done + (1 + a.value) * W, m.j[a.value]); });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { store(done + (1 + L::D + k.value) * W, m.s[k.value]); });
				if (!PLAIN) flush(done, place);
			}
		}
		if (FINISH && PLAIN) flush(done, place);
	}

	// move does a part of what passes between the vectors and memory: the vector before
	// goes past the caches, and a share of the next row is asked for. In small portions
	// between the arithmetic, because the processor has room for a few lines on their
	// way, and waits with all else when there are more.
	template <int LO, int HI> LBM_INLINE static void move(S* place, long pitch, const T* done, const S* ahead, long line) {
		asm volatile("" ::: "memory");  // or the compiler gathers the portions again
		for (int k = LO; k < HI; k++) {
			Values::stream(place + k * pitch, k, load(done + k * W));
			__builtin_prefetch(ahead + k * line, 0, 2);
		}
		asm volatile("" ::: "memory");
	}

	// flush stores a finished vector past the caches.
	LBM_INLINE void flush(const T* done, S* to) const {
		for (int k = 0; k < L::M; k++) Values::stream(to + k * (long)box.layout.pitch, k, load(done + k * W));
	}

	// addWalls adds what walls send back to a vector of cells.
	LBM_INLINE void addWalls(Moments<L, R>& m, int y, int z, int x, const lbm_pattern* pattern) const {
		const unsigned links = pattern->links, moving = pattern->moving;
		if (!links) return;
		if (pattern->curved) return addCurved(m, y, z, x, pattern);
		const unsigned* cells = pattern->cell + x % LBM_BLOCK;
		C::expand(moments(in + box.layout.start(y, z) + x, box.layout.pitch)).each([&](auto i, const R& own) LBM_LAMBDA {
			constexpr int I = L::opposite(decltype(i)::value);
			if constexpr (I != L::opposite(I)) {
				if (!(links >> I & 1)) return;
				const auto mask = bit<T>(cells, I);
				if (moving >> I & 1) MovingWall::apply<I>(m, own, loadAny(kicksOf<T>(box, pattern, I, x)), mask);
				else Wall::apply<I>(m, own, mask);
			}
		});
	}
	// addCurved does so where some are curved.
	__attribute__((noinline)) void addCurved(Moments<L, R>& m, int y, int z, int x, const lbm_pattern* pattern) const {
		R f[L::Q];
		C::expand(moments(in + box.layout.start(y, z) + x, box.layout.pitch)).each([&](auto i, const R& own) LBM_LAMBDA { f[i.value] = own; });
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, OUT = L::opposite(I);
			if constexpr (I != OUT) {
				if (!(pattern->links >> I & 1)) return;
				const R back = fromWall<T>(box, pattern, I, x, f[OUT], f[I], [&]() LBM_LAMBDA { return next<I>(y, z, x); });
				Wall::apply<I>(m, back, bit<T>(pattern->cell + x % LBM_BLOCK, I));
			}
		});
	}
	// next is what comes to the cells from those one step along direction i beyond them.
	template <int I> __attribute__((noinline)) R next(int y, int z, int x) const {
		const S* const row = box.source(in, y + L::c(I, 1), z + L::c(I, 2));
		const long pitch = box.layout.pitch;
		auto value = [&](int k) LBM_LAMBDA { return loadNear<Values>(row + k * pitch, pitch, x + L::c(I, 0), k); };
		Moments<L, R> m;
		m.r = value(0);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = value(1 + L::D + k.value); });
		return C::expand(m).template population<L::opposite(I)>();
	}

	// side is the set of directions with c_x = CX.
	template <int CX> static constexpr unsigned side() {
		unsigned set = 0;
		for (int i = 0; i < L::Q; i++)
			if (L::c(i, 0) == CX) set |= 1u << i;
		return set;
	}
	// addFace adds to the cell at the row's end what a plain wall at rest sends back to it.
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
