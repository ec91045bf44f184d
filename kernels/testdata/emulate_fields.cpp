// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The fields of a GPU's views (gpu/cast.h) on a CPU: one thread per thread of a block, blocks one after the other.
//
//   emulate FILE
//
// reads the cells along each axis, the ghost layers along y, the number of fields, the types of the cells and of one layer around
// them, and a Shown for each field. It makes a random state, and writes to the same file: its physical values, ghosts included,
// [z][y][value][x]; and for each field its values, [z][y][x], first computed with the next field, then alone.
#include <barrier>
#include <cmath>
#include <cstdio>
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
static Place gridDim;
static std::barrier<>* wholeBlock;
static void __syncthreads() { wholeBlock->arrive_and_wait(); }
template <class T> T __ldg(const T* p) { return *p; }
static int __popc(unsigned v) { return __builtin_popcount(v); }
static float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
static int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
// Kernels that are not run here.
template <class T> T __shfl_down_sync(unsigned, T v, int) { abort(); }
template <class T> void atomicMax(T*, T) { abort(); }
template <class T> void atomicAdd(T*, T) { abort(); }

#include "gpu/cast.h"
using namespace lbm;

int main(int, char** argv) {
	FILE* f = fopen(argv[1], "r+b");
	auto read = [&](auto* to, size_t n) { return fread(to, sizeof(*to), n, f) == n; };
	auto write = [&](const auto& list) {
		if (fwrite(list.data(), sizeof list[0], list.size(), f) != list.size()) abort();
	};
	int head[5];
	if (!f || !read(head, 5)) return 2;
	const int *n = head, ghost = head[3], fields = head[4], pitch = (n[0] + 31) / 32 * 32, values = State::PHYSICAL;
	std::vector<unsigned char> types(size_t(n[0] + 2) * (n[1] + 2) * (n[2] + 2));
	std::vector<Shown> shown(fields);
	if (!read(types.data(), types.size()) || !read(shown.data(), fields)) return 2;
	rewind(f);

	Case c{};
	for (int a = 0; a < 3; a++) c.n[a] = n[a];
	c.ghost[1] = ghost, c.ghost[2] = 1;
	c.pitch = pitch;
	c.numbers.force[0] = 1e-4, c.numbers.force[2] = -2e-4, c.numbers.buoyancy[1] = 1e-3;
	std::vector<Value> state(size_t(n[1] + 2 * ghost) * (n[2] + 2) * (State::COMPONENTS + LBM_EXTRA) * pitch);
	std::mt19937 random(5);
	for (auto& v : state) v = Value((random() / 4294967296. - 0.5) * 0.1);
	const Shot shot(&c, state.data(), types.data());
	std::vector<Shot::Rounded> physical;
	for (int z = -1; z <= n[2]; z++)
		for (int y = -ghost; y < n[1] + ghost; y++)
			for (int k = 0; k < values; k++)
				for (int x = 0; x < n[0]; x++) {
					Shot::Rounded v[State::PHYSICAL];
					shot.read(x, y, z, shot.type(x, y, z) != 0, v);
					physical.push_back(v[k]);
				}
	write(physical);

	const size_t cells = size_t(n[0]) * n[1] * n[2];
	auto blocks = [](int cells, int size) { return (cells + size - 1) / size; };
	auto evaluate = [&](const Shown* of, float* one, float* two) {
		gridDim = {blocks(n[0], Shot::X), blocks(n[1], Shot::Y), blocks(n[2], Shot::DEPTH)};
		for (int k = 0; k < gridDim.x * gridDim.y * gridDim.z; k++) {
			std::barrier<> all(Shot::X * Shot::Y);
			wholeBlock = &all;
			std::vector<std::thread> threads;
			for (int i = 0; i < Shot::X * Shot::Y; i++)
				threads.emplace_back([&, i] {
					threadIdx = {i % Shot::X, i / Shot::X, 0}, blockIdx = {k % gridDim.x, k / gridDim.x % gridDim.y, k / gridDim.x / gridDim.y};
					lbm_evaluate(&c, state.data(), types.data(), of, one, two, n[0], (long long)n[0] * n[1], 0, 0, 0, n[0], n[1], n[2]);
				});
			for (auto& t : threads) t.join();
		}
	};
	for (int k = 0; k < fields; k++) {
		const Shown both[2] = {shown[k], shown[(k + 1) % fields]};
		std::vector<float> one(cells), two(cells), alone(cells);
		evaluate(both, one.data(), two.data());
		evaluate(both, alone.data(), nullptr);
		write(one), write(alone);
	}
	return fclose(f) != 0;
}
