// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The parameters of a step, as Go fills them in for all devices
// (kernels.Numbers, from model.Params): plain C, for cgo.
#ifndef LBM_NUMBERS_H
#define LBM_NUMBERS_H

typedef struct {
	double omega, omegaMinus, force[3], lambda, omegaBulk, law[4];
	double scalarKeep, scalarTau, scalarEddy, buoyancy[3];
	int model, kind;  // numbers in model.Collisions and model.ViscosityLaws
} lbm_numbers;

#endif
