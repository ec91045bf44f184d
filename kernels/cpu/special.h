// The special cells of a box (../special.h) on the CPU. Scalar code: one instance serves
// all instruction sets.
#ifndef LBM_CPU_SPECIAL_H
#define LBM_CPU_SPECIAL_H
#include <math.h>
#include <string.h>
#include "../special.h"
#include "box.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, class C, bool MOMENTS, class S> struct SpecialOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;

	// At reads the neighbours of one cell after the other of a row.
	struct At {
		const S* row[3][3] = {};  // by d_z, d_y; null where there is only wall
		int x[3];                 // by d_x
		long pitch;
		int nx;
		bool wraps;

		At(const Box& box, const S* state, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), wraps(box.c->periodic[0]) {
			for (int d = L::D == 2 ? 0 : -1; d <= (L::D == 2 ? 0 : 1); d++)
				for (int b = -1; b <= 1; b++) row[d + 1][b + 1] = box.source(state, y + b, z + d);
		}
		void go(int at) {
			for (int d = -1; d <= 1; d++) {
				x[d + 1] = at + d;
				if (wraps && x[d + 1] < 0) x[d + 1] += nx;
				if (wraps && x[d + 1] >= nx) x[d + 1] -= nx;
			}
		}
		LBM_INLINE T any(int k, const int* d) const { return T(Values::get(row[d[2] + 1][d[1] + 1][k * pitch + x[d[0] + 1]], k)); }
		template <int K> LBM_INLINE T get(const int* d) const { return any(K, d); }
	};

	static void step(const lbm_case* c, const lbm_numbers* p, const lbm_links* links, const void* in, void* out, const lbm_range* r) {
		FlushTiny guard;
		const Box box(c);
		const Params<T> params = Params<T>(*p);
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++)
				each(box, links, (const S*)in, y, z, [&](const At& at, const lbm_link_cell& cell) {
					T v[COMPONENTS];
					SpecialCell<L, C, MOMENTS, T, At>(at, {cell.x, cell.row, cell.first, cell.links, cell.more}, links->list, (const T*)links->laws).step(params, v);
					S* to = (S*)out + box.layout.start(y, z) + cell.x;
					for (int k = 0; k < COMPONENTS; k++) to[k * (long)box.layout.pitch] = rounded(v[k], k);
				});
	}

	// rounded is what a step stores.
	static S rounded(T v, int k) {
		if constexpr (sizeof(S) == 2) {
			int bits;
			v *= Values::scale(k);
			memcpy(&bits, &v, 4);
			bits = dither<unsigned>(bits);
			memcpy(&v, &bits, 4);
			return narrow(v);
		} else {
			return v;
		}
	}

	static void forces(const lbm_case* c, const lbm_links* links, const void* state, const int32_t origin[3], int32_t y, int32_t z, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		each(box, links, (const S*)state, y, z, [&](const At& at, const lbm_link_cell& cell) {
			const double x[3] = {origin[0] + int(cell.x) + 0.5, origin[1] + y + 0.5, origin[2] + z + 0.5};
			SpecialCell<L, C, MOMENTS, T, At>(at, {cell.x, cell.row, cell.first, cell.links, cell.more}, links->list, (const T*)links->laws)
				.force(x, [&](unsigned k, const double* F, const double* M) {
					int64_t* to = sums + 6 * links->types[k];
					for (int a = 0; a < 3; a++) {
						to[a] += llrint(F[a] * FORCE_UNITS);
						to[3 + a] += llrint(M[a] * TORQUE_UNITS);
					}
				});
		});
	}

	// each visits the special cells of a row.
	template <class F> static void each(const Box& box, const lbm_links* links, const S* state, int y, int z, F visit) {
		const uint32_t* row = links->rows + (long)z * box.c->n[1] + y;
		if (row[0] == row[1]) return;
		At at(box, state, y, z);
		for (uint32_t k = row[0]; k < row[1]; k++) {
			at.go(links->cells[k].x);
			visit(at, links->cells[k]);
		}
	}
};

}}  // namespace lbm
#endif
