// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/boundary"
)

// modelled is a ghost cell behind a wall with a model, before a step.
type modelled struct {
	pop      []float64
	traction [3]float64 // of the fluid on the wall, by the law
	half     float64    // y+ at half a cell
	share    float64    // of the model
	eddies   float64    // friction velocity of the layer's eddy viscosity over the law's
	heat     float64    // flux of a scalar into the fluid
}

// ModelledWalls returns the traction on the wall, y+ at half a cell and the share of the model at each ghost cell, in the order of
// boundary.Modelled.Cells, of the last step or the last Forces.
func ModelledWalls(f *Flow) (traction [][3]float64, half, share []float64) {
	for _, g := range f.ghosts {
		traction, half, share = append(traction, g.traction), append(half, g.half), append(share, g.share)
	}
	return traction, half, share
}

// ghostsOf returns the ghost cells behind walls with a model, as boundary.Modelled lists them.
func ghostsOf(f *Flow) (list []modelled) {
	if f.Cells.Modelled == nil {
		return nil
	}
	table := boundary.PlusTable(boundary.PrandtlOf(f.Cells.Walls))
	for _, c := range f.Cells.Modelled.Cells {
		list = append(list, ghostOf(f, c, table))
	}
	return list
}

// atStencil returns rho-1, the velocity and the stress less rho u u at the point of a stencil.
func atStencil(f *Flow, s boundary.Stencil) (density float64, u [3]float64, stress [3][3]float64) {
	for k := range s.N {
		w, m := s.Weight[k], f.Moments(f.cell(s.Cells[k].Cell()))
		var v [3]float64
		density += w * m[0]
		for a := range v {
			v[a] = (m[1+a] - f.Params.Force[a]/2) / (1 + m[0])
			u[a] += w * v[a]
		}
		for k, ab := range Pairs(3) {
			a, b := ab[0], ab[1]
			stress[a][b] += w * (m[4+k] - (1+m[0])*v[a]*v[b])
			stress[b][a] = stress[a][b]
		}
	}
	return density, u, stress
}

// ghostOf computes a ghost cell by the formulas of kernels/modelled.h.
func ghostOf(f *Flow, c boundary.ModelledCell, table []float64) modelled {
	n := c.Normal
	density, image, stress := atStencil(f, c.Image)
	if c.Turned {
		return modelled{pop: turned(f, c, density, image, stress)}
	}
	image, stress = mirrored(c.Mirrored, image, stress)
	rho, mirror := 1+density, c.Mirror()
	across := dot(sub(image, c.Velocity), n)
	along := sub(sub(image, c.Velocity), scaled(n, across))
	var slope, traction [3]float64
	theta, half, share, eddies := 0.0, 0.0, 0.0, 0.0
	if c.Rough == boundary.NoFriction {
		theta = 1
	}
	if c.Height > 0 {
		_, sampled, stress := atStencil(f, c.Sample)
		sampled, _ = mirrored(c.Mirrored, sampled, stress)
		sampled = sub(sampled, c.Velocity)
		sampled = sub(sampled, scaled(n, dot(sampled, n)))
		if speed := math.Sqrt(dot(sampled, sampled)); speed > 0 {
			nu := (1/f.Params.Omega - 0.5) / 3
			friction := math.Max(plusBy(table, speed*c.Height/nu)*nu/c.Height, c.Rough*speed)
			half = friction / 2 / nu
			share = turbulence(half)
			theta, eddies = share, share
			slope = scaled(sampled, f.Factors[c.Type-1]*friction/(boundary.Kappa*boundary.LeastMixing)/speed)
			traction = scaled(sampled, rho*friction*friction/speed)
		}
	}
	bend := matrix(c.Bend)
	passing := add3(along, sub(c.Velocity, scaled(n, dot(c.Velocity, n)))) // in space
	bent := times(bend, passing)
	if dot(bent, passing) > 0 {
		slope = sub(slope, bent)
	} else {
		slope = add3(slope, bent)
	}
	sheared := sub(slope, bent)
	wall := sub(passing, scaled(slope, (c.Behind+c.Before)/(1+mirror)))
	density += f.Eps[c.Type-1] + theta*(f.Exchange[c.Type-1]*math.Max(0, 1-math.Pow(density/boundary.MostFilled, 2))-3*rho*(c.Behind+c.Before)*dot(wall, times(bend, wall)))
	inner := sub(along, scaled(slope, c.Behind+c.Before))
	pull := times(stress, n)
	shear := sub(pull, scaled(n, dot(pull, n)))
	var ends [3][3]float64
	if e, comes := c.Lee, dot(c.Lee, along); theta > 0 && comes < 0 { // the flow comes from an edge
		if friction := 2 * (1/f.Params.Omega - 0.5) / 3 * half; friction > 0 {
			eddies = math.Max(theta, -comes/friction)
		}
		traction, sheared, shear = without(traction, e), without(sheared, e), without(shear, e)
		inner = add3(without(inner, e), scaled(e, -c.Across()*comes))
		with := without(times(stress, e), n)
		for a := range ends {
			for b := range ends {
				ends[a][b] = theta * (e[a]*with[b] + with[a]*e[b] - dot(with, e)*e[a]*e[b])
			}
		}
	}
	m := make([]float64, f.Lattice.Moments())
	m[0] = density
	var u, change [3]float64
	for a := range u {
		u[a] = c.Velocity[a] + theta*inner[a] - (1-theta)*mirror*along[a] - c.Across()*across*n[a]
		m[1+a] = (1+density)*u[a] + f.Params.Force[a]/2
		change[a] = theta * (rho*sheared[a]/3 - 2*traction[a] - 2*shear[a])
	}
	for k, ab := range Pairs(3) {
		a, b := ab[0], ab[1]
		inside := stress[a][b] - n[a]*pull[b] - pull[a]*n[b] + dot(pull, n)*n[a]*n[b]
		m[4+k] = stress[a][b] - ends[a][b] - (1-theta)*inside + n[a]*change[b] + n[b]*change[a] + (1+density)*u[a]*u[b]
	}
	return modelled{f.Close(f.Populations(m)), traction, half, share, eddies, heatOf(f, c, rho, share, half, table)}
}

