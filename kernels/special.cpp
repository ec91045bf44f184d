// The table of the kernels for special cells: one instance for all instruction sets.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "collision/bgk.h"
#include "collision/regularized.h"
#include "collision/trt.h"
#include "cpu/special.h"
#include "lattice/d2q9.h"
#include "lattice/d3q19.h"

namespace lbm { namespace {

template <class L, class C, bool MOMENTS, class S> constexpr lbm_special specialOf() {
	return {&SpecialOf<L, C, MOMENTS, S>::step, &SpecialOf<L, C, MOMENTS, S>::forces};
}
#define LBM_PRECISIONS(L, C, MOMENTS) {specialOf<L, C, MOMENTS, float>(), specialOf<L, C, MOMENTS, double>(), specialOf<L, C, MOMENTS, Half>()}
#define LBM_MODELS(L) {LBM_PRECISIONS(L, Regularized, true), LBM_PRECISIONS(L, Bgk, false), LBM_PRECISIONS(L, Trt, false)}

// In the order of model.Lattices, model.Collisions, model.Precisions.
const lbm_special specials[2][3][3] = {LBM_MODELS(D2Q9), LBM_MODELS(D3Q19)};

}}  // namespace lbm

extern "C" const lbm_special* lbm_special_at(int lattice, int collision, int precision) { return &lbm::specials[lattice][collision][precision]; }
