// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels

// #cgo CXXFLAGS: -O2 -g0 -std=c++17 -fno-exceptions -fno-asynchronous-unwind-tables
// #include "cpu.h"
// static const lbm_steps* find_steps(const lbm_isa* i, int lattice, int collision, int precision, int local) { return i->steps(lattice, collision, precision, local); }
// static const lbm_cells* find_cells(const lbm_isa* i, int lattice, int moments, int precision) { return i->cells(lattice, moments, precision); }
// static void step(const lbm_steps* k, const void* c, const void* p, const void* in, void* out, const lbm_range* r, void* scratch) { k->step(c, p, in, out, r, scratch); }
// static void special(const lbm_cells* k, const void* c, const void* p, const void* l, const void* in, void* out, const lbm_range* r) { k->special(c, p, l, in, out, r); }
// static void fill(const lbm_cells* k, const void* c, const void* cells, const void* rules, int64_t first, int64_t last, void* state, int kept) { k->fill(c, cells, rules, first, last, state, kept); }
// static int64_t scratch(const lbm_steps* k, const lbm_range* r) { return k->scratch(r); }
// static void init(const lbm_cells* k, const void* c, const void* p, void* state, const lbm_range* r, const double* fields) { k->init(c, p, state, r, fields); }
// static void fields(const lbm_cells* k, const void* c, const void* p, const void* state, const lbm_range* r, double* fields) { k->fields(c, p, state, r, fields); }
// static void row(const lbm_cells* k, const void* c, const void* p, const void* state, int32_t y, int32_t z, lbm_sums* s) { k->row(c, p, state, y, z, s); }
// static void eddies(const lbm_steps* k, const void* c, const void* p, const void* state, const lbm_range* r) { k->eddies(c, p, state, r); }
// static void scalar_step(const lbm_steps* k, const void* c, const void* p, const void* w, const void* in, void* out, const lbm_range* r, void* scratch) { k->scalar(c, p, w, in, out, r, scratch); }
// static int64_t scalar_scratch(const lbm_steps* k, const lbm_range* r) { return k->scalarScratch(r); }
// static void lost(const lbm_cells* k, const void* c, const void* p, const void* w, const void* state, int64_t* sums) { k->lost(c, p, w, state, sums); }
// static void forces(const lbm_cells* k, const void* c, const void* p, const void* l, const void* state, const int32_t* origin, int32_t y, int32_t z, int64_t* sums) { k->forces(c, p, l, state, origin, y, z, sums); }
// static void applyOutflow(const lbm_cells* k, const void* c, const void* cells, const void* rules, int64_t first, int64_t last, int32_t xlo, int32_t xhi, const void* in, void* out) { k->applyOutflow(c, cells, rules, first, last, xlo, xhi, in, out); }
// static int models(const lbm_cells* k) { return k->modelled != 0; }
// static void modelled(const lbm_cells* k, const void* c, const void* p, const void* m, int64_t first, int64_t last, const void* state) { k->modelled(c, p, m, first, last, state); }
// static void momentum(const lbm_cells* k, const void* c, const void* p, const void* m, int64_t first, int64_t last, const void* state, int64_t* sums) { k->momentum(c, p, m, first, last, state, sums); }
// static void layer(const lbm_cells* k, const void* c, const void* p, const void* m, int64_t first, int64_t last) { k->layer(c, p, m, first, last); }
// static void update(const lbm_isa* i, void* data, int64_t rows, int64_t components, int64_t pitch, int32_t bytes) { i->update(data, rows, components, pitch, bytes); }
// static void copyBytes(const lbm_isa* i, void* dst, const void* src, int64_t bytes) { i->copy(dst, src, bytes); }
// static void average(const lbm_isa* i, const void* sample, double* sums, int64_t rows, int64_t nx, const lbm_average* of) { i->average((const double*)sample, sums, rows, nx, of); }
import "C"

import "unsafe"

// Index holds the places of a model in the catalogues (kernels/lookup finds them).
type Index struct {
	Lattice, Collision, Precision int
	Local, Moments                bool // the viscosity follows a cell's own flow; states are moments
}

// Box is a box of cells, as decomp.Box.
type Box = struct{ Lo, Hi [3]int }

