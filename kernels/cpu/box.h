// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Box: the view of one lbm_case that the loops use: rows of the state, the surroundings of the box, and the walls of a row.
#ifndef LBM_BOX_H
#define LBM_BOX_H
#include "../layout.h"
#include "../params.h"
#include "api.h"
#include "lanes.h"
#include "memory.h"

namespace lbm { namespace {

struct Box {
	Layout layout;
	const lbm_case* c;

	explicit Box(const lbm_case* c) : layout{c->n[0], c->n[1], c->n[2], c->ghost[1], c->ghost[2], c->components, c->pitch}, c(c) {}

	// inside maps coordinate k of an axis to its stored place. An axis with ghosts stores its outside; one without wraps if it
	// is periodic; otherwise there is only wall outside: false.
	bool inside(int axis, int& k) const {
		if (c->ghost[axis] > 0 || (k >= 0 && k < c->n[axis])) return true;
		k = k < 0 ? k + c->n[axis] : k - c->n[axis];
		return c->periodic[axis];
	}
	// stored returns the number of row (y, z) among the stored ones, or -1 if there is only wall.
	long stored(int y, int z) const { return inside(1, y) && inside(2, z) ? layout.row(y, z) : -1; }
	// end returns the place of the first component of the ghost cell beyond an end of a stored row; side 0: x = -1, 1: x = nx.
	// The others are LBM_BLOCK apart: a block of rows is vectors of its ends and one run of memory.
	template <class T> T* end(int side, long number, int components) const { return (T*)c->ends + ofBlock(side, number, components); }
	// kept returns the place of the cell that a step has stored, 0 or 1 cells from the end.
	template <class T> T* kept(int side, int cells, long number, int components) const { return (T*)c->kept + ofBlock(2 * side + cells, number, components); }
	long ofBlock(int list, long number, int components) const {
		const long blocks = (rows() + LBM_BLOCK - 1) / LBM_BLOCK;
		return (list * blocks + number / LBM_BLOCK) * components * LBM_BLOCK + number % LBM_BLOCK;
	}
	// rows returns the number of stored rows.
	long rows() const { return (long)(layout.ny + 2 * layout.gy) * (layout.nz + 2 * layout.gz); }
	// place returns the index of an end of a stored row in lists that have all of them.
	long place(int side, long number) const { return side * rows() + number; }
	const lbm_row_end& rowEnd(int side, long number) const { return c->rowEnds[place(side, number)]; }
	// row returns the row with a number, source row (y, z). Null if there is only wall.
	template <class T> const T* row(const T* state, long number) const { return number < 0 ? nullptr : state + number * layout.components * layout.pitch; }
	template <class T> const T* source(const T* state, int y, int z) const { return row(state, stored(y, z)); }
};

// RowOf<S> is an lbm_row of a state of S.
template <class S> struct RowOf {
	static constexpr int LINE = 64 / sizeof(S);
	S* to;
	long jump, pitch;

	explicit RowOf(const lbm_row& r) : to((S*)r.to), jump(r.jump), pitch(r.pitch) {}
	// at returns the place of the first component of cell x.
	LBM_INLINE S* at(unsigned x) const { return to + x / LINE * jump + x % LINE; }
};

// Walls walks along the sparse blocks of one row, in rising x.
struct Walls {
	const lbm_block *next, *end;
	const lbm_pattern* patterns;

	Walls(const lbm_case* c, int y, int z, int x0) : patterns(c->patterns) {
		const uint32_t* row = c->rows + (long long)z * c->n[1] + y;
		next = c->blocks + row[0];
		end = c->blocks + row[1];
		while (next < end && next->block < (uint32_t)(x0 / LBM_BLOCK)) next++;
	}
	// at returns the pattern of the block of cell x, null for plain fluid.
	LBM_INLINE const lbm_pattern* at(int x) {
		if (next < end && next->block < (uint32_t)(x / LBM_BLOCK)) next++;
		return next < end && next->block == (uint32_t)(x / LBM_BLOCK) ? patterns + next->pattern : nullptr;
	}
};

// fetchWalls prefetches the old values that the walls of row (y, z) will need: they are out of the caches by then, and waiting
// for them would cost more than all the arithmetic of the row. DIRECTIONS: component i belongs to direction i, and only the
// reversed links are needed. Blocks that skip(pattern, x) need nothing.
template <bool DIRECTIONS, int COMPONENTS, class T, class Skip> void fetchWalls(const Box& box, const T* state, int y, int z, int x0, int x1, Skip skip) {
	const T* row = state + box.layout.start(y, z);
	for (Walls walls(box.c, y, z, x0); walls.next < walls.end; walls.next++) {
		int x = walls.next->block * LBM_BLOCK;
		if (x >= x1) return;
		const lbm_pattern* pattern = walls.patterns + walls.next->pattern;
		const unsigned links = pattern->links;
		if (!links || skip(pattern, x)) continue;
		for (int k = 0; k < COMPONENTS; k++) {
			if (DIRECTIONS && !(links >> (COMPONENTS - 1 - k) & 1)) continue;
			const char* line = (const char*)(row + (long)k * box.layout.pitch + x);
			__builtin_prefetch(line);
			if (sizeof(T) * LBM_BLOCK > 64) __builtin_prefetch(line + 64);
		}
	}
}

// loadNear returns component c of the cells from x on of a row; cells beyond its ends are zeros.
template <class Values, class S> LBM_INLINE typename Values::R loadNear(const S* row, int pitch, int x, int c) {
	constexpr int W = sizeof(typename Values::R) / sizeof(typename Arithmetic<S>::T);
	if (__builtin_expect(x >= 0 && x + W <= pitch, 1)) return Values::loadAny(row + x, c);
	alignas(64) S own[W] = {};
	for (int k = 0; k < W; k++)
		if (x + k >= 0 && x + k < pitch) own[k] = row[x + k];
	return Values::load(own, c);
}

// countBelow returns the number of bits of set below bit i.
LBM_INLINE int countBelow(unsigned set, int i) { return __builtin_popcount(set & ((1u << i) - 1)); }

// wallMomentumOf returns the momentum sources of direction i of a pattern, for the cells from x on.
template <class T> LBM_INLINE const T* wallMomentumOf(const Box& box, const lbm_pattern* p, int i, int x) {
	return (const T*)box.c->wallMomentum + p->wallMomentum + countBelow(p->moving, i) * LBM_BLOCK + x % LBM_BLOCK;
}

// fromWall returns the population that comes out of walls along direction i when back has gone in. Curved walls take a share of
// mine, the population that leaves the other way, or of next(), the one that comes to the cell from the cell beyond.
template <class T, class R, class Next> LBM_INLINE R fromWall(const Box& box, const lbm_pattern* p, int i, int x, const R& back, const R& mine, Next next) {
	R f = back;
	if (p->curved >> i & 1) {
		const R zero{}, share = loadAny((const T*)box.c->wallMomentum + p->wallMomentum + (__builtin_popcount(p->moving) + countBelow(p->curved, i)) * LBM_BLOCK + x % LBM_BLOCK);
		f = f + select(share > zero, share * (mine - back), zero);
		if (p->beyond >> i & 1) f = f + select(share < zero, share * (back - next()), zero);
	}
	if (p->moving >> i & 1) f = f + loadAny(wallMomentumOf<T>(box, p, i, x));
	return f;
}

}}  // namespace lbm
#endif
