// Scalars in the instruction set that every processor of the architecture has, and the choice among all.
#pragma GCC optimize("fp-contract=off")
#include "cpu.h"
#define VECTOR_BYTES 16
#include "cpu/lanes.h"
#include "catalogue.h"
#include "cpu/scalar.h"

extern "C" const lbm_scalar* lbm_scalar_at(const lbm_isa* isa, int lattice, int collision, int precision) {
#if defined(__x86_64__)
	if (isa == lbm_avx512()) return lbm_scalar_avx512(lattice, collision, precision);
	if (isa == lbm_avx2()) return lbm_scalar_avx2(lattice, collision, precision);
#endif
	return lbm::findScalar(lattice, collision, precision);
}
