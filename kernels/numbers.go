// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels

// Numbers holds the parameters of a step for the kernels of all devices, beside the state
// (lbm_numbers of numbers.h; a test compares the two).
type Numbers struct {
	Omega, OmegaMinus float64
	Force             [3]float64
	Lambda, OmegaBulk float64
	Law               [4]float64
	// For a scalar.
	ScalarKeep, ScalarTau, ScalarEddy float64
	Buoyancy                          [3]float64
	Model, Kind                       int32 // numbers in model.Collisions and model.ViscosityLaws
}
