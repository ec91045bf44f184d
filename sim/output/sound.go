package output

import (
	"fmt"
	"math"

	"lbmsim/boundary"
	"lbmsim/config"
	"lbmsim/model"
)

// Sound stands between faces that reflect it. A lattice fluid is more compressible than the real one, so such sound is slow: in a wide
// domain it oscillates as slowly as a wake.

// end is what a face does with sound.
type end int

const (
	absorbing end = iota // outflow, a sponge, or boundaries that differ
	closed               // the velocity across the face is given: a wall, slip, an inlet
	open                 // the pressure is given
)

// endOf returns what a face does with sound.
func endOf(c *config.Case, f config.Face) (e end) {
	first := true
	for _, b := range c.Boundaries {
		for _, of := range b.Faces {
			if of != f {
				continue
			}
			now := closed
			switch {
			case b.Kind.Law == boundary.Outflow || len(b.Sponge) > 0:
				now = absorbing
			case b.Kind.Law == boundary.PressureFace:
				now = open
			}
			if !first && now != e {
				return absorbing
			}
			e, first = now, false
		}
	}
	return e
}

// soundModes is the number of modes along an axis that are compared: higher ones are damped faster.
const soundModes = 3

// standingSound is a plane mode of the domain.
type standingSound struct {
	frequency float64 // per step of level 0
	between   string
}

// standing returns the modes along all axes: n c/2L between faces that are both closed or both open, (2n-1) c/4L where one is open, and
// n c/L along a periodic axis. The mean flow, which shifts modes along it by its Mach number squared (periodic: by the Mach number), is
// not counted.
func standing(c *config.Case) (list []standingSound) {
	for a := range c.Dims() {
		turn := math.Sqrt(model.CS2) / float64(c.Cells[a]) // per step, n = 1 of a periodic axis
		low, high := endOf(c, config.Face{Axis: a, Side: 0}), endOf(c, config.Face{Axis: a, Side: 1})
		between := fmt.Sprintf("between the faces %s and %s", config.Face{Axis: a, Side: 0}, config.Face{Axis: a, Side: 1})
		if !c.Periodic[a] && (low == absorbing || high == absorbing) {
			continue
		}
		for n := 1; n <= soundModes; n++ {
			switch {
			case c.Periodic[a]:
				list = append(list, standingSound{float64(n) * turn, "along the periodic axis " + "xyz"[a:a+1]})
			case low == high:
				list = append(list, standingSound{float64(n) * turn / 2, between})
			default:
				list = append(list, standingSound{float64(2*n-1) * turn / 4, between})
			}
		}
	}
	return list
}

// nearSound returns the mode nearest to a frequency per step, if one is nearer than the tolerance.
func nearSound(c *config.Case, frequency, tolerance float64) (near standingSound, found bool) {
	for _, s := range standing(c) {
		if off := math.Abs(s.frequency - frequency); off <= tolerance {
			near, tolerance, found = s, off, true
		}
	}
	return near, found
}
