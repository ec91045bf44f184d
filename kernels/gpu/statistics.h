// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Statistics of a run that stay in the GPU's memory: averages over time of every cell, and sums over
// planes. Compiled beside instance.h, with the same macros, for runs that ask for them.
#include "model.h"
#include "state.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;
typedef StateOf<Lattice, LBM_MOMENTS, Value, Real> State;

// Waiting samples have the precision of output fields.
template <int BYTES> struct WaitingOf { typedef float type; };
template <> struct WaitingOf<8> { typedef double type; };
typedef WaitingOf<sizeof(Value)>::type Waiting;

// Averages of a cell, as bits: the mean of rho - 1, the sum of the squares of its deviations, the mean velocity, and the sums
// of the products of its deviations.
enum { MEAN_R = 1, SQUARES_R = 2, MEAN_U = 4, PRODUCTS_U = 8 };

// One cell of a block: blocks are (ceil(nx/ROW), ny, nz) of ROW threads.
struct Cell {
	static constexpr int D = Lattice::D, PAIRS = D * (D + 1) / 2;
	int x, y, z, nx;
	long long row;  // number z*ny + y
	__device__ LBM_INLINE explicit Cell(const Box& box)
		: x(blockIdx.x * ROW + threadIdx.x), y(blockIdx.y), z(blockIdx.z), nx(box.layout.nx), row((long long)blockIdx.z * box.layout.ny + blockIdx.y) {}
	// read stores rho - 1 and the velocity in v, rounded like waiting samples.
	__device__ LBM_INLINE void read(const Box& box, const Value* state, Waiting* v) const {
		double rho, j[D], finite;
		const Value* const from = state + box.layout.at(x, y, z, 0);
		State::read(from, box.layout.pitch, rho, j, finite);
		Waiting all[State::PHYSICAL];
		State::physical(box.c, State::dry(box, x, y, z), rho, j, State::theta(from, box.layout.pitch, finite), all);
		unroll<1 + D>([&](auto k) LBM_LAMBDA { v[k.value] = all[k.value]; });
	}
	// waiting returns the index of the first number of this cell in one waiting sample: rho - 1, if the averages need it, then
	// the velocity, as [row][number][x].
	__device__ LBM_INLINE long long waiting(int which) const { return row * numbers(which) * nx + x; }
	__device__ LBM_INLINE static int numbers(int which) { return (which & MEAN_R ? 1 : 0) + (which & MEAN_U ? D : 0); }
};

// Welford is the recurrence of means and products (Technometrics 4 (1962) 419). Its operations are explicit, one by one, so
// that no compilation changes a bit.
struct Welford {
	double inverse, share;  // 1/n and (n-1)/n
	// take returns the deviation of v from the mean so far, and adds v to the mean.
	__device__ LBM_INLINE double take(double v, double& mean) const {
		const double d = __dsub_rn(v, mean);
		mean = __fma_rn(d, inverse, mean);
		return d;
	}
	__device__ LBM_INLINE void product(double d, double e, double& sum) const { sum = __fma_rn(__dmul_rn(share, d), e, sum); }
};
__device__ LBM_INLINE Welford welfordOf(long long n) { return {__drcp_rn(double(n)), __dmul_rn(double(n - 1), __drcp_rn(double(n)))}; }

// MOST is the largest number of waiting samples, without the state's. ATONCE of them are loaded at a
// time.
constexpr int MOST = 31, ATONCE = 8;

