// The lattice and the collision model of an instance, as the macros of api.h say.
#ifndef LBM_GPU_MODEL_H
#define LBM_GPU_MODEL_H
#include "pack.h"
#include "../collision/bgk.h"
#include "../collision/cumulant.h"
#include "../collision/recursive_regularized.h"
#include "../collision/regularized.h"
#include "../collision/trt.h"
#include "../lattice/d2q9.h"
#include "../lattice/d3q19.h"
#include "../lattice/d3q27.h"
#include "../viscosity/carreau.h"
#include "../viscosity/newtonian.h"
#include "../viscosity/power_law.h"
#include "../viscosity/smagorinsky.h"

namespace lbm { namespace {

typedef LBM_LATTICE Lattice;
#ifdef LBM_LAW
typedef Varying<LBM_COLLISION, LBM_LAW> Collision;
#else
typedef LBM_COLLISION Collision;
#endif

}}  // namespace lbm
#endif
