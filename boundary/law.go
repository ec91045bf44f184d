// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package boundary defines the effect of domain faces and body surfaces on the fluid: the kinds that a case
// may name (catalogue.go), the types of cells (cells.go), the law of each kind with its numbers next to its
// formula (law.go, scalar.go), and from them the lists for devices: the masks of walls at rest (walls.go),
// the links of curved and moving walls (links.go), the rules of ghost cells behind faces (rules.go) and the
// positions of these cells (ghosts.go). The flow itself is computed by kernels.
package boundary

// Law is the treatment of populations at a wall. All laws are for a wall, or a face, half-way
// between the fluid and the cell behind it, except Interpolated and ModelledWall, which use the
// actual distance. i is the direction out of the wall, i' the opposite one, f* are the cell's
// post-collision populations, r its post-collision rho - 1.
type Law int

const (
	// Bounce is half-way bounce-back, f_i = f*_i' + 6 w_i c_i.u_w: conserves mass where u_w is
	// tangential; otherwise the mass flux is its normal component.
	Bounce Law = iota
	// Interpolated is bounce-back at the distance q of the wall along the link (Bouzidi,
	// Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452, eq. 5, linear):
	//   f_i = 2q f*_i' + (1-2q) f*_i'(x+c_i) + 6 w_i c_i.u_w           q < 1/2
	//   f_i = f*_i'/2q + (1-1/2q) f*_i + 3/q w_i c_i.u_w               else
	Interpolated
	// The laws of faces with flow through them, or slip along them, fill ghost cells behind the face
	// from the cell beside it, of which they take the density r, the velocity u and the non-equilibrium
	// stress after the collision, S - rho u u. A step then streams from ghost cells as from all others.
	// See FaceRule for where faces meet.
	//
	// MovingFace is a wall that moves in its own plane: the ghost cell has the opposite velocity across
	// it, so that no mass passes. Along the wall, the mean velocity of both cells is the wall's;
	// density and stress are the cell's. Fluid with the velocity of the wall stays unchanged, whatever
	// its viscosity: a moving wall with bounce-back makes noise at tau -> 1/2.
	MovingFace
	// VelocityFace gives the ghost cell the prescribed normal velocity, and the tangential velocity
	// for which the mean of both cells is the prescribed one; density and stress are the cell's.
	VelocityFace
	// PressureFace makes the mean of both densities r_w; velocity and stress have no gradient
	// across the face (the extrapolation of Guo, Zheng & Shi, Phys. Fluids 14 (2002) 2007, to a
	// cell behind a face half-way).
	PressureFace
	// Outflow has zero gradients except for the incoming acoustic wave, W = r - u_n/cs, n the outward normal, which is
	// convected and relaxes to the face's pressure:
	//   W(t+1) = W - max(u_n, 0) m(dW, -du_n/cs) + Relax (r_w - r)
	// The outgoing wave, r + u_n/cs, has no gradient at the ghost cell. dW = W - W(x-n) and m(a, b) is minmod: the smaller
	// of two numbers of one sign, otherwise 0. So changes of the velocity are convected, but not sound waves or the
	// pressure gradient of a channel (after Poinsot & Lele, J. Comput. Phys. 101 (1992) 104).
	Outflow
	// Slip mirrors the cell: no friction, no flow through the face.
	Slip
	// ModelledWall has ghost cells whose velocity along the wall follows from the law of the wall at a point above it
	// (Modelled). Their populations stream into fluid cells: no population is bounced back.
	ModelledWall
)

// LinkLaw is the numbers of a law,
//
//	f_i = A f*_i' + B f*_i + C f*_i'(x+c_i) + K
//
// and for the force on the wall its velocity and its distance in links. The law of a cell has
// omega, omegaMinus and the four numbers of the viscosity law in these fields.
type LinkLaw struct {
	A, B, C, K float64
	Velocity   [3]float64
	Distance   float64
}

// ofLink returns the law of a link that meets the wall at the distance q, where the wall's motion adds momentum =
// 6 w_i c_i.u_w half-way. Links have no other law: faces fill ghost cells (FaceRule).
func (l Law) ofLink(q, momentum float64) LinkLaw {
	switch {
	case l != Interpolated:
		return LinkLaw{A: 1, K: momentum}
	case q < 0.5:
		return LinkLaw{A: 2 * q, C: 1 - 2*q, K: momentum}
	default:
		return LinkLaw{A: 1 / (2 * q), B: 1 - 1/(2*q), K: momentum / (2 * q)}
	}
}
