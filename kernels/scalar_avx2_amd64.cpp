// Scalars in AVX2.
#pragma GCC optimize("fp-contract=off")
#pragma GCC target("avx2,f16c")
#define VECTOR_BYTES 32
#include "cpu.h"
#include "cpu/lanes.h"
#include "catalogue.h"
#include "cpu/scalar.h"

extern "C" const lbm_scalar* lbm_scalar_avx2(int lattice, int collision, int precision) { return lbm::findScalar(lattice, collision, precision); }
