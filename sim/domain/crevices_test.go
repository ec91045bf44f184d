// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"sync/atomic"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/rank"
)

// A gap of one cell above a moving road has tau = 1, on any cut. One of two cells has the fluid's, and so have all gaps above a road at
// rest, and in a viscous fluid.
func TestCrevices(t *testing.T) {
	for _, test := range []struct {
		speed, viscosity float64
		gap, want        int
	}{{0.05, 1e-5, 1, 12}, {0.05, 1e-5, 2, 0}, {0, 1e-5, 1, 0}, {0.05, 0.1, 1, 0}} {
		for _, cut := range [][3]int{{1, 1, 1}, {1, 2, 1}, {1, 1, 2}} {
			given, err := config.Load("test.toml", fmt.Appendf(nil, `
[domain]
cells = [12, 8, 10]
periodic = ["x", "y"]
[fluid]
viscosity = %g
[boundary.road]
type = "moving_wall"
faces = ["z-"]
velocity = [%g, 0, 0]
[boundary.top]
type = "slip"
faces = ["z+"]
[body.block]
type = "wall"
shape = "box"
from = [4, 2, %d]
to = [8, 5, 8]
[run]
steps = 1
`, test.viscosity, test.speed, test.gap))
			if err != nil {
				t.Fatal(err)
			}
			given.Run.Ranks = cut
			var count atomic.Int64
			if err := comm.RunLocal(cut[1]*cut[2], func(c comm.Comm) error {
				on := rank.New(c, 1, nil)
				p, err := New(on, given)
				if err != nil {
					return err
				}
				p.Layout = p.Plan.Layout(on.ID, 1)
				cells := Sample(p, p.Geometry())
				if cells.Rates == nil {
					return nil
				}
				for z := range cells.N[2] {
					for y := range cells.N[1] {
						for x := range cells.N[0] {
							if rates := cells.Rates([3]int{x, y, z}); rates != nil && rates.Omega == 1 && cells.At(x, y, z) == 0 {
								count.Add(1)
							}
						}
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if int(count.Load()) != test.want {
				t.Errorf("%+v, cut %v: %d cells with tau = 1", test, cut, count.Load())
			}
		}
	}
}
