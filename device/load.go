// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

// Load is the action of the fluid on the walls of one type in a step, in lattice units
// and fixed point: sums of integers do not depend on the order of cells and ranks.
type Load struct {
	Force, Torque [3]int64
	Scalar        int64 // amount of a scalar that leaves the fluid
}

// Units of a Load, as in kernels/special.h. They represent up to 5e5 and 8e6 lattice units, and
// lose at most 3e-14 and 5e-13 per link.
const (
	ForceUnits  = 1 << 44
	TorqueUnits = 1 << 40
	ScalarUnits = 1 << 40
)

// Add adds the load of another part of the same walls.
func (l *Load) Add(m Load) {
	for a := range l.Force {
		l.Force[a] += m.Force[a]
		l.Torque[a] += m.Torque[a]
	}
	l.Scalar += m.Scalar
}

// Lost returns the amount of a scalar that leaves the fluid, in lattice units.
func (l Load) Lost() float64 { return float64(l.Scalar) / ScalarUnits }

// Values returns the force, and the torque about a point in cells from the domain's lower
// corner, in lattice units.
func (l Load) Values(about [3]float64) (force, torque [3]float64) {
	for a := range force {
		force[a] = float64(l.Force[a]) / ForceUnits
	}
	for a := range torque {
		b, c := (a+1)%3, (a+2)%3
		torque[a] = float64(l.Torque[a])/TorqueUnits - (about[b]*force[c] - about[c]*force[b])
	}
	return force, torque
}
