// One step of a state of moments on a GPU.
//
// A warp owns a row of cells, CELLS neighbours a thread, and marches along the
// slowest axis. Each source cell is read from memory once; its populations are
// summed axis by axis, as partial moments, because a partial sum serves all the
// moments that share it (the CPU's march in cpu/step_moments.h does the same):
//   x: populations with c_x = +-1 go to the neighbouring thread by a shuffle; of
//      each (c_y, c_z) remain s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f
//   y: what has c_y = +-1, ten numbers a cell, goes to the warps of the rows
//      beside it through shared memory
//   z: what has c_z = +-1 is passed on in registers, plane by plane
// In 2D the march is along y and needs no shared memory. The rows before and after
// a tile are read by warps of their own, the cells left and right of it by the
// first and the last lane.
#ifndef LBM_GPU_STEP_MOMENTS_H
#define LBM_GPU_STEP_MOMENTS_H
#include "../boundary/moving_wall.h"
#include "../moments.h"
#include "box.h"
#include "pack.h"

// Tuned on an H200; see docs/performance.md.
#ifndef LBM_CELLS
#define LBM_CELLS (sizeof(S) == 8 ? 1 : sizeof(S) == 4 ? 2 : 4)
#endif
#ifndef LBM_ROWS
#define LBM_ROWS 8
#endif
#ifndef LBM_MARCH
#define LBM_MARCH 64
#endif
#ifndef LBM_BLOCKS
#define LBM_BLOCKS 2
#endif

