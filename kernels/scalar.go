package kernels

// #include "cpu.h"
// static void scalar_step(const lbm_scalar* k, const void* c, const void* p, const void* w, const void* in, void* out, const lbm_range* r, void* scratch) { k->step(c, p, w, in, out, r, scratch); }
// static void scalar_lost(const lbm_scalar* k, const void* c, const void* p, const void* w, const void* state, int64_t* sums) { k->lost(c, p, w, state, sums); }
// static int64_t scalar_scratch(const lbm_scalar* k, const lbm_range* r) { return k->scratch(r); }
import "C"

import "unsafe"

// ScalarWalls is what a box has of walls for a scalar (lbm_scalar_walls); the pointers
// are to memory outside Go's.
type ScalarWalls struct {
	Types unsafe.Pointer // of the cells and one layer around
	Laws  unsafe.Pointer // of each type, 0 too: the law's number and its value, in the state's number type
	Links unsafe.Pointer // []boundary.ScalarLink
	Count int64          // of these
	// []uint32 and []boundary.ScalarPlace: cells beside half-way walls at rest, and beside others.
	MendRows, MixRows, Mend, Mix unsafe.Pointer
	Distances                    unsafe.Pointer // []float64, of the links of Mix
}

// Scalar is the functions for the scalar of one model that has one.
type Scalar struct{ k *C.lbm_scalar }

// Scalar finds the functions of a model.
func (i ISA) Scalar(m Index) Scalar {
	return Scalar{C.lbm_scalar_at(i.table, C.int(m.Lattice), C.int(m.Collision), C.int(m.Precision))}
}

// Scratch is the bytes of private memory that Step needs for b.
func (k Scalar) Scratch(b Box) int {
	r := ranges(b)
	return int(C.scalar_scratch(k.k, &r))
}

// Step computes the scalar of b, after all that the flow's step does there.
func (k Scalar) Step(c *Case, q *Numbers, w *ScalarWalls, in, out unsafe.Pointer, b Box, scratch unsafe.Pointer) {
	r := ranges(b)
	C.scalar_step(k.k, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(w), in, out, &r, scratch)
}

// Lost adds what leaves through measured walls in the coming step to sums, by type.
func (k Scalar) Lost(c *Case, q *Numbers, w *ScalarWalls, state unsafe.Pointer, sums []int64) {
	C.scalar_lost(k.k, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(w), state, (*C.int64_t)(&sums[0]))
}
