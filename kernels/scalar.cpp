// The table of the kernels for scalars: one instance for all instruction sets.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "cpu/scalar.h"
#include "lattice/d2q9.h"
#include "lattice/d3q19.h"
#include "lattice/d3q27.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class T> constexpr lbm_scalar scalarOf() {
	return {&ScalarOf<L, MOMENTS, T>::step, &ScalarOf<L, MOMENTS, T>::lost};
}
#define LBM_PRECISIONS(L, MOMENTS) {scalarOf<L, MOMENTS, float>(), scalarOf<L, MOMENTS, double>()}

// In the order of model.Lattices; populations, moments; float32, float64. There are no
// moments on D3Q27.
const lbm_scalar scalars[3][2][2] = {{LBM_PRECISIONS(D2Q9, false), LBM_PRECISIONS(D2Q9, true)},
                                     {LBM_PRECISIONS(D3Q19, false), LBM_PRECISIONS(D3Q19, true)}, {LBM_PRECISIONS(D3Q27, false)}};

}}  // namespace lbm

extern "C" const lbm_scalar* lbm_scalar_at(int lattice, int moments, int precision) { return &lbm::scalars[lattice][moments][precision]; }
