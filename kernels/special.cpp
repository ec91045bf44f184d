// The table of the kernels for special cells: one instance for all instruction sets.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "cpu/general.h"
#include "cpu/special.h"
#include "lattice/d2q9.h"
#include "lattice/d3q19.h"
#include "lattice/d3q27.h"

namespace lbm { namespace {

template <class L, class C, bool MOMENTS, class S> constexpr lbm_special specialOf() {
	return {&SpecialOf<L, C, MOMENTS, S>::step, &SpecialOf<L, C, MOMENTS, S>::forces};
}
#define LBM_PRECISIONS(L, C, MOMENTS) {specialOf<L, C, MOMENTS, float>(), specialOf<L, C, MOMENTS, double>(), specialOf<L, C, MOMENTS, Half>()}
#define LBM_SCHEMES(L) {LBM_PRECISIONS(L, AnyModel, false), LBM_PRECISIONS(L, AnyRates<Regularized>, true)}

// In the order of model.Lattices; populations, moments; model.Precisions. The model is
// chosen at run time (general.h); there are no moments on D3Q27.
const lbm_special specials[3][2][3] = {LBM_SCHEMES(D2Q9), LBM_SCHEMES(D3Q19), {LBM_PRECISIONS(D3Q27, AnyModel, false)}};

}}  // namespace lbm

extern "C" const lbm_special* lbm_special_at(int lattice, int moments, int precision) { return &lbm::specials[lattice][moments][precision]; }