// flag converts a boolean for C.
func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// Block is the number of cells along x that share one Pattern.
const Block = C.LBM_BLOCK

// Solid is the bit of Pattern.Cell that marks a solid or padding cell; bit i
// marks that direction i comes out of a wall.
const Solid = 31

// Pattern describes the walls in a block of cells (lbm_pattern of cpu/api.h).
type Pattern struct {
	Cell         [Block]uint32
	Links        uint32 // directions that come out of a wall in some cell
	Moving       uint32 // of Links, the directions where some wall moves
	Curved       uint32 // of Links, the directions where some wall is not half-way, ...
	Beyond       uint32 // ... and nearer than that
	_            uint32
	WallMomentum uint64 // index of the first of Block momentum sources for each direction of Moving, then of Block shares for each of Curved
}

// Entry of the sparse list of blocks that have a pattern (lbm_block).
type Entry struct{ Block, Pattern uint32 }

// Case is one box as the kernels see it (lbm_case). The pointers are to memory
// outside Go's.
type Case struct {
	N, Ghost, Periodic [3]int32
	Pitch, Components  int32
	Rows               unsafe.Pointer // []uint32: first entry of row z*ny+y; one more at the end
	Entries            unsafe.Pointer // []Entry, rising along each row
	Patterns           unsafe.Pointer // []Pattern
	WallMomentum       unsafe.Pointer // numbers of the arithmetic's type: gain of the populations that walls send back
	Ends               unsafe.Pointer // values of the state: ghost cells beyond the ends of rows, or nil
	Kept               unsafe.Pointer // values of the state that Step of populations stores: the cells at these ends, or nil

	// Where steps compute the ghost cells beyond the ends of rows themselves; otherwise nil.
	RowEnds                unsafe.Pointer // []RowEnd: of each end of all stored rows
	Waves                  unsafe.Pointer // numbers that Kernel.Fill stores there for steps of populations, of each end of all stored rows
	FaceRules, OutletRules unsafe.Pointer // numbers of the arithmetic's type
	Beyond                 unsafe.Pointer // Kernel.Ghost

	Eddies unsafe.Pointer // numbers of the arithmetic's type: of the cells, [row z*ny+y][Pitch], for laws that read neighbours; otherwise nil

	Uncounted unsafe.Pointer // []uint32: bits of cells that Kernel.Row leaves out, [row z*ny+y][Pitch/32]; nil: none

	Scalar unsafe.Pointer // *ScalarWalls: steps of moments in 3D compute the scalar, too; nil: no scalar, or ScalarStep follows
}

// RowEnd describes the ghost cell beyond an end of a stored row, and the effect of an outflow on the cell at that end
// (lbm_row_end).
type RowEnd struct {
	From   uint32 // stored row of the ghost cell's source
	Rule   uint32 // of the ghost cell, or None
	Outlet uint32 // rule of the outflow, with Inner where the next cell inwards is fluid, or None
	Keep   uint32 // number of cells from this end on that Step of populations stores in Kept, 2 at most
}

// None and Inner of RowEnd.
const (
	None  = C.LBM_NONE
	Inner = C.LBM_INNER
)

// Sums is the contribution of a row of cells to a device.Plane (lbm_sums).
type Sums struct {
	Mass     float64
	Momentum [3]float64
	Energy   float64
	Speed2   float64 // largest |u|^2, -1 without fluid
	At       int32   // x of it
	Bad      int32   // fluid cells with a value that is not finite
	BadAt    int32   // x of the first
	_        int32
}

// ISA holds the kernels of one instruction set.
type ISA struct{ table *C.lbm_isa }

// ISAs returns the instruction sets that this processor and this build have, best first. A build with the tag isa_avx512 or
// isa_avx2 has that set and the baseline, one with isa_baseline that alone, any other one has all (scripts/env.sh chooses).
func ISAs() []ISA {
	var list []ISA
	for i := 0; i < 3; i++ {
		if t := C.lbm_isa_at(C.int(i)); t != nil {
			list = append(list, ISA{t})
		}
	}
	return list
}

// LeftOut returns the name of the instruction set that this processor has and this build lacks, if it is better than all of ISAs;
// otherwise "".
func LeftOut() string {
	if name := C.lbm_isa_left_out(); name != nil {
		return C.GoString(name)
	}
	return ""
}

