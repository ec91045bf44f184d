// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Functions that Go calls. cgo calls no function pointers: functions of a table are called through cpu.go.
#ifndef LBM_CPU_H
#define LBM_CPU_H
#include "cpu/api.h"
#ifdef __cplusplus
extern "C" {
#endif
// The table of instruction set number i, best first; null if this processor or
// this build lacks it.
const lbm_isa* lbm_isa_at(int i);
// The best instruction set that this processor has and this build does not, if that is better than all that it has; otherwise
// null.
const char* lbm_isa_left_out(void);
// kernels/layout.h and the lattice tables, for the tests that compare them with Go's.
int64_t lbm_layout_at(const int32_t n[3], const int32_t ghost[3], int32_t components, int32_t pitch, int32_t x, int32_t y, int32_t z, int32_t c);
int lbm_lattice(int lattice, int i, int32_t c[3], double* weight, int* opposite);
// The portable conversions of cpu/memory.h, for their test.
uint16_t lbm_half(float f);
float lbm_number(uint16_t half);
#ifdef __cplusplus
}
#endif
#endif
