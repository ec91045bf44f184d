// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package ref is the oracle: a textbook implementation of the lattice-Boltzmann method
// (Krueger et al., The Lattice Boltzmann Method, Springer 2017), in float64,
// cell by cell, with whole populations and no optimization. Its only use is as the reference of
// the fast kernels.
package ref

import (
	"slices"

	"lbmsim/boundary"
	"lbmsim/model"
)

// Flow is an undivided box of cells. F holds the post-collision populations.
type Flow struct {
	Lattice  model.Lattice
	Model    string // name of the collision model
	Law      model.ViscosityLaw
	Params   model.Params
	Periodic [3]bool
	Cells    boundary.Cells
	Time     float64     // for walls that move in time: the middle of the coming step
	F        [][]float64 // [cell][direction]; cell = (z*ny + y)*nx + x
	G        []Scalar    // the scalar; may be nil
	Eddies   []float64   // 3 nu_t of each cell, of a law that reads neighbours
	Factors  []float64   // of the slope of the velocity at walls with a model, of each type
	Eps      []float64   // density added to their ghost cells, likewise
	Exchange []float64   // the same, as far as the model applies

	inverse [][]float64 // of the matrix of moments: see normal
	steps   int         // done
	eddies  float64     // of the cell at hand
	ghosts  []modelled  // behind walls with a model, of the coming step
	layer   []float64   // the least 3 nu_t of each cell, above these walls
}

// New makes a flow at rest.
func New(l model.Lattice, collision string, p model.Params, periodic [3]bool, cells boundary.Cells) *Flow {
	cells.Periodic = periodic
	f := &Flow{Lattice: l, Model: collision, Params: p, Periodic: periodic, Cells: cells}
	f.F = make([][]float64, cells.N[0]*cells.N[1]*cells.N[2])
	for i := range f.F {
		f.F[i] = append([]float64(nil), l.Weights...)
	}
	for range cells.Walls {
		f.Factors, f.Eps, f.Exchange = append(f.Factors, 1), append(f.Eps, 0), append(f.Exchange, 0)
	}
	return f
}

// Each calls visit for every cell, x fastest.
func (f *Flow) Each(visit func(cell int, x [3]int, solid bool)) {
	n, cell := f.Cells.N, 0
	for z := 0; z < n[2]; z++ {
		for y := 0; y < n[1]; y++ {
			for x := 0; x < n[0]; x++ {
				visit(cell, [3]int{x, y, z}, f.Cells.At(x, y, z) != 0)
				cell++
			}
		}
	}
}

// Step streams, then collides.
func (f *Flow) Step() {
	if f.Law.LooksAround() && f.steps%model.EddySteps == 0 {
		f.Eddies = eddiesOf(f)
	}
	f.ghosts = ghostsOf(f)
	f.layer = layerOf(f, f.ghosts)
	f.steps++
	next := make([][]float64, len(f.F))
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			next[cell] = f.F[cell]
			return
		}
		here := *f
		if f.Cells.Rates != nil {
			if own := f.Cells.Rates(x); own != nil {
				here.Params.Omega, here.Params.OmegaMinus, here.Params.Viscosity = own.Omega, own.OmegaMinus, own.Viscosity
			}
		}
		if f.Eddies != nil {
			here.eddies = f.Eddies[cell]
		} else if f.layer != nil {
			here.eddies = f.layer[cell]
		}
		next[cell] = here.Collide(f.gather(cell, x))
	})
	if f.G != nil {
		f.G = f.carry(next)
	}
	f.Each(func(cell int, x [3]int, solid bool) {
		if !solid {
			next[cell] = f.applyOutflow(x, next[cell])
		}
	})
	f.F = next
}

// Macroscopic returns the density and the velocity of populations f, half of the body
// force included (Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308, eq. 3).
func (f *Flow) Macroscopic(pop []float64) (rho float64, u [3]float64) {
	for i, v := range pop {
		rho += v
		for a := range u {
			u[a] += v * float64(f.Lattice.Velocities[i][a])
		}
	}
	for a := range u {
		u[a] = (u[a] + f.Params.Force[a]/2) / rho
	}
	return rho, u
}

// Equilibrium returns the second-order equilibrium.
func (f *Flow) Equilibrium(rho float64, u [3]float64) []float64 {
	feq := make([]float64, f.Lattice.Q())
	uu := u[0]*u[0] + u[1]*u[1] + u[2]*u[2]
	for i, c := range f.Lattice.Velocities {
		cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
		feq[i] = f.Lattice.Weights[i] * rho * (1 + 3*cu + 4.5*cu*cu - 1.5*uu)
	}
	return feq
}

// source returns Guo's forcing term without its relaxation factor (same paper, eq. 20):
// w_i (3 (c_i - u) + 9 (c_i.u) c_i).F.
func (f *Flow) source(u [3]float64) []float64 {
	s := make([]float64, f.Lattice.Q())
	for i, c := range f.Lattice.Velocities {
		cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
		for a := range u {
			s[i] += f.Lattice.Weights[i] * (3*(float64(c[a])-u[a]) + 9*cu*float64(c[a])) * f.Params.Force[a]
		}
	}
	return s
}

