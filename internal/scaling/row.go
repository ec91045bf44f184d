// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package scaling

import (
	"slices"

	"lbmsim/device/bench"
	"lbmsim/sim"
)

// Row is one measured size on one number of ranks. Medians over the turns; times are
// seconds a step, mean over the ranks.
type Row struct {
	Part      string `json:"part"` // "scaling"
	Kind      string `json:"kind"`
	Version   string `json:"version"`
	Device    string `json:"device"` // of rank 0
	MPI       string `json:"mpi"`
	Case      string `json:"case"`      // lattice, model, precision
	Transport string `json:"transport"` // as requested
	Way       string `json:"way"`       // the transport's own description, on rank 0
	Ranks     int    `json:"ranks"`
	Nodes     int    `json:"nodes"`             // that these ranks are on
	Size      [3]int `json:"size"`              // cells of all ranks together
	Parts     [3]int `json:"parts"`             // that they are cut into
	Skipped   string `json:"skipped,omitempty"` // why there are no figures

	Figures
}

// Figures are the measured numbers; zero in a row that was skipped.
type Figures struct {
	Steps          int     `json:"steps"` // a turn
	MLUPS          float64 `json:"mlups"`
	Low            float64 `json:"low"` // the slowest and the fastest turn
	High           float64 `json:"high"`
	Efficiency     float64 `json:"efficiency"` // speed by the speed of one rank in the same turn, by the number of ranks
	EffLow         float64 `json:"efficiency_low"`
	EffHigh        float64 `json:"efficiency_high"`
	Alone          float64 `json:"alone"` // MLUPS of the one rank beside it
	Step           float64 `json:"step"`
	Compute        float64 `json:"compute"`
	Exposed        float64 `json:"exposed"`
	Hidden         float64 `json:"hidden"`
	Imbalance      float64 `json:"imbalance"`
	Bytes          float64 `json:"bytes"`    // sent per rank and step
	Verified       string  `json:"verified"` // hash of the state that was compared
	VerifiedSize   [3]int  `json:"verified_size"`
	KernelsDiffer  float64 `json:"kernels_differ"` // from the float64 oracle, the largest velocity component
	TurnsMeasured  int     `json:"turns_measured"`
	SecondsMeasure float64 `json:"seconds_measured"` // of all turns of this row
}

// timing is one turn.
type timing struct {
	sim.Turn
	ranks int
	cells float64
}

func count(n [3]int) float64 { return float64(n[0]) * float64(n[1]) * float64(n[2]) }

// rate in MLUPS.
func (t timing) rate() float64 { return t.cells * float64(t.Steps) / t.Seconds / 1e6 }

// turns of one contender.
type turns []timing

// of returns one value per turn.
func (t turns) of(what func(timing) float64) []float64 {
	var list []float64
	for _, x := range t {
		list = append(list, what(x))
	}
	return list
}

// step returns the median over the turns of a time per step.
func (t turns) step(what func(timing) float64) float64 {
	return bench.Median(t.of(func(x timing) float64 { return what(x) / float64(x.Steps) }))
}

// fill summarizes turns, beside the turns of one rank that they alternated with.
func (r *Row) fill(own, alone turns) {
	rates := own.of(timing.rate)
	r.Steps, r.TurnsMeasured = own[0].Steps, len(own)
	r.MLUPS, r.Low, r.High = bench.Median(rates), slices.Min(rates), slices.Max(rates)
	r.Alone = bench.Median(alone.of(timing.rate))
	var shares []float64
	for i, t := range own {
		shares = append(shares, t.rate()/alone[i].rate()/float64(t.ranks))
	}
	r.Efficiency, r.EffLow, r.EffHigh = bench.Median(shares), slices.Min(shares), slices.Max(shares)
	r.Step = own.step(func(t timing) float64 { return t.Seconds })
	r.Compute = own.step(func(t timing) float64 { return t.Compute })
	r.Exposed = own.step(func(t timing) float64 { return t.Exposed })
	r.Hidden = own.step(func(t timing) float64 { return t.Hidden })
	r.Imbalance = bench.Median(own.of(func(t timing) float64 { return t.Imbalance }))
	r.Bytes = bench.Median(own.of(func(t timing) float64 { return t.Bytes }))
	for _, t := range own {
		r.SecondsMeasure += t.Seconds
	}
}
