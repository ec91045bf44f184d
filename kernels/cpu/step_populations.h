// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of a state of populations on the CPU: pull from the neighbours' rows, collide, store
// past the caches. Every value is read once and written once, so nothing is worth keeping in a
// cache and rows can be taken in any order. The access pattern matters:
//   reading: the next row's lines in the order of addresses, whatever cells are
//   computed meanwhile: fewer and longer streams, which the processor's own
//   prefetching can continue with
//   writing: a segment of finished cells waits in a buffer and leaves component by
//   component, line by line between the arithmetic of the next segment. In a burst
//   at its end, stores past the caches and arithmetic would take their time one after the other
#ifndef LBM_STEP_POPULATIONS_H
#define LBM_STEP_POPULATIONS_H
#include <type_traits>
#include "../wall.h"
#include "../populations.h"
#include "../outflow.h"
#include "box.h"
#include "memory.h"
#include "special.h"

namespace lbm { namespace {

template <bool> struct AnyModel;

template <class L, class C, class S> struct StepPopulations {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, false> Values;
	typedef typename Lanes<T>::R R;
	typedef typename Lanes<T>::I I;
	static constexpr int W = Lanes<T>::W;

	static constexpr int MOST = 8;  // vectors of a segment
	static constexpr int STRIDE = MOST * W, BUFFER = L::Q * STRIDE;
	static constexpr int PARTS = 64 > W * sizeof(S) ? 64 / (W * sizeof(S)) : 1;  // vectors of a line, which leave together

	static int64_t scratch(const lbm_range*) { return 2 * BUFFER * sizeof(T) + 64; }

	// Finished is the segment that was finished last, on its way to memory.
	struct Finished {
		const T* from;
		S* to;
	};

	// lengthOf returns the length of segments that cover a row of so many vectors with the least
	// overlap: all are equally long, so that as much leaves as is computed.
	static int lengthOf(int vectors) {
		int best = vectors < MOST ? vectors : MOST;
		auto over = [&](int n) { return (vectors + n - 1) / n * n - vectors; };
		for (int n = best - 1; n >= MOST / 2; n--)
			if (over(n) < over(best)) best = n;
		return best;
	}

	static void run(const lbm_case* c, const lbm_numbers* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		const int length = lengthOf((r->hi[0] - r->lo[0] + W - 1) / W);
		if constexpr (LBM_OWN_STEPS) {
			if (length == MOST) {
				rows<MOST>(c, p, (const S*)in, (S*)out, r, (T*)scratch, length);
				return fence();
			}
		}
		rows<0>(c, p, (const S*)in, (S*)out, r, (T*)scratch, length);
		fence();
	}

	// LENGTH is length, or 0 for any: the usual one as a constant saves registers, of
	// which there are too few. The baseline of amd64 does without, for half of the text.
	template <int LENGTH>
	static void rows(const lbm_case* c, const lbm_numbers* p, const S* in, S* out, const lbm_range* r, T* done, int length) {
		Box box(c);
		Params<T> params = Params<T>(*p);
		// At first no segment is pending: it stores cells that the first segment will overwrite.
		Finished finished{done, out + box.layout.start(r->lo[1], r->lo[2]) + r->lo[0]};
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++)
				finished = row<LENGTH>(box, params, in, out, y, z, r->lo[0], r->hi[0], done, length, finished);
		for (int i = 0; i < L::Q; i++)
			for (int k = 0; k < length; k++) Values::stream(finished.to + i * (long)box.layout.pitch + k * W, 0, load(finished.from + i * STRIDE + k * W));
	}

