// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// interfaceOf returns the crossings on both sides of the interface of a box in the middle of a periodic domain.
func interfaceOf(t *testing.T, spec model.Spec, parents int) (coarse, fine *boundary.Crossings, faces int) {
	t.Helper()
	l := spec.Lattice
	n, from, to := [3]int{parents + 6, parents + 6, 1}, [3]float64{3, 3, 0}, [3]float64{float64(parents + 3), float64(parents + 3), 1}
	if l.Dims == 3 {
		n[2], from[2], to[2] = n[0], from[0], to[0]
	}
	periodic := [3]bool{true, true, true}
	plan, err := decomp.Slabs(n, periodic, l.Dims, 1)
	if err != nil {
		t.Fatal(err)
	}
	h, err := decomp.NewHierarchy(plan, []decomp.Refinement{{Name: "refine.box", Level: 1, From: from, To: to}})
	if err != nil {
		t.Fatal(err)
	}
	ghost := [3]int{0, 3 - l.Dims, l.Dims - 2}
	part := func(level int) (decomp.Part, boundary.Cells) {
		p := decomp.Part{Hierarchy: h, Level: level}
		p.Layout = decomp.NewLayout(p.Box().Size(), ghost, l.Moments())
		cells := boundary.NewCells(p.Layout.N)
		cells.Global, cells.Origin, cells.Periodic = h.Levels[level].N, p.Box().Lo, periodic
		return p, cells
	}
	return bothCrossings(t, spec, part)
}

// Faces share what they need: about two upstream cells per fine face, instead of 6, 10 or 18; and all plain faces of one axis and side have one
// pattern, in which the shares of each direction add up to one population on each fine face and side.
func TestCrossingsAreShared(t *testing.T) {
	for name, items := range map[string]int{"D2Q9": 16, "D3Q19": 56, "D3Q27": 128} {
		l, _ := model.FindLattice(name)
		coarse, fine, faces := interfaceOf(t, model.Spec{Lattice: l, Scalar: true}, 24)
		perFace := 1 << (l.Dims - 1)
		if most := 2.6 * float64(faces*perFace); float64(len(fine.Upstream)) > most || fine.Sums != faces || len(fine.Groups) != faces {
			t.Errorf("%s: %d upstream cells, %d sums of %d faces: at most %g and all of them", name, len(fine.Upstream), fine.Sums, faces, most)
		}
		if want := 2 * l.Dims * items; len(fine.List) != want {
			t.Errorf("%s: %d crossings in all patterns, want %d", name, len(fine.List), want)
		}
		// Away from walls a scalar passes with the same populations.
		if h := fine.Heat; len(h.Carriers) != len(fine.Upstream) || len(h.List) != len(fine.List) || h.Sums != faces || len(h.Groups) != faces {
			t.Errorf("%s: %d carriers and %d crossings of a scalar", name, len(h.Carriers), len(h.List))
		}
		if len(coarse.Groups) != faces { // of a box each cell outside has one face
			t.Errorf("%s: %d coarse sums of %d faces", name, len(coarse.Groups), faces)
		}
		for _, g := range fine.Groups[:1] {
			sixths := map[uint8]int{}
			for _, x := range fine.List[g.First : g.First+g.Count] {
				sixths[x.Direction] += int(x.Mass)
				if x.Mass != x.Momentum {
					t.Errorf("%s: mass and momentum differ away from walls: %+v", name, x)
				}
			}
			for i, v := range sixths {
				if v != 6*perFace && v != -6*perFace {
					t.Errorf("%s: direction %d passes %d sixths of %d faces", name, i, v, perFace)
				}
			}
		}
	}
}

// The lists of a box of 256^3 cells take less than ten seconds: bound set before the measurement.
func TestCrossingsOfALargeBox(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test-all runs it")
	}
	l, _ := model.FindLattice("D3Q27")
	start := time.Now()
	_, fine, faces := interfaceOf(t, model.Spec{Lattice: l, Scalar: true}, 128)
	took := time.Since(start)
	t.Logf("%d faces, %d upstream cells, %d crossings: %.2f s", faces, len(fine.Upstream), len(fine.List), took.Seconds())
	if took > 10*time.Second {
		t.Errorf("the lists of %d faces take %.1f s", faces, took.Seconds())
	}
}

