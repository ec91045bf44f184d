// The table of what is done with special cells and faces beside steps: one instance for all
// instruction sets.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "cpu/general.h"
#include "cpu/face.h"
#include "cpu/special.h"

namespace lbm { namespace {

template <class L, class C, bool MOMENTS, class S> constexpr lbm_special specialOf() {
	return {&SpecialOf<L, C, MOMENTS, S>::forces, &FacesOf<L, MOMENTS, S>::ghost, &FacesOf<L, MOMENTS, S>::drain};
}
#define LBM_PRECISIONS(L, C, MOMENTS) {specialOf<L, C, MOMENTS, float>(), specialOf<L, C, MOMENTS, double>(), specialOf<L, C, MOMENTS, Half>()}

// In the order of model.Lattices, model.Collisions, model.Precisions. Models of populations
// share what chooses them at run time (general.h).
template <class L> struct Specials {
	static constexpr lbm_special of[][3] = {
#define CLOSURE(NUMBER, C) LBM_PRECISIONS(L, AnyRates<C>, true),
#define POPULATIONS(NUMBER, C) LBM_PRECISIONS(L, AnyModel, false),
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	};
};

}}  // namespace lbm

extern "C" const lbm_special* lbm_special_at(int lattice, int collision, int precision) {
	switch (lattice) {
#define LATTICE(NUMBER, L) \
	case NUMBER: return &lbm::Specials<lbm::L>::of[collision][precision];
		LBM_LATTICES(LATTICE)
#undef LATTICE
	}
	return 0;
}
