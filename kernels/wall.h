// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Half-way bounce-back: a population sent into a wall half-way to the next cell returns to its cell,
//
//	f_i(x, t+1) = f*_i'(x, t) + 6 w_i rho0 c_i.u_w
//
// with i out of the wall, i' opposite to i, rho0 = 1 (Ladd, J. Fluid Mech. 271 (1994) 285; exact
// position of the wall: Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614). A wall moves in its
// own plane; otherwise mass is not conserved. Solid cells hold zeros, so they add nothing to the
// moments. The other boundaries: face.h, outflow.h, special.h.
#ifndef LBM_WALL_H
#define LBM_WALL_H
#include "moments.h"

namespace lbm { namespace {

// A wall at rest. mask selects the cells where direction I comes from a wall; old is the cell's own
// population of the opposite direction, before the step.
struct Wall {
	// Adds the returning population to the moments m of the pulled ones.
	template <int I, class L, class R, class Mask>
	LBM_HD static LBM_INLINE void apply(Moments<L, R>& m, const R& old, const Mask& mask) {
		addPopulation<I>(m, old, mask);
	}
	// Returns old, the returning population, in place of f, the pulled one, where mask is set.
	template <class R, class Mask> LBM_HD static LBM_INLINE R apply(const R& f, const R& old, const Mask& mask) {
		return select(mask, old, f);
	}
};

// A moving wall: momentum = 6 w_i c_i.u_w, computed by the host for each link (boundary/walls.go).
struct MovingWall {
	template <int I, class L, class R, class Mask>
	LBM_HD static LBM_INLINE void apply(Moments<L, R>& m, const R& old, const R& momentum, const Mask& mask) {
		addPopulation<I>(m, old + momentum, mask);
	}
	template <class R, class Mask>
	LBM_HD static LBM_INLINE R apply(const R& f, const R& old, const R& momentum, const Mask& mask) {
		return select(mask, old + momentum, f);
	}
};

}}  // namespace lbm
#endif
