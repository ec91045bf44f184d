// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The parameters of a step (numbers.h), in the number type of the arithmetic.
#ifndef LBM_PARAMS_H
#define LBM_PARAMS_H
#include "numbers.h"
#include "portable.h"

namespace lbm { namespace {

template <class T> struct Params {
	T omega;       // 1/tau, relaxation rate of the shear stress
	T omegaMinus;  // 1/tau-, relaxation rate of the odd populations (trt)
	T force[3];    // body force per unit volume
	// Of cells with individual rates (local.h):
	T lambda;      // (tau - 1/2)(tau- - 1/2) (trt)
	T omegaBulk;   // relaxation rate of the trace of the stress, 0: same as the shear stress
	T ownBulk;     // 1 if the trace has a separate rate, otherwise 0
	T law[4];      // numbers of the viscosity law, see viscosity/
	// Where model and law are chosen at run time (cpu/general.h): numbers in model.Collisions and
	// model.ViscosityLaws, and whether cells have individual rates.
	int model, kind;
	bool local;
	const void* eddies;  // of the cells at hand, of R: 3 nu_t of laws that read neighbours (viscosity/wale.h), or above walls with a model (modelled.h)

	Params() = default;
	LBM_HD LBM_INLINE explicit Params(const lbm_numbers& n)
		: omega(T(n.omega)), omegaMinus(T(n.omegaMinus)), force{T(n.force[0]), T(n.force[1]), T(n.force[2])}, lambda(T(n.lambda)), omegaBulk(T(n.omegaBulk)),
		  ownBulk(T(n.omegaBulk != 0)), law{T(n.law[0]), T(n.law[1]), T(n.law[2]), T(n.law[3])}, model(n.model), kind(n.kind), local(n.kind != 0 || n.omegaBulk != 0), eddies(nullptr) {}
};

// whole rounds a rate omega so that 1 - omega is exact, too: the kept and the added part of a
// conserved moment then add up to the whole, and nothing decays or grows.
template <class T, class R> LBM_HD LBM_INLINE R whole(const R& omega) { return T(1) - (T(1) - omega); }

}}  // namespace lbm
#endif
