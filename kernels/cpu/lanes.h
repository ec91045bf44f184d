// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Lanes: the SIMD vectors that the physics is instantiated with. GCC's vector
// types make the vectorisation part of the type: it cannot get lost when the code
// around it changes, as it can with a compiler's loop vectoriser.
// VECTOR_BYTES is 16, 32 or 64; isa_*.h sets it to the width of the instruction set.
#ifndef LBM_LANES_H
#define LBM_LANES_H
#include "../portable.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lbm { namespace {

// Lanes<T>: R is a vector of W numbers T, I the integers of the same width.
template <class T> struct Lanes;
template <> struct Lanes<float> {
	typedef float R __attribute__((vector_size(VECTOR_BYTES)));
	typedef float Loose __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
	typedef int I __attribute__((vector_size(VECTOR_BYTES)));
	typedef unsigned Bits __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
	static constexpr int W = VECTOR_BYTES / 4;
};
template <> struct Lanes<double> {
	typedef double R __attribute__((vector_size(VECTOR_BYTES)));
	typedef double Loose __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
	typedef long long I __attribute__((vector_size(VECTOR_BYTES)));
	typedef unsigned Bits __attribute__((vector_size(VECTOR_BYTES / 2), aligned(4), may_alias));
	static constexpr int W = VECTOR_BYTES / 8;
};
template <> struct Scalar<Lanes<float>::R> { using type = float; };
template <> struct Scalar<Lanes<double>::R> { using type = double; };

template <class T> LBM_INLINE typename Lanes<T>::R load(const T* p) { return *(const typename Lanes<T>::R*)p; }
template <class T> LBM_INLINE typename Lanes<T>::R loadAny(const T* p) { return *(const typename Lanes<T>::Loose*)p; }
template <class T> LBM_INLINE void store(T* p, typename Lanes<T>::R v) { *(typename Lanes<T>::R*)p = v; }

LBM_INLINE Lanes<float>::R magnitude(const Lanes<float>::R& v) { return (Lanes<float>::R)((Lanes<float>::I)v & 0x7fffffff); }

// stream stores v past the caches: the line is not read first.
LBM_INLINE void stream(float* p, Lanes<float>::R v) {
#if VECTOR_BYTES == 64
	_mm512_stream_ps(p, (__m512)v);
#elif VECTOR_BYTES == 32
	_mm256_stream_ps(p, (__m256)v);
#elif defined(__SSE2__)
	_mm_stream_ps(p, (__m128)v);
#else
	store(p, v);
#endif
}
LBM_INLINE void stream(double* p, Lanes<double>::R v) {
#if VECTOR_BYTES == 64
	_mm512_stream_pd(p, (__m512d)v);
#elif VECTOR_BYTES == 32
	_mm256_stream_pd(p, (__m256d)v);
#elif defined(__SSE2__)
	_mm_stream_pd(p, (__m128d)v);
#else
	store(p, v);
#endif
}
// FlushTiny treats numbers below the smallest normal one as zero while it lives.
// A flow that starts from rest is full of them at the front of the disturbance,
// and each costs the processor a hundred cycles or more. Every kernel does it, so
// results stay independent of instruction set and threads.
struct FlushTiny {
#if defined(__SSE2__)
	unsigned saved = _mm_getcsr();
	FlushTiny() { _mm_setcsr(saved | 0x8040); }  // flush to zero, denormals are zero
	~FlushTiny() { _mm_setcsr(saved); }
#else
	FlushTiny() {}
	~FlushTiny() {}
#endif
};

// fence orders streamed stores before what follows.
LBM_INLINE void fence() {
#if defined(__SSE2__)
	_mm_sfence();
#endif
}

// bit returns the mask of lanes whose word has bit i set.
template <class T> LBM_INLINE typename Lanes<T>::I bit(const unsigned* words, int i) {
	typedef typename Lanes<T>::I I;
	I w = __builtin_convertvector(*(const typename Lanes<T>::Bits*)words, I);
	typedef decltype(w[0] + 0) Word;
	return (w & (I{} + (Word)(1u << i))) != 0;
}

