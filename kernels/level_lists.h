// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of the coupling between two levels of a refined grid, as Go fills them in for all devices (decomp/coupling.go,
// boundary/crossings.go): plain C, for cgo. A place in a state is the index of a cell's first component.
#ifndef LBM_LEVEL_LISTS_H
#define LBM_LEVEL_LISTS_H

// lbm_conversion converts P of one level to the other (device.Conversion): factors of its deviator and trace, and, where these
// are 0, of the strain rate instead; the body forces of both levels; for individual relaxation times, by law kind of
// model.ViscosityLaws, the law's numbers on both levels, and the ratio of cell widths (level_laws.h).
typedef struct {
	double shear, trace, shearStrain, traceStrain, from[3], to[3];
	double lawFrom[4], lawTo[4], width;
	int kind;  // 0: a uniform relaxation time
	int tied;  // the trace relaxes like the deviator
	// For a scalar: the force per unit of it on both levels, and the factors of its flux or, where that is 0, of its
	// gradient. With eddy diffusivity its relaxation time on both levels is [0] + [1] times the flow's; otherwise [1] is 0
	// on both.
	double buoyancyFrom[3], buoyancyTo[3], flux, fluxGradient, scalarFrom[2], scalarTo[2];
} lbm_conversion;

// lbm_copied is a cell of a state and its place, counted in cells, in a compact buffer.
typedef struct { long long at, place; } lbm_copied;

// lbm_extrapolated is a cell beyond an end of the domain: the places in the compact buffer of the three cells inwards.
typedef struct { unsigned from[3]; } lbm_extrapolated;

// lbm_parent is a coarse cell whose children are interpolated: the place of the first child, and the places in the compact buffer
// of the cells around the parent, by the velocities of D3Q19 or D2Q9.
typedef struct {
	long long first;
	unsigned around[19], unused;
} lbm_parent;

// lbm_family is a mirror cell by its place in the compact buffer, and the place of its first child.
typedef struct { long long first, place; } lbm_family;

// lbm_upstream is a cell that sends populations through faces normal to an axis: the populations whose velocity has the sign
// side along it. rule is the face rule of the ghost cell that replaces the cell; -1: the cell itself.
typedef struct {
	long long at;
	int rule;
	unsigned char axis, high, unused[2];  // high: the side is +1, otherwise -1
} lbm_upstream;

// lbm_carrier is a cell that sends a scalar through faces normal to an axis (level_scalar.h): the place of the cell whose
// flow populations carry it, as in lbm_upstream, the place of the cell whose scalar it is, and its kind. For populations
// that walls add, rule is their number. Diffusion takes the flux in the direction reversed along the axes of mirror, a bit
// each.
typedef struct {
	long long at, source;
	int rule;
	unsigned char axis, high, kind, mirror;
} lbm_carrier;

// lbm_crossing is a population that passes a face: the number of its upstream cell in the face's list, its slot among the
// populations that the cell sends, its direction, and how many sixths of its mass and momentum count.
typedef struct __attribute__((aligned(8))) {
	unsigned short cell;
	unsigned char slot, direction;
	short mass, momentum;
} lbm_crossing;

// lbm_crossed is a face, or several with one sum: the place of the sum, the first entry of its list of upstream cells, and its
// crossings, which faces of the same pattern share.
typedef struct {
	long long place;
	unsigned cells, first, count, unused;
} lbm_crossed;

// lbm_corrected is a coarse cell outside the interface: its place, and its faces' places among the sums of fine faces.
typedef struct {
	long long at;
	unsigned first, count;
} lbm_corrected;

#endif
