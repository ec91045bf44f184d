// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The march of a GPU (gpu/step_moments.h) on a CPU: one thread per thread of a block, barriers for the block's barrier and
// for the exchange between the lanes of a warp. Blocks run one after the other. Much too slow except for tests.
//
//   emulate NX NY NZ MARCHES FILE
//
// computes one step of random moments, cut into MARCHES marches along z, and writes the state after it to FILE.
// The surroundings of row ends are random, too: ghost cells, outflows, half-way walls.
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#define __device__
#define __host__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct Place { int x, y, z; };
static thread_local Place threadIdx, blockIdx;
static Place gridDim;

static uint4* emulatedShared;
static std::barrier<>* wholeBlock;
static std::vector<std::unique_ptr<std::barrier<>>> wholeWarp;
static void emulatedBarrier() { wholeBlock->arrive_and_wait(); }

// told returns v of lane `from` of the thread's warp.
template <class T> T told(T v, int from) {
	static double words[32][32];
	static_assert(sizeof v <= sizeof words[0][0]);
	auto& warp = words[threadIdx.y];
	memcpy(&warp[threadIdx.x], &v, sizeof v);
	wholeWarp[threadIdx.y]->arrive_and_wait();
	memcpy(&v, &warp[from], sizeof v);
	wholeWarp[threadIdx.y]->arrive_and_wait();
	return v;
}
template <class T> T __shfl_up_sync(unsigned, T v, int by) { return told(v, threadIdx.x < by ? threadIdx.x : threadIdx.x - by); }
template <class T> T __shfl_down_sync(unsigned, T v, int by) { return told(v, threadIdx.x + by > 31 ? threadIdx.x : threadIdx.x + by); }
static bool __any_sync(unsigned, unsigned v) {
	bool any = false;
	for (int i = 0; i < 32; i++) any |= told(v, i) != 0;
	return any;
}
template <class T> T __ldg(const T* p) { return *p; }
static size_t __cvta_generic_to_shared(const void* p) { return (const char*)p - (const char*)emulatedShared; }
static void* __cvta_shared_to_generic(size_t place) { return (char*)emulatedShared + place; }
static int __popc(unsigned v) { return __builtin_popcount(v); }
static float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
static int __float_as_int(float v) { return __builtin_bit_cast(int, v); }

#include "gpu/api.h"
#include "gpu/model.h"
#include "gpu/step_moments.h"
using namespace lbm;
typedef LBM_STORED Value;
typedef StepMoments<Lattice, Collision, Value, LBM_REAL> Step;

