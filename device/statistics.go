// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

import "lbmsim/model"

// Averager is a Program that accumulates time averages in the device's memory. Found by type
// assertion.
type Averager interface {
	// NewAverages allocates the memory; it fails if the device lacks it.
	NewAverages(sums model.AverageSums) (Averages, error)
}

// Averages are the sums of the interior cells, in float64, by the recurrence of Welford (Technometrics 4 (1962)
// 419), which loses no digits for any number of samples.
type Averages interface {
	// Take queues on s sample n of the state, counted from 1.
	Take(s Stream, state Buffer, n int64, p model.Params)
	// Read returns the sums as [z][y][value][x] and Write sets them. Both wait for queued samples.
	Read(sums []float64) error
	Write(sums []float64) error
	Close()
}

// HostAverager is a Program that adds samples to averages in the host's memory. Found by type assertion.
type HostAverager interface {
	// AddSample continues the sums of Averages, [z][y][value][x], with the state as sample n; the streams must be idle.
	AddSample(sums []float64, of model.AverageSums, state Buffer, n int64, p model.Params) error
}

// Profiler is a Program that sums fields over planes. Found by type assertion.
type Profiler interface {
	// PrepareProfile prepares for Profile. An error means that the device does not support it.
	PrepareProfile() error
	// Profile sums the fluid cells of each interior plane across an axis, into [plane][value]; the streams must be idle.
	// Each cell's numbers are multiplied by unit (a scalar's first by warmth) and rounded: the sums are independent of
	// order, and ranks can add theirs. A cell with a number not below ProfileMost counts as ProfileBad cells: the sums
	// of its plane are then invalid.
	Profile(state Buffer, axis int, unit, warmth float64, p model.Params) ([]int64, error)
}

// ProfileMost bounds the size of every number of a cell, ProfileBad the number of a plane's fluid cells; both are exclusive.
const (
	ProfileMost = 8
	ProfileBad  = 1 << 40
)

// Values of a plane: see Profiler.
const (
	ProfileCells          = iota // fluid cells, without unit
	ProfileDensity               // rho-1
	ProfileDensitySquares        // its square
	ProfileVelocity              // the velocity; then its products, as in model.AverageSums; then a scalar's value, square and products with the velocity
)

// ProfileValues returns the number of values of a plane.
func ProfileValues(dims int, scalar bool) int {
	n := ProfileVelocity + dims + dims*(dims+1)/2
	if scalar {
		n += 2 + dims
	}
	return n
}
