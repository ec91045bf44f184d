// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The interface of the GPU kernels: the structs that Go fills in (device/cuda/abi.go holds the same structs, a test compares
// their sizes) and the arguments of each kernel. Only pointers and 8-byte integers are passed, because gorgonia.org/cu copies 8
// bytes for each argument.
//
// The run-time compiler gets one instance, by macros:
//   LBM_LATTICE D2Q9 D3Q19 D3Q27   LBM_MOMENTS 0 1
//   LBM_COLLISION Bgk Trt Regularized RecursiveRegularized Cumulant
//   LBM_LAW Newtonian Smagorinsky PowerLaw Carreau Wale: of the viscosity, where cells have
//           individual rates (local.h); undefined: uniform rates, which cost less
//   LBM_REAL float double    LBM_STORED float double half        (arithmetic, memory)
//   LBM_COARSE               1: memory has fewer digits than the arithmetic (../moments.h); undefined: 0
//   LBM_EXTRA                values per cell behind the flow's: of a scalar (scalar.h); 0 or
//                            undefined: none
//   LBM_DIRECTED             1: some face gives its inflow a direction (../face.h)
//   LBM_MODELLED             1: some wall has a model (../modelled.h)
//   LBM_LAYER                1: and a layer of cells with eddy viscosity above it, in a box whose law has none
//   LBM_PITCH                the pitch of rows as a constant, which saves a tenth of the
//                            instructions; 0 or undefined: any pitch, read from the Case
#ifndef LBM_GPU_API_H
#define LBM_GPU_API_H
#include "../numbers.h"

namespace lbm { namespace {

// Block describes the walls in 32 cells of a row, starting at a multiple of 32.
struct Block {
	unsigned links;  // fluid cells with a wall beside them; each of them has a word
	unsigned solid;  // solid cells
	unsigned first;  // index of the first word; the others follow in the order of the cells
};

// The word of a cell beside a wall: bit i for each direction that comes out of a wall, and whether one of these walls moves. In
// the kernels a cell's word also has a bit for solid cells.
enum { MOVING = 30, SOLID = 31 };

// RowEnd describes what lies beyond an end of a row in 3D with models of moments, for the march to compute: it has the cell at
// the end at hand. Slots are as in RowOf, of the populations from beyond with (c_y, c_z).
struct alignas(16) RowEnd {
	unsigned from;    // stored row of the cell to read; ROW_END_NONE: none
	unsigned code;    // bits ROW_END_BOUNCES: slots of the rows beside which get the populations of this row's cell, as
	                  // from a half-way wall; from ROW_END_OWN on: slots of this row that no other row fills in this way; ROW_END_GHOST:
	                  // these are of a ghost cell (../face.h); ROW_END_COPY: of one like the cell at the end; otherwise of nothing;
	                  // an outflow: ROW_END_OUTLET, ROW_END_INNER
	unsigned rule;    // of the ghost cell
	unsigned outlet;  // rule of the outflow (../outflow.h)
};
constexpr unsigned ROW_END_NONE = ~0u, ROW_END_BOUNCES = 511, ROW_END_OWN = 9, ROW_END_GHOST = 1 << 18, ROW_END_OUTLET = 1 << 19, ROW_END_INNER = 1 << 20, ROW_END_COPY = 1 << 21;

// Case is one box of cells. It lies in the memory of the device, as does all that
// it points to.
struct Case {
	int n[3];         // interior cells
	int ghost[3];     // ghost layers; the slowest axis of the lattice always has one
	int periodic[3];  // whether an axis wraps inside the box, with ghosts or without
	int pitch;        // padded length of a row in values, a multiple of 32
	int mirror[2];    // models of populations: whether everything before x = 0, or after x = n[0]-1, is a wall at rest, or
	                  // one whose cells are recomputed (special.h), with their links in no word
	const Block* blocks;    // of interior row (y, z): number z*ny + y, pitch/32 each
	const unsigned* words;  // of the cells beside walls
	const unsigned* sets;   // for each word the number of the cell's set of momentum sources, if it is MOVING
	const void* wallMomentum; // of LBM_REAL: momentum of moving walls for a cell, 6 w_i c_i.u_w for each direction i
	                        // out of one, [set][Q]; for a state of moments the moments of these, [set][M]
	void* ends;  // ghost cells beyond the ends of the stored rows, of LBM_STORED, [end][row][component of
	             // the flow]; may be null (../face.h)
	const RowEnd* rowEnds[2]; // of each end, number (z+1)*(n[1]+2) + y+1 for y and z from -1 on, whether stored or not;
	                          // null: the step reads cells there as everywhere. Links that they serve are in no word.
	const void* faceRules;    // of LBM_REAL, for the rowEnds
	const void* outletRules;  // of LBM_REAL, for their outflows
	void* eddies;             // of LBM_REAL: of the cells, [interior row z*ny+y][pitch], for laws that read neighbours (eddies.h), and with a layer (modelled.h): 3 nu_t; otherwise null
	const unsigned* uncounted;  // bits of cells that sums leave out, [interior row z*ny+y][pitch/32]; null: sums are over all fluid cells
	lbm_numbers numbers;
};

// Sums holds the sums of one row of cells, or one plane (device.Plane).
struct Sums {
	double mass, momentum[3], energy;  // sum of rho-1, rho u, rho u^2/2 over fluid cells
	double speed2;                     // largest |u|^2, -1 without a finite fluid cell
	long long cells;                   // fluid cells
	long long at;                      // number x + nx (y + ny z) of the fastest cell, the first of equals
	long long bad, badAt;              // cells with a value that is not finite, the first of them (-1: none)
};

}}  // namespace lbm

// The kernels (extern "C"). A range of cells is given as lo, hi (half-open) of an axis.
//
//   lbm_step(Case*, S* in, S* out, i64 ylo, i64 yhi, i64 zlo, i64 zhi)
//       One step of all cells of the rows in range. Launch: see lbm_step_shape of instance.h.
//   lbm_init(Case*, S* state, double* fields, i64 lo[3], hi[3] as six arguments)
//   lbm_fields(Case*, S* state, double* fields, six arguments)       1 + D values per cell
//   lbm_fields32(Case*, S* state, float* fields, six arguments)      the same, rounded
//       fields is laid out [z][y][component][x] without padding, as in device.Program.
//       Launch: blocks of ROW threads; grid (ceil(width/ROW), rows along y, planes).
//   lbm_rows(Case*, S* state, Sums* rows)      one Sums per row: grid (ny*nz), ROW threads
//   lbm_planes(Case*, Sums* rows, Sums* planes, i64 rowsOfPlane)   grid (planes), ROW threads
//       Rows in an order that depends on nothing but the row's cells, planes row after row.
//   lbm_update(S* data, i64 rows, i64 components, i64 pitch)  v = 1 - v in place, cell by cell
//   lbm_copy(uint4* dst, uint4* src, i64 count)   any number of blocks
enum { ROW = 128 };
#endif
