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
