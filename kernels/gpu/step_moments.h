// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// One step of a state of moments on a GPU.
//
// A warp owns a row of cells, CELLS neighbours per thread, and marches along the slowest axis. Each source cell is read from
// memory once and expanded by its closure; its populations are summed axis by axis, as partial moments, because a partial sum
// serves all the moments that share it (the CPU's march in cpu/step_moments.h does the same):
//   x: populations with c_x = +-1 go to the neighbouring thread by a shuffle; of
//      each (c_y, c_z) remain s0 = sum f, s1 = sum c_x f, s2 = sum c_x^2 f
//   y: sums with c_y = +-1, ten numbers per cell (18 on D3Q27), go to the warps of the
//      rows beside it through shared memory
//   z: sums with c_z = +-1 are passed on in registers, plane by plane
// Populations come without their factors 1/2 (expansion.h): sums over directions that stream along an axis have a factor 2 for
// each such axis. A wall sends back the cell's own populations: they are added to its sums when it is a source. In 2D the
// march is along y and needs no shared memory.
//
// The rows before and after a 3D tile are read by separate warps, and the cells left and right of it by one more warp, two
// planes ahead. A scalar (../scalar.h) rides along: the flow's populations along x carry it, into separate sums (Warm, Heat).
//
// A row and its sums are in row.h, sums.h and heat.h, the loops in march2.h and march3.h.
#ifndef LBM_GPU_STEP_MOMENTS_H
#define LBM_GPU_STEP_MOMENTS_H
#include "sums.h"
#include "heat.h"

// Tuned on an H200; see docs/performance.md. 384 threads per block have 168 registers each,
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
// 1: a face prescribes the direction of its inflow.
#ifndef LBM_DIRECTED
#define LBM_DIRECTED 0
#endif
// Bytes of shared memory available to a block.
#ifndef LBM_SHARED
#define LBM_SHARED (227 << 10)
#endif

