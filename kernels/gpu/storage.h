// Numbers in memory and in arithmetic: what a stored value S is to the thread's R.
// float and double are stored as they are. half is IEEE binary16, scaled by a power
// of two of its own for each component, so that the values of a weakly compressible
// flow (Ma < 0.3: |rho-1| and |j| below 0.25, |S| below 0.03) lie well inside of
// its range 6e-5 .. 65504 of full precision, 11 bits.
#ifndef LBM_STORAGE_H
#define LBM_STORAGE_H
#include "../portable.h"

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

// Stored<S, R, L, MOMENTS>: value v of component c goes to memory as put<c>(v) and
// comes back as get<c>(s).
template <class S, class R, class L, bool MOMENTS> struct Stored {
	template <int C> __device__ static LBM_INLINE R get(S s) { return s; }
	template <int C> __device__ static LBM_INLINE S put(R v) { return v; }
};
template <class L, bool MOMENTS> struct Stored<half, float, L, MOMENTS> {
	// Exponent of the scale: populations f - w are below 2^-3, and so are rho - 1 and
	// the momentum; the stress of a flow is a tenth of that and less.
	template <int C> static constexpr int EXPONENT = MOMENTS ? (C <= L::D ? 14 : 16) : 15;
	template <int C> __device__ static LBM_INLINE float get(half s) { return wide(s) * (1.f / (1 << EXPONENT<C>)); }
	template <int C> __device__ static LBM_INLINE half put(float v) { return narrow(v * (1 << EXPONENT<C>)); }
};

}}  // namespace lbm
#endif
