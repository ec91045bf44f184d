// What:     half-way bounce-back at a wall that moves in its own plane.
// Equation: f_i(x, t+1) = f*_i'(x, t) + 6 w_i rho0 c_i.u_w, c_i the incoming direction, rho0 = 1
// Source:   Ladd, J. Fluid Mech. 271 (1994) 285
// Storage:  kick = 6 w_i c_i.u_w for each link that touches such a wall, computed once at load time
// Limits:   u_w tangential to the wall (else mass is not conserved)
#ifndef LBM_MOVING_WALL_H
#define LBM_MOVING_WALL_H
#include "wall.h"

namespace lbm { namespace {

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