// WHICH selects the sums and determines their layout.
template <int WHICH> __device__ LBM_INLINE void average(const Box& box, const Value* LBM_RESTRICT state, const Waiting* LBM_RESTRICT waiting, int count, double* LBM_RESTRICT sums, const Welford* samples) {
	const Cell cell(box);
	if (cell.x >= cell.nx) return;
	constexpr int D = Cell::D, PAIRS = Cell::PAIRS, R = WHICH & MEAN_R ? 1 : 0, RR = WHICH & SQUARES_R ? 1 : 0, U = WHICH & MEAN_U ? D : 0, UU = WHICH & PRODUCTS_U ? PAIRS : 0;
	constexpr int NUMBERS = R + U, SUMS = R + RR + U + UU;
	const long long size = (long long)cell.nx * box.layout.ny * box.layout.nz * NUMBERS;
	Waiting now[1 + D] = {};
	double s[SUMS];
	double* const to = sums + cell.row * SUMS * cell.nx + cell.x;
	unroll<SUMS>([&](auto k) LBM_LAMBDA { s[k.value] = __ldcs(to + k.value * cell.nx); });
	if (state) cell.read(box, state, now);
	auto add = [&](const Waiting* v, const Welford& sample) LBM_LAMBDA {
		if constexpr (R) {
			const double d = sample.take(double(v[0]), s[0]);
			if constexpr (RR) sample.product(d, d, s[1]);
		}
		if constexpr (U) {
			double d[D];
			unroll<D>([&](auto a) LBM_LAMBDA { d[a.value] = sample.take(double(v[R + a.value]), s[R + RR + a.value]); });
			if constexpr (UU) {
				unroll<D>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value, FIRST = A * D - A * (A - 1) / 2;
					unroll<D - A>([&](auto b) LBM_LAMBDA { sample.product(d[A], d[A + b.value], s[R + RR + U + FIRST + b.value]); });
				});
			}
		}
	};
	const Waiting* from = waiting + cell.waiting(WHICH);
	LBM_ROLLED for (int k0 = 0; k0 < count; k0 += ATONCE) {
		Waiting v[ATONCE][NUMBERS];
		unroll<ATONCE>([&](auto k) LBM_LAMBDA {
			if (k0 + k.value >= count) return;
			unroll<NUMBERS>([&](auto i) LBM_LAMBDA { v[k.value][i.value] = __ldcs(from + k.value * size + i.value * cell.nx); });
		});
		unroll<ATONCE>([&](auto k) LBM_LAMBDA {
			if (k0 + k.value < count) add(v[k.value], samples[k0 + k.value]);
		});
		from += ATONCE * size;
	}
	if (state) add(now + (R ? 0 : 1), samples[count]);
	unroll<SUMS>([&](auto k) LBM_LAMBDA { __stcs(to + k.value * cell.nx, s[k.value]); });
}

// Sums over planes across an axis are integers, so that the order of threads and ranks does not matter.
struct Planes {
	static constexpr int D = Lattice::D, PAIRS = Cell::PAIRS, MORE = State::MORE;
	// Per plane: fluid cells; rho - 1 and its square; the velocity and its products; the scalar, its square, its
	// products with the velocity.
	static constexpr int NUMBERS = 3 + D + PAIRS + (MORE ? 2 + D : 0);

	__device__ static LBM_INLINE void add(const Box& box, const Value* LBM_RESTRICT state, int x, int y, int z, double unit, double warmth, long long* s) {
		const bool dry = State::dry(box, x, y, z);  // no branch: the loads of several cells are under way at once
		double rho, j[D], finite, v[State::PHYSICAL];
		const Value* const from = state + box.layout.at(x, y, z, 0);
		State::read(from, box.layout.pitch, rho, j, finite);
		State::physical(box.c, dry, rho, j, State::theta(from, box.layout.pitch, finite), v);
		int k = 1;
		bool bad = false;
		auto put = [&](double value) LBM_LAMBDA {
			bad |= !(fabs(value) < 8);  // device.ProfileMost
			s[k++] += __double2ll_rn(value * unit);
		};
		put(v[0]);
		put(v[0] * v[0]);
		unroll<D>([&](auto a) LBM_LAMBDA { put(v[1 + a.value]); });
		unroll<D>([&](auto a) LBM_LAMBDA {
			unroll<D - a.value>([&](auto b) LBM_LAMBDA { put(v[1 + a.value] * v[1 + a.value + b.value]); });
		});
		if constexpr (MORE) {
			const double t = dry ? 0 : v[1 + D] * warmth;  // solids may hold one
			put(t);
			put(t * t);
			unroll<D>([&](auto a) LBM_LAMBDA { put(t * v[1 + a.value]); });
		}
		s[0] += bad ? 1LL << 40 : !dry;  // device.ProfileBad
	}

