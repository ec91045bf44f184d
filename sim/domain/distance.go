// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/decomp"
	"lbmsim/sim/rank"
)

// The distance of every cell to the nearest wall of the whole domain: squared distances
// along x, then the nearest of those along y, then along z. Lines along a decomposed axis are
// assembled by the ranks that share them, each working on a part of the lines; no rank has more
// than its share of the cells.

// NoSlip reports whether cells of a type are no-slip walls.
func NoSlip(cells boundary.Cells, t uint8) bool {
	if t == 0 {
		return false
	}
	switch w := cells.Wall(t); w.Law {
	case boundary.Bounce, boundary.Interpolated, boundary.MovingFace:
		return true
	case boundary.ModelledWall:
		return !w.Model.Frictionless
	default:
		return false
	}
}

// BesideWall reports whether a fluid cell, global, is one of this rank's and shares a face with a no-slip wall.
func (p *Part) BesideWall(global [3]int) bool {
	if !p.Box.Contains(global) {
		return false
	}
	at := global
	for a := range at {
		at[a] -= p.Box.Lo[a]
	}
	if p.Cells.At(at[0], at[1], at[2]) != 0 {
		return false
	}
	for a := range p.Case.Dims() {
		for _, d := range []int{-1, 1} {
			b := at
			b[a] += d
			if NoSlip(p.Cells, p.Cells.At(b[0], b[1], b[2])) {
				return true
			}
		}
	}
	return false
}

// WallDistance returns the distance of this rank's cells to the nearest face of a wall's
// cell, [z][y][x], in cells; +Inf in a domain without walls. Collective.
func (p *Part) WallDistance(on *rank.Rank) ([]float32, error) {
	// Boundaries on faces count as well: the layer of cells behind them.
	box := p.withFaces(p.Box)
	n := box.Size()
	d := make([]float32, box.Cells())
	from := p.Local(box).Lo
	_ = on.Share(n[1]*n[2], func(lo, hi int) error {
		e := newEnvelope(n[0], p.Case.Periodic[0])
		for row := lo; row < hi; row++ {
			y, z := from[1]+row%n[1], from[2]+row/n[1]
			for x := range n[0] {
				if e.f[x] = math.Inf(1); NoSlip(p.Cells, p.Cells.At(from[0]+x, y, z)) {
					e.f[x] = 0
				}
			}
			e.nearest(d[row*n[0]:][:n[0]])
		}
		return nil
	})
	for axis := 1; axis < p.Case.Dims(); axis++ {
		if err := p.nearestAlong(on, axis, n, d); err != nil {
			return nil, err
		}
	}
	own := make([]float32, 0, p.Box.Cells())
	for z := range p.Layout.N[2] {
		for y := range p.Layout.N[1] {
			for _, v := range d[((z-from[2])*n[1]+y-from[1])*n[0]-from[0]:][:p.Layout.N[0]] {
				own = append(own, float32(math.Sqrt(float64(v))))
			}
		}
	}
	return own, nil
}

// withFaces returns a rank's box, global, with the cells behind the domain's faces that it
// reaches.
func (p *Part) withFaces(box decomp.Box) decomp.Box {
	for a := range p.Case.Dims() {
		if !p.Case.Periodic[a] && box.Lo[a] == 0 {
			box.Lo[a]--
		}
		if !p.Case.Periodic[a] && box.Hi[a] == p.Case.Cells[a] {
			box.Hi[a]++
		}
	}
	return box
}