namespace lbm { namespace {

// rowsWithin returns the number of rows, at most most, that fit into shared memory with each bytes per row and more for all.
__device__ constexpr int rowsWithin(int most, int each, int more) {
	const int fit = (LBM_SHARED - more) / each;
	return fit < most ? fit : most;
}

template <class L, class C, class S, class T> struct StepMoments {
	static constexpr int N = LBM_CELLS;
	// CORNERS: there are populations with all three components, so that c_y and c_z = +-1
	// leave three sums along x, not one population.
	static constexpr bool CORNERS = L::find(1, 1, 1) >= 0;
	static constexpr int MORE = RowOf<L, S, T, N>::MORE;
	// Sums with c_y = +1 (UP, of lines 0 ...) and -1 (DOWN, of lines 1 ...), for c_z = 0, 1, -1
	// one after the other.
	static constexpr int EACH = CORNERS ? 3 : 1, UP = 0, DOWN = 3 + 2 * EACH, PASSED = 2 * DOWN;
	// The same for a scalar (Heat), after them.
	static constexpr int EACH_HOT = CORNERS ? 2 : 1, HOT_UP = PASSED, HOT_DOWN = PASSED + 2 + 2 * EACH_HOT, ALL_PASSED = MORE > 0 ? PASSED + 2 * (2 + 2 * EACH_HOT) : PASSED;
	// The scalar's sums in shared memory between planes: all, and its value in the plane before.
	static constexpr int HOT = MORE > 0 ? L::D + 2 : 0;
	// Number of a thread's sums in shared memory between planes, where there is no room for them in registers beside the
	// populations.
	static constexpr int WAITS = L::D == 3 ? LBM_WAITS : 0;
	// Rows computed by a block, in 3D limited by shared memory: see Shared.
	static constexpr int LINE = 32 * N * sizeof(T), EDGE = (MORE > 0 ? 128 : 88) * sizeof(T) + 16 * sizeof(bool);
	static constexpr int ROWS = L::D == 3 ? rowsWithin(LBM_ROWS, (2 * ALL_PASSED + L::M + (WAITS > 0 ? WAITS : 1) + HOT) * LINE + EDGE, 2 * ALL_PASSED * LINE + 2 * EDGE + sizeof(Params<T>) + (MORE > 0 ? sizeof(ScalarParams<T>) + 80 : 48)) : 4;
	static constexpr int LINES = ROWS + 2;                     // read by a block, in 3D
	static constexpr int WARPS = L::D == 3 ? LINES + 1 : ROWS; // the last one of 3D serves the edges
	static constexpr int BLOCK_X = 32, BLOCK_Y = WARPS, THREADS = 32 * WARPS, BLOCKS = L::D == 3 ? LBM_BLOCKS : 4;
	static constexpr int TILE_X = L::D == 3 ? 32 * N : 32 * N * ROWS, TILE_Y = L::D == 3 ? ROWS : LBM_MARCH, TILE_Z = L::D == 3 ? LBM_MARCH : 1;
	static_assert(L::D == 2 || 2 * LINES <= 32, "one warp serves the edges");
	static_assert(L::D == 2 || N <= 2, "a tile's last thread has all its cells or the first (HALF)");
	typedef RowOf<L, S, T, N> Row;
	typedef typename Row::P P;
	typedef typename Row::Group Group;
	typedef typename Row::Sums Sums;

	// The march corrects cells at outflows, except beside a scalar, which needs the flow as it was.
	static constexpr bool OUTLETS = MORE == 0;
	// Cells beyond an end of the rows cost nothing: see RowEnd.
	static constexpr int ENDS = L::D == 3 ? 1 : 0;

	// CROWDED: threads have few registers, and the parameters are in shared memory, too.
	static constexpr bool CROWDED = ROWS > 9;
	// passedOf returns the offset of the sums with c_z = cz from UP or DOWN.
	__device__ static constexpr int passedOf(int cz) { return cz == 0 ? 0 : cz > 0 ? 3 : 3 + EACH; }
	// Hot holds the scalar's part of Shared.
	template <bool SCALAR, int HOTS> struct Hot {
		P hot[HOTS][ROWS][32];             // sums that wait, and the value in the plane before
		T warm[4][LINES][2][Row::WARM];    // values from beyond the tile
		alignas(16) ScalarParams<T> carried;
	};
	template <int HOTS> struct Hot<false, HOTS> {};
	// Shared holds the data that the warps of a 3D block pass to each other.
	struct Shared : Hot<(MORE > 0), HOT> {
		// Without alignment a derived class begins in its base's padding, and sharedAt addresses whole
		// numbers only.
		alignas(16) P passed[2][ALL_PASSED][LINES - 1][32];  // alternately
		P back[L::M][ROWS][32];              // sums that walls sent back, private to each thread
		P waiting[WAITS > 0 ? WAITS : 1][ROWS][32];  // sums that wait for the next plane, likewise
		T edge[4][LINES][2][Row::SLOTS];     // by plane: populations that stream in across the edge of the tile
		// A line corrects its stored cells at an outflow four planes behind serveEdges.
		T wave[8][LINES][2];                 // by plane: wantedWave of an outflow beyond the tile
		bool outlets[8][LINES][2];           // whether there is an outflow
		alignas(16) Params<T> params;        // here they take no registers while no thread needs them,
		long long around;                    // nor does the distance from the plane behind the range to its stored place
	};
	// Sum holds the sums of a plane's populations with one c_z at a target.
	struct Sum { P r, x, y, xx, yy, xy; };
	static constexpr int SHARED = L::D == 3 ? sizeof(Shared) : 0;
	static_assert(ROWS >= 1 && SHARED <= LBM_SHARED, "rowsWithin assumes the members of Shared");

	__device__ static LBM_INLINE void run(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi) {
		const Box box(c, L::M);
		if constexpr (L::D == 3) march3(box, in, out, ylo, yhi, zlo, zhi);
		else march2(box, in, out, ylo, yhi);
	}

	// Defined in march2.h.
	__device__ static LBM_INLINE void march2(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi);

	__device__ static LBM_INLINE const Block* blocks(const Box& box, int x, int y, int z) {
		return box.c->blocks + ((long long)z * box.layout.ny + y) * (box.layout.pitch / 32) + (x < box.layout.pitch ? x / 32 : 0);
	}

	// Defined in march3.h.
	__device__ static LBM_INLINE void march3(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi);
	__device__ static LBM_INLINE const S* source(const Box& box, const S* in, int y, int yhi, int z);
	__device__ static LBM_INLINE const S* around(const Box& box, const S* p, int z, long long plane);
	__device__ static LBM_INLINE long long planeOf(const Box& box);
	__device__ static LBM_INLINE void serveEdges(Shared& shared, const Box& box, const S* LBM_RESTRICT in, int x0, int ytop, int yhi, int z0, int z1);
	__device__ static LBM_INLINE T wave(const typename Row::Beside& cell, const S* inner, bool fluid, const T* rule, int side);
	__device__ static LBM_INLINE void applyOutflow(Shared& shared, Moments<L, P>& m, int line, const Row& row, int z);
	// Lines is a thread's place among the sums of its line and of the line before.
	struct Lines {
		P* own;
		__device__ LBM_INLINE P& here(int k) const { return own[k * (LINES - 1) * 32]; }
		__device__ LBM_INLINE P& before(int k) const { return own[k * (LINES - 1) * 32 - 32]; }
	};
	template <int CZ, class SLICE> __device__ static LBM_INLINE Sums pass(const Row& row, const SLICE& slice, const T* edge, const typename Row::Warm& warm, const Lines& passed, int line);
	template <int CZ> __device__ static LBM_INLINE Sum sum(const Group& mid, const Lines& passed);
	typedef typename Row::Heat Heat;
	struct HeatSum { P e, x, y; };
	__device__ static constexpr int hotOf(int cz) { return cz == 0 ? 0 : cz > 0 ? 2 : 2 + EACH_HOT; }
	template <int CZ> __device__ static LBM_INLINE HeatSum sumHeat(const Heat& mid, const Lines& passed);
	__device__ static LBM_INLINE void rows(Shared& shared, const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int x0, int ytop, int yhi, int z0, int z1);
};

}}  // namespace lbm

#include "march2.h"
#include "march3.h"
#endif
