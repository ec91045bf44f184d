package boundary

import (
	"math"
	"sort"

	"lbmsim/internal/parallel"
)

// measure lists the rank's cells in the layer: each has the height above the plane of the nearest ghost cell, whose number is its
// place in the search's list.
func (f *modelledSearch) measure() (list []LayerCell) {
	deepest := 0.0
	for _, w := range f.Walls {
		if w.Law == ModelledWall {
			deepest = math.Max(deepest, w.Model.Layer)
		}
	}
	if deepest == 0 {
		return nil
	}
	planes := make([][]LayerCell, f.n[2])
	parallel.Ranges(f.n[2], func(lo, hi int) {
		for z := lo; z < hi; z++ {
			planes[z] = f.layer(z, int(math.Ceil(deepest))+1)
		}
	})
	for _, plane := range planes {
		list = append(list, plane...)
	}
	return list
}

// layer returns the cells of the layer in plane z of the rank's box. Of each cell the nearest foot of a ghost cell counts, of
// equally near ones the first: the order of ghost cells beside a cell is the same in every box.
func (f *modelledSearch) layer(z, reach int) (list []LayerCell) {
	nearest, of := make([]float64, f.n[0]*f.n[1]), make([]int, f.n[0]*f.n[1])
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	shift := [3]int{f.lo[0] - f.Origin[0], f.lo[1] - f.Origin[1], f.lo[2] - f.Origin[2]}
	at := z + shift[2] // in the box around
	first := sort.Search(len(f.ghosts), func(i int) bool { return f.ghosts[i].at[2] >= at-reach })
	for i := first; i < len(f.ghosts) && f.ghosts[i].at[2] <= at+reach; i++ {
		g := &f.ghosts[i]
		if g.normal == [3]float64{} {
			continue
		}
		for y := max(g.at[1]-reach-shift[1], 0); y <= min(g.at[1]+reach-shift[1], f.n[1]-1); y++ {
			for x := max(g.at[0]-reach-shift[0], 0); x <= min(g.at[0]+reach-shift[0], f.n[0]-1); x++ {
				d := f.above(g, [3]int{x + shift[0], y + shift[1], at})
				if r := dot3(d, d); r < nearest[y*f.n[0]+x] {
					nearest[y*f.n[0]+x], of[y*f.n[0]+x] = r, i
				}
			}
		}
	}
	for i, r := range nearest {
		x := [3]int{i % f.n[0], i / f.n[0], z}
		p := [3]int{x[0] + shift[0], x[1] + shift[1], at}
		if math.IsInf(r, 1) || f.typeAt(p) != 0 {
			continue
		}
		g := &f.ghosts[of[i]]
		if length := f.length(g, dot3(f.above(g, p), g.normal), r); length > 0 {
			list = append(list, LayerCell{x, uint32(of[i]), float32(length)})
		}
	}
	return list
}

// above returns the vector from the foot of a ghost cell on the surface to the centre of a cell.
func (f *modelledSearch) above(g *foundGhost, p [3]int) (d [3]float64) {
	for a := range d {
		d[a] = float64(p[a]-g.at[a]) - g.behind*g.normal[a]
	}
	return d
}

// mostAside is the square of the distance beside the surface up to which a cell lies above it: feet are at most a cell apart.
const mostAside = 2

// length returns 3 nu_t by u_tau of a cell at a height above a ghost cell's plane, the square of whose distance from the foot is r;
// 0 where the cell is above the layer, below the plane, or beside the end of the surface.
func (f *modelledSearch) length(g *foundGhost, height, r float64) float64 {
	layer := f.Wall(g.k).Model.Layer
	if height < 0 || height >= layer || r-height*height > mostAside {
		return 0
	}
	return 3 * Kappa * math.Max(height, LeastMixing) * (1 - height*height/(layer*layer))
}