// mirrored returns a velocity and a stress mirrored across axes, a bit each.
func mirrored(axes uint8, u [3]float64, stress [3][3]float64) ([3]float64, [3][3]float64) {
	for a := range u {
		if axes>>a&1 == 0 {
			continue
		}
		u[a] = -u[a]
		for b := range u {
			if b != a {
				stress[a][b], stress[b][a] = -stress[a][b], -stress[b][a]
			}
		}
	}
	return u, stress
}

// turned returns the populations of a cell's moments turned by half a circle about an edge.
func turned(f *Flow, c boundary.ModelledCell, density float64, u [3]float64, stress [3][3]float64) []float64 {
	var about [3][3]float64
	for a := range about {
		for b := range about[a] {
			about[a][b] = 2 * c.Normal[a] * c.Normal[b]
		}
		about[a][a]--
	}
	m := make([]float64, f.Lattice.Moments())
	v := add3(c.Velocity, times(about, sub(u, c.Velocity)))
	m[0] = density
	for a := range v {
		m[1+a] = (1+density)*v[a] + f.Params.Force[a]/2
	}
	for k, ab := range Pairs(3) {
		a, b := ab[0], ab[1]
		m[4+k] = (1+density)*v[a]*v[b] + dot(about[a], times(stress, about[b]))
	}
	return f.Close(f.Populations(m))
}

// heatOf returns the flux of a scalar into the fluid by the formulas of kernels/modelled.h.
func heatOf(f *Flow, c boundary.ModelledCell, rho, theta, half float64, table []float64) float64 {
	at := func(s boundary.Stencil) (sum float64) {
		for k := range s.N {
			sum += s.Weight[k] * f.G[f.number(s.Cells[k].Cell())].Theta
		}
		return sum
	}
	switch wall := f.Cells.Wall(c.Type).Scalar; {
	case f.G == nil:
		return 0
	case wall.Law == boundary.ScalarFlux:
		return wall.Value
	case wall.Law == boundary.ScalarFixed:
		flux := (1 - theta) * rho * (f.Params.ScalarTau - 0.5) / 3 * (wall.Value - at(c.Image)) * (1 + c.Mirror()) / (c.Behind + c.Before)
		if theta > 0 {
			friction := 2 * (1/f.Params.Omega - 0.5) / 3 * half
			flux += theta * rho * friction * (wall.Value - at(c.Sample)) / plusBy(table[boundary.PlusCount:], 2*half*c.Height)
		}
		return flux
	}
	return 0
}

// fromModelled returns the arrival along direction i from a wall with a model at a fluid cell x: the convected part, and the part
// that diffuses back from a closed wall. Without a ghost cell the wall is closed, also beside faces of other laws of the flow.
func fromModelled(f *Flow, cell int, x [3]int, i int, diffuses float64) arrival {
	c, w := f.Lattice.Velocities[i], f.Lattice.Weights[i]
	out, theta, enters := f.F[cell][f.Lattice.Opposite(i)], f.G[cell].Theta, 0.0
	in := out
	from := [3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]}
	of := f.Cells.At(from[0], from[1], from[2])
	if f.Cells.Wall(of).Law == boundary.Slip {
		of = f.Cells.Meets(x, from, f.Lattice.Dims)
	}
	if of != 0 && f.Cells.Wall(of).Law == boundary.ModelledWall {
		in = f.law(cell, x, i, of)
		if number, ok := f.Cells.Modelled.Ghost(x, c, i); ok {
			enters = linkArea(f, f.Cells.Modelled.Cells[number], i) * f.ghosts[number].heat
		}
	}
	g := diffuses + theta*(in-w) + enters
	return arrival{in, g, in, g, theta*(out-in) - enters}
}

