// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package model

import (
	"fmt"
	"strings"
)

// Precision of the stored state and of the arithmetic.
type Precision int

const (
	Float32 Precision = iota
	Float64
	// Float16 stores IEEE halves, each moment (or population) with its own
	// scale, and computes in float32.
	Float16
)

func (p Precision) String() string { return [...]string{"float32", "float64", "float16"}[p] }

// Bytes of one stored value.
func (p Precision) Bytes() int { return [...]int{4, 8, 2}[p] }

// Doc states the precisions of storage and arithmetic.
func (p Precision) Doc() string {
	return [...]string{
		"state and arithmetic of 32 bits",
		"state and arithmetic of 64 bits",
		"float32 arithmetic, 16-bit storage with a scale for each moment or all populations",
	}[p]
}

// Precisions in the order of the documentation.
var Precisions = []Precision{Float32, Float64, Float16}

// Spec identifies the kernels that a case needs, without numbers.
type Spec struct {
	Lattice   Lattice
	Collision Collision
	Precision Precision
	Viscosity ViscosityLaw
	Bulk      bool // the trace of the stress relaxes with a separate time: Params.OmegaBulk
	Scalar    bool // the flow carries a scalar: Params.WithScalar
}

// Pairs returns all lattices with all models, in the order of the documentation.
func Pairs() []Spec {
	var list []Spec
	for _, l := range Lattices {
		for _, c := range Collisions {
			list = append(list, Spec{Lattice: l, Collision: c})
		}
	}
	return list
}

// Local reports whether the relaxation rates depend on the cell's own stress.
func (s Spec) Local() bool { return s.Viscosity != Newtonian || s.Bulk }

// Components returns the number of stored values per cell: the flow's, then the
// scalar's: its value, its flux and, beside populations, the velocity.
func (s Spec) Components() int {
	switch {
	case !s.Scalar:
		return s.FlowComponents()
	case s.Collision.Scheme == Moments:
		return s.FlowComponents() + 1 + s.Lattice.Dims
	default:
		return s.FlowComponents() + 1 + 2*s.Lattice.Dims
	}
}

// FieldValues returns the number of values per cell that device.Program.Fields gives, and
// InitValues the number that Init takes.
func (s Spec) FieldValues() int { return s.with(1 + s.Lattice.Dims) }
func (s Spec) InitValues() int  { return s.with(s.Lattice.Moments()) }

func (s Spec) with(values int) int {
	if s.Scalar {
		return values + 1
	}
	return values
}

// EddyBytes returns the size of the per-cell number of a law that reads neighbours: the size of the arithmetic.
func (s Spec) EddyBytes() int { return max(4, s.Precision.Bytes()) }

// EddyComponents returns how many values of the state's size these are: 0 if the law reads no neighbours.
func (s Spec) EddyComponents() int {
	if !s.Viscosity.LooksAround() {
		return 0
	}
	return s.EddyBytes() / s.Precision.Bytes()
}

// FlowComponents returns the number of stored values of the flow per cell.
func (s Spec) FlowComponents() int {
	if s.Collision.Scheme == Moments {
		return s.Lattice.Moments()
	}
	return s.Lattice.Q()
}

func (s Spec) String() string {
	name := fmt.Sprintf("%s %s %s", s.Lattice.Name, s.Collision.Name, s.Precision)
	if s.Viscosity != Newtonian {
		name += " " + s.Viscosity.String()
	}
	if s.Bulk {
		name += " bulk_viscosity"
	}
	if s.Scalar {
		name += " carries_scalar" // "scalar" had its own populations, "with_scalar" the flux before the collision
	}
	return name
}

// SpecInWords returns a Spec's name for messages; the stored name also distinguishes earlier formats of states with a
// temperature.
func SpecInWords(spec string) string {
	return strings.Replace(spec, "carries_scalar", "with temperature", 1)
}

// Params holds every number of a step that is not the state, in lattice units.
type Params struct {
	Omega      float64    // 1/tau, relaxation rate of the shear stress
	OmegaMinus float64    // 1/tau-, relaxation rate of the odd populations (trt; otherwise unused)
	Force      [3]float64 // body force per unit volume
	Lambda     float64    // (tau - 1/2)(tau- - 1/2), which determines tau- where tau differs per cell (trt)
	OmegaBulk  float64    // relaxation rate of the trace of the stress; 0: the shear stress's
	Viscosity  [4]float64 // numbers of the viscosity law: see WithSmagorinsky, WithPowerLaw, WithCarreau, WithWale
	// Of a scalar (WithScalar): tau and the share of its flux that remains after a collision, 1 - 1/tau, the
	// inverse of the turbulent Prandtl number (WithEddies), and the force per volume and unit of it.
	ScalarKeep, ScalarTau, ScalarEddy float64
	Buoyancy                          [3]float64
}

// NewParams derives the rates of model c from the relaxation time tau and the
// model's own parameter values (in the order of c.Params).
func NewParams(c Collision, tau float64, values []float64, force [3]float64) Params {
	p := Params{Omega: 1 / tau, OmegaMinus: 1 / tau, Force: force}
	switch c.Name {
	case "trt":
		p.Lambda = values[0]
		p.OmegaMinus = 1 / (values[0]/(tau-0.5) + 0.5)
	case "cumulant":
		p.OmegaBulk = 1 // best damping of sound, least of eddies
	}
	return p
}

// Finer returns the numbers of the same fluid on cells of half the width with half the time step: velocities in lattice
// units are the same on both, so shear and bulk viscosity double, and the force of a step halves. law is the law of the
// numbers in Viscosity: its shear rates halve, and its filter width is the cell width.
func (p Params) Finer(law ViscosityLaw) Params {
	double := func(omega float64) float64 { return 1 / (2/omega - 0.5) } // tau - 1/2
	p.Omega, p.OmegaMinus = double(p.Omega), double(p.OmegaMinus)
	if p.OmegaBulk != 0 {
		p.OmegaBulk = double(p.OmegaBulk)
	}
	for a := range p.Force {
		p.Force[a] /= 2
		p.Buoyancy[a] /= 2
	}
	if p.ScalarTau != 0 {
		p.ScalarTau = 2*p.ScalarTau - 0.5
		p.ScalarKeep = 1 - 1/p.ScalarTau
	}
	if !law.LooksAround() && 1/p.Omega > MostEddies {
		p.ScalarEddy = 0
	}
	p.Viscosity = finer(law, p)
	return p
}
