package kernels

// #include "cpu.h"
// static void special_step(const lbm_special* k, const void* c, const void* p, const void* l, const void* in, void* out, const lbm_range* r) { k->step(c, p, l, in, out, r); }
// static void special_forces(const lbm_special* k, const void* c, const void* l, const void* state, const int32_t* origin, int32_t y, int32_t z, int64_t* sums) { k->forces(c, l, state, origin, y, z, sums); }
import "C"

import (
	"unsafe"

	"lbmsim/decomp"
	"lbmsim/model"
)

// Links is the lists of device.Links as the kernels see them (lbm_links); the pointers
// are to memory outside Go's.
type Links struct{ Rows, Cells, List, Types, Laws unsafe.Pointer }

// Special is the functions for special cells of one spec.
type Special struct {
	k    *C.lbm_special
	spec model.Spec
}

// Special finds the functions of a spec; all instruction sets have the same.
func (i ISA) Special(s model.Spec) (Special, error) {
	l, c, err := place(s)
	if err != nil {
		return Special{}, err
	}
	return Special{C.lbm_special_at(C.int(l), C.int(c), C.int(s.Precision)), s}, nil
}

// Step computes the special cells of b.
func (k Special) Step(c *Case, p model.Params, l *Links, in, out unsafe.Pointer, b decomp.Box) {
	q, r := NumbersOf(k.spec, p), ranges(b)
	C.special_step(k.k, unsafe.Pointer(c), unsafe.Pointer(&q), unsafe.Pointer(l), in, out, &r)
}

// Forces adds those of one row to sums, six for each type.
func (k Special) Forces(c *Case, l *Links, state unsafe.Pointer, origin [3]int, y, z int, sums []int64) {
	at := [3]C.int32_t{C.int32_t(origin[0]), C.int32_t(origin[1]), C.int32_t(origin[2])}
	C.special_forces(k.k, unsafe.Pointer(c), unsafe.Pointer(l), state, &at[0], C.int32_t(y), C.int32_t(z), (*C.int64_t)(&sums[0]))
}
