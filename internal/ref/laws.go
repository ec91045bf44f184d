package ref

import (
	"math"

	"lbmsim/model"
)

// gather is the populations that stream into a cell, and those that walls and open faces
// send, as model.Law says it of each.
func (f *Flow) gather(cell int, x [3]int) []float64 {
	in := make([]float64, f.Lattice.Q())
	var lost float64 // what interpolated walls keep
	conserve := false
	var out *outlet
	for i := range in {
		c := f.Lattice.Velocities[i]
		up := minus(x, c)
		k := f.Cells.At(up[0], up[1], up[2])
		if k == 0 {
			in[i] = f.at(up, i)
			continue
		}
		in[i] = f.law(cell, x, i, k)
		lost += f.F[cell][f.Lattice.Opposite(i)] - in[i]
		w := f.Cells.Wall(k)
		conserve = conserve || w.Law == model.Interpolated && w.Conserve
		if w.Law == model.Outflow && out == nil && math.Abs(float64(c[0]))+math.Abs(float64(c[1]))+math.Abs(float64(c[2])) == 1 {
			out = &outlet{inward: c, wall: w}
		}
	}
	if conserve {
		in[f.Lattice.Q()/2] += lost
	}
	if out != nil {
		f.outflow(cell, x, in, out)
	}
	return in
}

func minus(x, c [3]int) [3]int { return [3]int{x[0] - c[0], x[1] - c[1], x[2] - c[2]} }

// at is population i of a fluid cell, which may be the periodic image of one.
func (f *Flow) at(x [3]int, i int) float64 { return f.cell(x)[i] }

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

// law is population i out of a wall of type k.
func (f *Flow) law(cell int, x [3]int, i int, k uint8) float64 {
	own, o := f.F[cell], f.Lattice.Opposite(i)
	c, weight, wall := f.Lattice.Velocities[i], f.Lattice.Weights[i], f.Cells.Wall(k)
	q := 0.5
	ahead := [3]int{x[0] + c[0], x[1] + c[1], x[2] + c[2]}
	if wall.Law == model.Interpolated && f.Cells.Distance != nil {
		if d := f.Cells.Distance(x, c); d != 0 {
			q = d
		}
		if q < 0.5 && f.Cells.At(ahead[0], ahead[1], ahead[2]) != 0 {
			q = 0.5
		}
	}
	u := f.Cells.Motion(k, x[0], x[1], x[2], q, c, f.Time)
	strength := wall.Strength(f.Time)
	kick := 6 * weight * strength * (float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2])
	// The fluid cell beside the one behind a face of the domain, and the mirror image of c.
	beside, image := f.beside(x, c)
	switch wall.Law {
	case model.Interpolated:
		if q < 0.5 {
			return 2*q*own[o] + (1-2*q)*f.at(ahead, o) + kick
		}
		return own[o]/(2*q) + (1-1/(2*q))*own[i] + kick/(2*q)
	case model.VelocityFace:
		return own[o] + sum(own)*kick
	case model.PressureFace:
		return beside[i] + 2*weight*(1+strength*wall.Density-sum(beside))
	case model.Outflow:
		return beside[i]
	case model.Slip:
		// Beside the border of the face's part the image would come from another wall.
		straight := x
		for a := range x {
			if g := x[a] - c[a]; !f.Periodic[a] && (g < 0 || g >= f.Cells.N[a]) {
				straight[a] = g
			}
		}
		if f.Cells.Wall(f.Cells.At(straight[0], straight[1], straight[2])).Law != model.Slip {
			return own[o]
		}
		return beside[image]
	}
	return own[o] + kick
}

func sum(pop []float64) (rho float64) {
	for _, v := range pop {
		rho += v
	}
	return rho
}

// beside is the populations of the fluid cell beside x - c, on this side of the faces of
// the domain, and the direction that c becomes in their mirror; those of x itself and the
// opposite direction where that is no fluid cell.
func (f *Flow) beside(x, c [3]int) (pop []float64, image int) {
	at, turned := x, c
	behind := false
	for a := range x {
		if g := x[a] - c[a]; !f.Periodic[a] && (g < 0 || g >= f.Cells.N[a]) {
			turned[a], behind = -c[a], true
		} else {
			at[a] = g
		}
	}
	if !behind || f.Cells.At(at[0], at[1], at[2]) != 0 {
		at, turned = x, [3]int{-c[0], -c[1], -c[2]}
	}
	for j, v := range f.Lattice.Velocities {
		if v == turned {
			return f.cell(at), j
		}
	}
	panic("a lattice without mirror images")
}

