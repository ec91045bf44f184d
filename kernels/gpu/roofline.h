// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Two loops that only move memory, in the state's layout: the limits of the machine. update: every
// value in place, the traffic of the best population codes (AA or esoteric streaming). copy: from
// one array to another.
#ifndef LBM_GPU_ROOFLINE_H
#define LBM_GPU_ROOFLINE_H
#include "api.h"
#include "pack.h"

namespace lbm { namespace {

// Complement computes 1 - v of the values S in a word.
template <class S> struct Complement {
	template <class W> __device__ static LBM_INLINE W of(W w) {
		constexpr int N = sizeof(W) / sizeof(S);
		Image<S, N> image;
		image.bits = w;
#pragma unroll
		for (int i = 0; i < N; i++) image.s[i] = S(1) - image.s[i];
		return image.bits;
	}
};
template <> struct Complement<half> {
	template <class W> __device__ static LBM_INLINE W of(W w) {
		Image<unsigned, sizeof(W) / 4> image;
		image.bits = w;
#pragma unroll
		for (int i = 0; i < int(sizeof(W) / 4); i++) asm("sub.f16x2 %0, %1, %2;" : "=r"(image.s[i]) : "r"(0x3c003c00u), "r"(image.s[i]));
		return image.bits;
	}
};

struct Roofline {
	// updateRow changes v to 1 - v (exact where v is 0 or 1, so that it can be
	// checked) in all of the N components of a word's cells before the next word, as an
	// in-place step does. A block updates one row.
	template <class S, class W, int N> __device__ static LBM_INLINE void updateRow(S* row, int pitch) {
		constexpr int CELLS = sizeof(W) / sizeof(S);
		for (int x = threadIdx.x * CELLS; x < pitch; x += ROW * CELLS) {
			W w[N];
			unroll<N>([&](auto i) LBM_LAMBDA { w[i.value] = *(const W*)(row + i.value * pitch + x); });
			unroll<N>([&](auto i) LBM_LAMBDA { *(W*)(row + i.value * pitch + x) = Complement<S>::of(w[i.value]); });
		}
	}
	template <class S, class W> __device__ static LBM_INLINE void updateOf(S* row, int components, int pitch) {
		switch (components) {
		case 6: updateRow<S, W, 6>(row, pitch); break;
		case 9: updateRow<S, W, 9>(row, pitch); break;
		case 10: updateRow<S, W, 10>(row, pitch); break;
		case 19: updateRow<S, W, 19>(row, pitch); break;
		default:
			for (int c = 0; c < components; c++) updateRow<S, W, 1>(row + (long long)c * pitch, pitch);
		}
	}
	// Words are as wide as possible with one for every thread of the row.
	template <class S> __device__ static LBM_INLINE void update(S* data, long long rows, int components, int pitch) {
		S* const row = data + blockIdx.x * (long long)components * pitch;
		if (blockIdx.x >= rows) return;
		if (pitch * int(sizeof(S)) >= ROW * 16) updateOf<S, uint4>(row, components, pitch);
		else if (pitch * int(sizeof(S)) >= ROW * 8) updateOf<S, uint2>(row, components, pitch);
		else if constexpr (sizeof(S) <= 4) updateOf<S, unsigned>(row, components, pitch);
		else updateOf<S, uint2>(row, components, pitch);
	}

	// copy gives each block an equal range.
	__device__ static LBM_INLINE void copy(uint4* LBM_RESTRICT dst, const uint4* LBM_RESTRICT src, long long count) {
		const long long share = (count + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share, end = first + share < count ? first + share : count;
		long long i = first + threadIdx.x;
		for (; i + 3 * ROW < end; i += 4 * ROW) {
			uint4 w[4];
			unroll<4>([&](auto k) LBM_LAMBDA { w[k.value] = __ldcs(src + i + k.value * ROW); });
			unroll<4>([&](auto k) LBM_LAMBDA { __stcs(dst + i + k.value * ROW, w[k.value]); });
		}
		for (; i < end; i += ROW) __stcs(dst + i, __ldcs(src + i));
	}
};

}}  // namespace lbm
#endif
