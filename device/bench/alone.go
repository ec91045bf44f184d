// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"fmt"
	"math"

	"lbmsim/device"
	"lbmsim/model"
)

// Alone measures bare steps of a periodic 2D box with a spreading density pulse, as in Pulse, but without fields.
func Alone(spec model.Spec, n [3]int) Job {
	return func(dev device.Device) (*contender, error) {
		w, ok := dev.(device.Wrapper)
		if !ok || !w.Wraps() || spec.Lattice.Dims != 2 {
			return nil, fmt.Errorf("%s: only in two dimensions, on a device that reads the other end of a periodic axis by itself", spec)
		}
		mass := 0.0
		c, err := steps(dev, periodicBox(spec, n), spec.String(), func() (float64, error) { return Verify(dev, spec, n[0]) }, nil, func(f *flow) error {
			return f.look(func(m, speed float64) bool {
				return speed > 0 && speed < 1e-2 && math.Abs(m-mass) < 1e-3*mass+1e-6*float64(f.all().Cells())
			})
		})
		if err != nil {
			return nil, err
		}
		if mass, err = c.flow.startPulse(); err != nil {
			c.close()
			return nil, err
		}
		return c, nil
	}
}