func (i ISA) String() string { return C.GoString(i.table.name) }

// Update runs the roofline of populations: it changes every value of the rows to
// 1 - itself, in place.
func (i ISA) Update(data unsafe.Pointer, rows, components, pitch, bytes int) {
	C.update(i.table, data, C.int64_t(rows), C.int64_t(components), C.int64_t(pitch), C.int32_t(bytes))
}

// Copy copies past the caches; bytes is a multiple of 64, both sides aligned to 64.
func (i ISA) Copy(dst, src unsafe.Pointer, bytes int) {
	C.copyBytes(i.table, dst, src, C.int64_t(bytes))
}

// Average describes one sample of averages over time (lbm_average).
type Average struct {
	Number                                              int64 // from 1
	Dims, Stored, Kept                                  int   // axes; values of a cell of the sample; sums of a cell
	Density, DensitySquares, Velocity, VelocityProducts bool  // these sums are wanted
}

// Average continues sums, [row][sum][x], with the fields of these rows of nx cells, [row][value][x].
func (i ISA) Average(sample unsafe.Pointer, sums []float64, rows, nx int, a Average) {
	inverse := 1 / float64(a.Number)
	of := C.lbm_average{
		inverse: C.double(inverse), share: C.double(float64(a.Number-1) * inverse),
		dims: C.int32_t(a.Dims), stored: C.int32_t(a.Stored), kept: C.int32_t(a.Kept),
		density: flag(a.Density), densitySquares: flag(a.DensitySquares), velocity: flag(a.Velocity), velocityProducts: flag(a.VelocityProducts),
	}
	if len(sums) > 0 {
		C.average(i.table, sample, (*C.double)(&sums[0]), C.int64_t(rows), C.int64_t(nx), &of)
	}
}

// Links holds the lists of boundary.Links as the kernels see them (lbm_links); the pointers are to memory outside Go's.
type Links struct{ Rows, Cells, List, Types, Laws, Ghosts, Populations unsafe.Pointer }

// Modelled holds the ghost cells of walls with a model as the kernels see them (lbm_modelled); the pointers are to memory outside
// Go's.
type Modelled struct {
	Cells       unsafe.Pointer // []ModelledCell
	Numbers     unsafe.Pointer // of the arithmetic's type, boundary.ModelledCount for each
	Table       unsafe.Pointer // []float64
	Populations unsafe.Pointer // of the arithmetic's type: of each direction for each cell
	Results     unsafe.Pointer // of the arithmetic's type, ModelledResults for each: the traction on the wall, y+ at half a cell, the share of the model, the layer's eddies
	Heat        unsafe.Pointer // of the arithmetic's type: the flux of the scalar into the fluid; nil: there is no scalar
	Tuning      unsafe.Pointer // of the arithmetic's type, WallTuning for each type
	Links       unsafe.Pointer // []ModelledLink
	Layer       unsafe.Pointer // []LayerCell
}

// LayerCell is a cell of the layer above walls with a model (lbm_layer_cell).
type LayerCell struct {
	At     int64 // in Case.Eddies
	Ghost  uint32
	Length float32 // 3 nu_t by u_tau
}

// ModelledCell holds the places in the state of the cells that a ghost cell reads, its type less 1 and its links (lbm_modelled_cell).
type ModelledCell struct {
	Image, Sample              [8]int64
	Type, First, Links, unused uint32
}

// ModelledLink is a link into a fluid cell (lbm_modelled_link).
type ModelledLink struct {
	To        int64 // in the state
	Area      float64
	Direction uint32
	unused    uint32
}

// WallTuning is the number of corrections of a wall.
const WallTuning = 3

// WallSums is the number of sums of a wall.
const WallSums = 5

// ModelledResults is the number of values that a ghost cell reports.
const ModelledResults = 6

// ScalarWalls describes the walls of a box for a scalar (lbm_scalar_walls); the pointers are to memory outside Go's.
type ScalarWalls struct {
	Types unsafe.Pointer // of the cells and one layer around
	Laws  unsafe.Pointer // of each type, 0 too: the law's number and its value, in the state's number type
	Links unsafe.Pointer // []boundary.ScalarLink
	Count int64          // of these
	// []uint32 and []boundary.ScalarPlace: cells beside half-way walls at rest, and beside others.
	CorrectedRows, RecomputedRows, Corrected, Recomputed unsafe.Pointer
	Distances                                            unsafe.Pointer // []float64, of the links of Recomputed
	Sent, Heat                                           unsafe.Pointer // Modelled.Populations and Heat
	Beside                                               unsafe.Pointer // Kernel.ScalarBeside
}

