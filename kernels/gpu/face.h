// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The ghost cells behind faces (../face.h) and the cells beside outflows (../outflow.h) on a GPU,
// one thread each: compiled beside instance.h, with the same macros, for cases that have some.
#include "../face.h"
#include "../outflow.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S, class T> struct FacesOf {
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;
	typedef Stored<S, T, L, MOMENTS> Store;

	// At reads the source, whose first component is at p.
	struct At {
		const S* p;
		int pitch;
		template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(p[K * pitch]); }
		// Populations have one scale in 16 bits.
		__device__ LBM_INLINE T any(int k) const { return Store::template get<0>(p[k * pitch]); }
	};

	__device__ static LBM_INLINE void fill(const Case* c, S* state, const FaceCell* cells, const T* rules, long long first, long long last) {
		const long long k = first + (long long)blockIdx.x * ROW + threadIdx.x;
		if (k >= last) return;
		const Layout l = Box(c, COMPONENTS).layout;
		const int4 word = __ldg((const int4*)(cells + k));
		const FaceCell cell{word.x, (unsigned)word.y, (unsigned)word.z, (unsigned)word.w};
		const int x = cell.x < 0 ? 0 : cell.x >= l.nx ? l.nx - 1 : cell.x;
		const long long row = (long long)l.components * l.pitch;
		const At at{state + cell.from * row + x, l.pitch};
		const bool beyond = cell.x != x;
		S* const to = beyond ? Box::end<S>(c, l, cell.x > 0, cell.row, COMPONENTS) : state + cell.row * row + x;
		const int step = beyond ? 1 : l.pitch;
		FaceGhost<L, MOMENTS, T, At>(at, rules + (long long)cell.rule * FACE_NUMBERS).each([&](auto i, const T& v) LBM_LAMBDA {
			constexpr int K = decltype(i)::value;
			to[K * step] = Store::template put<K>(v);
		});
	}

	// In reads any cell of a state.
	struct In {
		const S* state;
		const Layout& l;
		template <int K> __device__ LBM_INLINE T get(int x, unsigned row) const { return Store::template get<K>(state[((long long)row * l.components + K) * l.pitch + x]); }
	};
	// Out reads and writes one cell.
	struct Out {
		S* p;
		int pitch;
		template <int K> __device__ LBM_INLINE T get() const { return Store::template get<K>(p[K * pitch]); }
		template <class K> __device__ LBM_INLINE void put(K, const T& v) { p[K::value * pitch] = Store::template put<K::value>(v); }
	};

	__device__ static LBM_INLINE void applyOutflow(const Case* c, const S* from, S* to, const OutletCell* cells, const T* rules, unsigned count, int ylo, int yhi, int zlo, int zhi) {
		const unsigned k = blockIdx.x * ROW + threadIdx.x;
		if (k >= count) return;
		const Layout l = Box(c, COMPONENTS).layout;
		const int4 word = __ldg((const int4*)(cells + k));
		const OutletCell cell{word.x, (unsigned)word.y, (unsigned)word.z, (unsigned)word.w};
		const int rows = l.ny + 2 * l.gy, y = int(cell.row % rows) - l.gy, z = int(cell.row / rows) - l.gz;
		if (y < ylo || y >= yhi || z < zlo || z >= zhi) return;
		const In in{from, l};
		Out out{to + (long long)cell.row * l.components * l.pitch + cell.x, l.pitch};
		Outlet<L, MOMENTS, T, In, Out>(l, cell, rules, in, out).apply();
	}
};
typedef LBM_STORED Value;

}}  // namespace lbm

// Fills ghost cells first to last of the list.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_faces(const lbm::Case* c, lbm::Value* state, const lbm::FaceCell* cells, const void* rules, long long first, long long last) {
	lbm::FacesOf<lbm::Lattice, LBM_MOMENTS, lbm::Value, LBM_REAL>::fill(c, state, cells, (const LBM_REAL*)rules, first, last);
}

// Applies the outflows of the list whose row is in y from ylo to yhi, z from zlo to zhi.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_outflow(const lbm::Case* c, const lbm::Value* from, lbm::Value* to, const lbm::OutletCell* cells, const void* rules, unsigned count, int ylo, int yhi, int zlo, int zhi) {
	lbm::FacesOf<lbm::Lattice, LBM_MOMENTS, lbm::Value, LBM_REAL>::applyOutflow(c, from, to, cells, (const LBM_REAL*)rules, count, ylo, yhi, zlo, zhi);
}
