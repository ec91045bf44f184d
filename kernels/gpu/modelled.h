// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Ghost cells behind surfaces with a wall model (../modelled.h) and the eddy viscosity of the layer above them on a
// GPU: compiled beside instance.h, with the same macros, for cases with such walls.
#include "../modelled.h"
#include "../special.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;

// ModelledCell holds the places in the state, of first components, that a ghost cell reads, and its type.
struct ModelledCell { long long image[8], sample[8], type; };
// JoinedLink leads from a ghost cell along a direction into a fluid cell, at the place of its first component.
struct JoinedLink {
	long long to;
	double area;
	unsigned ghost, direction;
};
// LayerCell is a cell of the layer: its place in Case::eddies, its ghost cell and 3 nu_t / u_tau.
struct LayerCell {
	long long at;
	unsigned ghost;
	float length;
};
// Gathered is a cell that another rank reads, and its place behind the state: of first components.
struct Gathered { long long from, to; };
// Modelled holds boundary.Modelled in the memory of the device.
struct Modelled {
	const ModelledCell* cells;
	const Real* numbers;    // [cell][MODELLED_NUMBERS]
	const double* table;    // of the law of the wall, then of Kader's law
	Real* populations;      // [cell][direction], which special cells read
	Real* results;          // [cell][MODELLED_RESULTS]
	const Real* tuning;     // [type][TUNING_NUMBERS]
	const LayerCell* layer;
	const JoinedLink* links;
	Real* heat;             // [cell] flux of a scalar into the fluid; null: there is no scalar
};

struct ModelledOf {
	typedef Lattice L;
	typedef Stored<Value, Real, L, true> Store;

	// A ghost cell has LANES threads, one for each cell that it interpolates between: most of the time is latency of dependent
	// loads. Sums over the threads are added in a fixed order.
	static constexpr int LANES = 8, CELLS = ROW / LANES;
	__device__ static LBM_INLINE Real together(Real v) {
		for (int other = 1; other < LANES; other *= 2) v = v + __shfl_xor_sync(~0u, v, other);
		return v;
	}

	__device__ static LBM_INLINE Moments<L, Real> read(const Value* LBM_RESTRICT p, int pitch) {
		return momentsAt<L, true, Real>([&](auto k) LBM_LAMBDA { return Store::template get<decltype(k)::value>(p[k.value * pitch]); });
	}

	__device__ static LBM_INLINE void fill(const Case* c, const Value* LBM_RESTRICT state, const Modelled& list, long long first, long long last) {
		const Box box(c, L::M);
		const Params<Real> p = box.params<Real>();
		const int pitch = box.layout.pitch, lane = threadIdx.x % LANES;
		const long long at = first + (long long)blockIdx.x * CELLS + threadIdx.x / LANES, i = at < last ? at : last - 1;
		const ModelledCell& cell = list.cells[i];
		const Real* const n = list.numbers + i * MODELLED_NUMBERS;
		ImagePoint<L, Real> image;
		Real sampled[L::D] = {};
		if (const Real w = n[MODELLED_IMAGE + lane]; w != Real(0)) image.add(w, read(state + cell.image[lane], pitch), p);
		if (const Real w = n[MODELLED_SAMPLE + lane]; w != Real(0)) {
			const Moments<L, Real> m = read(state + cell.sample[lane], pitch);  // of which the stress is not loaded
			for (int a = 0; a < L::D; a++) sampled[a] = w * ((m.j[a] - Real(0.5) * p.force[a]) / (Real(1) + m.r));
		}
#if LBM_EXTRA
		auto warm = [&](const long long* cells, int weights) LBM_LAMBDA {
			const Real w = n[weights + lane];
			return together(w != Real(0) ? w * Store::template get<L::M>(state[cells[lane] + (long long)L::M * pitch]) : Real(0));
		};
		const Real near = warm(cell.image, MODELLED_IMAGE), far = warm(cell.sample, MODELLED_SAMPLE);
#endif
		image.r = together(image.r);
		for (int a = 0; a < L::D; a++) image.u[a] = together(image.u[a]), sampled[a] = together(sampled[a]);
		for (int k = 0; k < L::D * (L::D + 1) / 2; k++) image.pi[k] = together(image.pi[k]);
		Real results[MODELLED_RESULTS];
		const Moments<L, Real> ghost = modelledGhost<L>(n, image, sampled, p, list.tuning + TUNING_NUMBERS * (cell.type - 1), list.table, results);
		if (at >= last) return;
		for (int a = 0; a < MODELLED_RESULTS; a++)
			if (lane == a) list.results[i * MODELLED_RESULTS + a] = results[a];
#if LBM_EXTRA
		if (lane == 0) list.heat[i] = modelledHeat<L>(n, Real(1) + image.r, near, far, p, box.carried<Real>(), list.table + PLUS_COUNT, results);
#endif
		Real* const to = list.populations + i * L::Q;
		LBM_COLLISION::expand(ghost).each([&](auto d, const Real& f) LBM_LAMBDA {
			if (lane == d.value % LANES) to[d.value] = f;
		});
	}

