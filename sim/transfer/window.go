// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package transfer

import "fmt"

// window keeps the planes of a source around the current planes of this case. Planes as read give gradients, by central
// differences, of second order from one side beside solids; from these planes in which cells without fluid have what
// their fluid neighbours extrapolate, so that interpolation never sees a solid. That makes the velocity vanish at walls
// half-way between cells, which a plain extrapolation of the nearest value would not.
//
// Cells of a plane are rows first to last along the middle axis (one in 2D) and all of x, with a margin on both sides of
// each. Indices may lie outside the box: along periodic axes it is continued, elsewhere there is no fluid.
type window struct {
	*Source
	share  share
	mark   func()
	first  int // row of the source that row 0 of a plane is
	rows   int
	whole  *slab // a plane as it is read
	read   map[int]*slab
	slopes map[int]*slab // slope of value v along axis a: v*Dims + a
	filled map[int]*slab // the values, and then the slopes of the velocity
}

// margin is the number of cells that planes reach beyond their part in use: one cell for the neighbours of an interpolation,
// one for the neighbours that extrapolate to it, two for their gradients.
const margin = 4

func newWindow(s *Source, first, last int, share share, mark func()) *window {
	w := &window{Source: s, share: share, mark: mark, first: first - margin, rows: last - first + 2*margin,
		read: map[int]*slab{}, slopes: map[int]*slab{}, filled: map[int]*slab{}}
	if s.Dims() == 2 {
		w.first, w.rows = 0, 1
	}
	w.whole = newSlab(s.count(), s.rows()*s.Cells[0])
	return w
}

// width returns the distance of two rows.
func (w *window) width() int { return w.Cells[0] + 2*margin }

// forget drops planes below k.
func (w *window) forget(k int) {
	for _, all := range []map[int]*slab{w.read, w.slopes, w.filled} {
		for at := range all {
			if at < k-3 {
				delete(all, at)
			}
		}
	}
}

// inside returns the cell of the box along an axis; ok is false where there is no cell.
func (w *window) inside(i, axis int) (cell int, ok bool) {
	n := w.Cells[axis]
	if w.Case.Periodic[axis] {
		return ((i % n) + n) % n, true
	}
	return i, i >= 0 && i < n
}

// raw returns plane k as it is read.
func (w *window) raw(k int) (*slab, error) {
	if s := w.read[k]; s != nil {
		return s, nil
	}
	s := newSlab(w.count(), w.rows*w.width())
	if plane, ok := w.inside(k, w.axis()); ok {
		if err := w.planes.read(plane, w.share, w.whole); err != nil {
			return nil, err
		}
		w.mark()
		if err := w.share(w.rows, func(lo, hi int) error { return w.take(lo, hi, plane, s) }); err != nil {
			return nil, err
		}
	}
	w.read[k] = s
	return s, nil
}

// take copies rows of the plane at hand.
func (w *window) take(lo, hi, plane int, to *slab) error {
	for row := lo; row < hi; row++ {
		from, ok := 0, true
		if w.Dims() == 3 {
			if from, ok = w.inside(w.first+row, 1); !ok {
				continue
			}
		}
		for x := -margin; x < w.Cells[0]+margin; x++ {
			cell, ok := w.inside(x, 0)
			if !ok {
				continue
			}
			i, j := row*w.width()+x+margin, from*w.Cells[0]+cell
			to.kind[i] = w.whole.kind[j]
			for v, all := range w.whole.values {
				if to.values[v][i] = all[j]; all[j]-all[j] != 0 {
					return fmt.Errorf("%s has a value that is not finite, in plane %d, row %d, cell %d: the flow was unstable; use an earlier file", w.Path, plane, from, cell)
				}
			}
		}
	}
	return nil
}

// of returns the bit of slab.kind that a cell needs to have value v.
func (w *window) of(v int) uint8 {
	if v > w.Dims() {
		return isWarm
	}
	return isFluid
}

// lines are a cell and two neighbours on both sides of it along an axis.
type lines struct {
	slabs [5]*slab
	step  int // between cells
}

// along lists the lines of a plane, of which the neighbours are given, by axis.
func (w *window) along(near [5]*slab) []lines {
	here := near[2]
	list := []lines{{[5]*slab{here, here, here, here, here}, 1}, {near, 0}}
	if w.Dims() == 3 {
		list = []lines{list[0], {list[0].slabs, w.width()}, list[1]}
	}
	return list
}

// slope returns the slope of value v in cell i, per cell.
func (l lines) slope(v, i int, bit uint8) float64 {
	has := func(o int) bool { return l.slabs[2+o].kind[i+o*l.step]&bit != 0 }
	at := func(o int) float64 { return l.slabs[2+o].values[v][i+o*l.step] }
	lo, hi := has(-1), has(1)
	switch {
	case lo && hi:
		return (at(1) - at(-1)) / 2
	case hi && has(2):
		return (4*at(1) - 3*at(0) - at(2)) / 2
	case hi:
		return at(1) - at(0)
	case lo && has(-2):
		return (3*at(0) - 4*at(-1) + at(-2)) / 2
	case lo:
		return at(0) - at(-1)
	}
	return 0
}

