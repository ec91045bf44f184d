// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"bytes"
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/model"
)

// Number is a type of fields on their way from a state to a file.
type Number interface{ float32 | float64 }

// Source gives rho-1 and the velocity of the cells of a box, as device.Program.Fields
// does: from the state or its snapshot. It returns into, filled, or values
// that it has already; callers must not modify these.
type Source[In Number] func(box decomp.Box, into []In) ([]In, error)

// Sampler reads the state back as physical fields, one plane of the slowest
// axis at a time, so that its memory does not grow with the box. Neighbouring
// planes, ghosts included, are available for derivatives. Arithmetic is in float64,
// whatever the types In of the source and Out of the result.
type Sampler[In, Out Number] struct {
	source Source[In]
	layout decomp.Layout
	cells  boundary.Cells
	units  config.Units
	dims   int
	time   float64 // in steps
	stored int     // values a cell of the source
	faces  int     // boundaries of faces come before boundaries of bodies in cells.Walls
	// The law and the numbers of the viscosity, and the distance of the rank's own cells
	// to the nearest wall, [z][y][x], for the fields that need them.
	law    model.ViscosityLaw
	params model.Params
	// wallLambda is of the collision model; nil: it is a parameter.
	wallLambda func(tau float64) float64
	distance   []float32
	walls      WallFields // beside walls with a model
	reference  float64    // of the temperature
	// neighbours is set if the requested fields need derivatives.
	neighbours bool
	region     decomp.Box // the requested part of a plane: x and, in 3D, y range
	first      int        // plane that window[1] holds
	window     [3][]In    // planes first-1, first, first+1 as [row][component][x]
	gradients  gradients  // of a row
}

// noPlane marks an empty window.
const noPlane = math.MinInt

// rows of one plane, and cells of a row.
func (s *Sampler[In, Out]) rows() int {
	if s.axis() == 2 {
		return s.region.Hi[1] - s.region.Lo[1]
	}
	return 1
}

func (s *Sampler[In, Out]) width() int { return s.region.Hi[0] - s.region.Lo[0] }

// load reads plane k, from -1 to N, of what device.Program.Fields gives.
func (s *Sampler[In, Out]) load(k int, into []In) ([]In, error) {
	box := s.region
	box.Lo[1], box.Hi[1] = box.Lo[1]-s.margin(), box.Hi[1]+s.margin()
	box.Lo[s.axis()], box.Hi[s.axis()] = k, k+1
	return s.source(box, into)
}

// move puts plane k in the middle of the window, reading missing planes.
func (s *Sampler[In, Out]) move(k int) (err error) {
	from := -1
	if !s.neighbours {
		s.window[1], err = s.load(k, s.window[1])
		s.first = k
		return err
	}
	if s.first == k-1 {
		s.window[0], s.window[1], s.window[2] = s.window[1], s.window[2], s.window[0]
		from = 1
	}
	s.first = noPlane
	for d := from; d <= 1 && err == nil; d++ {
		s.window[1+d], err = s.load(k+d, s.window[1+d])
	}
	if err == nil {
		s.first = k
	}
	return err
}

// plane makes plane k the middle of the window.
func (s *Sampler[In, Out]) plane(k int) error {
	if s.first == k {
		return nil
	}
	return s.move(k)
}

// Values returns the number of values of field f on a plane.
func (s *Sampler[In, Out]) Values(f model.Field) int { return s.rows() * s.width() * f.Components }

