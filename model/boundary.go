package model

// Boundary is one row of the boundary catalogue: the value of `type` in a
// [boundary.NAME] table.
type Boundary struct {
	Name   string
	Faces  bool // may be put on a face of the domain
	Bodies bool // may be put on a body
	Keys   []string
	Doc    string
	Paper  string
}

// Boundaries in the order of the documentation. Periodic axes are declared in
// [domain]; every other face needs a boundary.
var Boundaries = []Boundary{
	{
		Name: "wall", Faces: true, Bodies: true,
		Doc:   "no-slip wall half-way between the last fluid and the first solid cell: f_i(x, t+1) = f*_i'(x, t), i' opposite to i",
		Paper: "Ladd, J. Fluid Mech. 271 (1994) 285; exact position: Ginzburg & d'Humieres, Phys. Rev. E 68 (2003) 066614",
	},
	{
		Name: "moving_wall", Faces: true, Keys: []string{"velocity"},
		Doc:   "half-way wall that moves in its own plane with velocity u_w: f_i(x, t+1) = f*_i'(x, t) + 6 w_i c_i.u_w",
		Paper: "Ladd, J. Fluid Mech. 271 (1994) 285",
	},
}

// FindBoundary looks a boundary up by its name.
func FindBoundary(name string) (Boundary, bool) {
	for _, b := range Boundaries {
		if b.Name == name {
			return b, true
		}
	}
	return Boundary{}, false
}
