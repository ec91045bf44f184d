// Lanes: the SIMD vectors that the physics is instantiated with. GCC's vector
// types make the vectorisation part of the type: it cannot get lost when the code
// around it changes, as it can with a compiler's loop vectoriser.
// VECTOR_BYTES is 16, 32 or 64; each .cpp sets it to its instruction set's width.
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

// bit is the mask of lanes whose word has bit i set.
template <class T> LBM_INLINE typename Lanes<T>::I bit(const unsigned* words, int i) {
	typedef typename Lanes<T>::I I;
	I w = __builtin_convertvector(*(const typename Lanes<T>::Bits*)words, I);
	typedef decltype(w[0] + 0) Word;
	return (w & (I{} + (Word)(1u << i))) != 0;
}

template <class T> LBM_INLINE typename Lanes<T>::I laneNumbers() {
	typename Lanes<T>::I v;
	for (int i = 0; i < Lanes<T>::W; i++) v[i] = i;
	return v;
}

}}  // namespace lbm
#endif
