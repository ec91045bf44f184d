// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

// One binary for machines with and without an NVIDIA driver. gorgonia.org/cu calls the driver's
// functions by name and would link to libcuda.so.1. Here their names are jumps through a table
// (trampolines.c), which is filled when a GPU is requested: until then, and for functions that an
// old driver lacks, a call returns CUDA_ERROR_NOT_FOUND.
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int lbm_driver_absent(void) { return 500; }  // CUDA_ERROR_NOT_FOUND

// cu calls this when lbmsim starts, and ends the process if it fails.
// The driver starts later: `lbmsim --help` need not wake eight GPUs.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) {
	(void)flags;
	return 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[512];
static int result;

static void load(void) {
	void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(reason, sizeof reason, "%s", dlerror());
		return;
	}
	int (*init)(unsigned);
	*(void**)&init = dlsym(library, "cuInit");
	if (!init) {
		snprintf(reason, sizeof reason, "libcuda.so.1 is not NVIDIA's driver: it has no cuInit");
		dlclose(library);
		return;
	}
	for (int i = 0; i < lbm_driver_count; i++) {
		void* f = dlsym(library, lbm_driver_names[i]);
		if (f) memcpy(&lbm_driver_table[i], &f, sizeof f);
	}
	result = init(0);
	if (result) snprintf(reason, sizeof reason, "cuInit failed");
}

const char* lbm_driver_load(int* code) {
	pthread_once(&once, load);
	*code = result;
	return reason[0] ? reason : 0;
}
