// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build isa_avx2 || !(isa_avx512 || isa_baseline)

// The table of AVX2.
#include "cpu/isa_avx2.h"
#include "cpu/table.h"
