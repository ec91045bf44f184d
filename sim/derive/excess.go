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
	At     [3]int  // the first such cell, in cells of its level from the domain's lower corner
	Level  int
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

// farthest returns the largest of the excesses of all ranks' planes; of equal ones the first of the coarsest level, so that no cut
// changes it. Collective.
func (v View) farthest(planes []Excess) (e Excess, err error) {
	if v.Case.Temperature.Bounds == nil {
		return e, nil
	}
	for _, p := range planes {
		if p.Beyond > e.Beyond || p.Beyond > 0 && p.Beyond == e.Beyond && v.number(p) < v.number(e) {
			e = p
		}
	}
	// A non-negative float keeps its order as bits.
	most := []int64{int64(math.Float64bits(e.Beyond))}
	if err = comm.Max(v.Rank.Comm, most); err != nil || most[0] == 0 {
		return Excess{}, err
	}
	levels := v.levels()
	end, place := v.number(Excess{Level: len(levels)}), []int64{0}
	if most[0] == int64(math.Float64bits(e.Beyond)) {
		place[0] = 2 * (end - v.number(e))
		if e.Above {
			place[0]++
		}
	}
	if err = comm.Max(v.Rank.Comm, place); err != nil {
		return Excess{}, err
	}
	e = Excess{Beyond: math.Float64frombits(uint64(most[0])), Above: place[0]%2 == 1}
	number := end - place[0]/2
	for e.Level = len(levels) - 1; number < v.number(Excess{Level: e.Level}); e.Level-- {
	}
	first, n := int(number-v.number(Excess{Level: e.Level})), levels[e.Level]
	e.At = [3]int{first % n[0], first / n[0] % n[1], first / n[0] / n[1]}
	return e, nil
}

// levels returns the domain's cells at the spacing of each level.
func (v View) levels() (list [][3]int) {
	if v.Refined == nil {
		return [][3]int{v.Case.Cells}
	}
	for _, l := range v.Refined.Hierarchy.Levels {
		list = append(list, l.N)
	}
	return list
}

// number returns the place of an excess's cell in the order of all cells, level by level.
func (v View) number(e Excess) int64 {
	before, levels := int64(0), v.levels()
	for _, n := range levels[:e.Level] {
		before += int64(n[0]) * int64(n[1]) * int64(n[2])
	}
	if e.Level == len(levels) {
		return before
	}
	n := levels[e.Level]
	return before + (int64(e.At[2])*int64(n[1])+int64(e.At[1]))*int64(n[0]) + int64(e.At[0])
}
