// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The scalar of a box (../scalar.h) on a GPU, one thread per cell: compiled beside instance.h, with
// the same macros, for cases that have one. The flow's step has computed the scalar of all cells
// without a wall or face beside them. For the others it has added only the populations of
// neighbouring cells: lbm_correct adds the populations of half-way walls at rest, lbm_recompute
// recomputes the remaining cells.
#include "../scalar.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

// ScalarWalls describes the walls of a box for a scalar, in the memory of the device.
struct ScalarWalls {
	const unsigned char* types;  // of the cells and one layer around
	const void* laws;            // of each type, including 0: the law's number and its value, in LBM_REAL
	const ScalarLink* links;     // to walls that are measured
	const ScalarPlace *corrected, *recomputed;
	const double* distances;     // of the links of recomputed, with their slopes
	const void *sent, *heat;     // of ghost cells of walls with a model (modelled.h), in LBM_REAL
};

template <class L, class C, bool MOMENTS, class S, class T> struct ScalarOf {
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;
	typedef Stored<S, T, L, MOMENTS> Store;

	// At reads the neighbours of one cell.
	struct At {
		const Box& box;
		const S* state;
		const unsigned char* types;
		int x, y, z;

		struct Near {
			const S* p;
			int pitch;
			template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(p[K * pitch]); }
			__device__ LBM_INLINE static Expansion<L, T> expand(const Moments<L, T>& m) { return C::expand(m); }
			// Populations have one scale in 16 bits.
			__device__ LBM_INLINE T any(int i) const { return Store::template get<0>(p[i * pitch]); }
		};
		__device__ LBM_INLINE Near near(const int* d) const {
			int at[3] = {x + d[0], y + d[1], z + d[2]};
			if (box.c->periodic[0]) at[0] = at[0] < 0 ? at[0] + box.layout.nx : at[0] >= box.layout.nx ? at[0] - box.layout.nx : at[0];
			box.inside(1, at[1]);
			if (L::D == 3) box.inside(2, at[2]);
			return {state + box.layout.at(at[0], at[1], at[2], 0), box.layout.pitch};
		}
		__device__ LBM_INLINE int type(const int* d) const {
			return types[((long long)(z + d[2] + 1) * (box.layout.ny + 2) + y + d[1] + 1) * (box.layout.nx + 2) + x + d[0] + 1];
		}
	};
	typedef ScalarCell<L, MOMENTS, T, At> Cell;
	__device__ LBM_INLINE static Cell cellOf(const At& at, const ScalarWalls* walls) { return {at, (const T*)walls->laws, (const T*)walls->sent, (const T*)walls->heat}; }

	template <int K> __device__ LBM_INLINE static void put(S* to, int pitch, const T& v) { to[K * pitch] = Store::template put<K>(v); }
	__device__ LBM_INLINE static void put(S* to, int pitch, const T& theta, const T* q) {
		put<FIRST>(to, pitch, theta);
		unroll<L::D>([&](auto a) LBM_LAMBDA { put<FIRST + 1 + decltype(a)::value>(to, pitch, q[a.value]); });
	}

	// placed calls take(at, box) for this thread's cell of a list, if it is in rows ylo to yhi.
	template <class TAKE> __device__ static LBM_INLINE void placed(const Case* c, const S* in, const ScalarWalls* walls, const ScalarPlace* list, int ylo, int yhi, long long first, long long last, TAKE take) {
		const long long k = first + (long long)blockIdx.x * ROW + threadIdx.x;
		if (k >= last) return;
		const Box box(c, FIRST);
		const ScalarPlace place = list[k];
		const int y = place.row % box.layout.ny, z = place.row / box.layout.ny;
		if (y < ylo || y >= yhi) return;
		take(box, At{box, in, walls->types, int(place.x), y, z}, place);
	}

	// after returns the moments of a cell after the step, keepOf the cell's 1 - 1/tau from them.
	__device__ LBM_INLINE static Moments<L, T> after(const S* to, int pitch) {
		return momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return Store::template get<decltype(k)::value>(to[k.value * pitch]); });
	}
	__device__ LBM_INLINE static T keepOf(const Box& box, const At& at, const Moments<L, T>& m, const ScalarParams<T>& p) {
		if constexpr (Eddies<C>::STRESS && LooksAround<C>) return eddyKeep(m, T(box.template eddies<T>(at.y, at.z)[at.x]), p);
		else if constexpr (Eddies<C>::STRESS) return eddyKeep(m, p);
		else if constexpr (LooksAround<C>) return eddyKeep(box.template eddies<T>(at.y, at.z)[at.x], p);
		else return p.keep;
	}

	__device__ static LBM_INLINE void correct(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, const ScalarWalls* walls, int ylo, int yhi, long long first, long long last) {
		placed(c, in, walls, walls->corrected, ylo, yhi, first, last, [&](const Box& box, const At& at, const ScalarPlace& place) LBM_LAMBDA {
			const ScalarParams<T> p = box.template carried<T>();
			const int pitch = box.layout.pitch, here[3] = {0, 0, 0};
			S* const to = out + box.layout.at(at.x, at.y, at.z, 0);
			T theta = Store::template get<FIRST>(to[FIRST * pitch]), q[L::D], j[L::D];
			const T before = at.near(here).template get<FIRST>();
			const Moments<L, T> m = after(to, pitch);
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				q[A] = Store::template get<FIRST + 1 + A>(to[(FIRST + 1 + A) * pitch]);
				j[A] = m.j[A] - (p.force[A] + p.buoyancy[A] * before);
			});
			cellOf(at, walls).correct(place.links, place.type, keepOf(box, at, m, p), m.r, j, theta, q);
			put(to, pitch, theta, q);
		});
	}

	__device__ static LBM_INLINE void recompute(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, const ScalarWalls* walls, int ylo, int yhi, long long first, long long last) {
		placed(c, in, walls, walls->recomputed, ylo, yhi, first, last, [&](const Box& box, const At& at, const ScalarPlace& place) LBM_LAMBDA {
			const ScalarParams<T> p = box.template carried<T>();
			S* const to = out + box.layout.at(at.x, at.y, at.z, 0);
			T theta, q[L::D];
			Moments<L, T> m{};
			if constexpr (Eddies<C>::STRESS) m = after(to, box.layout.pitch);
			cellOf(at, walls).recompute(place.links, place.first == SCALAR_HALFWAY ? nullptr : walls->distances + place.first, keepOf(box, at, m, p), theta, q);
			put(to, box.layout.pitch, theta, q);
		});
	}

	// lost adds the scalar that leaves through measured walls in the coming step to sums, by type.
	__device__ static LBM_INLINE void lost(const Case* c, const S* LBM_RESTRICT state, const ScalarWalls* walls, unsigned long long* sums, long long count) {
		const long long k = (long long)blockIdx.x * ROW + threadIdx.x;
		if (k >= count) return;
		const Box box(c, FIRST);
		const ScalarLink l = walls->links[k];
		const At at{box, state, walls->types, int(l.x), int(l.row % box.layout.ny), int(l.row / box.layout.ny)};
		const T v = cellOf(at, walls).lost(l.direction, l.type, l.distance, l.slope);
		atomicAdd(sums + l.type - 1, (unsigned long long)__double2ll_rn(double(v) * SCALAR_UNITS));
	}
};
typedef LBM_STORED ScalarValue;
typedef ScalarOf<Lattice, Collision, LBM_MOMENTS, ScalarValue, LBM_REAL> CarriedBy;

}}  // namespace lbm

// The cells first to last of a list whose y is in ylo to yhi.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_correct(const lbm::Case* c, const lbm::ScalarValue* in, lbm::ScalarValue* out, const lbm::ScalarWalls* walls, long long ylo, long long yhi, long long first, long long last) {
	lbm::CarriedBy::correct(c, in, out, walls, int(ylo), int(yhi), first, last);
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_recompute(const lbm::Case* c, const lbm::ScalarValue* in, lbm::ScalarValue* out, const lbm::ScalarWalls* walls, long long ylo, long long yhi, long long first, long long last) {
	lbm::CarriedBy::recompute(c, in, out, walls, int(ylo), int(yhi), first, last);
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_lost(const lbm::Case* c, const lbm::ScalarValue* state, const lbm::ScalarWalls* walls, unsigned long long* sums, long long count) {
	lbm::CarriedBy::lost(c, state, walls, sums, count);
}
