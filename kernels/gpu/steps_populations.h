// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Several steps of a state of populations in 2D in one launch. A block holds a tile of cells in shared memory, with rings of
// cells around it that become invalid from outside, one per step: each population is read from memory once and written once for
// all of the steps. Each cell is computed by the functions of step_populations.h.
//
// Between the steps populations lie as in the AA pattern (Bailey et al., ICPP 2009, 550): a cell puts the populations that it
// sends to the places of the incoming ones, so that one copy is enough and no cell waits for another within a step.
//   after an odd number of steps the population that streams to x with c_i lies at x, in slot i' opposite to i
//   after an even number         it lies at x - c_i, in slot i
// A population that a wall sends back with c_i lies at x in slot i' both times.
#ifndef LBM_GPU_STEPS_POPULATIONS_H
#define LBM_GPU_STEPS_POPULATIONS_H
#include "step_populations.h"

// Tuned on an H200; see docs/performance.md.
#ifndef LBM_STEPS
#define LBM_STEPS 4
#endif
#ifndef LBM_STEPS_X
#define LBM_STEPS_X 64
#endif
#ifndef LBM_STEPS_Y
#define LBM_STEPS_Y (sizeof(S) == 8 ? 16 : 8)
#endif
#ifndef LBM_STEPS_BLOCKS
#define LBM_STEPS_BLOCKS (sizeof(S) == 8 ? 1 : 2)
#endif
#ifndef LBM_SHARED
#define LBM_SHARED (227 << 10)
#endif

