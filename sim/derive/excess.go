package derive

import (
	"math"

	"lbmsim/comm"
	"lbmsim/config"
)

// Excess is the temperature that is farthest beyond the bounds of the case (config.Bounds).
type Excess struct {
	Beyond float64 // by so much; 0: none is
	Above  bool    // the larger one, otherwise below the smaller one
	At     [3]int  // the first such cell, global
}

// row checks the fluid cells of a row, which begins at a cell.
func (e *Excess) row(theta []float64, types []uint8, b *config.Bounds, at [3]int) {
	for x, t := range types {
		if t != 0 {
			continue
		}
		v := theta[x]
		if d := math.Max(b.Lo-v, v-b.Hi); d > e.Beyond { // false for NaN, which is trouble in any case
			e.Beyond, e.Above = d, v > b.Hi
			e.At = [3]int{at[0] + x, at[1], at[2]}
		}
	}
}

// farthest returns the largest excess over the planes of all ranks, in local coordinates where it is; of equal ones the
// first of the domain, so that no cut changes it. Collective.
func (v View) farthest(planes []Excess) (e Excess, err error) {
	if v.Case.Temperature.Bounds == nil {
		return e, nil
	}
	for _, p := range planes {
		if p.Beyond > e.Beyond {
			e = p
		}
	}
	// A non-negative float keeps its order as bits.
	most := []int64{int64(math.Float64bits(e.Beyond))}
	if err = comm.Max(v.Rank.Comm, most); err != nil || most[0] == 0 {
		return Excess{}, err
	}
	n, place := v.Case.Cells, []int64{0}
	if most[0] == int64(math.Float64bits(e.Beyond)) {
		at := v.Part.Global(e.At)
		place[0] = 2 * int64(v.Case.Box().Cells()-((at[2]*n[1]+at[1])*n[0]+at[0]))
		if e.Above {
			place[0]++
		}
	}
	if err = comm.Max(v.Rank.Comm, place); err != nil {
		return Excess{}, err
	}
	first := v.Case.Box().Cells() - int(place[0]/2)
	return Excess{
		Beyond: math.Float64frombits(uint64(most[0])), Above: place[0]%2 == 1,
		At: [3]int{first % n[0], first / n[0] % n[1], first / n[0] / n[1]},
	}, nil
}
