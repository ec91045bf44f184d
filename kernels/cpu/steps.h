// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels in which a run spends its time, for a lattice in the instruction set of the file that includes this one:
// steps of moments for each precision, whatever the closure (expand.h), steps of populations for each model, and the general
// ones of populations, whose model and law are chosen at run time (general.h).
#ifndef LBM_STEPS_H
#define LBM_STEPS_H
#include "api.h"
#include "names.h"
#include "eddies.h"
#include "general.h"
#include "scalar.h"
#include "step_moments.h"
#include "step_populations.h"

namespace lbm { namespace {

template <class Step, class Scalar, class Eddies> constexpr lbm_steps stepsOf() { return {&Step::run, &Step::scratch, &Eddies::find, &Scalar::step, &Scalar::scratch}; }
template <class L, class S> constexpr lbm_steps moments() { return stepsOf<StepMoments<L, S>, ScalarOf<L, true, S>, EddiesOf<L, true, S>>(); }
template <class L, class C, class S> constexpr lbm_steps populations() { return stepsOf<StepPopulations<L, C, S>, ScalarOf<L, false, S>, EddiesOf<L, false, S>>(); }

// In the order of model.Precisions.
template <class L> struct Closures {
	static constexpr lbm_steps of[3] = {moments<L, float>(), moments<L, double>(), moments<L, Half>()};
};
template <class L, class C> struct Populations {
	static constexpr lbm_steps of[3] = {populations<L, C, float>(), populations<L, C, double>(), populations<L, C, Half>()};
};
template <class L, class C> using Own = Populations<L, std::conditional_t<OwnSteps<L> && LBM_OWN_STEPS, C, AnyModel<true>>>;

template <class L> const lbm_steps* findSteps(int collision, int precision, int local) {
	switch (collision) {
#define CLOSURE(NUMBER, C) \
	case NUMBER: return &Closures<L>::of[precision];
#define POPULATIONS(NUMBER, C) \
	case NUMBER: return local ? &Populations<L, AnyModel<true>>::of[precision] : &Own<L, C>::of[precision];
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	}
	return nullptr;
}

}}  // namespace lbm

// LBM_STEPS(L) defines the function of a unit that finds the steps of lattice L, by places in model.Collisions and
// model.Precisions; local: the rates are the cells' own.
#define LBM_STEPS(L) \
	extern "C" const lbm_steps* LBM_STEPS_NAME(L)(int collision, int precision, int local) { return lbm::findSteps<lbm::L>(collision, precision, local); }
#endif