	// A block sums some rows of a plane of y (axis 1) or z, ROW cells of each.
	__device__ static LBM_INLINE void sum(const Box& box, const Value* LBM_RESTRICT state, unsigned long long* sums, int axis, int each, double unit, double warmth) {
		const int plane = blockIdx.x, x = blockIdx.y * ROW + threadIdx.x, most = axis == 1 ? box.layout.nz : box.layout.ny;
		const int first = blockIdx.z * each, last = first + each < most ? first + each : most;
		long long s[NUMBERS] = {};
		if (x < box.layout.nx)
#pragma unroll 4
			for (int k = first; k < last; k++) add(box, state, x, axis == 1 ? plane : k, axis == 1 ? k : plane, unit, warmth, s);
		if (axis == 0) {
			if (x < box.layout.nx) unroll<NUMBERS>([&](auto i) LBM_LAMBDA { atomicAdd(sums + (long long)x * NUMBERS + i.value, (unsigned long long)s[i.value]); });
			return;
		}
		__shared__ unsigned long long all[NUMBERS];
		if (threadIdx.x < NUMBERS) all[threadIdx.x] = 0;
		__syncthreads();
		unroll<NUMBERS>([&](auto i) LBM_LAMBDA {
			for (int lanes = 16; lanes > 0; lanes /= 2) s[i.value] += __shfl_down_sync(~0u, s[i.value], lanes);
			if (threadIdx.x % 32 == 0) atomicAdd(all + i.value, (unsigned long long)s[i.value]);
		});
		__syncthreads();
		if (threadIdx.x < NUMBERS) atomicAdd(sums + (long long)plane * NUMBERS + threadIdx.x, all[threadIdx.x]);
	}
};

}}  // namespace lbm

// Stores a waiting sample of the cells: blocks as in Cell.
extern "C" __global__ void __launch_bounds__(ROW) lbm_sample(const lbm::Case* c, const lbm::Value* state, lbm::Waiting* waiting, long long which) {
	const lbm::Box box(c, lbm::State::COMPONENTS);
	const lbm::Cell cell(box);
	if (cell.x >= cell.nx) return;
	lbm::Waiting v[1 + lbm::Cell::D];
	cell.read(box, state, v);
	lbm::Waiting* to = waiting + cell.waiting(int(which));
	lbm::unroll<1 + lbm::Cell::D>([&](auto k) LBM_LAMBDA {
		if (!(which & (k.value == 0 ? lbm::MEAN_R : lbm::MEAN_U))) return;
		__stcs(to, v[k.value]);
		to += cell.nx;
	});
}
// Adds the waiting samples, count of them from number first on, and then the state's, unless it is null, to the sums,
// [row][sum][x]: blocks as in Cell.
extern "C" __global__ void __launch_bounds__(ROW) lbm_average(const lbm::Case* c, const lbm::Value* state, const lbm::Waiting* waiting, long long count, double* sums, long long first, long long which) {
	using namespace lbm;
	const Box box(c, State::COMPONENTS);
	// The same for all cells; each cell would otherwise divide in double, which is slow.
	__shared__ Welford samples[MOST + 1];
	if (threadIdx.x <= count) samples[threadIdx.x] = welfordOf(first + threadIdx.x);
	__syncthreads();
	switch (int(which)) {
	case MEAN_R: return average<MEAN_R>(box, state, waiting, int(count), sums, samples);
	case MEAN_R | SQUARES_R: return average<MEAN_R | SQUARES_R>(box, state, waiting, int(count), sums, samples);
	case MEAN_U: return average<MEAN_U>(box, state, waiting, int(count), sums, samples);
	case MEAN_U | PRODUCTS_U: return average<MEAN_U | PRODUCTS_U>(box, state, waiting, int(count), sums, samples);
	case MEAN_R | MEAN_U: return average<MEAN_R | MEAN_U>(box, state, waiting, int(count), sums, samples);
	case MEAN_R | SQUARES_R | MEAN_U: return average<MEAN_R | SQUARES_R | MEAN_U>(box, state, waiting, int(count), sums, samples);
	case MEAN_R | MEAN_U | PRODUCTS_U: return average<MEAN_R | MEAN_U | PRODUCTS_U>(box, state, waiting, int(count), sums, samples);
	case MEAN_R | SQUARES_R | MEAN_U | PRODUCTS_U: return average<MEAN_R | SQUARES_R | MEAN_U | PRODUCTS_U>(box, state, waiting, int(count), sums, samples);
	}
}
// Adds the sums over planes across an axis to sums: grid (planes across it; 0: along z), (tiles of ROW cells of x), (pieces of
// `each` rows).
extern "C" __global__ void __launch_bounds__(ROW) lbm_profile(const lbm::Case* c, const lbm::Value* state, unsigned long long* sums, long long axis, long long each, double unit, double warmth) {
	lbm::Planes::sum(lbm::Box(c, lbm::State::COMPONENTS), state, sums, int(axis), int(each), unit, warmth);
}
// Numbers for the host: values per plane, and the largest number of waiting samples.
extern "C" __constant__ int lbm_statistics_numbers[2] = {lbm::Planes::NUMBERS, lbm::MOST};
