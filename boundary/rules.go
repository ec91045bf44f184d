// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"fmt"
	"slices"

	"lbmsim/model"
)

// Open reports whether populations that enter through a face of type k > 0 come from ghost cells
// behind it, which are filled from the fluid beside the face.
func (c Cells) Open(k uint8) bool { return c.Wall(k).Law.Open() }

// Open reports whether faces of this law have ghost cells behind them.
func (l Law) Open() bool {
	return l == MovingFace || l == VelocityFace || l == PressureFace || l == Outflow || l == Slip
}

// Passed reports whether fluid flows through a face of this law.
func (l Law) Passed() bool { return l == VelocityFace || l == PressureFace || l == Outflow }

// HasOpen reports whether some type is open.
func (c Cells) HasOpen() bool {
	for k := range c.Walls {
		if c.Open(uint8(k + 1)) {
			return true
		}
	}
	return false
}

// Ghost is a cell behind one or more faces of the domain.
type Ghost struct {
	From  [3]int   // the fluid cell beside it, on this side of the faces
	Out   [3]int   // along each axis -1 or +1 where the ghost lies behind a face, else 0
	Types [3]uint8 // types directly behind From along these axes
}

// Ghost describes cell g, from -1 to N inclusive along each axis. ok: the faces fill it. If not,
// and g lies behind a face, wall is the type that the flow meets there: where a face meets a wall,
// the wall continues behind the face's edge, and a solid cell continues behind itself. Behind the
// edge of a moving wall and one at rest is the mirror image of the cell behind the moving one, so no
// mass is lost there.
func (c Cells) Ghost(g [3]int, dims int) (ghost Ghost, wall uint8, ok bool) {
	global := c.Global
	if global == [3]int{} {
		global = c.N
	}
	ghost.From = g
	behind := false
	for a := range dims {
		if c.Periodic[a] {
			continue
		}
		if at := c.Origin[a] + g[a]; at < 0 {
			ghost.Out[a] = -1
		} else if at >= global[a] {
			ghost.Out[a] = 1
		}
		ghost.From[a] -= ghost.Out[a]
		behind = behind || ghost.Out[a] != 0
	}
	wall = c.At(g[0], g[1], g[2])
	if !behind || wall == 0 {
		return ghost, wall, false
	}
	if k := c.At(ghost.From[0], ghost.From[1], ghost.From[2]); k != 0 {
		if c.Open(wall) {
			wall = k
		}
		return ghost, wall, false
	}
	moves, passes, stands := false, false, uint8(0)
	for a, out := range ghost.Out {
		if out == 0 {
			continue
		}
		at := ghost.From
		at[a] += out
		k := c.At(at[0], at[1], at[2])
		ghost.Types[a] = k
		switch law := c.Wall(k).Law; {
		case !law.Open():
			if stands == 0 {
				stands = k
			}
		case law == MovingFace:
			moves = true
		default:
			passes = true
		}
	}
	if stands != 0 && (passes || !moves) {
		if c.Open(wall) {
			wall = stands
		}
		return ghost, wall, false
	}
	return ghost, 0, true
}

// Reflects reports whether g is a ghost cell that returns the mass that the cell beside it sends behind impermeable faces,
// and the axes normal to these faces.
func (c Cells) Reflects(g [3]int, dims int) (reflects bool, across [3]bool) {
	ghost, _, ok := c.Ghost(g, dims)
	if !ok {
		return false, across
	}
	for a, out := range ghost.Out {
		if across[a] = out != 0; across[a] && c.Wall(ghost.Types[a]).Law.Passed() {
			return false, across
		}
	}
	return true, across
}

// Meets returns the type of the wall that the fluid cell x meets at the cell up beside it, 0 if up
// is fluid or a ghost cell that faces fill. If no face lets mass out and an open part of a face ends at
// a wall, the populations that the cell beside the wall sends there are reflected, with the momentum of
// the part's velocity (LinkMotion): this conserves mass.
func (c Cells) Meets(x, up [3]int, dims int) uint8 {
	ghost, wall, ok := c.Ghost(up, dims)
	if !ok || !c.sealed() {
		return wall
	}
	own := x
	for a, out := range ghost.Out {
		own[a] += out
	}
	if _, _, ok := c.Ghost(own, dims); ok {
		return 0
	}
	return c.At(up[0], up[1], up[2])
}

// LinkMotion returns the velocity of wall k on the link along dir into cell x, at time t.
func (c Cells) LinkMotion(k uint8, x [3]int, q float64, dir [3]int, dims int, t float64) [3]float64 {
	p, moves := c.linkPlace(k, x, q, dir, dims)
	if !moves {
		return [3]float64{}
	}
	return c.mirrored(k, x, dir, dims, c.Motion(k).At(p, t))
}

