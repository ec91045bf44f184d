// Eddies of cells whose viscosity follows from velocity gradients (../viscosity/wale.h), found from a state for the steps that
// come. Compiled beside instance.h, with the same macros, for laws that look at neighbours. As on the CPU
// (../cpu/eddies.h), what lies beyond a cell that is not fluid is left out.
#include "model.h"
#include "box.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;

struct EddiesOf {
	typedef Lattice L;
	static constexpr int COMPONENTS = LBM_MOMENTS ? L::M : L::Q;
	typedef Stored<Value, Real, L, LBM_MOMENTS> Store;

	// velocity of the stored cell at from; false: it is not fluid.
	__device__ static LBM_INLINE bool velocity(const Value* LBM_RESTRICT from, int pitch, Real* u) {
		Real r, size;
		if constexpr (LBM_MOMENTS) {
			r = Store::template get<0>(from[0]);
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = Store::template get<1 + decltype(a)::value>(from[(1 + a.value) * pitch]); });
		} else {
			Real f[L::Q];
			unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = Store::template get<decltype(i)::value>(from[i.value * pitch]); });
			sumMoments<L>(f, r, u);
		}
		size = r * r;
		const Real inverse = reciprocal(Real(1) + r);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			size = size + u[a.value] * u[a.value];
			u[a.value] = u[a.value] * inverse;
		});
		return size != Real(0);
	}

	__device__ static LBM_INLINE void find(const Case* c, const Value* LBM_RESTRICT state) {
		const Box box(c, COMPONENTS);
		const int x = blockIdx.x * ROW + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
		if (x >= box.layout.nx) return;
		Real u[L::D], g[L::D * L::D];
		velocity(state + box.layout.at(x, y, z, 0), box.layout.pitch, u);
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int AXIS = decltype(b)::value;
			Real sides[2][L::D];
			bool there[2];
			unroll<2>([&](auto side) LBM_LAMBDA {
				int at[3] = {x, y, z};
				at[AXIS] += side.value ? 1 : -1;
				// Beyond the ends of rows there may be ghost cells elsewhere; the same on all devices is to leave them out.
				there[side.value] = AXIS == 0 ? box.c->periodic[0] || (at[0] >= 0 && at[0] < box.layout.nx) : true;
				if (there[side.value]) there[side.value] = box.inside(AXIS, at[AXIS]);
				if (there[side.value]) there[side.value] = velocity(state + box.layout.at(at[0], at[1], at[2], 0), box.layout.pitch, sides[side.value]);
			});
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				const Real up = there[1] ? sides[1][a.value] : u[a.value], down = there[0] ? sides[0][a.value] : u[a.value];
				g[L::D * a.value + AXIS] = (up - down) * (there[0] && there[1] ? Real(0.5) : Real(1));
			});
		});
		box.eddies<Real>(y, z)[x] = LBM_LAW::eddies<L::D>(g, box.params<Real>());
	}
};

}}  // namespace lbm

// Blocks of ROW threads: (tiles of a row, rows, planes).
extern "C" __global__ void __launch_bounds__(ROW) lbm_eddies(const lbm::Case* c, const lbm::Value* state) { lbm::EddiesOf::find(c, state); }
