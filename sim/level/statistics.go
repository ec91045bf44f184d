// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package level

import (
	"lbmsim/device"
	"lbmsim/model"
)

// Statistics computes sums for outputs on the device.
type Statistics struct{ level *Level }

// Statistics of the state that stay with the device.
func (l *Level) Statistics() Statistics { return Statistics{l} }

// Averages over time in the device's memory; nil: it keeps none.
func (s Statistics) Averages(of model.AverageSums) (device.Averages, error) {
	if a, ok := s.level.Program.(device.Averager); ok {
		return a.NewAverages(of)
	}
	return nil, nil
}

// AddSample continues averages in the host's memory with the current state as sample n; false: the device cannot.
func (s Statistics) AddSample(sums []float64, of model.AverageSums, n int64) (bool, error) {
	if a, ok := s.level.Program.(device.HostAverager); ok {
		return true, a.AddSample(sums, of, s.level.State[0], n, s.level.Params)
	}
	return false, nil
}

// Take continues with the current state as sample n, ahead of the coming steps.
func (s Statistics) Take(a device.Averages, n int64) {
	a.Take(s.level.Bulk, s.level.State[0], n, s.level.Params)
}

// PrepareProfile gets the device ready for SumProfile. Where it cannot, the host sums, with the same bits.
func (s Statistics) PrepareProfile() error {
	if p, ok := s.level.Program.(device.Profiler); ok {
		return p.PrepareProfile()
	}
	return nil
}
