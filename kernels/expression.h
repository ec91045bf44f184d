// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Functions that the case's expressions call and C++ lacks: expressions come as text (config,
// expr.go), for devices that evaluate them themselves.
#ifndef LBM_EXPRESSION_H
#define LBM_EXPRESSION_H
#include "portable.h"

namespace lbm { namespace {

// The smaller and the larger of two numbers; a NaN remains a NaN.
LBM_HD LBM_INLINE double smaller(double a, double b) { return a != a ? a : b != b ? b : a < b ? a : b; }
LBM_HD LBM_INLINE double larger(double a, double b) { return a != a ? a : b != b ? b : a > b ? a : b; }

}}  // namespace lbm
#endif
