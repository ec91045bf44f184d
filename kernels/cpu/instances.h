// The table of kernels of one instruction set, for all lattices, models and precisions,
// and the general ones of populations, whose model and law are chosen at run time. Each
// isa_*.cpp sets its target and includes this file.
#include <type_traits>
#include "general.h"
#include "eddies.h"
#include "face.h"
#include "roofline.h"
#include "special.h"
#include "state.h"
#include "step_moments.h"
#include "step_populations.h"

namespace lbm { namespace {

template <class Step, class Special, class Faces, class State, class Eddies> constexpr lbm_kernel kernelOf() {
	return {&Step::run, &Special::step, &Faces::fill, &Step::scratch, &State::init, &State::fields, &State::row, &Eddies::find};
}
template <class L, class C, class S> constexpr lbm_kernel moments() {
	return kernelOf<StepMoments<L, AnyRates<C>, S>, SpecialOf<L, AnyRates<C>, true, S>, FacesOf<L, true, S>, StateOf<L, true, S>, EddiesOf<L, true, S>>();
}
template <class L, class C, class S> constexpr lbm_kernel populations() {
	// 27 populations pass through memory in any case.
	typedef std::conditional_t<L::Q == 27, AnyModel, C> Model;
	return kernelOf<StepPopulations<L, Model, S>, SpecialOf<L, AnyModel, false, S>, FacesOf<L, false, S>, StateOf<L, false, S>, EddiesOf<L, false, S>>();
}

#define LBM_PRECISIONS(KIND, L, C) {KIND<L, C, float>(), KIND<L, C, double>(), KIND<L, C, Half>()}

// In the order of model.Collisions and model.Precisions.
template <class L> struct Kernels {
	static constexpr lbm_kernel of[][3] = {
#define CLOSURE(NUMBER, C) LBM_PRECISIONS(moments, L, C),
#define POPULATIONS(NUMBER, C) LBM_PRECISIONS(populations, L, C),
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	};
	static constexpr lbm_kernel general[3] = LBM_PRECISIONS(populations, L, AnyModel);
};

// Of what a spec asks for, by the places in the tables of package model. local: the rates
// are the cells' own.
const lbm_kernel* find(int lattice, int collision, int precision, int local) {
	bool closure = false;
	switch (collision) {
#define CLOSURE(NUMBER, C) \
	case NUMBER: closure = true; break;
#define POPULATIONS(NUMBER, C)
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	}
	switch (lattice) {
#define LATTICE(NUMBER, L) \
	case NUMBER: return local && !closure ? &Kernels<L>::general[precision] : &Kernels<L>::of[collision][precision];
		LBM_LATTICES(LATTICE)
#undef LATTICE
	}
	return 0;
}

constexpr lbm_isa instances(const char* name) { return {name, &find, &updateBytes, &copyBytes}; }

}}  // namespace lbm
