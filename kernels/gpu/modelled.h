// Ghost cells behind surfaces with a wall model (../modelled.h) and the mixing lengths of the layer above them on a GPU, one
// thread each: compiled beside instance.h, with the same macros, for cases that have some.
#include "../modelled.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;

// ModelledCell holds the places of what a ghost cell reads: of first components, in the state.
struct ModelledCell { long long image[8], sample[8]; };
// LayerCell is a cell of the layer: its place in Case::eddies, its ghost cell and 3 l^2.
struct LayerCell {
	long long at;
	unsigned ghost;
	float length;
};
// Modelled holds boundary.Modelled in the memory of the device.
struct Modelled {
	const ModelledCell* cells;
	const Real* numbers;    // [cell][MODELLED_NUMBERS]
	const double* table;    // of the law of the wall
	Real* populations;      // [cell][direction], which special cells read
	Real* results;          // [cell][MODELLED_RESULTS]
	const LayerCell* layer;
};

struct ModelledOf {
	typedef Lattice L;
	typedef Stored<Value, Real, L, true> Store;

	__device__ static LBM_INLINE Moments<L, Real> read(const Value* LBM_RESTRICT p, int pitch) {
		return momentsAt<L, true, Real>([&](auto k) LBM_LAMBDA { return Store::template get<decltype(k)::value>(p[k.value * pitch]); });
	}

	__device__ static LBM_INLINE void fill(const Case* c, const Value* LBM_RESTRICT state, const Modelled& list, long long i) {
		const Box box(c, L::M);
		const Params<Real> p = box.params<Real>();
		const int pitch = box.layout.pitch;
		const ModelledCell* const cell = list.cells + i;
		const Real* const n = list.numbers + i * MODELLED_NUMBERS;
		ImagePoint<L, Real> image;
		Real sampled[3] = {};
		LBM_ROLLED for (int k = 0; k < 8; k++)
			if (const Real w = n[MODELLED_IMAGE + k]; w != Real(0)) image.add(w, read(state + cell->image[k], pitch), p);
		LBM_ROLLED for (int k = 0; k < 8; k++)
			if (const Real w = n[MODELLED_SAMPLE + k]; w != Real(0)) {
				const Moments<L, Real> m = read(state + cell->sample[k], pitch);  // of which the stress is not loaded
				for (int a = 0; a < L::D; a++) sampled[a] += w * ((m.j[a] - Real(0.5) * p.force[a]) / (Real(1) + m.r));
			}
		Real results[MODELLED_RESULTS];
		const Moments<L, Real> ghost = modelledGhost<L>(n, image, sampled, p, list.table, results);
		for (int a = 0; a < MODELLED_RESULTS; a++) list.results[i * MODELLED_RESULTS + a] = results[a];
		Real* const to = list.populations + i * L::Q;
		LBM_COLLISION::expand(ghost).each([&](auto d, const Real& f) LBM_LAMBDA { to[d.value] = f; });
	}

	// layer computes the eddies of a cell of the layer: as strong as the model of its ghost cell.
	__device__ static LBM_INLINE void layer(const Case* c, const Modelled& list, long long i) {
		const LayerCell cell = list.layer[i];
		const Real half = list.results[(long long)cell.ghost * MODELLED_RESULTS + MODELLED_RESULTS - 1];
		((Real*)c->eddies)[cell.at] = Real(cell.length) * turbulence(half);
	}
};

}}  // namespace lbm

// Computes the populations of count ghost cells.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_modelled(const lbm::Case* c, const lbm::Value* state, const lbm::Modelled* list, long long count) {
	const long long i = (long long)blockIdx.x * ROW + threadIdx.x;
	if (i < count) lbm::ModelledOf::fill(c, state, *list, i);
}
// Then computes Case::eddies of count cells of the layer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_layer(const lbm::Case* c, const lbm::Modelled* list, long long count) {
	const long long i = (long long)blockIdx.x * ROW + threadIdx.x;
	if (i < count) lbm::ModelledOf::layer(c, *list, i);
}
