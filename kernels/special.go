package kernels

// #include "cpu.h"
// static void special_forces(const lbm_special* k, const void* c, const void* l, const void* state, const int32_t* origin, int32_t y, int32_t z, int64_t* sums) { k->forces(c, l, state, origin, y, z, sums); }
// static void special_drain(const lbm_special* k, const void* c, const void* cells, const void* rules, int64_t first, int64_t last, int32_t xlo, int32_t xhi, const void* in, void* out) { k->drain(c, cells, rules, first, last, xlo, xhi, in, out); }
import "C"

import "unsafe"

// Links is the lists of boundary.Links as the kernels see them (lbm_links); the pointers
// are to memory outside Go's.
type Links struct{ Rows, Cells, List, Types, Laws unsafe.Pointer }

// Special is the functions for special cells and faces of one model, but for steps.
type Special struct{ k *C.lbm_special }

// Special finds the functions of a model; all instruction sets have the same.
func (i ISA) Special(m Index) Special {
	return Special{C.lbm_special_at(C.int(m.Lattice), C.int(m.Collision), C.int(m.Precision))}
}

// Ghost is for Case.Beyond.
func (k Special) Ghost() unsafe.Pointer { return unsafe.Pointer(k.k.ghost) }

// Drain applies those of cells first to last of a list of boundary.OutletCell whose x is in [x[0], x[1])
// to the state that a step from in leads to.
func (k Special) Drain(c *Case, cells, rules unsafe.Pointer, first, last int, x [2]int, in, out unsafe.Pointer) {
	C.special_drain(k.k, unsafe.Pointer(c), cells, rules, C.int64_t(first), C.int64_t(last), C.int32_t(x[0]), C.int32_t(x[1]), in, out)
}

// Forces adds those of one row to sums, six for each type.
func (k Special) Forces(c *Case, l *Links, state unsafe.Pointer, origin [3]int, y, z int, sums []int64) {
	at := [3]C.int32_t{C.int32_t(origin[0]), C.int32_t(origin[1]), C.int32_t(origin[2])}
	C.special_forces(k.k, unsafe.Pointer(c), unsafe.Pointer(l), state, &at[0], C.int32_t(y), C.int32_t(z), (*C.int64_t)(&sums[0]))
}
