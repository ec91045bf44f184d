// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of a state of populations on a GPU: pull from the neighbours' rows, collide, store. Every value is read once and
// written once, so nothing is worth keeping in a cache, and the number of loads in flight matters: a thread requests all
// populations of its cells before it needs the first.
//
// A warp covers 32 CELLS neighbours of one row. With one cell per thread it reads the populations with c_x = +-1 at an offset
// of one value; with more, each thread reads aligned words, and passes one value on by a shuffle.
#ifndef LBM_GPU_STEP_POPULATIONS_H
#define LBM_GPU_STEP_POPULATIONS_H
#include "../wall.h"
#include "../populations.h"
#include "../scalar.h"
#include "box.h"
#include "pack.h"

namespace lbm { namespace {

// Partition of the work, tuned on an H200: see docs/performance.md.
template <class L, class S> struct PopulationsShape {
	static constexpr int CELLS = sizeof(S) == 2 ? 2 : 1;  // neighbours along x per thread
	static constexpr int X = 128;                         // threads of a block, along x
	// Minimum of resident blocks per multiprocessor. With fewer, each thread has more registers; 27 populations and
	// their moments would not fit into 64.
	static constexpr int BLOCKS = L::Q == 27 ? (sizeof(S) == 4 ? 4 : 3) : L::D == 2 ? 8 : sizeof(S) == 4 ? 8 : 4;
	static constexpr int READ = 0, WRITE = 0;
};

template <class L, class C, class S, class T, class Shape = PopulationsShape<L, S>> struct StepPopulations {
	static constexpr int N = Shape::CELLS;
	static constexpr int BLOCK_X = Shape::X, BLOCK_Y = 1, THREADS = BLOCK_X * BLOCK_Y, BLOCKS = Shape::BLOCKS;
	static constexpr int TILE_X = BLOCK_X * N, TILE_Y = 1, TILE_Z = 1, SHARED = 0;
	static constexpr int ENDS = TILE_X;
	typedef Pack<T, N> P;
	typedef Stored<S, T, L, false> Store;
	typedef BitsOf<S, N> Word;
	typedef BitsOf<S, 1> One;

	// NoFields is for a step that writes only the state.
	struct NoFields {
		__device__ LBM_INLINE void operator()(const Box&, const P*, const P&, int, int, int, unsigned) const {}
	};

	// run passes the stored values to fields: populations, scalar and solid cells of the thread.
	template <class FIELDS = NoFields>
	__device__ static LBM_INLINE void run(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi, const FIELDS& fields = FIELDS{}) {
		const Box box(c, L::Q);
		const int nx = box.layout.nx, pitch = box.layout.pitch;
		const int x = (blockIdx.x * BLOCK_X + threadIdx.x) * N, y = ylo + blockIdx.y, z = zlo + blockIdx.z;
		// Whole warps exit, so that the remaining ones can shuffle.
		if (N == 1 ? x >= nx : x - int(threadIdx.x % 32) * N >= nx) return;

		const Block block = box.block(x, y, z);
		const Params<T> params = box.params<T>();
		const long long start = box.layout.start(y, z) + x;
		P f[L::Q];
		pull(f, box, Sources(box, in, in + start, x, y, z));
		P pulled[LBM_EXTRA > 0 ? L::Q : 1];  // carriers of the scalar, without the populations that walls send back
		if constexpr (LBM_EXTRA > 0) unroll<L::Q>([&](auto i) LBM_LAMBDA { pulled[i.value] = f[i.value]; });

		P scalar{};
		const unsigned walls = block.links >> (x % 32) & ((1u << N) - 1), dry = block.solid >> (x % 32) & ((1u << N) - 1);
		if (walls) {
			unsigned index = Box::index(block, x);
#pragma unroll
			for (int i = 0; i < N; i++)
				if (walls >> i & 1) bounce(box, f, i, in + start + i, index++);
		}
		P eddies{};
		if constexpr (LooksAround<C>) eddies = eddiesOf(box, x, y, z);
		if constexpr (LBM_EXTRA > 0) {
			ScalarSums<L, P> sums{};
			sumMoments<L>(f, sums.r, sums.j);
			carry(sums, pulled, box, Sources(box, in, in + start, x, y, z), y, z);
			P more[1 + 2 * L::D];
			sums.values(more[0], more + 1);
			scalar = more[0];
			collide(f, params, eddies);
			P before;
#pragma unroll
			for (int i = 0; i < N; i++) before.v[i] = x + i < nx ? Store::template get<L::Q>(in[start + i + L::Q * pitch]) : T(0);
			const ScalarParams<T> carried = box.carried<T>();
			buoyedPopulations<L>(f, before, carried, more + 1 + L::D);
			P keep = P{} + carried.keep;
			if constexpr (Eddies<C>::STRESS) keep = eddyKeep(momentsOf<L>(f), carried);
			if constexpr (LooksAround<C>) keep = eddyKeep(eddies, carried);
			unroll<L::D>([&](auto a) LBM_LAMBDA { more[1 + a.value] = keep * more[1 + a.value]; });
			unroll<1 + 2 * L::D>([&](auto k) LBM_LAMBDA {
				constexpr int K = L::Q + decltype(k)::value;
#pragma unroll
				for (int i = 0; i < N; i++)
					if (x + i < nx) out[start + i + K * pitch] = Store::template put<K>(dry >> i & 1 ? T(0) : more[k.value].v[i]);
			});
		} else {
			collide(f, params, eddies);
		}
		if (dry)
			unroll<L::Q>([&](auto k) LBM_LAMBDA {
#pragma unroll
				for (int i = 0; i < N; i++)
					if (dry >> i & 1) f[k.value].v[i] = 0;
			});
		push(f, out + start, x, nx, pitch);
		fields(box, f, scalar, x, y, z, dry);
	}

	// eddiesOf returns the eddy viscosities of the thread's cells from x on, for a law that reads neighbours.
	__device__ static LBM_INLINE P eddiesOf(const Box& box, int x, int y, int z) {
		P eddies{};
		const T* const of = box.template eddies<T>(y, z) + x;
#pragma unroll
		for (int i = 0; i < N; i++)
			if (x + i < box.layout.pitch) eddies.v[i] = __ldg(of + i);
		return eddies;
	}
	__device__ static LBM_INLINE void collide(P* f, const Params<T>& params, const P& eddies) {
		if constexpr (LooksAround<C>) C::template collide<L>(f, params, eddies);
		else C::template collide<L>(f, params);
	}

	template <class W> __device__ static LBM_INLINE W load(const W* p) {
		if constexpr (Shape::READ == 1) return __ldcs(p);
		else if constexpr (Shape::READ == 2) return __ldcg(p);
		else if constexpr (Shape::READ == 3) return __ldlu(p);
		else return __ldg(p);
	}
	template <class W> __device__ static LBM_INLINE void store(W* p, W v) {
		if constexpr (Shape::WRITE == 1) __stcs(p, v);
		else if constexpr (Shape::WRITE == 2) __stcg(p, v);
		else if constexpr (Shape::WRITE == 3) __stwt(p, v);
		else *p = v;
	}
	template <int I> __device__ static LBM_INLINE T value(const S* p) {
		Image<S, 1> image;
		image.bits = load((const One*)p);
		return Store::template get<I>(image.s[0]);
	}

	// Sources holds the source rows of the populations of the thread's cells, the first of which is x of row (y, z).
	struct Sources {
		const S* row[3][3];  // by c_z, c_y, at x. Behind a wall any row will do: bounce replaces its values.
		const S* state;
		int x, nx, pitch;

		__device__ LBM_INLINE Sources(const Box& box, const S* state, const S* own, int x, int y, int z) : state(state), x(x), nx(box.layout.nx), pitch(box.layout.pitch) {
			const long long line = (L::Q + LBM_EXTRA) * pitch, plane = L::D == 2 ? 0 : line * (box.layout.ny + 2 * box.layout.gy);
			long long above, below, after, before;
			beside(box, 1, y, box.layout.ny, box.layout.gy, line, above, below);
			beside(box, 2, z, box.layout.nz, box.layout.gz, plane, after, before);
			const S* const at[3] = {own + after, own, own + before};
#pragma unroll
			for (int k = 0; k < 3; k++) {
				if (L::D == 2 && k != 1) continue;
				row[k][0] = at[k] + above;
				row[k][1] = at[k];
				row[k][2] = at[k] + below;
			}
		}
		// beside computes the distances from coordinate k of an axis to k+1 and k-1.
		__device__ static LBM_INLINE void beside(const Box& box, int axis, int k, int n, int ghost, long long stride, long long& up, long long& down) {
			up = stride, down = -stride;
			const bool wraps = box.c->periodic[axis];
			if (ghost > 0 && !wraps) return;
			if (k == n - 1) up = wraps ? -(n - 1) * stride : 0;
			if (k == 0) down = wraps ? (n - 1) * stride : 0;
		}
		// at returns the place of population I that streams to cell x+k from a neighbour d away.
		template <int I> __device__ LBM_INLINE const S* at(int d) const {
			return row[L::c(I, 2) + 1][L::c(I, 1) + 1] + (I * pitch + d);
		}
		// beyond returns the place of population I of the ghost cell beyond an end of the row that it comes from.
		template <int I> __device__ LBM_INLINE const S* beyond(const Box& box, int side) const {
			const long long number = (row[L::c(I, 2) + 1][L::c(I, 1) + 1] - x - state) / ((L::Q + LBM_EXTRA) * pitch);
			return Box::end<S>(box.c, box.layout, side, number, L::Q) + I;
		}
	};

	// Ends holds the exceptions for the cells at the ends of a row.
	struct Ends {
		int end;  // offset of the other end of a periodic row, or 0
		bool mirror[2];
		const Box& box;
		__device__ LBM_INLINE explicit Ends(const Box& box) : box(box), end(box.c->periodic[0] ? box.layout.nx : 0), mirror{box.c->mirror[0] != 0, box.c->mirror[1] != 0} {}
		// at returns the place of population I that streams to cell x+k, which may be the first or the last of the row. Cells
		// after the last get an arbitrary value, which is not used.
		template <int I> __device__ LBM_INLINE const S* at(const Sources& from, int k) const {
			constexpr int c = L::c(I, 0);
			const int x = from.x + k, last = from.nx - 1, d = x > last ? last - from.x : k;
			if constexpr (c == 0) return from.template at<I>(d);
			const bool out = c > 0 ? x == 0 : x >= last;
			if (out && box.c->ends && !mirror[c < 0]) return from.template beyond<I>(box, c < 0);
			const S* const p = from.template at<I>(!out ? k - c : c > 0 ? (end ? end - 1 : 0) : d + (end ? 1 - end : 0));
			return out && mirror[c < 0] ? from.row[1][1] + (L::opposite(I) * from.pitch + d) : p;
		}
	};

	// carry adds the incoming scalar, on the populations f. For cells beside walls it is incomplete (scalar.h in this
	// folder).
	__device__ static LBM_INLINE void carry(ScalarSums<L, P>& sums, const P* f, const Box& box, const Sources& from, int y, int z) {
		const int pitch = from.pitch;
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			P g;
			int row = y - L::c(I, 1), plane = z - L::c(I, 2);
			const bool wall = !box.inside(1, row) || (L::D == 3 && !box.inside(2, plane));  // any row will do
#pragma unroll
			for (int k = 0; k < N; k++) {
				const int at = from.x + k - L::c(I, 0);  // source cell
				const bool wraps = at < 0 || at >= from.nx;
				g.v[k] = T(0);
				if (wall || from.x + k >= from.nx || (wraps && !box.c->periodic[0])) continue;
				const S* const p = from.row[L::c(I, 2) + 1][L::c(I, 1) + 1] + (L::Q * pitch + (wraps ? (at < 0 ? at + from.nx : at - from.nx) : at) - from.x);
				T q[L::D], u[L::D];
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value;
					q[A] = Store::template get<L::Q + 1 + A>(p[(1 + A) * pitch]);
					u[A] = Store::template get<L::Q + 1 + L::D + A>(p[(1 + L::D + A) * pitch]);
				});
				g.v[k] = Carrier<L, T>(Store::template get<L::Q>(*p), q, u).population(I, f[I].v[k]);
			}
			sums.e = sums.e + g;
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int c = L::c(I, decltype(a)::value);
				if constexpr (c > 0) sums.phi[a.value] = sums.phi[a.value] + g;
				if constexpr (c < 0) sums.phi[a.value] = sums.phi[a.value] - g;
			});
		});
	}

	// pull reads the populations that stream to the thread's cells.
	__device__ static LBM_INLINE void pull(P* f, const Box& box, const Sources& from) {
		const int lane = threadIdx.x % 32, x0 = from.x - lane * N;
		const bool first = x0 == 0, last = x0 + 32 * N >= from.nx;
		if (N == 1 && !first && !last) {
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				f[I].v[0] = value<I>(from.template at<I>(-L::c(I, 0)));
			});
			return;
		}
		const Ends ends(box);
		if (N == 1 || x0 + 32 * N > from.nx) {
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
#pragma unroll
				for (int k = 0; k < N; k++) f[I].v[k] = value<I>(ends.template at<I>(from, k));
			});
			return;
		}
		Image<S, N> raw[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			raw[I].bits = load((const Word*)from.template at<I>(0));
		});
		// The cells beside the warp's: lane 0 reads the left one, lane 31 the right one.
		Image<S, 1> edge[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (L::c(I, 0) > 0) {
				constexpr int J = L::find(-1, L::c(I, 1), L::c(I, 2));
				edge[I].bits = One{};
				if (lane == 0 || lane == 31) edge[I].bits = load((const One*)(lane == 0 ? ends.template at<I>(from, 0) : ends.template at<J>(from, N - 1)));
			}
		});
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, c = L::c(I, 0);
			P v;
