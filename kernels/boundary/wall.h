// What:     half-way bounce-back at a wall at rest; the boundary "moving_wall" adds a constant, see moving_wall.h.
// Equation: f_i(x, t+1) = f*_i'(x, t) for every direction i that comes out of a solid cell, i' opposite to i
// Source:   Ladd, J. Fluid Mech. 271 (1994) 285; exact position: Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614
// Storage:  nothing is exchanged: solid cells hold zeros, and the fluid cell takes its own old value back
// Limits:   the wall lies half-way between the cells (staircase for bodies); its exact place depends on the collision model
#ifndef LBM_WALL_H
#define LBM_WALL_H
#include "../moments.h"

namespace lbm { namespace {

struct Wall {
	// The population that a wall sends back along direction I, added to the plain moments m.
	// old is the cell's own one of the opposite direction; mask says where I comes from a wall.
	template <int I, class L, class R, class Mask>
	LBM_HD static LBM_INLINE void apply(Moments<L, R>& m, const R& old, const Mask& mask) {
		addPopulation<I>(m, old, mask);
	}
	// The same for stored populations: f was pulled, old is the cell's own value of direction i'.
	template <class R, class Mask> LBM_HD static LBM_INLINE R apply(const R& f, const R& old, const Mask& mask) {
		return select(mask, old, f);
	}
};

}}  // namespace lbm
#endif
