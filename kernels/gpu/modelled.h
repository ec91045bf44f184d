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

// A stencil has the places of CORNERS cells: the unused ones are of a used one.
constexpr int CORNERS = 8;
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
	long long count;
	const long long* places;  // in the state, of first components, that a ghost cell reads: [CORNERS of the image, CORNERS of the sample][cell]
	const unsigned* types;
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

	__device__ static LBM_INLINE Moments<L, Real> read(const Value* LBM_RESTRICT p, int pitch) {
		return momentsAt<L, true, Real>([&](auto k) LBM_LAMBDA { return Store::template get<decltype(k)::value>(p[k.value * pitch]); });
	}

	// fill has a thread per ghost cell, so that neighbours along x read neighbouring cells; its numbers and populations pass through
	// shared memory, where a warp loads and stores them in the order of the lists. Most of the time is latency, so the loads of
	// TOGETHER cells start before the first is used.
	__device__ static LBM_INLINE void fill(const Case* c, const Value* LBM_RESTRICT state, const Modelled& given, long long first, long long last) {
		static_assert(MODELLED_NUMBERS >= L::Q + MODELLED_RESULTS, "what a cell gets takes the place of its numbers");
		__shared__ Real shared[ROW * MODELLED_NUMBERS];
		const int lane = threadIdx.x % 32;
		const long long from = first + (long long)blockIdx.x * ROW + threadIdx.x - lane;
		if (from >= last) return;
		const Modelled list = given;  // addresses that no store changes
		const int cells = last - from < 32 ? int(last - from) : 32;
		const long long i = from + (lane < cells ? lane : cells - 1);
		Real* const own = shared + (threadIdx.x - lane) * MODELLED_NUMBERS;
		const Real* const n = own + int(i - from) * MODELLED_NUMBERS;
		const unsigned type = __ldg(list.types + i);
		load<MODELLED_NUMBERS>(list.numbers + from * MODELLED_NUMBERS + lane, 32, cells * MODELLED_NUMBERS - lane, [&](auto k, Real v) LBM_LAMBDA { own[k.value * 32 + lane] = v; });
		Real tuning[TUNING_NUMBERS];
		load<TUNING_NUMBERS>(list.tuning + TUNING_NUMBERS * (type - 1), 1, TUNING_NUMBERS, [&](auto k, Real v) LBM_LAMBDA { tuning[k.value] = v; });
		__syncwarp();
		const Box box(c, L::M);
		const Params<Real> p = box.params<Real>();
		const int pitch = box.layout.pitch;
		constexpr int TOGETHER = 4;
		// each calls take(weight, moments, place) for the used cells of a stencil, and for unused ones beside them.
		auto each = [&](const Real* weights, const long long* places, auto take) LBM_LAMBDA {
			LBM_ROLLED for (int k = 0; k < CORNERS && __any_sync(~0u, weights[k] != Real(0)); k += TOGETHER) {
				const Value* at[TOGETHER];
				Moments<L, Real> m[TOGETHER];
				unroll<TOGETHER>([&](auto j) LBM_LAMBDA { at[j.value] = state + __ldg(places + (k + j.value) * list.count + i); });
				unroll<TOGETHER>([&](auto j) LBM_LAMBDA { m[j.value] = read(at[j.value], pitch); });
				__syncwarp();  // otherwise the compiler uses the first before it loads the second
				unroll<TOGETHER>([&](auto j) LBM_LAMBDA { take(weights[k + j.value], m[j.value], at[j.value]); });
			}
		};
		ImagePoint<L, Real> image;
		Real sampled[L::D] = {};
#if LBM_EXTRA
		Real near = 0, far = 0;
#endif
		auto velocity = [&](const Moments<L, Real>& m, Real* v) LBM_LAMBDA {
			const Real inv = reciprocal(Real(1) + m.r);
			for (int a = 0; a < L::D; a++) v[a] = (m.j[a] - Real(0.5) * p.force[a]) * inv;
		};
		each(n + MODELLED_IMAGE, list.places, [&](Real w, const Moments<L, Real>& m, const Value* at) LBM_LAMBDA {
			Real v[L::D];
			velocity(m, v);
			image.r += w * m.r;
			for (int a = 0; a < L::D; a++) {
				image.u[a] += w * v[a];
				for (int b = 0; b <= a; b++) image.pi[L::pair(a, b)] += w * (m.s[L::pair(a, b)] - (Real(1) + m.r) * v[a] * v[b]);
			}
#if LBM_EXTRA
			near += w * Store::template get<L::M>(at[(long long)L::M * pitch]);
#endif
		});
		each(n + MODELLED_SAMPLE, list.places + CORNERS * list.count, [&](Real w, const Moments<L, Real>& m, const Value* at) LBM_LAMBDA {
			Real v[L::D];
			velocity(m, v);
			for (int a = 0; a < L::D; a++) sampled[a] += w * v[a];
#if LBM_EXTRA
			far += w * Store::template get<L::M>(at[(long long)L::M * pitch]);
#endif
		});
		Real results[MODELLED_RESULTS];
		const Moments<L, Real> ghost = modelledGhost<L>(n, image, sampled, p, tuning, list.table, results);
#if LBM_EXTRA
		if (lane < cells) list.heat[i] = modelledHeat<L>(n, Real(1) + image.r, near, far, p, box.carried<Real>(), list.table + PLUS_COUNT, results);
#endif
		__syncwarp();
		Real* const reported = own + 32 * L::Q;
		LBM_COLLISION::expand(ghost).each([&](auto d, const Real& f) LBM_LAMBDA { own[lane * L::Q + d.value] = f; });
		for (int a = 0; a < MODELLED_RESULTS; a++) reported[lane * MODELLED_RESULTS + a] = results[a];
		__syncwarp();
		store<L::Q>(own, list.populations + from * L::Q, lane, cells * L::Q);
		store<MODELLED_RESULTS>(reported, list.results + from * MODELLED_RESULTS, lane, cells * MODELLED_RESULTS);
	}
	// load calls put(Int<k>, from[k * step]) for k below N, 0 where the place is not below count. All loads start before the first put.
	template <int N, class PUT> __device__ static LBM_INLINE void load(const Real* LBM_RESTRICT from, int step, int count, PUT put) {
		Real v[N];
		unroll<N>([&](auto k) LBM_LAMBDA { v[k.value] = k.value * step < count ? __ldg(from + k.value * step) : Real(0); });
		unroll<N>([&](auto k) LBM_LAMBDA { put(k, v[k.value]); });
	}
	// store writes count numbers, at most N of each thread of a warp.
	template <int N> __device__ static LBM_INLINE void store(const Real* from, Real* to, int lane, int count) {
		unroll<N>([&](auto k) LBM_LAMBDA {
			if (k.value * 32 + lane < count) to[k.value * 32 + lane] = from[k.value * 32 + lane];
		});
	}

	// momentum adds link i to the sums of its wall, [type][WALL_SUMS]. A warp whose links belong to one wall adds once. Sums are
	// integers, so the order does not matter.
	__device__ static LBM_INLINE void momentum(const Case* c, const Value* LBM_RESTRICT state, const Modelled& list, unsigned long long* sums, long long i, long long count) {
		long long mine[WALL_SUMS] = {};
		const JoinedLink link = list.links[i < count ? i : count - 1];
		const int type = int(list.types[link.ghost]) - 1;
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
