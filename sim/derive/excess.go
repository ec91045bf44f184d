// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package derive

import (
	"math"

	"lbmsim/comm"
	"lbmsim/config"
)

// Excess is the temperature that is farthest beyond the bounds of the case (config.Bounds).
type Excess struct {
	Beyond float64 // excess; 0: no temperature is beyond
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
	order := orderOf(v)
	for _, p := range planes {
		if p.Beyond > e.Beyond || p.Beyond > 0 && p.Beyond == e.Beyond && order.number(p) < order.number(e) {
			e = p
		}
	}
	// A non-negative float keeps its order as bits.
	most := []int64{int64(math.Float64bits(e.Beyond))}
	if err = comm.Max(v.Rank.Comm, most); err != nil || most[0] == 0 {
		return Excess{}, err
	}
	end, place := order.before(len(order)), []int64{0}
	if most[0] == int64(math.Float64bits(e.Beyond)) {
		place[0] = 2 * (end - order.number(e))
		if e.Above {
			place[0]++
		}
	}
	if err = comm.Max(v.Rank.Comm, place); err != nil {
		return Excess{}, err
	}
	e = order.at(end - place[0]/2)
	e.Beyond, e.Above = math.Float64frombits(uint64(most[0])), place[0]%2 == 1
	return e, nil
}

// order numbers the cells of a domain, level by level, by the domain's cells at the spacing of each.
type order [][3]int

func orderOf(v View) (o order) {
	if v.Refined == nil {
		return order{v.Case.Cells}
	}
	for _, l := range v.Refined.Hierarchy.Levels {
		o = append(o, l.N)
	}
	return o
}

// before returns the number of the first cell of a level.
func (o order) before(level int) (number int64) {
	for _, n := range o[:level] {
		number += int64(n[0]) * int64(n[1]) * int64(n[2])
	}
	return number
}

// number returns the number of an excess's cell, at the inverse.
func (o order) number(e Excess) int64 {
	n := o[e.Level]
	return o.before(e.Level) + (int64(e.At[2])*int64(n[1])+int64(e.At[1]))*int64(n[0]) + int64(e.At[0])
}

func (o order) at(number int64) (e Excess) {
	for e.Level = len(o) - 1; number < o.before(e.Level); {
		e.Level--
	}
	n, k := o[e.Level], int(number-o.before(e.Level))
	e.At = [3]int{k % n[0], k / n[0] % n[1], k / n[0] / n[1]}
	return e
}
