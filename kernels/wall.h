// Half-way bounce-back: what a cell sends into a wall half-way to the next cell comes back to it,
//
//	f_i(x, t+1) = f*_i'(x, t) + 6 w_i rho0 c_i.u_w
//
// with i out of the wall, i' opposite to i, rho0 = 1 (Ladd, J. Fluid Mech. 271 (1994) 285; where
// exactly the wall is: Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614). A wall moves in its own
// plane, else mass is not kept. Solid cells hold zeros: so nothing of them adds to the moments.
// The other boundaries: face.h, outflow.h, special.h.
#ifndef LBM_WALL_H
#define LBM_WALL_H
#include "moments.h"

namespace lbm { namespace {

// A wall at rest. mask says where direction I comes from a wall; old is the cell's own population of
// the opposite one, before the step.
struct Wall {
	// Adds what comes back to the moments m of what was pulled.
	template <int I, class L, class R, class Mask>
	LBM_HD static LBM_INLINE void apply(Moments<L, R>& m, const R& old, const Mask& mask) {
		addPopulation<I>(m, old, mask);
	}
	// What comes back in place of f, which was pulled.
	template <class R, class Mask> LBM_HD static LBM_INLINE R apply(const R& f, const R& old, const Mask& mask) {
		return select(mask, old, f);
	}
};

// A wall that moves: kick = 6 w_i c_i.u_w, computed by the host for each link (boundary/walls.go).
struct MovingWall {
	template <int I, class L, class R, class Mask>
	LBM_HD static LBM_INLINE void apply(Moments<L, R>& m, const R& old, const R& kick, const Mask& mask) {
		addPopulation<I>(m, old + kick, mask);
	}
	template <class R, class Mask>
	LBM_HD static LBM_INLINE R apply(const R& f, const R& old, const R& kick, const Mask& mask) {
		return select(mask, old + kick, f);
	}
};

}}  // namespace lbm
#endif