namespace lbm { namespace {

// RowOf is a thread's place in a row and its way to memory.
template <class L, class S, class T, int N> struct RowOf {
	typedef Pack<T, N> P;
	typedef Stored<S, T, L, true> Store;
	typedef BitsOf<S, N> Word;
	static constexpr int TILE = 32 * N;

	int lane, x, nx;  // first cell of the thread
	long long pitch;
	bool whole;       // the tile ends inside of the row
	int rim;          // the cell beside the tile that lane 0 or 31 reads; -1: none
	int wrapped[N];   // where the thread's cells are stored; -1: nowhere

	__device__ LBM_INLINE RowOf(const Box& box, int x0) {
		lane = threadIdx.x;
		nx = box.layout.nx;
		pitch = box.layout.pitch;
		x = x0 + lane * N;
		whole = x0 + TILE <= nx;
		rim = -1;
		if (lane == 0 || lane == 31) rim = place(box, lane == 0 ? x0 - 1 : x0 + TILE);
		for (int i = 0; i < N; i++) wrapped[i] = place(box, x + i);
	}
	// place is where cell k of the row is stored, -1 behind a wall or too far out.
	__device__ LBM_INLINE static int place(const Box& box, int k) {
		int n = box.layout.nx;
		if (k > n || !box.inside(0, k)) return -1;
		return k;
	}

	// Raw is the stored moments of the thread's cells, and of the rim.
	struct Raw {
		Word own[L::M];
		S rim[L::M];
	};
	// read fills raw from a row, with zeros where there is none (null).
	__device__ LBM_INLINE void read(Raw& raw, const S* LBM_RESTRICT row) const {
		if (row && whole) {
			unroll<L::M>([&](auto c) LBM_LAMBDA { raw.own[c.value] = __ldg((const Word*)(row + c.value * pitch + x)); });
		} else {
			unroll<L::M>([&](auto c) LBM_LAMBDA {
				Image<S, N> image;
				for (int i = 0; i < N; i++) image.s[i] = row && wrapped[i] >= 0 ? row[c.value * pitch + wrapped[i]] : S{};
				raw.own[c.value] = image.bits;
			});
		}
		const bool has = row && rim >= 0;
		unroll<L::M>([&](auto c) LBM_LAMBDA { raw.rim[c.value] = has ? row[c.value * pitch + rim] : S{}; });
	}

	template <class R> struct Place { R* r; };
	// component c of a set of moments, by number
	template <class R> __device__ static LBM_INLINE R& component(Moments<L, R>& m, int c) {
		return c == 0 ? m.r : c <= L::D ? m.j[c - 1] : m.s[c - 1 - L::D];
	}
	__device__ LBM_INLINE Moments<L, P> own(const Raw& raw) const {
		Moments<L, P> m;
		unroll<L::M>([&](auto c) LBM_LAMBDA {
			Image<S, N> image;
			image.bits = raw.own[c.value];
			for (int i = 0; i < N; i++) component(m, c.value).v[i] = Store::template get<decltype(c)::value>(image.s[i]);
		});
		return m;
	}
	// beside is the moments of the rim cell, those of lane 31 mirrored along x, so
	// that what it sends into the tile are the populations with c_x = +1 in both.
	__device__ LBM_INLINE Moments<L, T> beside(const Raw& raw) const {
		Moments<L, T> m;
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value) = Store::template get<decltype(c)::value>(raw.rim[c.value]); });
		if (lane == 31) {
			m.j[0] = -m.j[0];
			m.s[L::pair(1, 0)] = -m.s[L::pair(1, 0)];
			if constexpr (L::D == 3) m.s[L::pair(2, 0)] = -m.s[L::pair(2, 0)];
		}
		return m;
	}

	// Sums over c_x of the populations with given (c_y, c_z) that stream to the cells.
	struct Group { P s0, s1, s2; };
	template <int CY, int CZ> __device__ LBM_INLINE Group group(const Hermite<L, P>& h, const Hermite<L, T>& edge) const {
		constexpr int i0 = L::find(0, CY, CZ), ip = L::find(1, CY, CZ), im = L::find(-1, CY, CZ);
		P zero = h.template population<i0>();
		if constexpr (ip >= 0) {
			const P from = h.template population<ip>(), back = h.template population<im>();
			const T side = edge.template population<ip>();
			P p, m;
			p.v[0] = __shfl_up_sync(~0u, from.v[N - 1], 1);
			m.v[N - 1] = __shfl_down_sync(~0u, back.v[0], 1);
			if (lane == 0) p.v[0] = side;
			if (lane == 31) m.v[N - 1] = side;
			for (int i = 1; i < N; i++) {
				p.v[i] = from.v[i - 1];
				m.v[i - 1] = back.v[i];
			}
			P s2 = p + m;
			return {zero + s2, p - m, s2};
		} else {
			return {zero, P{}, P{}};
		}
	}

	// finish adds what the walls send back, collides and stores. m is the plain sums
	// of the row's cells (y, z), in its old state and out its new one; block says
	// where its walls are.
	template <class C>
	__device__ LBM_INLINE void finish(const Box& box, const Params<T>& params, Moments<L, P>& m, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, const Block& block) const {
		const unsigned special = block.mask >> (x % 32) & ((1u << N) - 1);
		bool dry[N];
		for (int i = 0; i < N; i++) dry[i] = false;
		if (__any_sync(~0u, special != 0)) {
			for (int i = 0; i < N; i++) {
				unsigned word = 0;
				if (special >> i & 1) word = box.c->words[block.first + __popc(block.mask & ((1u << ((x + i) % 32)) - 1))];
				if (__any_sync(~0u, word & ((1u << KICK_SHIFT) - 1))) bounce(box, m, i, in, word);
				dry[i] = solid(word);
			}
		}
		removeTrace(m);
		C::collide(m, params);
		for (int i = 0; i < N; i++)
			if (dry[i]) unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value).v[i] = 0; });
		if (whole) {
			unroll<L::M>([&](auto c) LBM_LAMBDA {
				Image<S, N> image;
				for (int i = 0; i < N; i++) image.s[i] = Store::template put<decltype(c)::value>(component(m, c.value).v[i]);
				*(Word*)(out + c.value * pitch + x) = image.bits;
			});
		} else {
			for (int i = 0; i < N; i++)
				if (x + i < nx)
					unroll<L::M>([&](auto c) LBM_LAMBDA { out[c.value * pitch + x + i] = Store::template put<decltype(c)::value>(component(m, c.value).v[i]); });
		}
	}

	// bounce adds the populations that walls send back to cell i of the thread. All
	// lanes come along, those without walls add nothing; a direction that no lane of
	// the warp needs is left out.
	__device__ LBM_INLINE void bounce(const Box& box, Moments<L, P>& m, int i, const S* LBM_RESTRICT in, unsigned word) const {
		Moments<L, T> sum, old{};
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(sum, c.value) = component(m, c.value).v[i]; });
		if (word & ((1u << KICK_SHIFT) - 1))
			unroll<L::M>([&](auto c) LBM_LAMBDA { component(old, c.value) = Store::template get<decltype(c)::value>(in[c.value * pitch + x + i]); });
		const Hermite<L, T> h(old);
		const T* kicks = box.template kicks<T>(word, L::Q);
		unroll<L::Q>([&](auto k) LBM_LAMBDA {
			constexpr int I = decltype(k)::value;
			if constexpr (I != L::opposite(I)) {
				const bool wall = word >> I & 1;
				if (__any_sync(~0u, wall)) MovingWall::apply<I>(sum, h, wall && kicks ? kicks[I] : T(0), wall);
			}
		});
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value).v[i] = component(sum, c.value); });
	}
};

