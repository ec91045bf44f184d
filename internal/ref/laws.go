// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package ref

import (
	"math"

	"lbmsim/boundary"
	"lbmsim/model"
)

// gather returns the populations that stream into a cell, from ghost cells behind faces too, and the populations
// that walls send back, each as boundary.Law defines it.
func (f *Flow) gather(cell int, x [3]int) []float64 {
	in := make([]float64, f.Lattice.Q())
	var lost float64 // absorbed by interpolated walls
	conserve := false
	for i := range in {
		up := minus(x, f.Lattice.Velocities[i])
		k := f.Cells.Meets(x, up, f.Lattice.Dims)
		if k == 0 {
			in[i] = f.near(up, i)
			continue
		}
		in[i] = f.law(cell, x, i, k)
		lost += f.F[cell][f.Lattice.Opposite(i)] - in[i]
		w := f.Cells.Wall(k)
		conserve = conserve || w.Law == boundary.Interpolated && w.Conserve
	}
	if conserve {
		in[f.Lattice.Q()/2] += lost
	}
	return in
}

// behind returns the populations of a ghost cell behind faces.
func (f *Flow) behind(g [3]int, ghost boundary.Ghost) []float64 {
	d := f.Lattice.Dims
	pop := f.cell(ghost.From)
	rule := f.Cells.Rule(ghost, f.Time)
	if slips, image := f.image(ghost, pop); slips {
		return image
	}
	m := f.Moments(pop)
	density := m[0]
	u := make([]float64, d)
	for a := range u {
		u[a] = m[1+a] / (1 + density)
	}
	neq := make([]float64, len(Pairs(d)))
	for k, ab := range Pairs(d) {
		neq[k] = m[1+d+k] - (1+density)*u[ab[0]]*u[ab[1]]
		if rule.Mirror[ab[0]] != rule.Mirror[ab[1]] {
			neq[k] = -neq[k]
		}
	}
	v := append([]float64(nil), u...)
	exact, ghostRule := rule.Exact, rule
	m[0] = rule.Density.A*density + rule.Density.B
	for a := range d {
		rule := rule.Velocity[a]
		switch {
		case exact[a]:
			m[1+a] = rule.B - m[1+a]
			v[a] = m[1+a] / (1 + m[0])
		default:
			v[a] = rule.A*v[a] + rule.B
			if across, directed := entrance(ghostRule); directed && across != a {
				in := boundary.Entering(-float64(ghostRule.Enter[across]) * u[across])
				v[a] = (1-in)*u[a] + in*rule.B*u[across]
			}
			m[1+a] = (1 + m[0]) * v[a]
		}
	}
	for k, ab := range Pairs(d) {
		if ab[0] != ab[1] || !exact[ab[0]] {
			m[1+d+k] = neq[k] + (1+m[0])*v[ab[0]]*v[ab[1]]
		}
	}
	if f.closes() {
		return f.Close(f.Populations(m))
	}
	turn := [3]int{1, 1, 1}
	for a := range turn {
		if rule.Mirror[a] {
			turn[a] = -1
		}
	}
	pop = f.turned(pop, turn)
	to, from := f.Populations(m), f.Populations(f.Moments(pop))
	for i := range pop {
		pop[i] += to[i] - from[i]
	}
	return pop
}

// entrance returns the axis across which the entering fluid has a direction.
func entrance(r boundary.FaceRule) (axis int, directed bool) {
	for a, side := range r.Enter {
		if side != 0 {
			return a, true
		}
	}
	return 0, false
}

// turned returns populations with the components of their velocities times +1 or -1.
func (f *Flow) turned(pop []float64, turn [3]int) []float64 {
	image := make([]float64, len(pop))
	for i, c := range f.Lattice.Velocities {
		for j, v := range f.Lattice.Velocities {
			if v == [3]int{turn[0] * c[0], turn[1] * c[1], turn[2] * c[2]} {
				image[i] = pop[j]
			}
		}
	}
	return image
}

// image returns the mirror image of populations, where faces are frictionless, with or without outflows beside them.
func (f *Flow) image(ghost boundary.Ghost, pop []float64) (bool, []float64) {
	turn, slips := [3]int{1, 1, 1}, false
	for a, out := range ghost.Out {
		if out == 0 {
			continue
		}
		switch f.Cells.Wall(ghost.Types[a]).Law {
		case boundary.Slip:
			turn[a], slips = -1, true
		case boundary.Outflow:
		default:
			return false, nil
		}
	}
	if !slips {
		return false, nil
	}
	return true, f.turned(pop, turn)
}

// applyOutflow returns the populations of a cell after a step, with the outflows beside it applied.
func (f *Flow) applyOutflow(x [3]int, pop []float64) []float64 {
	d, cs := f.Lattice.Dims, math.Sqrt(model.CS2)
	o, ok := f.Cells.Outlet(x, d)
	if !ok {
		return pop
	}
	old, m := f.Moments(f.cell(x)), f.Moments(pop)
	next := append([]float64(nil), m...)
	for a, out := range o.Out {
		if out == 0 {
			continue
		}
		n := float64(out)
		wave := func(m []float64) float64 { return m[0] - n*m[1+a]/(1+m[0])/cs }
		want := wave(old) + o.Relax*(o.Target-old[0])
		if un := n * old[1+a] / (1 + old[0]); o.Inner[a] && un > 0 {
			inner := x
			inner[a] -= out
			in := f.Moments(f.cell(inner))
			want -= un * least(wave(old)-wave(in), (n*in[1+a]/(1+in[0])-un)/cs)
		}
		half, j, u := (want-wave(next))/2, next[1+a], next[1+a]/(1+next[0])
		v := u - n*cs*half
		next[0] += half
		next[1+a] = (1 + next[0]) * v
		for k, ab := range Pairs(d) {
			switch {
			case ab == [2]int{a, a}:
				next[1+d+k] += next[1+a]*v - j*u
			case ab[0] == a:
				next[1+d+k] += next[1+ab[1]] * (v - u)
			case ab[1] == a:
				next[1+d+k] += next[1+ab[0]] * (v - u)
			}
		}
	}
	if f.closes() {
		return f.Close(f.Populations(next))
	}
	was, is, moved := f.Populations(m), f.Populations(next), make([]float64, len(pop))
	for i := range moved {
		moved[i] = pop[i] + is[i] - was[i]
	}
	return moved
}

