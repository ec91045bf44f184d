// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package bench

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/model"
)

// Through measures steps of a flow through the box: from an inlet to an outflow at the ends of an
// axis, between walls, around a ball with a curved wall. Compared with Closed, it shows the cost of
// cells with per-link boundary laws.
func Through(spec model.Spec, n [3]int, axis int) Job {
	return func(dev device.Device) (*contender, error) {
		b := openBox(spec, n, axis)
		return steps(dev, b, fmt.Sprintf("%s, flow along %c", spec, "xyz"[axis]), verifying(dev, openBox(spec, sampleSize(n), axis)), nil, func(f *flow) error {
			return f.look(func(_, speed float64) bool { return speed > 0.5*inflow && speed < 6*inflow })
		})
	}
}

// inflow is the velocity at the inlet, in cells per step.
const inflow = 0.05

// openBox returns the box of Through, with the ball in the middle, a quarter of the box across.
func openBox(spec model.Spec, n [3]int, axis int) box {
	b := emptyBox(spec, n, 0.65)
	n = b.layout.N
	if axis == 1 && spec.Lattice.Dims == 3 { // memory for the ghost cells behind the open faces
		b.layout = decomp.NewLayout(n, [3]int{0, 1, 1}, spec.Components())
	}
	const wall, ball, inlet, outlet = 1, 2, 3, 4
	at := [3]float64{}
	at[axis] = inflow
	b.cells.Walls = []boundary.Wall{{}, {Law: boundary.Interpolated}, {Law: boundary.VelocityFace, Motion: boundary.Constant(at)}, {Law: boundary.Outflow, Relax: 0.1 / math.Sqrt(3) / float64(n[axis])}}
	radius := float64(min(n[0], n[1], n[2])) / 8
	from := func(x [3]int) (d [3]float64) { // the middle
		for a := range d {
			d[a] = float64(x[a]) + 0.5 - float64(n[a])/2
		}
		return d
	}
	b.cells.Distance = func(x, c [3]int) float64 {
		// |d - q c| = R, the nearer of the two solutions.
		d := from(x)
		cc, dc, dd := 0., 0., -radius*radius
		for a, v := range c {
			cc, dc, dd = cc+float64(v*v), dc+float64(v)*d[a], dd+d[a]*d[a]
		}
		root := dc*dc - cc*dd
		if root < 0 {
			return 0
		}
		return (dc - math.Sqrt(root)) / cc
	}
	var x [3]int
	for x[2] = -1; x[2] <= n[2]; x[2]++ {
		for x[1] = -1; x[1] <= n[1]; x[1]++ {
			for x[0] = -1; x[0] <= n[0]; x[0]++ {
				kind, r := uint8(0), 0.
				for _, v := range from(x) {
					r += v * v
				}
				if r <= radius*radius {
					kind = ball
				}
				for a := range x {
					switch {
					case a == axis && x[a] < 0:
						kind = max(kind, inlet)
					case a == axis && x[a] >= n[a]:
						kind = outlet
					case x[a] < 0 || x[a] >= n[a]:
						kind = max(kind, wall)
					}
				}
				b.cells.Type[b.cells.Index(x[0], x[1], x[2])] = kind
			}
		}
	}
	b.cells = b.cells.WithRest(false, spec.Lattice.Dims)
	return b
}
