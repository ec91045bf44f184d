// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package model is the catalogue of lbmsim's lattices, collision models, boundaries and output
// fields, as tables. It holds no state and no algorithm; kernels, config and the documentation read
// the same rows.
package model

// Lattice is a discrete velocity set. Weights and velocities follow Qian,
// d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479; the speed of sound is
// 1/sqrt(3) in all of them.
type Lattice struct {
	Name       string // the word of the case file and of the kernels
	Dims       int    // 2 or 3
	Velocities [][3]int
	Weights    []float64
	Paper      string
}

// CS2 is the squared speed of sound of every lattice, in lattice units.
const CS2 = 1.0 / 3

// Q returns the number of populations per cell.
func (l Lattice) Q() int { return len(l.Velocities) }

// Moments returns the number of moments per cell up to second order: density,
// momentum and the symmetric second-order tensor (6 in 2D, 10 in 3D).
func (l Lattice) Moments() int { return 1 + l.Dims + l.Dims*(l.Dims+1)/2 }

// Opposite returns the index of the reversed velocity of direction i.
func (l Lattice) Opposite(i int) int {
	c := l.Velocities[i]
	for j, d := range l.Velocities {
		if d == [3]int{-c[0], -c[1], -c[2]} {
			return j
		}
	}
	panic("lattice " + l.Name + " has no opposite direction")
}

// Lattices in the order of the documentation. Directions are sorted by the velocity along the
// slabs' axis (y in 2D, z in 3D): first -1, then 0, then +1, so that the populations that cross a
// slab's face are adjacent in memory. Within a group they are sorted by the next axis, then by x.
var Lattices = []Lattice{
	{
		Name: "D2Q9", Dims: 2,
		Velocities: [][3]int{
			{-1, -1, 0}, {0, -1, 0}, {1, -1, 0},
			{-1, 0, 0}, {0, 0, 0}, {1, 0, 0},
			{-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
		},
		Weights: []float64{
			1. / 36, 1. / 9, 1. / 36,
			1. / 9, 4. / 9, 1. / 9,
			1. / 36, 1. / 9, 1. / 36,
		},
		Paper: "Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479",
	},
	{
		Name: "D3Q19", Dims: 3,
		Velocities: [][3]int{
			{0, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {1, 0, -1}, {0, 1, -1},
			{-1, -1, 0}, {0, -1, 0}, {1, -1, 0},
			{-1, 0, 0}, {0, 0, 0}, {1, 0, 0},
			{-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
			{0, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1},
		},
		Weights: []float64{
			1. / 36, 1. / 36, 1. / 18, 1. / 36, 1. / 36,
			1. / 36, 1. / 18, 1. / 36,
			1. / 18, 1. / 3, 1. / 18,
			1. / 36, 1. / 18, 1. / 36,
			1. / 36, 1. / 36, 1. / 18, 1. / 36, 1. / 36,
		},
		Paper: "Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479",
	},
	{
		Name: "D3Q27", Dims: 3,
		Velocities: [][3]int{
			{-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {1, 0, -1}, {-1, 1, -1}, {0, 1, -1}, {1, 1, -1},
			{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0},
			{-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 1, 1}, {0, 1, 1}, {1, 1, 1},
		},
		Weights: []float64{
			1. / 216, 1. / 54, 1. / 216, 1. / 54, 2. / 27, 1. / 54, 1. / 216, 1. / 54, 1. / 216,
			1. / 54, 2. / 27, 1. / 54, 2. / 27, 8. / 27, 2. / 27, 1. / 54, 2. / 27, 1. / 54,
			1. / 216, 1. / 54, 1. / 216, 1. / 54, 2. / 27, 1. / 54, 1. / 216, 1. / 54, 1. / 216,
		},
		Paper: "He & Luo, Phys. Rev. E 56 (1997) 6811: the product of three D1Q3; isotropic where D3Q19 is not, for 1.4 times its memory with bgk and trt, which keep populations",
	},
}

// FindLattice looks up a lattice by its name.
func FindLattice(name string) (Lattice, bool) {
	for _, l := range Lattices {
		if l.Name == name {
			return l, true
		}
	}
	return Lattice{}, false
}
