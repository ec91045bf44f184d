// Eddies of cells whose viscosity follows from velocity gradients (../viscosity/wale.h), found from a state for the steps that
// come. Compiled beside instance.h, with the same macros, for laws that look at neighbours. As on the CPU
// (../cpu/eddies.h), what lies beyond a cell that is not fluid is left out.
//
// A block has a tile of rows and marches along z. Each cell's velocity is worked out once, by its thread, which keeps those of
// the planes before and behind in registers; neighbours in the plane find it in shared memory. The block's first threads
// have a cell of the ring around it besides.
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

	// Motion is a velocity, if there is a fluid cell.
	struct Motion { Real u[L::D]; bool there; };
	struct Tile { Real u[L::D][Y + 2][X + 2]; bool there[Y + 2][X + 2]; };

	// at is that of a cell of the box, or of one beside it.
	__device__ static LBM_INLINE Motion at(const Box& box, const Value* LBM_RESTRICT state, int x, int y, int z) {
		Motion m{};
		// Beyond the ends of rows there may be ghost cells elsewhere; the same on all devices is to leave them out.
		const bool beside = x >= -1 && x <= box.layout.nx && y >= -1 && y <= box.layout.ny && (box.c->periodic[0] || (x >= 0 && x < box.layout.nx));
		if (!beside || !box.inside(0, x) || !box.inside(1, y) || (L::D == 3 && !box.inside(2, z))) return m;
		const Value* const from = state + box.layout.at(x, y, z, 0);
		const int pitch = box.layout.pitch;
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
	__device__ static LBM_INLINE void put(Tile& tile, int x, int y, const Motion& m) {
		unroll<L::D>([&](auto a) LBM_LAMBDA { tile.u[a.value][y + 1][x + 1] = m.u[a.value]; });
		tile.there[y + 1][x + 1] = m.there;
	}
	__device__ static LBM_INLINE Motion get(const Tile& tile, int x, int y) {
		Motion m;
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.u[a.value] = tile.u[a.value][y + 1][x + 1]; });
		m.there = tile.there[y + 1][x + 1];
		return m;
	}
	// differ gives the derivatives along an axis.
	__device__ static LBM_INLINE void differ(const Motion& low, const Motion& here, const Motion& high, int axis, Real* g) {
		const Real factor = low.there && high.there ? Real(0.5) : Real(1);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const Real up = high.there ? high.u[a.value] : here.u[a.value], down = low.there ? low.u[a.value] : here.u[a.value];
			g[L::D * a.value + axis] = (up - down) * factor;
		});
	}

	__device__ static LBM_INLINE void find(const Case* c, const Value* LBM_RESTRICT state) {
		__shared__ Tile tiles[2];  // by turn
		const Box box(c, COMPONENTS);
		const Params<Real> params = box.params<Real>();
		const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * X, y0 = blockIdx.y * Y, x = x0 + tx, y = y0 + ty;
		const int z0 = blockIdx.z * DEPTH, z1 = z0 + DEPTH < box.layout.nz ? z0 + DEPTH : box.layout.nz;
		// The cell of the ring: rows before and behind the tile, then columns.
		const int k = ty * X + tx;
		const bool ring = k < RING;
		const int rx = k < 2 * X ? k % X : k % 2 ? X : -1, ry = k < 2 * X ? (k < X ? -1 : Y) : (k - 2 * X) / 2;
		Motion before{}, here = at(box, state, x, y, z0), after{};
		if (L::D == 3) before = at(box, state, x, y, z0 - 1);
		for (int z = z0; z < z1; z++) {
			Tile& tile = tiles[z % 2];
			put(tile, tx, ty, here);
			if (ring) put(tile, rx, ry, at(box, state, x0 + rx, y0 + ry, z));
			if (L::D == 3) after = at(box, state, x, y, z + 1);
			__syncthreads();
			if (x < box.layout.nx && y < box.layout.ny) {
				Real g[L::D * L::D];
				differ(get(tile, tx - 1, ty), here, get(tile, tx + 1, ty), 0, g);
				differ(get(tile, tx, ty - 1), here, get(tile, tx, ty + 1), 1, g);
				if constexpr (L::D == 3) differ(before, here, after, 2, g);
				box.eddies<Real>(y, z)[x] = LBM_LAW::eddies<L::D>(g, params);
			}
			before = here;
			here = after;
		}
	}
};

}}  // namespace lbm

extern "C" __global__ void __launch_bounds__(lbm::EddiesOf::X* lbm::EddiesOf::Y) lbm_eddies(const lbm::Case* c, const lbm::Value* state) { lbm::EddiesOf::find(c, state); }
// What the host must know to launch it: the cells of a block, along each axis; a thread has one of each plane.
extern "C" __constant__ int lbm_eddies_shape[3] = {lbm::EddiesOf::X, lbm::EddiesOf::Y, lbm::EddiesOf::DEPTH};
