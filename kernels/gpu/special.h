// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The special cells of a box (../special.h) on a GPU: compiled beside
// instance.h, with the same macros, for cases with such cells.
#include "../special.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

// Links holds the lists of boundary.Links, in the memory of the device; laws are in LBM_REAL.
struct Links {
	const LinkCell* cells;
	const unsigned* list;
	const unsigned char* types;
	const void* laws;
	const unsigned* ghosts;  // of links from walls with a model; may be null
	const void* sent;        // Modelled::populations
};

template <class L, class C, bool MOMENTS, class S, class T> struct SpecialOf {
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;
	typedef Stored<S, T, L, MOMENTS> Store;

	// At reads the neighbours of one cell.
	struct At {
		const Box& box;
		const S* state;
		int x, y, z;

		struct Near {
			const S* p;
			int step;
			template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(p[K * step]); }
			__device__ LBM_INLINE static Expansion<L, T> expand(const Moments<L, T>& m) { return C::expand(m); }
			// Populations have one scale in 16 bits.
			__device__ LBM_INLINE T any(int i) const { return Store::template get<0>(p[i * step]); }
		};
		__device__ LBM_INLINE Near near(const int* d) const {
			int at[3] = {x + d[0], y + d[1], z + d[2]};
			if (box.c->periodic[0]) at[0] = at[0] < 0 ? at[0] + box.layout.nx : at[0] >= box.layout.nx ? at[0] - box.layout.nx : at[0];
			box.inside(1, at[1]);
			if (L::D == 3) box.inside(2, at[2]);
			if (at[0] < 0 || at[0] >= box.layout.nx) return {Box::end<S>(box.c, box.layout, at[0] > 0, box.layout.row(at[1], at[2]), COMPONENTS), 1};
			return {state + box.layout.at(at[0], at[1], at[2], 0), box.layout.pitch};
		}
	};
	typedef SpecialCell<L, MOMENTS, T, At> Cell;

	// A block has CELLS cells, and a warp for every LANES-th direction of all of them: most of the time is latency of dependent
	// loads of neighbours and laws. Cells of the list follow each other along x, so that a warp loads neighbouring numbers, and
	// most of its cells have a wall in the same directions. Sums over the warps are added in a fixed order.
	static constexpr int LANES = 8, CELLS = 32, THREADS = CELLS * LANES, BLOCKS = sizeof(T) == 4 ? 3 : 2;  // more spill registers
	__device__ static LBM_INLINE void step(const Case* c, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, const Links* links, int ylo, int yhi, long long first, long long last) {
		const int lane = threadIdx.x / CELLS, own = threadIdx.x % CELLS;
		const long long k = first + (long long)blockIdx.x * CELLS + own;
		const Box box(c, COMPONENTS);
		LinkCell cell{};
		if (k < last) cell = links->cells[k];
		const int y = cell.row % box.layout.ny, z = cell.row / box.layout.ny;
		const bool wanted = k < last && y >= ylo && y < yhi;
		const At at{box, in, int(cell.x), y, z};
		const Cell special(at, cell, links->list, (const T*)links->laws, links->ghosts, (const T*)links->sent);
		T missing{}, eddies{};
		auto each = [&](auto take) LBM_LAMBDA {
			if (!wanted) return;
			LBM_ROLLED for (int i = lane; i < L::Q; i += LANES) {
				T back;
				const T f = special.template incoming<false>(i, back);
				if (special.links(i)) missing = missing + (back - f);
				take(i, f);
			}
		};
		if constexpr (LooksAround<C>)
			if (wanted && lane == 0) eddies = box.template eddies<T>(y, z)[cell.x];
		T v[COMPONENTS];
		if constexpr (MOMENTS) {
			// The moments of a warp's directions, then their missing mass.
			__shared__ T shared[L::M + 1][LANES][CELLS];
			Moments<L, T> m{};
			each([&](int i, const T& f) LBM_LAMBDA { add(m, i, f); });
			auto all = [&](auto take) LBM_LAMBDA {
				take(Int<0>{}, m.r);
				unroll<L::D>([&](auto a) LBM_LAMBDA { take(Int<1 + decltype(a)::value>{}, m.j[a.value]); });
				unroll<L::M - 1 - L::D>([&](auto j) LBM_LAMBDA { take(Int<1 + L::D + decltype(j)::value>{}, m.s[j.value]); });
				take(Int<L::M>{}, missing);
			};
			all([&](auto k, const T& part) LBM_LAMBDA { shared[k.value][lane][own] = part; });
			__syncthreads();
			if (lane > 0 || !wanted) return;
			all([&](auto k, T& sum) LBM_LAMBDA { sum = together<LANES>([&](int warp) LBM_LAMBDA { return shared[k.value][warp][own]; }); });
			const T lost = special.conserves() ? missing : T(0);
			if constexpr (LooksAround<C>) collideSums<L, C>(special.rates(box.params<T>()), m, lost, v, eddies);
			else collideSums<L, C>(special.rates(box.params<T>()), m, lost, v);
			if constexpr (LBM_EXTRA > 0) {
				const int here[3] = {0, 0, 0};
				Moments<L, T> n = momentsAt<L, true, T>([&](auto k) LBM_LAMBDA { return v[k.value]; });
				buoyed(n, at.near(here).template get<COMPONENTS>(), box.template carried<T>());
				unroll<L::D>([&](auto a) LBM_LAMBDA { v[1 + a.value] = n.j[a.value]; });
				unroll<L::M - 1 - L::D>([&](auto j) LBM_LAMBDA { v[1 + L::D + j.value] = n.s[j.value]; });
			}
		} else {
			// The populations, then the missing mass of each warp's directions.
			__shared__ T shared[L::Q + LANES][CELLS];
			each([&](int i, const T& v) LBM_LAMBDA { shared[i][own] = v; });
			shared[L::Q + lane][own] = missing;
			__syncthreads();
			if (lane > 0 || !wanted) return;
			T f[L::Q];
			unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = shared[i.value][own]; });
			const T lost = special.conserves() ? together<LANES>([&](int warp) LBM_LAMBDA { return shared[L::Q + warp][own]; }) : T(0);
			if constexpr (LooksAround<C>) collideIncoming<L, C, MOMENTS>(special.rates(box.params<T>()), f, lost, v, eddies);
			else collideIncoming<L, C, MOMENTS>(special.rates(box.params<T>()), f, lost, v);
			if constexpr (LBM_EXTRA > 0) {
				const int here[3] = {0, 0, 0};
				T u[L::D];
				buoyedPopulations<L>(v, at.near(here).template get<COMPONENTS>(), box.template carried<T>(), u);
				S* const to = out + box.layout.at(cell.x, y, z, 0);
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int K = COMPONENTS + 1 + L::D + decltype(a)::value;
					to[K * box.layout.pitch] = Store::template put<K>(u[a.value]);
				});
			}
		}
		S* const to = out + box.layout.at(cell.x, y, z, 0);
		unroll<COMPONENTS>([&](auto i) LBM_LAMBDA {
			constexpr int K = decltype(i)::value;
			to[K * box.layout.pitch] = Store::template put<K>(v[K]);
		});
	}
	// together adds N numbers pairwise.
	template <int N, class GET> __device__ static LBM_INLINE T together(GET get) {
		if constexpr (N == 1) return get(0);
		else return together<N / 2>(get) + together<N / 2>([&](int k) LBM_LAMBDA { return get(N / 2 + k); });
	}

	// forces adds to sums, [type][force, torque]: integers, so that their order does not
	// matter. x, y, z is the origin of the box in the domain.
	__device__ static LBM_INLINE void forces(const Case* c, const S* LBM_RESTRICT state, const Links* links, unsigned long long* sums, int x, int y, int z, long long count) {
		const long long k = (long long)blockIdx.x * ROW + threadIdx.x;
		if (k >= count) return;
		const Box box(c, COMPONENTS);
		const LinkCell cell = links->cells[k];
		const At at{box, state, int(cell.x), int(cell.row % box.layout.ny), int(cell.row / box.layout.ny)};
		const double place[3] = {x + at.x + 0.5, y + at.y + 0.5, z + at.z + 0.5};
		long long mine[6] = {};
		int type = -1;
		auto give = [&]() {
			if (type < 0) return;
			for (int a = 0; a < 6; a++) {
				atomicAdd(sums + 6 * type + a, (unsigned long long)mine[a]);
				mine[a] = 0;
			}
		};
		Cell(at, cell, links->list, (const T*)links->laws, links->ghosts, (const T*)links->sent).force(place, [&](unsigned i, const double* F, const double* M) {
			if (links->types[i] != type) {
				give();
				type = links->types[i];
			}
			for (int a = 0; a < 3; a++) {
				mine[a] += __double2ll_rn(F[a] * FORCE_UNITS);
				mine[3 + a] += __double2ll_rn(M[a] * TORQUE_UNITS);
			}
		});
		give();
	}
};
typedef LBM_STORED Value;
typedef SpecialOf<Lattice, Collision, LBM_MOMENTS, Value, LBM_REAL> Special;

}}  // namespace lbm

// The cells first to last (all of a range of planes) in rows ylo to yhi.
extern "C" __global__ void __launch_bounds__(lbm::Special::THREADS, lbm::Special::BLOCKS)
lbm_special(const lbm::Case* c, const lbm::Value* in, lbm::Value* out, const lbm::Links* links, long long ylo, long long yhi, long long first, long long last) {
	lbm::Special::step(c, in, out, links, int(ylo), int(yhi), first, last);
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_forces(const lbm::Case* c, const lbm::Value* state, const lbm::Links* links, unsigned long long* sums, long long x, long long y, long long z, long long count) {
	lbm::Special::forces(c, state, links, sums, int(x), int(y), int(z), count);
}
