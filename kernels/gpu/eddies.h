// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Eddy viscosity of cells from velocity gradients (../viscosity/wale.h), computed from a state for the next steps. Compiled
// beside instance.h, with the same macros, for laws that read neighbours. As on the CPU (../cpu/eddies.h), neighbours that
// are not fluid are excluded.
//
// A block has a tile of rows and marches along z. Each cell's velocity is computed once, by its thread, which keeps the
// velocities of the planes before and behind in registers; neighbours in the plane find it in shared memory. The block's first
// threads also have a cell of the ring around it.
#include "model.h"
#include "box.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;

struct EddiesOf {
	typedef Lattice L;
	static constexpr int COMPONENTS = LBM_MOMENTS ? L::M : L::Q;
	typedef Stored<Value, Real, L, LBM_MOMENTS> Store;
	static constexpr int X = 32, Y = 8, DEPTH = 16;  // of a tile; planes of a march
	static constexpr int RING = 2 * (X + Y);
	static_assert(RING <= X * Y, "a thread has one cell of the ring at most");

	// Motion is a velocity, and 1 if there is a fluid cell, otherwise 0: one access of shared memory.
	struct alignas(4 * sizeof(Real)) Motion { Real u[3], there; };

	// inside maps (x, y), of the box or beside it, to its stored place, and returns false without one.
	__device__ static LBM_INLINE bool inside(const Box& box, int& x, int& y) {
		// Ghost cells beyond the ends of rows may be stored elsewhere; all devices exclude them.
		const bool beside = x >= -1 && x <= box.layout.nx && y >= -1 && y <= box.layout.ny && (box.c->periodic[0] || (x >= 0 && x < box.layout.nx));
		return beside && box.inside(0, x) && box.inside(1, y);
	}
	// at returns the Motion of the cell whose numbers begin at from, if it is there.
	__device__ static LBM_INLINE Motion at(const Value* LBM_RESTRICT from, int pitch, bool there) {
		Motion m{};
		if (!there) return m;
		Real r;
		if constexpr (LBM_MOMENTS) {
			r = Store::template get<0>(from[0]);
			unroll<L::D>([&](auto a) LBM_LAMBDA { m.u[a.value] = Store::template get<1 + decltype(a)::value>(from[(1 + a.value) * pitch]); });
		} else {
			Real f[L::Q];
			unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = Store::template get<decltype(i)::value>(from[i.value * pitch]); });
			sumMoments<L>(f, r, m.u);
		}
		Real size = r * r;
		const Real inverse = reciprocal(Real(1) + r);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			size = size + m.u[a.value] * m.u[a.value];
			m.u[a.value] = m.u[a.value] * inverse;
		});
		m.there = size != Real(0);
		return m;
	}
	// differ computes the derivatives along an axis.
	__device__ static LBM_INLINE void differ(const Motion low, const Motion& here, const Motion high, int axis, Real* g) {
		const bool down = low.there != Real(0), up = high.there != Real(0);
		const Real factor = down && up ? Real(0.5) : Real(1);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const Real top = up ? high.u[a.value] : here.u[a.value], bottom = down ? low.u[a.value] : here.u[a.value];
			g[L::D * a.value + axis] = (top - bottom) * factor;
		});
	}

	__device__ static LBM_INLINE void find(const Case* c, const Value* LBM_RESTRICT state) {
		__shared__ Motion tiles[2][Y + 2][X + 2];  // alternately
		const Box box(c, COMPONENTS);
		const Params<Real> params = box.params<Real>();
		const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * X, y0 = blockIdx.y * Y, x = x0 + tx, y = y0 + ty;
		const int z0 = blockIdx.z * DEPTH, z1 = z0 + DEPTH < box.layout.nz ? z0 + DEPTH : box.layout.nz;
		// The cell of the ring: rows before and behind the tile, then columns.
		const int k = ty * X + tx;
		const int rx = k < 2 * X ? k % X : k % 2 ? X : -1, ry = k < 2 * X ? (k < X ? -1 : Y) : (k - 2 * X) / 2;
		int ownX = x, ownY = y, besideX = x0 + rx, besideY = y0 + ry;
		const bool there = inside(box, ownX, ownY), ring = k < RING, found = ring && inside(box, besideX, besideY);
		const int pitch = box.layout.pitch, nz = box.layout.nz;
		const Value* own = state + (there ? box.layout.at(ownX, ownY, z0, 0) : 0);
		const Value* beside = state + (found ? box.layout.at(besideX, besideY, z0, 0) : 0);
		const long long plane = box.layout.at(0, 0, 1, 0) - box.layout.at(0, 0, 0, 0);
		// along returns the Motion of the thread's cell in plane z, which may lie behind an end of the box, at from if planes
		// do not wrap.
		auto along = [&](const Value* from, int z) LBM_LAMBDA {
			const int wanted = z;
			const bool within = (z >= 0 && z < nz) || box.inside(2, z);
			return at(from + (z - wanted) * plane, pitch, there && within);
		};
		Motion before{}, here = at(own, pitch, there), after{}, edgeMotion = at(beside, pitch, found);
		if (L::D == 3) before = along(own - plane, z0 - 1);
		const bool mine = x < box.layout.nx && y < box.layout.ny;
		Real* out = box.eddies<Real>(mine ? y : 0, z0) + x;
		Motion* tile = tiles[0][ty + 1] + tx + 1;
		Motion* edge = tiles[0][ring ? ry + 1 : 0] + rx + 1;
		int other = (Y + 2) * (X + 2);
		for (int z = z0; z < z1; z++) {
			*tile = here;
			if (ring) *edge = edgeMotion;
			own += plane, beside += plane;
			if (L::D == 3) after = along(own, z + 1);
			edgeMotion = at(beside, pitch, found && z + 1 < z1);
			__syncthreads();
			if (mine) {
				Real g[L::D * L::D];
				differ(tile[-1], here, tile[1], 0, g);
				differ(tile[-X - 2], here, tile[X + 2], 1, g);
				if constexpr (L::D == 3) differ(before, here, after, 2, g);
				*out = LBM_LAW::eddies<L::D>(g, params);
			}
			out += (long long)box.layout.ny * pitch;
			tile += other, edge += other, other = -other;
			before = here;
			here = after;
		}
	}
};

}}  // namespace lbm

extern "C" __global__ void __launch_bounds__(lbm::EddiesOf::X* lbm::EddiesOf::Y) lbm_eddies(const lbm::Case* c, const lbm::Value* state) { lbm::EddiesOf::find(c, state); }
// Launch numbers for the host: the cells of a block, along each axis; a thread has one of each plane.
extern "C" __constant__ int lbm_eddies_shape[3] = {lbm::EddiesOf::X, lbm::EddiesOf::Y, lbm::EddiesOf::DEPTH};
