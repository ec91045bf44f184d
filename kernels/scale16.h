// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The scales of 16-bit storage. half, IEEE binary16, has its full precision of 11 bits from 6e-5 to 65504 only, so each
// component is stored times a separate power of two: the values of a weakly compressible flow (Ma < 0.3: |rho-1| and |j| below
// 0.25, |S| below 0.03, populations below 2^-3) are then well inside.
//
// Steps round at random, with unbiased probabilities, because a flow that changes by less than half the spacing of 16-bit
// numbers per step would keep the old values indefinitely (stochastic rounding; Croci et al., R. Soc. Open Sci. 9 (2022)
// 211631). The random bits are the value's own low bits: so the same value is always rounded the same way, and neither cuts nor
// restarts change a bit, while the values of a flow are never quite the same.
#ifndef LBM_SCALE16_H
#define LBM_SCALE16_H
#include "portable.h"

namespace lbm { namespace {

// scale16 returns the exponent of component c's scale. Components behind the flow's belong to a scalar of the order of 1
// (scalar.h): its value and its flux, and beside populations the velocity.
template <class L, bool MOMENTS> LBM_HD constexpr int scale16(int c) {
	const int more = c - (MOMENTS ? L::M : L::Q);
	return more < 0 ? (MOMENTS ? (c <= L::D ? 14 : 16) : 15) : more == 0 ? 11 : more <= L::D ? 12 : 14;
}

// dither adds noise of -1/2 to 1/2 of the spacing of halves to the scaled floats with the given bits (the spacing of normal
// halves: below 6e-5 halves are further apart, and the noise is too small there); they are rounded to the nearest afterwards.
// Values that are too large still become infinite, and infinite ones NaN. The factor, 2^33 by the golden ratio, is even, so
// that the sign has no effect and zeros get no noise. It is positive, so that a GPU's NaN, 0x7fffffff, gets negative noise and
// stays a NaN. U is unsigned and I signed, of 32 bits, or vectors.
template <class U, class I> LBM_HD LBM_INLINE I dither(const I& bits) { return bits + ((I)((U)bits * 0x3c6ef372u) >> 19); }

}}  // namespace lbm
#endif
