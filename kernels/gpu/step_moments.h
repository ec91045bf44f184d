// One step of a state of moments on a GPU.
//
// A warp owns a row of cells, CELLS neighbours a thread, and marches along the
// slowest axis. Each source cell is read from memory once and expanded as its closure
// says; its populations are summed axis by axis, as partial moments, because a partial
// sum serves all the moments that share it (the CPU's march in cpu/step_moments.h does
// the same):
//   x: populations with c_x = +-1 go to the neighbouring thread by a shuffle; of
//      each (c_y, c_z) remain s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f
//   y: what has c_y = +-1, ten numbers a cell (18 on D3Q27), goes to the warps of the
//      rows beside it through shared memory
//   z: what has c_z = +-1 is passed on in registers, plane by plane
// Populations come without their factors 1/2 (expansion.h): sums over directions that
// stream along an axis are twice what they stand for, once for each such axis.
// What a wall sends back are the cell's own populations: they are added to its
// sums when it is a source. In 2D the march is along y and needs no shared memory.
//
// The rows before and after a 3D tile are read by warps of their own, and the cells
// left and right of it by one warp more, a plane ahead. A scalar (../scalar.h) rides along:
// what comes along x of the flow brings it with it, into sums of its own (Warm, Heat).
#ifndef LBM_GPU_STEP_MOMENTS_H
#define LBM_GPU_STEP_MOMENTS_H
#include "../wall.h"
#include "../face.h"
#include "../outflow.h"
#include "../scalar.h"
#include "box.h"
#include "pack.h"

// Tuned on an H200; see docs/performance.md. 384 threads a block have 168 registers each,
// which 27 populations and their closures need; 512 have 128.
#ifndef LBM_CELLS
#define LBM_CELLS (sizeof(S) == 8 || (LBM_EXTRA > 0 && L::Q == 27 && sizeof(S) == 4) ? 1 : sizeof(S) == 2 && L::D == 2 ? 4 : 2)
#endif
#ifndef LBM_ROWS
#define LBM_ROWS (LBM_EXTRA > 0 ? (L::Q != 27 ? 9 : sizeof(S) == 4 ? 12 : 8) : L::Q != 27 ? 13 : sizeof(S) == 2 ? 12 : 9)
#endif
#ifndef LBM_WAITS
#define LBM_WAITS (L::Q == 27 ? (sizeof(S) == 4 ? 0 : 10) : sizeof(S) == 8 ? (LBM_EXTRA > 0 ? 10 : 2) : LBM_EXTRA > 0 ? (sizeof(S) == 2 ? 6 : 3) : LBM_PITCH ? 0 : 3)
#endif
#ifndef LBM_MARCH
#define LBM_MARCH (L::D == 2 ? 32 : L::Q == 27 ? (sizeof(S) == 8 ? 60 : 128) : sizeof(S) == 8 ? 40 : 80)
#endif
#ifndef LBM_BLOCKS
#define LBM_BLOCKS 1
#endif
// 1: some face gives what enters through it a direction.
#ifndef LBM_DIRECTED
#define LBM_DIRECTED 0
#endif
// Bytes of shared memory that a block may have on the GPU.
#ifndef LBM_SHARED
#define LBM_SHARED (227 << 10)
#endif

