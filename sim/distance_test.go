package sim

import (
	"fmt"
	"math"
	"testing"

	"lbmsim/comm"
	"lbmsim/config"
)

// The distance to walls is that which a search over all cells finds, for any cut.
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
			kase, err := config.Load("test.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if kase.Dims() == 2 {
				cut = [3]int{1, cut[2], 1}
			}
			kase.Run.Ranks = cut
			got := make([]float32, kase.Box().Cells())
			err = comm.RunLocal(cut[0]*cut[1]*cut[2], func(c comm.Comm) (err error) {
				r := &run{Options: Options{Case: kase, Comm: c, Threads: 2}, rank: c.Rank(), size: c.Size()}
				if r.plan, err = kase.Cut(r.size); err != nil {
					return err
				}
				r.box = r.plan.Box(r.rank)
				r.layout = r.plan.Layout(r.rank, 1)
				domain := r.domain()
				r.cells = domain.Sample(r.box)
				if r.size == 1 {
					want = searched(r)
				}
				own, err := r.wallDistance()
				for i, d := range own {
					n := r.layout.N
					x, y, z := i%n[0]+r.box.Lo[0], i/n[0]%n[1]+r.box.Lo[1], i/n[0]/n[1]+r.box.Lo[2]
					got[(z*kase.Cells[1]+y)*kase.Cells[0]+x] = d
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

// searched is the distance of each cell of a whole domain by looking at every wall.
func searched(r *run) (d []float32) {
	n, dims := r.layout.N, r.Case.Dims()
	gap := func(a, p, q int) float64 { // between cell p and the box of cell q
		near := math.Max(math.Abs(float64(p-q))-0.5, 0)
		if r.Case.Periodic[a] {
			for _, image := range []int{-n[a], n[a]} {
				near = math.Min(near, math.Max(math.Abs(float64(p-q-image))-0.5, 0))
			}
		}
		return near
	}
	lo, hi := [3]int{}, n
	for a := range dims {
		if !r.Case.Periodic[a] {
			lo[a], hi[a] = -1, n[a]+1
		}
	}
	var walls [][3]int
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			for x := lo[0]; x < hi[0]; x++ {
				if r.cells.At(x, y, z) != 0 {
					walls = append(walls, [3]int{x, y, z})
				}
			}
		}
	}
	for i := range n[0] * n[1] * n[2] {
		p := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
		best := math.Inf(1)
		for _, w := range walls {
			sum := 0.0
			for a := range dims {
				sum += gap(a, p[a], w[a]) * gap(a, p[a], w[a])
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
	kase, err := config.Load("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Case: kase, Comm: comm.Serial(), Threads: 1}, size: 1}
	if r.plan, err = kase.Cut(1); err != nil {
		t.Fatal(err)
	}
	r.box, r.layout = r.plan.Box(0), r.plan.Layout(0, 1)
	domain := r.domain()
	r.cells = domain.Sample(r.box)
	d, err := r.wallDistance()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(d[0], d[4], d[8], d[12], d[16], d[20], d[24]), "0.5 1.5 2.5 3.5 2.5 1.5 0.5"; got != want {
		t.Errorf("distances %s instead of %s", got, want)
	}
}