// mirrored returns the velocity of the wall k on the link along dir into cell x: behind the edge of a moving face and a
// frictionless one is the mirror image of the moving face, with the opposite velocity normal to the other face. Their mean
// has no normal velocity, so no mass appears that no other link removes.
func (c Cells) mirrored(k uint8, x, dir [3]int, dims int, u [3]float64) [3]float64 {
	if face, ok := slides(c, k, x, dir, dims); ok {
		return face
	}
	slips, moves := c.SlipsBehind(x, dir, dims)
	if !slices.Contains(moves[:], k) || c.Wall(k).Law != Bounce {
		return u
	}
	for a := range u {
		if slips[a] {
			u[a] = 0
		}
	}
	return u
}

// slides reports whether a link along dir into cell x comes from behind a moving face, beside a body at rest that stands on it, and
// returns the velocity of its gain. The ghost cell behind the face sends a population into the body, which no cell receives: the
// mirror image of the link in the body's surface, 6 w_i c.u_w more than the cell has sent. The link returns that much. A body in front
// of the cell reverses the velocity, one at its side does not. What remains of the mass is 6 w_i c.u with the cell's own velocity
// u, which is small beside the body. Behind a frictionless face lies the mirror image. Without the gain a row of cells before a box on a moving
// road lost a sixth of the road's velocity per step, and near tau = 1/2 the flow along the whole front alternated from cell to cell,
// with four times that velocity. The gain of a body at rest is constant, so that faces whose velocity changes with time have none.
func slides(c Cells, k uint8, x, dir [3]int, dims int) (u [3]float64, ok bool) {
	if c.Open(k) || !c.Rests(k) {
		return u, false
	}
	across, from := -1, x
	for a := range dims {
		beside := x
		beside[a] -= dir[a]
		if dir[a] == 0 || c.Periodic[a] || !c.outside(beside, a) {
			from[a] -= dir[a]
			continue
		}
		switch face := c.At(beside[0], beside[1], beside[2]); {
		case face == 0:
			return u, false
		case c.Wall(face).Law == MovingFace && across < 0:
			across = a
		case c.Wall(face).Law != Slip:
			return u, false // the faces' own edge
		}
	}
	if across < 0 || c.At(from[0], from[1], from[2]) == 0 {
		return u, false
	}
	var out [3]int
	out[across] = dir[across]
	face := c.Motion(c.At(x[0]-out[0], x[1]-out[1], x[2]-out[2]))
	if !face.Steady() {
		return u, false
	}
	u = face.At(c.Place(x, 0.5, out), 0)
	for a := range u {
		beside := x
		beside[a] = from[a]
		switch {
		case a == across || from[a] == x[a] && dir[a] != 0: // behind a frictionless face
			u[a] = 0
		case from[a] != x[a] && c.At(beside[0], beside[1], beside[2]) != 0:
			u[a] = -u[a]
		}
	}
	return u, true
}

// SlipsBehind returns the axes along which a link along dir into cell x comes from behind a frictionless face, and the types
// of the other faces that it crosses.
func (c Cells) SlipsBehind(x, dir [3]int, dims int) (slips [3]bool, others [3]uint8) {
	for a := range dims {
		at := x
		if at[a] -= dir[a]; dir[a] == 0 || c.Periodic[a] || !c.outside(at, a) {
			continue
		}
		if k := c.At(at[0], at[1], at[2]); k != 0 && c.Wall(k).Law == Slip {
			slips[a] = true
		} else {
			others[a] = k
		}
	}
	return slips, others
}

// Gain returns the term that a half-way wall adds to the reflected population i of the fluid cell x at time t (Bounce).
func (c Cells) Gain(l model.Lattice, x [3]int, i int, t float64) float64 {
	v, back := l.Velocities[i], l.Velocities[l.Opposite(i)]
	k := c.Meets(x, plus(x, v), l.Dims)
	if k == 0 {
		return 0
	}
	u := c.LinkMotion(k, x, 0.5, back, l.Dims, t)
	return 6 * l.Weights[i] * (float64(back[0])*u[0] + float64(back[1])*u[1] + float64(back[2])*u[2])
}

// Gains reports whether Gain is not 0 at some time.
func (c Cells) Gains(l model.Lattice, x [3]int, i int) bool {
	k := c.Meets(x, plus(x, l.Velocities[i]), l.Dims)
	return k != 0 && (!c.Motion(k).Steady() || c.Gain(l, x, i, 0) != 0)
}

