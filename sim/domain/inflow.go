// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package domain

import (
	"encoding/binary"
	"math"

	"lbmsim/boundary"
	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/geometry"
	"lbmsim/sim/rank"
)

// Turbulence of velocity faces (boundary.Turbulence).

// inlet is a velocity face with turbulence, in global cells.
type inlet struct {
	config.Face
	u, v   int // the axes along it
	lo, hi [3]int
	mine   func(cell [3]int) bool
	mean   boundary.Motion
	gain   func(p [3]float64) float64
}

func (p *Part) inlet(i int) inlet {
	b := p.Case.Boundaries[i]
	f := inlet{Face: b.Faces[0], mean: mean(b), gain: p.tables.gain(p.Case, b)}
	f.u, f.v = geometry.Along(f.Axis)
	f.lo, f.hi, f.mine = p.Case.PartOf(i, f.Face, p.Case.Cells)
	for _, cell := range []*int{&f.lo[f.Axis], &f.hi[f.Axis]} {
		*cell = f.Side * (p.Case.Cells[f.Axis] - 1) // of the cells beside it
	}
	f.hi[f.Axis]++
	return f
}

// sheet returns the cells of a box that lie beside the face.
func (f inlet) sheet(lo, hi [3]int) boundary.Sheet {
	s := boundary.Sheet{Axis: f.Axis, U: f.u, V: f.v, At: float64(f.lo[f.Axis] + f.Side)}
	if lo[f.Axis] > f.lo[f.Axis] || hi[f.Axis] <= f.lo[f.Axis] {
		return s
	}
	for k, a := range []int{f.u, f.v} {
		from, to := max(lo[a], f.lo[a]), min(hi[a], f.hi[a])
		s.First[k], s.N[k] = from, max(to-from, 0)
	}
	return s
}

// passing returns the mean velocity at a position on the face, and the face's factor for it; 0 outside its part.
func (f inlet) passing(p [3]float64) (u [3]float64, factor float64) {
	if !f.mine(f.cell(p)) {
		return u, 0
	}
	if factor = 1; f.gain != nil {
		factor = f.gain(p)
	}
	return f.mean.At(p, 0), factor
}

// cell returns the cell beside a place of the face.
func (f inlet) cell(p [3]float64) (cell [3]int) {
	cell[f.Axis], cell[f.u], cell[f.v] = f.lo[f.Axis], int(p[f.u]), int(p[f.v])
	return cell
}

// inflow returns the turbulence of boundary i. The convection velocity of its waves is the mean velocity of the face, with
// its profile.
func (p *Part) inflow(i int) *boundary.Turbulence {
	if known := p.tables.inflows[i]; known != nil {
		return known
	}
	b, f := p.Case.Boundaries[i], p.inlet(i)
	// Ghost cells of this rank need it, too.
	lo, hi := p.Box.Lo, p.Box.Hi
	for a := range lo {
		lo[a], hi[a] = lo[a]-1, hi[a]+1
	}
	if p.tables.inflows == nil {
		p.tables.inflows = map[int]*boundary.Turbulence{}
	}
	var modes []boundary.Mode
	if p.whole != nil { // waves are the same on all levels
		modes = boundary.FinerModes(p.whole.inflow(i).Modes, math.Pow(0.5, float64(p.level)))
	} else {
		modes = f.draw(b.Inflow.Spectrum)
	}
	t := boundary.NewTurbulence(modes, f.sheet(lo, hi), b.Inflow.RMS, b.Inflow.Code)
	p.tables.inflows[i] = t
	return t
}

// draw returns waves convected by the mean velocity of the face.
func (f inlet) draw(spectrum boundary.Spectrum) []boundary.Mode {
	cells := 0.0
	var at [3]float64
	at[f.Axis] = float64(f.lo[f.Axis] + f.Side)
	for j := f.lo[f.v]; j < f.hi[f.v]; j++ {
		for k := f.lo[f.u]; k < f.hi[f.u]; k++ {
			at[f.u], at[f.v] = float64(k)+0.5, float64(j)+0.5
			u, factor := f.passing(at)
			if factor == 0 {
				continue
			}
			cells++
			for a := range u {
				spectrum.Mean[a] += u[a] * factor
			}
		}
	}
	for a := range spectrum.Mean {
		spectrum.Mean[a] /= max(cells, 1)
	}
	return spectrum.Draw()
}

// BalanceInflows makes the flux through faces with turbulence constant. Bodies cover cells, of which each rank knows its
// own. Collective; parts of patches have BalanceLevels instead.
func (p *Part) BalanceInflows(on *rank.Rank) error {
	if p.whole != nil {
		return nil
	}
	return BalanceLevels(on, p, [][]*Part{{p}}, func(*Part, [3]int) bool { return true })
}

// BalanceLevels does so on a refined grid, for the rank's parts level by level: sums are over the finest cells, by area.
// Collective.
func BalanceLevels(on *rank.Rank, whole *Part, levels [][]*Part, counts func(p *Part, local [3]int) bool) error {
	for i, b := range whole.Case.Boundaries {
		if b.Inflow == nil {
			continue
		}
		modes, f := len(whole.inflow(i).Modes), whole.inlet(i)
		dims, finest := whole.Case.Dims(), len(levels)-1
		cells := ((f.hi[f.u] - f.lo[f.u]) * (f.hi[f.v] - f.lo[f.v])) << (finest * (dims - 1)) // of the finest level, for all of them
		total := make([]int64, 2*modes+1)
		for l, parts := range levels {
			sums := make([]int64, len(total))
			for _, p := range parts {
				for k, v := range weigh(p, i, cells, counts) {
					sums[k] += v
				}
			}
			sums, err := whole.AddUp(on, sums)
			if err != nil {
				return err
			}
			for k, v := range sums {
				total[k] += v << ((finest - l) * (dims - 1))
			}
		}
		for _, parts := range levels {
			for _, p := range parts {
				p.inflow(i).Balance(total)
			}
		}
	}
	return nil
}

// weigh sums the flux of boundary i's waves through the part's counted cells (boundary.Turbulence).
func weigh(p *Part, i, cells int, counts func(p *Part, local [3]int) bool) []int64 {
	f, rms := p.inlet(i), p.Case.Boundaries[i].Inflow.RMS
	return p.inflow(i).Weigh(cells, func(at [3]float64) float64 {
		x := f.cell(at)
		for a := range x {
			if x[a] -= p.Box.Lo[a]; x[a] < 0 || x[a] >= p.Layout.N[a] {
				return 0
			}
		}
		if p.Cells.At(x[0], x[1], x[2]) != 0 || !counts(p, x) {
			return 0
		}
		u, factor := f.passing(at)
		return rms(at, length(u)) * factor
	})
}

// AddUp returns the sum of the lists of all ranks on every rank. Collective.
func (p *Part) AddUp(on *rank.Rank, list []int64) ([]int64, error) {
	bytes, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		return nil, err
	}
	parts, err := comm.Gather(on.Comm, bytes)
	if err != nil {
		return nil, err
	}
	own := make([]int64, len(list))
	clear(list)
	for _, part := range parts {
		if _, err := binary.Decode(part, binary.LittleEndian, own); err != nil {
			return nil, err
		}
		for k, v := range own {
			list[k] += v
		}
	}
	if bytes, err = binary.Append(bytes[:0], binary.LittleEndian, list); err != nil {
		return nil, err
	}
	if bytes, err = comm.Broadcast(on.Comm, bytes); err != nil {
		return nil, err
	}
	_, err = binary.Decode(bytes, binary.LittleEndian, list)
	return list, err
}