// Lists of an interface are the same in any pieces and by any number of threads: with a corner of a moving and a time-dependent wall, an
// open face and a scalar, of whose numbers each piece has its own until they are joined.
func TestCrossingsOfPieces(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(5))
	defer parallel.Limit(0)
	for _, name := range []string{"D2Q9", "D3Q19", "D3Q27"} {
		l, _ := model.FindLattice(name)
		list := func() (sides [2]*boundary.Crossings) {
			coarse, fine := atWalls(t, model.Spec{Lattice: l, Scalar: true})
			return [2]*boundary.Crossings{coarse, fine}
		}
		restore := boundary.SetGroupsOfPiece(1 << 20)
		parallel.Limit(1)
		want := list()
		for _, c := range want {
			if len(c.Groups) < 16 || len(c.Gains) == 0 || !c.Timed() || !c.Heat.Timed() {
				t.Errorf("%s: %d groups, %d gains, changing %v: not what is meant", name, len(c.Groups), len(c.Gains), c.Timed())
			}
		}
		for _, threads := range []int{1, 2, 5} {
			parallel.Limit(threads)
			for _, groups := range []int{1, 7, 30} {
				boundary.SetGroupsOfPiece(groups)
				for k, c := range list() {
					for _, at := range []float64{0, 3} {
						c.AdvanceTo(at)
						want[k].AdvanceTo(at)
						if !reflect.DeepEqual(exported(c), exported(want[k])) || !reflect.DeepEqual(exported(&c.Heat.Crossings), exported(&want[k].Heat.Crossings)) || !slices.Equal(c.Heat.Carriers, want[k].Heat.Carriers) {
							t.Errorf("%s: other lists by %d threads in pieces of %d groups, side %d, time %g", name, threads, groups, k, at)
						}
					}
				}
			}
		}
		restore()
	}
}

// exported returns the lists of crossings that kernels get.
func exported(c *boundary.Crossings) []any {
	return []any{c.Upstream, c.Gains, c.Models, c.Groups, c.Cells, c.List, c.Scale, c.Sums}
}

// atWalls returns the crossings on both sides of the interface of a box at an inlet, a wall that moves and one that does so in time.
func atWalls(t *testing.T, spec model.Spec) (coarse, fine *boundary.Crossings) {
	t.Helper()
	l := spec.Lattice
	n, to := [3]int{16, 14, 1}, [3]float64{11, 9, 1}
	if l.Dims == 3 {
		n[2], to[2] = 12, 7
	}
	plan, err := decomp.Slabs(n, [3]bool{}, l.Dims, 1)
	if err != nil {
		t.Fatal(err)
	}
	h, err := decomp.NewHierarchy(plan, []decomp.Refinement{{Name: "refine.box", Level: 1, To: to}})
	if err != nil {
		t.Fatal(err)
	}
	ghost := [3]int{0, 1, l.Dims - 2}
	walls := []boundary.Wall{
		{Law: boundary.VelocityFace, Motion: boundary.Constant{0.05, 0, 0}, Scalar: boundary.ScalarWall{Law: boundary.ScalarInlet, Value: 1}},
		{Motion: boundary.Formula{Timed: true, Velocity: func(p [3]float64, t float64) [3]float64 { return [3]float64{0.01 * p[0] * (1 + t), 0, 0} }}},
		{Motion: boundary.Constant{0.02, 0.03, 0}},
	}
	part := func(level int) (decomp.Part, boundary.Cells) {
		p := decomp.Part{Hierarchy: h, Level: level}
		p.Layout = decomp.NewLayout(p.Box().Size(), ghost, l.Moments())
		cells := boundary.NewCells(p.Layout.N)
		cells.Global, cells.Origin, cells.Walls = h.Levels[level].N, p.Box().Lo, walls
		lo := [3]int{-1, -1, 0}
		hi := [3]int{cells.N[0], cells.N[1], 0}
		if l.Dims == 3 {
			lo[2], hi[2] = -1, cells.N[2]
		}
		for z := lo[2]; z <= hi[2]; z++ {
			for y := lo[1]; y <= hi[1]; y++ {
				for x := lo[0]; x <= hi[0]; x++ {
					k, at := &cells.Type[cells.Index(x, y, z)], [3]int{x, y, z}
					for a := range l.Dims { // the last axis wins
						if g := cells.Origin[a] + at[a]; g < 0 || g >= cells.Global[a] {
							*k = uint8(a + 1)
						}
					}
				}
			}
		}
		return p, cells
	}
	coarse, fine, _ = bothCrossings(t, spec, part)
	return coarse, fine
}

// bothCrossings returns the crossings of the interface between two levels from its coarse and its fine side, and the number of its faces.
func bothCrossings(t *testing.T, spec model.Spec, part func(level int) (decomp.Part, boundary.Cells)) (coarse, fine *boundary.Crossings, faces int) {
	t.Helper()
	p, cells := part(0)
	coarse, err := boundary.CoarseCrossings(spec, p, cells, p.Outside())
	if err != nil {
		t.Fatal(err)
	}
	p, cells = part(1)
	inside := p.Inside()
	place := map[decomp.Face]int{}
	for k, f := range inside {
		place[f] = k
	}
	if fine, err = boundary.FineCrossings(spec, p, cells, inside, func(f decomp.Face) int { return place[f] }); err != nil {
		t.Fatal(err)
	}
	return coarse, fine, len(inside)
}
