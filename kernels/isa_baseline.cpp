// The instruction set that every processor of the architecture has: SSE2 on amd64.
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#define VECTOR_BYTES 16
#include "cpu/instances.h"

static const lbm_isa isa = lbm::instances("baseline");
extern "C" const lbm_isa* lbm_baseline(void) { return &isa; }
