// One instance of all kernels, as the macros of api.h say; the file that the
// run-time compiler is given.
#include "api.h"
#include "../collision/bgk.h"
#include "../collision/regularized.h"
#include "../collision/trt.h"
#include "../lattice/d2q9.h"
#include "../lattice/d3q19.h"
#include "roofline.h"
#include "state.h"
#if LBM_MOMENTS
#include "step_moments.h"
#else
#include "step_populations.h"
#endif

namespace lbm { namespace {
typedef LBM_LATTICE Lattice;
typedef LBM_STORED Value;
typedef LBM_REAL Real;
#if LBM_MOMENTS
typedef StepMoments<Lattice, LBM_COLLISION, Value, Real> Step;
#else
typedef StepPopulations<Lattice, LBM_COLLISION, Value, Real> Step;
#endif
typedef StateOf<Lattice, LBM_MOMENTS, Value, Real> State;
}}  // namespace lbm

extern "C" __global__ void __launch_bounds__(lbm::Step::THREADS, lbm::Step::BLOCKS)
lbm_step(const lbm::Case* c, const lbm::Value* in, lbm::Value* out, long long ylo, long long yhi, long long zlo, long long zhi) {
	lbm::Step::run(c, in, out, int(ylo), int(yhi), int(zlo), int(zhi));
}
// What the host must know to launch lbm_step: threads a block (x, y), cells that a
// block computes (x, y, z), bytes of dynamic shared memory.
extern "C" __constant__ int lbm_step_shape[6] = {lbm::Step::BLOCK_X, lbm::Step::BLOCK_Y,
	lbm::Step::TILE_X, lbm::Step::TILE_Y, lbm::Step::TILE_Z, lbm::Step::SHARED};
