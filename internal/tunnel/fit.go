package tunnel

import (
	"errors"
	"fmt"
	"math"
)

// Limits of the cells along the body where a time is given. With fewer than the least a drag is a guess.
const (
	LeastTimed = 40
	mostTimed  = 4000
	timedStep  = 4 // between numbers of cells that are tried
)

// computing is the share of a run's time that its steps take; start and outputs take the rest.
const computing = 0.9

// Steps returns the steps of level 0 in the longest run of the plan.
func (p *Plan) Steps() float64 { return p.End * p.Speed / (lattice * p.Spacing) }

// Updates returns the updates of cells in the longest run of the plan: of each level those that no finer one covers.
func (p *Plan) Updates() float64 {
	perStep := 0.0
	for level := range p.Levels + 1 {
		spacing := math.Ldexp(p.Spacing, -level)
		volume := func(level int) float64 {
			lo, hi := p.Lo, p.Hi
			if level > p.Levels {
				return 0
			}
			if level > 0 {
				lo, hi = p.Boxes[level-1].Lo, p.Boxes[level-1].Hi
			}
			return (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2])
		}
		perStep += math.Ldexp((volume(level)-volume(level+1))/(spacing*spacing*spacing), level)
	}
	return perStep * p.Steps()
}

// Timed is a number of cells along the body that a time allows.
type Timed struct {
	Cells   int
	Seconds float64 // of the longest runs on all grids
}

// Fit returns the most cells along the body with which runs on so many grids, each coarser by a ratio, take no longer than a time
// on a machine of this speed, in updates of cells per second. The time is the longest: most runs end as soon as the drag is known.
func Fit(b Body, w Wanted, grids int, ratio, seconds, speed float64) (Timed, error) {
	if !(speed > 0) || math.IsInf(speed, 0) {
		return Timed{}, errors.New("the speed of the machine is not known")
	}
	takes := func(cells int) (t Timed, err error) {
		t.Cells = cells
		for k := range grids {
			at := w
			at.Cells = int(math.Round(float64(cells) / math.Pow(ratio, float64(k))))
			p, err := New(b, at)
			if err != nil {
				return t, err
			}
			t.Seconds += p.Updates() / speed / computing
		}
		return t, nil
	}
	least, err := takes(LeastTimed)
	if err != nil {
		return Timed{}, err
	}
	if least.Seconds > seconds {
		return Timed{}, fmt.Errorf("--time %s: %d cells along the body, the fewest that are worth a run, take up to %s at the %.3g million updates per second that were measured; give at least this time, more ranks, or --cells",
			Duration(seconds), LeastTimed, Duration(least.Seconds), speed/1e6)
	}
	best := least
	for cells := LeastTimed + timedStep; cells <= mostTimed; cells += timedStep { // a further level may make more cells take less
		now, err := takes(cells)
		if err != nil {
			return Timed{}, err
		}
		if now.Seconds <= seconds {
			best = now
		}
	}
	return best, nil
}

// Duration writes a time for people.
func Duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.3g min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.3g h", seconds/3600)
	}
	return fmt.Sprintf("%.3g days", seconds/86400)
}
