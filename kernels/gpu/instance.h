// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// One instance of all kernels, by the macros of api.h; the file for the run-time compiler.
#include "api.h"
#include "model.h"
#include "roofline.h"
#include "state.h"
#if LBM_MOMENTS
#include "step_moments.h"
#else
#include "steps_populations.h"
#endif

namespace lbm { namespace {
typedef LBM_STORED Value;
typedef LBM_REAL Real;
#if LBM_MOMENTS
typedef StepMoments<Lattice, Collision, Value, Real> Step;
#else
typedef StepPopulations<Lattice, Collision, Value, Real> Step;
#endif
typedef StateOf<Lattice, LBM_MOMENTS, Value, Real> State;

// follow waits for all writes of the kernels before, and then lets the next step's blocks take their places as soon as the last
// of these have theirs (programmatic dependent launch, sm_90 and newer). In this order no more than two steps overlap, so that
// the next one begins when all reads of the values that this one overwrites are done.
#if __CUDA_ARCH__ >= 900
constexpr int FOLLOWS = 1;
__device__ LBM_INLINE void follow() {
	asm volatile("griddepcontrol.wait;" ::: "memory");
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#else
constexpr int FOLLOWS = 0;
__device__ LBM_INLINE void follow() {}
#endif
}}  // namespace lbm

extern "C" __global__ void __launch_bounds__(lbm::Step::THREADS, lbm::Step::BLOCKS)
lbm_step(const lbm::Case* c, const lbm::Value* in, lbm::Value* out, long long ylo, long long yhi, long long zlo, long long zhi) {
	lbm::follow();
	lbm::Step::run(c, in, out, int(ylo), int(yhi), int(zlo), int(zhi));
}
#if !LBM_MOMENTS && !LBM_EXTRA
typedef lbm::StepsPopulations<lbm::Lattice, lbm::Collision, lbm::Value, lbm::Real> Steps;
extern "C" __global__ void __launch_bounds__(Steps::THREADS, Steps::BLOCKS) lbm_steps(const lbm::Case* c, const lbm::Value* in, lbm::Value* out, long long walled) {
	if constexpr (Steps::TILE_Y > 0) {
		lbm::follow();
		Steps::run(c, in, out, walled);
	}
}
// Launch numbers of lbm_steps for the host: threads (x, y), cells, bytes, and the number of steps.
extern "C" __constant__ int lbm_steps_shape[6] = {Steps::X, Steps::Y, Steps::TILE_X, Steps::TILE_Y, Steps::SHARED, Steps::STEPS};
#endif
// Launch numbers of lbm_step for the host: threads per block (x, y), cells that a block computes (x, y, z; along the last axis
// of the lattice it may be more or fewer, the blocks share the range evenly), bytes of dynamic shared memory, and the number
// that has to divide the cells of a row for Case::mirror or Case::rowEnds to apply on side 1, 0: neither applies, on any side;
// whether it waits itself for the kernel before it (follow), which the launch may then overlap.
extern "C" __constant__ int lbm_step_shape[8] = {lbm::Step::BLOCK_X, lbm::Step::BLOCK_Y,
	lbm::Step::TILE_X, lbm::Step::TILE_Y, lbm::Step::TILE_Z, lbm::Step::SHARED, lbm::Step::ENDS, lbm::FOLLOWS};

extern "C" __global__ void __launch_bounds__(ROW)
lbm_init(const lbm::Case* c, lbm::Value* state, const double* fields, long long xlo, long long ylo, long long zlo, long long xhi, long long yhi, long long zhi) {
	lbm::State::init(c, state, fields, {{xlo, ylo, zlo}, {xhi, yhi, zhi}});
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_fields(const lbm::Case* c, const lbm::Value* state, double* fields, long long xlo, long long ylo, long long zlo, long long xhi, long long yhi, long long zhi) {
	lbm::State::fields(c, state, fields, {{xlo, ylo, zlo}, {xhi, yhi, zhi}});
}
extern "C" __global__ void __launch_bounds__(ROW)
lbm_fields32(const lbm::Case* c, const lbm::Value* state, float* fields, long long xlo, long long ylo, long long zlo, long long xhi, long long yhi, long long zhi) {
	lbm::State::fields(c, state, fields, {{xlo, ylo, zlo}, {xhi, yhi, zhi}});
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_rows(const lbm::Case* c, const lbm::Value* state, lbm::Sums* rows) {
	lbm::State::rows(c, state, rows);
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_planes(const lbm::Case*, const lbm::Sums* rows, lbm::Sums* planes, long long rowsOfPlane) {
	lbm::State::planes(rows, planes, rowsOfPlane);
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_update(lbm::Value* data, long long rows, long long components, long long pitch) {
	lbm::Roofline::update(data, rows, int(components), int(pitch));
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_copy(uint4* dst, const uint4* src, long long count) {
	lbm::Roofline::copy(dst, src, count);
}
