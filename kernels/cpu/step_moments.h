// One step of a state of moments on the CPU.
//
// A tile of rows marches through the planes. Each source row is read from memory
// once and turned into populations in a small buffer (L1 cache); the populations
// that stream to one target are then summed axis by axis, as (c_x) then (c_y) then
// (c_z) partial sums of moments, because a partial sum serves all the moments that
// share it:
//   x: of each group (c_y, c_z) the sums s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f
//   y: rows y-1, y, y+1 add to the moments of plane z, one set for each c_z;
//      what waits for the next rows stays in two rows of sums (Rows)
//   z: planes z-1, z, z+1; what waits stays in the tile's sums (Planes, L2 cache)
// The order of the additions of one cell never depends on tiles or threads, so a
// cut anywhere gives the same bits.
#ifndef LBM_STEP_MOMENTS_H
#define LBM_STEP_MOMENTS_H
#include "../boundary/moving_wall.h"
#include "../moments.h"
#include "box.h"

namespace lbm { namespace {

template <class L, class C, class T> struct StepMoments {
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr int SEGMENT = 512 / sizeof(T);         // cells whose populations are in the buffer
	static constexpr int MARGIN = 64 / sizeof(T);           // keeps the buffer aligned; one cell of it is used
	static constexpr int STRIDE = SEGMENT + 2 * MARGIN;
	static constexpr int AB = L::D == 3 ? 18 : 8;           // vectors of Rows per vector of cells
	static constexpr int MU = L::D == 3 ? 16 : 0;           // of Planes

	// The moments of one plane's contribution: c_z = 0 has xy, the others need not.
	struct Sum { R r, x, y, xx, yy, xy; };
	struct Group { R s0, s1, s2; };

	Box box;
	Params<T> params;
	const T* in;
	T* out;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	T* buffer;  // [Q][STRIDE]
	T* done;    // [M][STRIDE], the finished cells of a segment
	T* rows;    // Rows: [x/W][AB][W]
	T* planes;  // Planes: [y-y0][x/W][MU][W]

	static int64_t scratch(const lbm_range* r) {
		int64_t width = (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		return (int64_t(L::Q + L::M) * STRIDE + width * AB + width * MU * (r->hi[1] - r->lo[1])) * sizeof(T) + 64;
	}

	static void run(const lbm_case* c, const lbm_params* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		int x1 = r->lo[0] + (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		T* buffer = (T*)scratch;
		T* done = buffer + L::Q * STRIDE;
		T* rows = done + L::M * STRIDE;
		StepMoments s{Box(c, L::M), numbers<T>(p), (const T*)in, (T*)out, r->lo[0], x1,
		              r->lo[1], r->hi[1], r->lo[2], r->hi[2], buffer, done, rows, rows + (x1 - r->lo[0]) * AB};
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
		const T* next = box.source(in, y0 - 1, z);
		for (int y = y0 - 1; y <= y1; y++) {
			const T* row = next;
			next = y < y1 ? box.source(in, y + 1, z) : L::D == 3 ? box.source(in, y0 - 1, z + 1) : nullptr;
			bool complete = y > y0, finish = complete && (L::D == 2 || z > z0);
			Walls walls(box.c, finish ? y - 1 : 0, finish && L::D == 3 ? z - 1 : 0, x0);
			if (y >= y0 && y < y1 && (L::D == 2 || z > z0)) fetchWalls<false>(box, in, y, L::D == 3 ? z - 1 : z, x0, x1);
			for (int x = x0; x < x1; x += SEGMENT) {
				int end = x + SEGMENT < x1 ? x + SEGMENT : x1;
				expand(row, next, x, end);
				if (finish) gather<true, true>(x, end, y, z, next, walls);
				else if (complete) gather<true, false>(x, end, y, z, next, walls);
				else gather<false, false>(x, end, y, z, next, walls);
			}
		}
	}

	// expand fills the buffer with the populations of cells [from, to) of a row, of
	// the cell before (those with c_x = 1) and of the cell after (c_x = -1).
	void expand(const T* row, const T* next, int from, int to) const {
		if (!row) {
			__builtin_memset(buffer, 0, sizeof(T) * L::Q * STRIDE);
			return;
		}
		const long pitch = box.layout.pitch;
		T* const LBM_RESTRICT to0 = buffer + MARGIN - from;
		for (int x = from; x < to; x += W) {
			Moments<L, R> m;
			m.r = load(row + x);
			unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = load(row + (1 + a.value) * pitch + x); });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = load(row + (1 + L::D + k.value) * pitch + x); });
			fetch<0, L::M / 2>(next, x);
			Hermite<L, R> h(m);
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				store(to0 + decltype(i)::value * STRIDE + x, h.template population<decltype(i)::value>());
			});
		}
		int n = box.layout.nx, last = to < n ? to : n;
		margin<1>(row, from - 1, to0 + from - 1);
		margin<-1>(row, last, to0 + last);
	}

	// fetch asks for lines LO to HI of those that belong to this vector's share of a
	// row two rows ahead: in the order of addresses where the tile has whole rows,
	// which the hardware then continues. Half of them from expand, half from gather:
	// the processor can wait for a few lines only at a time, and stops when more are
	// asked for.
	template <int LO, int HI> LBM_INLINE void fetch(const T* next, int x) const {
		if (!next) return;
		const long pitch = box.layout.pitch;
		const bool whole = x1 - x0 == pitch;
		const T* line = next + L::M * pitch + (whole ? (long)L::M * x : (long)x);
		const long step = whole ? W : pitch;
		unroll<HI - LO>([&](auto k) LBM_LAMBDA { __builtin_prefetch(line + (LO + k.value) * step, 0, 2); });
	}

	// margin stores the populations with c_x = CX of the cell x next to the segment
	// at place: of the other end of a periodic row, or none behind a wall.
	template <int CX> LBM_INLINE void margin(const T* row, int x, T* place) const {
		const long pitch = box.layout.pitch;
		Moments<L, T> m{};
		if (box.inside(0, x)) {
			m.r = row[x];
			for (int a = 0; a < L::D; a++) m.j[a] = row[(1 + a) * pitch + x];
			for (int k = 0; k < L::M - 1 - L::D; k++) m.s[k] = row[(1 + L::D + k) * pitch + x];
		}
		Hermite<L, T> h(m);
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (L::c(I, 0) == CX) place[I * STRIDE] = h.template population<I>();
		});
	}

	// group sums the populations with the given c_y and c_z that stream to x.
	template <int CY, int CZ> LBM_INLINE Group group(const T* f) const {
		constexpr int i0 = L::find(0, CY, CZ), ip = L::find(1, CY, CZ), im = L::find(-1, CY, CZ);
		R zero = load(f + i0 * STRIDE);
		if constexpr (ip >= 0) {
			R p = loadAny(f + ip * STRIDE - 1), m = loadAny(f + im * STRIDE + 1);
			R s2 = p + m;
			return {zero + s2, p - m, s2};
		} else {
			return {zero, R{}, R{}};
		}
	}

	// pass adds the row's populations with velocity CZ to the waiting sums: those
	// with c_y = -1 complete the row below, which is returned; c_y = 0 and +1 wait.
	// The sums of one row wait in b (r, x, xx, y, xy), of the next in a (s0, s1, s2).
	template <int CZ, bool COMPLETE> LBM_INLINE Sum pass(const T* f, T* a, T* b) const {
		constexpr bool corner = L::find(1, 1, CZ) >= 0;
		Sum sum{};
		if constexpr (COMPLETE) {
			Group g = group<-1, CZ>(f);
			R y = load(b + 1 * W);
			sum.r = load(b) + g.s0;
			sum.y = y - g.s0;
			sum.yy = y + g.s0;
			sum.x = load(b + 2 * W);
			sum.xx = load(b + 3 * W);
			if constexpr (corner) {
				sum.x = sum.x + g.s1;
				sum.xx = sum.xx + g.s2;
				sum.xy = load(b + 4 * W) - g.s1;
			}
		}
		Group g = group<0, CZ>(f);
		R s0 = load(a);
		store(b, s0 + g.s0);
		store(b + 1 * W, s0);
		if constexpr (corner) {
			R s1 = load(a + W);
			store(b + 2 * W, s1 + g.s1);
			store(b + 3 * W, load(a + 2 * W) + g.s2);
			store(b + 4 * W, s1);
		} else {
			store(b + 2 * W, g.s1);
			store(b + 3 * W, g.s2);
		}
		g = group<1, CZ>(f);
		store(a, g.s0);
		if constexpr (corner) {
			store(a + W, g.s1);
			store(a + 2 * W, g.s2);
		}
		return sum;
	}

	// gather takes the buffered segment of source row (y, z) into the waiting sums.
	// COMPLETE: row y-1 of plane z has all its c_y; FINISH: and so has the cell
	// (y-1, z-1), in 2D (y-1, z), all its populations.
	template <bool COMPLETE, bool FINISH> void gather(int from, int to, int y, int z, const T* next, Walls& walls) const {
		const T* const f0 = buffer + MARGIN - from;
		T* const LBM_RESTRICT ab0 = rows;
		T* const LBM_RESTRICT mu0 = planes + (long)(y - 1 - y0) * (x1 - x0) * MU;
		const int turn = z & 1, ty = y - 1, tz = L::D == 3 ? z - 1 : z;
		T* const target = out + (FINISH ? box.layout.start(ty, tz) : 0);
		for (int x = from; x < to; x += W) {
			const T* f = f0 + x;
			fetch<L::M / 2, L::M>(next, x);
			T* ab = ab0 + (long)(x - x0) * AB;
			Moments<L, R> m;
			if constexpr (L::D == 2) {
				Sum s = pass<0, COMPLETE>(f, ab, ab + 3 * W);
				m.r = s.r;
				m.j[0] = s.x, m.j[1] = s.y;
				m.s[0] = s.xx, m.s[1] = s.yy, m.s[2] = s.xy;
			} else {
				Sum mid = pass<0, COMPLETE>(f, ab, ab + 3 * W);
				Sum down = pass<-1, COMPLETE>(f, ab + 8 * W, ab + 9 * W);
				Sum up = pass<1, COMPLETE>(f, ab + 13 * W, ab + 14 * W);
				if constexpr (COMPLETE) {
					T* mu = mu0 + (long)(x - x0) * MU;
					T* u = mu + (6 + 5 * turn) * W;  // what rose from plane z-2, then what rises from z
					if constexpr (FINISH) {
						R r = load(u), ux = load(u + W), uy = load(u + 2 * W), uxx = load(u + 3 * W), uyy = load(u + 4 * W);
						R zz = r + down.r;
						m.r = load(mu) + zz;
						m.j[0] = load(mu + W) + (ux + down.x);
						m.j[1] = load(mu + 2 * W) + (uy + down.y);
						m.j[2] = r - down.r;
						m.s[0] = load(mu + 3 * W) + (uxx + down.xx);
						m.s[1] = load(mu + 4 * W) + (uyy + down.yy);
						m.s[2] = zz;
						m.s[3] = load(mu + 5 * W);
						m.s[4] = ux - down.x;
						m.s[5] = uy - down.y;
					}
					store(mu, mid.r), store(mu + W, mid.x), store(mu + 2 * W, mid.y);
					store(mu + 3 * W, mid.xx), store(mu + 4 * W, mid.yy), store(mu + 5 * W, mid.xy);
					store(u, up.r), store(u + W, up.x), store(u + 2 * W, up.y), store(u + 3 * W, up.xx), store(u + 4 * W, up.yy);
				}
			}
			if constexpr (FINISH) {
				const lbm_pattern* pattern = walls.at(x);
				if (__builtin_expect(pattern != nullptr, 0)) {
					finishWall(m, in + box.layout.start(ty, tz), done + x - from, x, pattern);
				} else {
					removeTrace(m);
					C::collide(m, params);
					write(m, done + x - from);
				}
			}
		}
		if constexpr (FINISH) flush(target, from, to);
	}

	LBM_INLINE void write(const Moments<L, R>& m, T* to) const {
		store(to, m.r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { store(to + (1 + a.value) * STRIDE, m.j[a.value]); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { store(to + (1 + L::D + k.value) * STRIDE, m.s[k.value]); });
	}

	// flush stores the finished segment past the caches, component by component:
	// ten interleaved streams take half as long again (measured).
	LBM_INLINE void flush(T* target, int from, int to) const {
		for (int c = 0; c < L::M; c++)
			for (int x = from; x < to; x += W) stream(target + (long)c * box.layout.pitch + x, load(done + c * STRIDE + x - from));
	}

	// finishWall completes a vector of cells some of which have walls beside them
	// or are solid. By value and out of line, so that the fast path keeps its registers.
	__attribute__((noinline)) void finishWall(Moments<L, R> m, const T* row, T* to, int x, const lbm_pattern* pattern) const {
		const long pitch = box.layout.pitch;
		const unsigned* cells = pattern->cell + x % LBM_BLOCK;
		const unsigned links = pattern->links, moving = pattern->moving;
		if (links) {
			Moments<L, R> own;
			own.r = load(row + x);
			unroll<L::D>([&](auto a) LBM_LAMBDA { own.j[a.value] = load(row + (1 + a.value) * pitch + x); });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { own.s[k.value] = load(row + (1 + L::D + k.value) * pitch + x); });
			Hermite<L, R> old(own);
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				if constexpr (I != L::opposite(I)) {
					if (!(links >> I & 1)) return;
					auto mask = bit<T>(cells, I);
					if (moving >> I & 1) {
						const T* kick = (const T*)box.c->kicks + pattern->kicks + countBelow(moving, I) * LBM_BLOCK + x % LBM_BLOCK;
						MovingWall::apply<I>(m, old, loadAny(kick), mask);
					} else {
						Wall::apply<I>(m, old, mask);
					}
				}
			});
		}
		removeTrace(m);
		C::collide(m, params);
		auto solid = bit<T>(cells, 31);
		const R zero{};
		m.r = select(solid, zero, m.r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = select(solid, zero, m.j[a.value]); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = select(solid, zero, m.s[k.value]); });
		write(m, to);
	}
};

}}  // namespace lbm
#endif
