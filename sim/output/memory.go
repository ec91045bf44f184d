// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"os"
	"path/filepath"

	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/sim/derive"
)

// Memory is the checkpoint's record beside the state, so that a restarted run
// ends like one that was never stopped.
type Memory struct {
	Start derive.Totals // of the initial state: the mass is compared with it
	// GridScale is the share of its kinetic energy at the scale of the grid.
	GridScale float64 `json:",omitempty"`
	// Fastest is the largest speed that the watch has seen.
	Fastest float64                `json:",omitempty"`
	Probes  map[string]int64       // length of each file of rows at this step
	Forces  map[string]forceMemory `json:",omitempty"`
	// Loads of the step that led here, of each type that is measured: for the force at this step.
	Loads map[int]device.Load `json:",omitempty"`
	// Drive is the force that keeps a mean velocity.
	Drive *Drive `json:",omitempty"`
	// Walls with a model.
	Walls    *WallTuning                                 `json:",omitempty"`
	Profiles map[string]statisticMemory[config.Profile]  `json:",omitempty"`
	Spectra  map[string]statisticMemory[config.Spectrum] `json:",omitempty"`
	// Means on surfaces, whose sums are in files beside the checkpoint.
	Surfaces map[string]surfaceMemory `json:",omitempty"`
	// AveragesFrom is the first step after the last order to restart averages.
	AveragesFrom int `json:",omitempty"`
	// Averages over time, whose sums are in a file beside the checkpoint.
	Averages *averageMemory `json:",omitempty"`
	// Provenance of the state.
	Provenance Provenance
}

// recalls keeps a warning of the checkpoint until all is recalled.
func (r *Run) recalls(format string, args ...any) {
	if r.Rank.Root {
		r.recalled = append(r.recalled, finding.TableRestarted.Says(format, args...))
	}
}

// startsLate warns of statistics that should have samples by now but have none in the checkpoint.
func (r *Run) startsLate(head string, sample config.Schedule) {
	if due := sample.Next(max(r.averagesFrom-1, 0)); due <= r.Step() {
		r.recalls("%s: its first sample was due at step %d, but the checkpoint of step %d has no samples: sampling starts at step %d", head, due, r.Step(), sample.Next(r.Step()))
	}
}

// mixes warns of samples whose spacing differs from the checkpoint's, was steps; 0: written by an older version, unknown.
func (r *Run) mixes(head string, was float64, sample config.Schedule) {
	if was > 0 && sample.Period > 0 && was != sample.Period {
		r.recalls("%s: samples in the checkpoint are %.5g steps apart, new samples %.5g: averages weight all samples equally, and intervals assume equal spacing",
			head, was, sample.Period)
	}
}

// vacate removes a checkpoint of the step that is about to be written, on rank 0. The run that wrote it went further than this one
// resumed from, because a file beside it was damaged. With the new file beside it, named first, it would be complete for a moment, ahead
// of files that this run has yet to name. The checkpoint that the run resumed from has the same state, and may be the only one.
func (r *Run) vacate(path, resumed string) {
	if r.Rank.Root && filepath.Clean(resumed) != filepath.Clean(path) {
		_ = os.Remove(path) // it is not there, or is replaced all the same
	}
}

// Drive is the body force that keeps a mean velocity, in lattice units.
type Drive struct {
	Force [3]float64 // of the last adjustment
	Speed [3]float64 // then: sum(j)/sum(rho), without the half of the force that belongs to the velocity
	Known bool
}

// WallTuning holds the corrections of walls with a model: factors of each group of walls; the density of ghost cells in closed boxes, and
// the mass per area that was in excess at the last correction; the density of each body's ghost cells in open domains, by type.
type WallTuning struct {
	Groups      []WallFactor
	Of          []int `json:",omitempty"` // group of each type of wall; nil: stored by a version that recorded the number of groups alone
	Eps, Excess float64
	Densities   []float64 `json:",omitempty"`
}

// WallFactor is the factor of the slope of the velocity at a wall with a model, and the means of the momentum that its links
// exchange and of the law's, per step, in lattice units.
type WallFactor struct{ Factor, Exchanged, Law float64 }
