// The table of kernels of one instruction set: 2 lattices x 3 models x 3 precisions, and
// the general ones: 3 lattices x 3 precisions. Each isa_*.cpp sets its target and includes
// this file.
#include "../lattice/d2q9.h"
#include "../lattice/d3q19.h"
#include "../lattice/d3q27.h"
#include "general.h"
#include "roofline.h"
#include "state.h"
#include "step_moments.h"
#include "step_populations.h"

namespace lbm { namespace {

template <class Step, class State> constexpr lbm_kernel kernelOf() {
	return {&Step::run, &Step::scratch, &State::init, &State::fields, &State::row};
}
template <class L, class C, class S> constexpr lbm_kernel moments() {
	return kernelOf<StepMoments<L, AnyRates<C>, S>, StateOf<L, true, S>>();
}
template <class L, class C, class S> constexpr lbm_kernel populations() {
	return kernelOf<StepPopulations<L, C, S>, StateOf<L, false, S>>();
}

template <class L, class S> constexpr lbm_kernel general() { return populations<L, AnyModel, S>(); }

// instances is in the order of model.Lattices, model.Collisions, model.Precisions.
constexpr lbm_isa instances(const char* name) {
	return {name,
	        {{{moments<D2Q9, Regularized, float>(), moments<D2Q9, Regularized, double>(), moments<D2Q9, Regularized, Half>()},
	          {populations<D2Q9, Bgk, float>(), populations<D2Q9, Bgk, double>(), populations<D2Q9, Bgk, Half>()},
	          {populations<D2Q9, Trt, float>(), populations<D2Q9, Trt, double>(), populations<D2Q9, Trt, Half>()}},
	         {{moments<D3Q19, Regularized, float>(), moments<D3Q19, Regularized, double>(), moments<D3Q19, Regularized, Half>()},
	          {populations<D3Q19, Bgk, float>(), populations<D3Q19, Bgk, double>(), populations<D3Q19, Bgk, Half>()},
	          {populations<D3Q19, Trt, float>(), populations<D3Q19, Trt, double>(), populations<D3Q19, Trt, Half>()}}},
	        {{general<D2Q9, float>(), general<D2Q9, double>(), general<D2Q9, Half>()},
	         {general<D3Q19, float>(), general<D3Q19, double>(), general<D3Q19, Half>()},
	         {general<D3Q27, float>(), general<D3Q27, double>(), general<D3Q27, Half>()}},
	        &updateBytes, &copyBytes};
}

}}  // namespace lbm
