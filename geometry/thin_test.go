// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package geometry

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/vector"
	"lbmsim/model"
)

// channel returns a domain between walls along y (and z), open at both ends of x.
func channel(t *testing.T, lattice string, cells [3]int, bodies ...Body) Scene {
	t.Helper()
	l, ok := model.FindLattice(lattice)
	if !ok {
		t.Fatal(lattice)
	}
	d := Scene{Cells: cells, Faces: [3][2]uint8{{1, 1}, {2, 2}, {2, 2}}, Walls: make([]boundary.Wall, 3), Bodies: bodies, Links: Half(l.Velocities)}
	d.Periodic[2] = l.Dims == 2
	return d
}

// passable reports whether populations can move from one end of x to the other.
func passable(d Scene, cells boundary.Cells) bool {
	seen := make([]bool, len(cells.Type))
	var stack [][3]int
	push := func(x [3]int) {
		if i := cells.Index(x[0], x[1], x[2]); d.within(x) && cells.Type[i] == 0 && !seen[i] {
			seen[i] = true
			stack = append(stack, x)
		}
	}
	for y := range d.Cells[1] {
		for z := range d.Cells[2] {
			push([3]int{0, y, z})
		}
	}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x[0] == d.Cells[0]-1 {
			return true
		}
		for _, c := range d.Links {
			push(plus(x, c))
			push(minus(x, c))
		}
	}
	return false
}

// plate across a domain, slightly off its middle.
func plate(cells [3]int, thick float64, angles [3]float64, beside float64) Shape {
	const wide = 200
	mid := [3]float64{float64(cells[0])/2 + beside, float64(cells[1]) / 2, float64(cells[2]) / 2}
	return Moved{Box{[3]float64{-thick / 2, -wide, -wide}, [3]float64{thick / 2, wide, wide}}, NewMotion(1, angles, mid)}
}

// thicknesses of plates in cells; the thinnest represents a body without thickness.
var thicknesses = []float64{2e-6, 0.1, 0.6, 1}

func TestThickenedPlatesCloseChannels(t *testing.T) {
	open := 0
	try := func(lattice string, cells [3]int, thick float64, angles [3]float64, beside float64) {
		b := Body{Shape: plate(cells, thick, angles, beside), Type: 3}
		d := channel(t, lattice, cells, b)
		if passable(d, d.Sample(decomp.Box{Hi: cells})) {
			open++
			if found := d.Thin(0); !found.Leaks() {
				t.Errorf("%s: a plate of %g cells at %v lets fluid pass: %+v", lattice, thick, angles, found)
			}
		}
		d.Bodies[0].Thicken = true
		if passable(d, d.Sample(decomp.Box{Hi: cells})) {
			t.Errorf("%s: a thickened plate of %g cells at %v lets fluid pass", lattice, thick, angles)
		}
	}
	for _, thick := range thicknesses {
		for angle := -60.0; angle <= 60; angle += 10 {
			for _, beside := range []float64{0, 0.31, 0.5} {
				try("D2Q9", [3]int{64, 14, 1}, thick, [3]float64{0, 0, angle}, beside)
			}
		}
		for _, lattice := range []string{"D3Q19", "D3Q27"} {
			for _, angles := range [][3]float64{{}, {0, 30, 0}, {0, 45, 0}, {0, 0, 45}, {0, 35.2644, 45}, {0, -45, 35.2644}, {10, 20, 30}, {0, 50, -20}} {
				for _, beside := range []float64{0.27, 0.5} {
					try(lattice, [3]int{32, 6, 6}, thick, angles, beside)
				}
			}
		}
	}
	if open < 60 {
		t.Errorf("only %d plates let fluid pass as they are: nothing was shown", open)
	}
}

// A thickened plate is no thicker than its lattice needs: a digital plane has max |c.n| cells along its normal.
func TestThickenedPlatesAreThin(t *testing.T) {
	for _, lattice := range []string{"D2Q9", "D3Q27"} {
		cells := [3]int{40, 20, 20}
		if lattice == "D2Q9" {
			cells = [3]int{100, 80, 1}
		}
		for angle := 0.0; angle <= 45; angle += 15 {
			d := channel(t, lattice, cells, Body{Shape: plate(cells, 2e-6, [3]float64{0, 0, angle}, 0), Type: 3, Thicken: true})
			c := d.Sample(decomp.Box{Hi: cells})
			n := 0
			for z := range cells[2] {
				for y := range cells[1] {
					for x := range cells[0] {
						if c.At(x, y, z) == 3 {
							n++
						}
					}
				}
			}
			sin, cos := math.Sincos(angle * math.Pi / 180)
			// Cells of a row across, times cos, are the thickness.
			if got, most := float64(n)/float64(cells[1]*cells[2])*cos, sin+cos; got < most*0.95 || got > most*1.03 {
				t.Errorf("%s at %g degrees: %.3f cells thick, expected %.3f", lattice, angle, got, most)
			}
		}
	}
}