namespace lbm { namespace {

// barrier waits for all the threads of a block, wherever in the code they wait.
// __syncthreads would have to be the same one for all of them.
template <int THREADS> __device__ LBM_INLINE void barrier() { asm volatile("bar.sync 0, %0;" ::"n"(THREADS) : "memory"); }

// placeOf is a place in the shared memory of a block as a number that the compiler holds in
// a register: it would compute it anew for each access, from the block's number on.
// shared is the way back.
__device__ LBM_INLINE unsigned placeOf(const void* p) {
	unsigned place = (unsigned)__cvta_generic_to_shared(p);
	asm volatile("" : "+r"(place));
	return place;
}
template <class T> __device__ LBM_INLINE T* sharedAt(unsigned place) { return (T*)__builtin_assume_aligned(__cvta_shared_to_generic(place), sizeof(T)); }

// component is one of a set of moments, by number in the order of memory.
template <class L, class R> __device__ LBM_INLINE R& component(Moments<L, R>& m, int c) {
	return c == 0 ? m.r : c <= L::D ? m.j[c - 1] : m.s[c - 1 - L::D];
}

// RowOf is a thread's place in a row and its way to memory.
// Roles of a thread in a tile of a 3D row, as bits. LAST: its last cell is the tile's last; HALF: its first is,
// beyond which the row has ended. Those OUTSIDE have no cells, and compute what the first has without storing it.
enum { FIRST = 1, LAST = 2, HALF = 4, OUTSIDE = 8 };
template <class L, class S, class T, int N> struct RowOf {
	typedef Pack<T, N> P;
	typedef Stored<S, T, L, true> Store;
	typedef BitsOf<S, N> Word;
	static constexpr int TILE = 32 * N;
	// Of a scalar, which has its sums beside those of the flow (Heat); 0: there is none.
	static constexpr int MORE = LBM_EXTRA;

	int lane, x, nx;  // first cell of the thread
	int pitch;
	int role;         // in 3D
	bool whole;       // in 2D: the tile does not end inside of the row
	// If it does, and the cell at x = nx is one of the thread's:
	int last;         // where it is stored; -1: nowhere
	const S* ends;    // of the stored rows' ghost cells there; else null

	__device__ LBM_INLINE RowOf(const Box& box, int x0) {
		lane = threadIdx.x;
		nx = box.layout.nx;
		pitch = box.layout.pitch;
		x = x0 + lane * N;
		if constexpr (L::D == 3) {
			const int end = nx - x0 < TILE ? nx - x : TILE - lane * N;  // cells from the thread's first to the tile's last
			role = (lane == 0 ? FIRST : 0) | (end <= 0 ? OUTSIDE : end == N ? LAST : end < N ? HALF : 0);
			if (role & OUTSIDE) x = x0;
			// Where registers are few, the compiler would make them anew for each plane.
			if constexpr (MORE > 0) asm volatile("" : "+r"(role), "+r"(x));
		} else {
			whole = x0 + TILE <= nx;
			last = place(box, nx);
			ends = box.c->ends && !whole && x <= nx && nx < x + N ? Box::end<S>(box.c, box.layout, 1, 0, L::M) : nullptr;
		}
	}
	// place is where cell k of a row is stored, -1 behind a wall or too far out.
	__device__ LBM_INLINE static int place(const Box& box, int k) {
		return k <= box.layout.nx && box.inside(0, k) ? k : -1;
	}
	// beside is where the cell left (side 0) or right of the tile is stored.
	__device__ LBM_INLINE static int beside(const Box& box, int x0, int side) {
		const int next = x0 + TILE, nx = box.layout.nx;
		return place(box, side == 0 ? x0 - 1 : L::D == 3 && next > nx ? nx : next);
	}

	// Raw is the stored moments of the thread's cells.
	struct Raw { Word w[L::M + MORE]; };

	// read fills raw from a row, with zeros where there is none (null). Nobody needs to
	// ask memory for solid cells: they are at rest.
	// in is the state that the row is of.
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

	// Beside is the stored moments of one cell beside the tile.
	struct Beside {
		S s[L::M + MORE];
		// What a ghost cell is made of.
		template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(s[K]); }
	};
	// more: it is one of the state, which has a scalar as the others have.
	__device__ LBM_INLINE static void read(Beside& rim, const S* LBM_RESTRICT row, int pitch, int k, bool more = true) {
		unroll<L::M + MORE>([&](auto c) LBM_LAMBDA { rim.s[c.value] = row && k >= 0 && (c.value < L::M || more) ? row[c.value * pitch + k] : S{}; });
	}
	// moments of the rim, mirrored along x on the right side, so that what streams
	// into the tile are the populations with c_x = +1 on both.
	__device__ LBM_INLINE static Moments<L, T> moments(const Beside& rim, bool right) {
		Moments<L, T> m;
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value) = rim.template get<decltype(c)::value>(); });
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
	// Heat is the same of a scalar, s1 twice the sum, and Sums both.
	struct Heat { P s0, s1; };
	struct Sums { Group flow; Heat heat; };
	// sums makes them; edge is what comes from the rims: in 2D that of the first or of the last lane, in 3D [side].
	template <int CY, int CZ, class SLICE, class WARMTH> __device__ LBM_INLINE Sums sums(const SLICE& slice, const T* edge, const WARMTH& warm) const {
		const auto t = slice.template triple<CY>();
		Pair in{};
		Sums s{{t.zero, P{}, P{}}, {}};
		if constexpr (L::find(1, CY, CZ) >= 0) {
			in = streamed(t.plus, t.minus, edge + slot(CY, CZ), SLOTS);
			const P s2 = in.plus + in.minus;
			s.flow = {t.zero + s2 * T(0.5), in.plus - in.minus, s2};
		}
		if constexpr (MORE > 0) s.heat = heat<CY, CZ>(t.zero, in, warm);
		return s;
	}
	// Pair is what comes along x: from the cells on the left what they have in plus, from those on the right what
	// they have in minus. Beyond the tile that is *edge; in 3D that of the right side lies step numbers behind that of the left.
	struct Pair { P plus, minus; };
	__device__ LBM_INLINE Pair streamed(const P& plus, const P& minus, const T* edge, int step) const {
		const bool first = L::D == 3 ? role & FIRST : lane == 0, end = L::D == 3 ? role & LAST : lane == 31;
		const T* const right = L::D == 3 ? edge + step : edge;
		Pair in;
		in.plus.v[0] = __shfl_up_sync(~0u, plus.v[N - 1], 1);
		in.minus.v[N - 1] = __shfl_down_sync(~0u, minus.v[0], 1);
		if (first) in.plus.v[0] = *edge;
		if (end) in.minus.v[N - 1] = *right;
#pragma unroll
		for (int i = 1; i < N; i++) {
			in.plus.v[i] = plus.v[i - 1];
			in.minus.v[i - 1] = minus.v[i];
		}
		if (L::D == 3 && N > 1 && role & HALF) in.minus.v[0] = *right;
		return in;
	}
	// slot is the place of (c_y, c_z) in what comes from the rim.
	__device__ static constexpr int slot(int cy, int cz) { return L::D == 3 ? 3 * cz + cy + 4 : cy + 1; }
	static constexpr int SLOTS = L::D == 3 ? 9 : 3;
	// rimTo calls to(Int<c_y>, Int<c_z>, value) for the populations of a rim's cell that
	// stream into the tile.
	template <class F> __device__ LBM_INLINE static void rimTo(const Expansion<L, T>& h, F to) {
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
			const typename Expansion<L, T>::template Slice<CZ> slice(h);
			unroll<3>([&](auto b) LBM_LAMBDA {
				constexpr int CY = decltype(b)::value - 1;
				if constexpr (L::find(1, CY, CZ) >= 0) to(Int<CY>{}, Int<CZ>{}, slice.template triple<CY>().plus);
			});
		});
	}

	// theta of the thread's cells.
	__device__ LBM_INLINE static P theta(const Raw& raw) { return extra<0>(raw); }
	template <int K> __device__ LBM_INLINE static P extra(const Raw& raw) {
		Image<S, N> image;
		image.bits = raw.w[L::M + K];
		P v;
#pragma unroll
		for (int i = 0; i < N; i++) v.v[i] = Store::template get<L::M + K>(image.s[i]);
		return v;
	}
	// Warm is what the cells send of the scalar (Carrier) to those along x: the populations of the flow that come
	// from a cell bring its theta with them, and what they bring beside that is the same for all but for its weight.
	struct Warm {
		P own;             // theta
		Pair theta, half;  // of the cells beside, and half of it
		P level, tilt;     // of theta + 3 c.q what those with c_y = c_z = 0 have: as s0, and as s1
		// Of the others, by axis: [0] of theta + 3 c_x q_x, [1] and [2] of 3 q_y and 3 q_z.
		P s0[L::D], s1[L::D];
		P corner[L::Q == 19 ? 3 : 1];  // D3Q19: of those with c_y and c_z, which have no c_x
		P a[L::D];         // of Carrier; [0] is in level and tilt
	};
	// Beside the tile these are WARM numbers: theta, theta + 3 c_x q_x, a[0], and the 3 q of the other axes.
	static constexpr int WARM = L::D + 2;
	template <class F> __device__ LBM_INLINE static void warmBeside(const Beside& rim, bool right, F to) {
		const Moments<L, T> m = moments(rim, false);
		const T theta = rim.template get<L::M>(), q = rim.template get<L::M + 1>();
		to(Int<0>{}, theta);
		to(Int<1>{}, right ? theta - q * T(3) : theta + q * T(3));
		to(Int<2>{}, (q + q) * (m.j[0] * reciprocal(T(1) + m.r)));
		unroll<L::D - 1>([&](auto k) LBM_LAMBDA { to(Int<3 + k.value>{}, rim.template get<L::M + 2 + decltype(k)::value>() * T(3)); });
	}
	// doubled is 2^n w of a direction.
	static constexpr T doubled(int cx, int cy, int cz) { return Carrier<L, P>::doubled(cx, cy, cz); }
	// Of populations with c_y or c_z: those with c_x = 0 weigh a multiple of LEAST, those of the cells beside RATIO times that
	// (exactly: Weights).
	static constexpr int Z = L::D == 3 ? 1 : 0;
	static constexpr T LEAST = doubled(0, 1, Z), RATIO = doubled(1, 1, 0) / doubled(0, 1, 0);
	// warmOf makes it; edge is what is beyond the tile, as for streamed.
	__device__ LBM_INLINE Warm warmOf(const Raw& raw, const T* edge) const {
		Warm w;
		P u[L::D], q3[L::D], all;
		velocityOf(moments(raw), u);
		w.own = theta(raw);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const P q = extra<1 + A>(raw);
			q3[A] = q * T(3);
			w.a[A] = (q + q) * u[A];
			all = A == 0 ? w.a[0] : all + w.a[A];
		});
		w.theta = streamed(w.own, w.own, edge, WARM);
		w.half = {w.theta.plus * T(0.5), w.theta.minus * T(0.5)};
		const Pair both = streamed(w.a[0], w.a[0], edge + 2, WARM), along = streamed(w.own + q3[0], w.own - q3[0], edge + 1, WARM);
		constexpr T beside = doubled(1, 0, 0);
		const P sum = along.plus + along.minus, difference = along.plus - along.minus;
		w.level = w.own * doubled(0, 0, 0) + sum * (beside * T(0.5)) + ((both.plus + both.minus) * T(0.5) - all);
		w.tilt = difference * beside + (both.plus - both.minus);
		w.s0[0] = (w.own + sum * (RATIO * T(0.5))) * LEAST;
		w.s1[0] = difference * (RATIO * LEAST);
		unroll<L::D - 1>([&](auto k) LBM_LAMBDA {
			constexpr int A = 1 + decltype(k)::value;
			const Pair q = streamed(q3[A], q3[A], edge + 2 + A, WARM);
			w.s0[A] = (q3[A] + (q.plus + q.minus) * (RATIO * T(0.5))) * LEAST;
			w.s1[A] = (q.plus - q.minus) * (RATIO * LEAST);
		});
		if constexpr (L::Q == 19) {  // those with c_y and c_z have no c_x
			w.corner[0] = w.own * LEAST;
			unroll<2>([&](auto k) LBM_LAMBDA { w.corner[1 + k.value] = q3[1 + k.value] * LEAST; });
		}
		return w;
	}
	// heat is what the row sends with c_y = CY and c_z = CZ, of which the flow has zero and, beyond the cells, in.
	template <int CY, int CZ> __device__ LBM_INLINE static Heat heat(const P& zero, const Pair& in, const Warm& w) {
		constexpr bool BESIDE = L::find(1, CY, CZ) >= 0;
		constexpr T times = CY == 0 && CZ == 0 ? T(1) : doubled(0, CY, CZ) / LEAST;
		static_assert(times * LEAST == doubled(0, CY, CZ) || (CY == 0 && CZ == 0), "weights are multiples");
		static_assert(!BESIDE || RATIO * doubled(0, CY, CZ) == doubled(1, CY, CZ) || (CY == 0 && CZ == 0), "weights are multiples");
		auto across = [&](const P* of) LBM_LAMBDA {
			P sum = of[0];
			if constexpr (CY > 0) sum = sum + of[1];
			if constexpr (CY < 0) sum = sum - of[1];
			if constexpr (CZ > 0) sum = sum + of[2];
			if constexpr (CZ < 0) sum = sum - of[2];
			return times == T(1) ? sum : sum * times;
		};
		Heat h;
		if constexpr (CY == 0 && CZ == 0) h.s0 = w.level, h.s1 = w.tilt;
		else if constexpr (BESIDE) h.s0 = across(w.s0), h.s1 = across(w.s1);
		else h.s0 = across(w.corner), h.s1 = P{};
		if constexpr (CY != 0 && CZ == 0) h.s0 = h.s0 + w.a[1];
		if constexpr (CY == 0 && CZ != 0) h.s0 = h.s0 + w.a[2];
		h.s0 = h.s0 + w.own * zero;
		if constexpr (BESIDE) {
			h.s0 = h.s0 + w.half.plus * in.plus + w.half.minus * in.minus;
			h.s1 = h.s1 + w.theta.plus * in.plus - w.theta.minus * in.minus;
		}
		return h;
	}
	// Carried is the sums of the scalar that have streamed to cells, and its value there before.
	struct Carried { P e, phi[L::D], before; };

	// Walls walks along the march with what is special in the thread's cells: words
	// of the source row at hand, and the block of the next one, so that nobody waits.
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
		// turn takes the words of the next row, if they are needed; x is the thread's first
		// cell. more: there is a row after that.
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
		// solid tells if all the thread's cells of the next row are. It is asked before turn,
		// for the words that turn asks for would have to be waited for.
		__device__ LBM_INLINE bool solid(int x) const { return (~block.solid >> (x % 32) & ((1u << N) - 1)) == 0; }
		__device__ LBM_INLINE bool moving() const {
			unsigned all = 0;
#pragma unroll
			for (int i = 0; i < N; i++) all |= word[i];
			return all >> MOVING & 1;
		}
		// kick adds what the moving walls beside the cells add to their plain moments, with the
		// factors of the march. They are rare, so the block is read once more.
		__device__ LBM_INLINE void kick(Moments<L, P>& m, const Box& box, int x) const {
			unsigned index = Box::index(Box::load(next - 2 * (long long)step), x);
#pragma unroll
			for (int i = 0; i < N; i++) {
				if (word[i] >> MOVING & 1) {
					const T* kicks = box.template kicks<T>(index, L::M);
					unroll<L::M>([&](auto c) LBM_LAMBDA { component(m, c.value).v[i] += factor(decltype(c)::value) * __ldg(kicks + c.value); });
				}
				if (word[i] && !(word[i] >> SOLID)) index++;
			}
		}
	};

	// bounce gives the populations that walls send back to the cells h, as plain moments,
	// each with the factors that the sums of the march have: all directions in one go. To
	// leave out those that no lane needs takes votes, and a vote waits longer than they
	// compute. What moving walls add does not depend on the flow: the kicks come as their
	// moments (Case::kicks).
	__device__ LBM_INLINE Moments<L, P> bounce(const Box& box, const Expansion<L, P>& h, const Walls& walls) const {
		Moments<L, P> back{};
		unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
			constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
			const typename Expansion<L, P>::template Slice<CZ> slice(h);
			unroll<3>([&](auto b) LBM_LAMBDA { turn<decltype(b)::value - 1, CZ>(back, slice, walls); });
		});
		if (walls.moving()) walls.kick(back, box, x);
		return back;
	}
	// turn adds those that went out with c_y = CY and c_z = CZ.
	template <int CY, int CZ, class SLICE> __device__ LBM_INLINE static void turn(Moments<L, P>& m, const SLICE& slice, const Walls& walls) {
		constexpr int AXES = CY * CY + CZ * CZ;
		constexpr T part = T(1) / T(1 << AXES);  // s0, s1 and s2 have a factor 2 for each axis but x
		const auto out = slice.template triple<CY>();
		auto wall = [&](auto direction, const P& f) LBM_LAMBDA {
			constexpr int I = L::opposite(decltype(direction)::value);
			Mask<N> mask;
#pragma unroll
			for (int i = 0; i < N; i++) mask.v[i] = walls.word[i] >> I & 1;
			return Wall::apply(P{}, f, mask);
		};
		P s0{}, s1{}, s2{};
		if constexpr (AXES > 0) s0 = wall(Int<L::find(0, CY, CZ)>{}, out.zero);
		if constexpr (L::find(1, CY, CZ) >= 0) {
			const P p = wall(Int<L::find(1, CY, CZ)>{}, out.plus), n = wall(Int<L::find(-1, CY, CZ)>{}, out.minus);
			s1 = n - p, s2 = p + n;
			s0 = s0 + s2 * T(0.5);
			m.j[0] = m.j[0] + s1 * part;
			m.s[0] = m.s[0] + s2 * part;
		}
		m.r = m.r + s0 * part;
		// along adds to the moments of axis A, where the way back is -C.
		auto along = [&](auto axis, auto sign) LBM_LAMBDA {
			constexpr int A = decltype(axis)::value, C = decltype(sign)::value;
			if constexpr (C != 0) {
				m.j[A] = m.j[A] - s0 * (C * T(2) * part);
				m.s[A] = m.s[A] + s0 * (T(2) * part);
				if constexpr (L::find(1, CY, CZ) >= 0) m.s[L::pair(A, 0)] = m.s[L::pair(A, 0)] - s1 * (C * T(2) * part);
			}
		};
		along(Int<1>{}, Int<CY>{});
		if constexpr (L::D == 3) along(Int<2>{}, Int<CZ>{});
		if constexpr (AXES == 2) m.s[L::pair(2, 1)] = m.s[L::pair(2, 1)] + s0 * T(CY * CZ);
	}
	// factor is what the sums of the march have of component c.
	__device__ static constexpr T factor(int c) { return T(c == 0 ? 1 : c <= 2 * L::D ? 2 : 4); }

	// eddies of the thread's cells, from those of a row.
	__device__ LBM_INLINE P eddiesOf(const T* LBM_RESTRICT of) const {
		Image<T, N> image;
		image.bits = __ldg((const BitsOf<T, N>*)(of + x));
		P v;
#pragma unroll
		for (int i = 0; i < N; i++) v.v[i] = image.s[i];
		return v;
	}

	// finish collides the sums m of the march, by a law that wants them with these eddies, calls last(m) and stores them into a row, with dry cells at
	// rest: they are so before (device.Program), and a thread that has no others stores nothing.
	// The scalar of cells beside walls is not complete (scalar.h in this folder).
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
			if constexpr (Eddies<C>::STRESS) keep = eddyKeep(m, *carried);
			if constexpr (LooksAround<C>) keep = eddyKeep(eddies, *carried);
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