	// momentum adds link i to the sums of its wall, [type][WALL_SUMS]. A warp whose links belong to one wall adds once. Sums are
	// integers, so the order does not matter.
	__device__ static LBM_INLINE void momentum(const Case* c, const Value* LBM_RESTRICT state, const Modelled& list, unsigned long long* sums, long long i, long long count) {
		long long mine[WALL_SUMS] = {};
		const JoinedLink link = list.links[i < count ? i : count - 1];
		const int type = int(list.cells[link.ghost].type) - 1;
		if (i < count) {
			const int pitch = Box(c, L::M).layout.pitch;
			const Real* const sent = list.populations + (long long)link.ghost * L::Q;
			const Moments<L, Real> fluid = read(state + link.to, pitch);
			const Real out = LBM_COLLISION::expand(fluid).any(L::opposite(link.direction));
			double density = 0;
			for (int d = 0; d < L::Q; d++) density += double(sent[d]);
			linkMomentum<L>(link.direction, list.results + (long long)link.ghost * MODELLED_RESULTS, link.area, sent[link.direction], out, density + double(fluid.r),
				[&](int k, double v) LBM_LAMBDA { mine[k] += __double2ll_rn(v * FORCE_UNITS); });
		}
		const bool alone = __any_sync(~0u, type != __shfl_sync(~0u, type, 0));
		for (int k = 0; k < WALL_SUMS; k++) {
			if (!alone)
				for (int other = 1; other < 32; other *= 2) mine[k] += __shfl_xor_sync(~0u, mine[k], other);
			if ((alone || threadIdx.x % 32 == 0) && mine[k] != 0) atomicAdd(sums + type * WALL_SUMS + k, (unsigned long long)mine[k]);
		}
	}

	// layer computes the eddy viscosity of a cell of the layer, also where the law of the box has set one.
	__device__ static LBM_INLINE void layer(const Case* c, const Modelled& list, long long i) {
		const LayerCell cell = list.layer[i];
		const Real* const results = list.results + (long long)cell.ghost * MODELLED_RESULTS;
		((Real*)c->eddies)[cell.at] = layerEddies(Real(cell.length), results[L::D], results[L::D + 2], Box(c, L::M).params<Real>());
	}
};

}}  // namespace lbm

// Computes the populations of ghost cells first to last.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_modelled(const lbm::Case* c, const lbm::Value* state, const lbm::Modelled* list, long long first, long long last) {
	lbm::ModelledOf::fill(c, state, *list, first, last);
}
// Then computes Case::eddies of cells first to last of the layer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_layer(const lbm::Case* c, const lbm::Modelled* list, long long first, long long last) {
	const long long i = first + (long long)blockIdx.x * ROW + threadIdx.x;
	if (i < last) lbm::ModelledOf::layer(c, *list, i);
}
// Adds up the links of ghost cells that lbm_modelled has filled from the state.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_momentum(const lbm::Case* c, const lbm::Value* state, const lbm::Modelled* list, unsigned long long* sums, long long count) {
	lbm::ModelledOf::momentum(c, state, *list, sums, (long long)blockIdx.x * ROW + threadIdx.x, count);
}
// Copies count cells of a state to their places behind it, one thread per component.
extern "C" __global__ void __launch_bounds__(ROW) lbm_gather(lbm::Value* state, const lbm::Gathered* cells, long long count, long long components, long long pitch) {
	const long long i = (long long)blockIdx.x * ROW + threadIdx.x, k = i % components;
	if (i >= count * components) return;
	const lbm::Gathered cell = cells[i / components];
	state[cell.to + k * pitch] = state[cell.from + k * pitch];
}