// linkPlace returns the position of the wall's velocity for that link: where a face with ghost cells
// elsewhere meets a wall, it is on the face directly beside the cell. Links to the edge of a moving wall
// and another one add nothing: no link beyond the edge would balance the gain.
func (c Cells) linkPlace(k uint8, x [3]int, q float64, dir [3]int, dims int) (p [3]float64, moves bool) {
	if c.Wall(k).Law == Bounce && movingEdge(c, x, dir, dims) {
		return p, false
	}
	if c.Open(k) {
		ghost, _, _ := c.Ghost([3]int{x[0] - dir[0], x[1] - dir[1], x[2] - dir[2]}, dims)
		for a, out := range ghost.Out {
			if out != 0 && ghost.Types[a] == k {
				return c.Place(ghost.From, 0.5, into(a, out)), true
			}
		}
	}
	return c.Place(x, q, dir), true
}

// movingEdge reports whether the link along dir into cell x comes from behind the edge of a moving wall and another one, or
// of two moving faces.
func movingEdge(c Cells, x, dir [3]int, dims int) bool {
	moving, walls := 0, 0
	for a := range dims {
		at := x
		if at[a] -= dir[a]; dir[a] == 0 || c.Periodic[a] || !c.outside(at, a) {
			continue
		}
		switch k := c.At(at[0], at[1], at[2]); {
		case k == 0:
		case !c.Rests(k):
			moving++
		case !c.Open(k):
			walls++
		}
	}
	return moving > 1 || moving > 0 && walls > 0
}

// ForFlow returns the cells as seen by the flow: ghost cells filled by faces are fluid.
func (c Cells) ForFlow(dims int) Cells {
	if !c.HasOpen() {
		return c
	}
	own := c
	own.Type = append([]uint8(nil), c.Type...)
	c.behind(dims, func(g [3]int) {
		_, wall, ok := c.Ghost(g, dims)
		if ok {
			wall = 0
		}
		own.Type[c.Index(g[0], g[1], g[2])] = wall
	})
	return own
}

// behind visits the layer of cells around the box.
func (c Cells) behind(dims int, visit func(g [3]int)) {
	depth := dims - 2
	for z := -depth; z < c.N[2]+depth; z++ {
		for y := -1; y <= c.N[1]; y++ {
			step := c.N[0] + 1
			if z < 0 || z == c.N[2] || y < 0 || y == c.N[1] {
				step = 1
			}
			for x := -1; x <= c.N[0]; x += step {
				visit([3]int{x, y, z})
			}
		}
	}
}

// Ghosts visits the ghost cells filled by faces, in the order z, y, x.
func (c Cells) Ghosts(dims int, visit func(g [3]int, ghost Ghost)) {
	if !c.HasOpen() {
		return
	}
	c.behind(dims, func(g [3]int) {
		if ghost, _, ok := c.Ghost(g, dims); ok {
			visit(g, ghost)
		}
	})
}

// Affine is v -> A v + B.
type Affine struct{ A, B float64 }

// FaceRule is the rule by which the faces fill a ghost cell from the cell beside them, in the order
// x, y, z, and frictionless ones last: the density and each component of the velocity are an affine
// function of that cell's, the non-equilibrium stress is the cell's own, mirrored at frictionless
// faces. Behind an outflow lies a copy of the cell: the incoming populations follow from Outlet.
type FaceRule struct {
	Density  Affine // of rho - 1
	Velocity [3]Affine
	Exact    [3]bool // with A = -1: of the momentum, and the stress is unchanged: B is the whole flux
	Mirror   [3]bool // the stress's components along these axes change their sign
	// Enter is -1 or +1 across a low or a high pressure face with a direction: B of each other component of the velocity
	// is the component's ratio to the velocity across the face, where fluid enters (Entering).
	Enter [3]int
}

// Rule of a ghost cell at time t.
func (c Cells) Rule(ghost Ghost, t float64) FaceRule {
	return c.rule(ghost, func(axis int) (u [3]float64, density float64) {
		k := ghost.Types[axis]
		return c.Motion(k).At(c.facePlace(ghost, axis), t), c.Wall(k).Strength(t) * c.Wall(k).Density
	})
}

// facePlace returns the position of the velocity of the face normal to an axis, for a ghost cell behind it.
func (c Cells) facePlace(ghost Ghost, axis int) [3]float64 {
	return c.Place(ghost.From, 0.5, into(axis, ghost.Out[axis]))
}

