// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The GPU's pass for eddies (gpu/eddies.h) on a CPU: one thread per thread of a block, blocks one after the other.
//
//   emulate NX NY NZ PERIODIC GHOSTS
//
// compares the eddies of random cells, some of them solid, with differences taken cell by cell in double. PERIODIC has a bit
// for each axis; GHOSTS are the ghost layers along y.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#define __device__
#define __host__
#define __global__
#define __shared__ static
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct Place { int x, y, z; };
static thread_local Place threadIdx, blockIdx;
static std::barrier<>* wholeBlock;
static void __syncthreads() { wholeBlock->arrive_and_wait(); }
template <class T> T __ldg(const T* p) { return *p; }
static int __popc(unsigned v) { return __builtin_popcount(v); }
static float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
static int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
namespace lbm { namespace {
inline float squareRoot(float v) { return sqrtf(v); }
inline double squareRoot(double v) { return sqrt(v); }
inline float log2Of(float v) { return log2f(v); }
inline double log2Of(double v) { return log2(v); }
inline float exp2Of(float v) { return exp2f(v); }
inline double exp2Of(double v) { return exp2(v); }
}}  // namespace lbm

#include "gpu/eddies.h"
using namespace lbm;

int main(int argc, char** argv) {
	if (argc < 6) return 2;
	constexpr int D = Lattice::D, X = EddiesOf::X, Y = EddiesOf::Y, DEPTH = EddiesOf::DEPTH, COMPONENTS = EddiesOf::COMPONENTS;
	const int n[3] = {atoi(argv[1]), atoi(argv[2]), D == 3 ? atoi(argv[3]) : 1}, pitch = (n[0] + 31) / 32 * 32;
	std::mt19937 random(7);
	auto share = [&] { return random() / 4294967296.; };
	Case c{};
	for (int a = 0; a < 3; a++) c.n[a] = n[a], c.periodic[a] = atoi(argv[4]) >> a & 1;
	c.ghost[1] = atoi(argv[5]), c.ghost[2] = D == 3;
	c.pitch = pitch;
	c.numbers.omega = 1.7, c.numbers.law[0] = 1 / 1.7, c.numbers.law[1] = 0.5;
	const Layout l{n[0], n[1], n[2], c.ghost[1], c.ghost[2], COMPONENTS, pitch};
	std::vector<Value> state(size_t(n[1] + 2 * c.ghost[1]) * (n[2] + 2 * c.ghost[2]) * COMPONENTS * pitch);
	for (auto& v : state) v = Value((share() - 0.5) * 0.02);
	for (int z = -c.ghost[2]; z < n[2] + c.ghost[2]; z++)
		for (int y = -c.ghost[1]; y < n[1] + c.ghost[1]; y++)
			for (int x = 0; x < n[0]; x++)
				if (share() < 0.15)
					for (int k = 0; k < COMPONENTS; k++) state[l.at(x, y, z, k)] = 0;
	std::vector<Real> eddies(size_t(n[1]) * n[2] * pitch, Real(-1));
	c.eddies = eddies.data();

	auto blocks = [](int cells, int tile) { return (cells + tile - 1) / tile; };
	for (int bz = 0; bz < blocks(n[2], DEPTH); bz++)
		for (int by = 0; by < blocks(n[1], Y); by++)
			for (int bx = 0; bx < blocks(n[0], X); bx++) {
				std::barrier<> all(X * Y);
				wholeBlock = &all;
				std::vector<std::thread> threads;
				for (int k = 0; k < X * Y; k++)
					threads.emplace_back([=, &c, &state] {
						threadIdx = {k % X, k / X, 0}, blockIdx = {bx, by, bz};
						EddiesOf::find(&c, state.data());
					});
				for (auto& t : threads) t.join();
			}

	// velocity computes the velocity of a cell; false: there is no fluid.
	auto velocity = [&](const int* cell, double* u) {
		int at[3] = {cell[0], cell[1], cell[2]};
		for (int a = 0; a < 3; a++) {
			if (at[a] >= 0 && at[a] < n[a]) continue;
			if (c.periodic[a]) at[a] = (at[a] + n[a]) % n[a];
			else if (a == 0 || !c.ghost[a]) return false;
		}
		auto value = [&](int k) { return double(state[l.at(at[0], at[1], at[2], k)]); };
		double r = 0, j[3] = {};
		if (LBM_MOMENTS) {
			r = value(0);
			for (int a = 0; a < D; a++) j[a] = value(1 + a);
		} else {
			for (int i = 0; i < Lattice::Q; i++) {
				r += value(i);
				for (int a = 0; a < D; a++) j[a] += Lattice::c(i, a) * value(i);
			}
		}
		for (int a = 0; a < D; a++) u[a] = j[a] / (1 + r);
		return r != 0 || j[0] != 0 || j[1] != 0 || j[2] != 0;
	};
	const Params<double> params(c.numbers);
	double worst = 0, most = 0;
	for (int z = 0; z < n[2]; z++)
		for (int y = 0; y < n[1]; y++)
			for (int x = 0; x < n[0]; x++) {
				const int cell[3] = {x, y, z};
				double u[3], g[D * D] = {};
				if (!velocity(cell, u)) continue;
				for (int a = 0; a < D; a++) {
					int below[3] = {x, y, z}, above[3] = {x, y, z};
					below[a]--, above[a]++;
					double low[3], high[3];
					const bool hasLow = velocity(below, low), hasHigh = velocity(above, high);
					for (int i = 0; i < D; i++) g[D * i + a] = hasLow && hasHigh ? (high[i] - low[i]) / 2 : hasHigh ? high[i] - u[i] : hasLow ? u[i] - low[i] : 0;
				}
				const double want = Wale::eddies<D>(g, params), off = fabs(double(eddies[(size_t(z) * n[1] + y) * pitch + x]) - want);
				most = want > most ? want : most;
				if (!(off <= worst)) worst = off;
			}
	printf("%d x %d x %d cells, periodic %s, ghosts %s: off by %.2g of %.2g\n", n[0], n[1], n[2], argv[4], argv[5], worst, most);
	return !(worst <= 1e-5 * most);
}
