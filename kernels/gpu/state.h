// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Conversion between the state and physical fields, and the sums of rows and planes: the formulas
// of cpu/state.h, in float64 as there. One thread per cell.
#ifndef LBM_GPU_STATE_H
#define LBM_GPU_STATE_H
#include "../moments.h"
#include "../populations.h"
#include "../scalar.h"
#include "box.h"

namespace lbm { namespace {

// Range is the box of cells passed to a kernel of api.h.
struct Range {
	long long lo[3], hi[3];
	__device__ LBM_INLINE int width() const { return int(hi[0] - lo[0]); }
	// place computes the cell of this thread; false without one.
	__device__ LBM_INLINE bool place(int& x, int& y, int& z) const {
		x = int(lo[0]) + blockIdx.x * ROW + threadIdx.x;
		y = int(lo[1]) + blockIdx.y;
		z = int(lo[2]) + blockIdx.z;
		return x < hi[0];
	}
	// first returns the index of the first component of cell x of this block's row.
	__device__ LBM_INLINE long long first(int components, int x) const {
		return ((long long)blockIdx.z * (hi[1] - lo[1]) + blockIdx.y) * components * width() + x - lo[0];
	}
};

template <class L, bool MOMENTS, class S, class T> struct StateOf {
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;
	typedef Stored<S, T, L, MOMENTS> Store;
	static constexpr int MORE = LBM_EXTRA ? 1 : 0;  // values of a scalar

	// dry reports whether a cell is solid. Ghost rows have no list of walls; their solid cells
	// are at rest.
	__device__ static LBM_INLINE bool dry(const Box& box, int x, int y, int z) {
		const bool ghost = y < 0 || y >= box.layout.ny || z < 0 || z >= box.layout.nz;
		return !ghost && box.solid(x, y, z);
	}

	// read computes r and the post-collision momentum j of the cell at from; finite is 0, or NaN if
	// a value is not finite.
	__device__ static LBM_INLINE void read(const S* LBM_RESTRICT from, int pitch, double& r, double* j, double& finite) {
		double v[COMPONENTS];
		finite = 0;
		unroll<COMPONENTS>([&](auto c) LBM_LAMBDA {
			constexpr int K = decltype(c)::value;
			v[K] = double(Store::template get<K>(from[K * pitch]));
		});
		unroll<COMPONENTS>([&](auto c) LBM_LAMBDA { finite += v[c.value] - v[c.value]; });
		if constexpr (MOMENTS) {
			r = v[0];
			unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = v[1 + a.value]; });
		} else {
			sumMoments<L>(v, r, j);
		}
	}

	// theta returns the scalar of the cell at from; finite as in read.
	__device__ static LBM_INLINE double theta(const S* LBM_RESTRICT from, int pitch, double& finite) {
		double value = 0;
		if constexpr (MORE) value = double(Store::template get<COMPONENTS>(from[COMPONENTS * pitch]));
		unroll<LBM_EXTRA>([&](auto k) LBM_LAMBDA {
			constexpr int K = COMPONENTS + decltype(k)::value;
			const double v = double(Store::template get<K>(from[K * pitch]));
			finite += v - v;
		});
		return value;
	}
	// force returns the force per volume along axis a where the scalar has this value.
	__device__ static LBM_INLINE double force(const Case* c, int a, double value) {
		if constexpr (MORE) return c->numbers.force[a] + c->numbers.buoyancy[a] * value;
		return c->numbers.force[a];
	}

	template <int K> __device__ static LBM_INLINE void put(S* to, int pitch, double v) { to[K * pitch] = Store::template first<K>(T(v)); }

