// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// A step of populations that also writes density and velocity, so that outputs need not read the
// state again: compiled beside instance.h, with the same macros, for runs that ask for it.
#include "model.h"
#include "state.h"
#include "step_populations.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;
typedef StateOf<Lattice, false, Value, Real> State;

// Tuned on an H200, as PopulationsShape: see docs/performance.md. The state equals lbm_step's bit for
// bit.
template <class L, class S> struct FieldsShape : PopulationsShape<L, S> {
	static constexpr bool PAST = false;  // fields are not worth keeping in a cache
};
#if LBM_EXTRA == 0 && !defined(LBM_LAW)
template <> struct FieldsShape<D2Q9, float> : PopulationsShape<D2Q9, float> {
	// Two cells per thread are faster, but share products of the parameters. The compiler then
	// fuses other multiplications and additions than in lbm_step.
	static constexpr int BLOCKS = 12;
	static constexpr bool PAST = true;
};
template <> struct FieldsShape<D2Q9, half> : PopulationsShape<D2Q9, half> {
	static constexpr int CELLS = 4, BLOCKS = 4;
	static constexpr bool PAST = false;
};
#endif
typedef FieldsShape<Lattice, Value> Shape;
typedef StepPopulations<Lattice, Collision, Value, Real, Shape> Step;

// Field is the type of the values of fields (device.FieldsWriter).
template <int BYTES> struct FieldOf { typedef float type; };
template <> struct FieldOf<8> { typedef double type; };
typedef FieldOf<sizeof(Value)>::type Field;

// Fields is their destination: [z][y][component][x] of a frame of whole rows, the first cell of the
// box at to.
struct Fields {
	Field* to;
	long long rows;  // of a plane of the frame

	__device__ LBM_INLINE Field* row(const Box& box, int y, int z) const { return to + (z * rows + y) * (State::PHYSICAL * box.layout.nx); }

	template <class W> __device__ static LBM_INLINE void put(W* p, W v) {
		if constexpr (Shape::PAST) __stcs(p, v);
		else *p = v;
	}

	// The sums are sums of the stored values, in double as in lbm_fields: the same bits.
	template <class P> __device__ LBM_INLINE void operator()(const Box& box, const P* f, const P& scalar, int x, int y, int z, unsigned dry) const {
		typedef Step::Store Store;
		constexpr int N = Step::N, Q = Lattice::Q;
		const int nx = box.layout.nx;
		Image<Field, N> v[State::PHYSICAL];
#pragma unroll
		for (int k = 0; k < N; k++) {
			double g[Q], rho, j[Lattice::D], value = 0;
			unroll<Q>([&](auto i) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				g[I] = double(Store::template get<I>(Store::template put<I>(f[I].v[k])));
			});
			sumMoments<Lattice>(g, rho, j);
			if constexpr (State::MORE) value = dry >> k & 1 ? 0 : double(Store::template get<Q>(Store::template put<Q>(scalar.v[k])));
			Field one[State::PHYSICAL];
			State::physical(box.c, dry >> k & 1, rho, j, value, one);
			unroll<State::PHYSICAL>([&](auto i) LBM_LAMBDA { v[i.value].s[k] = one[i.value]; });
		}
		Field* const p = row(box, y, z) + x;
		const bool whole = N == 1 || (nx % N == 0 && x + N <= nx);
		unroll<State::PHYSICAL>([&](auto i) LBM_LAMBDA {
			Field* const q = p + i.value * nx;
			if (whole) {
				put((BitsOf<Field, N>*)q, v[i.value].bits);
			} else {
#pragma unroll
				for (int k = 0; k < N; k++)
					if (x + k < nx) put(q + k, v[i.value].s[k]);
			}
		});
	}
};

}}  // namespace lbm

extern "C" __global__ void __launch_bounds__(lbm::Step::THREADS, lbm::Step::BLOCKS)
lbm_step_fields(const lbm::Case* c, const lbm::Value* in, lbm::Value* out, long long ylo, long long yhi, long long zlo, long long zhi, lbm::Field* fields, long long rows) {
	lbm::Step::run(c, in, out, int(ylo), int(yhi), int(zlo), int(zhi), lbm::Fields{fields, rows});
}
// As lbm_step_shape.
extern "C" __constant__ int lbm_step_fields_shape[8] = {lbm::Step::BLOCK_X, lbm::Step::BLOCK_Y,
	lbm::Step::TILE_X, lbm::Step::TILE_Y, lbm::Step::TILE_Z, lbm::Step::SHARED, lbm::Step::ENDS, 0};

// Fields of cells that change after the step, x and z*ny + y each: the cells first to last of a
// list whose y is in ylo to yhi.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_fields_at(const lbm::Case* c, const lbm::Value* state, const uint2* cells, long long ylo, long long yhi, long long first, long long last, lbm::Field* fields, long long rows) {
	const long long k = first + (long long)blockIdx.x * ROW + threadIdx.x;
	if (k >= last) return;
	const lbm::Box box(c, lbm::Lattice::Q);
	const int x = int(cells[k].x), y = int(cells[k].y % box.layout.ny), z = int(cells[k].y / box.layout.ny);
	if (y < ylo || y >= yhi) return;
	lbm::State::stored(box, state, x, y, z, lbm::Fields{fields, rows}.row(box, y, z) + x, box.layout.nx);
}