// turbulence returns the share of the model where y+ at half a cell is half.
func turbulence(half float64) float64 {
	return math.Min(1, math.Max(0, (half-boundary.LaminarPlus)/(boundary.TurbulentPlus-boundary.LaminarPlus)))
}

// WallMomentum returns, for each type, the momentum along the traction that the fluid transfers to walls with a model in the coming
// step, less the pressure of populations at rest at both ends of a link, and the law's momentum, both where the model applies in
// full; the law's everywhere; the area; and the mass that enters the fluid.
func WallMomentum(f *Flow) [][5]float64 {
	sums := make([][5]float64, len(f.Cells.Walls))
	f.ghosts = ghostsOf(f)
	f.Each(func(cell int, x [3]int, solid bool) {
		for i, c := range f.Lattice.Velocities {
			number, ok := f.Cells.Modelled.Ghost(x, c, i)
			if solid || !ok {
				continue
			}
			at, g, w := f.Cells.Modelled.Cells[number], f.ghosts[number], f.Lattice.Weights[i]
			v := [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
			area := linkArea(f, at, i)
			size := math.Sqrt(dot(g.traction, g.traction))
			to := &sums[at.Type-1]
			to[2] += size * area
			to[3] += area
			to[4] += g.pop[i] - f.F[cell][f.Lattice.Opposite(i)]
			if g.share < 1 || g.eddies != 1 || size == 0 {
				continue
			}
			passes := f.F[cell][f.Lattice.Opposite(i)] + g.pop[i] - w*(sum(f.F[cell])+sum(g.pop))
			to[0] -= passes * dot(v, g.traction) / size
			to[1] += size * area
		}
	})
	return sums
}

// linkArea returns the area of the surface that the link along direction i from a ghost cell crosses.
func linkArea(f *Flow, c boundary.ModelledCell, i int) float64 {
	q, v := 0.5, [3]float64{}
	for _, l := range c.Links {
		if int(l.Direction) == i {
			q = l.Distance
		}
	}
	for a, n := range f.Lattice.Velocities[i] {
		v[a] = float64(n)
	}
	return 6 * f.Lattice.Weights[i] * dot(add3(c.Normal, times(matrix(c.Bend), scaled(v, 1-q))), v)
}

// matrix returns a symmetric matrix by its components.
func matrix(list [6]float64) (m [3][3]float64) {
	for k, ab := range Pairs(3) {
		m[ab[0]][ab[1]], m[ab[1]][ab[0]] = list[k], list[k]
	}
	return m
}

// layerOf returns the least 3 nu_t of each cell: in the layer above walls with a model. A law with an eddy viscosity of cells
// includes it.
func layerOf(f *Flow, ghosts []modelled) []float64 {
	if f.Cells.Modelled == nil {
		return nil
	}
	list := make([]float64, len(f.F))
	nu := (1/f.Params.Omega - 0.5) / 3
	for _, c := range f.Cells.Modelled.Layer {
		g := ghosts[c.Ghost]
		list[f.number(c.At)] = float64(c.Length) * g.eddies * 2 * nu * g.half
		if f.Eddies != nil {
			f.Eddies[f.number(c.At)] = list[f.number(c.At)]
		}
	}
	return list
}

// plusBy interpolates in the table of the law of the wall, between entries that are even between powers of two.
func plusBy(table []float64, reynolds float64) float64 {
	table = table[:boundary.PlusCount]
	part, power := math.Frexp(reynolds)
	at := (2*part - 1 + float64(power-1-boundary.PlusFirst)) * boundary.PlusParts
	i := int(math.Floor(at))
	switch {
	case i < 0:
		return table[0]
	case i >= len(table)-1:
		return table[len(table)-1]
	}
	return table[i] + (at-float64(i))*(table[i+1]-table[i])
}

// without returns a vector without its part along a unit vector, or all of it for no vector.
func without(a, e [3]float64) [3]float64 { return sub(a, scaled(e, dot(a, e))) }

func dot(a, b [3]float64) float64               { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func scaled(a [3]float64, s float64) [3]float64 { return [3]float64{a[0] * s, a[1] * s, a[2] * s} }
func sub(a, b [3]float64) [3]float64            { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func add3(a, b [3]float64) [3]float64           { return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func times(m [3][3]float64, a [3]float64) [3]float64 {
	return [3]float64{dot(m[0], a), dot(m[1], a), dot(m[2], a)}
}