// rowsWithin visits the rows of a plane at least a distance from its ends, by threads, with the range of their cells.
func (w *window) rowsWithin(edge int, do func(lo, hi int)) error {
	from, n := edge, w.rows-2*edge
	if w.Dims() == 2 {
		from, n = 0, 1
	}
	return w.share(n, func(lo, hi int) error {
		for row := from + lo; row < from+hi; row++ {
			do(row*w.width()+edge, (row+1)*w.width()-edge)
		}
		return nil
	})
}

// gradients returns the slopes of plane k.
func (w *window) gradients(k int) (*slab, error) {
	if s := w.slopes[k]; s != nil {
		return s, nil
	}
	var near [5]*slab
	for o := range near {
		var err error
		if near[o], err = w.raw(k + o - 2); err != nil {
			return nil, err
		}
	}
	dims, along := w.Dims(), w.along(near)
	s := newSlab(w.count()*dims, w.rows*w.width())
	err := w.rowsWithin(2, func(lo, hi int) {
		for v := range w.count() {
			bit := w.of(v)
			for i := lo; i < hi; i++ {
				if near[2].kind[i]&bit == 0 {
					continue
				}
				for a, l := range along {
					s.values[v*dims+a][i] = l.slope(v, i, bit)
				}
			}
		}
	})
	w.slopes[k] = s
	return s, err
}

// plane returns plane k, filled.
func (w *window) plane(k int) (*slab, error) {
	if s := w.filled[k]; s != nil {
		return s, nil
	}
	var f filling
	for o := range 3 {
		var err error
		if f.slopes[o], err = w.gradients(k + o - 1); err != nil {
			return nil, err
		}
		if f.raw[o], err = w.raw(k + o - 1); err != nil {
			return nil, err
		}
	}
	f.window, f.near = w, neighbours(w.Dims(), w.width())
	f.to = newSlab(w.count()+w.Dims()*w.Dims(), w.rows*w.width())
	err := w.rowsWithin(3, f.row)
	w.filled[k] = f.to
	return f.to, err
}

// neighbour is a cell of the 3 x 3 x 3 around another one.
type neighbour struct {
	plane, step int    // its plane, 0 to 2, and how far it is in it
	offset      [3]int // along the axes
	weight      float64
}

// neighbours lists them, by weights of one over the square of the distance.
func neighbours(dims, width int) (list []neighbour) {
	for n := range 27 {
		o := [3]int{n%3 - 1, n/3%3 - 1, n/9 - 1}
		square := o[0]*o[0] + o[1]*o[1] + o[2]*o[2]
		if square == 0 || dims == 2 && o[2] != 0 {
			continue
		}
		one := neighbour{plane: 1 + o[dims-1], step: o[0], offset: o, weight: 1 / float64(square)}
		if dims == 3 {
			one.step += o[1] * width
		}
		list = append(list, one)
	}
	return list
}

// filling fills a plane.
type filling struct {
	*window
	raw, slopes [3]*slab // the plane and those beside it
	near        []neighbour
	to          *slab
}

func (f *filling) row(lo, hi int) {
	dims := f.Dims()
	for i := lo; i < hi; i++ {
		f.to.kind[i] = f.raw[1].kind[i]
		for v := range f.count() {
			if f.raw[1].kind[i]&f.of(v) != 0 {
				f.to.values[v][i] = f.raw[1].values[v][i]
				if v >= velocity && v < velocity+dims {
					for a := range dims {
						f.to.values[f.count()+(v-velocity)*dims+a][i] = f.slopes[1].values[v*dims+a][i]
					}
				}
			} else if !f.extrapolate(v, i) {
				f.deep(v, i, lo, hi)
			}
		}
	}
}

// extrapolate takes a value, and the slopes of a velocity, from the neighbours that have them; false if there are no such
// neighbours.
func (f *filling) extrapolate(v, i int) bool {
	dims, bit := f.Dims(), f.of(v)
	total, value := 0.0, 0.0
	var slopes [3]float64
	for _, n := range f.near {
		j := i + n.step
		if f.raw[n.plane].kind[j]&bit == 0 {
			continue
		}
		here := f.raw[n.plane].values[v][j]
		for a := range dims {
			s := f.slopes[n.plane].values[v*dims+a][j]
			here -= s * float64(n.offset[a])
			slopes[a] += n.weight * s
		}
		total += n.weight
		value += n.weight * here
	}
	if total == 0 {
		return false
	}
	f.to.values[v][i] = value / total
	if v >= velocity && v < velocity+dims {
		for a := range dims {
			f.to.values[f.count()+(v-velocity)*dims+a][i] = slopes[a] / total
		}
	}
	return true
}

// deep fills a cell without neighbours that have a value: at rest, with the pressure and the temperature of the nearest
// cell of its row, which no cut divides.
func (f *filling) deep(v, i, lo, hi int) {
	bit := f.of(v)
	if bit == isFluid {
		f.to.kind[i] |= isDeep
	}
	if v >= velocity && v < velocity+f.Dims() {
		return
	}
	if bit == isWarm {
		f.to.values[v][i] = f.Case.Temperature.Reference
	}
	for o := 1; i-o >= lo || i+o < hi; o++ {
		for _, j := range [2]int{i - o, i + o} {
			if j >= lo && j < hi && f.raw[1].kind[j]&bit != 0 {
				f.to.values[v][i] = f.raw[1].values[v][j]
				return
			}
		}
	}
}