func minus(x, c [3]int) [3]int { return [3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]} }

// at returns population i of a fluid cell, which may be the periodic image of one.
func (f *Flow) at(x [3]int, i int) float64 { return f.cell(x)[i] }

// fluid reports whether a cell, which may be behind a face, sends populations.
func (f *Flow) fluid(x [3]int) bool {
	_, k, ok := f.Cells.Ghost(x, f.Lattice.Dims)
	return ok || k == 0
}

// near returns population i of a fluid cell or a ghost cell.
func (f *Flow) near(x [3]int, i int) float64 {
	if ghost, _, ok := f.Cells.Ghost(x, f.Lattice.Dims); ok {
		return f.behind(x, ghost)[i]
	}
	return f.at(x, i)
}

func (f *Flow) cell(x [3]int) []float64 { return f.F[f.number(x)] }

func (f *Flow) number(x [3]int) int {
	n := f.Cells.N
	for a := range x {
		if f.Periodic[a] {
			x[a] = (x[a] + n[a]) % n[a]
		}
	}
	return (x[2]*n[1]+x[1])*n[0] + x[0]
}

// law returns population i that leaves a wall of type k.
func (f *Flow) law(cell int, x [3]int, i int, k uint8) float64 {
	own, o := f.F[cell], f.Lattice.Opposite(i)
	c, weight, wall := f.Lattice.Velocities[i], f.Lattice.Weights[i], f.Cells.Wall(k)
	if n, ok := f.Cells.Modelled.Ghost(x, c, i); ok && wall.Law == boundary.ModelledWall {
		return f.ghosts[n].pop[i]
	}
	q := 0.5
	ahead := [3]int{x[0] + c[0], x[1] + c[1], x[2] + c[2]}
	if wall.Law == boundary.Interpolated && f.Cells.Distance != nil {
		if d := f.Cells.Distance(x, c); d != 0 {
			q = d
		}
		if q < 0.5 && !f.fluid(ahead) {
			q = 0.5
		}
	}
	u := f.Cells.LinkMotion(k, x, q, c, f.Lattice.Dims, f.Time)
	momentum := 6 * weight * (float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2])
	if wall.Law == boundary.Interpolated {
		if q < 0.5 {
			return 2*q*own[o] + (1-2*q)*f.near(ahead, o) + momentum
		}
		return own[o]/(2*q) + (1-1/(2*q))*own[i] + momentum/(2*q)
	}
	return own[o] + momentum
}

func sum(pop []float64) (rho float64) {
	for _, v := range pop {
		rho += v
	}
	return rho
}

// least returns the smaller in magnitude of two numbers of one sign, otherwise 0 (minmod).
func least(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	return math.Copysign(math.Min(math.Abs(a), math.Abs(b)), a)
}

// Forces returns, for each type, the force of the coming step and the torque about the
// domain's lower corner, by the exchange of momentum (Wen, Zhang, Tu, Wang & Fang,
// J. Comput. Phys. 266 (2014) 161), the pressure at rest taken as zero.
func (f *Flow) Forces() [][6]float64 {
	sums := make([][6]float64, len(f.Cells.Walls))
	f.ghosts = ghostsOf(f)
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			return
		}
		for i, c := range f.Lattice.Velocities {
			up := minus(x, c)
			k := f.Cells.Meets(x, up, f.Lattice.Dims)
			open := k == 0
			if open {
				k = f.Cells.At(up[0], up[1], up[2])
			}
			if k == 0 || !f.Cells.Wall(k).Measured {
				continue
			}
			q := 0.5
			wall := f.Cells.Wall(k)
			if (wall.Law == boundary.Interpolated || wall.Law == boundary.ModelledWall) && f.Cells.Distance != nil {
				q = f.Cells.Distance(x, c)
				if q == 0 || wall.Law == boundary.Interpolated && q < 0.5 && !f.fluid([3]int{x[0] + c[0], x[1] + c[1], x[2] + c[2]}) {
					q = 0.5
				}
			}
			u := f.Cells.LinkMotion(k, x, q, c, f.Lattice.Dims, f.Time)
			if wall.Law == boundary.ModelledWall {
				u = [3]float64{} // its fluid slips
			}
			weight := f.Lattice.Weights[i]
			old := f.F[cell][f.Lattice.Opposite(i)] - weight
			var back float64
			if open {
				back = f.near(up, i) - weight
			} else {
				back = f.law(cell, x, i, k) - weight
			}
			var F, at [3]float64
			for a := range F {
				v := float64(c[a])
				F[a] = (-v-u[a])*old - (v-u[a])*back
				at[a] = float64(f.Cells.Origin[a]+x[a]) + 0.5 - q*v
				sums[k-1][a] += F[a]
			}
			for a := range F {
				b, c := (a+1)%3, (a+2)%3
				sums[k-1][3+a] += at[b]*F[c] - at[c]*F[b]
			}
		}
	})
	return sums
}