// Collide returns the populations after the collision.
func (f *Flow) Collide(in []float64) []float64 {
	rho, u := f.Macroscopic(in)
	feq, s := f.Equilibrium(rho, u), f.source(u)
	out := make([]float64, len(in))
	plus, minus, bulk := f.rates(in, rho, u)
	switch f.Model {
	case "bgk":
		for i := range in {
			out[i] = in[i] - plus*(in[i]-feq[i]) + (1-plus/2)*s[i] + bulk[i]
		}
	case "trt": // even and odd parts relax separately, forcing included
		for i := range in {
			j := f.Lattice.Opposite(i)
			even, odd := (in[i]+in[j]-feq[i]-feq[j])/2, (in[i]-in[j]-feq[i]+feq[j])/2
			out[i] = in[i] - plus*even - minus*odd + (1-plus/2)*(s[i]+s[j])/2 + (1-minus/2)*(s[i]-s[j])/2 + bulk[i]
		}
	case "regularized", "recursive_regularized", "cumulant":
		neq := f.project(in, feq)
		for i := range in {
			out[i] = feq[i] + (1-plus)*neq[i] + (1-plus/2)*s[i] + bulk[i]
		}
		out = f.Close(out)
	default:
		panic("no collision model " + f.Model)
	}
	return out
}

// closes reports whether the model's populations are a function of their moments.
func (f *Flow) closes() bool {
	c, _ := model.FindCollision(f.Model)
	return c.Scheme == model.Moments
}

// Close adds the higher-order moments that the model derives from populations up to second
// order: the populations of a state of moments. pop is unchanged.
func (f *Flow) Close(pop []float64) []float64 {
	switch f.Model {
	case "recursive_regularized":
		pop = slices.Clone(pop)
		f.thirdOrder(pop)
	case "cumulant":
		return f.normal(pop)
	case "regularized", "bgk", "trt": // no moments above second order, or all are in the state
	default:
		panic("no closure of " + f.Model)
	}
	return pop
}

// project returns the part of f - feq that first- and second-order Hermite polynomials
// carry (Latt & Chopard, Math. Comput. Simul. 72 (2006) 165, eq. 14). The
// first-order part is -F/2, zero without a force.
func (f *Flow) project(in, feq []float64) []float64 {
	var first [3]float64
	var second [3][3]float64
	for i, c := range f.Lattice.Velocities {
		for a := range first {
			first[a] += float64(c[a]) * (in[i] - feq[i])
			for b := range first {
				second[a][b] += hermite(c, a, b) * (in[i] - feq[i])
			}
		}
	}
	out := make([]float64, len(in))
	for i, c := range f.Lattice.Velocities {
		for a := range first {
			out[i] += f.Lattice.Weights[i] * 3 * float64(c[a]) * first[a]
			for b := range first {
				// In 2D there is no third axis, and its Hermite polynomials are not on the lattice.
				if a < f.Lattice.Dims && b < f.Lattice.Dims {
					out[i] += f.Lattice.Weights[i] * 4.5 * hermite(c, a, b) * second[a][b]
				}
			}
		}
	}
	return out
}

// hermite returns c_a c_b - delta_ab / 3.
func hermite(c [3]int, a, b int) float64 {
	h := float64(c[a] * c[b])
	if a == b {
		h -= model.CS2
	}
	return h
}

// Moments of populations in the order of the moments scheme: rho-1, momentum and
// sum (c_a c_b - delta_ab/3) f_i in the order xx, yy, (zz,) xy, (xz, yz).
func (f *Flow) Moments(pop []float64) []float64 {
	d := f.Lattice.Dims
	m := make([]float64, f.Lattice.Moments())
	m[0] = -1
	pairs := Pairs(d)
	for i, c := range f.Lattice.Velocities {
		m[0] += pop[i]
		for a := 0; a < d; a++ {
			m[1+a] += float64(c[a]) * pop[i]
		}
		for k, ab := range pairs {
			m[1+d+k] += hermite(c, ab[0], ab[1]) * pop[i]
		}
	}
	return m
}

// Pairs returns the axes of the second-order moments, in their order.
func Pairs(dims int) [][2]int {
	if dims == 2 {
		return [][2]int{{0, 0}, {1, 1}, {0, 1}}
	}
	return [][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}
}

// Populations returns the second-order Hermite expansion that has the given moments:
// the inverse of Moments for the regularized model's populations.
func (f *Flow) Populations(m []float64) []float64 {
	d := f.Lattice.Dims
	pop := make([]float64, f.Lattice.Q())
	pairs := Pairs(d)
	for i, c := range f.Lattice.Velocities {
		sum := 1 + m[0]
		for a := 0; a < d; a++ {
			sum += 3 * float64(c[a]) * m[1+a]
		}
		for k, ab := range pairs {
			h := 4.5 * hermite(c, ab[0], ab[1]) * m[1+d+k]
			if ab[0] != ab[1] {
				h *= 2
			}
			sum += h
		}
		pop[i] = f.Lattice.Weights[i] * sum
	}
	return pop
}
