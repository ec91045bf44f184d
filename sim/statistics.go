package sim

import (
	"lbmsim/device"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// statistics is what outputs ask the device to add up.
type statistics struct{ *stepper }

// Statistics of the state that stay with the device.
func (s *stepper) Statistics() output.Statistics { return statistics{s} }

// Averages over time in the device's memory; nil: it keeps none.
func (s statistics) Averages(of model.AverageSums) (device.Averages, error) {
	if a, ok := s.program.(device.Averager); ok {
		return a.NewAverages(of)
	}
	return nil, nil
}

// Take continues with the present state as sample n, ahead of the coming steps.
func (s statistics) Take(a device.Averages, n int64) { a.Take(s.bulk, s.state[0], n, s.params) }

// PrepareProfile gets the device ready for SumProfile. Where it cannot, the host sums, with the same bits.
func (s statistics) PrepareProfile() error {
	if p, ok := s.program.(device.Profiler); ok {
		return p.PrepareProfile()
	}
	return nil
}

// SumProfile sums planes of the present state; false: the device does not.
func (s *stepper) SumProfile(axis int, unit, warmth float64) (sums []int64, ok bool, err error) {
	p, ok := s.program.(device.Profiler)
	if !ok || p.PrepareProfile() != nil {
		return nil, false, nil
	}
	sums, err = p.Profile(s.state[0], axis, unit, warmth, s.params)
	return sums, true, err
}