// rowsWithin is how many rows there may be, at most so many, where shared memory takes so
// many bytes for each and more for all.
__device__ constexpr int rowsWithin(int most, int each, int more) {
	const int fit = (LBM_SHARED - more) / each;
	return fit < most ? fit : most;
}

// noRim is for tiles whose rows go on: the cell beyond is read, and nothing is made up.
alignas(16) __device__ const Rim noRim{RIM_NONE, RIM_BOUNCES << RIM_OWN};

template <class L, class C, class S, class T> struct StepMoments {
	static constexpr int N = LBM_CELLS;
	// CORNERS: there are populations with all three components, so that c_y and c_z = +-1
	// leave three sums along x, not one population.
	static constexpr bool CORNERS = L::find(1, 1, 1) >= 0;
	static constexpr int MORE = RowOf<L, S, T, N>::MORE;
	// Sums with c_y = +1 (UP, of lines 0 ...) and -1 (DOWN, of lines 1 ...), for c_z = 0, 1, -1
	// one behind the other.
	static constexpr int EACH = CORNERS ? 3 : 1, UP = 0, DOWN = 3 + 2 * EACH, PASSED = 2 * DOWN;
	// The same of a scalar (Heat), behind them.
	static constexpr int EACH_HOT = CORNERS ? 2 : 1, HOT_UP = PASSED, HOT_DOWN = PASSED + 2 + 2 * EACH_HOT, ALL_PASSED = MORE > 0 ? PASSED + 2 * (2 + 2 * EACH_HOT) : PASSED;
	// Of the scalar's sums those that lie in shared memory between planes: all, and its value in the plane before.
	static constexpr int HOT = MORE > 0 ? L::D + 2 : 0;
	// So many of a thread's sums lie in shared memory between planes, where there is no room
	// for them in registers beside the populations.
	static constexpr int WAITS = L::D == 3 ? LBM_WAITS : 0;
	// Rows computed by a block, in 3D as many as the GPU has memory for: see Shared.
	static constexpr int LINE = 32 * N * sizeof(T), EDGE = (MORE > 0 ? 128 : 88) * sizeof(T) + 16 * sizeof(bool);
	static constexpr int ROWS = L::D == 3 ? rowsWithin(LBM_ROWS, (2 * ALL_PASSED + L::M + (WAITS > 0 ? WAITS : 1) + HOT) * LINE + EDGE, 2 * ALL_PASSED * LINE + 2 * EDGE + sizeof(Params<T>) + (MORE > 0 ? sizeof(ScalarParams<T>) + 80 : 48)) : 4;
	static constexpr int LINES = ROWS + 2;                     // read by a block, in 3D
	static constexpr int WARPS = L::D == 3 ? LINES + 1 : ROWS; // the last one of 3D serves the rim
	static constexpr int BLOCK_X = 32, BLOCK_Y = WARPS, THREADS = 32 * WARPS, BLOCKS = L::D == 3 ? LBM_BLOCKS : 4;
	static constexpr int TILE_X = L::D == 3 ? 32 * N : 32 * N * ROWS, TILE_Y = L::D == 3 ? ROWS : LBM_MARCH, TILE_Z = L::D == 3 ? LBM_MARCH : 1;
	static_assert(L::D == 2 || 2 * LINES <= 32, "one warp serves the rim");
	static_assert(L::D == 2 || N <= 2, "a tile's last thread has all its cells or the first (HALF)");
	typedef RowOf<L, S, T, N> Row;
	typedef typename Row::P P;
	typedef typename Row::Group Group;
	typedef typename Row::Sums Sums;

	// The march corrects cells at outflows, but beside a scalar, which needs the flow as it was.
	static constexpr bool OUTLETS = MORE == 0;
	// What lies beyond an end of the rows costs nothing: see rims.
	static constexpr int ENDS = L::D == 3 ? 1 : 0;

	// CROWDED: threads have few registers, and the parameters lie in shared memory, too.
	static constexpr bool CROWDED = ROWS > 9;
	// Shared is what the warps of a 3D block tell each other.
	__device__ static constexpr int passedOf(int cz) { return cz == 0 ? 0 : cz > 0 ? 3 : 3 + EACH; }
	// Hot is what they do of a scalar.
	template <bool SCALAR, int HOTS> struct Hot {
		P hot[HOTS][ROWS][32];             // sums that wait, and the value in the plane before
		T warm[4][LINES][2][Row::WARM];    // what is beyond the tile
		alignas(16) ScalarParams<T> carried;
	};
	template <int HOTS> struct Hot<false, HOTS> {};
	struct Shared : Hot<(MORE > 0), HOT> {
		// A derived class begins in the padding of the one before, and sharedAt knows of whole numbers.
		alignas(16) P passed[2][ALL_PASSED][LINES - 1][32];  // by turn
		P back[L::M][ROWS][32];              // what walls sent back, private to each thread
		P waiting[WAITS > 0 ? WAITS : 1][ROWS][32];  // sums that wait for the next plane, likewise
		T edge[4][LINES][2][Row::SLOTS];     // by plane: what streams in from the rim
		// A line corrects what it has stored at an outflow four planes behind the rims.
		T wave[8][LINES][2];                 // by plane: where an outflow is beyond, wantedWave there
		bool drains[8][LINES][2];            // which is so
		alignas(16) Params<T> params;        // here they take no registers while nobody needs them,
		long long around;                    // nor does the way from the plane behind the range to where it is stored
	};
	// Sum is what a plane's populations with one c_z add up to at a target.
	struct Sum { P r, x, y, xx, yy, xy; };
	static constexpr int SHARED = L::D == 3 ? sizeof(Shared) : 0;
	static_assert(ROWS >= 1 && SHARED <= LBM_SHARED, "rowsWithin knows what is in Shared");

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
		const int rows = (yhi - ylo + gridDim.y - 1) / gridDim.y, y0 = ylo + blockIdx.y * rows, y1 = y0 + rows < yhi ? y0 + rows : yhi;
		const long long step = (L::M + LBM_EXTRA) * row.pitch;
		const bool right = row.lane == 31;
		const bool ghosts = box.c->ends && (right ? x0 + Row::TILE == box.layout.nx : x0 == 0);
		const int rimAt = row.lane != 0 && !right ? -1 : ghosts ? 0 : Row::beside(box, x0, right), rimPitch = ghosts ? 1 : row.pitch;
		const long long rimStep = ghosts ? L::M : (L::M + LBM_EXTRA) * row.pitch;
		const S* source = in + box.layout.start(y0 - 1, 0);
		const S* rimSource = ghosts ? Box::end<S>(box.c, box.layout, right, box.layout.row(y0 - 1, 0), L::M) : source;
		// Steps back from a row behind the box to where it is stored, in rows.
		auto around = [&](int y) LBM_LAMBDA {
			const int wanted = y;
			box.inside(1, y);
			return y - wanted;
		};
		S* target = out + box.layout.start(y0, 0);
		typename Row::Walls walls(blocks(box, row.x, y0, 0), row.pitch / 32, row.x < row.pitch && y0 < y1);
		typename Row::Raw raw;
		typename Row::Beside rim;
		row.read(raw, source + around(y0 - 1) * step, false, in);
		Row::read(rim, rimSource + around(y0 - 1) * rimStep, rimPitch, rimAt, !ghosts);
		const ScalarParams<T> carried = box.template carried<T>();
		typename Row::Carried sums{};       // of row y, of a scalar
		typename Row::Heat rising{};
		// Of row y: what has come so far, and what of it rose from below (for y and yy).
		P r{}, x{}, xx{}, xy{}, y1st{}, y2nd{};
		Group rise{};
		unsigned dry = 0;
		for (int y = y0 - 1; y <= y1; y++) {
			const Expansion<L, P> h = C::expand(Row::moments(raw));
			T edge[Row::SLOTS];
			Row::rimTo(C::expand(Row::moments(rim, right)), [&](auto cy, auto, T f) LBM_LAMBDA { edge[Row::slot(cy.value, 0)] = f; });
			typename Row::Warm warm;
			if constexpr (Row::MORE > 0) {
				T beside[Row::WARM];
				Row::warmBeside(rim, right, [&](auto k, T v) LBM_LAMBDA { beside[k.value] = v; });
				warm = row.warmOf(raw, beside);
			}
			source += step;
			rimSource += rimStep;
			if (y < y1) {
				const int back = y + 1 == y1 ? around(y1) : 0;
				row.read(raw, source + back * step, false, in);
				Row::read(rim, rimSource + back * rimStep, rimPitch, rimAt, !ghosts);
			}
			const typename Expansion<L, P>::template Slice<0> slice(h);
			const Sums falls = row.template sums<-1, 0>(slice, edge, warm), stays = row.template sums<0, 0>(slice, edge, warm), rises = row.template sums<1, 0>(slice, edge, warm);
			const Group &down = falls.flow, &mid = stays.flow;
			if (y > y0) {
				Moments<L, P> m;
				m.r = r + down.s0 * T(0.5);
				m.j[0] = x + down.s1 * T(0.5);
				m.j[1] = y1st - down.s0;
				m.s[0] = xx + down.s2 * T(0.5);
				m.s[1] = y2nd + down.s0;
				m.s[2] = xy - down.s1;
				if constexpr (Row::MORE > 0) {
					sums.e = sums.e + falls.heat.s0 * T(0.5);
					sums.phi[0] = (sums.phi[0] + falls.heat.s1 * T(0.5)) * T(0.5);
					sums.phi[1] = (sums.phi[1] - falls.heat.s0) * T(0.5);
				}
				P eddies;
				if constexpr (LooksAround<C>) eddies = row.x < row.pitch ? row.eddiesOf(box.template eddies<T>(y - 1, 0)) : P{};
				row.template finish<C>(params, &carried, m, sums, target, dry, eddies, [](const Moments<L, P>&) LBM_LAMBDA {});
				target += step;
			}
			if constexpr (Row::MORE > 0) {
				sums.e = stays.heat.s0 + rising.s0 * T(0.5);
				sums.phi[0] = stays.heat.s1 + rising.s1 * T(0.5);
				sums.phi[1] = rising.s0;
				sums.before = warm.own;
				rising = rises.heat;
			}
			r = mid.s0 + rise.s0 * T(0.5);
			x = mid.s1 + rise.s1 * T(0.5);
			xx = mid.s2 + rise.s2 * T(0.5);
			y1st = rise.s0, y2nd = rise.s0, xy = rise.s1;
			rise = rises.flow;
			if (walls.any()) {
				Moments<L, P> back = row.bounce(box, h, walls);
				r = r + back.r;
				x = x + back.j[0];
				y1st = y1st + back.j[1];
				xx = xx + back.s[0];
				y2nd = y2nd + back.s[1];
				xy = xy + back.s[2];
			}
			dry = walls.dry();
			walls.turn(box.c->words, row.x, true, row.x < row.pitch && y + 2 < y1);
		}
	}

	__device__ static LBM_INLINE const Block* blocks(const Box& box, int x, int y, int z) {
		return box.c->blocks + ((long long)z * box.layout.ny + y) * (box.layout.pitch / 32) + (x < box.layout.pitch ? x / 32 : 0);
	}

	// No block is without planes (device/cuda/grid.go): all its warps have to reach the barrier as often.
	__device__ static LBM_INLINE void march3(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi) {
		extern __shared__ uint4 memory[];
		Shared& shared = *(Shared*)memory;
		const int planes = (zhi - zlo + gridDim.z - 1) / gridDim.z, z0 = zlo + blockIdx.z * planes, z1 = z0 + planes < zhi ? z0 + planes : zhi;
		const int ytop = ylo + blockIdx.y * ROWS - 1, x0 = blockIdx.x * Row::TILE;
		if (threadIdx.y < LINES) rows(shared, box, in, out, x0, ytop, yhi, z0, z1);
		else rims(shared, box, in, x0, ytop, yhi, z0, z1);
	}

	// source is row y of plane z, null where there is none or nobody needs it.
	__device__ static LBM_INLINE const S* source(const Box& box, const S* in, int y, int yhi, int z) {
		return y <= yhi && box.inside(1, y) ? in + box.layout.start(y, z) : nullptr;
	}
	// around is where plane z of a row is stored that would be at p, if no plane wrapped.
	__device__ static LBM_INLINE const S* around(const Box& box, const S* p, int z, long long plane) {
		const int wanted = z;
		box.inside(2, z);
		return p ? p + (z - wanted) * plane : p;
	}
	__device__ static LBM_INLINE long long planeOf(const Box& box) {
		return (long long)(box.layout.ny + 2 * box.layout.gy) * (L::M + LBM_EXTRA) * box.layout.pitch;
	}

	// rims is the work of the warp that serves the cells left and right of the lines. It
	// is two planes ahead of the others.
	//
	// Beyond the end of a row of the box there is no cell to read (Case::rims): a ghost cell follows
	// from the cell at the end. Out of a half-way wall at rest at (y, z) comes with (c_y, c_z) what the
	// fluid cell at (y + c_y, z + c_z) sent into it, so that cell's populations are reversed and put to
	// the place that they seem to come from.
	__device__ static LBM_INLINE void rims(Shared& shared, const Box& box, const S* LBM_RESTRICT in, int x0, int ytop, int yhi, int z0, int z1) {
		const int line = threadIdx.x / 2, side = threadIdx.x % 2, y = ytop + line;
		const bool end = line < LINES && y <= yhi && (side == 0 ? x0 == 0 : x0 + Row::TILE >= box.layout.nx);
		const Rim* list = box.c->rims[side];
		const bool listed = end && list;
		const int stride = listed ? box.layout.ny + 2 : 0;
		list = listed ? list + ((long long)z0 * stride + y + 1) : &noRim;
		const S* from = !listed && line < LINES ? source(box, in, y, yhi, z0 - 1) : nullptr;
		const long long step = from ? planeOf(box) : 0, values = (L::M + LBM_EXTRA) * box.layout.pitch;
		const int at = listed ? (side == 0 ? 0 : box.layout.nx - 1) : Row::beside(box, x0, side);
		const T* const faceRules = (const T*)box.c->faceRules;
		const T* const outletRules = (const T*)box.c->outletRules;
		// What is asked for is needed a plane later: words of the list, then what they name. All lanes always ask,
		// those without a list for noRim, and all planes read, the last one again: behind a condition the compiler
		// waited for the words at once, or looked at it too early (docs/architecture.md).
		Rim coming;
		auto look = [&]() LBM_LAMBDA {
			const uint4 words = __ldg((const uint4*)list);
			coming = {words.x, words.y, words.z, words.w};
		};
		struct Source {
			unsigned code;
			typename Row::Beside cell;
			S inner[2];               // of the next cell inwards the density and what it carries along x, for an outflow
			T face[FACE_NUMBERS];     // the rule of a ghost cell
			T outlet[OUTLET_NUMBERS]; // and of an outflow
		};
		auto read = [&](Source& to, int z) LBM_LAMBDA {
			const S* const row = !listed ? (z < z0 || z >= z1 ? around(box, from, z < z1 ? z : z1, step) : from) : coming.from == RIM_NONE ? nullptr : in + coming.from * values;
			to.code = coming.code;
			Row::read(to.cell, row, box.layout.pitch, at);
			if (coming.code & RIM_GHOST)
				for (int k = 0; k < FACE_NUMBERS; k++) to.face[k] = __ldg(faceRules + (long long)coming.rule * FACE_NUMBERS + k);
			if (OUTLETS && coming.code & RIM_OUTLET) {
				for (int k = 0; k < OUTLET_NUMBERS; k++) to.outlet[k] = __ldg(outletRules + (long long)coming.outlet * OUTLET_NUMBERS + k);
				for (int k = 0; k < 2; k++) to.inner[k] = row[k * box.layout.pitch + (side ? at - 1 : 1)];
			}
			if (from && z < z1) from += step;
		};
		Source next{}, own;
		look();
		read(next, z0 - 1);
		list += stride;
		look();
		for (int z = z0 - 1; z <= z1 + 2; z++) {  // plane z here, z - 2 there
			own = next;
			read(next, z + 1);
			list += z + 1 < z1 ? stride : 0;
			look();
			if (line < LINES && z <= z1) {
				// Beyond the ends of the box's rows there is nothing of a scalar to come: see scalar.h in this folder.
				if constexpr (MORE > 0) Row::warmBeside(own.cell, side == 1, [&](auto k, T v) LBM_LAMBDA { shared.warm[z & 3][line][side][k.value] = listed ? T(0) : v; });
				if (OUTLETS) shared.drains[z & 7][line][side] = own.code & RIM_OUTLET;
				if (OUTLETS && own.code & RIM_OUTLET) shared.wave[z & 7][line][side] = wave(own.cell, own.inner, own.code & RIM_INNER, own.outlet, side);
				// What is beyond, then what walls send back. Hardly a cell has both, so all lanes of the
				// warp do with one turn whichever they have.
				unsigned left = own.code & (RIM_BOUNCES | RIM_BOUNCES << RIM_OWN);
				LBM_ROLLED while (left) {
					const bool back = left <= RIM_BOUNCES;
					const unsigned slots = back ? left : left >> RIM_OWN;
					left = back ? 0 : left & RIM_BOUNCES;
					Moments<L, T> m = Row::moments(own.cell, false);
					if (back) {
						unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = -m.j[a.value]; });
					} else if (own.code & RIM_GHOST) {
						FaceGhost<L, true, T, typename Row::Beside, LBM_DIRECTED>(own.cell, own.face).each([&](auto k, const T& v) LBM_LAMBDA { component(m, k.value) = v; });
					} else if (listed && !(own.code & RIM_COPY)) {
						m = Moments<L, T>{};
					}
					if (side == 1) Row::mirror(m);
					Row::rimTo(C::expand(m), [&](auto cy, auto cz, T f) LBM_LAMBDA {
						constexpr int CY = decltype(cy)::value, CZ = decltype(cz)::value;
						const int to = back ? line - CY : line;
						if (slots >> Row::slot(CY, CZ) & 1 && to >= 0 && to < LINES) shared.edge[(back ? z - CZ : z) & 3][to][side][Row::slot(CY, CZ)] = f;
					});
				}
			}
			barrier<THREADS>();
		}
	}

	// wave is what the outflow beyond the cell at the end of a row lets in after the step.
	__device__ static LBM_INLINE T wave(const typename Row::Beside& cell, const S* inner, bool fluid, const T* rule, int side) {
		auto known = [&](S r, S j) LBM_LAMBDA {
			const T density = Row::Store::template get<0>(r), u = Row::Store::template get<1>(j) * reciprocal(T(1) + density);
			return Before<T>{density, side ? u : -u};
		};
		return wantedWave(known(cell.s[0], cell.s[1]), fluid, known(inner[0], inner[1]), rule[0], rule[1]);
	}
	// drain corrects that cell after the step.
	__device__ static LBM_INLINE void drain(Shared& shared, Moments<L, P>& m, int line, const Row& row, int z) {
		if (!(row.role & (FIRST | LAST | HALF))) return;
		LBM_ROLLED for (int side = 0; side < 2; side++) {
			const int k = side == 0 ? (row.role & FIRST ? 0 : -1) : row.role & LAST ? N - 1 : row.role & HALF ? 0 : -1;
			if (k < 0 || !shared.drains[z & 7][line][side]) continue;
			Moments<L, T> one;
			unroll<L::M>([&](auto c) LBM_LAMBDA { component(one, c.value) = k == 0 ? component(m, c.value).v[0] : component(m, c.value).v[N - 1]; });
			const Corrected<0, L, T> is(one, side ? T(1) : T(-1), shared.wave[z & 7][line][side]);
			unroll<L::D>([&](auto b) LBM_LAMBDA {
				constexpr int AB = L::pair(decltype(b)::value, 0);
				one.s[AB] = one.s[AB] + is.more.s[AB];
			});
			one.r = is.r, one.j[0] = is.j;
			unroll<L::M>([&](auto c) LBM_LAMBDA {
				if (k == 0) component(m, c.value).v[0] = component(one, c.value);
				else component(m, c.value).v[N - 1] = component(one, c.value);
			});
		}
	}

	// Lines is a thread's place among the sums of its line and of the one before.
	struct Lines {
		P* own;
		__device__ LBM_INLINE P& here(int k) const { return own[k * (LINES - 1) * 32]; }
		__device__ LBM_INLINE P& before(int k) const { return own[k * (LINES - 1) * 32 - 32]; }
	};
	// pass tells the lines beside what has c_y = +-1 and c_z = CZ, and gives what has c_y = 0.
	template <int CZ, class SLICE> __device__ static LBM_INLINE Sums pass(const Row& row, const SLICE& slice, const T* edge, const typename Row::Warm& warm, const Lines& passed, int line) {
		constexpr int UPWARDS = UP + passedOf(CZ), DOWNWARDS = DOWN + passedOf(CZ), WARM_UP = HOT_UP + hotOf(CZ), WARM_DOWN = HOT_DOWN + hotOf(CZ);
		// All lines compute all sums, and not all need them: branches cost the others more.
		const Sums up = row.template sums<1, CZ>(slice, edge, warm), down = row.template sums<-1, CZ>(slice, edge, warm);
		if (line < LINES - 1) {
			passed.here(UPWARDS) = up.flow.s0;
			if constexpr (CZ == 0 || CORNERS) passed.here(UPWARDS + 1) = up.flow.s1, passed.here(UPWARDS + 2) = up.flow.s2;
			if constexpr (MORE > 0) passed.here(WARM_UP) = up.heat.s0;
			if constexpr (MORE > 0 && (CZ == 0 || CORNERS)) passed.here(WARM_UP + 1) = up.heat.s1;
		}
		if (line > 0) {
			passed.before(DOWNWARDS) = down.flow.s0;
			if constexpr (CZ == 0 || CORNERS) passed.before(DOWNWARDS + 1) = down.flow.s1, passed.before(DOWNWARDS + 2) = down.flow.s2;
			if constexpr (MORE > 0) passed.before(WARM_DOWN) = down.heat.s0;
			if constexpr (MORE > 0 && (CZ == 0 || CORNERS)) passed.before(WARM_DOWN + 1) = down.heat.s1;
		}
		return row.template sums<0, CZ>(slice, edge, warm);
	}
	// sum adds what the lines beside have told.
	template <int CZ> __device__ static LBM_INLINE Sum sum(const Group& mid, const Lines& passed) {
		constexpr int UPWARDS = UP + passedOf(CZ), DOWNWARDS = DOWN + passedOf(CZ);
		const P a = passed.before(UPWARDS), b = passed.here(DOWNWARDS), both = a + b;
		Sum s{mid.s0 + both * T(0.5), mid.s1, a - b, mid.s2, both, P{}};
		if constexpr (CZ == 0 || CORNERS) {
			const P a1 = passed.before(UPWARDS + 1), b1 = passed.here(DOWNWARDS + 1);
			s.x = s.x + (a1 + b1) * T(0.5);
			s.xx = s.xx + (passed.before(UPWARDS + 2) + passed.here(DOWNWARDS + 2)) * T(0.5);
			s.xy = a1 - b1;
		}
		return s;
	}

	// sumHeat does so for a scalar.
	typedef typename Row::Heat Heat;
	struct HeatSum { P e, x, y; };
	__device__ static constexpr int hotOf(int cz) { return cz == 0 ? 0 : cz > 0 ? 2 : 2 + EACH_HOT; }
	template <int CZ> __device__ static LBM_INLINE HeatSum sumHeat(const Heat& mid, const Lines& passed) {
		constexpr int UPWARDS = HOT_UP + hotOf(CZ), DOWNWARDS = HOT_DOWN + hotOf(CZ);
		const P a = passed.before(UPWARDS), b = passed.here(DOWNWARDS);
		HeatSum s{mid.s0 + (a + b) * T(0.5), mid.s1, a - b};
		if constexpr (CZ == 0 || CORNERS) s.x = s.x + (passed.before(UPWARDS + 1) + passed.here(DOWNWARDS + 1)) * T(0.5);
		return s;
	}

	__device__ static LBM_INLINE void rows(Shared& shared, const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int x0, int ytop, int yhi, int z0, int z1) {
		const Row row(box, x0);
		Params<T> own = box.params<T>();
		if constexpr (C::OWN_BULK) keep(own.omegaBulk);
		if (threadIdx.x == 0 && threadIdx.y == 0) {
			if (CROWDED) shared.params = own;
			if constexpr (MORE > 0) shared.carried = box.template carried<T>();
			shared.around = around(box, in, z1, planeOf(box)) - in;
		}
		const Params<T>& params = CROWDED ? shared.params : own;
		const int line = threadIdx.y, y = ytop + line;
		const bool inner = line > 0 && line <= ROWS && y < yhi;
		const long long plane = planeOf(box);
		const S* from = source(box, in, y, yhi, z0 - 1);
		const bool listed = y >= 0 && y < box.layout.ny && row.x < row.pitch;
		typename Row::Walls walls(blocks(box, row.x, y, z0), box.layout.ny * (row.pitch / 32), listed && z0 < z1);
		typename Row::Raw raw;
		row.read(raw, around(box, from, z0 - 1, plane), false, in);
		// Of plane z: the sums of what has come so far, and what of it rose from below.
		Moments<L, P> waiting{};
		Sum rise{};
		HeatSum rising{};
		unsigned dry = 0;
		P eddies{};  // of the plane that the next turn finishes
		const T* mine = nullptr;  // those of plane z; worked out from the case for each plane, the address would stall it
		if constexpr (LooksAround<C>) mine = box.template eddies<T>(y, z0 - 1);
		const unsigned place = placeOf(&shared.passed[0][0][line][row.lane]);
		const unsigned rim = placeOf(&shared.edge[0][line]);
		unsigned warm = 0;
		const ScalarParams<T>* carried = nullptr;
		if constexpr (MORE > 0) warm = placeOf(&shared.warm[0][line]), carried = &shared.carried;
		barrier<THREADS>();
		barrier<THREADS>();  // the rim of the first plane is there
		for (int z = z0 - 1; z <= z1; z++) {
			Sums mid, down, up;
			P theta;
			const Lines passed{sharedAt<P>(place + (z & 1) * (unsigned)sizeof(shared.passed[0]))};
			const T* const edge = sharedAt<T>(rim + (z & 3) * (unsigned)sizeof(shared.edge[0]));
			const bool bounced = walls.any();
			if (bounced) {
				Moments<L, P> back = row.bounce(box, C::expand(Row::moments(raw)), walls);
				unroll<L::M>([&](auto c) LBM_LAMBDA { shared.back[c.value][line - 1][row.lane] = component(back, c.value); });
			}
			{
				const Expansion<L, P> h = C::expand(Row::moments(raw));
				typename Row::Warm hot;
				if constexpr (MORE > 0) hot = row.warmOf(raw, sharedAt<T>(warm + (z & 3) * (unsigned)sizeof(shared.warm[0]))), theta = hot.own;
				up = pass<1>(row, typename Expansion<L, P>::template Slice<1>(h), edge, hot, passed, line);
				mid = pass<0>(row, typename Expansion<L, P>::template Slice<0>(h), edge, hot, passed, line);
				down = pass<-1>(row, typename Expansion<L, P>::template Slice<-1>(h), edge, hot, passed, line);
			}
			const unsigned solids = walls.dry();
			const bool skip = walls.solid(row.x);
			walls.turn(box.c->words, row.x, inner, listed && z + 2 < z1);  // before the next read, so that it does not wait for that
			if (from) from += plane;
			if (z < z1) row.read(raw, from && z + 1 == z1 ? from + shared.around : from, skip, in);
			P before = eddies;
			if constexpr (LooksAround<C>) {
				if (inner && z >= z0 && z < z1) eddies = row.eddiesOf(mine);
				mine += (long long)box.layout.ny * box.layout.pitch;
			}
			barrier<THREADS>();
			if (!inner) continue;
			if (z > z0) {
				const Sum fall = sum<-1>(down.flow, passed);
				Moments<L, P> m = waiting;
				unroll<WAITS>([&](auto c) LBM_LAMBDA { component(m, c.value) = shared.waiting[c.value][line - 1][row.lane]; });
				m.r = m.r + fall.r * T(0.5);
				m.j[0] = m.j[0] + fall.x * T(0.5);
				m.j[1] = m.j[1] + fall.y * T(0.5);
				m.j[2] = m.j[2] - fall.r;
				m.s[0] = m.s[0] + fall.xx * T(0.5);
				m.s[1] = m.s[1] + fall.yy * T(0.5);
				m.s[2] = m.s[2] + fall.r;
				if constexpr (CORNERS) m.s[3] = m.s[3] + fall.xy * T(0.5);
				m.s[4] = m.s[4] - fall.x;
				m.s[5] = m.s[5] - fall.y;
				typename Row::Carried sums;
				if constexpr (MORE > 0) {
					const HeatSum s = sumHeat<-1>(down.heat, passed);
					auto waited = [&](int k) LBM_LAMBDA { return shared.hot[k][line - 1][row.lane]; };
					sums.e = waited(0) + s.e * T(0.5);
					sums.phi[0] = (waited(1) + s.x * T(0.5)) * T(0.5);
					sums.phi[1] = (waited(2) + s.y * T(0.5)) * T(0.5);
					sums.phi[2] = (waited(3) - s.e) * T(0.5);
					sums.before = waited(4);
				}
				row.template finish<C>(params, carried, m, sums, out + (from - in - 2 * plane), dry, before, [&](Moments<L, P>& m) LBM_LAMBDA { if (OUTLETS) drain(shared, m, line, row, z - 1); });
			}
			dry = solids;
			{
				const Sum s = sum<0>(mid.flow, passed);
				waiting.r = s.r + rise.r * T(0.5);
				waiting.j[0] = s.x + rise.x * T(0.5);
				waiting.j[1] = s.y + rise.y * T(0.5);
				waiting.s[0] = s.xx + rise.xx * T(0.5);
				waiting.s[1] = s.yy + rise.yy * T(0.5);
				waiting.s[3] = s.xy;
				if constexpr (CORNERS) waiting.s[3] = s.xy + rise.xy * T(0.5);
				waiting.j[2] = rise.r, waiting.s[2] = rise.r, waiting.s[4] = rise.x, waiting.s[5] = rise.y;
			}
			if (bounced) unroll<L::M>([&](auto c) LBM_LAMBDA { component(waiting, c.value) = component(waiting, c.value) + shared.back[c.value][line - 1][row.lane]; });
			unroll<WAITS>([&](auto c) LBM_LAMBDA { shared.waiting[c.value][line - 1][row.lane] = component(waiting, c.value); });
			rise = sum<1>(up.flow, passed);
			if constexpr (MORE > 0) {
				const HeatSum s = sumHeat<0>(mid.heat, passed);
				auto wait = [&](int k) LBM_LAMBDA -> P& { return shared.hot[k][line - 1][row.lane]; };
				wait(0) = s.e + rising.e * T(0.5);
				wait(1) = s.x + rising.x * T(0.5);
				wait(2) = s.y + rising.y * T(0.5);
				wait(3) = rising.e;
				wait(4) = theta;
				rising = sumHeat<1>(up.heat, passed);
			}
		}
	}
};

}}  // namespace lbm
#endif