	// write stores moments; populations get their second-order Hermite expansion.
	__device__ static LBM_INLINE void write(const Moments<L, double>& m, S* to, int pitch) {
		if constexpr (MOMENTS) {
			put<0>(to, pitch, m.r);
			unroll<L::D>([&](auto a) LBM_LAMBDA { put<1 + decltype(a)::value>(to, pitch, m.j[a.value]); });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { put<1 + L::D + decltype(k)::value>(to, pitch, m.s[k.value]); });
		} else {
			secondOrder(m).each([&](auto i, double f) LBM_LAMBDA { put<decltype(i)::value>(to, pitch, f); });
		}
	}

	// init: with e the strain rate, the stress before the collision is
	//   S = rho u u - 2 rho tau e / 3 - (u F + F u)/2
	// (Chapman-Enskog; Krueger et al., The Lattice Boltzmann Method, Springer 2017,
	// ch. 4 and 6), of which the collision leaves the share 1 - omega, and adds its own.
	__device__ static LBM_INLINE void init(const Case* c, S* LBM_RESTRICT state, const double* LBM_RESTRICT fields, const Range& r) {
		const Box box(c, COMPONENTS);
		int x, y, z;
		if (!r.place(x, y, z)) return;
		const int width = r.width();
		const double* f = fields + r.first(L::M + MORE, x);
		const Params<double> p = box.params<double>();
		const double tau = 1 / p.omega;
		Moments<L, double> m{};
		double value = MORE ? f[L::M * width] : 0, u[L::D] = {};  // solids may hold a scalar
		if (!dry(box, x, y, z)) {
			const double rho = 1 + f[0];
			double F[L::D];
			m.r = f[0];
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				u[a.value] = f[(1 + a.value) * width];
				F[a.value] = force(c, a.value, value);
				m.j[a.value] = rho * u[a.value] + 0.5 * F[a.value];
			});
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				unroll<A + 1>([&](auto b) LBM_LAMBDA {
					constexpr int B = decltype(b)::value, k = L::pair(A, B);
					const double uF = u[A] * F[B] + u[B] * F[A];
					const double neq = -2 * rho / 3 * tau * f[(1 + L::D + k) * width] - 0.5 * uF;
					m.s[k] = rho * u[A] * u[B] + (1 - p.omega) * neq + (1 - 0.5 * p.omega) * uF;
				});
			});
			velocityOf(m, u);  // after the collision, of which the force is a part
		}
		S* const to = state + box.layout.at(x, y, z, 0);
		unroll<LBM_EXTRA>([&](auto k) LBM_LAMBDA {
			constexpr int K = decltype(k)::value;
			if constexpr (K == 0) put<COMPONENTS>(to, box.layout.pitch, value);
			else if constexpr (K <= L::D) put<COMPONENTS + K>(to, box.layout.pitch, 0);
			else put<COMPONENTS + K>(to, box.layout.pitch, u[K - 1 - L::D]);
		});
		write(m, to, box.layout.pitch);
	}

	static constexpr int PHYSICAL = 1 + L::D + MORE;
	// physical computes rho - 1, the velocity and the scalar, if any, of a cell, in type F.
	template <class F> __device__ static LBM_INLINE void physical(const Case* c, bool wall, double rho, const double* j, double value, F* v) {
		const double inv = 1 / (1 + rho);
		v[0] = F(wall ? 0 : rho);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const double u = (j[a.value] - 0.5 * force(c, a.value, value)) * inv;
			v[1 + a.value] = F(wall ? 0 : u);
		});
		if constexpr (MORE) v[1 + L::D] = F(value);  // solids may hold one
	}
	// stored writes these values of the stored cell (x, y, z), stride apart.
	template <class F> __device__ static LBM_INLINE void stored(const Box& box, const S* LBM_RESTRICT state, int x, int y, int z, F* to, int stride) {
		double rho, j[L::D], finite;
		const S* const from = state + box.layout.at(x, y, z, 0);
		read(from, box.layout.pitch, rho, j, finite);
		const double value = theta(from, box.layout.pitch, finite);
		F v[PHYSICAL];
		physical(box.c, dry(box, x, y, z), rho, j, value, v);
		unroll<PHYSICAL>([&](auto k) LBM_LAMBDA { __stcs(to + k.value * stride, v[k.value]); });
	}

	// fields writes them for the cells of a range.
	template <class F>
	__device__ static LBM_INLINE void fields(const Case* c, const S* LBM_RESTRICT state, F* LBM_RESTRICT fields, const Range& r) {
		const Box box(c, COMPONENTS);
		int x, y, z;
		if (!r.place(x, y, z)) return;
		box.inside(1, y), box.inside(2, z);
		stored(box, state, x, y, z, fields + r.first(PHYSICAL, x), r.width());
	}

	// rows sums the block's row: each thread every ROW-th cell, then all threads pairwise.
	__device__ static LBM_INLINE void rows(const Case* c, const S* LBM_RESTRICT state, Sums* LBM_RESTRICT rows) {
		const Box box(c, COMPONENTS);
		const int row = blockIdx.x, y = row % box.layout.ny, z = row / box.layout.ny;
		const S* const from = state + box.layout.start(y, z);
		const unsigned* const uncounted = c->uncounted ? c->uncounted + (long long)row * (box.layout.pitch / 32) : nullptr;
		Sums s = nothing();
		for (int x = threadIdx.x; x < box.layout.nx; x += ROW) {
			if (box.solid(x, y, z) || (uncounted && uncounted[x / 32] >> (x % 32) & 1)) continue;
			double r, j[L::D], finite, speed2 = 0;
			read(from + x, box.layout.pitch, r, j, finite);
			const double value = theta(from + x, box.layout.pitch, finite);
			const long long number = (long long)row * box.layout.nx + x;
			s.cells++;
			s.mass += r;
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				const double v = j[a.value] - 0.5 * force(c, a.value, value), u = v / (1 + r);
				s.momentum[a.value] += v;
				s.energy += 0.5 * (v * u);
				speed2 += u * u;
			});
			if (finite != 0) {
				if (s.bad++ == 0) s.badAt = number;
			} else if (speed2 > s.speed2) {
				s.speed2 = speed2;
				s.at = number;
			}
		}
		gather(s, rows + row);
	}

	// planes adds the rows of the block's plane one after the other: the order in which ranks that
	// share a plane continue where the one before has ended (device.Plane.Add). The rows lie in the
	// cache, and the loads do not wait for the sums.
	__device__ static LBM_INLINE void planes(const Sums* LBM_RESTRICT rows, Sums* LBM_RESTRICT planes, long long rowsOfPlane) {
		if (threadIdx.x != 0) return;
		Sums s = nothing();
#pragma unroll 4
		for (long long k = 0; k < rowsOfPlane; k++) add(s, rows[blockIdx.x * rowsOfPlane + k]);
		planes[blockIdx.x] = s;
	}

	__device__ static LBM_INLINE Sums nothing() { return {0, {0, 0, 0}, 0, -1, 0, 0, 0, -1}; }

	__device__ static LBM_INLINE void add(Sums& s, const Sums& t) {
		s.mass += t.mass;
		for (int a = 0; a < 3; a++) s.momentum[a] += t.momentum[a];
		s.energy += t.energy;
		if (t.speed2 > s.speed2 || (t.speed2 == s.speed2 && t.at < s.at)) {
			s.speed2 = t.speed2;
			s.at = t.at;
		}
		s.cells += t.cells;
		if (t.bad > 0 && (s.bad == 0 || t.badAt < s.badAt)) s.badAt = t.badAt;
		s.bad += t.bad;
	}

	// above returns the sums of the thread that many lanes up.
	__device__ static LBM_INLINE Sums above(const Sums& s, int lanes) {
		Sums t;
		t.mass = __shfl_down_sync(~0u, s.mass, lanes);
		for (int a = 0; a < 3; a++) t.momentum[a] = __shfl_down_sync(~0u, s.momentum[a], lanes);
		t.energy = __shfl_down_sync(~0u, s.energy, lanes);
		t.speed2 = __shfl_down_sync(~0u, s.speed2, lanes);
		t.cells = __shfl_down_sync(~0u, s.cells, lanes);
		t.at = __shfl_down_sync(~0u, s.at, lanes);
		t.bad = __shfl_down_sync(~0u, s.bad, lanes);
		t.badAt = __shfl_down_sync(~0u, s.badAt, lanes);
		return t;
	}

	// gather adds up all threads of the block and stores the sum.
	__device__ static LBM_INLINE void gather(Sums& s, Sums* to) {
		__shared__ Sums warps[ROW / 32];
		for (int lanes = 16; lanes > 0; lanes /= 2) add(s, above(s, lanes));
		if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
		__syncthreads();
		if (threadIdx.x != 0) return;
		for (int w = 1; w < ROW / 32; w++) add(s, warps[w]);
		*to = s;
	}
};

}}  // namespace lbm
#endif
