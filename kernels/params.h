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
};

}}  // namespace lbm
#endif
