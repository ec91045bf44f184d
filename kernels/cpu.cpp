// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The list of instruction sets, and the header's tables shown to Go.
#include "cpu.h"
#include "cpu/names.h"
#define VECTOR_BYTES 16
#include "cpu/memory.h"
#include "lattice/d2q9.h"
#include "lattice/d3q19.h"
#include "lattice/d3q27.h"
#include "layout.h"

// Null where the build leaves an instruction set out (cpu.go); the functions return null where the processor lacks it.
extern "C" {
const lbm_isa* lbm_avx512(void) __attribute__((weak));
const lbm_isa* lbm_avx2(void) __attribute__((weak));
const lbm_isa* lbm_baseline(void);
}

extern "C" const lbm_isa* lbm_isa_at(int i) {
	if (i == 0) return lbm_avx512 ? lbm_avx512() : nullptr;
	if (i == 1) return lbm_avx2 ? lbm_avx2() : nullptr;
	return i == 2 ? lbm_baseline() : nullptr;
}

extern "C" const char* lbm_isa_left_out(void) {
#if defined(__x86_64__)
	if (lbm_avx512 && lbm_avx512()) return nullptr;
	if (LBM_HAS_AVX512) return "avx512";
	if (!(lbm_avx2 && lbm_avx2()) && LBM_HAS_AVX2) return "avx2";
#endif
	return nullptr;
}

extern "C" int64_t lbm_layout_at(const int32_t n[3], const int32_t ghost[3], int32_t components, int32_t pitch, int32_t x, int32_t y, int32_t z, int32_t c) {
	return lbm::Layout{n[0], n[1], n[2], ghost[1], ghost[2], components, pitch}.at(x, y, z, c);
}

extern "C" uint16_t lbm_half(float f) { return lbm::narrow(f).bits; }
extern "C" float lbm_number(uint16_t half) { return lbm::widen(lbm::Half{half}); }

template <class L> static int describe(int i, int32_t c[3], double* weight, int* opposite) {
	if (i < L::Q) {
		for (int a = 0; a < 3; a++) c[a] = L::c(i, a);
		*weight = L::share(i) / double(L::UNIT);
		*opposite = L::opposite(i);
	}
	return L::Q;
}

extern "C" int lbm_lattice(int lattice, int i, int32_t c[3], double* weight, int* opposite) {
	if (lattice == 0) return describe<lbm::D2Q9>(i, c, weight, opposite);
	return lattice == 1 ? describe<lbm::D3Q19>(i, c, weight, opposite) : describe<lbm::D3Q27>(i, c, weight, opposite);
}
