// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/rank"
)

// The distance to walls equals the result of a search over all cells, for any cut.
func TestWallDistance(t *testing.T) {
	bodies := `
[body.ball]
shape = "sphere"
centre = [3, 9, 12]
radius = 2.2
[body.block]
shape = "box"
from = [8, 1, 4]
to = [9.5, 3, 15]
`
	disc := `
[body.disc]
shape = "cylinder"
centre = [3, 9]
radius = 2.2
`
	for name, text := range map[string]string{
		"periodic": "[domain]\ncells = [13, 14, 17]\nperiodic = [\"x\", \"y\", \"z\"]\n" + bodies,
		"channel":  "[domain]\ncells = [13, 14, 17]\nperiodic = [\"x\", \"z\"]\n[boundary.wall]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n" + bodies,
		"box":      "[domain]\ncells = [13, 14, 17]\n[boundary.wall]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\", \"y-\", \"y+\", \"z-\", \"z+\"]\n" + bodies,
		"2D":       "[domain]\ncells = [13, 24]\nperiodic = [\"y\"]\n[boundary.wall]\ntype = \"wall\"\nfaces = [\"x-\", \"x+\"]\n" + disc,
	} {
		text += "[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n"
		var want []float32
		for _, cut := range [][3]int{{1, 1, 1}, {1, 1, 3}, {1, 2, 2}, {1, 3, 1}, {1, 3, 4}} {
			given, err := config.Load("test.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if given.Dims() == 2 {
				cut = [3]int{1, cut[2], 1}
			}
			given.Run.Ranks = cut
			got := make([]float32, given.Box().Cells())
			err = comm.RunLocal(cut[0]*cut[1]*cut[2], func(c comm.Comm) (err error) {
				on := rank.New(c, 2, nil)
				p, err := New(on, given)
				if err != nil {
					return err
				}
				p.Layout = p.Plan.Layout(on.ID, 1)
				domain := p.Geometry()
				p.Cells = domain.Sample(p.Box)
				if on.Size == 1 {
					want = searched(p)
				}
				own, err := p.WallDistance(on)
				for i, d := range own {
					n := p.Layout.N
					x, y, z := i%n[0]+p.Box.Lo[0], i/n[0]%n[1]+p.Box.Lo[1], i/n[0]/n[1]+p.Box.Lo[2]
					got[(z*given.Cells[1]+y)*given.Cells[0]+x] = d
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, cut %v: cell %d: %v instead of %v", name, cut, i, got[i], want[i])
				}
			}
		}
	}
}

// searched returns the distance of each cell of a whole domain by checking every wall.
func searched(p *Part) (d []float32) {
	n, dims := p.Layout.N, p.Case.Dims()
	gap := func(a, k, q int) float64 { // between cell p and the box of cell q
		near := math.Max(math.Abs(float64(k-q))-0.5, 0)
		if p.Case.Periodic[a] {
			for _, image := range []int{-n[a], n[a]} {
				near = math.Min(near, math.Max(math.Abs(float64(k-q-image))-0.5, 0))
			}
		}
		return near
	}
	lo, hi := [3]int{}, n
	for a := range dims {
		if !p.Case.Periodic[a] {
			lo[a], hi[a] = -1, n[a]+1
		}
	}
	var walls [][3]int
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			for x := lo[0]; x < hi[0]; x++ {
				if p.Cells.At(x, y, z) != 0 {
					walls = append(walls, [3]int{x, y, z})
				}
			}
		}
	}
	for i := range n[0] * n[1] * n[2] {
		at := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
		best := math.Inf(1)
		for _, w := range walls {
			sum := 0.0
			for a := range dims {
				sum += gap(a, at[a], w[a]) * gap(a, at[a], w[a])
			}
			best = math.Min(best, sum)
		}
		d = append(d, float32(math.Sqrt(best)))
	}
	return d
}

// Flat walls are half a cell from the next centre.
func TestWallDistanceOfAChannel(t *testing.T) {
	text := "[domain]\ncells = [4, 7]\nperiodic = [\"x\"]\n[boundary.wall]\ntype = \"wall\"\nfaces = [\"y-\", \"y+\"]\n[fluid]\nviscosity = 0.1\n[run]\nsteps = 1\n[output.fields]\nfields = [\"wall_distance\"]\n"
	given, err := config.Load("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	on := rank.New(comm.Serial(), 1, nil)
	p, err := New(on, given)
	if err != nil {
		t.Fatal(err)
	}
	p.Layout = p.Plan.Layout(0, 1)
	domain := p.Geometry()
	p.Cells = domain.Sample(p.Box)
	d, err := p.WallDistance(on)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d[0], d[4], d[8], d[12], d[16], d[20], d[24]), "0.5 1.5 2.5 3.5 2.5 1.5 0.5"; got != want {
		t.Errorf("distances %s instead of %s", got, want)
	}
}
