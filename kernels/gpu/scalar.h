// The scalar of a box (../scalar.h) on a GPU, one thread a cell: compiled beside
// instance.h, with the same macros, for cases that have one.
#include "../scalar.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

// ScalarWalls is what a box has of walls for a scalar, in the memory of the device.
struct ScalarWalls {
	const unsigned char* types;  // of the cells and one layer around
	const void* laws;            // of each type, 0 too: the law's number and its value, of LBM_REAL
	const ScalarLink* links;     // to walls that are measured
};

template <class L, bool MOMENTS, class T> struct ScalarOf {
	typedef ScalarLattice<L> G;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;

	// At reads the neighbours of one cell.
	struct At {
		const Box& box;
		const T* state;
		const unsigned char* types;
		int x, y, z;

		__device__ LBM_INLINE T any(int k, const int* d) const {
			int at[3] = {x + d[0], y + d[1], z + d[2]};
			if (box.c->periodic[0]) at[0] = at[0] < 0 ? at[0] + box.layout.nx : at[0] >= box.layout.nx ? at[0] - box.layout.nx : at[0];
			box.inside(1, at[1]);
			if (L::D == 3) box.inside(2, at[2]);
			return state[box.layout.at(at[0], at[1], at[2], k)];
		}
		__device__ LBM_INLINE int type(const int* d) const {
			return types[((long long)(z + d[2] + 1) * (box.layout.ny + 2) + y + d[1] + 1) * (box.layout.nx + 2) + x + d[0] + 1];
		}
	};
	typedef ScalarCell<L, MOMENTS, T, At> Cell;

	__device__ static LBM_INLINE void step(const Case* c, const T* LBM_RESTRICT in, T* LBM_RESTRICT out, const ScalarWalls* walls, int ylo, int zlo) {
		const Box box(c, FIRST);
		const int x = blockIdx.x * ROW + threadIdx.x, y = ylo + blockIdx.y, z = zlo + blockIdx.z, here[3] = {0, 0, 0};
		if (x >= box.layout.nx) return;
		const At at{box, in, walls->types, x, y, z};
		if (at.type(here)) return;
		const ScalarParams<T> p{T(c->numbers.scalarPlus), T(c->numbers.scalarMinus), {T(c->numbers.force[0]), T(c->numbers.force[1]), T(c->numbers.force[2])},
		                        {T(c->numbers.buoyancy[0]), T(c->numbers.buoyancy[1]), T(c->numbers.buoyancy[2])}};
		T* const to = out + box.layout.at(x, y, z, 0);
		if (c->numbers.buoyancy[0] != 0 || c->numbers.buoyancy[1] != 0 || c->numbers.buoyancy[2] != 0) steps<true>(box, at, walls, p, to);
		else steps<false>(box, at, walls, p, to);
	}

	template <bool FORCE> __device__ static LBM_INLINE void steps(const Box& box, const At& at, const ScalarWalls* walls, const ScalarParams<T>& p, T* to) {
		constexpr int NEED = MOMENTS && !FORCE ? 1 + L::D : FIRST, KEPT = MOMENTS ? 1 : 0;  // a force brings no mass
		const int pitch = box.layout.pitch;
		T v[FIRST], g[G::Q];
		unroll<NEED>([&](auto k) LBM_LAMBDA { v[k.value] = to[k.value * pitch]; });
		Cell{at, (const T*)walls->laws}.template step<FORCE>(p, v, g);
		if constexpr (FORCE) unroll<FIRST - KEPT>([&](auto k) LBM_LAMBDA { to[(KEPT + k.value) * pitch] = v[KEPT + k.value]; });
		unroll<G::Q>([&](auto k) LBM_LAMBDA { to[(FIRST + k.value) * pitch] = g[k.value]; });
	}

	// lost adds what leaves through measured walls in the coming step to sums, by type.
	__device__ static LBM_INLINE void lost(const Case* c, const T* LBM_RESTRICT state, const ScalarWalls* walls, unsigned long long* sums, long long count) {
		const long long k = (long long)blockIdx.x * ROW + threadIdx.x;
		if (k >= count) return;
		const Box box(c, FIRST);
		const ScalarLink l = walls->links[k];
		const At at{box, state, walls->types, int(l.x), int(l.row % box.layout.ny), int(l.row / box.layout.ny)};
		const int here[3] = {0, 0, 0};
		const T back = at.any(FIRST + G::opposite(l.direction), here);
		const T in = Cell{at, (const T*)walls->laws}.link(l.direction, l.type, back);
		atomicAdd(sums + l.type - 1, (unsigned long long)__double2ll_rn((double(back) - double(in)) * SCALAR_UNITS));
	}
};
typedef LBM_REAL ScalarValue;
typedef ScalarOf<Lattice, LBM_MOMENTS, ScalarValue> Carried;

}}  // namespace lbm

// The cells of so many rows (grid y) and planes (grid z) from ylo and zlo on.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_scalar(const lbm::Case* c, const lbm::ScalarValue* in, lbm::ScalarValue* out, const lbm::ScalarWalls* walls, long long ylo, long long zlo) {
	lbm::Carried::step(c, in, out, walls, int(ylo), int(zlo));
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_lost(const lbm::Case* c, const lbm::ScalarValue* state, const lbm::ScalarWalls* walls, unsigned long long* sums, long long count) {
	lbm::Carried::lost(c, state, walls, sums, count);
}
