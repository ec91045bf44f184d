// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels

// #include "cpu/levels_api.h"
// static void values(const lbm_levels* k, const void* c, const void* n, const void* list, int64_t first, int64_t last, const void* state, void* buffer) { k->values(c, n, list, first, last, state, buffer); }
// static void extrapolate(const lbm_levels* k, const void* c, const void* list, int64_t first, int64_t last, int64_t cells, void* buffer) { k->extrapolate(c, list, first, last, cells, buffer); }
// static void prolong(const lbm_levels* k, const void* c, const void* v, const void* list, int64_t first, int64_t last, const void* buffer, void* state) { k->prolong(c, v, list, first, last, buffer, state); }
// static void restricted(const lbm_levels* k, const void* c, const void* v, const void* list, int64_t first, int64_t last, const void* state, void* buffer) { k->restricted(c, v, list, first, last, state, buffer); }
// static void send_upstream(const lbm_levels* k, const void* c, int model, const void* list, int64_t first, int64_t last, const void* state, void* sent) { k->send(c, model, list, first, last, state, sent); }
// static void carry(const lbm_levels* k, const void* c, int model, const void* list, int64_t first, int64_t last, const void* state, const void* gains, void* sent) { k->carry(c, model, list, first, last, state, gains, sent); }
// static void count(const lbm_levels* k, const void* list, const void* upstream, const void* crossings, int64_t first, int64_t last, const void* sent, double scale, int add, int numbers, void* sums) { k->count(list, upstream, crossings, first, last, sent, scale, add, numbers, sums); }
// static void heat(const lbm_levels* k, const void* list, const void* carriers, const void* crossings, int64_t first, int64_t last, const void* sent, double scale, int add, void* sums) { k->heat(list, carriers, crossings, first, last, sent, scale, add, sums); }
// static void correct(const lbm_levels* k, const void* c, const void* n, const void* list, const void* faces, int64_t first, int64_t last, const void* own, const void* fine, void* state) { k->correct(c, n, list, faces, first, last, own, fine, state); }
import "C"

import "unsafe"

// Conversion converts P of one level of a refined grid to the other (lbm_conversion).
type Conversion struct {
	Shear, Trace             float64    // factors of the deviator and the trace of P, ...
	ShearStrain, TraceStrain float64    // ... and, where these are 0, of the strain rate and the divergence
	From, To                 [3]float64 // body forces of both levels
	LawFrom, LawTo           [4]float64 // numbers of the viscosity law on both levels
	Width                    float64    // of the other level's cells in this one's
	Kind                     int32      // number of the law in model.ViscosityLaws where cells have individual relaxation times; otherwise 0
	Tied                     int32      // 1: the trace relaxes like the deviator
	BuoyancyFrom, BuoyancyTo [3]float64 // force per unit of a scalar on both levels
	Flux, FluxGradient       float64    // factors of its flux or, where that is 0, of its gradient
	ScalarFrom, ScalarTo     [2]float64 // its relaxation time on both levels, [0] + [1] times the flow's, with eddy diffusivity
}

// Levels holds the functions of the coupling between levels, for a lattice and a precision of moments.
type Levels struct{ table *C.lbm_levels }

// Levels returns the functions of a model; false without any.
func (i ISA) Levels(m Index) (Levels, bool) {
	const half = 2
	if !m.Moments || m.Precision >= half {
		return Levels{}, false
	}
	return Levels{C.lbm_levels_of(flag(i.String() != "baseline"), C.int(m.Lattice), C.int(m.Precision))}, true
}

// Sends returns how many populations an upstream cell sends through the faces across an axis on one side.
func (k Levels) Sends() int { return int(k.table.sends) }

// Values writes rho - 1, u and P of cells first to last to a compact buffer, and a scalar's numbers behind them, by a list of
// decomp.Copied.
func (k Levels) Values(c *Case, n *Numbers, list unsafe.Pointer, first, last int, state, buffer unsafe.Pointer) {
	C.values(k.table, unsafe.Pointer(c), unsafe.Pointer(n), list, C.int64_t(first), C.int64_t(last), state, buffer)
}

// Extrapolate fills places cells + first to cells + last of a compact buffer, by a list of decomp.Extrapolated.
func (k Levels) Extrapolate(c *Case, list unsafe.Pointer, first, last, cells int, buffer unsafe.Pointer) {
	C.extrapolate(k.table, unsafe.Pointer(c), list, C.int64_t(first), C.int64_t(last), C.int64_t(cells), buffer)
}

// Prolong fills the children of parents first to last, by a list of decomp.Parent.
func (k Levels) Prolong(c *Case, v *Conversion, list unsafe.Pointer, first, last int, buffer, state unsafe.Pointer) {
	C.prolong(k.table, unsafe.Pointer(c), unsafe.Pointer(v), list, C.int64_t(first), C.int64_t(last), buffer, state)
}

// Restrict writes the means of families first to last to a compact buffer, by a list of decomp.Family.
func (k Levels) Restrict(c *Case, v *Conversion, list unsafe.Pointer, first, last int, state, buffer unsafe.Pointer) {
	C.restricted(k.table, unsafe.Pointer(c), unsafe.Pointer(v), list, C.int64_t(first), C.int64_t(last), state, buffer)
}

// Send writes the populations of upstream cells first to last, [cell][Sends], by a list of boundary.Upstream.
func (k Levels) Send(c *Case, model int, list unsafe.Pointer, first, last int, state, sent unsafe.Pointer) {
	C.send_upstream(k.table, unsafe.Pointer(c), C.int(model), list, C.int64_t(first), C.int64_t(last), state, sent)
}

// Carry writes the scalar that passes with the populations of carriers first to last, [cell][Sends], by a list of
// boundary.Carrier. gains are the additions of walls to populations, [number][Sends].
func (k Levels) Carry(c *Case, model int, list unsafe.Pointer, first, last int, state, gains, sent unsafe.Pointer) {
	C.carry(k.table, unsafe.Pointer(c), C.int(model), list, C.int64_t(first), C.int64_t(last), state, gains, sent)
}

// Count sets the sums of mass and momentum of faces first to last of lists of boundary.Crossings, numbers for each, or adds to them.
func (k Levels) Count(list, upstream, crossings unsafe.Pointer, first, last int, sent unsafe.Pointer, scale float64, add bool, numbers int, sums unsafe.Pointer) {
	C.count(k.table, list, upstream, crossings, C.int64_t(first), C.int64_t(last), sent, C.double(scale), flag(add), C.int(numbers), sums)
}

// Heat does the same for the heat stored behind them, by lists of boundary.HeatCrossings.
func (k Levels) Heat(list, carriers, crossings unsafe.Pointer, first, last int, sent unsafe.Pointer, scale float64, add bool, sums unsafe.Pointer) {
	C.heat(k.table, list, carriers, crossings, C.int64_t(first), C.int64_t(last), sent, C.double(scale), flag(add), sums)
}

// Correct adds sums to cells first to last, by lists of decomp.Corrected and of faces.
func (k Levels) Correct(c *Case, n *Numbers, list, faces unsafe.Pointer, first, last int, own, fine, state unsafe.Pointer) {
	C.correct(k.table, unsafe.Pointer(c), unsafe.Pointer(n), list, faces, C.int64_t(first), C.int64_t(last), own, fine, state)
}
