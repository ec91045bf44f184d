// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"math"

	"lbmsim/config/language"
	"lbmsim/internal/finding"
)

// mostPlane is the Reynolds number from which on the wakes of bluff bodies are three-dimensional: 190 behind a circular
// cylinder, 160 behind a square one (Williamson, Annu. Rev. Fluid Mech. 28 (1996) 477; Robichaux, Balachandar and
// Vanka, Phys. Fluids 11 (1999) 560). Benchmarks in two dimensions go up to 200.
const mostPlane = 200

// planeWakes warns of forces on bluff bodies in two dimensions whose wakes are three-dimensional.
func (c *Case) planeWakes(sizes []SolidSize) (list finding.List) {
	if c.Dims() == 3 {
		return nil
	}
	for _, f := range c.Forces {
		for _, t := range f.Types {
			i := int(t) - 1 - len(c.Boundaries)
			if i < 0 {
				continue
			}
			s, ok := c.stand(c.Bodies[i], sizes)
			re := c.Mean * s.height / ((c.Tau - 0.5) / 3)
			if bluff := s.along[1]-s.along[0] <= 2*s.height; !ok || !bluff || math.Round(re) <= mostPlane {
				continue
			}
			list = append(list, finding.PlaneWake.Says("[output.force.%s]: at Re %s (height of [body.%s]) the wake is three-dimensional, but the case is 2D: drag, lift and their fluctuations will be overestimated; for realistic forces compute a span of a few heights in 3D",
				f.Name, language.Short(roughly(re)), s.name))
		}
	}
	return list
}
