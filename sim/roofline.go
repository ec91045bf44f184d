// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"math"
	"time"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/sim/domain"
)

// roofline measures the speed at which this machine, with all ranks active, updates a state of this size in place: no step
// that moves the same bytes is faster. It runs on the buffer that the first step will overwrite, which is all zeros before
// and after. On a refined grid it updates all boxes, each as often as in a step of level 0. The result is in million cells
// per second over all ranks, 0 if the device cannot measure it.
func (s *stepper) roofline() (float64, error) {
	l, all := s.level, s.parts()
	dev, ok := l.Device.(device.Roofline)
	if !ok {
		return 0, nil
	}
	best := math.Inf(1)
	for range 3 {
		if err := comm.Barrier(s.Rank.Comm); err != nil {
			return 0, err
		}
		start := time.Now()
		for _, l := range all {
			for range 2 << domain.LevelOf(l.Part) { // v -> 1-v -> v
				dev.Update(l.Bulk, l.State[1], l.Part.Layout.Components, l.Part.Layout.Pitch, s.Case.Spec.Precision)
			}
		}
		if err := l.Bulk.Sync(); err != nil {
			return 0, err
		}
		best = math.Min(best, time.Since(start).Seconds()/2)
	}
	slowest := []int64{int64(best * 1e9)}
	if err := comm.Max(s.Rank.Comm, slowest); err != nil || slowest[0] == 0 {
		return 0, err
	}
	return s.updates() / float64(slowest[0]) * 1e3, nil
}
