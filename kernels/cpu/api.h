// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The C interface of the CPU kernels: the structs that Go fills in and the functions that it calls. One table of functions per
// instruction set.
#ifndef LBM_CPU_API_H
#define LBM_CPU_API_H
#include <stdint.h>
#include "../numbers.h"

// Cells are processed in blocks of 16 along x, and the ends of rows in blocks of 16 rows, whatever the width of the vectors.
enum { LBM_BLOCK = 16 };

// lbm_pattern describes the walls in a block: for each of its cells the directions that come out of a wall (bit i) and whether
// the cell itself is solid or padding (bit 31). Equal blocks share one pattern.
typedef struct {
	uint32_t cell[LBM_BLOCK];
	uint32_t links;   // union over the cells
	uint32_t moving;  // directions with a moving wall in some cell
	uint32_t curved;  // directions with a wall in some cell that is not half-way
	uint32_t beyond;  // directions of curved with a wall in some cell that is nearer than half-way
	uint32_t unused;
	uint64_t wallMomentum;  // index of the first of 16 momentum sources for each direction of moving, in rising order, then of 16 shares for each of curved
} lbm_pattern;

// lbm_block is an entry of the sparse list of blocks with a pattern.
typedef struct { uint32_t block, pattern; } lbm_block;

// lbm_row_end describes the ghost cell beyond an end of a stored row, and the effect of an outflow there on the row's own cell,
// where steps compute both themselves (../face.h, ../outflow.h). Numbers are LBM_NONE where there is nothing.
typedef struct {
	uint32_t from;    // stored row of the ghost cell's source; its x is the row's end
	uint32_t rule;    // of the ghost cell
	uint32_t outlet;  // rule of the outflow; LBM_INNER: the next cell inwards is fluid
	uint32_t keep;    // number of the row's cells from this end on that steps of populations store in kept, 2 at most
} lbm_row_end;
enum { LBM_NONE = 0xffffffff, LBM_INNER = 0x80000000 };

// lbm_case is one box. All pointers are to memory outside Go.
typedef struct {
	int32_t n[3];         // interior cells
	int32_t ghost[3];     // ghost layers
	int32_t periodic[3];  // whether an axis without ghosts wraps
	int32_t pitch;        // padded row length in values
	int32_t components;   // values per cell: more than the flow's where there is a scalar (../scalar.h)
	const uint32_t* rows;  // first entry of blocks of interior row z*ny+y; one more at the end
	const lbm_block* blocks;
	const lbm_pattern* patterns;
	const void* wallMomentum;   // gain of the populations that walls return, in the arithmetic's number type: K of boundary.LinkLaw; and shares B - C that curved walls take from other populations: of B and C one is 0, and A = 1 - B - C
	void* ends;           // ghost cells beyond the ends of the stored rows, [end][block of rows][component of the flow][row of the block]; null: none (../face.h)
	void* kept;           // cells at these ends that steps of populations store: the end's, then the next inwards, each in the layout of ends; null: none
	const lbm_row_end* rowEnds;  // [end][row]: steps compute these ghost cells themselves; null, and in steps of populations: they read ends
	void* waves;          // [end][row], of steps of populations: the waves that outflows want there, of the arithmetic's type; fill computes them
	const void *faceRules, *outletRules;  // for rowEnds, of the arithmetic's number type
	// computes the ghost cell of a source, both given by the place of the first component and the distance to the next
	void (*beyond)(const void* rule, const void* from, int64_t pitch, void* to, int64_t step);
	void* eddies;         // of the cells, [interior row z*ny+y][pitch], of the arithmetic's type: 3 nu_t by laws that read neighbours, and above walls with a model; null
	const uint32_t* uncounted;  // bits of cells that sums leave out, [interior row z*ny+y][pitch/32]; null: sums are over all fluid cells
	const struct lbm_scalar_walls* scalar;  // the scalar that steps of moments compute with the flow, in 3D; null: none, or lbm_steps.scalar follows
} lbm_case;

// lbm_range is a half-open box of cells; x begins at a whole line of memory (decomp.Align) and ends at one or at the end of the row.
typedef struct { int32_t lo[3], hi[3]; } lbm_range;

// lbm_sums is the contribution of one row of cells to a device.Plane.
typedef struct {
	double mass, momentum[3], energy, speed2;
	int32_t at, bad, badAt, unused;
} lbm_sums;