int main(int argc, char** argv) {
	if (argc < 6) return 2;
	const int nx = atoi(argv[1]), ny = atoi(argv[2]), nz = atoi(argv[3]), M = Lattice::M, pitch = (nx + 31) / 32 * 32;
	std::mt19937 random(7);
	auto share = [&] { return random() / 4294967296.; };

	Case c{};
	c.n[0] = nx, c.n[1] = ny, c.n[2] = nz;
	c.ghost[1] = c.ghost[2] = 1;
	c.pitch = pitch;
	c.numbers.omega = 1.7, c.numbers.omegaMinus = 1.3, c.numbers.force[0] = 1e-4;
	const Layout l{nx, ny, nz, 1, 1, M, pitch};
	const size_t rows = size_t(ny + 2) * (nz + 2);
	std::vector<Value> in(rows * M * pitch), out(in.size(), Value(__builtin_nan("")));
	for (auto& v : in) v = Value((share() - 0.5) * 0.02);

	// Solid cells are at rest, as a device keeps them.
	std::vector<Block> blocks(size_t(ny) * nz * (pitch / 32));
	for (auto& b : blocks) b.solid = share() < 0.1 ? 1u << random() % 32 : 0;
	for (int z = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int x = 0; x < nx; x++)
				if (blocks[(size_t(z) * ny + y) * (pitch / 32) + x / 32].solid >> x % 32 & 1)
					for (int k = 0; k < M; k++) in[l.at(x, y, z, k)] = out[l.at(x, y, z, k)] = 0;
	std::vector<unsigned> words(1), sets(1);
	c.blocks = blocks.data(), c.words = words.data(), c.sets = sets.data();

	const int RULES = 50;
	std::vector<LBM_REAL> faces, outlets;
	for (int k = 0; k < RULES; k++) {
		for (int i = 0; i < FACE_CODE; i++) faces.push_back((share() - 0.5) * 0.1);
		faces.push_back(random() % 2048);
		outlets.push_back(share() * 0.1), outlets.push_back(share() * 0.01);
	}
	c.faceRules = faces.data(), c.outletRules = outlets.data();
	std::vector<RowEnd> rowEnds[2];
	for (int side = 0; side < 2; side++) {
		// Walls beyond the ends return the populations of the cells around them (device/cuda/rowends.go).
		std::vector<char> wall(rows);
		for (auto& w : wall) w = share() < 0.3;
		auto bounces = [&](int y, int z, int cy, int cz) {
			auto inside = [&](int y, int z) { return y >= -1 && y <= ny && z >= -1 && z <= nz; };
			return inside(y, z) && inside(y - cy, z - cz) && wall[size_t(z - cz + 1) * (ny + 2) + y - cy + 1];
		};
		for (size_t i = 0; i < rows; i++) {
			const int y = int(i % (ny + 2)) - 1, z = int(i / (ny + 2)) - 1;
			RowEnd r{share() < 0.1 ? ROW_END_NONE : unsigned(i)};
			for (int cz = -1; cz <= 1; cz++)
				for (int cy = -1; cy <= 1; cy++) {
					if (bounces(y, z, cy, cz)) r.code |= 1 << Step::Row::slot(cy, cz);
					if (!bounces(y + cy, z + cz, cy, cz)) r.code |= 1 << (ROW_END_OWN + Step::Row::slot(cy, cz));
				}
			if (r.from != ROW_END_NONE) {
				const double kind = share();
				r.code |= kind < 0.4 ? ROW_END_GHOST : kind < 0.6 ? ROW_END_COPY : 0;
				if (nx > 1 && share() < 0.5) r.code |= ROW_END_OUTLET | (share() < 0.7 ? ROW_END_INNER : 0);
				r.rule = random() % RULES, r.outlet = random() % RULES;
			}
			rowEnds[side].push_back(r);
		}
		c.rowEnds[side] = rowEnds[side].data();
	}

	gridDim = {(nx + Step::TILE_X - 1) / Step::TILE_X, (ny + Step::TILE_Y - 1) / Step::TILE_Y, atoi(argv[4])};
	for (int w = 0; w < Step::WARPS; w++) wholeWarp.push_back(std::make_unique<std::barrier<>>(32));
	std::vector<uint4> shared(Step::SHARED / sizeof(uint4) + 1);
	emulatedShared = shared.data();
	for (int k = 0; k < gridDim.x * gridDim.y * gridDim.z; k++) {
		memset(shared.data(), 0xff, shared.size() * sizeof(uint4));  // NaNs
		std::barrier<> barrier(Step::THREADS);
		wholeBlock = &barrier;
		std::vector<std::thread> threads;
		for (int i = 0; i < Step::THREADS; i++)
			threads.emplace_back([&, i] {
				threadIdx = {i % 32, i / 32, 0};
				blockIdx = {k % gridDim.x, k / gridDim.x % gridDim.y, k / gridDim.x / gridDim.y};
				Step::run(&c, in.data(), out.data(), 0, ny, 0, nz);
			});
		for (auto& t : threads) t.join();
	}
	FILE* file = fopen(argv[5], "wb");
	for (int z = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int k = 0; k < M; k++) fwrite(&out[l.at(0, y, z, k)], sizeof(Value), nx, file);
	return fclose(file) != 0;
}
