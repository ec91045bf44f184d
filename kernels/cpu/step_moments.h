// One step of a state of moments on the CPU.
//
// A tile of rows marches through the planes. Each source row is read from memory
// once; the populations that stream to one target are summed axis by axis, as (c_x)
// then (c_y) then (c_z) partial sums of moments, because a partial sum serves all
// the moments that share it:
//   x: of each group (c_y, c_z) the sums s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f.
//      Populations never touch memory: those from the left and right neighbours are
//      expanded a second time from moments that are loaded one cell aside, which
//      costs less than storing and loading them
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
#include "memory.h"

namespace lbm { namespace {

template <class L, class C, class S> struct StepMoments {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, true> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr int AB = L::D == 3 ? 18 : 8;           // vectors of Rows per vector of cells
	static constexpr int MU = L::D == 3 ? 16 : 0;           // of Planes
	static constexpr int EDGE = 3 * W;                      // values of a component in an edge
	static constexpr int ENDS = 2 * L::M * EDGE;            // both edges of a row

	// The moments of one plane's contribution: c_z = 0 has xy, the others need not.
	struct Sum { R r, x, y, xx, yy, xy; };
	struct Group { R s0, s1, s2; };

	// Side is the populations with c_x = CX of a vector of cells: those of Hermite,
	// summed in an order that needs the fewest operations for these alone.
	template <int CX> struct Side {
		R axis;                    // the one along x, without its share
		R even[L::D], odd[L::D];  // by axis b: (f(c_b = 1) +- f(c_b = -1)) / 2

		LBM_INLINE Side(const S* row, long pitch) {
			constexpr T unit = T(1) / T(L::UNIT);
			auto component = [&](int k) LBM_LAMBDA { return Values::loadAny(row + k * pitch, k); };
			auto stress = [&](int a, int b) LBM_LAMBDA { return component(1 + L::D + L::pair(a, b)); };
			constexpr T part = stressPart<T, L::UNIT>();
			R along = component(1) * (T(3) * unit);
			R across = stress(1, 1);
			if constexpr (L::D == 3) across = across + stress(2, 2);
			R still = component(0) * unit + stress(0, 0) * (T(2) * part) - across * part;
			axis = CX > 0 ? still + along : still - along;
			unroll<L::D - 1>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value + 1;
				R j = component(1 + B) * (T(3) * unit), s = stress(B, 0) * (T(9) * unit);
				even[B] = axis + stress(B, B) * (T(3) * part);
				odd[B] = CX > 0 ? j + s : j - s;
			});
		}
		template <int CY, int CZ> LBM_INLINE R population() const {
			if constexpr (CY == 0 && CZ == 0) {
				return axis * T(L::share(L::find(CX, 0, 0)));
			} else {
				static_assert(L::share(L::find(CX, CY, CZ)) == 1, "the unit of weight");
				constexpr int B = CY != 0 ? 1 : 2;
				return CY + CZ > 0 ? even[B] + odd[B] : even[B] - odd[B];
			}
		}
	};
	// Around is what streams to a vector of cells from a row: populations of the
	// cells themselves, of those one before (c_x = 1) and of those one after.
	struct Around {
		Hermite<L, R> at;
		Side<1> before;
		Side<-1> after;
	};

	Box box;
	Params<T> params;
	const S* in;
	S* out;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	S* edges;   // [2][2][M][EDGE], of odd and even rows: see copyEdges
	S* zeros;   // [EDGE], what lies behind a wall
	T* rows;    // Rows: [x/W][AB][W]
	T* planes;  // Planes: [y-y0][x/W][MU][W]