typedef struct { uint32_t x, row, first, links, more; } lbm_link_cell;
// lbm_links holds the lists of boundary.Links; laws are of the arithmetic's number type.
typedef struct {
	const uint32_t* rows;
	const lbm_link_cell* cells;
	const uint32_t* list;
	const uint8_t* types;
	const void* laws;
	const uint32_t* ghosts;   // of links whose word is marked, the number of their ghost cell; null: none is
	const void* populations;  // lbm_modelled.populations
} lbm_links;

// lbm_modelled_cell holds the places of what a ghost cell behind a wall with a model reads, of first components, in the state;
// its type less 1, and which of lbm_modelled.links are its.
typedef struct { int64_t image[8], sample[8]; uint32_t type, first, links, unused; } lbm_modelled_cell;
// lbm_modelled_link is a link into a fluid cell, by its place in the state.
typedef struct { int64_t to; double area; uint32_t direction, unused; } lbm_modelled_link;
// lbm_modelled lists these ghost cells (../modelled.h); numbers, populations and results are of the arithmetic's number type.
typedef struct {
	const lbm_modelled_cell* cells;
	const void* numbers;   // [cell][MODELLED_NUMBERS]
	const double* table;   // of the law of the wall, then of Kader's law
	void* populations;     // [cell][direction], which steps read
	void* results;         // [cell][MODELLED_RESULTS]
	void* heat;            // [cell] flux of the scalar into the fluid; null: there is no scalar
	const void* tuning;    // [type][TUNING_NUMBERS]
	const lbm_modelled_link* links;
	const struct lbm_layer_cell* layer;  // may be null
} lbm_modelled;
// lbm_layer_cell is a cell of the layer: its place in lbm_case.eddies, its ghost cell and 3 nu_t by u_tau.
typedef struct lbm_layer_cell { int64_t at; uint32_t ghost; float length; } lbm_layer_cell;

// lbm_face_cell is boundary.FaceCell.
typedef struct { int32_t x; uint32_t row, from, rule; } lbm_face_cell;
// lbm_outlet_cell is boundary.OutletCell.
typedef struct { int32_t x; uint32_t row, axes, rule; } lbm_outlet_cell;

struct lbm_scalar_walls;
// lbm_row is a row of cells, in the state or in private memory: component k of cell x is at
// to + x / LINE * jump + x % LINE + k * pitch, with the LINE values of a line of memory (64 bytes).
typedef struct { void* to; int64_t jump, pitch; } lbm_row;
// lbm_scalar_beside computes the scalar of the cells of row (y, z) from x0 to x1 with walls or faces beside them, once the step
// has computed the others.
typedef void (*lbm_scalar_beside)(const lbm_case*, const lbm_numbers*, const struct lbm_scalar_walls*, const void* in, lbm_row out, int32_t y, int32_t z, int32_t x0, int32_t x1);

typedef struct { uint32_t x, row, direction, type; double distance, slope; } lbm_scalar_link;
typedef struct { uint32_t x, row, links, type, first; } lbm_scalar_place;
// lbm_scalar_walls describes the walls of a box for a scalar.
typedef struct lbm_scalar_walls {
	const uint8_t* types;          // of the cells and one layer around, as boundary.Cells.Type
	const void* laws;              // of each type, 0 too: the law's number and its value, in the state's number type
	const lbm_scalar_link* links;  // to walls that are measured
	int64_t count;                 // of these
	// Cells with walls beside them; the cells of interior row z*ny+y begin at rows[z*ny+y]: half-way walls at rest (corrected),
	// others (recomputed).
	const uint32_t *correctedRows, *recomputedRows;
	const lbm_scalar_place *corrected, *recomputed;
	const double* distances;  // of the links of recomputed
	const void *sent, *heat;  // lbm_modelled.populations and heat
	lbm_scalar_beside beside;
} lbm_scalar_walls;

