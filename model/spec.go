package model

import "fmt"

// Precision of the stored state and of the arithmetic.
type Precision int

const (
	Float32 Precision = iota
	Float64
	// Float16 stores IEEE halves, each moment (or population) with a scale of its
	// own, and computes in float32.
	Float16
)

func (p Precision) String() string { return [...]string{"float32", "float64", "float16"}[p] }

// Bytes of one stored value.
func (p Precision) Bytes() int { return [...]int{4, 8, 2}[p] }

// Doc says what is stored and what is computed with.
func (p Precision) Doc() string {
	return [...]string{
		"state and arithmetic of 32 bits",
		"state and arithmetic of 64 bits",
		"float32 arithmetic, 16-bit storage with a scale for each moment or all populations",
	}[p]
}

// Precisions in the order of the documentation.
var Precisions = []Precision{Float32, Float64, Float16}

// Spec names the kernels that a case needs: what to build, no numbers.
type Spec struct {
	Lattice   Lattice
	Collision Collision
	Precision Precision
}

// Components is the number of stored values a cell.
func (s Spec) Components() int {
	if s.Collision.Scheme == Moments {
		return s.Lattice.Moments()
	}
	return s.Lattice.Q()
}

func (s Spec) String() string {
	return fmt.Sprintf("%s %s %s", s.Lattice.Name, s.Collision.Name, s.Precision)
}

// Params holds every number of a step that is not the state, in lattice units.
type Params struct {
	Omega      float64    // 1/tau, relaxation rate of the shear stress
	OmegaMinus float64    // 1/tau-, relaxation rate of the odd populations (trt; else unused)
	Force      [3]float64 // body force per unit volume
}

// NewParams derives the rates of model c from the relaxation time tau and the
// model's own parameter values (in the order of c.Params).
func NewParams(c Collision, tau float64, values []float64, force [3]float64) Params {
	p := Params{Omega: 1 / tau, OmegaMinus: 1 / tau, Force: force}
	if c.Name == "trt" {
		p.OmegaMinus = 1 / (values[0]/(tau-0.5) + 0.5)
	}
	return p
}

// Cells tells which cells of one rank's box are fluid and which are solid,
// with one more layer on every side (the neighbours' cells, periodic images or,
// behind a face of the domain, the face's boundary).
type Cells struct {
	N [3]int // interior cells x, y, z
	// Type has (N[0]+2)(N[1]+2)(N[2]+2) entries, x fastest, then y, then z:
	// 0 is fluid, k > 0 is solid and belongs to boundary k-1.
	Type []uint8
	// Velocity of each boundary's wall in lattice units, tangential to it.
	Velocity [][3]float64
	// Rest tells of the low and the high end of x whether all that lies beyond, edges
	// and corners included, are walls at rest in the whole domain. Kernels may treat
	// such ends by themselves, with another order of additions, so that all ranks have
	// to be told the same. False is always allowed.
	Rest [2]bool
}

// NewCells makes an all-fluid box.
func NewCells(n [3]int) Cells {
	return Cells{N: n, Type: make([]uint8, (n[0]+2)*(n[1]+2)*(n[2]+2))}
}

// Index of cell (x, y, z), each from -1 to N inclusive.
func (c Cells) Index(x, y, z int) int {
	return ((z+1)*(c.N[1]+2)+y+1)*(c.N[0]+2) + x + 1
}

// At is the type of cell (x, y, z), each from -1 to N inclusive.
func (c Cells) At(x, y, z int) uint8 { return c.Type[c.Index(x, y, z)] }

// AtRest tells if all cells of the plane x, edges included, are walls at rest.
func (c Cells) AtRest(x, dims int) bool {
	depth := dims - 2 // in 2D nothing comes from above or below
	for z := -depth; z < c.N[2]+depth; z++ {
		for y := -1; y <= c.N[1]; y++ {
			t := c.At(x, y, z)
			if t == 0 || c.Velocity[t-1] != [3]float64{} {
				return false
			}
		}
	}
	return true
}

// WithRest sets Rest by the cells' own word, for a box that is the whole domain.
func (c Cells) WithRest(periodic bool, dims int) Cells {
	for side, x := range []int{-1, c.N[0]} {
		c.Rest[side] = !periodic && c.AtRest(x, dims)
	}
	return c
}
