// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The C interface of the coupling between levels on the CPU (levels.h): one table of functions per lattice and precision.
// buffer is a compact buffer, [cell][component] in the state's number type.
#ifndef LBM_CPU_LEVELS_API_H
#define LBM_CPU_LEVELS_API_H
#include "../level_lists.h"
#include "api.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	// writes rho - 1, u and P of cells first to last to a compact buffer, and the scalar behind them
	void (*values)(const lbm_case*, const lbm_numbers*, const lbm_copied*, int64_t first, int64_t last, const void* state, void* buffer);
	// fills places cells + first to cells + last of such a buffer
	void (*extrapolate)(const lbm_case*, const lbm_extrapolated*, int64_t first, int64_t last, int64_t cells, void* buffer);
	// fills the children of parents first to last
	void (*prolong)(const lbm_case*, const lbm_conversion*, const lbm_parent*, int64_t first, int64_t last, const void* buffer, void* state);
	// writes the means of families first to last
	void (*restricted)(const lbm_case*, const lbm_conversion*, const lbm_family*, int64_t first, int64_t last, const void* state, void* buffer);
	// writes the populations sent by upstream cells first to last, [cell][slot], by the closure with that number
	void (*send)(const lbm_case*, int model, const lbm_upstream*, int64_t first, int64_t last, const void* state, void* sent);
	// the same for a scalar; gains are additions of walls, [number][slot]
	void (*carry)(const lbm_case*, int model, const lbm_carrier*, int64_t first, int64_t last, const void* state, const void* gains, void* sent);
	// sets the sums of mass and momentum of faces first to last, numbers for each, or adds to them
	void (*count)(const lbm_crossed*, const uint32_t* upstream, const lbm_crossing*, int64_t first, int64_t last, const void* sent, double scale, int add, int numbers, double* sums);
	// the same of the heat behind them
	void (*heat)(const lbm_crossed*, const uint32_t* carriers, const lbm_crossing*, int64_t first, int64_t last, const void* sent, double scale, int add, double* sums);
	// adds own sums and fine faces' sums to cells first to last; own[k] belongs to cell k
	void (*correct)(const lbm_case*, const lbm_numbers*, const lbm_corrected*, const uint32_t* faces, int64_t first, int64_t last, const double* own, const double* fine, void* state);
	int32_t sends;  // slots of an upstream cell
} lbm_levels;

// lbm_levels_of returns the table of a lattice of model.Lattices in float64 (precision 1) or float32 (0), wide: for processors with
// AVX2, if the build has it.
const lbm_levels* lbm_levels_of(int wide, int lattice, int precision);

#ifdef __cplusplus
}
#endif
#endif