#pragma unroll
			for (int k = 0; k < N; k++) v.v[k] = Store::template get<I>(raw[I].s[k]);
			if constexpr (c == 0) {
				f[I] = v;
			} else if constexpr (c > 0) {
				const T before = __shfl_up_sync(~0u, v.v[N - 1], 1);
				f[I].v[0] = lane == 0 ? Store::template get<I>(edge[I].s[0]) : before;
#pragma unroll
				for (int k = 1; k < N; k++) f[I].v[k] = v.v[k - 1];
			} else {
				constexpr int J = L::find(1, L::c(I, 1), L::c(I, 2));
				const T after = __shfl_down_sync(~0u, v.v[0], 1);
				f[I].v[N - 1] = lane == 31 ? Store::template get<I>(edge[J].s[0]) : after;
#pragma unroll
				for (int k = 1; k < N; k++) f[I].v[k - 1] = v.v[k];
			}
		});
	}

	// bounce replaces the populations that would come out of a wall by the cell's own, stored at own, for cell i of the
	// thread, whose word has that index. All are requested before the first is needed.
	__device__ static LBM_INLINE void bounce(const Box& box, P* f, int i, const S* LBM_RESTRICT own, unsigned index) {
		const unsigned word = __ldg(box.c->words + index);
		unroll<L::Q>([&](auto k) LBM_LAMBDA {
			constexpr int I = decltype(k)::value, O = L::opposite(I);
			if constexpr (I != O) {
				if (word >> I & 1) f[I].v[i] = Wall::apply(f[I].v[i], value<O>(own + O * box.layout.pitch), true);
			}
		});
		if (word >> MOVING & 1) move(box, f, i, word, index);
	}
	// move adds the momentum of moving walls to them.
	__device__ static LBM_INLINE void move(const Box& box, P* f, int i, unsigned word, unsigned index) {
		const T* wallMomentum = box.template wallMomentum<T>(index, L::Q);
		unroll<L::Q>([&](auto k) LBM_LAMBDA {
			constexpr int I = decltype(k)::value;
			if constexpr (I != L::opposite(I)) f[I].v[i] = MovingWall::apply(f[I].v[i], f[I].v[i], __ldg(wallMomentum + I), bool(word >> I & 1));
		});
	}

	__device__ static LBM_INLINE void push(const P* f, S* LBM_RESTRICT to, int x, int nx, int pitch) {
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			S* p = to + I * pitch;
			Image<S, N> image;
#pragma unroll
			for (int k = 0; k < N; k++) image.s[k] = Store::template put<I>(f[I].v[k]);
			if (N == 1 || x + N <= nx) {
				store((Word*)p, image.bits);
			} else {
#pragma unroll
				for (int k = 0; k < N; k++)
					if (x + k < nx) p[k] = image.s[k];
			}
		});
	}
};

}}  // namespace lbm
#endif
