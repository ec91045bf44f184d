// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"math"
	"math/rand"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
)

// Sampled cells are a property of the domain: every decomposition has the same.
func TestSampleDoesNotDependOnTheCut(t *testing.T) {
	rng, open := rand.New(rand.NewSource(1)), 0
	for trial := 0; trial < 200; trial++ {
		d := Scene{Cells: [3]int{3 + rng.Intn(9), 3 + rng.Intn(9), 3 + rng.Intn(9)}, Walls: make([]boundary.Wall, 8)}
		for a := range d.Periodic {
			d.Periodic[a] = rng.Intn(2) == 0
			d.Faces[a] = [2]uint8{uint8(1 + 2*a), uint8(2 + 2*a)}
		}
		d.Walls[trial%6].Motion = boundary.Constant{0.1, 0, 0} // of one of the faces
		if trial%3 > 0 {                                       // faces with their own laws, in all pairs
			for k := range 6 {
				d.Walls[k].Law = []boundary.Law{boundary.Bounce, boundary.Bounce, boundary.VelocityFace, boundary.PressureFace, boundary.Outflow, boundary.Slip, boundary.MovingFace}[rng.Intn(7)]
			}
		}
		f := func() float64 { return 10 * rng.Float64() }
		d.Bodies = []Body{{Shape: Sphere{[3]float64{f(), f(), f()}, 2}, Type: 7}, {Shape: Cylinder{[3]float64{f(), f(), f()}, 1.5, rng.Intn(3), 4}, Type: 8}}
		if trial%2 == 0 {
			for a := range d.Patches {
				d.Patches[a] = [2][]Patch{{{Region{Centre: [3]float64{f(), f(), f()}, Radius: 3}, 7}}, {{Region{Lo: [3]float64{1, 1, 1}, Hi: [3]float64{f(), f(), f()}}, 8}}}
			}
		}
		whole := d.Sample(decomp.Box{Hi: d.Cells})
		for side, rest := range whole.WithRest(d.Periodic[0], 3).Rest {
			// Where a wall moves the domain may return false for edges that belong to another wall.
			if whole.Rest[side] && !rest || trial%3 == 0 && whole.Rest[side] != rest {
				t.Fatalf("trial %d: end %d of rows at rest: %v, the cells say %v", trial, side, whole.Rest[side], rest)
			}
			if whole.Rest[side] && whole.Open(d.Faces[0][side]) {
				t.Fatalf("trial %d: end %d of rows is at rest, and its face has ghost cells", trial, side)
			}
			if whole.Rest[side] && whole.Open(d.Faces[1][0]) {
				open++
			}
		}
		cut := 1 + rng.Intn(d.Cells[2]-1)
		for _, box := range []decomp.Box{
			{Hi: [3]int{d.Cells[0], d.Cells[1], cut}},
			{Lo: [3]int{0, 0, cut}, Hi: d.Cells},
		} {
			part := d.Sample(box)
			if part.Rest != whole.Rest {
				t.Fatalf("trial %d box %v: ends of rows at rest: %v, of the whole %v", trial, box, part.Rest, whole.Rest)
			}
			for z := -1; z <= part.N[2]; z++ {
				for y := -1; y <= part.N[1]; y++ {
					for x := -1; x <= part.N[0]; x++ {
						if got, want := part.At(x, y, z), whole.At(x, y, z+box.Lo[2]); got != want {
							t.Fatalf("trial %d box %v cell %d,%d,%d: type %d in the cut, %d in the whole", trial, box, x, y, z, got, want)
						}
					}
				}
			}
		}
	}
	if open == 0 {
		t.Error("no trial had an open face beside a still end of rows")
	}
}