// Sample returns field f on plane k in the case's output unit, as [row][x] for
// scalars and [row][x][3] for vectors, in out if that is large enough.
func (s *Sampler[In, Out]) Sample(f model.Field, k int, out []Out) ([]Out, error) {
	if err := s.plane(k); err != nil {
		return nil, err
	}
	if n := s.Values(f); cap(out) < n {
		out = make([]Out, n)
	} else {
		out = out[:n]
	}
	nx := s.width()
	factor := s.units.Factor(f.Dim)
	for row := 0; row < s.rows(); row++ {
		base := s.window[1][(row+s.margin())*s.stored*nx:][:s.stored*nx]
		o := out[row*nx*f.Components:][:nx*f.Components]
		switch f.Name {
		case "density":
			densityRow(o, base[:nx], factor)
		case "pressure":
			pressureRow(o, base[:nx], factor)
		case "velocity":
			velocityRow(o, base[nx:(1+s.dims)*nx], factor)
		case "speed":
			speedRow(o, base[nx:(1+s.dims)*nx], factor)
		case "temperature":
			for x, v := range base[(1+s.dims)*nx:][:nx] {
				o[x] = Out(s.reference + factor*float64(v))
			}
		case "vorticity":
			curlRow(o, s.gradientRow(row, k), factor)
		case "strain_rate":
			invariantRow(o, s.gradientRow(row, k), factor, func(g *[3][3]float64) float64 { return math.Sqrt(strain2(g)) })
		case "q_criterion":
			invariantRow(o, s.gradientRow(row, k), factor, secondInvariant)
		case "wall_shear_stress":
			y, z := s.position(row, k)
			for x := range nx {
				cell := (*[3]Out)(o[3*x:])
				for c, w := range s.wallShear(x, y, z) {
					cell[c] = Out(factor * w)
				}
			}
		case "wall_distance":
			s.ownRow(o, s.distance, 1, row, k, factor)
		case "y_plus", "wall_shear", "wall_model":
			s.ownRow(o, s.walls[f.Name], f.Components, row, k, factor)
		case "solid":
			y, z := s.position(row, k)
			for x, t := range s.cells.Type[s.cells.Index(s.region.Lo[0], y, z):][:nx] {
				o[x] = Out(max(0, int(t)-s.faces))
			}
		default:
			return nil, fmt.Errorf("no definition of the field %s", f.Name) // a row of model.Fields without one
		}
	}
	return out, nil
}

// The loops below visit rows, and dominate the cost of a large output: the slices
// are cut so that the compiler removes bounds checks.

func densityRow[Out, In Number](o []Out, in []In, factor float64) {
	o = o[:len(in)]
	for x, v := range in {
		o[x] = Out(factor * (1 + float64(v)))
	}
}

func pressureRow[Out, In Number](o []Out, in []In, factor float64) {
	o = o[:len(in)]
	factor *= model.CS2
	for x, v := range in {
		o[x] = Out(factor * float64(v))
	}
}

// velocityRow turns u, one row per component, into one vector per cell, with three
// components in 2D too.
func velocityRow[Out, In Number](o []Out, u []In, factor float64) {
	n := len(o) / 3
	ux, uy := u[:n], u[n:][:n]
	if len(u) < 3*n {
		for x, v := range ux {
			cell := (*[3]Out)(o[3*x:])
			cell[0], cell[1], cell[2] = Out(factor*float64(v)), Out(factor*float64(uy[x])), 0
		}
		return
	}
	uz := u[2*n:][:n]
	for x, v := range ux {
		cell := (*[3]Out)(o[3*x:])
		cell[0], cell[1], cell[2] = Out(factor*float64(v)), Out(factor*float64(uy[x])), Out(factor*float64(uz[x]))
	}
}

func speedRow[Out, In Number](o []Out, u []In, factor float64) {
	n := len(o)
	for x := range o {
		sum := 0.0
		for at := x; at < len(u); at += n {
			sum += float64(u[at]) * float64(u[at])
		}
		o[x] = Out(factor * math.Sqrt(sum))
	}
}

// ownRow fills a row from numbers of the rank's own cells, so many of each.
func (s *Sampler[In, Out]) ownRow(o []Out, own []float32, numbers, row, k int, factor float64) {
	y, z := s.position(row, k)
	for x, v := range own[numbers*((z*s.layout.N[1]+y)*s.layout.N[0]+s.region.Lo[0]):][:len(o)] {
		o[x] = Out(factor * float64(v))
	}
}

// position of row `row` of plane k in local cells.
func (s *Sampler[In, Out]) position(row, k int) (y, z int) {
	if s.axis() == 2 {
		return s.region.Lo[1] + row, k
	}
	return k, 0
}

// gradients is the gradient of the velocity in the cells of a row.
type gradients struct {
	of    [3][3][]float64 // [c][axis] = d u_c / d x_axis
	fluid []uint8         // types of as many cells and one at each end, if all are fluid
}

