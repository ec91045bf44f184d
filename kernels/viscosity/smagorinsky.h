// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     large-eddy simulation: eddies smaller than a cell act through an eddy viscosity.
// Equation: tau = tau0 + 3 C^2 |shear rate| with |shear rate| = a / tau, hence tau = (tau0 + sqrt(tau0^2 + 12 C^2 a)) / 2
// Source:   Smagorinsky, Mon. Weather Rev. 91 (1963) 99; Hou, Sterling, Chen & Doolen, Fields Inst. Commun. 6 (1996) 151
// Storage:  law[0] = tau0/2, law[1] = 3 C^2; above walls with a model 3 nu_t of each cell, where that is larger (modelled.h)
// Limits: also damps laminar shear, hence too much near walls
#ifndef LBM_SMAGORINSKY_H
#define LBM_SMAGORINSKY_H
#include "../params.h"

namespace lbm { namespace {

struct Smagorinsky {
	template <class R> LBM_HD static LBM_INLINE R omega(const R& a, const Params<typename Scalar<R>::type>& p) {
#ifndef __CUDACC__
		if (p.eddies) {  // a CPU gets them by address
			R own;
			__builtin_memcpy(&own, p.eddies, sizeof(R));
			return omega(a, p, own);
		}
#endif
		return reciprocal(p.law[0] + squareRoot(p.law[0] * p.law[0] + p.law[1] * a));
	}
	// tau returns the relaxation time at a shear rate.
	template <class R> LBM_HD static LBM_INLINE R tau(const R& rate, const Params<typename Scalar<R>::type>& p) { return p.law[0] + p.law[0] + p.law[1] * rate; }
	// omega of cells with at least their individual 3 nu_t.
	template <class R> LBM_HD static LBM_INLINE R omega(const R& a, const Params<typename Scalar<R>::type>& p, const R& own) {
		const R eddies = squareRoot(p.law[0] * p.law[0] + p.law[1] * a), least = p.law[0] + own;
		return reciprocal(p.law[0] + select(eddies > least, eddies, least));
	}
};

// Layered is the law of a box with a layer above walls with a model, on a GPU.
struct Layered : Smagorinsky {};

}}  // namespace lbm
#endif
