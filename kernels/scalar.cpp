// The table of the kernels for scalars: one instance for all instruction sets.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "cpu/lanes.h"
#include "catalogue.h"
#include "cpu/scalar.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class T> constexpr lbm_scalar scalarOf() {
	return {&ScalarOf<L, MOMENTS, T>::step, &ScalarOf<L, MOMENTS, T>::lost};
}
#define LBM_PRECISIONS(L, MOMENTS) {scalarOf<L, MOMENTS, float>(), scalarOf<L, MOMENTS, double>()}

// In the order of model.Lattices; populations, moments; float32, float64.
const lbm_scalar scalars[][2][2] = {
#define LATTICE(NUMBER, L) {LBM_PRECISIONS(L, false), LBM_PRECISIONS(L, true)},
	LBM_LATTICES(LATTICE)
#undef LATTICE
};

}}  // namespace lbm

extern "C" const lbm_scalar* lbm_scalar_at(int lattice, int moments, int precision) { return &lbm::scalars[lattice][moments][precision]; }
