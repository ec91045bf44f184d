// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of the baseline instruction set.
#include "cpu/isa_baseline.h"
#include "cpu/table.h"