// outlet is an open face beside a cell.
type outlet struct {
	inward [3]int
	wall   model.Wall
}

// outflow corrects the populations that come in through an outlet.
func (f *Flow) outflow(cell int, x [3]int, in []float64, out *outlet) {
	w, un, rho := wave(f.Lattice, f.F[cell], out.inward)
	behind := [3]int{x[0] + out.inward[0], x[1] + out.inward[1], x[2] + out.inward[2]}
	want := w + out.wall.Relax*(1+out.wall.Density-rho)
	if un > 0 && f.Cells.At(behind[0], behind[1], behind[2]) == 0 {
		inner, u, _ := wave(f.Lattice, f.cell(behind), out.inward)
		want -= un * least(w-inner, -(un-u)/math.Sqrt(model.CS2))
	}
	shares := make([]float64, len(in))
	sum := 0.0
	for i, c := range f.Lattice.Velocities {
		up := minus(x, c)
		if f.Cells.At(up[0], up[1], up[2]) != 0 && c[0]*out.inward[0]+c[1]*out.inward[1]+c[2]*out.inward[2] > 0 {
			shares[i] = f.Lattice.Weights[i]
			sum += shares[i]
		}
	}
	with := func(mass float64) []float64 {
		g := append([]float64(nil), in...)
		for i := range g {
			g[i] += mass * shares[i] / sum
		}
		return g
	}
	lo, hi := -0.5, 0.5 // the wave grows with the mass
	for range 60 {
		mid := (lo + hi) / 2
		if now, _, _ := wave(f.Lattice, with(mid), out.inward); now < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	copy(in, with((lo+hi)/2))
}

// least is the smaller of two numbers of one sign, else 0.
func least(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	return math.Copysign(math.Min(math.Abs(a), math.Abs(b)), a)
}

// wave is rho - 1 - u_n/cs, u_n and rho of populations; n is the outward normal.
func wave(l model.Lattice, pop []float64, inward [3]int) (w, un, rho float64) {
	for i, c := range l.Velocities {
		rho += pop[i]
		un -= pop[i] * float64(c[0]*inward[0]+c[1]*inward[1]+c[2]*inward[2])
	}
	un /= rho
	return rho - 1 - un/math.Sqrt(model.CS2), un, rho
}

// Forces is, for each type, the force of the coming step and the torque about the
// domain's lower corner, by the exchange of momentum (Wen, Zhang, Tu, Wang & Fang,
// J. Comput. Phys. 266 (2014) 161), the pressure at rest taken as zero.
func (f *Flow) Forces() [][6]float64 {
	sums := make([][6]float64, len(f.Cells.Velocity))
	f.Each(func(cell int, x [3]int, solid bool) {
		if solid {
			return
		}
		for i, c := range f.Lattice.Velocities {
			up := minus(x, c)
			k := f.Cells.At(up[0], up[1], up[2])
			if k == 0 || !f.Cells.Wall(k).Measured {
				continue
			}
			q := 0.5
			wall := f.Cells.Wall(k)
			if wall.Law == model.Interpolated && f.Cells.Distance != nil {
				q = f.Cells.Distance(x, c)
				if q == 0 || q < 0.5 && f.Cells.At(x[0]+c[0], x[1]+c[1], x[2]+c[2]) != 0 {
					q = 0.5
				}
			}
			u := f.Cells.Motion(k, x[0], x[1], x[2], q, c, f.Time)
			weight, strength := f.Lattice.Weights[i], wall.Strength(f.Time)
			old, back := f.F[cell][f.Lattice.Opposite(i)]-weight, f.law(cell, x, i, k)-weight
			var F, at [3]float64
			for a := range F {
				v := float64(c[a])
				F[a] = (-v-strength*u[a])*old - (v-strength*u[a])*back
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
