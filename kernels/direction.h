// Scalar product with a lattice velocity, without multiplications.
#ifndef LBM_DIRECTION_H
#define LBM_DIRECTION_H
#include "portable.h"

namespace lbm { namespace {

// along<L, P>(v) is c_P . v for a direction P whose last non-zero component is
// +1; of two opposite directions that is the one with the larger index.
template <class L, int P, class R> LBM_HD LBM_INLINE R along(const R* v) {
	constexpr int x = L::c(P, 0), y = L::c(P, 1), z = L::c(P, 2);
	static_assert(P > L::opposite(P), "give the direction with the larger index");
	if constexpr (x != 0 && y != 0 && z != 0) {
		const R yz = y > 0 ? v[2] + v[1] : v[2] - v[1];
		if constexpr (x > 0) return yz + v[0];
		else return yz - v[0];
	} else if constexpr (z != 0) {
		if constexpr (y > 0) return v[2] + v[1];
		else if constexpr (y < 0) return v[2] - v[1];
		else if constexpr (x > 0) return v[2] + v[0];
		else if constexpr (x < 0) return v[2] - v[0];
		else return v[2];
	} else if constexpr (y != 0) {
		if constexpr (x > 0) return v[1] + v[0];
		else if constexpr (x < 0) return v[1] - v[0];
		else return v[1];
	} else {
		return v[0];
	}
}

}}  // namespace lbm
#endif