func TestFacesEdgesAndImages(t *testing.T) {
	d := Scene{
		Cells: [3]int{4, 5, 6}, Periodic: [3]bool{true, false, false},
		Faces:  [3][2]uint8{{}, {1, 2}, {3, 4}},
		Walls:  boundary.BounceWalls([3]float64{}, [3]float64{}, [3]float64{}, [3]float64{0.1, 0, 0}, [3]float64{}),
		Bodies: []Body{{Shape: Box{[3]float64{0, 1, 1}, [3]float64{1, 2, 2}}, Type: 5}},
	}
	c := d.Sample(decomp.Box{Hi: d.Cells})
	for _, want := range []struct {
		x, y, z int
		t       uint8
		why     string
	}{
		{1, 1, 1, 0, "fluid"},
		{0, 1, 1, 5, "the body"},
		{4, 1, 1, 5, "the body's periodic image"},
		{2, -1, 2, 1, "low y face"},
		{2, 5, 2, 2, "high y face"},
		{2, 2, -1, 3, "low z face"},
		{2, 5, -1, 3, "an edge of two walls at rest: the slowest axis"},
		{2, 5, 6, 2, "an edge with a moving wall: the one at rest"},
		{-1, -1, 6, 1, "the same, behind the periodic face"},
	} {
		if got := c.At(want.x, want.y, want.z); got != want.t {
			t.Errorf("cell %d,%d,%d is of type %d, want %d (%s)", want.x, want.y, want.z, got, want.t, want.why)
		}
	}
}

// the number of cells in a shape converges to its volume.
func TestShapesHaveTheirVolume(t *testing.T) {
	for _, c := range []struct {
		name   string
		shape  Shape
		volume float64
	}{
		{"box", Box{[3]float64{5.5, 6.5, 7.5}, [3]float64{25.5, 26.5, 27.5}}, 8000},
		{"sphere", Sphere{[3]float64{20.3, 19.8, 20.1}, 15}, 14137.2},
		{"cylinder", Cylinder{[3]float64{20.3, 20, 20.1}, 15, 1, 20}, 14137.2},
	} {
		d := Scene{Cells: [3]int{40, 40, 40}, Faces: [3][2]uint8{{1, 1}, {1, 1}, {1, 1}}, Walls: make([]boundary.Wall, 2), Bodies: []Body{{Shape: c.shape, Type: 2}}}
		n := 0
		for _, t := range d.Sample(decomp.Box{Hi: d.Cells}).Type {
			if t == 2 {
				n++
			}
		}
		if f := float64(n) / c.volume; f < 0.99 || f > 1.01 {
			t.Errorf("%s: %d cells for a volume of %.1f", c.name, n, c.volume)
		}
	}
}

// The cells of a part of a face are those whose centres lie in it.
func TestRegions(t *testing.T) {
	n := [3]int{12, 13, 14}
	box := Region{Lo: [3]float64{2, 3.5, 4.6}, Hi: [3]float64{7.5, 9, 20}}
	disc := Region{Centre: [3]float64{6.2, 5, 7.3}, Radius: 3.3}
	for axis := range n {
		u, v := Along(axis)
		boxes, discs, both := 0, 0, 0
		for j := range n[v] {
			for i := range n[u] {
				var cell [3]int
				cell[u], cell[v] = i, j
				x, y := float64(i)+0.5, float64(j)+0.5
				inBox := x >= box.Lo[u] && x < box.Hi[u] && y >= box.Lo[v] && y < box.Hi[v]
				inDisc := math.Hypot(x-disc.Centre[u], y-disc.Centre[v]) < disc.Radius
				if box.Covers(axis, cell) != inBox || disc.Covers(axis, cell) != inDisc {
					t.Fatalf("axis %d, cell %d, %d: in the box %v, in the disc %v", axis, i, j, inBox, inDisc)
				}
				if inBox {
					boxes++
				}
				if inDisc {
					discs++
				}
				if inBox && inDisc {
					both++
				}
			}
		}
		if b, d, o := box.Share(axis, n, nil), disc.Share(axis, n, nil), disc.Share(axis, n, &box); b != boxes || d != discs || o != both || both == 0 {
			t.Errorf("axis %d: %d, %d and %d cells, counted one by one %d, %d and %d", axis, b, d, o, boxes, discs, both)
		}
	}
}
