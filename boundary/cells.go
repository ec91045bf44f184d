// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

import (
	"math"

	"slices"

	"lbmsim/decomp"
	"lbmsim/internal/parallel"
	"lbmsim/model"
)

// Wall is one solid type.
type Wall struct {
	Law     Law
	Density float64 // r_w, rho - 1 at the face: PressureFace, Outflow
	// MayExit is set where fluid may leave through a VelocityFace.
	MayExit bool
	// Direction of the fluid that enters through a PressureFace; nil: the tangential velocity has zero gradient.
	Direction *[3]float64
	Relax     float64 // Outflow: share of the pressure error that is corrected per step
	// Conserve makes Interpolated return the absorbed mass as rest population, so that a closed box
	// conserves its mass.
	Conserve bool
	Motion   Motion    // nil: at rest
	Measured bool      // requested by device.Program.Forces
	Model    WallModel // of a ModelledWall
	Scalar   ScalarWall
}

// Cells reports which cells of one rank's box are fluid and which are solid,
// with one more layer on every side (the neighbours' cells, periodic images or,
// behind a face of the domain, the face's boundary).
type Cells struct {
	N [3]int // interior cells x, y, z
	// Type has (N[0]+2)(N[1]+2)(N[2]+2) entries, x fastest, then y, then z:
	// 0 is fluid, k > 0 is solid and belongs to boundary k-1.
	Type []uint8
	// Walls has the wall of each boundary; nil: all are half-way walls at rest.
	Walls []Wall
	// Distance returns q, 0 < q <= 1, of an Interpolated or a ModelledWall, which is at x - q c for the
	// centre of cell x and the direction c out of the wall. 0 where it is unknown: then the wall is
	// half-way.
	Distance func(x, c [3]int) float64
	// Slope of the surface that Distance finds, |c.n| with its unit normal n; 0 where it is unknown. nil: all
	// surfaces are normal to axes.
	Slope func(x, c [3]int) float64
	// Rates returns the rates of a cell in a sponge (Omega, OmegaMinus and Viscosity), nil for
	// others. nil: there is no sponge.
	Rates func(x [3]int) *model.Params
	// Modelled lists the ghost cells of Modelled walls; nil: no such walls.
	Modelled *Modelled
	// Global is the size of the domain in cells and Origin the position of this box in it, for
	// quantities that depend on the position. Zero Global: the box is the domain.
	Global, Origin [3]int
	Periodic       [3]bool // periodic axes of the domain
	// Rest reports for the low and the high end of x whether all cells beyond, edges and corners
	// included, are walls that are Still in the whole domain. Kernels may treat such ends
	// separately, with a different order of additions, so all ranks must receive the same values.
	// False is always allowed.
	Rest [2]bool
	// Patch describes the cells of a refined grid; nil: the grid is uniform.
	Patch *Patch
}

// Patch describes the roles of the cells that a patch of a refined grid stores, and of the cells
// around it.
type Patch struct {
	Wraps [3]bool // periodic axes of the patch
	// Role returns the role of a cell of the domain or of an image of it, in the domain's cells.
	Role func(cell [3]int) decomp.Role
	// Counted returns the runs along x of a row's finest cells, over which sums are taken.
	Counted func(y, z int) []decomp.Range
	// Sixths is added to a wall's type for partly measured links (Walls.Measured).
	Sixths uint8
	// Blocked is the type of cells marked solid because the patch does not store them or no step reads them. The results in
	// adjacent cells are not read either: these are mirror cells and the outer layer of the overlap. 0: no such cells.
	Blocked uint8
}

