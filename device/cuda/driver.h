// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// NVIDIA's driver, found at run time; see driver.c.
#ifndef LBM_CUDA_DRIVER_H
#define LBM_CUDA_DRIVER_H

#pragma GCC visibility push(hidden)

typedef int (*lbm_driver_function)(void);
extern lbm_driver_function lbm_driver_table[];
extern const char* const lbm_driver_names[];
extern const int lbm_driver_count;

int lbm_driver_absent(void);

// lbm_driver_load finds and starts the driver, once; any thread may call it. It returns null, or
// the reason why it is not available. *code is then cuInit's result, or 0 if there is no library at all.
const char* lbm_driver_load(int* code);

#pragma GCC visibility pop
#endif
