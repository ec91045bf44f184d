// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// A warp's row of cells in the march of moments (step_moments.h): loads and stores of its threads' cells, the walls beside
// them, and the collision at the end. The sums that the cells send along x are in sums.h, for a scalar in heat.h.
#ifndef LBM_GPU_ROW_H
#define LBM_GPU_ROW_H
#include "../wall.h"
#include "../scalar.h"
#include "box.h"
#include "pack.h"

namespace lbm { namespace {

// component returns one of a set of moments, by number in the order of memory.
template <class L, class R> __device__ LBM_INLINE R& component(Moments<L, R>& m, int c) {
	return c == 0 ? m.r : c <= L::D ? m.j[c - 1] : m.s[c - 1 - L::D];
}

// Roles of a thread in a tile of a 3D row, as bits. LAST: its last cell is the tile's last; HALF: its first is, beyond which
// the row has ended. Threads OUTSIDE have no cells, and repeat the first one's work without storing it.
enum { FIRST = 1, LAST = 2, HALF = 4, OUTSIDE = 8 };

// RowOf is a thread's place in a row and its access to memory.
template <class L, class S, class T, int N> struct RowOf {
	typedef Pack<T, N> P;
	typedef Stored<S, T, L, true> Store;
	typedef BitsOf<S, N> Word;
	static constexpr int TILE = 32 * N;
	// Values of a scalar, whose sums lie beside the flow's (Heat); 0: no scalar.
	static constexpr int MORE = LBM_EXTRA;

	int lane, x, nx;  // first cell of the thread
	int pitch;
	int role;         // in 3D
	bool whole;       // in 2D: the tile does not end within the row
	// If it does, and the cell at x = nx is one of the thread's:
	int last;         // its stored place; -1: none
	const S* ends;    // of the stored rows' ghost cells there; otherwise null

	__device__ LBM_INLINE RowOf(const Box& box, int x0) {
		lane = threadIdx.x;
		nx = box.layout.nx;
		pitch = box.layout.pitch;
		x = x0 + lane * N;
		if constexpr (L::D == 3) {
			const int end = nx - x0 < TILE ? nx - x : TILE - lane * N;  // cells from the thread's first to the tile's last
			role = (lane == 0 ? FIRST : 0) | (end <= 0 ? OUTSIDE : end == N ? LAST : end < N ? HALF : 0);
			if (role & OUTSIDE) x = x0;
			// Where registers are few, the compiler would recompute them for each plane.
			if constexpr (MORE > 0) asm volatile("" : "+r"(role), "+r"(x));
		} else {
			whole = x0 + TILE <= nx;
			last = place(box, nx);
			ends = box.c->ends && !whole && x <= nx && nx < x + N ? Box::end<S>(box.c, box.layout, 1, 0, L::M) : nullptr;
		}
	}
	// place returns the stored place of cell k of a row, -1 behind a wall or too far out.
	__device__ LBM_INLINE static int place(const Box& box, int k) {
		return k <= box.layout.nx && box.inside(0, k) ? k : -1;
	}
	// beside returns the stored place of the cell left (side 0) or right of the tile.
	__device__ LBM_INLINE static int beside(const Box& box, int x0, int side) {
		const int next = x0 + TILE, nx = box.layout.nx;
		return place(box, side == 0 ? x0 - 1 : L::D == 3 && next > nx ? nx : next);
	}

	// Raw holds the stored moments of the thread's cells.
	struct Raw { Word w[L::M + MORE]; };

	// read fills raw from a row, with zeros where it is null. No thread needs to load solid cells:
	// they are at rest. in is the row's state.
	__device__ LBM_INLINE void read(Raw& raw, const S* LBM_RESTRICT row, bool solid, const S* LBM_RESTRICT in) const {
		if (solid || !row) {
			raw = Raw{};
			return;
		}
		if (L::D == 3 || whole) {
			unroll<L::M + MORE>([&](auto c) LBM_LAMBDA { raw.w[c.value] = __ldg((const Word*)(row + c.value * pitch + x)); });
			return;
		}
		unroll<L::M + MORE>([&](auto c) LBM_LAMBDA {
			Image<S, N> image;
#pragma unroll
			for (int i = 0; i < N; i++) {
				const int k = x + i < nx ? x + i : x + i == nx ? last : -1;
				if (c.value < L::M && k < 0 && ends && x + i == nx) image.s[i] = ends[(row - in) / ((L::M + LBM_EXTRA) * pitch) * L::M + c.value];
				else image.s[i] = k >= 0 ? row[c.value * pitch + k] : S{};
			}
			raw.w[c.value] = image.bits;
		});
	}
	__device__ LBM_INLINE static Moments<L, P> moments(const Raw& raw) {
		Moments<L, P> m;
		unroll<L::M>([&](auto c) LBM_LAMBDA {
			Image<S, N> image;
			image.bits = raw.w[c.value];
#pragma unroll
			for (int i = 0; i < N; i++) component(m, c.value).v[i] = Store::template get<decltype(c)::value>(image.s[i]);
		});
		return m;
	}

	// Beside holds the stored moments of one cell beside the tile.
	struct Beside {
		S s[L::M + MORE];
		// get returns moment K, for a ghost cell made of this one.
		template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(s[K]); }
	};
	// more: the cell is in the state, with a scalar like the others.
	__device__ LBM_INLINE static void read(Beside& edgeCell, const S* LBM_RESTRICT row, int pitch, int k, bool more = true) {
		unroll<L::M + MORE>([&](auto c) LBM_LAMBDA { edgeCell.s[c.value] = row && k >= 0 && (c.value < L::M || more) ? row[c.value * pitch + k] : S{}; });
	}
	// moments returns the moments of the edge cell, mirrored along x on the right side, so that the populations with c_x = +1
	// stream into the tile on both.
	__device__ LBM_INLINE static Moments<L, T> moments(const Beside& edgeCell, bool right) {
		Moments<L, T> m;
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value) = edgeCell.template get<decltype(c)::value>(); });
		if (right) mirror(m);
		return m;
	}
	__device__ LBM_INLINE static void mirror(Moments<L, T>& m) {
		m.j[0] = -m.j[0];
		m.s[L::pair(1, 0)] = -m.s[L::pair(1, 0)];
		if constexpr (L::D == 3) m.s[L::pair(2, 0)] = -m.s[L::pair(2, 0)];
	}

	// Sums over c_x of the populations with given (c_y, c_z) that stream to the cells; s1
	// and s2 are twice that.
	struct Group { P s0, s1, s2; };
	// Heat holds the same of a scalar, s1 twice the sum, and Sums both.
	struct Heat { P s0, s1; };
	struct Sums { Group flow; Heat heat; };
	// Pair holds the values that stream along x: plus of the cells on the left, minus of the cells on the
	// right.
	struct Pair { P plus, minus; };
	// slot returns the place of (c_y, c_z) in the values from the edge cell.
	__device__ static constexpr int slot(int cy, int cz) { return L::D == 3 ? 3 * cz + cy + 4 : cy + 1; }
	static constexpr int SLOTS = L::D == 3 ? 9 : 3;
	// Defined in sums.h.
	template <int CY, int CZ, class SLICE, class WARMTH> __device__ LBM_INLINE Sums sums(const SLICE& slice, const T* edge, const WARMTH& warm) const;
	__device__ LBM_INLINE Pair streamed(const P& plus, const P& minus, const T* edge, int step) const;
	template <class F> __device__ LBM_INLINE static void edgeTo(const Expansion<L, T>& h, F to);

	// theta returns theta of the thread's cells.
	__device__ LBM_INLINE static P theta(const Raw& raw) { return extra<0>(raw); }
	template <int K> __device__ LBM_INLINE static P extra(const Raw& raw) {
		Image<S, N> image;
		image.bits = raw.w[L::M + K];
		P v;
#pragma unroll
		for (int i = 0; i < N; i++) v.v[i] = Store::template get<L::M + K>(image.s[i]);
		return v;
	}
	// Warm holds the scalar (Carrier) that the cells send along x: the populations of the flow that come from a cell carry its
	// theta, and the rest of the scalar is the same for all but for its weight.
	struct Warm {
		P own;             // theta
		Pair theta, half;  // of the cells beside, and half of it
		P level, tilt;     // parts of theta + 3 c.q with c_y = c_z = 0: as s0, and as s1
		// Of the others, by axis: [0] of theta + 3 c_x q_x, [1] and [2] of 3 q_y and 3 q_z.
		P s0[L::D], s1[L::D];
		P corner[L::Q == 19 ? 3 : 1];  // D3Q19: of populations with c_y and c_z, which have no c_x
		P a[L::D];         // of Carrier; [0] is in level and tilt
	};
	// Beside the tile these are WARM numbers: theta, theta + 3 c_x q_x, a[0], and the 3 q of the other axes.
	static constexpr int WARM = L::D + 2;
	// doubled returns 2^n w of a direction.
	static constexpr T doubled(int cx, int cy, int cz) { return Carrier<L, P>::doubled(cx, cy, cz); }
	// Of populations with c_y or c_z: with c_x = 0 they weigh a multiple of LEAST, from the cells beside RATIO times as much
	// (exactly: Weights).
	static constexpr int Z = L::D == 3 ? 1 : 0;
	static constexpr T LEAST = doubled(0, 1, Z), RATIO = doubled(1, 1, 0) / doubled(0, 1, 0);
	// Defined in heat.h.
	template <class F> __device__ LBM_INLINE static void warmBeside(const Beside& edgeCell, bool right, F to);
	__device__ LBM_INLINE Warm warmOf(const Raw& raw, const T* edge) const;
	template <int CY, int CZ> __device__ LBM_INLINE static Heat heat(const P& zero, const Pair& in, const Warm& w);
	// Carried holds the sums of the scalar that have streamed to cells, and its value there before.
	struct Carried { P e, phi[L::D], before; };

	// Walls prefetches the walls of the thread's cells along the march: words of the current source row, and the block of the
	// next one.
	struct Walls {
		const Block* next;  // of the row after the next
		int step;
		Block block;
		unsigned word[N];

		// first is the thread's block of the first row; more: there is one.
		__device__ LBM_INLINE Walls(const Block* first, int step, bool more) : next(first), step(step), block{} {
#pragma unroll
			for (int i = 0; i < N; i++) word[i] = 0;
			advance(more);
		}
		__device__ LBM_INLINE void advance(bool more) {
			block = more ? Box::load(next) : Block{};
			next += step;
		}
		// turn loads the words of the next row, if they are needed; x is the thread's first cell. more: there is a row after
		// that.
		__device__ LBM_INLINE void turn(const unsigned* words, int x, bool needed, bool more) {
			const unsigned links = needed ? block.links >> (x % 32) & ((1u << N) - 1) : 0;
#pragma unroll
			for (int i = 0; i < N; i++) word[i] = block.solid >> (x % 32 + i) << SOLID;
			if (links) {
				const unsigned* w = words + Box::index(block, x);
#pragma unroll
				for (int i = 0; i < N; i++)
					if (links >> i & 1) word[i] = __ldg(w++);
			}
			advance(more);
		}
		__device__ LBM_INLINE bool any() const {
			unsigned all = 0;
#pragma unroll
			for (int i = 0; i < N; i++) all |= word[i];
			return __any_sync(~0u, all & ~(1u << SOLID));
		}
		__device__ LBM_INLINE unsigned dry() const {
			unsigned set = 0;
#pragma unroll
			for (int i = 0; i < N; i++) set |= (word[i] >> SOLID) << i;
			return set;
		}
		// solid reports whether all the thread's cells of the next row are solid. It is called before turn; afterwards it
		// would wait for the words that turn loads.
		__device__ LBM_INLINE bool solid(int x) const { return (~block.solid >> (x % 32) & ((1u << N) - 1)) == 0; }
		__device__ LBM_INLINE bool moving() const {
			unsigned all = 0;
#pragma unroll
			for (int i = 0; i < N; i++) all |= word[i];
			return all >> MOVING & 1;
		}
		// addWallMomentum adds the momentum of the moving walls beside the cells to their plain moments, with the factors of
		// the march. Such walls are rare, so the block is read again.
		__device__ LBM_INLINE void addWallMomentum(Moments<L, P>& m, const Box& box, int x) const {
			unsigned index = Box::index(Box::load(next - 2 * (long long)step), x);
#pragma unroll
			for (int i = 0; i < N; i++) {
				if (word[i] >> MOVING & 1) {
					const T* wallMomentum = box.template wallMomentum<T>(index, L::M);
					unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value).v[i] += factor(decltype(c)::value) * __ldg(wallMomentum + c.value); });
				}
				if (word[i] && !(word[i] >> SOLID)) index++;
			}
		}
	};

	// Defined in sums.h.
	__device__ LBM_INLINE Moments<L, P> bounce(const Box& box, const Expansion<L, P>& h, const Walls& walls) const;
	template <int CY, int CZ, class SLICE> __device__ LBM_INLINE static void turn(Moments<L, P>& m, const SLICE& slice, const Walls& walls);
	// factor returns the factor of component c in the sums of the march.
	__device__ static constexpr T factor(int c) { return T(c == 0 ? 1 : c <= 2 * L::D ? 2 : 4); }

	// eddiesOf returns the eddy viscosities of the thread's cells, from a row.
	__device__ LBM_INLINE P eddiesOf(const T* LBM_RESTRICT of) const {
		Image<T, N> image;
		image.bits = __ldg((const BitsOf<T, N>*)(of + x));
		P v;
#pragma unroll
		for (int i = 0; i < N; i++) v.v[i] = image.s[i];
		return v;
	}

	// finish collides the sums m of the march, with this eddy viscosity if the law needs it, calls last(m) and stores them into a
	// row. Dry cells already are at rest (device.Program): a thread with no others stores nothing. The scalar of cells beside
	// walls is incomplete (scalar.h in this folder).
	template <class C, class F, class H> __device__ LBM_INLINE void finish(const Params<T>& params, const ScalarParams<T>* carried, Moments<L, P>& m, const H& sums, S* LBM_RESTRICT out, unsigned dry, const P& eddies, F last) const {
		if (dry == (1u << N) - 1 || (L::D == 3 && role & OUTSIDE)) return;
		unroll<L::M - 1>([&](auto c) LBM_LAMBDA { component(m, 1 + c.value) = component(m, 1 + c.value) * (T(1) / factor(1 + decltype(c)::value)); });
		removeTrace(m);
		P more[MORE > 0 ? MORE : 1];
		if constexpr (MORE > 0) {
			more[0] = quotient(sums.e, m.r);
			unroll<L::D>([&](auto a) LBM_LAMBDA { more[1 + a.value] = sums.phi[a.value] - more[0] * m.j[a.value]; });
		}
		if constexpr (LooksAround<C>) C::collide(m, params, eddies);
		else C::collide(m, params);
		if constexpr (MORE > 0) buoyed(m, sums.before, *carried);
		last(m);
		if constexpr (MORE > 0) {
			P keep = P{} + carried->keep;
			if constexpr (Eddies<C>::STRESS && LooksAround<C>) keep = eddyKeep(m, eddies, *carried);
			else if constexpr (Eddies<C>::STRESS) keep = eddyKeep(m, *carried);
			else if constexpr (LooksAround<C>) keep = eddyKeep(eddies, *carried);
			unroll<L::D>([&](auto a) LBM_LAMBDA { more[1 + a.value] = keep * more[1 + a.value]; });
		}
		if (dry)
			unroll<L::M>([&](auto c) LBM_LAMBDA {
#pragma unroll
				for (int i = 0; i < N; i++)
					if (dry >> i & 1) component(m, c.value).v[i] = 0;
			});
		Image<S, N> image[L::M + MORE];
		unroll<L::M>([&](auto c) LBM_LAMBDA {
#pragma unroll
			for (int i = 0; i < N; i++) image[c.value].s[i] = Store::template put<decltype(c)::value>(component(m, c.value).v[i]);
		});
		unroll<MORE>([&](auto k) LBM_LAMBDA {
			constexpr int K = L::M + decltype(k)::value;
#pragma unroll
			for (int i = 0; i < N; i++) image[K].s[i] = Store::template put<K>(dry >> i & 1 ? T(0) : more[k.value].v[i]);
		});
		if (L::D == 3 ? !(role & HALF) : whole) {
			unroll<L::M + MORE>([&](auto c) LBM_LAMBDA { *(Word*)(out + c.value * pitch + x) = image[c.value].bits; });
			return;
		}
		unroll<L::M + MORE>([&](auto c) LBM_LAMBDA {
#pragma unroll
			for (int i = 0; i < N; i++)
				if (x + i < nx) out[c.value * pitch + x + i] = image[c.value].s[i];
		});
	}
};

}}  // namespace lbm
#endif