// Uncounted returns a bit for each cell of a box of n cells from origin on that sums exclude though it may be fluid:
// overlap, and cells covered by a finer level. Row z*ny+y has a word for 32 of its cells, padded to pitch, a multiple of 32.
// nil: sums are over all cells.
func (p *Patch) Uncounted(n, origin [3]int, pitch int) []uint32 {
	if p == nil || p.Counted == nil {
		return nil
	}
	words := pitch / 32
	list := make([]uint32, n[1]*n[2]*words)
	parallel.Ranges(n[1]*n[2], func(lo, hi int) {
		for row := lo; row < hi; row++ {
			bits := list[row*words:][:words]
			for k := range bits {
				bits[k] = math.MaxUint32
			}
			for _, run := range p.Counted(origin[1]+row%n[1], origin[2]+row/n[1]) {
				for x, end := max(0, run.Lo-origin[0]), min(n[0], run.Hi-origin[0]); x < end; {
					more := min(32-x%32, end-x) // in this word
					bits[x/32] &^= (1<<more - 1) << (x % 32)
					x += more
				}
			}
		}
	})
	return list
}

// role returns the role of a cell of the box or beside it.
func (c Cells) role(x [3]int) decomp.Role {
	if c.Patch == nil {
		return decomp.Counted
	}
	return c.Patch.Role(plus(c.Origin, x))
}

// NewCells returns an all-fluid box.
func NewCells(n [3]int) Cells {
	return Cells{N: n, Type: make([]uint8, (n[0]+2)*(n[1]+2)*(n[2]+2))}
}

// wrapped returns the cells of a box that is periodic along some axes, as the domain is along these. A patch of a refined
// domain may end before the other end of a periodic axis, and store cells beyond one: these lie behind no face.
func wrapped(c Cells, periodic [3]bool) Cells {
	for a := range periodic {
		c.Periodic[a] = c.Periodic[a] || periodic[a]
	}
	return c
}

// Index of cell (x, y, z), each from -1 to N inclusive.
func (c Cells) Index(x, y, z int) int {
	return ((z+1)*(c.N[1]+2)+y+1)*(c.N[0]+2) + x + 1
}

// At returns the type of cell (x, y, z), each from -1 to N inclusive.
func (c Cells) At(x, y, z int) uint8 { return c.Type[c.Index(x, y, z)] }

// Wall returns the wall of type k > 0.
func (c Cells) Wall(k uint8) Wall {
	if c.Walls == nil {
		return Wall{}
	}
	return c.Walls[k-1]
}

// Place returns the position of a wall at the distance q along direction v out of it from cell at, in
// cells from the domain's lower corner.
func (c Cells) Place(at [3]int, q float64, v [3]int) (p [3]float64) {
	for a := range p {
		// For a link across a periodic face, the end at the body counts.
		behind := c.Origin[a] + at[a] - v[a]
		n := c.Global[a]
		if n == 0 {
			n = c.N[a]
		}
		if c.Periodic[a] {
			behind = (behind + n) % n
		}
		p[a] = float64(behind) + 0.5 + (1-q)*float64(v[a])
	}
	return p
}

// Timed reports whether any wall changes with time.
func (c Cells) Timed() bool {
	return slices.ContainsFunc(c.Walls, func(w Wall) bool { return w.Motion != nil && !w.Motion.Steady() })
}

// Plain reports whether type k > 0 is a half-way wall, at rest or in constant motion.
func (c Cells) Plain(k uint8) bool {
	_, constant := c.Motion(k).(Constant)
	return c.Wall(k).Law == Bounce && constant
}

// Still reports whether type k > 0 is a half-way wall at rest, or one whose links kernels ignore,
// since the adjacent cells are recomputed (Links).
func (c Cells) Still(k uint8) bool {
	return !c.Open(k) && (c.Rests(k) || !c.Plain(k))
}

// AtRest reports whether all cells of the plane x, edges included, are walls that are Still.
func (c Cells) AtRest(x, dims int) bool {
	depth := dims - 2 // in 2D no population comes from above or below
	for z := -depth; z < c.N[2]+depth; z++ {
		for y := -1; y <= c.N[1]; y++ {
			t := c.At(x, y, z)
			if _, _, ghost := c.Ghost([3]int{x, y, z}, dims); t == 0 || ghost || !c.Still(t) {
				return false
			}
		}
	}
	return true
}

// WithRest derives Rest from the cells, for a box that is the whole domain.
func (c Cells) WithRest(periodic bool, dims int) Cells {
	for side, x := range []int{-1, c.N[0]} {
		c.Rest[side] = !periodic && c.AtRest(x, dims)
	}
	return c
}
