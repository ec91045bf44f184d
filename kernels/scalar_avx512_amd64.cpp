// Scalars in AVX-512.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#define VECTOR_BYTES 64
#include "cpu.h"
#include "cpu/lanes.h"
#include "catalogue.h"
#include "cpu/scalar.h"

extern "C" const lbm_scalar* lbm_scalar_avx512(int lattice, int collision, int precision) { return lbm::findScalar(lattice, collision, precision); }
