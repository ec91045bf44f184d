// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package propose

import (
	"math"
	"math/rand/v2"
	"testing"

	"lbmsim/config"
	"lbmsim/decomp"
)

// Proposed boxes obey the rules of decomp, whatever the flow and the bodies: the wanted bodies are in boxes of the finest level with
// their margin, others in a box of a level or away from its ends, and shear is refined.
func TestBoxesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	split := 0
	for k := range 300 {
		g := Grid{Dims: 2 + k%2, Levels: 1 + r.IntN(3), Cells: [3]int{1, 1, 1}}
		f := Flow{Cells: [3]int{1, 1, 1}, Layers: r.IntN(3), Walls: []config.Face{{Axis: 1, Side: r.IntN(2)}}}
		n := 1
		for a := range g.Dims {
			g.Cells[a], f.Cells[a], g.Periodic[a] = 12+r.IntN(40), 10+r.IntN(30), r.IntN(3) == 0
			n *= f.Cells[a]
		}
		f.Vorticity = make([]float64, n)
		blobs(r, g.Dims, f)
		bodies := some(r, g)
		boxes := Boxes(g, f, bodies, []config.Face{{Axis: 1}}, 5)
		h := hierarchy(t, g, boxes)
		perLevel := map[int]int{}
		for _, b := range boxes {
			perLevel[b.Level]++
		}
		split += perLevel[1] - 1
		for _, b := range bodies {
			judge(t, k, g, h, boxes, b)
		}
		m := marks{f.Cells, g.Dims, make([]bool, n)}
		for l := 1; l <= g.Levels; l++ {
			for i, v := range f.apart().Vorticity {
				m.on[i] = v >= Threshold(5*float64(int(1)<<(l-1)))
			}
			for i, on := range m.settled().on {
				if on && !h.Contains(l, cellOf(h, l, f, i)) {
					t.Fatalf("case %d: cell %d has shear and no level %d: %+v", k, i, l, boxes)
				}
			}
		}
	}
	if split < 30 {
		t.Errorf("only %d levels had more than one box", split)
	}
}

// hierarchy fails where boxes do not fit.
func hierarchy(t *testing.T, g Grid, boxes []Box) *decomp.Hierarchy {
	t.Helper()
	plan, err := decomp.Cut(g.Cells, g.Periodic, g.Dims, 1, [3]int{})
	if err != nil {
		t.Fatal(err)
	}
	var list []decomp.Refinement
	for _, b := range boxes {
		list = append(list, b.Refinement)
	}
	h, err := decomp.NewHierarchy(plan, list)
	if err != nil {
		t.Fatalf("%v\n%+v\n%+v", err, g, boxes)
	}
	return h
}

// blobs adds some maxima of the vorticity.
func blobs(r *rand.Rand, dims int, f Flow) {
	for range r.IntN(4) {
		peak, at, wide := 0.2+4*r.Float64(), [3]float64{}, 1+6*r.Float64()
		for a := range dims {
			at[a] = r.Float64() * float64(f.Cells[a])
		}
		for i := range f.Vorticity {
			d := 0.
			for a, x := range [3]int{i % f.Cells[0], i / f.Cells[0] % f.Cells[1], i / (f.Cells[0] * f.Cells[1])} {
				if a < dims {
					d += math.Pow((float64(x)+0.5-at[a])/wide, 2)
				}
			}
			f.Vorticity[i] += peak * math.Exp(-d)
		}
	}
}

// some returns bodies within the domain.
func some(r *rand.Rand, g Grid) (list []Body) {
	for range r.IntN(3) {
		b := Body{Hi: [3]float64{1, 1, 1}, Margin: []float64{6, 6, 15}[r.IntN(3)], Wanted: r.IntN(3) > 0}
		for a := range g.Dims {
			b.Lo[a] = r.Float64() * float64(g.Cells[a]-2)
			b.Hi[a] = math.Min(b.Lo[a]+0.3+6*r.Float64(), float64(g.Cells[a]))
		}
		list = append(list, b)
	}
	return list
}

// judge checks the levels around a body.
func judge(t *testing.T, k int, g Grid, h *decomp.Hierarchy, boxes []Box, b Body) {
	t.Helper()
	of := 0
	around := func(level, cells int) decomp.Box { // the body and so many cells of the level, cut off at faces
		box := decomp.Box{Hi: [3]int{1, 1, 1}}
		for a := range g.Dims {
			n, width := h.Levels[level].N[a], float64(int(1)<<level)
			box.Lo[a], box.Hi[a] = int(math.Floor(b.Lo[a]*width))-cells, int(math.Ceil(b.Hi[a]*width))+cells
			if !g.Periodic[a] {
				box.Lo[a], box.Hi[a] = max(0, box.Lo[a]), min(n, box.Hi[a])
			} else if box.Hi[a]-box.Lo[a] > n {
				box.Lo[a], box.Hi[a] = 0, n
			}
		}
		return box
	}
	for l := 1; l < len(h.Levels); l++ {
		if h.Contains(l, around(l, int(b.Margin)-2)) {
			of = l
			continue
		}
		for _, p := range h.Levels[l].Patches {
			if p.Owned.Overlaps(around(l, int(2*b.Margin)-2)) {
				t.Fatalf("case %d: %+v is near an end of level %d: %+v", k, b, l, boxes)
			}
		}
	}
	if b.Wanted && of != g.Levels {
		t.Fatalf("case %d: %+v is on level %d of %d: %+v", k, b, of, g.Levels, boxes)
	}
}

// cellOf returns the cells of a level in the middle of a cell of a flow.
func cellOf(h *decomp.Hierarchy, level int, f Flow, i int) decomp.Box {
	b := decomp.Box{Hi: [3]int{1, 1, 1}}
	for a, x := range [3]int{i % f.Cells[0], i / f.Cells[0] % f.Cells[1], i / (f.Cells[0] * f.Cells[1])} {
		if a < h.Dims() {
			b.Lo[a] = int((float64(x) + 0.5) / float64(f.Cells[a]) * float64(h.Levels[level].N[a]))
			b.Hi[a] = b.Lo[a] + 1
		}
	}
	return b
}

// A wake becomes few boxes as narrow as the wake, and two bodies get two boxes.
func TestClusters(t *testing.T) {
	f := Flow{Cells: [3]int{40, 20, 1}, Vorticity: make([]float64, 800)}
	mark := func(x0, y0, x1, y1 int) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				f.Vorticity[y*40+x] = 1
			}
		}
	}
	mark(2, 8, 8, 12)   // near
	mark(8, 4, 30, 16)  // far
	f.Vorticity[39] = 1 // a speck
	got := clusters(2, f, 0.5)
	want := []decomp.Box{{Lo: [3]int{2, 8, 0}, Hi: [3]int{8, 12, 1}}, {Lo: [3]int{8, 4, 0}, Hi: [3]int{30, 16, 1}}}
	if len(got) != 1 { // 48 of 336 cells: not worth a cut
		t.Errorf("%+v", got)
	}
	mark(8, 0, 30, 20)
	if got = clusters(2, f, 0.5); len(got) != 2 || got[0] != want[0] || got[1].Cells() != 440 {
		t.Errorf("%+v", got)
	}
	if got = clusters(2, f, 2); got != nil {
		t.Errorf("%+v", got)
	}
}