namespace lbm { namespace {

template <class L, class C, class S, class T> struct StepsPopulations {
	struct Narrow : PopulationsShape<L, S> {
		static constexpr int CELLS = 1;
	};
	typedef StepPopulations<L, C, S, T, Narrow> Single;
	typedef typename Single::P P;
	typedef typename Single::Store Store;
	static constexpr int STEPS = LBM_STEPS, RING = STEPS - 1;  // the first step reads its own ring from memory
	static constexpr int X = LBM_STEPS_X, Y = LBM_STEPS_Y, THREADS = X * Y, BLOCKS = LBM_STEPS_BLOCKS;
	// Rows of a tile, rings included, limited by shared memory: slots with a border of one cell, which cells beyond the
	// last step's reach write to, and a word of walls per cell.
	static constexpr int WIDE = X + 2, EACH = L::Q * sizeof(S) * WIDE + sizeof(unsigned) * X;
	static constexpr int ROWS = (LBM_SHARED / BLOCKS - (2 << 10) - 2 * WIDE * L::Q * int(sizeof(S))) / EACH;
	static constexpr int PLANE = (ROWS + 2) * WIDE, SHARED = PLANE * L::Q * sizeof(S) + ROWS * X * sizeof(unsigned);
	// Cells that a block completes, at most. 0: step by step, on GPUs with less shared memory and with 16 bits, where a thread
	// of a single step has two cells, whose arithmetic the compiler fuses differently, and for laws whose eddies are recomputed
	// between steps.
	static constexpr int TILE_X = X - 2 * RING, TILE_Y = L::D == 2 && sizeof(S) > 2 && !LooksAround<C> && ROWS >= 8 * RING ? ROWS - 2 * RING : 0;
	static_assert(STEPS % 2 == 0 && PLANE % 2 == 0, "the last step finds all at its own cell; words are aligned");

	// Cell is one of the tile.
	struct Cell {
		S* own;         // its slot 0
		int x, y;       // its position in the box
		unsigned mask;  // of the directions that come out of walls, with MOVING and SOLID
	};
	__device__ static LBM_INLINE bool fromWall(const Cell& c, int i) { return c.mask >> i & 1; }
	// at returns the place of the population that streams to the cell with c_I before a step that finds it at the neighbours,
	// and of the population that the cell sends the other way.
	template <int I> __device__ static LBM_INLINE S* at(const Cell& c) {
		constexpr int O = L::opposite(I);
		return c.own + (I != O && fromWall(c, I) ? O * PLANE : I * PLANE - (L::c(I, 1) * WIDE + L::c(I, 0)));
	}

	__device__ static LBM_INLINE void run(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, bool walled) {
		extern __shared__ uint4 memory[];
		S* const slots = (S*)memory;
		unsigned* const masks = (unsigned*)(slots + L::Q * PLANE);
		const Box box(c, L::Q);
		const Params<T> params = box.params<T>();
		const int nx = box.layout.nx, ny = box.layout.ny, rows = (ny + gridDim.y - 1) / gridDim.y;
		const int ytop = blockIdx.y * rows - RING, high = (rows < ny - int(blockIdx.y) * rows ? rows : ny - int(blockIdx.y) * rows) + 2 * RING;
		const int column = int(blockIdx.x) * TILE_X - RING + int(threadIdx.x);
		Cell cell;
		cell.x = column;
		const bool there = column < nx + RING && box.inside(0, cell.x) && cell.x >= 0 && cell.x < nx;
		const bool amid = __all_sync(~0u, !there || (cell.x > 0 && cell.x < nx - 1));
		// each calls step(cell) for the thread's fluid cells of step k.
		auto each = [&](int k, auto step) LBM_LAMBDA {
			const int ring = k - 1;
			if (!there || int(threadIdx.x) < ring || int(threadIdx.x) >= X - ring) return;
			LBM_ROLLED for (int row = threadIdx.y; row < high - ring; row += Y) {
				if (row < ring) continue;
				cell.own = slots + ((row + 1) * WIDE + int(threadIdx.x) + 1);
				cell.y = ytop + row;
				const bool stored = box.inside(1, cell.y) && cell.y >= 0 && cell.y < ny;
				unsigned& mask = masks[row * X + int(threadIdx.x)];
				cell.mask = walled && k > 1 ? mask : stored ? 0u : 1u << SOLID;
				if (walled && k == 1) mask = cell.mask = stored ? walls(box, cell.x, cell.y) : 1u << SOLID;
				if (!(cell.mask >> SOLID)) step(cell);
			}
		};
		// numbers returns the step's parameters, as if new for each cell and known before its populations. Otherwise the
		// compiler would take parts of the arithmetic out of the loop, or reorder it, and fuse other multiplications with
		// additions than in a single step.
		auto numbers = [&]() LBM_LAMBDA {
			Params<T> own = params;
			Box::hold(own);
			return own;
		};
		auto send = [&](const P* f, const Cell& cell) LBM_LAMBDA {
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value, O = L::opposite(I);
				*at<I>(cell) = Store::template put<O>(f[O].v[0]);
			});
		};
		each(1, [&](const Cell& cell) LBM_LAMBDA {
			const Params<T> own = numbers();
			P f[L::Q];
			pull(f, box, in, cell, amid);
			C::template collide<L>(f, own);
			send(f, cell);
		});
		LBM_ROLLED for (int k = 2; k < STEPS; k += 2) {
			__syncthreads();
			each(k, [&](const Cell& cell) LBM_LAMBDA {
				const Params<T> own = numbers();
				P f[L::Q];
				come(f, box, cell);
				C::template collide<L>(f, own);
				unroll<L::Q>([&](auto i) LBM_LAMBDA { cell.own[decltype(i)::value * PLANE] = Store::template put<decltype(i)::value>(f[i.value].v[0]); });
			});
			__syncthreads();
			each(k + 1, [&](const Cell& cell) LBM_LAMBDA {
				const Params<T> own = numbers();
				P f[L::Q];
				unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value].v[0] = Store::template get<decltype(i)::value>(*at<decltype(i)::value>(cell)); });
				move(f, box, cell);
				C::template collide<L>(f, own);
				send(f, cell);
			});
		}
		__syncthreads();
		each(STEPS, [&](const Cell& cell) LBM_LAMBDA {
			if (column >= nx) return;
			const Params<T> own = numbers();
			P f[L::Q];
			come(f, box, cell);
			C::template collide<L>(f, own);
			Single::push(f, out + box.layout.start(cell.y, 0) + cell.x, cell.x, nx, box.layout.pitch);
		});
	}

	// walls returns the walls of a cell of the box.
	__device__ static LBM_INLINE unsigned walls(const Box& box, int x, int y) {
		const Block block = box.block(x, y, 0);
		if (block.solid >> (x % 32) & 1) return 1u << SOLID;
		unsigned mask = block.links >> (x % 32) & 1 ? __ldg(box.c->words + Box::index(block, x)) : 0;
		const bool mirror[2] = {x == 0 && box.c->mirror[0], x == box.layout.nx - 1 && box.c->mirror[1]};
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (L::c(I, 0) != 0) mask |= mirror[L::c(I, 0) < 0] ? 1u << I : 0;
		});
		return mask;
	}
	// pull reads the populations that stream to a cell in the first step.
	__device__ static LBM_INLINE void pull(P* f, const Box& box, const S* LBM_RESTRICT in, const Cell& cell, bool amid) {
		const S* const own = in + box.layout.start(cell.y, 0) + cell.x;
		const typename Single::Sources from(box, in, own, cell.x, cell.y, 0);
		if (amid) {
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				f[I].v[0] = Single::template value<I>(from.template at<I>(-L::c(I, 0)));
			});
		} else {
			const typename Single::Ends ends(box);
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				f[I].v[0] = Single::template value<I>(ends.template at<I>(from, 0));
			});
		}
		if (!cell.mask) return;
		const Block block = box.block(cell.x, cell.y, 0);
		if (block.links >> (cell.x % 32) & 1) Single::bounce(box, f, 0, own, Box::index(block, cell.x));
	}
	// come reads the populations that stream to a cell before a step that finds them in its slots.
	__device__ static LBM_INLINE void come(P* f, const Box& box, const Cell& cell) {
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			f[I].v[0] = Store::template get<I>(cell.own[L::opposite(I) * PLANE]);
		});
		move(f, box, cell);
	}
	// move adds the momentum of moving walls.
	__device__ static LBM_INLINE void move(P* f, const Box& box, const Cell& cell) {
		if (!(cell.mask >> MOVING & 1)) return;
		const unsigned index = Box::index(box.block(cell.x, cell.y, 0), cell.x);
		Single::move(box, f, 0, __ldg(box.c->words + index), index);
	}
};

}}  // namespace lbm
#endif
