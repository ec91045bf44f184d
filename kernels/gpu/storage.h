// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers in memory and in arithmetic: conversions between a stored value S and the thread's R.
// float and double are stored as they are, half by scale16.h.
#ifndef LBM_STORAGE_H
#define LBM_STORAGE_H
#include "../scale16.h"

namespace lbm { namespace {

// half is 16 bits of memory; the conversions are single instructions of the GPU.
struct half { unsigned short bits; };

__device__ LBM_INLINE float wide(half h) {
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
	return f;
}
__device__ LBM_INLINE half narrow(float f) {
	half h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
	return h;
}

// Stored<S, R, L, MOMENTS>: value v of component c goes to memory as put<c>(v), in the
// initial state as first<c>(v), and comes back as get<c>(s).
template <class S, class R, class L, bool MOMENTS> struct Stored {
	template <int C> __device__ static LBM_INLINE R get(S s) { return s; }
	template <int C> __device__ static LBM_INLINE S put(R v) { return v; }
	template <int C> __device__ static LBM_INLINE S first(R v) { return v; }
};
template <class L, bool MOMENTS> struct Stored<half, float, L, MOMENTS> {
	template <int C> static constexpr int EXPONENT = scale16<L, MOMENTS>(C);
	template <int C> __device__ static LBM_INLINE float get(half s) { return wide(s) * (1.f / (1 << EXPONENT<C>)); }
	template <int C> __device__ static LBM_INLINE half put(float v) {
		return narrow(__int_as_float(dither<unsigned>(__float_as_int(v * (1 << EXPONENT<C>)))));
	}
	template <int C> __device__ static LBM_INLINE half first(float v) { return narrow(v * (1 << EXPONENT<C>)); }
};

}}  // namespace lbm
#endif
