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

// Levels are the quantiles of all cells, within a bin of the histogram, whichever rank and block has them; neither margins, solids nor
// cells below finer ones count.
func TestLevels(t *testing.T) {
	one, err := levelsOf(comm.Serial(), []render.Block{ramp(-500, 1001)})
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range one {
		s := float64(k) / levels
		if want := -500 + 1000*s*s*(3-2*s); math.Abs(got-want) > 1.5 {
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
		got, err := levelsOf(c, parts[c.Rank()])
		if err == nil && !slices.Equal(got, one) {
			t.Errorf("rank %d has %v, want %v", c.Rank(), got, one)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	same := ramp(7, 1)
	if got, err := levelsOf(comm.Serial(), []render.Block{same}); err != nil || got[0] != 7 || got[levels] != 7 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := levelsOf(comm.Serial(), nil); err != nil || len(got) != levels+1 {
		t.Errorf("%v %v", got, err)
	}
	for _, v := range []float32{0, 1, -1, math.MaxFloat32, -math.SmallestNonzeroFloat32} {
		if number(ordered(v)) != v {
			t.Errorf("%g becomes %g", v, number(ordered(v)))
		}
	}
}