// gradientRow returns the gradient of the velocity in the cells of a row; it is valid until the next call. The differences of the
// whole row come first, in simple loops, then the cells beside solids and at the ends of the row.
func (s *Sampler[In, Out]) gradientRow(row, k int) *gradients {
	nx, margin := s.width(), s.margin()
	velocity := func(d, row, c int) []In { // a row of a component on plane k+d
		return s.window[1+d][((row+margin)*s.stored+1+c)*nx:][:nx]
	}
	lo, hi := row-1, row+1
	if n := s.rows(); margin == 0 && s.dims == 3 {
		lo, hi = (lo+n)%n, hi%n
	}
	if len(s.gradients.fluid) != nx+2 {
		s.gradients.fluid = make([]uint8, nx+2)
		for c := range s.gradients.of {
			for a := range s.gradients.of[c] {
				s.gradients.of[c][a] = make([]float64, nx) // in 2D the third ones stay zero
			}
		}
	}
	for c := range s.dims {
		g := &s.gradients.of[c]
		if here := velocity(0, row, c); nx > 2 {
			halves(g[0][1:nx-1], here[:nx-2], here[2:])
		}
		if s.dims == 2 {
			halves(g[1], velocity(-1, row, c), velocity(+1, row, c))
			continue
		}
		halves(g[1], velocity(0, lo, c), velocity(0, hi, c))
		halves(g[2], velocity(-1, row, c), velocity(+1, row, c))
	}
	y, z := s.position(row, k)
	fluid := s.fluidAround(y, z)
	for x := range nx {
		if x > 0 && x < nx-1 && (fluid || !s.besideSolid(x, y, z)) {
			continue
		}
		for c, g := range s.gradient(x, y, z) {
			for a, v := range g {
				s.gradients.of[c][a][x] = v
			}
		}
	}
	return &s.gradients
}

// curlRow turns gradients into their curl.
func curlRow[Out Number](o []Out, g *gradients, factor float64) {
	n := len(o) / 3
	xy, xz, yx := g.of[0][1][:n], g.of[0][2][:n], g.of[1][0][:n]
	yz, zx, zy := g.of[1][2][:n], g.of[2][0][:n], g.of[2][1][:n]
	for x := range n {
		cell := (*[3]Out)(o[3*x:])
		cell[0], cell[1], cell[2] = Out(factor*(zy[x]-yz[x])), Out(factor*(xz[x]-zx[x])), Out(factor*(yx[x]-xy[x]))
	}
}

// invariantRow turns gradients into a function of each.
func invariantRow[Out Number](o []Out, g *gradients, factor float64, of func(*[3][3]float64) float64) {
	var at [3][3]float64
	for x := range o {
		for c, d := range g.of {
			at[c] = [3]float64{d[0][x], d[1][x], d[2][x]}
		}
		o[x] = Out(factor * of(&at))
	}
}

// besideSolid reports whether a cell or one of its nearest neighbours is solid.
func (s *Sampler[In, Out]) besideSolid(x, y, z int) bool {
	i, dy, dz := s.typesOf(x, y, z)
	t := s.cells.Type
	return t[i]|t[i-1]|t[i+1]|t[i-dy]|t[i+dy]|t[i-dz]|t[i+dz] != 0
}

// fluidAround reports whether the cells of a row, the cells at its ends and the rows beside it are all fluid.
func (s *Sampler[In, Out]) fluidAround(y, z int) bool {
	i, dy, dz := s.typesOf(0, y, z)
	fluid := s.gradients.fluid
	for _, at := range [...]int{i, i - dy, i + dy, i - dz, i + dz} {
		if !bytes.Equal(s.cells.Type[at-1:][:len(fluid)], fluid) {
			return false
		}
	}
	return true
}

// typesOf returns the place of a cell's type, and the distances of rows and planes there.
func (s *Sampler[In, Out]) typesOf(x, y, z int) (i, dy, dz int) {
	i, dy = s.cells.Index(x, y, z), s.cells.N[0]+2
	if s.dims == 3 {
		dz = dy * (s.cells.N[1] + 2)
	}
	return i, dy, dz
}

// halves fills a row with central differences over two cells.
func halves[In Number](to []float64, lo, hi []In) {
	lo, hi = lo[:len(to)], hi[:len(to)]
	for x := range to {
		to[x] = half(lo[x], hi[x])
	}
}

// half returns the central difference over two cells.
func half[In Number](lo, hi In) float64 { return (float64(hi) - float64(lo)) / 2 }

// curl of the velocity from its gradient.
func curl(g *[3][3]float64) [3]float64 {
	return [3]float64{g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]}
}

// strain2 returns 2 S_ij S_ij of the strain rate S.
func strain2(g *[3][3]float64) float64 {
	sum := 0.0
	for a := range g {
		sum += 2 * g[a][a] * g[a][a]
		for b := range a {
			sum += (g[a][b] + g[b][a]) * (g[a][b] + g[b][a])
		}
	}
	return sum
}

// secondInvariant returns the Q-criterion: a quarter of the squared vorticity is W_ij W_ij / 2.
func secondInvariant(g *[3][3]float64) float64 {
	w := curl(g)
	return (w[0]*w[0] + w[1]*w[1] + w[2]*w[2] - strain2(g)) / 4
}