// nearestAlong continues with distances of a box of n cells along y or z, whose lines
// several ranks may have parts of.
func (p *Part) nearestAlong(on *rank.Rank, axis int, n [3]int, d []float32) error {
	ranks, me := p.lineOf(on, axis)
	other := 3 - axis // the third axis
	// A column is this rank's cells at one x and one place along the other axis; part i of
	// the columns is worked on by rank i of the line.
	columns := n[0] * n[other]
	part := func(i int) (lo, hi int) { return columns * i / len(ranks), columns * (i + 1) / len(ranks) }
	index := func(column, k int) int {
		p := [3]int{column % n[0]}
		p[axis], p[other] = k, column/n[0]
		return (p[2]*n[1]+p[1])*n[0] + p[0]
	}
	mine := func(i int) (values []float32) { // part i of this rank's columns, one behind the other
		lo, hi := part(i)
		values = make([]float32, 0, (hi-lo)*n[axis])
		for c := lo; c < hi; c++ {
			for k := range n[axis] {
				values = append(values, d[index(c, k)])
			}
		}
		return values
	}
	whole, length := 0, make([]int, len(ranks)) // of a line, and of each rank's piece of it
	for i, rank := range ranks {
		length[i] = p.withFaces(p.Plan.Box(rank)).Size()[axis]
		whole += length[i]
	}
	lo, hi := part(me)
	pieces, err := exchangeParts(on, ranks, me, mine, func(i int) int { return (hi - lo) * length[i] })
	if err != nil {
		return err
	}
	_ = on.Share(hi-lo, func(first, last int) error {
		e, line := newEnvelope(whole, p.Case.Periodic[axis]), make([]float32, whole)
		for c := first; c < last; c++ {
			k := 0
			for i, piece := range pieces {
				for _, v := range piece[c*length[i]:][:length[i]] {
					e.f[k] = float64(v)
					k++
				}
			}
			e.nearest(line)
			k = 0
			for i, piece := range pieces {
				copy(piece[c*length[i]:][:length[i]], line[k:])
				k += length[i]
			}
		}
		return nil
	})
	back, err := exchangeParts(on, ranks, me, func(i int) []float32 { return pieces[i] }, func(i int) int {
		lo, hi := part(i)
		return (hi - lo) * n[axis]
	})
	if err != nil {
		return err
	}
	for i, values := range back {
		lo, hi := part(i)
		for c := lo; c < hi; c++ {
			for k := range n[axis] {
				d[index(c, k)] = values[(c-lo)*n[axis]+k]
			}
		}
	}
	return nil
}

// envelope finds min over q of f(q) + g(p-q) for all p of a line, where g(d) is the
// squared distance of a cell to the near face of the cell d away: (|d| - 1/2)^2, and 0 for
// d = 0. That is the smaller of f(p) and the lower envelope of parabolas on the faces between
// cells, the height on each of which is the smaller f of its two cells
// (Felzenszwalb & Huttenlocher, Theory Comput. 8 (2012) 415, section 2.1).
type envelope struct {
	f        []float64 // of the line's cells
	periodic bool
	place    []float64 // of the parabolas of the envelope ...
	height   []float64
	from     []float64 // ... and where each of them begins to be the lowest
}

func newEnvelope(n int, periodic bool) *envelope {
	return &envelope{f: make([]float64, n), periodic: periodic}
}

// nearest puts the result for all cells of the line into out.
func (e *envelope) nearest(out []float32) {
	e.place, e.height, e.from = e.place[:0], e.height[:0], e.from[:0]
	n := len(e.f)
	lo, hi := 1, n-1 // faces, as the cells above them
	if e.periodic {  // the images on both sides
		lo, hi = -n, 2*n
	}
	for j := lo; j <= hi; j++ {
		e.add(float64(j)-0.5, math.Min(e.f[(j+2*n-1)%n], e.f[(j+2*n)%n]))
	}
	k := 0
	for p := range out {
		out[p] = float32(e.f[p])
		if len(e.place) == 0 {
			continue
		}
		for k+1 < len(e.from) && e.from[k+1] <= float64(p) {
			k++
		}
		d := float64(p) - e.place[k]
		out[p] = min(out[p], float32(e.height[k]+d*d))
	}
}

// add adds the parabola at a place behind all others.
func (e *envelope) add(at, height float64) {
	if math.IsInf(height, 1) {
		return
	}
	begin := math.Inf(-1)
	for n := len(e.place) - 1; n >= 0; n-- {
		// Where this one and the last are equal.
		begin = (height + at*at - e.height[n] - e.place[n]*e.place[n]) / (2 * (at - e.place[n]))
		if begin > e.from[n] {
			break
		}
		e.place, e.height, e.from = e.place[:n], e.height[:n], e.from[:n]
		begin = math.Inf(-1)
	}
	e.place, e.height, e.from = append(e.place, at), append(e.height, height), append(e.from, begin)
}
