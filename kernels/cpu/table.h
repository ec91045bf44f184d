// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of the instruction set LBM_ISA: its steps (steps.h), its rooflines, its averages, and the kernels beside them (cells.h,
// wide.h).
// Each lattice has a separate unit, which the compiler can hold in less than a gigabyte.
#ifndef LBM_TABLE_H
#define LBM_TABLE_H
#include "../cpu.h"
#include "names.h"
#include "roofline.h"
#include "statistics.h"
#include "../catalogue.h"

#define LATTICE(NUMBER, L) \
	extern "C" const lbm_steps* LBM_STEPS_NAME(L)(int collision, int precision, int local); \
	extern "C" const lbm_cells* LBM_ISA_CELLS(L)(int moments, int precision);
LBM_LATTICES(LATTICE)
#undef LATTICE

static const lbm_steps* steps(int lattice, int collision, int precision, int local) {
	switch (lattice) {
#define LATTICE(NUMBER, L) \
	case NUMBER: return LBM_STEPS_NAME(L)(collision, precision, local);
		LBM_LATTICES(LATTICE)
#undef LATTICE
	}
	return nullptr;
}

static const lbm_cells* cells(int lattice, int moments, int precision) {
	switch (lattice) {
#define LATTICE(NUMBER, L) \
	case NUMBER: return LBM_ISA_CELLS(L)(moments, precision);
		LBM_LATTICES(LATTICE)
#undef LATTICE
	}
	return nullptr;
}

static const lbm_isa isa = {LBM_STRING(LBM_ISA), &steps, &cells, &lbm::updateBytes, &lbm::copyBytes, &lbm::average};
extern "C" const lbm_isa* LBM_JOIN(lbm_, LBM_ISA)(void) { return LBM_ISA_HAS ? &isa : nullptr; }
#endif
