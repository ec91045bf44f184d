// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"math"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/rank"
)

// The flux through a face with turbulence is constant in time, beside a body that covers a part of it. Every cut has the
// same bits.
func TestTurbulenceBesideABody(t *testing.T) {
	const text = `
[domain]
cells = [12, 16, 16]
[fluid]
viscosity = 0.05
[body.block]
shape = "box"
from = [0, 0, 4]
to = [3, 9, 11]
[boundary.walls]
type = "wall"
faces = ["y-", "y+", "z-", "z+"]
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = [0.05, 0, 0]
turbulence_intensity = "0.1 + 0.01*y"
turbulence_length = 3
turbulence_modes = 40
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[run]
steps = 1
`
	times := []float64{0, 33, 777}
	var want [16][16]float64 // of one rank, at the last of them
	for _, cut := range [][3]int{{1, 1, 1}, {1, 1, 3}, {1, 2, 2}} {
		given, err := config.Load("test.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		given.Run.Ranks = cut
		var got [3][16][16]float64
		err = comm.RunLocal(cut[1]*cut[2], func(c comm.Comm) (err error) {
			on := rank.New(c, 1, nil)
			p, err := New(on, given)
			if err != nil {
				return err
			}
			p.Layout = p.Plan.Layout(on.ID, 1)
			domain := p.Geometry()
			p.Cells = domain.Sample(p.Box)
			if err := p.BalanceInflows(on); err != nil {
				return err
			}
			for i := range p.Layout.N[2] {
				for j := range p.Layout.N[1] {
					at := p.Global([3]int{0, j, i})
					if p.Cells.At(0, j, i) != 0 {
						continue
					}
					for k, now := range times {
						got[k][at[2]][at[1]] = domain.Walls[p.inflowType()].Motion.At([3]float64{0, float64(at[1]) + 0.5, float64(at[2]) + 0.5}, now)[0]
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for k, now := range times {
			cells, flux, most := 0.0, 0.0, 0.0
			for _, row := range got[k] {
				for _, u := range row {
					if u != 0 {
						cells, flux, most = cells+1, flux+u-0.05, math.Max(most, math.Abs(u-0.05))
					}
				}
			}
			if cells != 16*16-9*7 || math.Abs(flux) > 1e-12*cells || most < 0.005 {
				t.Errorf("cut into %v, step %g: %g cells, the flux changes by %g, the velocity by up to %g", cut, now, cells, flux, most)
			}
		}
		if cut == [3]int{1, 1, 1} {
			want = got[2]
		} else if got[2] != want {
			t.Errorf("cut into %v: velocities differ from one rank's", cut)
		}
	}
}

// inflowType returns the place of the inlet among walls.
func (p *Part) inflowType() int {
	for i, b := range p.Case.Boundaries {
		if b.Inflow != nil {
			return i
		}
	}
	return -1
}