// Kernel holds the functions of one model: steps of the instruction set, and those for single cells that all sets share.
type Kernel struct {
	steps *C.lbm_steps
	cells *C.lbm_cells
}

// Kernel finds the functions of a model.
func (i ISA) Kernel(m Index) Kernel {
	return Kernel{
		C.find_steps(i.table, C.int(m.Lattice), C.int(m.Collision), C.int(m.Precision), flag(m.Local)),
		C.find_cells(i.table, C.int(m.Lattice), flag(m.Moments), C.int(m.Precision)),
	}
}

func ranges(b Box) C.lbm_range {
	var r C.lbm_range
	for a := range b.Lo {
		r.lo[a], r.hi[a] = C.int32_t(b.Lo[a]), C.int32_t(b.Hi[a])
	}
	return r
}

// Step computes out = collide(stream(in)) for the cells of b, which starts at a
// multiple of decomp.Align in x and ends at one or at the end of the row.
func (k Kernel) Step(c *Case, q *Numbers, in, out unsafe.Pointer, b Box, scratch unsafe.Pointer) {
	r := ranges(b)
	C.step(k.steps, unsafe.Pointer(c), unsafe.Pointer(q), in, out, &r, scratch)
}

// StepSpecial computes the special cells of b, after Step.
func (k Kernel) StepSpecial(c *Case, q *Numbers, l *Links, in, out unsafe.Pointer, b Box) {
	r := ranges(b)
	C.special(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(l), in, out, &r)
}

// Fill fills ghost cells first to last of a list of boundary.FaceCell by rules of the arithmetic's number type. kept: Case.Kept
// has the sources of ghost cells beyond the ends of rows.
func (k Kernel) Fill(c *Case, cells, rules unsafe.Pointer, first, last int, state unsafe.Pointer, kept bool) {
	C.fill(k.cells, unsafe.Pointer(c), cells, rules, C.int64_t(first), C.int64_t(last), state, flag(kept))
}

// Scratch returns the bytes of private memory that Step needs for b; with Case.Scalar it needs ScalarScratch, too.
func (k Kernel) Scratch(b Box) int {
	r := ranges(b)
	return int(C.scratch(k.steps, &r))
}

// Init and Fields implement the methods of device.Program.
func (k Kernel) Init(c *Case, q *Numbers, state unsafe.Pointer, b Box, fields []float64) {
	if r := ranges(b); len(fields) > 0 {
		C.init(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), state, &r, (*C.double)(&fields[0]))
	}
}

func (k Kernel) Fields(c *Case, q *Numbers, state unsafe.Pointer, b Box, fields []float64) {
	if r := ranges(b); len(fields) > 0 {
		C.fields(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), state, &r, (*C.double)(&fields[0]))
	}
}

// Row sums one row of cells.
func (k Kernel) Row(c *Case, q *Numbers, state unsafe.Pointer, y, z int) (s Sums) {
	C.row(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), state, C.int32_t(y), C.int32_t(z), (*C.lbm_sums)(unsafe.Pointer(&s)))
	return s
}

// FindEddies computes Case.Eddies of b, whose rows are whole, from a state.
func (k Kernel) FindEddies(c *Case, q *Numbers, state unsafe.Pointer, b Box) {
	r := ranges(b)
	C.eddies(k.steps, unsafe.Pointer(c), unsafe.Pointer(q), state, &r)
}

// ScalarStep computes the scalar of b, after Step and StepSpecial there; ScalarScratch returns the bytes of private memory that it
// needs.
func (k Kernel) ScalarStep(c *Case, q *Numbers, w *ScalarWalls, in, out unsafe.Pointer, b Box, scratch unsafe.Pointer) {
	r := ranges(b)
	C.scalar_step(k.steps, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(w), in, out, &r, scratch)
}

func (k Kernel) ScalarScratch(b Box) int {
	r := ranges(b)
	return int(C.scalar_scratch(k.steps, &r))
}

