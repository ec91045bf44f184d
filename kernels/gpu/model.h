// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The lattice and the collision model of an instance, by the macros of api.h.
#ifndef LBM_GPU_MODEL_H
#define LBM_GPU_MODEL_H
#include "pack.h"
#include "../catalogue.h"

namespace lbm { namespace {

typedef LBM_LATTICE Lattice;
#if LBM_LAYER
typedef Varying<LBM_COLLISION, Layered> Collision;
#elif defined LBM_LAW
typedef Varying<LBM_COLLISION, LBM_LAW> Collision;
#else
typedef LBM_COLLISION Collision;
#endif

}}  // namespace lbm
#endif