template <class L, class C, class S, class T> struct StepMoments {
	static constexpr int N = LBM_CELLS;
	static constexpr int ROWS = L::D == 3 ? LBM_ROWS : 4;           // computed by a block
	static constexpr int WARPS = L::D == 3 ? ROWS + 2 : ROWS;       // in 3D two rows more are read
	static constexpr int BLOCK_X = 32, BLOCK_Y = WARPS, THREADS = 32 * WARPS, BLOCKS = L::D == 3 ? LBM_BLOCKS : 4;
	static constexpr int TILE_X = L::D == 3 ? 32 * N : 32 * N * ROWS, TILE_Y = L::D == 3 ? ROWS : LBM_MARCH, TILE_Z = L::D == 3 ? LBM_MARCH : 1;
	static constexpr int PASSED = 10;                                // numbers a cell for the rows beside it
	static constexpr int SHARED = L::D == 3 ? 2 * PASSED * WARPS * 32 * N * int(sizeof(T)) : 0;
	typedef RowOf<L, S, T, N> Row;
	typedef typename Row::P P;
	typedef typename Row::Group Group;

	__device__ static LBM_INLINE void run(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi) {
		const Box box(c, L::M);
		if constexpr (L::D == 3) march3(box, in, out, ylo, yhi, zlo, zhi);
		else march2(box, in, out, ylo, yhi);
	}

	// In 2D each warp is on its own: row by row, the sums of the last two wait.
	__device__ static LBM_INLINE void march2(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi) {
		const int x0 = (blockIdx.x * ROWS + threadIdx.y) * Row::TILE;
		if (x0 >= box.layout.nx) return;
		const Row row(box, x0);
		const Params<T> params = box.params<T>();
		const int y0 = ylo + blockIdx.y * TILE_Y, y1 = y0 + TILE_Y < yhi ? y0 + TILE_Y : yhi;
		const long long step = L::M * row.pitch;
		const S* source = in + box.layout.start(y0 - 1, 0);
		S* target = out + box.layout.start(y0, 0);
		const Block* blocks = box.c->blocks + (long long)y0 * (row.pitch / 32) + (row.x < row.pitch ? row.x / 32 : 0);
		typename Row::Raw raw;
		row.read(raw, source);
		P r{}, x{}, xx{}, u0{}, u1{};  // row y: what has come so far, and from below
		Group rise{};
		for (int y = y0 - 1; y <= y1; y++) {
			const Hermite<L, P> h(row.own(raw));
			const Hermite<L, T> edge(row.beside(raw));
			source += step;
			if (y < y1) row.read(raw, source);
			const Group down = row.template group<-1, 0>(h, edge), mid = row.template group<0, 0>(h, edge), up = row.template group<1, 0>(h, edge);
			if (y > y0) {
				const Block block = row.x < row.pitch ? *blocks : Block{0, 0};
				blocks += row.pitch / 32;
				Moments<L, P> m;
				m.r = r + down.s0;
				m.j[0] = x + down.s1;
				m.j[1] = u0 - down.s0;
				m.s[0] = xx + down.s2;
				m.s[1] = u0 + down.s0;
				m.s[2] = u1 - down.s1;
				row.template finish<C>(box, params, m, source - 2 * step, target, block);
				target += step;
			}
			r = mid.s0 + rise.s0;
			x = mid.s1 + rise.s1;
			xx = mid.s2 + rise.s2;
			u0 = rise.s0;
			u1 = rise.s1;
			rise = up;
		}
	}

	__device__ static LBM_INLINE void march3(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi) {
		extern __shared__ uint4 memory[];
		P* const passed = (P*)memory;  // [turn][number][row][lane]
		const Row row(box, blockIdx.x * Row::TILE);
		const Params<T> params = box.params<T>();
		const int line = threadIdx.y, ytop = ylo + blockIdx.y * ROWS;
		int y = ytop + line - 1;
		const bool inner = line > 0 && line <= ROWS && y < yhi;
		const int z0 = zlo + blockIdx.z * TILE_Z, z1 = z0 + TILE_Z < zhi ? z0 + TILE_Z : zhi;
		const long long plane = (long long)(box.layout.ny + 2 * box.layout.gy) * L::M * row.pitch;
		S* target = out + box.layout.start(y, z0);
		const Block* blocks = box.c->blocks + ((long long)z0 * box.layout.ny + y) * (row.pitch / 32) + (row.x < row.pitch ? row.x / 32 : 0);
		const S* source = y <= yhi && box.inside(1, y) ? in + box.layout.start(y, z0 - 1) : nullptr;
		const long long step = source ? plane : 0;
		typename Row::Raw raw;
		row.read(raw, source);
		// Plane z: the sums of what has come so far, and what of it rose from below.
		P r{}, x{}, yy{}, xx{}, jy{}, xy{}, u0{}, ux{}, uy{};
		struct { P r, x, y, xx, yy; } rise{};
		int turn = 0;
		for (int z = z0 - 1; z <= z1; z++) {
			Group mid, down, up;
			P* const here = passed + (turn * PASSED * WARPS + line) * 32 + row.lane;
			constexpr int next = WARPS * 32;  // from one number to the next
			turn ^= 1;
			{
				const Hermite<L, P> h(row.own(raw));
				const Hermite<L, T> edge(row.beside(raw));
				if (line < WARPS - 1) {
					const Group g = row.template group<1, 0>(h, edge);
					here[0 * next] = g.s0, here[1 * next] = g.s1, here[2 * next] = g.s2;
					here[3 * next] = h.template population<L::find(0, 1, 1)>();
					here[4 * next] = h.template population<L::find(0, 1, -1)>();
				}
				if (line > 0) {
					const Group g = row.template group<-1, 0>(h, edge);
					here[5 * next] = g.s0, here[6 * next] = g.s1, here[7 * next] = g.s2;
					here[8 * next] = h.template population<L::find(0, -1, 1)>();
					here[9 * next] = h.template population<L::find(0, -1, -1)>();
				}
				mid = row.template group<0, 0>(h, edge);
				down = row.template group<0, -1>(h, edge);
				up = row.template group<0, 1>(h, edge);
			}
			source += step;
			if (z < z1) row.read(raw, source);
			__syncthreads();
			if (!inner) continue;
			const P* const below = here - 32;     // of the row y-1, which has c_y = +1
			const P* const above = here + 32;
			if (z > z0) {
				const Block block = row.x < row.pitch ? *blocks : Block{0, 0};
				blocks += (long long)box.layout.ny * (row.pitch / 32);
				const P a = below[4 * next], b = above[9 * next], both = a + b, r0 = down.s0 + both;
				Moments<L, P> m;
				m.r = r + r0;
				m.j[0] = x + down.s1;
				m.j[1] = jy + (a - b);
				m.j[2] = u0 - r0;
				m.s[0] = xx + down.s2;
				m.s[1] = yy + both;
				m.s[2] = u0 + r0;
				m.s[3] = xy;
				m.s[4] = ux - down.s1;
				m.s[5] = uy - (a - b);
				row.template finish<C>(box, params, m, source - 2 * plane, target, block);
				target += plane;
			}
			{
				const P a = below[0 * next], b = above[5 * next], s = a + b, a1 = below[1 * next], b1 = above[6 * next];
				r = (mid.s0 + s) + rise.r;
				jy = (a - b) + rise.y;
				yy = s + rise.yy;
				x = (mid.s1 + (a1 + b1)) + rise.x;
				xy = a1 - b1;
				xx = (mid.s2 + (below[2 * next] + above[7 * next])) + rise.xx;
				u0 = rise.r, ux = rise.x, uy = rise.y;
			}
			{
				const P a = below[3 * next], b = above[8 * next], s = a + b;
				rise.r = up.s0 + s;
				rise.x = up.s1;
				rise.y = a - b;
				rise.xx = up.s2;
				rise.yy = s;
			}
		}
	}
};

}}  // namespace lbm
#endif
