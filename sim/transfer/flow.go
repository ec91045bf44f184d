// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import (
	"math"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Flow gives the initial state of this case's cells from a source.
type Flow struct {
	*Source
	target *config.Case
	// Length and Velocity are the factors from the source's lengths and velocities to the case's.
	Length, Velocity float64
	Same             bool // the source is a checkpoint of the same case: its state is this case's

	window  *window
	columns []stencil // of x
	box     decomp.Box
}

// stencil is the two cells of the source around a position along an axis: first and the next one, which has the share.
type stencil struct {
	first   int
	share   float64
	outside bool // the position is outside the box of the source: this is its nearest one
}

// at returns the stencil of a cell of this case along an axis.
func (f *Flow) at(cell, axis int) (s stencil) {
	u := f.target.Units
	position := ((f.target.Origin[axis]+(float64(cell)+0.5)*u.Length)/f.Length - f.Corner[axis]) / f.Spacing
	n := float64(f.Cells[axis])
	if near := math.Round(2*position) / 2; math.Abs(position-near) < 1e-9*n { // cells that coincide, and faces
		position = near
	}
	if s.outside = position < 0 || position > n; s.outside {
		if f.Case.Periodic[axis] {
			s.outside = false
			if axis == 0 { // its row is continued by no more than a margin
				position -= n * math.Floor(position/n)
			}
		} else {
			position = math.Max(0, math.Min(position, n))
		}
	}
	first := math.Floor(position - 0.5)
	s.first, s.share = int(first), position-0.5-first
	return s
}

// Prepare allocates for the cells of a box of this case.
func (f *Flow) Prepare(box decomp.Box, share func(n int, do func(lo, hi int) error) error, mark func()) {
	f.box = box
	f.columns = nil
	for x := box.Lo[0]; x < box.Hi[0]; x++ {
		f.columns = append(f.columns, f.at(x, 0))
	}
	first, last := 0, 1
	if f.Dims() == 3 {
		first, last = f.at(box.Lo[1], 1).first, f.at(box.Hi[1]-1, 1).first+2
	}
	f.window = newWindow(f.Source, first, last, share, mark)
}

// Plane is a plane of this case's cells in transfer from the source.
type Plane struct {
	flow  *Flow
	slabs [2]*slab
	along stencil
	k     int // global
}

// Plane reads the planes of the source around plane k of the box, which the caller requests in order.
func (f *Flow) Plane(k int) (p Plane, err error) {
	axis := f.axis()
	p = Plane{flow: f, k: k + f.box.Lo[axis]}
	p.along = f.at(p.k, axis)
	f.window.forget(p.along.first)
	for i := range p.slabs {
		if i == 1 && p.along.share == 0 {
			p.slabs[1] = p.slabs[0]
			break
		}
		if p.slabs[i], err = f.window.plane(p.along.first + i); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Cell is the input of device.Program.Init for a cell.
type Cell struct {
	Values      [10]float64 // rho - 1, velocity, strain rate; lattice units
	Temperature float64     // against the reference of this case
	Outside     bool        // of the box of the source
	Deep        bool        // inside a solid of the source
}

// Row visits the cells of row j of the box.
func (p Plane) Row(j int, visit func(x int, c *Cell)) {
	f := p.flow
	rows := stencil{}
	if f.Dims() == 3 {
		rows = f.at(j+f.box.Lo[1], 1)
		rows.first -= f.window.first
	}
	var sums []float64
	for x, column := range f.columns {
		var c Cell
		c.Outside = column.outside || rows.outside || p.along.outside
		sums, c.Deep = p.sum(column, rows, sums)
		f.convert(sums, [3]bool{column.outside, f.Dims() == 3 && rows.outside || f.Dims() == 2 && p.along.outside, p.along.outside}, &c)
		visit(x, &c)
	}
}

// sum interpolates between the corners that have fluid close by; deep reports that no corner has.
func (p Plane) sum(column, rows stencil, sums []float64) (_ []float64, deep bool) {
	w := p.flow.window
	at := rows.first*w.width() + column.first + margin
	if sums == nil {
		sums = make([]float64, len(p.slabs[0].values))
	}
	corner := func(n int) int { return at + n&1 + (n>>1&1)*w.width() }
	var weights [8]float64
	good := 0.0
	for n := range weights {
		weights[n] = part(column.share, n&1) * part(rows.share, n>>1&1) * part(p.along.share, n>>2)
		if weights[n] > 0 && p.slabs[n>>2].kind[corner(n)]&isDeep == 0 {
			good += weights[n]
		}
	}
	clear(sums)
	for n, weight := range weights {
		i := corner(n)
		if weight == 0 || good > 0 && p.slabs[n>>2].kind[i]&isDeep != 0 {
			continue
		}
		if good > 0 {
			weight /= good
		}
		for v, all := range p.slabs[n>>2].values {
			sums[v] += weight * all[i]
		}
	}
	return sums, good == 0
}

// part returns the weight of the first or the second cell.
func part(share float64, second int) float64 {
	if second == 1 {
		return share
	}
	return 1 - share
}

// convert takes interpolated values to the lattice units of this case. Beyond the box of the source nothing changes
// along the axes on which the position is outside.
func (f *Flow) convert(sums []float64, outside [3]bool, c *Cell) {
	dims, u := f.Dims(), f.target.Units
	speed := f.Velocity / (u.Length / u.Time)
	rate := speed * u.Length / (f.Length * f.Spacing) // of a slope per cell of the source
	c.Values[0] = sums[pressure] * speed * speed / model.CS2
	for a := range dims {
		c.Values[1+a] = sums[velocity+a] * speed
	}
	slope := func(component, axis int) float64 {
		if outside[axis] {
			return 0
		}
		return sums[f.count()+component*dims+axis] * rate
	}
	n := 1 + dims
	for a := range dims {
		c.Values[n] = slope(a, a)
		n++
	}
	for a := range dims {
		for b := a + 1; b < dims; b++ {
			c.Values[n] = (slope(a, b) + slope(b, a)) / 2
			n++
		}
	}
	if f.Warm {
		c.Temperature = sums[velocity+dims] - f.target.Temperature.Reference
	}
}
