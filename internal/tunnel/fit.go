// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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
	Limit   string  // the limiting resource
}

// Memory is the need of a rank and the free memory where memory is scarcest.
type Memory struct{ Need, Free int64 } // bytes; Free is 0 where it is unknown

func (m Memory) fits() bool { return m.Free == 0 || m.Need <= m.Free }

// Tighter reports whether its margin is smaller than another's.
func (m Memory) Tighter(than Memory) bool {
	share := func(m Memory) float64 {
		if m.Free == 0 {
			return 0
		}
		return float64(m.Need) / float64(m.Free)
	}
	return share(m) > share(than)
}

func (m Memory) text() string {
	const gib = 1 << 30
	return fmt.Sprintf("%.3g GiB of memory on a rank, which has %.3g GiB", float64(m.Need)/gib, float64(m.Free)/gib)
}

// Fit returns the most cells along the body with which runs on so many grids, each coarser by a ratio, take no longer than a time
// on a machine of this speed, in updates of cells per second, and whose finest plan has the memory that it needs. The time is the
// longest: most runs end as soon as the drag is known.
func Fit(b Body, w Wanted, grids int, ratio, seconds, speed float64, memory func(*Plan) (Memory, error)) (Timed, error) {
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
	inTime := []Timed{least}
	for cells := LeastTimed + timedStep; cells <= mostTimed; cells += timedStep { // a further level may make more cells take less
		now, err := takes(cells)
		if err != nil {
			return Timed{}, err
		}
		if now.Seconds <= seconds {
			inTime = append(inTime, now)
		}
	}
	limit := "the time allows no more"
	if inTime[len(inTime)-1].Cells == mostTimed {
		limit = "--time chooses no more"
	}
	return inMemory(b, w, inTime, limit, memory)
}

// inMemory returns the most cells of a list for which there is memory.
func inMemory(b Body, w Wanted, list []Timed, limit string, memory func(*Plan) (Memory, error)) (Timed, error) {
	var refused error
	for k := len(list) - 1; k >= 0; {
		at := w
		at.Cells = list[k].Cells
		p, err := New(b, at)
		if err != nil {
			return Timed{}, err
		}
		m, err := memory(p)
		switch {
		case err != nil: // a domain of too many cells
			limit, refused = "the case allows no more", err
			k--
		case !m.fits():
			limit, refused = fmt.Sprintf("%d need %s", at.Cells, m.text()), fmt.Errorf("%d cells along the body need %s: use more ranks or nodes", at.Cells, m.text())
			// The need grows at most as the number of cells: of fewer, none above this one fits.
			most := float64(at.Cells) * math.Cbrt(float64(m.Free)/float64(m.Need))
			for k--; k > 0 && float64(list[k].Cells) > most; {
				k--
			}
		default:
			list[k].Limit = limit
			return list[k], nil
		}
	}
	return Timed{}, fmt.Errorf("--time: not even the fewest cells that are worth a run are possible: %w", refused)
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
