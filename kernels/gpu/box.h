// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Box: a thread's view of one Case: the places of rows, the surroundings of the box, and the walls of a cell.
#ifndef LBM_GPU_BOX_H
#define LBM_GPU_BOX_H
#include "../layout.h"
#include "../params.h"
#include "../scalar.h"
#include "api.h"
#include "storage.h"

namespace lbm { namespace {

#ifndef LBM_PITCH
#define LBM_PITCH 0
#endif
#ifndef LBM_EXTRA
#define LBM_EXTRA 0
#endif

// keep makes the compiler hold v in a register instead of reloading it each time: a load in a loop would wait for all the loads
// before it.
__device__ LBM_INLINE void keep(float& v) { asm volatile("" : "+f"(v)); }
__device__ LBM_INLINE void keep(double& v) { asm volatile("" : "+d"(v)); }

struct Box {
	const Case* c;
	Layout layout;

	// components counts the flow's components.
	__device__ LBM_INLINE Box(const Case* c, int components)
		: c(c), layout{c->n[0], c->n[1], c->n[2], c->ghost[1], c->ghost[2], components + LBM_EXTRA, LBM_PITCH ? LBM_PITCH : c->pitch} {}

	// end returns the place of the ghost cell beyond an end of a stored row (side 0: x = -1, 1: x = nx), with contiguous
	// components.
	template <class S> __device__ LBM_INLINE static S* end(const Case* c, const Layout& l, int side, long long row, int components) {
		const long long rows = (long long)(l.ny + 2 * l.gy) * (l.nz + 2 * l.gz);
		return (S*)c->ends + (side * rows + row) * components;
	}
	// inside maps coordinate k, at most one cell out of the box, to its stored place: outside, a periodic axis wraps, one with
	// ghosts stores it, and otherwise there is only wall: false.
	__device__ LBM_INLINE bool inside(int axis, int& k) const {
		const int n = c->n[axis];
		if (k >= 0 && k < n) return true;
		if (!c->periodic[axis]) return c->ghost[axis] > 0;
		k = k < 0 ? k + n : k - n;
		return true;
	}

	// block returns the block of 32 cells with x of interior row (y, z), an empty one where the row has ended.
	__device__ LBM_INLINE Block block(int x, int y, int z) const {
		if (x >= layout.pitch) return Block{};
		return load(c->blocks + ((long long)z * layout.ny + y) * (layout.pitch / 32) + x / 32);
	}
	// load takes three words. Padded to one load of four it is slower: the compiler uses the idle register for another value,
	// which then waits for the load.
	__device__ LBM_INLINE static Block load(const Block* b) { return {__ldg(&b->links), __ldg(&b->solid), __ldg(&b->first)}; }
	// index returns the index of the word of cell x of block b, which has one, among all words.
	__device__ LBM_INLINE static unsigned index(const Block& b, int x) { return b.first + __popc(b.links & ((1u << (x % 32)) - 1)); }
	// solid reports whether the interior cell (x, y, z) is solid.
	__device__ LBM_INLINE bool solid(int x, int y, int z) const { return block(x, y, z).solid >> (x % 32) & 1; }

	template <class T> __device__ LBM_INLINE Params<T> params() const {
		Params<T> p(c->numbers);  // unused numbers are not loaded
		hold(p);
		return p;
	}
	template <class T> __device__ LBM_INLINE static void hold(Params<T>& p) {
		keep(p.omega), keep(p.omegaMinus), keep(p.force[0]), keep(p.force[1]), keep(p.force[2]);
#ifdef LBM_LAW
		keep(p.omegaBulk), keep(p.ownBulk), keep(p.lambda), keep(p.law[0]), keep(p.law[1]), keep(p.law[2]), keep(p.law[3]);
#endif
	}
	// carried returns the numbers of a scalar.
	template <class T> __device__ LBM_INLINE ScalarParams<T> carried() const {
		return ScalarParams<T>(c->numbers);  // unused numbers are not loaded
	}
	// eddies returns the eddy viscosities of interior row (y, z), for a model that reads neighbours.
	template <class T> __device__ LBM_INLINE T* eddies(int y, int z) const { return (T*)c->eddies + ((long long)z * layout.ny + y) * layout.pitch; }

	// wallMomentum returns the momentum sources, `numbers` values, of the moving walls of the cell whose word has this
	// index and is MOVING.
	template <class T> __device__ LBM_INLINE const T* wallMomentum(unsigned index, int numbers) const {
		return (const T*)c->wallMomentum + (long long)__ldg(c->sets + index) * numbers;
	}
};

}}  // namespace lbm
#endif
