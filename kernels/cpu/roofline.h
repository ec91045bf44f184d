// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Two loops that only move memory, in the state's layout: the limits of the machine. update: every
// value in place, the traffic of the best population codes (AA or esoteric streaming). copy: from
// one array to another past the caches.
#ifndef LBM_ROOFLINE_H
#define LBM_ROOFLINE_H
#include "memory.h"

namespace lbm { namespace {

// updateRow changes x to 1 - x (exact where x is 0 or 1, so that it can be checked)
// in all components of one cell vector before the next one, as an in-place step does.
template <class T, int N> void updateRow(T* row, long pitch) {
	typedef typename Arithmetic<T>::T A;
	for (long x = 0; x < pitch; x += Lanes<A>::W)
		unroll<N>([&](auto i) LBM_LAMBDA {
			T* p = row + i.value * pitch + x;
			__builtin_prefetch(p + N * pitch, 0, 2);  // to L2: into L1 it takes a third longer on some processors
			store(p, A(1) - load(p));
		});
}

template <class T> void update(T* data, int64_t rows, int64_t components, int64_t pitch) {
	for (int64_t k = 0; k < rows; k++) {
		T* row = data + k * components * pitch;
		switch (components) {
		case 6: updateRow<T, 6>(row, pitch); break;
		case 9: updateRow<T, 9>(row, pitch); break;
		case 10: updateRow<T, 10>(row, pitch); break;
		case 19: updateRow<T, 19>(row, pitch); break;
		default:
			for (int64_t c = 0; c < components; c++) updateRow<T, 1>(row + c * pitch, pitch);
		}
	}
}

void updateBytes(void* data, int64_t rows, int64_t components, int64_t pitch, int32_t bytes) {
	if (bytes == 2) update((Half*)data, rows, components, pitch);
	else if (bytes == 4) update((float*)data, rows, components, pitch);
	else update((double*)data, rows, components, pitch);
}

void copyBytes(void* dst, const void* src, int64_t bytes) {
	float* to = (float*)dst;
	const float* from = (const float*)src;
	for (int64_t i = 0; i < bytes / 4; i += 64 / 4)
		unroll<64 / VECTOR_BYTES>([&](auto k) LBM_LAMBDA {
			constexpr int at = decltype(k)::value * Lanes<float>::W;
			stream(to + i + at, load(from + i + at));
		});
	fence();
}

}}  // namespace lbm
#endif
