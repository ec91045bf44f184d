// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"math"
	"slices"
	"testing"

	"lbmsim/comm"
	"lbmsim/internal/render"
)

// ramp is a block of n cells, with values from `first` on, in a margin of others.
func ramp(first, n int) render.Block {
	b := render.Block{N: [3]int{n, 1, 1}}
	wide, high := n+2*render.Margin, 1+2*render.Margin
	b.Shape = make([]float32, wide*high*high)
	for i := range b.Shape {
		b.Shape[i] = 1e9
	}
	for x := range n {
		b.Shape[(render.Margin*high+render.Margin)*wide+render.Margin+x] = float32(first + x)
	}
	return b
}

// A few cells with values a million times the usual ones leave the levels as they are: of 100,000 values with density exp(-v), the level
// with 97 % below it is -log(0.03).
func TestLevelsOfHeavyTails(t *testing.T) {
	const n = 100_000
	b := ramp(0, n+20)
	for x := range n + 20 {
		v := -math.Log(1 - (float64(x)+0.5)/n)
		if x >= n {
			v = float64(1+x-n) * 1e5 // up to 2e6
		}
		if x%2 == 0 {
			v = -v
		}
		b.Shape[(render.Margin*(1+2*render.Margin)+render.Margin)*(n+20+2*render.Margin)+render.Margin+x] = float32(v)
	}
	got, err := levelsOf(comm.Serial(), &scenery{blocks: []render.Block{b}})
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < levels; k++ {
		s := float64(k) / levels
		p := s * s * (3 - 2*s)
		want := -math.Log(2 - 2*p) // of both signs
		if p < 0.5 {
			want = math.Log(2 * p)
		}
		if k == levels/2 {
			want = 0
		}
		// A bin is 5 % wide; stated before the first run.
		if math.Abs(got[k]-want) > 0.05*math.Abs(want)+1e-3 {
			t.Errorf("level %d is %g, want %g", k, got[k], want)
		}
	}
	if got[0] > -1e6 || got[levels] < 1e6 {
		t.Errorf("the levels end at %g and %g", got[0], got[levels])
	}
}

// Levels are the quantiles of all cells, within a bin of the histogram, whichever rank and block has them; neither margins, solids nor
// cells below finer ones count.
func TestLevels(t *testing.T) {
	one, err := levelsOf(comm.Serial(), &scenery{blocks: []render.Block{ramp(-500, 1001)}})
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range one {
		s := float64(k) / levels
		// A bin is 2.3 % of a value wide, and the values are whole numbers.
		if want := -500 + 1000*s*s*(3-2*s); math.Abs(got-want) > 1.5+0.023*math.Abs(want) {
			t.Errorf("level %d is %g, want %g", k, got, want)
		}
	}
	err = comm.RunLocal(3, func(c comm.Comm) error {
		extra := ramp(9000, 4)
		extra.Finest = make([]bool, 4)
		hollow := ramp(0, 3)
		for i := range hollow.Shape {
			hollow.Shape[i] = float32(math.NaN())
		}
		parts := [][]render.Block{{ramp(-500, 300), extra}, {ramp(101, 400)}, {ramp(-200, 301), hollow}}
		got, err := levelsOf(c, &scenery{blocks: parts[c.Rank()]})
		if err == nil && !slices.Equal(got, one) {
			t.Errorf("rank %d has %v, want %v", c.Rank(), got, one)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	same := ramp(7, 1)
	if got, err := levelsOf(comm.Serial(), &scenery{blocks: []render.Block{same}}); err != nil || got[0] != 7 || got[levels] != 7 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := levelsOf(comm.Serial(), &scenery{}); err != nil || len(got) != levels+1 {
		t.Errorf("%v %v", got, err)
	}
	for _, v := range []float32{0, 1, -1, math.MaxFloat32, -math.SmallestNonzeroFloat32} {
		if number(ordered(v)) != v {
			t.Errorf("%g becomes %g", v, number(ordered(v)))
		}
	}
}