	static int64_t scratch(const lbm_range* r) {
		int64_t width = (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		return (2 * ENDS + EDGE + width * AB + width * MU * (r->hi[1] - r->lo[1])) * sizeof(T) + 64;
	}

	static void run(const lbm_case* c, const lbm_params* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		int x1 = r->lo[0] + (r->hi[0] - r->lo[0] + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
		S* edges = (S*)scratch;
		S* zeros = edges + 2 * ENDS;
		T* rows = (T*)scratch + 2 * ENDS + EDGE;
		for (int i = 0; i < EDGE; i++) zeros[i] = S{};
		StepMoments s{Box(c), numbers<T>(p), (const S*)in, (S*)out, r->lo[0], x1,
		              r->lo[1], r->hi[1], r->lo[2], r->hi[2], edges, zeros, rows, rows + (x1 - r->lo[0]) * AB};
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
		const S* next = box.source(in, y0 - 1, z);
		copyEdges(next, y0 - 1);
		for (int y = y0 - 1; y <= y1; y++) {
			const S* row = next;
			next = y < y1 ? box.source(in, y + 1, z) : L::D == 3 && z < z1 ? box.source(in, y0 - 1, z + 1) : nullptr;
			bool complete = y > y0, finish = complete && (L::D == 2 || z > z0);
			Walls walls(box.c, finish ? y - 1 : 0, finish && L::D == 3 ? z - 1 : 0, x0);
			if (y >= y0 && y < y1 && (L::D == 2 || z > z0)) fetchWalls<false, L::M>(box, in, y, L::D == 3 ? z - 1 : z, x0, x1);
			if (finish) gather<true, true>(row, y, z, next, walls);
			else if (complete) gather<true, false>(row, y, z, next, walls);
			else gather<false, false>(row, y, z, next, walls);
			if (y < y1) copyEdges(next, y + 1);
		}
	}

	// copyEdges copies the first and the last vector of a row to where there is room
	// for what lies beyond them: the other end of a periodic row, nothing behind a
	// wall. A row ahead of its use, so that the loads, which are not aligned, need
	// not wait for the stores.
	void copyEdges(const S* row, int y) const {
		if (!row) return;
		S* const to = edges + (y & 1) * ENDS;
		const int last = (box.layout.nx - 1) / W * W;
		if (x0 == 0) copyEdge(row, 0, to);
		if (x0 <= last && last < x1) copyEdge(row, last, to + ENDS / 2);
	}

	void copyEdge(const S* row, int x, S* to) const {
		const int n = box.layout.nx;
		const bool periodic = box.c->periodic[0];
		for (int k = 0; k < L::M; k++) {
			const S* from = row + k * (long)box.layout.pitch;
			S* place = to + k * EDGE + W;
			__builtin_memcpy(place, from + x, W * sizeof(S));
			place[-1] = x > 0 ? from[x - 1] : periodic ? from[n - 1] : S{};
			if (x + W < n) place[W] = from[x + W];
			else place[n - x] = periodic ? from[0] : S{};
		}
	}

	LBM_INLINE static Moments<L, R> moments(const S* row, long pitch) {
		Moments<L, R> m;
		m.r = Values::load(row, 0);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = Values::load(row + (1 + a.value) * pitch, 1 + a.value); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = Values::load(row + (1 + L::D + k.value) * pitch, 1 + L::D + k.value); });
		return m;
	}

	// group sums the populations with the given c_y and c_z.
	template <int CY, int CZ> LBM_INLINE static Group group(const Around& f) {
		R zero = f.at.template population<L::find(0, CY, CZ)>();
		if constexpr (L::find(1, CY, CZ) >= 0) {
			R p = f.before.template population<CY, CZ>(), m = f.after.template population<CY, CZ>();
			R s2 = p + m;
			return {zero + s2, p - m, s2};
		} else {
			return {zero, R{}, R{}};
		}
	}

