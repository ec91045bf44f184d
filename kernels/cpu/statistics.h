// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Averages over time on the CPU: the recurrence of device.Averages, with the bits of ../gpu/statistics.h. One pass over a row
// updates all its sums, as their memory takes most of the time: in 3D ten numbers per cell, read and written.
#ifndef LBM_CPU_STATISTICS_H
#define LBM_CPU_STATISTICS_H
#include "api.h"
#include "lanes.h"

namespace lbm { namespace {

// fused returns a b + c, rounded once. Where the instruction set has no such operation, the C library computes it.
LBM_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
LBM_INLINE Lanes<double>::R fused(const Lanes<double>::R& a, const Lanes<double>::R& b, const Lanes<double>::R& c) {
#if VECTOR_BYTES == 64
	return (Lanes<double>::R)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif VECTOR_BYTES == 32
	return (Lanes<double>::R)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
	Lanes<double>::R sum;
	for (int i = 0; i < Lanes<double>::W; i++) sum[i] = __builtin_fma(a[i], b[i], c[i]);
	return sum;
#endif
}

// averageCells continues the sums at s, nx apart, with the cells at v: rho - 1 and the velocity, nx apart. V is double, or a vector
// for as many cells.
template <class V, int D> LBM_INLINE void averageCells(const double* v, double* s, long nx, const lbm_average& of) {
	auto read = [](const double* p) LBM_LAMBDA {
		V values;
		__builtin_memcpy(&values, p, sizeof values);
		return values;
	};
	auto next = [&](const V& sum) LBM_LAMBDA {
		__builtin_memcpy(s, &sum, sizeof sum);
		s += nx;
	};
	auto take = [&](const double* p) LBM_LAMBDA {
		const V mean = read(s), d = read(p) - mean;
		next(fused(d, V{} + of.inverse, mean));
		return d;
	};
	auto product = [&](const V& d, const V& e) LBM_LAMBDA { next(fused(of.share * d, e, read(s))); };
	if (of.density) {
		const V d = take(v);
		if (of.densitySquares) product(d, d);
	}
	if (!of.velocity) return;
	V d[D];
	for (int a = 0; a < D; a++) d[a] = take(v + (1 + a) * nx);
	if (!of.velocityProducts) return;
	for (int a = 0; a < D; a++)
		for (int b = a; b < D; b++) product(d[a], d[b]);
}

// averageRows prefetches the next row of sums in the order of addresses: the hardware does not follow the ten pieces of a row at once.
template <int D> void averageRows(const double* sample, double* sums, int64_t rows, int64_t nx, const lbm_average& of) {
	constexpr int W = Lanes<double>::W;
	for (int64_t row = 0; row < rows; row++, sample += of.stored * nx, sums += of.kept * nx) {
		const double* ahead = sums + of.kept * nx;
		int64_t x = 0;
		for (; x + W <= nx; x += W, ahead += W * of.kept) {
			for (int k = 0; k < W * of.kept; k += 8) __builtin_prefetch(ahead + k, 1, 2);
			averageCells<Lanes<double>::R, D>(sample + x, sums + x, nx, of);
		}
		for (; x < nx; x++) averageCells<double, D>(sample + x, sums + x, nx, of);
	}
}

void average(const double* sample, double* sums, int64_t rows, int64_t nx, const lbm_average* of) {
	if (of->dims == 2) averageRows<2>(sample, sums, rows, nx, *of);
	else averageRows<3>(sample, sums, rows, nx, *of);
}

}}  // namespace lbm
#endif
