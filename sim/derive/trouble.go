package derive

import (
	"math"

	"lbmsim/device"
	"lbmsim/model"
)

// SoundSpeed in lattice units.
var SoundSpeed = math.Sqrt(model.CS2)

// MaxSpeed returns [run] max_mach as a speed in lattice units.
func (v View) MaxSpeed() float64 { return v.Case.Run.MaxMach * SoundSpeed }

// Bad reports whether a plane has a value that is not finite, or too high a speed.
func (v View) Bad(p device.Plane) bool { return p.Bad > 0 || p.MaxSpeed > v.MaxSpeed() }

// FirstBad returns the first bad cell of plane k of this rank, local.
func (v View) FirstBad(k int, p device.Plane) ([3]int, error) {
	box := v.Part.Plane(k)
	values, err := v.Present()(box, nil)
	nx, stored, dims := v.Part.Layout.N[0], v.Case.Spec.FieldValues(), v.Case.Dims()
	for row := 0; err == nil && row < len(values)/(nx*stored); row++ {
		for x := range nx {
			sum, speed := 0.0, 0.0
			for c := range stored {
				u := values[(row*stored+c)*nx+x]
				if sum += u; 1 <= c && c <= dims {
					speed += u * u
				}
			}
			if Finite(sum) != sum || math.Sqrt(speed) > v.MaxSpeed() {
				at := box.Lo
				at[0] = x
				if v.Part.Layout.Axis() == 2 {
					at[1] = row
				}
				return at, nil
			}
		}
	}
	if p.Bad > 0 { // in what the fields do not show
		return p.BadAt, err
	}
	return p.MaxAt, err
}