// lbm_steps holds the kernels that each instruction set has separately, for one lattice, model and precision: the kernels in
// which a run spends its time.
typedef struct {
	// out = collide(stream(in)) in range; scratch is private to the thread.
	void (*step)(const lbm_case*, const lbm_numbers*, const void* in, void* out, const lbm_range*, void* scratch);
	// bytes of scratch that step needs for range; with lbm_case.scalar it needs scalarScratch's, too
	int64_t (*scratch)(const lbm_range*);
	// computes lbm_case.eddies of whole rows in range
	void (*eddies)(const lbm_case*, const lbm_numbers*, const void* state, const lbm_range*);
	// computes the scalar of the step, after the flow's step and its special cells in the range
	void (*scalar)(const lbm_case*, const lbm_numbers*, const lbm_scalar_walls*, const void* in, void* out, const lbm_range*, void* scratch);
	int64_t (*scalarScratch)(const lbm_range*);
} lbm_steps;

// lbm_cells holds the other kernels, for one lattice, scheme and precision. Instruction sets may share them.
typedef struct {
	// the special cells of the step, after it
	void (*special)(const lbm_case*, const lbm_numbers*, const lbm_links*, const void* in, void* out, const lbm_range*);
	// fills ghost cells first to last; rules are of the arithmetic's number type. kept: lbm_case.kept has the sources of ghost
	// cells beyond the ends of rows
	void (*fill)(const lbm_case*, const lbm_face_cell*, const void* rules, int64_t first, int64_t last, void* state, int32_t kept);
	void (*init)(const lbm_case*, const lbm_numbers*, void* state, const lbm_range*, const double* fields);
	void (*fields)(const lbm_case*, const lbm_numbers*, const void* state, const lbm_range*, double* fields);
	void (*row)(const lbm_case*, const lbm_numbers*, const void* state, int32_t y, int32_t z, lbm_sums*);
	// adds row (y, z) to [type][force, torque] in fixed point; origin is the box's position in the domain
	void (*forces)(const lbm_case*, const lbm_numbers*, const lbm_links*, const void* state, const int32_t origin[3], int32_t y, int32_t z, int64_t* sums);
	// for lbm_case.beyond
	void (*ghost)(const void* rule, const void* from, int64_t pitch, void* to, int64_t step);
	// applies the outflows of the list from first to last whose x is in [xlo, xhi)
	void (*applyOutflow)(const lbm_case*, const lbm_outlet_cell*, const void* rules, int64_t first, int64_t last, int32_t xlo, int32_t xhi, const void* in, void* out);
	// computes the populations of ghost cells first to last of walls with a model; null in a lattice, scheme
	// or precision
	void (*modelled)(const lbm_case*, const lbm_numbers*, const lbm_modelled*, int64_t first, int64_t last, const void* state);
	// then adds what their links do in the coming step to [type][WALL_SUMS], in fixed point
	void (*momentum)(const lbm_case*, const lbm_numbers*, const lbm_modelled*, int64_t first, int64_t last, const void* state, int64_t* sums);
	// or computes lbm_case.eddies of cells first to last of its layer
	void (*layer)(const lbm_case*, const lbm_numbers*, const lbm_modelled*, int64_t first, int64_t last);
	// for lbm_scalar_walls.beside
	lbm_scalar_beside beside;
	// adds the scalar that leaves through measured walls in the coming step to sums, in fixed point by type
	void (*lost)(const lbm_case*, const lbm_numbers*, const lbm_scalar_walls*, const void* state, int64_t* sums);
} lbm_cells;

// lbm_average describes one sample of averages over time, and the sums that are wanted of it (model.AverageSums).
typedef struct {
	double inverse, share;                                    // 1/n and (n-1)/n of sample n
	int32_t dims, stored, kept;                               // axes; values of a cell of the sample; sums of a cell
	int density, densitySquares, velocity, velocityProducts;  // 1: these sums are wanted
} lbm_average;

// lbm_isa is the table of one instruction set. The arguments are places in model.Lattices, Collisions and Precisions.
typedef struct {
	const char* name;
	// local: cells have individual rates.
	const lbm_steps* (*steps)(int lattice, int collision, int precision, int local);
	const lbm_cells* (*cells)(int lattice, int moments, int precision);
	// the rooflines: see cpu/roofline.h
	void (*update)(void* data, int64_t rows, int64_t components, int64_t pitch, int32_t bytes);
	void (*copy)(void* dst, const void* src, int64_t bytes);
	// continues sums, [row][sum][x], with the fields of these rows, [row][value][x]
	void (*average)(const double* sample, double* sums, int64_t rows, int64_t nx, const lbm_average*);
} lbm_isa;

#endif
