// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Macros for the differences between g++ and NVRTC, and compile-time loops. The
// headers of the physics include nothing but each other, so that the same text
// compiles on a GPU at run time, where there is no standard library.
#ifndef LBM_PORTABLE_H
#define LBM_PORTABLE_H

#if defined(__CUDACC__) || defined(__HIPCC_RTC__)
#define LBM_HD __host__ __device__       // callable on host and device
#define LBM_INLINE __forceinline__       // always inlined
#define LBM_APART __forceinline__        // always inlined on a GPU, never on a CPU: large, and called for few cells
#define LBM_NOINLINE __noinline__        // never inlined: called from many places
#define LBM_LAMBDA                       // the same for lambdas
#define LBM_RESTRICT __restrict__        // no other pointer reaches this memory
#define LBM_ROLLED _Pragma("unroll 1")   // the loop stays a loop
#else
#define LBM_HD
#define LBM_INLINE inline __attribute__((always_inline))
#define LBM_APART __attribute__((noinline))
#define LBM_NOINLINE __attribute__((noinline))
#define LBM_LAMBDA __attribute__((always_inline))
#define LBM_RESTRICT __restrict__
#define LBM_ROLLED
#endif

// Everything lives in an unnamed namespace: the CPU kernels are compiled once
// per instruction set, and the linker must not take one's copy for another's.
namespace lbm { namespace {

// Int<i> carries a compile-time integer as a value.
template <int I> struct Int { static constexpr int value = I; };

// Ints<0, ..., N-1> is CountTo<N>::type, made of two halves: few instances for the compiler.
template <int... I> struct Ints {};
template <class A, class B> struct Joined;
template <int... I, int... K> struct Joined<Ints<I...>, Ints<K...>> { typedef Ints<I..., int(sizeof...(I)) + K...> type; };
template <int N> struct CountTo { typedef typename Joined<typename CountTo<N / 2>::type, typename CountTo<N - N / 2>::type>::type type; };
template <> struct CountTo<0> { typedef Ints<> type; };
template <> struct CountTo<1> { typedef Ints<0> type; };

template <class F, int... I> LBM_HD LBM_INLINE void unrollInts(F& body, Ints<I...>) { (body(Int<I>{}), ...); }

// unroll<N> calls body(Int<0>), ..., body(Int<N-1>): a loop whose index is a
// constant in its body, so that tables vanish and arrays become registers.
template <int N, class F> LBM_HD LBM_INLINE void unroll(F body) { unrollInts(body, typename CountTo<N>::type()); }

// Scalar<R>::type is the number type of arithmetic type R: R itself for a GPU thread; the CPU's
// SIMD vectors define theirs in cpu/lanes.h.
template <class R> struct Scalar { using type = R; };

// reciprocal returns 1/x. On a GPU the quotient of two numbers is a subroutine with its own
// branches; for numbers that are neither huge nor tiny, as all here, an approximation with
// Newton's iteration is as exact to the last bit or two.
#if defined(__CUDACC__)
__device__ LBM_INLINE float reciprocal(float x) {
	float r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return fmaf(r, fmaf(-x, r, 1.f), r);
}
__device__ LBM_INLINE double reciprocal(double x) {
	double r;
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));  // 20 bits
	const double e = fma(-x, r, 1.);
	return fma(r, fma(e, e, e), r);  // 60
}
#else
template <class R> LBM_INLINE R reciprocal(const R& x) { return typename Scalar<R>::type(1) / x; }
#endif

// each applies a function of one number to the cells that R has: all at once on a CPU.
template <class R, class F> LBM_HD LBM_INLINE R each(const R& a, F f) { return f(a); }

// squareRoot, log2Of and exp2Of of positive numbers; cpu/lanes.h has them for a CPU's vectors.
#if defined(__CUDACC__)
// Like reciprocal, without branches. Numbers below 1e-36, or 1e-300, are raised to that; a NaN may
// be, too.
__device__ LBM_INLINE float squareRoot(float x) {
	float r;
	x = fmaxf(x, 1e-36f);
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	const float s = x * r;
	return fmaf(fmaf(-s, s, x), 0.5f * r, s);
}
__device__ LBM_INLINE double squareRoot(double x) {
	double r;
	x += 1e-300;
	asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));  // 20 bits
	const double s = x * r, e = fma(-s, r, 1.);
	return fma(s * e, fma(e, 0.375, 0.5), s);  // 60
}
__device__ LBM_INLINE float log2Of(float x) { return log2f(x); }
__device__ LBM_INLINE double log2Of(double x) { return log2(x); }
__device__ LBM_INLINE float exp2Of(float x) { return exp2f(x); }
__device__ LBM_INLINE double exp2Of(double x) { return exp2(x); }
#endif

// magnitude returns |x|; cpu/lanes.h has it for a CPU's vectors.
#if defined(__CUDACC__)
__device__ LBM_INLINE float magnitude(float x) { return fabsf(x); }
#else
template <class R> LBM_INLINE R magnitude(const R& x) { return x < 0 ? -x : x; }
#endif

// ones counts the set bits of a word.
#if defined(__CUDACC__)
__device__ LBM_INLINE int ones(unsigned word) { return __popc(word); }
#else
LBM_INLINE int ones(unsigned word) { return __builtin_popcount(word); }
#endif

// select returns a where mask is set, otherwise b; lane by lane for vectors.
template <class M, class R> LBM_HD LBM_INLINE R select(const M& mask, const R& a, const R& b) { return mask ? a : b; }

}}  // namespace lbm
#endif
