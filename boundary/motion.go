// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

// Motion is the velocity of a wall, or of the fluid at a face. Velocities are in lattice units (cells per step), points in
// cells from the domain's lower corner, times in steps.
//
// A motion is a Constant, a Spin, a Formula or a Turbulent. A Profiled multiplies one of these by a factor in space, and a
// Scaled any of these by a factor in time: a Scaled contains a Profiled, not the reverse, because links and ghost cells of a
// Scaled share their numbers where the motion inside is steady.
type Motion interface {
	// At returns the velocity at a point and a time.
	At(p [3]float64, t float64) [3]float64
	// Steady reports whether the velocity is independent of time.
	Steady() bool
}

// Constant is one velocity at all points and times; the zero value is a wall at rest. Half-way walls of this motion cost
// fast kernels one number per link (Cells.Plain).
type Constant [3]float64

// At returns the constant.
func (c Constant) At([3]float64, float64) [3]float64 { return c }

// Steady returns true.
func (c Constant) Steady() bool { return true }

// Spin is the velocity of a rigid surface that rotates in place: Velocity + Angular x (p - Centre), Angular in radians
// per step.
type Spin struct{ Velocity, Angular, Centre [3]float64 }

// At returns the velocity of the surface at a point.
func (s Spin) At(p [3]float64, _ float64) (u [3]float64) {
	for a := range u {
		b, c := (a+1)%3, (a+2)%3
		u[a] = s.Velocity[a] + s.Angular[b]*(p[c]-s.Centre[c]) - s.Angular[c]*(p[b]-s.Centre[b])
	}
	return u
}

// Steady returns true.
func (s Spin) Steady() bool { return true }

// Formula is a velocity given by expressions in space and time.
type Formula struct {
	Velocity func(p [3]float64, t float64) [3]float64
	Timed    bool // Velocity depends on the time
	// Code is each component of Velocity as a C expression in x, y, z and t, in double, for devices that compute a Timed
	// velocity themselves.
	Code [3]string
}

// At evaluates the expressions.
func (f Formula) At(p [3]float64, t float64) [3]float64 { return f.Velocity(p, t) }

// Steady reports whether the expressions are independent of time.
func (f Formula) Steady() bool { return !f.Timed }

// Turbulent is a mean motion and the fluctuations of a turbulent inflow.
type Turbulent struct {
	Mean  Motion
	Waves *Turbulence
}

// At returns the mean velocity plus the fluctuation.
func (m Turbulent) At(p [3]float64, t float64) [3]float64 { return m.Waves.Add(m.Mean.At(p, t), p, t) }

// Steady returns false.
func (m Turbulent) Steady() bool { return false }

// Profiled is a motion times a factor in space.
type Profiled struct {
	Motion
	Gain func(p [3]float64) float64
}

// At returns the velocity times the factor at the point.
func (m Profiled) At(p [3]float64, t float64) [3]float64 { return times(m.Motion.At(p, t), m.Gain(p)) }

// Scaled is a motion times a factor in time. The factor also multiplies the density of a pressure face (Wall.Strength).
type Scaled struct {
	Motion
	Factor func(t float64) float64
}

// At returns the velocity times the factor at the time.
func (m Scaled) At(p [3]float64, t float64) [3]float64 { return times(m.Motion.At(p, t), m.Factor(t)) }

// Steady returns false.
func (m Scaled) Steady() bool { return false }

func times(u [3]float64, factor float64) [3]float64 {
	for a := range u {
		u[a] *= factor
	}
	return u
}

// Unscaled returns a motion without its time factor.
func Unscaled(m Motion) Motion {
	if s, ok := m.(Scaled); ok {
		return s.Motion
	}
	return m
}

// Bare returns a motion without its factors in time and space.
func Bare(m Motion) Motion {
	m = Unscaled(m)
	if s, ok := m.(Profiled); ok {
		return s.Motion
	}
	return m
}

// BounceWalls returns half-way walls with constant velocities.
func BounceWalls(velocities ...[3]float64) []Wall {
	walls := make([]Wall, len(velocities))
	for k, u := range velocities {
		walls[k].Motion = Constant(u)
	}
	return walls
}

// Strength returns the factor of the wall's velocity and density at time t, in steps.
func (w Wall) Strength(t float64) float64 {
	if m, ok := w.Motion.(Scaled); ok {
		return m.Factor(t)
	}
	return 1
}

// Motion returns the motion of the wall of type k > 0; a Constant of 0 where none is given.
func (c Cells) Motion(k uint8) Motion {
	if m := c.Wall(k).Motion; m != nil {
		return m
	}
	return Constant{}
}

// Rests reports whether the wall of type k > 0 is at rest at all times.
func (c Cells) Rests(k uint8) bool {
	u, constant := Unscaled(c.Motion(k)).(Constant)
	return constant && u == Constant{}
}