	// pass adds the row's populations with velocity CZ to the waiting sums: those
	// with c_y = -1 complete the row below, which is returned; c_y = 0 and +1 wait.
	// The sums of one row wait in b (r, x, xx, y, xy), of the next in a (s0, s1, s2).
	template <int CZ, bool COMPLETE> LBM_INLINE static Sum pass(const Around& f, T* a, T* b) {
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

	// gather takes source row (y, z) into the waiting sums.
	// COMPLETE: row y-1 of plane z has all its c_y; FINISH: and so has the cell
	// (y-1, z-1), in 2D (y-1, z), all its populations.
	template <bool COMPLETE, bool FINISH> void gather(const S* row, int y, int z, const S* next, Walls& walls) const {
		const int last = (box.layout.nx - 1) / LBM_BLOCK * LBM_BLOCK;
		for (int x = x0; x < x1;) {
			const lbm_pattern* pattern = FINISH ? walls.at(x) : nullptr;
			int end = x;  // of the plain blocks from x on
			if (row && x > 0 && !pattern) {
				end = last < x1 ? last : x1;
				if (FINISH && walls.next < walls.end && int(walls.next->block) * LBM_BLOCK < end) end = walls.next->block * LBM_BLOCK;
			}
			if (end > x) {
				stretch<COMPLETE, FINISH, true>(row, x, end, y, z, next, nullptr);
				x = end;
			} else {
				stretch<COMPLETE, FINISH, false>(row, x, x + LBM_BLOCK, y, z, next, pattern);
				x += LBM_BLOCK;
			}
		}
	}

	// stretch does so for the cells [from, to). PLAIN: they are inside the row and
	// have no walls; else they are one block.
	template <bool COMPLETE, bool FINISH, bool PLAIN>
	__attribute__((noinline)) void stretch(const S* row, int from, int to, int y, int z, const S* next, const lbm_pattern* pattern) const {
		const Params<T> constants = params;  // a copy that no store can change: what follows from it stays in registers
		const long pitch = box.layout.pitch;
		const int ty = y - 1, tz = L::D == 3 ? z - 1 : z;
		const S* const old = in + (FINISH ? box.layout.start(ty, tz) : 0);
		S* const target = out + (FINISH ? box.layout.start(ty, tz) : 0);
		T* ab = rows + (long)(from - x0) * AB;
		T* mu = planes + ((long)(ty - y0) * (x1 - x0) + from - x0) * MU;
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
		for (int x = from; x < to; x += W, ab += AB * W, mu += MU * W, ahead += lines) {
			if constexpr (!FINISH || !PLAIN) unroll<L::M>([&](auto k) LBM_LAMBDA { __builtin_prefetch(ahead + k.value * line, 0, 2); });
			const S* p = row + x;
			long q = pitch;
			if constexpr (!PLAIN) {
				const S* const edge = edges + (y & 1) * ENDS + W;
				if (!row) p = zeros + W, q = 0;
				else if (x == 0) p = edge, q = EDGE;
				else if (x + W >= box.layout.nx) p = edge + ENDS / 2, q = EDGE;
			}
			const Around f{Hermite<L, R>(moments(p, q)), Side<1>(p - 1, q), Side<-1>(p + 1, q)};
			Moments<L, R> m;
			if constexpr (L::D == 2) {
				if constexpr (FINISH && PLAIN) move<0, 3>(place, pitch, done, ahead, line);
				Sum s = pass<0, COMPLETE>(f, ab, ab + 3 * W);
				if constexpr (FINISH && PLAIN) move<3, 6>(place, pitch, done, ahead, line);
				m.r = s.r;
				m.j[0] = s.x, m.j[1] = s.y;
				m.s[0] = s.xx, m.s[1] = s.yy, m.s[2] = s.xy;
			} else {
				if constexpr (FINISH && PLAIN) move<0, 2>(place, pitch, done, ahead, line);
				Sum mid = pass<0, COMPLETE>(f, ab, ab + 3 * W);
				if constexpr (FINISH && PLAIN) move<2, 4>(place, pitch, done, ahead, line);
				Sum down = pass<-1, COMPLETE>(f, ab + 8 * W, ab + 9 * W);
				if constexpr (FINISH && PLAIN) move<4, 6>(place, pitch, done, ahead, line);
				Sum up = pass<1, COMPLETE>(f, ab + 13 * W, ab + 14 * W);
				if constexpr (FINISH && PLAIN) move<6, 8>(place, pitch, done, ahead, line);
				if constexpr (COMPLETE) {
					T* u = mu + (6 + 5 * (z & 1)) * W;  // what rose from plane z-2, then what rises from z
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
					if constexpr (FINISH && PLAIN) move<8, 9>(place, pitch, done, ahead, line);
					store(mu + 3 * W, mid.xx), store(mu + 4 * W, mid.yy), store(mu + 5 * W, mid.xy);
					if constexpr (FINISH && PLAIN) move<9, 10>(place, pitch, done, ahead, line);
					store(u, up.r), store(u + W, up.x), store(u + 2 * W, up.y), store(u + 3 * W, up.xx), store(u + 4 * W, up.yy);
				}
			}
			if constexpr (FINISH) {
				if (!PLAIN && pattern) addWalls(m, old + x, x, pattern);
				removeTrace(m);
				C::collide(m, constants);
				if (!PLAIN && pattern) clearSolid(m, x, pattern);
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

	// addWalls adds what walls send back to a vector of cells. old is their own state.
	LBM_INLINE void addWalls(Moments<L, R>& m, const S* old, int x, const lbm_pattern* pattern) const {
		const unsigned links = pattern->links, moving = pattern->moving;
		if (!links) return;
		if (links == side<1>() && !moving && uniform(pattern)) return addFace<1>(m, old, x, pattern);
		if (links == side<-1>() && !moving && uniform(pattern)) return addFace<-1>(m, old, x, pattern);
		const unsigned* cells = pattern->cell + x % LBM_BLOCK;
		const Hermite<L, R> own(moments(old, box.layout.pitch));
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (I != L::opposite(I)) {
				if (!(links >> I & 1)) return;
				auto mask = bit<T>(cells, I);
				if (moving >> I & 1) {
					const T* kick = (const T*)box.c->kicks + pattern->kicks + countBelow(moving, I) * LBM_BLOCK + x % LBM_BLOCK;
					MovingWall::apply<I>(m, own, loadAny(kick), mask);
				} else {
					Wall::apply<I>(m, own, mask);
				}
			}
		});
	}

	// side is the set of directions with c_x = CX.
	template <int CX> static constexpr unsigned side() {
		unsigned set = 0;
		for (int i = 0; i < L::Q; i++)
			if (L::c(i, 0) == CX) set |= 1u << i;
		return set;
	}
	// uniform: each cell of the block has all links of the pattern or none. Asked of
	// the whole block, so that the answer does not depend on the width of the vectors.
	LBM_INLINE static bool uniform(const lbm_pattern* pattern) {
		unsigned odd = 0;
		for (int k = 0; k < LBM_BLOCK; k++) {
			unsigned own = pattern->cell[k] & pattern->links;
			odd |= own != 0 && own != pattern->links;
		}
		return !odd;
	}

	// addFace is addWalls for a plain wall at rest across x, which every row of a
	// box has at both ends. Incoming directions have c_x = CX.
	template <int CX> LBM_INLINE void addFace(Moments<L, R>& m, const S* old, int x, const lbm_pattern* pattern) const {
		const Side<-CX> own(old, box.layout.pitch);
		const auto mask = bit<T>(pattern->cell + x % LBM_BLOCK, L::find(CX, 0, 0));
		auto add = [&](R& to, const R& v) LBM_LAMBDA { to = select(mask, to + v, to); };
		R all = own.template population<0, 0>();
		unroll<L::D - 1>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value + 1;
			R even = own.even[B] + own.even[B], odd = own.odd[B] + own.odd[B];
			all = all + even;
			add(m.s[B], even);
			add(m.j[B], -odd);
			add(m.s[L::pair(B, 0)], CX > 0 ? -odd : odd);
		});
		add(m.r, all);
		add(m.j[0], CX > 0 ? all : -all);
		add(m.s[0], all);
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