	template <int LENGTH>
	static Finished row(const Box& box, const Params<T>& params, const S* in, S* out, int y, int z, int x0, int x1, T* done, int anyLength, Finished finished) {
		const int length = LENGTH ? LENGTH : anyLength;
		const long pitch = box.layout.pitch;
		const S* own = in + box.layout.start(y, z);
		const S* source[3][3] = {};  // by c_z, c_y. Behind a wall any row will do: its values are not used.
		long number[3][3] = {};
		for (int d = -1; d <= 1; d++)
			for (int b = -1; b <= 1; b++) {
				if (L::D == 2 && d != 0) continue;
				const long s = box.stored(y - b, z - d);
				number[d + 1][b + 1] = s < 0 ? box.layout.row(y, z) : s;
				source[d + 1][b + 1] = s < 0 ? own : box.row(in, s);
			}
		const S *from[L::Q], *next[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value;
			const S* component = source[L::c(N, 2) + 1][L::c(N, 1) + 1] + N * pitch;
			from[N] = component - L::c(N, 0);
			next[N] = component + L::Q * pitch + x0;
		});
		S* const target = out + box.layout.start(y, z);
		const T* const eddies = box.c->eddies ? (const T*)box.c->eddies + ((long)z * box.layout.ny + y) * pitch : nullptr;
		const bool beyond = box.c->periodic[0] || box.c->ends;
		const int n = box.layout.nx, first = beyond ? 0 : -1, end = beyond ? n - 1 : -1;
		if (y + 1 < box.layout.ny) fetchWalls<true, L::Q>(box, in, y + 1, z, x0, x1, [](auto*, int) { return false; });
		const S* soon = next[0];  // the line of the next row to be prefetched
		const int lines = ((x1 - x0) * int(sizeof(S)) + 63) / 64;
		int component = 0, rest = lines;
		const int last = x0 + ((x1 - x0 + W - 1) / W - length) * W;
		Walls walls(box.c, y, z, x0);
		for (int begin = x0; begin < x1; begin += length * W) {
			if (begin > last) {  // some cells a second time
				begin = last;
				walls = Walls(box.c, y, z, begin);
			}
			// In separate variables, which the compiler keeps in registers.
			const T* late = finished.from;
			S* place = finished.to;
			int left = length;
			T* const buffer = late == done ? done + BUFFER : done;
			for (int x = begin; x < begin + length * W; x += W) {
				T* to = buffer + x - begin;
				R f[L::Q];
				unroll<L::Q>([&](auto i) LBM_LAMBDA {
					constexpr int N = decltype(i)::value;
					// To L2: a row does not stay in L1. Once a line.
					if constexpr (N % PARTS == 0) {
						__builtin_prefetch(soon, 0, 2);
						soon += 64 / sizeof(S);
						if (--rest == 0) {
							rest = lines;
							if (component < L::Q - 1) component++;
							soon = next[component];
						}
					}
					f[N] = L::c(N, 0) == 0 ? Values::load(from[N] + x, N) : Values::loadAny(from[N] + x, N);
					asm volatile("" ::: "memory");  // or the compiler gathers the stores
					unroll<N % PARTS == PARTS - 1 ? PARTS : N == L::Q - 1 ? L::Q % PARTS : 0>([&](auto) LBM_LAMBDA {
						Values::stream(place, 0, load(late));  // 16-bit storage scales all populations alike
						late += W;
						place += W;
						if (--left == 0) {
							left = length;
							late += STRIDE - length * W;
							place += pitch - length * W;
						}
					});
					asm volatile("" ::: "memory");
				});
				const lbm_pattern* pattern = walls.at(x);
				bool wraps = x == first || (end >= x && end < x + W);
				if (__builtin_expect(pattern != nullptr || wraps, 0)) {
					R g[L::Q];
					unroll<L::Q>([&](auto i) LBM_LAMBDA { g[i.value] = f[i.value]; });
					if (x == first) wrap<1>(box, source, number, g, 0);
					if (end >= x && end < x + W) wrap<-1>(box, source, number, g, end - x);
					if (pattern) bounce(box, g, source, x, pattern);
					collide(g, params, eddies, x);
					if (pattern) clear(g, x, pattern);
					if (wraps && box.c->rowEnds) {
						if (x == first) applyOutflow(box, g, 0, number[1][1], 0);
						if (end >= x && end < x + W) applyOutflow(box, g, 1, number[1][1], end - x);
					}
					unroll<L::Q>([&](auto i) LBM_LAMBDA { store(to + i.value * STRIDE, g[i.value]); });
					if (wraps && box.c->kept) {
						if (x == first) keep(box, to, 0, number[1][1]);
						if (end >= x && end < x + W) keep(box, to + (end - x), 1, number[1][1]);
					}
				} else {
					collide(f, params, eddies, x);
					unroll<L::Q>([&](auto i) LBM_LAMBDA { store(to + i.value * STRIDE, f[i.value]); });
				}
			}
			finished = Finished{buffer, target + begin};
		}
		return finished;
	}

