// The scalar of a box (../scalar.h) on the CPU: one instance serves all instruction sets.
#ifndef LBM_CPU_SCALAR_H
#define LBM_CPU_SCALAR_H
#include <math.h>
#include "../scalar.h"
#include "box.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class T> struct ScalarOf {
	typedef ScalarLattice<L> G;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;

	// At reads the neighbours of one cell after the other of a row.
	struct At {
		const T* row[3][3] = {};         // by d_z, d_y; null where there is only wall
		const uint8_t* types[3][3] = {};  // of the cells of these rows
		int x[3];                        // by d_x
		int here;
		long pitch;
		int nx;
		bool wraps;

		At(const Box& box, const T* state, const uint8_t* of, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), wraps(box.c->periodic[0]) {
			const int depth = L::D == 2 ? 0 : 1;
			for (int d = -depth; d <= depth; d++)
				for (int b = -1; b <= 1; b++) {
					row[d + 1][b + 1] = box.source(state, y + b, z + d);
					types[d + 1][b + 1] = of + ((long)(z + d + 1) * (box.layout.ny + 2) + y + b + 1) * (nx + 2) + 1;
				}
		}
		void go(int at) {
			here = at;
			for (int d = -1; d <= 1; d++) {
				x[d + 1] = at + d;
				if (wraps && x[d + 1] < 0) x[d + 1] += nx;
				if (wraps && x[d + 1] >= nx) x[d + 1] -= nx;
			}
		}
		LBM_INLINE T any(int k, const int* d) const { return row[d[2] + 1][d[1] + 1][k * pitch + x[d[0] + 1]]; }
		LBM_INLINE int type(const int* d) const { return types[d[2] + 1][d[1] + 1][here + d[0]]; }
	};
	typedef ScalarCell<L, MOMENTS, T, At> Cell;

	// Inside is a cell amid fluid, away from the ends of the row: nothing is looked up, so
	// that the compiler makes vectors of its loop.
	struct Inside {
		const T* const* row;  // by 3 d_z + d_y, from the middle on
		long pitch;
		int x;

		LBM_INLINE T any(int k, const int* d) const { return row[3 * d[2] + d[1]][k * pitch + x + d[0]]; }
		LBM_INLINE static int type(const int*) { return 0; }
	};

	static constexpr int CHUNK = 256;
	// lookAround tells of cells from x on, less than CHUNK, which have none but fluid around.
	static void lookAround(const At& at, int x, int end, uint8_t* special) {
		const uint8_t *here = at.types[1][1], *low = at.types[1][0], *high = at.types[1][2];
		const uint8_t *below = L::D == 3 ? at.types[0][1] : here, *above = L::D == 3 ? at.types[2][1] : here;
		for (int k = x; k < end; k++) special[k - x] = here[k] | here[k - 1] | here[k + 1] | low[k] | high[k] | below[k] | above[k];
		if (x == 0) special[0] = 1;
		if (end == at.nx) special[end - 1 - x] = 1;
	}

	static void step(const lbm_case* c, const lbm_numbers* p, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range* r) {
		const ScalarParams<T> n = {T(p->scalarPlus), T(p->scalarMinus), {T(p->force[0]), T(p->force[1]), T(p->force[2])},
		                           {T(p->buoyancy[0]), T(p->buoyancy[1]), T(p->buoyancy[2])}};
		if (p->buoyancy[0] != 0 || p->buoyancy[1] != 0 || p->buoyancy[2] != 0) steps<true>(c, n, walls, (const T*)in, (T*)out, r);
		else steps<false>(c, n, walls, (const T*)in, (T*)out, r);
	}

	template <bool FORCE> static void steps(const lbm_case* c, const ScalarParams<T>& p, const lbm_scalar_walls* walls, const T* in, T* out, const lbm_range* r) {
		FlushTiny guard;
		const Box box(c);
		const long pitch = box.layout.pitch;
		const int here[3] = {0, 0, 0};
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++) {
				At at(box, in, walls->types, y, z);
				T* const row = out + box.layout.start(y, z);
				for (int x = r->lo[0]; x < r->hi[0]; x += CHUNK) {
					const int end = x + CHUNK < r->hi[0] ? x + CHUNK : r->hi[0];
					uint8_t special[CHUNK];
					lookAround(at, x, end, special);
					for (int k = x; k < end;) {
						if (special[k - x]) {
							at.go(k);
							if (!at.type(here)) cell<FORCE>(p, at, (const T*)walls->laws, row + k, pitch);
							k++;
							continue;
						}
						const int first = k;
						while (k < end && !special[k - x]) k++;
						inside<FORCE>(p, at, first, k, row, pitch);
					}
				}
			}
	}

	// inside takes cells from first to end, amid fluid.
	template <bool FORCE> static void inside(const ScalarParams<T>& params, const At& at, int first, int end, T* row, long pitch) {
		const ScalarParams<T> p = params;  // a copy that no store can change
		const T* const rows[9] = {at.row[0][0], at.row[0][1], at.row[0][2], at.row[1][0], at.row[1][1], at.row[1][2], at.row[2][0], at.row[2][1], at.row[2][2]};
#pragma GCC ivdep
		for (int x = first; x < end; x++) cell<FORCE>(p, Inside{rows + 4, pitch, x}, nullptr, row + x, pitch);
	}

	// cell computes one whose values are at to.
	template <bool FORCE, class AT> LBM_INLINE static void cell(const ScalarParams<T>& p, const AT& at, const T* laws, T* to, long pitch) {
		constexpr int NEED = MOMENTS && !FORCE ? 1 + L::D : FIRST, KEPT = MOMENTS ? 1 : 0;  // a force brings no mass
		T v[FIRST], g[G::Q];
		unroll<NEED>([&](auto k) LBM_LAMBDA { v[k.value] = to[k.value * pitch]; });
		ScalarCell<L, MOMENTS, T, AT>{at, laws}.template step<FORCE>(p, v, g);
		if constexpr (FORCE) unroll<FIRST - KEPT>([&](auto k) LBM_LAMBDA { to[(KEPT + k.value) * pitch] = v[KEPT + k.value]; });
		unroll<G::Q>([&](auto k) LBM_LAMBDA { to[(FIRST + k.value) * pitch] = g[k.value]; });
	}

	// lost adds what leaves through measured walls in the coming step to sums, by type.
	static void lost(const lbm_case* c, const lbm_scalar_walls* walls, const void* state, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		const int here[3] = {0, 0, 0};
		for (int64_t k = 0; k < walls->count; k++) {
			const lbm_scalar_link l = walls->links[k];
			At at(box, (const T*)state, walls->types, l.row % box.layout.ny, l.row / box.layout.ny);
			at.go(l.x);
			const T back = at.any(FIRST + G::opposite(l.direction), here);
			const T in = Cell{at, (const T*)walls->laws}.link(l.direction, l.type, back);
			sums[l.type - 1] += llrint((double(back) - double(in)) * SCALAR_UNITS);
		}
	}
};

}}  // namespace lbm
#endif
