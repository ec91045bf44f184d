// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Pack: a few neighbouring cells along x that one thread computes together, with
// the arithmetic of one number, so that the physics is instantiated with it as
// with a CPU's SIMD vector.
#ifndef LBM_PACK_H
#define LBM_PACK_H
#include "storage.h"

namespace lbm { namespace {

template <class T, int N> struct Pack {
	T v[N];
};
template <class T, int N> struct Scalar<Pack<T, N>> { using type = T; };

#define LBM_PACK_OPERATOR(op)                                                                              \
	template <class T, int N> __device__ LBM_INLINE Pack<T, N> operator op(Pack<T, N> a, Pack<T, N> b) {   \
		_Pragma("unroll") for (int i = 0; i < N; i++) a.v[i] = a.v[i] op b.v[i];                                             \
		return a;                                                                                          \
	}                                                                                                      \
	template <class T, int N> __device__ LBM_INLINE Pack<T, N> operator op(Pack<T, N> a, T b) {            \
		for (int i = 0; i < N; i++) a.v[i] = a.v[i] op b;                                                  \
		return a;                                                                                          \
	}                                                                                                      \
	template <class T, int N> __device__ LBM_INLINE Pack<T, N> operator op(T a, Pack<T, N> b) {            \
		for (int i = 0; i < N; i++) b.v[i] = a op b.v[i];                                                  \
		return b;                                                                                          \
	}
LBM_PACK_OPERATOR(+)
LBM_PACK_OPERATOR(-)
LBM_PACK_OPERATOR(*)
#undef LBM_PACK_OPERATOR
template <class T, int N> __device__ LBM_INLINE Pack<T, N> reciprocal(Pack<T, N> a) {
#pragma unroll
	for (int i = 0; i < N; i++) a.v[i] = reciprocal(a.v[i]);
	return a;
}
template <class T, int N, class F> __device__ LBM_INLINE Pack<T, N> each(Pack<T, N> a, F f) {
#pragma unroll
	for (int i = 0; i < N; i++) a.v[i] = f(a.v[i]);
	return a;
}
template <class T, int N> __device__ LBM_INLINE Pack<T, N> squareRoot(Pack<T, N> a) {
#pragma unroll
	for (int i = 0; i < N; i++) a.v[i] = squareRoot(a.v[i]);
	return a;
}
template <class T, int N> __device__ LBM_INLINE Pack<T, N> magnitude(Pack<T, N> a) {
#pragma unroll
	for (int i = 0; i < N; i++) a.v[i] = magnitude(a.v[i]);
	return a;
}
// Mask is a condition for each of the cells.
template <int N> struct Mask {
	bool v[N];
};
template <class T, int N> __device__ LBM_INLINE Mask<N> operator>(const Pack<T, N>& a, const Pack<T, N>& b) {
	Mask<N> mask;
#pragma unroll
	for (int i = 0; i < N; i++) mask.v[i] = a.v[i] > b.v[i];
	return mask;
}
template <class T, int N> __device__ LBM_INLINE Pack<T, N> select(const Mask<N>& mask, Pack<T, N> a, const Pack<T, N>& b) {
#pragma unroll
	for (int i = 0; i < N; i++) a.v[i] = mask.v[i] ? a.v[i] : b.v[i];
	return a;
}

// Bits is the memory image of N values S: one load or store of the thread.
template <int BYTES> struct Bits;
template <> struct Bits<2> { typedef unsigned short type; };
template <> struct Bits<4> { typedef unsigned type; };
template <> struct Bits<8> { typedef uint2 type; };
template <> struct Bits<16> { typedef uint4 type; };
template <class S, int N> using BitsOf = typename Bits<sizeof(S) * N>::type;

// Image converts it to the values and back.
template <class S, int N> union Image {
	BitsOf<S, N> bits;
	S s[N];
	__device__ LBM_INLINE Image() {}
};

}}  // namespace lbm
#endif