// A body through which no link passes keeps its cells, even if links clip its edges.
func TestThickBodiesStay(t *testing.T) {
	cells := [3]int{40, 32, 32}
	for _, lattice := range []string{"D3Q19", "D3Q27"} {
		for name, s := range map[string]Shape{
			"sphere": Sphere{[3]float64{20.2, 16.3, 16.4}, 8.3},
			"box":    Box{[3]float64{10.3, 10.3, 10.3}, [3]float64{20.3, 20.4, 25.3}},
			"turned": Moved{Box{[3]float64{-7, -6, -8}, [3]float64{7, 6, 8}}, NewMotion(1, [3]float64{10, 25, 40}, [3]float64{20, 16, 16})},
			"rod":    Cylinder{[3]float64{20.2, 16.1, 16}, 4.4, 2, 60},
		} {
			d := channel(t, lattice, cells, Body{Shape: s, Type: 3})
			as := d.Sample(decomp.Box{Hi: cells})
			if found := d.Thin(0); found.Leaks() || found.Share() > 0.002 {
				t.Errorf("%s, %s: %+v", lattice, name, found)
			}
			d.Bodies[0].Thicken = true
			more := 0
			for i, k := range d.Sample(decomp.Box{Hi: cells}).Type {
				if k != as.Type[i] {
					more++
				}
			}
			if more > 8 {
				t.Errorf("%s, %s: %d cells more", lattice, name, more)
			}
		}
	}
}

// Any decomposition gives the same cells, periodic axes included.
func TestThickenedCellsOfAnyCut(t *testing.T) {
	cells := [3]int{24, 18, 16}
	for trial, angles := range [][3]float64{{0, 0, 30}, {20, 40, 10}, {0, 90, 0}, {0, 90, 7}, {45, 0, 45}} {
		d := channel(t, "D3Q27", cells, Body{Shape: plate(cells, 0.4, angles, 0.2), Type: 3, Thicken: true},
			Body{Shape: Moved{Box{[3]float64{-0.1, -5, -6}, [3]float64{0.2, 7, 8}}, NewMotion(1, angles, [3]float64{1, 17.5, 0.2})}, Type: 3, Thicken: true})
		d.Periodic = [3]bool{trial%2 == 0, trial%3 > 0, trial%3 < 2}
		whole := d.Sample(decomp.Box{Hi: cells})
		for y := 0; y < cells[1]; y += 6 {
			for z := 0; z < cells[2]; z += 4 {
				box := decomp.Box{Lo: [3]int{0, y, z}, Hi: [3]int{cells[0], y + 6, z + 4}}
				part := d.Sample(box)
				for z := -1; z <= part.N[2]; z++ {
					for y := -1; y <= part.N[1]; y++ {
						for x := -1; x <= part.N[0]; x++ {
							at := [3]int{x, y + box.Lo[1], z + box.Lo[2]}
							if want := whole.At(at[0], at[1], at[2]); part.At(x, y, z) != want {
								t.Fatalf("trial %d, box %v: cell %v is %d, in the whole %d", trial, box, at, part.At(x, y, z), want)
							}
						}
					}
				}
			}
		}
	}
}

func TestThicknessOfPlates(t *testing.T) {
	for _, thick := range []float64{0.1, 0.3, 0.6, 0.9} {
		for angle := 0.0; angle < 50; angle += 10 {
			cells := [3]int{64, 20, 1}
			d := channel(t, "D2Q9", cells, Body{Shape: plate(cells, thick, [3]float64{0, 0, angle}, 0.1), Type: 3})
			found := d.Thin(0)
			if found.Share() > 0.02 && math.Abs(found.Least/thick-1) > 0.03 || thick < 0.9 && found.Share() < 0.02 {
				t.Errorf("%g cells at %g degrees: %+v, share %.3g", thick, angle, found, found.Share())
			}
		}
	}
}

