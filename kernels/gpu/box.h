// Box: one Case as a thread sees it: where rows lie, what lies outside of the box,
// and the walls of a cell.
#ifndef LBM_GPU_BOX_H
#define LBM_GPU_BOX_H
#include "../layout.h"
#include "../params.h"
#include "api.h"
#include "storage.h"

namespace lbm { namespace {

struct Box {
	const Case* c;
	Layout layout;

	__device__ LBM_INLINE Box(const Case* c, int components)
		: c(c), layout{c->n[0], c->n[1], c->n[2], c->ghost[1], c->ghost[2], components, c->pitch} {}

	// inside maps coordinate k, at most one cell out of the box, to where it is
	// stored: outside, an axis with ghosts stores it, a periodic one wraps, and
	// else there is nothing but wall: false.
	__device__ LBM_INLINE bool inside(int axis, int& k) const {
		int n = c->n[axis];
		if (c->ghost[axis] > 0 || (k >= 0 && k < n)) return true;
		k = k < 0 ? k + n : k - n;
		return c->periodic[axis];
	}

	// word of the interior cell (x, y, z): its walls as api.h says, 0 for plain fluid.
	__device__ LBM_INLINE unsigned word(int x, int y, int z) const {
		const Block b = c->blocks[((long long)z * layout.ny + y) * (layout.pitch / 32) + x / 32];
		const unsigned bit = 1u << (x % 32);
		return b.mask & bit ? c->words[b.first + __popc(b.mask & (bit - 1))] : 0;
	}

	template <class T> __device__ LBM_INLINE Params<T> params() const {
		return {T(c->omega), T(c->omegaMinus), {T(c->force[0]), T(c->force[1]), T(c->force[2])}};
	}
	// kicks of the moving walls of a cell with this word, null if all are at rest.
	template <class T> __device__ LBM_INLINE const T* kicks(unsigned word, int q) const {
		const unsigned set = word >> KICK_SHIFT & KICK_MASK;
		return set ? (const T*)c->kicks + set * q : nullptr;
	}
};

__device__ LBM_INLINE bool solid(unsigned word) { return word >> SOLID; }

}}  // namespace lbm
#endif
