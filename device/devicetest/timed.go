// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package devicetest

import (
	"errors"
	"math"
	"testing"

	"lbmsim/device"
	"lbmsim/model"
)

// scheduled: steps with time-dependent faces and force give the bits of steps scheduled one by one, whether
// scheduled all at once or recorded; force and faces agree with the oracle.
func scheduled(t *testing.T, d device.Device, o Options) {
	const steps = 6
	force := func(n int) [3]float64 { return [3]float64{1e-4 * math.Sin(float64(n)), 2e-5 * float64(n), 0} }
	o.each(t, func(t *testing.T, spec model.Spec) {
		e := newOpenExample(spec, [3]int{65, 9, 8}, periodic(0), 513)
		start := func() (*Slabs, device.Timed) {
			s := Start(t, d, e)
			timed, ok := s.parts[0].program.(device.Timed)
			if !ok || !e.Cells.Timed() {
				t.Fatalf("%s: nothing changes with time", spec)
			}
			return s, timed
		}
		moments := func(first, count int) (list []device.Moment) {
			for n := first; n < first+count; n++ {
				list = append(list, device.Moment{Time: float64(n) + 0.5, Force: force(n + 1)})
			}
			return list
		}
		schedule := func(s *Slabs, timed device.Timed, first, count int) {
			t.Helper()
			if err := errors.Join(s.stream.Sync(), timed.Schedule(moments(first, count))); err != nil {
				t.Fatal(err)
			}
		}
		single, timed := start()
		for n := range steps {
			schedule(single, timed, n, 1)
			single.queue()
		}
		single.sync(t)
		e.within(t, single.Values(t), e.drivenOracle(steps, force), 3*rounding(spec))
		want := single.Bits(t)

		queued, timed := start()
		schedule(queued, timed, 0, steps)
		for range steps {
			queued.queue()
		}
		queued.sync(t)
		sameBits(t, e, "scheduled at once", queued.Bits(t), want)

		if r, ok := d.(device.Recorder); ok {
			s, timed := start()
			schedule(s, timed, 0, 2) // resources of a recording exist
			graph, err := r.Capture(s.stream, func() error {
				s.queue()
				s.queue()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer graph.Close()
			for _, part := range [][2]int{{0, 4}, {4, 2}} {
				schedule(s, timed, part[0], part[1])
				for range part[1] / 2 {
					graph.Launch(s.stream)
				}
			}
			s.sync(t)
			sameBits(t, e, "recorded", s.Bits(t), want)
		}
		if timed.Schedule(moments(0, device.MaxScheduled+1)) == nil {
			t.Error("more steps are scheduled than there is room for")
		}
	})
}
