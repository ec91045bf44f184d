// AVX2 and the conversion of halves (F16C), on processors since 2013.
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx2,f16c")
#define VECTOR_BYTES 32
#include "cpu/instances.h"

static const lbm_isa isa = lbm::instances("avx2");
extern "C" const lbm_isa* lbm_avx2(void) {
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") ? &isa : 0;
}
