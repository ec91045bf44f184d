// What the case's expressions call and C++ lacks: they come as text (config, expr.go), for devices that
// work them out themselves.
#ifndef LBM_EXPRESSION_H
#define LBM_EXPRESSION_H
#include "portable.h"

namespace lbm { namespace {

// Of two numbers; what is no number stays none.
LBM_HD LBM_INLINE double smaller(double a, double b) { return a != a ? a : b != b ? b : a < b ? a : b; }
LBM_HD LBM_INLINE double larger(double a, double b) { return a != a ? a : b != b ? b : a > b ? a : b; }

}}  // namespace lbm
#endif