	// collide collides a vector of cells at x, with the eddy viscosity of its row, if the law needs it.
	static LBM_INLINE void collide(R* f, const Params<T>& params, const T* eddies, int x) {
		if constexpr (std::is_same<C, AnyModel<true>>::value) {
			if (__builtin_expect(eddies != nullptr, 0)) {
				Params<T> with = params;
				with.eddies = eddies + x;
				return C::template collide<L>(f, with);
			}
		}
		C::template collide<L>(f, params);
	}

	// wrap replaces, in one lane, the populations with c_x = CX by populations of the ghost cells
	// beyond the rows' ends, or of the other end of periodic rows.
	template <int CX> static __attribute__((noinline)) void wrap(const Box& box, const S* const (*source)[3], const long (*number)[3], R* f, int lane) {
		I mask = laneNumbers<T>() == (I{} + lane);
		const int other = CX > 0 ? box.layout.nx - 1 : 0;
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value;
			if constexpr (L::c(N, 0) == CX) {
				constexpr int Z = L::c(N, 2) + 1, Y = L::c(N, 1) + 1;
				const S v = box.c->ends ? box.end<S>(CX < 0, number[Z][Y], L::Q)[N * LBM_BLOCK] : source[Z][Y][N * (long)box.layout.pitch + other];
				f[N] = select(mask, R{} + Values::get(v, N), f[N]);
			}
		});
	}

	// applyOutflow sets the wave of an adjacent outflow in the cell of a lane (../outflow.h).
	static __attribute__((noinline)) void applyOutflow(const Box& box, R* f, int side, long number, int lane) {
		if (box.rowEnd(side, number).outlet == LBM_NONE) return;
		const Corrected<0, L, R> is(momentsOf<L>(f), side ? T(1) : T(-1), ((const T*)box.c->waves)[box.place(side, number)]);
		const I mask = laneNumbers<T>() == (I{} + lane);
		secondOrder(is.more).each([&](auto i, const R& more) LBM_LAMBDA { f[i.value] = select(mask, f[i.value] + more, f[i.value]); });
	}

	// keep stores cells of the new state from an end of a row on where ghost cells find them:
	// otherwise the next step's ghost cells would request a line of memory for each component. from
	// is the end's cell in the segment.
	static __attribute__((noinline)) void keep(const Box& box, const T* from, int side, long number) {
		const int cells = box.rowEnd(side, number).keep;
		for (int n = 0; n < cells; n++) {
			S* const to = box.kept<S>(side, n, number, L::Q);
			const T* const cell = from + (side ? -n : n);
			for (int i = 0; i < L::Q; i++) to[i * LBM_BLOCK] = rounded<L, false, S>(cell[i * STRIDE], i);
		}
	}

	static __attribute__((noinline)) void bounce(const Box& box, R* f, const S* const (*source)[3], int x, const lbm_pattern* pattern) {
		const unsigned links = pattern->links;
		const unsigned* cells = pattern->cell + x % LBM_BLOCK;
		if (!links) return;
		const long pitch = box.layout.pitch;
		for (unsigned rest = links; rest; rest &= rest - 1) {
			const int n = __builtin_ctz(rest), out = L::opposite(n);
			const S* const own = source[1][1] + x;
			const R back = fromWall<T>(box, pattern, n, x, Values::load(own + out * pitch, out), Values::load(own + n * pitch, n), [&]() LBM_LAMBDA {
				return loadNear<Values>(source[1 - Known<L>::c(n, 2)][1 - Known<L>::c(n, 1)] + out * pitch, pitch, x + Known<L>::c(n, 0), out);
			});
			f[n] = Wall::apply(f[n], back, bit<T>(cells, n));
		}
	}

	// clear keeps solid and padding cells at rest.
	static LBM_INLINE void clear(R* f, int x, const lbm_pattern* pattern) {
		I solid = bit<T>(pattern->cell + x % LBM_BLOCK, 31);
		unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = select(solid, R{}, f[i.value]); });
	}
};

}}  // namespace lbm
#endif
