// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build isa_avx512 || !(isa_avx2 || isa_baseline)

// The table of AVX-512.
#include "cpu/isa_avx512.h"
#include "cpu/table.h"
