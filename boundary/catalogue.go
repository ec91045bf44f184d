// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import "slices"

// Kind is one row of the boundary catalogue: the value of `type` in a
// [boundary.NAME] table.
type Kind struct {
	Name   string
	Law    Law
	Faces  bool     // may be put on a face of the domain
	Bodies bool     // may be put on a body
	Keys   []string // required keys
	May    []string // optional keys
	Doc    string
	Paper  string
}

// Edge is the rule for the ghost cells behind the edge of two faces (rules.go: Ghost, Rule).
type Edge struct{ One, Other, Wins string }

// Edges of the kinds of faces, in their order.
var Edges = []Edge{
	{"`wall`", "`moving_wall`", "the mirror image, across the wall at rest, of the cell behind the moving one: no mass is lost"},
	{"`wall`", "any other", "the wall, which continues behind the edge"},
	{"`moving_wall`", "`moving_wall`", "both walls act, in the order x, y, z"},
	{"`moving_wall`", "`velocity`, `pressure`, `outflow`", "both act, in the order x, y, z"},
	{"`velocity`", "`velocity`, `pressure`, `outflow`", "both act, in the order x, y, z"},
	{"`pressure`, `outflow`", "`pressure`, `outflow`", "both act, in the order x, y, z"},
	{"`slip`", "any other but `wall`", "the cell behind the other face, mirrored: slip comes last"},
	{"`slip`", "`slip`", "mirrored twice"},
}

// changes are the keys for the time dependence of velocity and pressure.
var changes = []string{"ramp", "table", "sha256", "repeat"}

// turbulence are the keys for the fluctuations at an inlet.
var turbulence = []string{"turbulence_intensity", "turbulence_rms", "turbulence_length", "turbulence_modes", "turbulence_seed"}

// Kinds in the order of the documentation. Periodic axes are declared in
// [domain]; every other face needs a boundary.
var Kinds = []Kind{
	{
		Name: "wall", Faces: true, Bodies: true,
		Doc:   "no-slip wall half-way between the last fluid and the first solid cell: f_i(x, t+1) = f*_i'(x, t), i' opposite to i",
		Paper: "Ladd, J. Fluid Mech. 271 (1994) 285; exact position: Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614",
	},
	{
		Name: "moving_wall", Law: MovingFace, Faces: true, Keys: []string{"velocity"}, May: changes,
		Doc:   "wall half-way before the first cell, moving in its plane. The ghost cell behind it has the opposite normal velocity. The mean tangential velocity of both cells is the wall's. Density and non-equilibrium stress are the first cell's. With bgk and trt, and in closed boxes without slip or where faces that move meet each other or a body: f_i(x, t+1) = f*_i'(x, t) + 6 w_i c_i.u_w",
		Paper: "after the extrapolation of Guo, Zheng & Shi, Phys. Fluids 14 (2002) 2007; Ladd, J. Fluid Mech. 271 (1994) 285",
	},
	{
		Name: "interpolated_wall", Law: Interpolated, Bodies: true, May: []string{"conserve_mass"},
		Doc:   "no-slip wall at the body's surface, at the distance q along the link (linear): f_i = 2q f*_i' + (1-2q) f*_i'(x+c_i) for q < 1/2, else f_i = f*_i'/2q + (1-1/2q) f*_i",
		Paper: "Bouzidi, Firdaouss & Lallemand, Phys. Fluids 13 (2001) 3452",
	},
	{
		Name: "velocity", Law: VelocityFace, Faces: true, Keys: []string{"velocity"}, May: slices.Concat([]string{"profile", "profile_sha256", "profile_along"}, turbulence, changes),
		Doc:   "inlet, or outlet, of given velocity half-way before the first cell. The ghost cell behind the face has the normal velocity, the mean of both cells the tangential velocity. Density and non-equilibrium are the first cell's. bgk needs tau of 0.505 there, trt 0.52",
		Paper: "after the extrapolation of Guo, Zheng & Shi, Phys. Fluids 14 (2002) 2007",
	},
	{
		Name: "pressure", Law: PressureFace, Faces: true, May: append([]string{"pressure", "direction", "sponge", "sponge_viscosity"}, changes...),
		Doc:   "inlet or outlet of given pressure half-way before the first cell. The mean density of the first cell and the ghost cell behind the face is rho_w. Velocity and non-equilibrium stress have zero gradient. With a direction d the tangential velocity of entering fluid is u_n d_t/d_n",
		Paper: "the extrapolation of Guo, Zheng & Shi, Phys. Fluids 14 (2002) 2007, to a face half-way",
	},
	{
		Name: "outflow", Law: Outflow, Faces: true, May: []string{"pressure", "relaxation", "sponge", "sponge_viscosity"},
		Doc:   "outlet for sound and vortices. The incoming wave, W = rho/rho0 - u_n/cs, is convected as far as the velocity changes it, and relaxes to the pressure: dW/dt = -u_n dW/dn + k (rho_w - rho). All other quantities equal the last cell's",
		Paper: "Thompson, J. Comput. Phys. 68 (1987) 1; Giles, AIAA J. 28 (1990) 2050; relaxation: Poinsot & Lele, J. Comput. Phys. 101 (1992) 104",
	},
	{
		Name: "wall_model", Law: ModelledWall, Faces: true, Bodies: true, May: []string{"velocity", "law", "sample", "layer", "roughness"},
		Doc:   "wall under a turbulent boundary layer that the cells do not resolve. Each solid cell from which populations stream has the density of an image point on the surface's normal, and the opposite velocity across the surface. Along it the velocity has the slope u_tau/(kappa y0) and the stress the traction u_tau^2. The curvature of the surface corrects density and slope. u_tau follows from the velocity at the height sample, by Reichardt's profile or the logarithm of a rough wall. Up to the height layer the fluid has the eddy viscosity kappa y u_tau (1 - (y/layer)^2), with smagorinsky at least. Below y+ = 4 (at half a cell) it is a no-slip wall, and within a cell of convex edges the flow slips along the edge and is bounced back across it. With law = \"frictionless\" slope, traction and layer are absent",
		Paper: "Reichardt, Z. Angew. Math. Mech. 31 (1951) 208; Lee & Moser, J. Fluid Mech. 774 (2015) 395; Prandtl, Z. Angew. Math. Mech. 5 (1925) 136",
	},
	{
		Name: "slip", Law: Slip, Faces: true,
		Doc:   "wall without friction, or plane of symmetry: the ghost cell behind the face is the mirror image of the first cell",
		Paper: "Krueger et al., The Lattice Boltzmann Method, Springer 2017, sec. 5.3.7",
	},
}

// FindKind looks a boundary up by its name.
func FindKind(name string) (Kind, bool) {
	for _, b := range Kinds {
		if b.Name == name {
			return b, true
		}
	}
	return Kind{}, false
}
