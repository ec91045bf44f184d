// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers in memory and in arithmetic: vectors read from and written to a state of S. float and
// double are stored as they are, Half by scale16.h (with dither where steps stream, without where
// put writes, the initial state); its arithmetic is float's. The portable conversions give the same
// bits as the hardware's (signalling NaNs aside, which no arithmetic leaves behind): to the
// nearest, ties to even, subnormal halves included.
#ifndef LBM_MEMORY_H
#define LBM_MEMORY_H
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than the registers are passed to inlined functions only
#include <stdint.h>
#include "../scale16.h"
#include "lanes.h"

namespace lbm { namespace {

struct Half { uint16_t bits; };

// Arithmetic<S>::T is the number type of the arithmetic on a stored S.
template <class S> struct Arithmetic { typedef S T; };
template <> struct Arithmetic<Half> { typedef float T; };

// widen returns the numbers of halves, whose bits are in the integers of a vector I; F is the
// vector of floats of that length. No step of it meets a subnormal float, which FlushTiny would
// take for zero.
template <class F, class I> LBM_INLINE F widen(const I& h) {
	const I magnitude = (h & 0x7fff) << 13, exponent = magnitude & 0x0f800000;
	const I bits = magnitude + (112 << 23);
	const F least = (F)(I{} + (113 << 23));
	const I small = (I)((F)(bits + (1 << 23)) - least);
	const I special = bits + (112 << 23);
	return (F)((exponent == 0 ? small : exponent == 0x0f800000 ? special : bits) | (h & 0x8000) << 16);
}

// narrow converts back.
template <class F, class I> LBM_INLINE I narrow(const F& f) {
	const I all = (I)f, sign = all & (-0x7fffffff - 1), bits = all ^ sign;
	const I half = I{} + (126 << 23);
	const I small = (I)((F)bits + (F)half) - half;  // the addition rounds
	const I normal = (bits - (112 << 23) + 0xfff + ((bits >> 13) & 1)) >> 13;
	const I special = bits > (255 << 23) ? 0x7e00 | (bits >> 13 & 0x3ff) : I{} + 0x7c00;
	const I h = bits >= (143 << 23) ? special : bits < (113 << 23) ? small : normal;
	return h | (sign >> 16 & 0x8000);
}

// widen and narrow one number.
typedef int Int4 __attribute__((vector_size(16)));
typedef float Float4 __attribute__((vector_size(16)));
LBM_APART float widen(Half h) { return widen<Float4>(Int4{h.bits, 0, 0, 0})[0]; }
LBM_APART Half narrow(float f) { return {uint16_t(narrow<Float4, Int4>(Float4{f, 0, 0, 0})[0])}; }

// Halves is a vector of halves, as many as a vector has floats.
typedef uint16_t Halves __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint16_t LooseHalves __attribute__((vector_size(VECTOR_BYTES / 2), aligned(2), may_alias));

LBM_INLINE Lanes<float>::R loadAny(const Half* p) {
	const Halves h = *(const LooseHalves*)p;
#if VECTOR_BYTES == 64
	return (Lanes<float>::R)_mm512_cvtph_ps((__m256i)h);
#elif VECTOR_BYTES == 32
	return (Lanes<float>::R)_mm256_cvtph_ps((__m128i)h);
#else
	return widen<Lanes<float>::R>(__builtin_convertvector(h, Lanes<float>::I));
#endif
}
LBM_INLINE Lanes<float>::R load(const Half* p) { return loadAny(p); }
LBM_INLINE Halves narrowAll(Lanes<float>::R v) {
#if VECTOR_BYTES == 64
	return (Halves)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif VECTOR_BYTES == 32
	return (Halves)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#else
	return __builtin_convertvector((narrow<Lanes<float>::R, Lanes<float>::I>(v)), Halves);
#endif
}
LBM_INLINE void store(Half* p, Lanes<float>::R v) { *(LooseHalves*)p = narrowAll(v); }
LBM_INLINE void stream(Half* p, Lanes<float>::R v) {
#if VECTOR_BYTES == 64
	_mm256_stream_si256((__m256i*)p, (__m256i)narrowAll(v));
#elif VECTOR_BYTES == 32
	_mm_stream_si128((__m128i*)p, (__m128i)narrowAll(v));
#elif defined(__SSE2__) && defined(__x86_64__)
	_mm_stream_si64((long long*)p, (long long)narrowAll(v));
#else
	store(p, v);
#endif
}

// streamRaw copies BYTES past the caches, as they are; both sides are aligned to them.
template <int BYTES> LBM_INLINE void streamRaw(void* to, const void* from) {
	static_assert(BYTES == 8 || BYTES == 16 || BYTES == 32 || BYTES == 64, "no such store");
#if VECTOR_BYTES >= 64
	if constexpr (BYTES == 64) return _mm512_stream_si512((__m512i*)to, *(const __m512i*)from);
#endif
#if VECTOR_BYTES >= 32
	if constexpr (BYTES == 32) return _mm256_stream_si256((__m256i*)to, *(const __m256i*)from);
#endif
#if defined(__SSE2__) && defined(__x86_64__)
	typedef long long Word __attribute__((may_alias));
	if constexpr (BYTES == 16) return _mm_stream_si128((__m128i*)to, *(const __m128i*)from);
	if constexpr (BYTES == 8) return _mm_stream_si64((long long*)to, *(const Word*)from);
#endif
	__builtin_memcpy(to, from, BYTES);
}

// Memory<S, L, MOMENTS> reads and writes component c of cells.
template <class S, class L, bool MOMENTS> struct Memory {
	typedef typename Lanes<S>::R R;
	LBM_INLINE static R load(const S* p, int) { return lbm::load(p); }
	LBM_INLINE static R loadAny(const S* p, int) { return lbm::loadAny(p); }
	LBM_INLINE static void store(S* p, int, R v) { lbm::store(p, v); }
	LBM_INLINE static void stream(S* p, int, R v) { lbm::stream(p, v); }
	LBM_INLINE static S get(S s, int) { return s; }
	LBM_INLINE static S put(double v, int) { return S(v); }
};
template <class L, bool MOMENTS> struct Memory<Half, L, MOMENTS> {
	typedef Lanes<float>::R R;
	LBM_INLINE static constexpr float scale(int c) { return float(1 << scale16<L, MOMENTS>(c)); }
	LBM_INLINE static R load(const Half* p, int c) { return lbm::load(p) * (1.f / scale(c)); }
	LBM_INLINE static R loadAny(const Half* p, int c) { return lbm::loadAny(p) * (1.f / scale(c)); }
	LBM_INLINE static void store(Half* p, int c, R v) { lbm::store(p, rounded(v, c)); }
	LBM_INLINE static void stream(Half* p, int c, R v) { lbm::stream(p, rounded(v, c)); }
	LBM_INLINE static R rounded(R v, int c) {
		typedef unsigned U __attribute__((vector_size(VECTOR_BYTES)));
		return (R)dither<U>((Lanes<float>::I)(v * scale(c)));
	}
	LBM_INLINE static float get(Half s, int c) { return widen(s) * (1.f / scale(c)); }
	LBM_INLINE static Half put(double v, int c) { return narrow(float(v) * scale(c)); }
};

}}  // namespace lbm
#endif
