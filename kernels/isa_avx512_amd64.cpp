// AVX-512, on server processors since 2017.
// No contraction of a*b + c into one rounding: results must not depend on the instruction set.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#define VECTOR_BYTES 64
#include "cpu/instances.h"

static const lbm_isa isa = lbm::instances("avx512");
extern "C" const lbm_isa* lbm_avx512(void) {
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") ? &isa : 0;
}
