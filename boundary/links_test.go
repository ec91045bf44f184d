package boundary

import (
	"math/bits"
	"testing"

	"lbmsim/decomp"
	"lbmsim/model"
)

// A block moves at a speed that changes with time, and (1, -1, 0) and (-1, 0, -1) meet it with the same momentum up to rounding:
// each link has the bits of its own direction, wherever the list begins. A shared law made a run depend on the
// decomposition.
func TestLaterLawsAreOfTheirDirection(t *testing.T) {
	n := [3]int{5, 5, 5}
	lattice, _ := model.FindLattice("D3Q27")
	cells := NewCells(n)
	cells.Periodic = [3]bool{true, true, true}
	motion := Scaled{Constant{0.02, 0.01, -0.03}, func(t float64) float64 { return 0.3 + 0.2*t }}
	cells.Walls = []Wall{{Motion: motion}}
	cells.Type[cells.Index(2, 2, 2)] = 1
	w, err := FindWalls(lattice, decomp.NewLayout(n, [3]int{0, 1, 1}, 10), cells.Periodic, cells, 32)
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.Special()
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, time := range []float64{0, 1, 2.5} {
		w.AdvanceTo(l, time)
		for _, c := range l.Cells {
			x, at := [3]int{int(c.X), int(c.Row) % n[1], int(c.Row) / n[1]}, c.First
			for rest := c.Links; rest != 0; rest &= rest - 1 {
				i := bits.TrailingZeros32(rest)
				if got, want := l.Laws[l.List[at]], w.law(x, i, 1, motion, time); got != want {
					t.Errorf("cell %v, direction %v at time %g: %v, want %v to the bit", x, lattice.Velocities[i], time, got, want)
				}
				at++
				links++
			}
		}
	}
	if links != 3*26 {
		t.Fatalf("%d links, want 26 at each of 3 times", links)
	}
}