// squareRoot, log2Of and exp2Of: the first as IEEE 754 has it, the others to a few units
// in the last place, in arithmetic that gives all instruction sets the same numbers (the
// C library's do not promise that). The argument of the logarithm is a normal number.
#if VECTOR_BYTES == 64
LBM_INLINE Lanes<float>::R squareRoot(Lanes<float>::R v) { return (Lanes<float>::R)_mm512_sqrt_ps((__m512)v); }
LBM_INLINE Lanes<double>::R squareRoot(Lanes<double>::R v) { return (Lanes<double>::R)_mm512_sqrt_pd((__m512d)v); }
#elif VECTOR_BYTES == 32
LBM_INLINE Lanes<float>::R squareRoot(Lanes<float>::R v) { return (Lanes<float>::R)_mm256_sqrt_ps((__m256)v); }
LBM_INLINE Lanes<double>::R squareRoot(Lanes<double>::R v) { return (Lanes<double>::R)_mm256_sqrt_pd((__m256d)v); }
#elif defined(__SSE2__)
LBM_INLINE Lanes<float>::R squareRoot(Lanes<float>::R v) { return (Lanes<float>::R)_mm_sqrt_ps((__m128)v); }
LBM_INLINE Lanes<double>::R squareRoot(Lanes<double>::R v) { return (Lanes<double>::R)_mm_sqrt_pd((__m128d)v); }
#else
LBM_INLINE Lanes<float>::R squareRoot(Lanes<float>::R v) {
	for (int i = 0; i < Lanes<float>::W; i++) v[i] = __builtin_sqrtf(v[i]);
	return v;
}
LBM_INLINE Lanes<double>::R squareRoot(Lanes<double>::R v) {
	for (int i = 0; i < Lanes<double>::W; i++) v[i] = __builtin_sqrt(v[i]);
	return v;
}
#endif

// Format<T> holds the bit layout of a number (IEEE 754), and the number of terms of the series
// below.
template <class T> struct Format;
template <> struct Format<float> {
	static constexpr int DIGITS = 23, BIAS = 127, LOG = 6, EXP = 8;
	static constexpr float WHOLE = 0x1.8p23f;  // plus this a number has no digits after the point
};
template <> struct Format<double> {
	static constexpr int DIGITS = 52, BIAS = 1023, LOG = 12, EXP = 14;
	static constexpr double WHOLE = 0x1.8p52;
};

// With x = 2^e m, m from sqrt(1/2) to sqrt(2): ln m = 2 artanh((m-1)/(m+1)).
template <class T> LBM_INLINE typename Lanes<T>::R log2Lanes(typename Lanes<T>::R x) {
	typedef typename Lanes<T>::R R;
	typedef typename Lanes<T>::I I;
	typedef Format<T> F;
	const I half = (I)(R{} + T(0.70710678118654752)), e = ((I)x - half) >> F::DIGITS;
	const R m = (R)((I)x - (e << F::DIGITS)), t = (m - T(1)) / (m + T(1)), t2 = t * t;
	R sum = R{} + T(1) / T(2 * F::LOG + 1);
	for (int k = F::LOG - 1; k >= 0; k--) sum = sum * t2 + T(1) / T(2 * k + 1);
	const R whole = (R)(e + (I)(R{} + F::WHOLE)) - F::WHOLE;
	return whole + sum * t * T(2.8853900817779268);  // 2/ln 2
}

// With x = n + f, n the nearest whole number: 2^x = 2^n e^(f ln 2).
template <class T> LBM_INLINE typename Lanes<T>::R exp2Lanes(typename Lanes<T>::R x) {
	typedef typename Lanes<T>::R R;
	typedef typename Lanes<T>::I I;
	typedef Format<T> F;
	const T most = F::BIAS - 1;
	x = x < -most ? R{} - most : x > most ? R{} + most : x;
	const R shifted = x + F::WHOLE;
	const I n = (I)shifted - (I)(R{} + F::WHOLE);
	const R f = (x - (shifted - F::WHOLE)) * T(0.69314718055994531);
	R sum = R{} + T(1);
	for (int k = F::EXP; k >= 1; k--) sum = sum * f * (T(1) / T(k)) + T(1);
	return sum * (R)((n + F::BIAS) << F::DIGITS);
}
LBM_INLINE Lanes<float>::R log2Of(Lanes<float>::R v) { return log2Lanes<float>(v); }
LBM_INLINE Lanes<double>::R log2Of(Lanes<double>::R v) { return log2Lanes<double>(v); }
LBM_INLINE Lanes<float>::R exp2Of(Lanes<float>::R v) { return exp2Lanes<float>(v); }
LBM_INLINE Lanes<double>::R exp2Of(Lanes<double>::R v) { return exp2Lanes<double>(v); }
// A single number is computed like each of many.
template <class T> LBM_INLINE T squareRoot(T v) { return squareRoot(typename Lanes<T>::R{} + v)[0]; }
template <class T> LBM_INLINE T log2Of(T v) { return log2Of(typename Lanes<T>::R{} + v)[0]; }
template <class T> LBM_INLINE T exp2Of(T v) { return exp2Of(typename Lanes<T>::R{} + v)[0]; }

template <class T> LBM_INLINE typename Lanes<T>::I laneNumbers() {
	typename Lanes<T>::I v;
	for (int i = 0; i < Lanes<T>::W; i++) v[i] = i;
	return v;
}

}}  // namespace lbm
#endif