// ScalarBeside returns the function for ScalarWalls.Beside, Ghost for Case.Beyond.
func (k Kernel) ScalarBeside() unsafe.Pointer { return unsafe.Pointer(k.cells.beside) }
func (k Kernel) Ghost() unsafe.Pointer        { return unsafe.Pointer(k.cells.ghost) }

// ScalarLost adds the scalar that leaves through measured walls in the coming step to sums, by type.
func (k Kernel) ScalarLost(c *Case, q *Numbers, w *ScalarWalls, state unsafe.Pointer, sums []int64) {
	C.lost(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(w), state, (*C.int64_t)(&sums[0]))
}

// ApplyOutflow applies the outflows to cells first to last of a list of boundary.OutletCell, if their x is in [x[0], x[1])
// to the state that a step from in leads to.
func (k Kernel) ApplyOutflow(c *Case, cells, rules unsafe.Pointer, first, last int, x [2]int, in, out unsafe.Pointer) {
	C.applyOutflow(k.cells, unsafe.Pointer(c), cells, rules, C.int64_t(first), C.int64_t(last), C.int32_t(x[0]), C.int32_t(x[1]), in, out)
}

// Models reports whether the kernel has FillModelled.
func (k Kernel) Models() bool { return C.models(k.cells) != 0 }

// FillModelled computes the populations of ghost cells first to last of walls with a model.
func (k Kernel) FillModelled(c *Case, q *Numbers, m *Modelled, first, last int, state unsafe.Pointer) {
	C.modelled(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(m), C.int64_t(first), C.int64_t(last), state)
}

// SumMomentum adds what the links of ghost cells first to last, which are filled, will do to sums, WallSums for each type.
func (k Kernel) SumMomentum(c *Case, q *Numbers, m *Modelled, first, last int, state unsafe.Pointer, sums []int64) {
	C.momentum(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(m), C.int64_t(first), C.int64_t(last), state, (*C.int64_t)(&sums[0]))
}

// FillLayer computes Case.Eddies of cells first to last of the layer, once their ghost cells are there.
func (k Kernel) FillLayer(c *Case, q *Numbers, m *Modelled, first, last int) {
	C.layer(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(m), C.int64_t(first), C.int64_t(last))
}

// Forces adds the forces and torques of one row to sums, six for each type.
func (k Kernel) Forces(c *Case, q *Numbers, l *Links, state unsafe.Pointer, origin [3]int, y, z int, sums []int64) {
	at := [3]C.int32_t{C.int32_t(origin[0]), C.int32_t(origin[1]), C.int32_t(origin[2])}
	C.forces(k.cells, unsafe.Pointer(c), unsafe.Pointer(q), unsafe.Pointer(l), state, &at[0], C.int32_t(y), C.int32_t(z), (*C.int64_t)(&sums[0]))
}

// LayoutAt returns the index that kernels/layout.h gives to a value.
func LayoutAt(cells, ghost [3]int, components, pitch int, x, y, z, component int) int {
	n := [3]C.int32_t{C.int32_t(cells[0]), C.int32_t(cells[1]), C.int32_t(cells[2])}
	g := [3]C.int32_t{C.int32_t(ghost[0]), C.int32_t(ghost[1]), C.int32_t(ghost[2])}
	return int(C.lbm_layout_at(&n[0], &g[0], C.int32_t(components), C.int32_t(pitch), C.int32_t(x), C.int32_t(y), C.int32_t(z), C.int32_t(component)))
}

// Half returns the 16-bit image of a number, HalfNumber the number of an image, by the portable code of kernels/cpu/memory.h.
func Half(f float32) uint16       { return uint16(C.lbm_half(C.float(f))) }
func HalfNumber(h uint16) float32 { return float32(C.lbm_number(C.uint16_t(h))) }

// Direction returns velocity i of a lattice as in its header, and the number of directions; k counts model.Lattices.
func Direction(k, i int) (c [3]int, weight float64, opposite, q int) {
	var v [3]C.int32_t
	var w C.double
	var o C.int
	q = int(C.lbm_lattice(C.int(k), C.int(i), &v[0], &w, &o))
	return [3]int{int(v[0]), int(v[1]), int(v[2])}, float64(w), int(o), q
}