// rule returns the rule of a ghost cell between faces with these velocities and densities: each of its B is a
// linear function of them.
func (c Cells) rule(ghost Ghost, given func(axis int) (u [3]float64, density float64)) FaceRule {
	r, sealed := FaceRule{Density: Affine{A: 1}}, c.sealed()
	for a := range r.Velocity {
		r.Velocity[a].A = 1
	}
	for a, out := range ghost.Out {
		if out == 0 {
			continue
		}
		k := ghost.Types[a]
		w := c.Wall(k)
		if !w.Law.Open() || w.Law == Slip {
			continue // mirrors come last
		}
		u, density := given(a)
		switch w.Law {
		case VelocityFace, MovingFace:
			for b := range u {
				r.Velocity[b], r.Exact[b] = Affine{-r.Velocity[b].A, -r.Velocity[b].B}, false
				switch {
				case b != a:
					r.Velocity[b].B += 2 * u[b]
				case w.Law == VelocityFace && sealed:
					r.Velocity[b], r.Exact[b] = Affine{A: -1, B: 2 * u[b]}, true
				case w.Law == VelocityFace:
					r.Velocity[b] = Affine{B: u[b]}
				}
			}
		case PressureFace:
			r.Density = Affine{-r.Density.A, 2*density - r.Density.B}
			if w.Direction != nil && ghost.edges() == 1 {
				r.direct(a, out, *w.Direction)
			}
		case Outflow: // a copy, corrected after the step
		default:
			panic(fmt.Sprintf("no rule for ghost cells of law %d", w.Law))
		}
	}
	for a, out := range ghost.Out {
		if k := ghost.Types[a]; out != 0 && (!c.Open(k) || c.Wall(k).Law == Slip) {
			r.Velocity[a], r.Exact[a] = Affine{-r.Velocity[a].A, -r.Velocity[a].B}, false
			r.Mirror[a] = true
		}
	}
	return r
}

// Directed reports whether some face sets the direction of the inflow.
func (c Cells) Directed() bool {
	return slices.ContainsFunc(c.Walls, func(w Wall) bool { return w.Direction != nil })
}

// direct sets the direction of the inflow through the face normal to an axis.
func (r *FaceRule) direct(axis, out int, direction [3]float64) {
	r.Enter[axis] = out
	for b := range r.Velocity {
		if b != axis {
			r.Velocity[b].B = direction[b] / direction[axis]
		}
	}
}

// edges returns the number of faces that the ghost cell lies behind.
func (g Ghost) edges() (n int) {
	for _, out := range g.Out {
		if out != 0 {
			n++
		}
	}
	return n
}

// sealed reports whether no face allows outflow.
func (c Cells) sealed() bool {
	for _, w := range c.Walls {
		if w.Law == PressureFace || w.Law == Outflow {
			return false
		}
	}
	return true
}

// into returns the direction into the fluid.
func into(axis, out int) (c [3]int) {
	c[axis] = -out
	return c
}

// Outlet is the correction of a cell beside outflows after a step. The incoming wave across a face,
// W = rho - u_n/c_s with u_n outwards, includes the part convected by leaving vortices,
//
//	W(t+1) = W - max(u_n, 0) least(W - W_1, (u_1 - u_n)/c_s) + Relax (Target - (rho - 1))
//
// with the cell and, index 1, the next one inwards before the step; least is the smaller of two
// numbers of one sign, otherwise 0: pressure alone is not carried. So sound and vortices leave
// (dW/dt = 0: Thompson, J. Comput. Phys. 68 (1987) 1; the convective part: Giles, AIAA J. 28 (1990)
// 2050). The other wave, the tangential momentum and the non-equilibrium stress keep the step's
// values: the density changes by half the change of W, and u_n by -c_s times as much.
type Outlet struct {
	Out           [3]int  // along each axis -1 or +1 where an outflow is beside the cell, otherwise 0
	Inner         [3]bool // whether the next cell inwards is fluid
	Relax, Target float64 // of the first of them
}

// Outlet of a fluid cell. ok: there are some.
func (c Cells) Outlet(x [3]int, dims int) (o Outlet, ok bool) {
	for a := range dims {
		if c.Periodic[a] {
			continue
		}
		for _, side := range []int{-1, 1} {
			at, inner := x, x
			at[a] += side
			inner[a] -= side
			if !c.outside(at, a) {
				continue
			}
			k := c.At(at[0], at[1], at[2])
			if k == 0 || c.Wall(k).Law != Outflow {
				continue
			}
			if !ok {
				o.Relax, o.Target, ok = c.Wall(k).Relax, c.Wall(k).Density, true
			}
			o.Out[a], o.Inner[a] = side, c.At(inner[0], inner[1], inner[2]) == 0
		}
	}
	return o, ok
}

// outside reports whether a cell lies behind a face across an axis.
func (c Cells) outside(x [3]int, axis int) bool {
	global := c.Global
	if global == [3]int{} {
		global = c.N
	}
	at := c.Origin[axis] + x[axis]
	return at < 0 || at >= global[axis]
}

// Changes reports whether a ghost cell's rule changes with time, by a time-dependent velocity or by a
// factor (Scaled).
func (c Cells) Changes(ghost Ghost) (timed, factor bool) {
	for a, out := range ghost.Out {
		if out != 0 {
			m := c.Motion(ghost.Types[a])
			_, scaled := m.(Scaled)
			timed, factor = timed || !Unscaled(m).Steady(), factor || scaled
		}
	}
	return timed, factor
}
