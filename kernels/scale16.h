// The scales of 16-bit storage. half, IEEE binary16, has its full precision of 11
// bits from 6e-5 to 65504 only, so each component is stored times a power of two
// of its own: the values of a weakly compressible flow (Ma < 0.3: |rho-1| and |j|
// below 0.25, |S| below 0.03, populations below 2^-3) then lie well inside.
#ifndef LBM_SCALE16_H
#define LBM_SCALE16_H
#include "portable.h"

namespace lbm { namespace {

// scale16 is the exponent of component c's scale.
template <class L, bool MOMENTS> LBM_HD constexpr int scale16(int c) { return MOMENTS ? (c <= L::D ? 14 : 16) : 15; }

}}  // namespace lbm
#endif
