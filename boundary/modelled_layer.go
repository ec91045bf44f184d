// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"

	"lbmsim/internal/parallel"
	"lbmsim/internal/vector"
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
	reach := int(math.Ceil(deepest)) + 1
	rows := f.n[1] * f.n[2]
	pieces := make([][]LayerCell, parallel.Count(rows, rowsOfPiece))
	parallel.Pieces(rows, rowsOfPiece, func(lo, hi int) {
		nearest, of := make([]float64, f.n[0]), make([]int32, f.n[0])
		for x := range nearest {
			nearest[x] = math.Inf(1)
		}
		for row := lo; row < hi; row++ {
			y, z := row%f.n[1], row/f.n[1]
			if from, to := f.nearest(y, z, reach, deepest*deepest+mostAside, nearest, of); from < to {
				pieces[lo/rowsOfPiece] = f.layer(pieces[lo/rowsOfPiece], y, z, from, to, nearest, of)
			}
		}
	})
	count := 0
	for _, piece := range pieces {
		count += len(piece)
	}
	list = make([]LayerCell, 0, count)
	for _, piece := range pieces {
		list = append(list, piece...)
	}
	return list
}

// nearest finds for the cells of row (y, z) of the rank's box the squared distance of the nearest foot of a ghost cell up to reach
// cells away along each axis, if it may be up to most, and the number of that ghost cell: of equally near ones the one that
// earlierAxes chooses, then the first, since the order of ghost cells beside a cell is the same in every box. It returns the range of
// cells written.
func (f *modelledSearch) nearest(y, z, reach int, most float64, nearest []float64, of []int32) (from, to int) {
	shift := f.lo[0] - f.Origin[0]
	y, z = y+f.lo[1]-f.Origin[1], z+f.lo[2]-f.Origin[2] // in the box around
	from, to = len(nearest), 0
	for gz := max(z-reach, -1); gz <= min(z+reach, f.N[2]); gz++ {
		first := (gz+1)*(f.N[1]+2) + max(y-reach, -1) + 1
		last := (gz+1)*(f.N[1]+2) + min(y+reach, f.N[1]) + 1
		for _, n := range f.rows.number[f.rows.start[first]:f.rows.start[last+1]] { // rows are contiguous
			g := &f.ghosts[n]
			if g.normal == [3]float64{} || g.turned {
				continue
			}
			d := f.above(g, [3]int{g.at[0], y, z})
			aside := most - d[1]*d[1] - d[2]*d[2]
			if aside < -1e-6 {
				continue
			}
			half, middle := math.Sqrt(math.Max(0, aside))+1e-6, float64(g.at[0]-shift)-d[0]
			lo := max(g.at[0]-reach-shift, int(math.Ceil(middle-half)), 0)
			hi := min(g.at[0]+reach-shift, int(math.Floor(middle+half)), len(nearest)-1)
			if lo > hi {
				continue
			}
			from, to = min(from, lo), max(to, hi+1)
			for x := lo; x <= hi; x++ {
				d[0] = float64(x+shift-g.at[0]) - g.behind*g.normal[0]
				if r := vector.Dot(d, d); r < nearest[x]-edgeTie || r < nearest[x]+edgeTie && earlierAxes(g.normal, f.ghosts[of[x]].normal) {
					nearest[x], of[x] = r, n
				}
			}
		}
	}
	return from, to
}

// layer appends the cells from, ... to-1 of row (y, z) of the rank's box that are in the layer, and clears their nearest
// ghost cells.
func (f *modelledSearch) layer(list []LayerCell, y, z, from, to int, nearest []float64, of []int32) []LayerCell {
	for x := from; x < to; x++ {
		r := nearest[x]
		nearest[x] = math.Inf(1)
		p := [3]int{x + f.lo[0] - f.Origin[0], y + f.lo[1] - f.Origin[1], z + f.lo[2] - f.Origin[2]}
		if math.IsInf(r, 1) || f.typeAt(p) != 0 {
			continue
		}
		g := &f.ghosts[of[x]]
		if g.under { // the layer is on the finer level, and ends lower
			continue
		}
		if length := f.length(g, vector.Dot(f.above(g, p), g.normal), r); length > 0 {
			list = append(list, LayerCell{[3]int{x, y, z}, uint32(of[x]), float32(length)})
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

// mostAside is the square of the distance beside the surface up to which a cell lies above it: feet are at most one cell
// apart.
const mostAside = 2

// length returns 3 nu_t / u_tau of a cell at a height above a ghost cell's plane and at the squared distance r from the
// foot; 0 where the cell is above the layer, below the plane, or beside the end of the surface.
func (f *modelledSearch) length(g *foundGhost, height, r float64) float64 {
	layer := f.Wall(g.k).Model.Layer
	if height < 0 || height >= layer || r-height*height > mostAside+edgeTie {
		return 0
	}
	return 3 * Kappa * math.Max(height, LeastMixing) * (1 - height*height/(layer*layer))
}
