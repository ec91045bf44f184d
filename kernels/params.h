// The numbers of a step that are not the state (model.Params), in the number
// type of the arithmetic.
#ifndef LBM_PARAMS_H
#define LBM_PARAMS_H
#include "portable.h"

namespace lbm { namespace {

template <class T> struct Params {
	T omega;       // 1/tau, relaxation rate of the shear stress
	T omegaMinus;  // 1/tau-, relaxation rate of the odd populations (trt)
	T force[3];    // body force per unit volume
	// Of cells whose rates are their own (local.h):
	T lambda;      // (tau - 1/2)(tau- - 1/2) (trt)
	T omegaBulk;   // relaxation rate of the trace of the stress, 0: that of the shear stress
	T law[4];      // numbers of the viscosity law, see viscosity/
	// Where they are chosen at run time (cpu/general.h): numbers in model.Collisions and
	// model.ViscosityLaws, and whether the rates are the cells' own.
	int model, kind;
	bool local;
};

// whole rounds a rate omega so that 1 - omega is exact, too: what a collision keeps of a
// conserved moment and what it adds then make the whole, and nothing fades or grows.
template <class T, class R> LBM_HD LBM_INLINE R whole(const R& omega) { return T(1) - (T(1) - omega); }

}}  // namespace lbm
#endif