// The edges of a wing are thinner than a cell on every grid, and only edges leak.
func TestSharpEdgesAreNoLeaks(t *testing.T) {
	for _, chord := range []float64{60, 120} {
		n := int(1.3 * chord)
		mid, half := float64(n)/2+0.3, 0.06*chord
		radius := (chord*chord/4 + half*half) / (2 * half)
		lens := Combination{Intersection, []Shape{Cylinder{[3]float64{0, radius - half, 0}, radius, 2, 9}, Cylinder{[3]float64{0, half - radius, 0}, radius, 2, 9}}}
		for _, angle := range []float64{0, 5, 20, 45} {
			wing := Moved{lens, NewMotion(1, [3]float64{0, 0, angle}, [3]float64{mid, mid, 0.5})}
			d := channel(t, "D2Q9", [3]int{n, n, 1}, Body{Shape: wing, Type: 3})
			if found := d.Thin(0); found.Leaks() || found.Through == 0 && angle < 45 {
				t.Errorf("chord %g at %g degrees: %+v, share %g", chord, angle, found, found.Share())
			}
		}
	}
}

// A wall with few leaks in a large body is found by the path that it closes.
func TestWallOfALargeBodyLeaks(t *testing.T) {
	cells := [3]int{120, 60, 1}
	house := Combination{Union, []Shape{Box{[3]float64{80, 0, 0}, [3]float64{110, 50, 1}}, plate(cells, 1.3, [3]float64{0, 0, 30}, 0)}}
	d := channel(t, "D2Q9", cells, Body{Shape: house, Type: 3})
	if found := d.Thin(0); !found.Closed || found.Share() > leakShare {
		t.Errorf("%+v, share %g", found, found.Share())
	}
}

// Lines visit every link of a block once, for any direction.
func TestLinesVisitLinksOnce(t *testing.T) {
	cells := [3]int{6, 6, 5}
	d := channel(t, "D3Q27", cells, Body{Shape: Box{[3]float64{-9, -9, -9}, [3]float64{9, 9, 9}}, Type: 3})
	for _, c := range d.Links {
		for stride := 1; stride < 4; stride++ {
			seen, lines := map[[3]int]int{}, 0
			starts([3]int{}, cells, c, stride, func(x [3]int) {
				lines++
				for ; d.within(x); x = plus(x, c) {
					seen[x]++
				}
			})
			for x, n := range seen {
				if n != 1 {
					t.Errorf("%v: %v %d times", c, x, n)
				}
			}
			if stride == 1 && len(seen) != 180 || len(seen)*stride*stride < 90 || lines == 0 {
				t.Errorf("%v, stride %d: %d cells", c, stride, len(seen))
			}
		}
	}
}

func TestRuns(t *testing.T) {
	got := fmt.Sprint(runs([]bool{true, true, false, true, false, false, true}))
	if got != "[[0 2] [3 4] [6 7]]" || len(runs(nil)) != 0 || !slices.Equal(runs([]bool{false}), nil) {
		t.Error(got)
	}
}

// The rim of a thickened plate coincides with the plate's to a cell: from 0.9 cells before it to 0.7 cells beyond it, and
// 0.25 in the mean over positions on the grid.
func TestRimOfThickenedPlates(t *testing.T) {
	const half = 15.
	for _, thick := range []float64{1e-6, 0.3, 0.6} {
		for _, turn := range []float64{0, 15, 30, 45} {
			least, most, sum, n := 9., -9., 0., 0.
			for k := range 20 {
				m := NewMotion(1, [3]float64{0, 0, turn}, [3]float64{})
				m.Shift = [3]float64{30 + math.Mod(0.2742*float64(k), 1), 30 + math.Mod(0.4661*float64(k), 1), 0.5}
				plate := Moved{Box{Lo: [3]float64{-thick / 2, -half, -5}, Hi: [3]float64{thick / 2, half, 5}}, m}
				d := Scene{Cells: [3]int{60, 60, 1}, Links: [][3]int{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}}, Bodies: []Body{{Shape: plate, Thicken: true}}}
				takes, lo, hi := d.Takes(0), half, -half
				for i := range 60 * 60 {
					cell := [3]int{i % 60, i / 60, 0}
					if p := centre(cell); plate.Contains(p[0], p[1], p[2]) || takes(cell) {
						along := m.back(vector.Minus(p, m.Shift))[1]
						lo, hi = min(lo, along-0.5), max(hi, along+0.5)
					}
				}
				for _, off := range []float64{hi - half, -half - lo} {
					least, most, sum, n = min(least, off), max(most, off), sum+off, n+1
				}
			}
			if least < -0.9 || most > 0.7 || math.Abs(sum/n) > 0.25 {
				t.Errorf("%g cells thick at %g degrees: the rim is off by %.2f to %.2f, %.2f in the mean", thick, turn, least, most, sum/n)
			}
		}
	}
}
