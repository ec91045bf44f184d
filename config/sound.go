// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/model"
)

// Standing sound waves between reflecting faces. A lattice fluid is more compressible than the real one, so such sound is slow: in a wide
// domain it oscillates as slowly as a wake.

// reflection is the response of a face to sound.
type reflection int

const (
	absorbing reflection = iota // outflow, a sponge, or boundaries that differ
	rigid                       // the velocity across the face is given: a wall, slip, an inlet
	yielding                    // the pressure is given
)

// reflectionAt returns the response of a face to sound.
func reflectionAt(c *Case, f Face) (is reflection) {
	first := true
	for _, b := range c.Boundaries {
		for _, of := range b.Faces {
			if of != f {
				continue
			}
			now := rigid
			switch {
			case b.Kind.Law == boundary.Outflow || len(b.Sponge) > 0:
				now = absorbing
			case b.Kind.Law == boundary.PressureFace:
				now = yielding
			}
			if !first && now != is {
				return absorbing
			}
			is, first = now, false
		}
	}
	return is
}

// soundModes is the number of modes along an axis that are compared: higher ones are damped faster.
const soundModes = 3

// Sound is a plane mode of the domain.
type Sound struct {
	Frequency float64 // per step of level 0
	Where     string  // the faces between which it stands
}

// standingSound returns the modes along all axes: n c/2L between faces that are both rigid or both yielding, (2n-1) c/4L where one yields,
// and n c/L along a periodic axis. The mean flow, which shifts modes along it by its Mach number squared (periodic: by the Mach number), is
// not counted.
func standingSound(c *Case) (list []Sound) {
	for a := range c.Dims() {
		turn := math.Sqrt(model.CS2) / float64(c.Cells[a]) // per step, n = 1 of a periodic axis
		low, high := reflectionAt(c, Face{Axis: a, Side: 0}), reflectionAt(c, Face{Axis: a, Side: 1})
		between := fmt.Sprintf("between the faces %s and %s", Face{Axis: a, Side: 0}, Face{Axis: a, Side: 1})
		if !c.Periodic[a] && (low == absorbing || high == absorbing) {
			continue
		}
		for n := 1; n <= soundModes; n++ {
			switch {
			case c.Periodic[a]:
				list = append(list, Sound{float64(n) * turn, "along the periodic axis " + "xyz"[a:a+1]})
			case low == high:
				list = append(list, Sound{float64(n) * turn / 2, between})
			default:
				list = append(list, Sound{float64(2*n-1) * turn / 4, between})
			}
		}
	}
	return list
}

// NearSound returns the mode nearest to a frequency per step, if one is nearer than the tolerance.
func NearSound(c *Case, frequency, tolerance float64) (near Sound, found bool) {
	for _, s := range standingSound(c) {
		if off := math.Abs(s.Frequency - frequency); off <= tolerance {
			near, tolerance, found = s, off, true
		}
	}
	return near, found
}
