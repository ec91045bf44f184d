// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/comm"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/sim/domain"
	"lbmsim/sim/level"
	"lbmsim/sim/output"
	"lbmsim/sim/watch"
)

// friction corrects walls with a model by slow feedback. A factor multiplies the slope of the velocity at ghost cells, so
// that links exchange the momentum of the law: otherwise stairs of cells exchange up to 5 % more, and pipes of 10 and 20
// cells radius 18 and 10 %. A density conserves the mass: in closed boxes of the fluid, in open domains of each body's
// exchange. Sums are integers and the corrections have one order, so that they do not depend on the decomposition.
//
// Bodies at rest with one law share a factor, and so do moving bodies: the momentum of a part of a plane, unlike the whole
// plane's, depends on where stairs of cells are cut off. If pressure dominates the momentum, on bodies, the factor stays 1.
// So does the factor of faces: it does not change their exchange, and would creep to its bound wherever the momentum
// is off by some percent, as on a road that moves with the stream, where only a body above it causes a momentum. On refined
// grids faces have no means either: where boxes end on them, the momentum of their links by cells is off by some percent.
type friction struct {
	*stepper
	watch  *watch.Watch
	bodies []bool // of each group: whether it has bodies
	output.WallTuning
}

// The walls are corrected every frictionEvery steps, a number that recordings have (recorded). A factor follows the deficit of
// the exchanged momentum, relative to the law, as means over frictionMean steps. The exchange responds at once, so only the mean
// limits the gain. The tolerance and the relaxation back to 1 keep it from creeping.
const (
	frictionEvery           = 64
	frictionMean            = 1000
	frictionGain            = 5e-4 // per step
	frictionLeak            = frictionGain / 50
	frictionTolerance       = 0.005
	leastFactor, mostFactor = 0.7, 1.3
	leastShare, mostShare   = 0.6, 1.6 // of the law's momentum: beyond them the exchange is not friction
	massGain                = 0.75     // fraction of the error that a correction removes by the next one
	bodyGain                = 0.1      // of a body's exchange, which fluctuates with the flow
	mostDensity             = 0.01     // of a body's ghost cells
)

// correct sets the corrections of the coming steps when due. Collective.
func (f *friction) correct() error {
	if len(f.Of) == 0 || f.Step()%frictionEvery != 0 {
		return nil
	}
	if err := (state{f.stepper}).Fill(); err != nil {
		return err
	}
	mine := make([][]device.WallMomentum, f.depth()) // by level
	for k := range mine {
		mine[k] = make([]device.WallMomentum, len(f.Of))
	}
	for _, l := range f.walls() {
		if err := f.momentum(l, mine[domain.LevelOf(l.Part)]); err != nil {
			return err
		}
	}
	sums, err := f.sum(mine)
	if err != nil {
		return fmt.Errorf("rank %d: momentum at walls at step %d: %w", f.Rank.ID, f.Step(), err)
	}
	var all device.WallMomentum
	groups := make([]device.WallMomentum, len(f.Groups))
	for k, m := range sums {
		all.Add(m)
		if f.grid == nil || k >= f.level.Part.Faces() {
			groups[f.Of[k]].Add(m)
		}
	}
	for i, m := range groups {
		correctFactor(&f.Groups[i], m, f.bodies[i])
	}
	if f.Case.Sealed() {
		if err := f.keepMass(float64(all.Area) / device.WallAreaUnits); err != nil {
			return err
		}
	} else {
		f.closeBodies(sums)
	}
	return f.set()
}

// momentum adds the exchange of a level's wall links in its coming step.
func (f *friction) momentum(l *level.Level, sums []device.WallMomentum) error {
	if err := l.Sync(); err != nil {
		return err
	}
	if err := level.Present(l); err != nil {
		return fmt.Errorf("rank %d: forces and walls at step %d: %w", f.Rank.ID, f.Step(), err)
	}
	if err := l.Sync(); err != nil {
		return err
	}
	list, err := level.Walls(l).WallMomentum(l.State[0], l.Params)
	if err != nil {
		return fmt.Errorf("rank %d: momentum at walls at step %d: %w", f.Rank.ID, f.Step(), err)
	}
	for k, m := range list {
		sums[k].Add(m)
	}
	return nil
}

// correctFactor updates the factor of walls from their momentum in the coming step. While most of the adjacent flow is laminar,
// the means are kept. Momentum far from the law's, at the start of a run, counts in part. Walls made of faces alone have means,
// and the factor 1.
func correctFactor(w *output.WallFactor, m device.WallMomentum, bodies bool) {
	missing := 0.0
	if law := float64(m.Law) / device.ForceUnits; law > 0 && 2*m.Law > m.All {
		const part = float64(frictionEvery) / frictionMean
		if w.Law == 0 {
			w.Exchanged, w.Law = law, law
		}
		w.Exchanged += part * (min(max(float64(m.Exchanged)/device.ForceUnits, 0), 2*law) - w.Exchanged)
		w.Law += part * (law - w.Law)
		if share := w.Exchanged / w.Law; share < leastShare || share > mostShare {
			missing = 1 - w.Factor
		} else {
			missing = 1 - share - min(max(1-share, -frictionTolerance), frictionTolerance)
		}
	}
	if !bodies {
		w.Factor = 1
		return
	}
	w.Factor += frictionEvery * (frictionGain*missing + frictionLeak*(1-w.Factor))
	w.Factor = min(max(w.Factor, leastFactor), mostFactor)
}

// closeBodies corrects the density of each body's ghost cells so that no mass enters or leaves the fluid: a sixth of it enters per step and
// cell of the area. Planes along the grid pass no mass half-way between ghost and fluid cells, up to half a cell from their places, and the staircases
// of other surfaces are at theirs in the mean. The flow between the two enters or leaves where they meet: half an Ahmed body
// of 120 cells was a source of 2.1 % of what crosses its front.
//
// It acts where the model applies. Bodies without a law of the wall have none, and those with mostly laminar flow keep theirs. A cavity within a body
// fills or empties by boundary.MostFilled at most.
func (f *friction) closeBodies(sums []device.WallMomentum) {
	for k := f.level.Part.Faces(); k < len(sums); k++ {
		if m := sums[k]; m.Law > 0 && 2*m.Law > m.All {
			area := float64(m.Area) / device.WallAreaUnits
			density := f.Densities[k] - 6*bodyGain*float64(m.Passed)/device.ForceUnits/area
			f.Densities[k] = min(max(density, -mostDensity), mostDensity)
		}
	}
}

// keepMass corrects the density of all ghost cells in a closed box, likewise. It is a PI
// control of the excess mass, so a steady leak leaves no error. Collective.
func (f *friction) keepMass(area float64) error {
	if area == 0 {
		return nil
	}
	t, err := f.watch.Totals()
	if err != nil {
		return fmt.Errorf("rank %d: mass at step %d: %w", f.Rank.ID, f.Step(), err)
	}
	excess := (t.Mass - f.watch.Start.Mass) / area // on rank 0
	eps := f.Eps - 6*massGain/frictionEvery*(1.5*excess-f.Excess)
	message, err := comm.Broadcast(f.Rank.Comm, comm.Float64Bytes([]float64{eps, excess}))
	if err == nil {
		f.Eps, f.Excess = comm.Float64At(message, 0), comm.Float64At(message, 1)
	}
	return err
}

// sum adds the contributions of ranks and levels to each wall, on all ranks, in cells and steps of level 0.
// Collective.
func (f *friction) sum(mine [][]device.WallMomentum) ([]device.WallMomentum, error) {
	var numbers []int64
	for _, level := range mine {
		for _, m := range level {
			numbers = append(numbers, m.Exchanged, m.Law, m.All, m.Area, m.Passed)
		}
	}
	numbers, err := f.level.Part.AddUp(f.Rank, numbers)
	if err != nil {
		return nil, err
	}
	all := make([]device.WallMomentum, len(f.Of))
	for level := range mine {
		for k := range all {
			n := numbers[5*(level*len(all)+k):][:5]
			for i, v := range n { // as derive.WallSum
				n[i] = int64(math.RoundToEven(math.Ldexp(float64(v), -2*level)))
			}
			all[k].Add(device.WallMomentum{Exchanged: n[0], Law: n[1], All: n[2], Area: n[3], Passed: n[4]})
		}
	}
	return all, nil
}

// recall continues with the corrections of a checkpoint, of the same groups of walls; nil: no corrections yet.
func (f *friction) recall(m *output.WallTuning) error {
	if len(f.view().Modelled()) == 0 && level.Walls(f.level) == nil {
		return nil
	}
	if f.Of, f.bodies = domain.WallGroups(f.level.Part); m == nil {
		m = &output.WallTuning{Groups: slices.Repeat([]output.WallFactor{{Factor: 1}}, len(f.bodies)), Densities: make([]float64, len(f.Of))}
	}
	f.Groups, f.Eps, f.Excess, f.Densities = slices.Clone(m.Groups), m.Eps, m.Excess, slices.Clone(m.Densities)
	return f.set()
}

// resume continues with the corrections of a checkpoint, perhaps of a version with other groups of walls, or without densities: what it
// lacks starts over, with a warning. Faces have the factor 1 in any case.
func (f *friction) resume(m *output.WallTuning) error {
	if len(f.Of) == 0 {
		return nil
	}
	if m == nil {
		m = new(output.WallTuning)
	}
	of := m.Of
	if of == nil && len(m.Groups) == len(f.Groups) { // earlier groups were unions of these: as many are the same
		of = f.Of
	}
	next := f.memory() // as at the start of a run
	next.Eps, next.Excess = m.Eps, m.Excess
	copy(next.Densities, m.Densities)
	var lost []string
	for k, group := range f.Of {
		kept := together(of, f.Of, k)
		if kept {
			next.Groups[group] = m.Groups[of[k]]
		}
		if domain.FollowsLaw(f.level.Part, k) && (!kept || m.Densities == nil && !f.Case.Sealed()) {
			lost = append(lost, f.Case.WallName(uint8(k+1)))
		}
	}
	if f.Rank.Root && len(lost) > 0 {
		f.Rank.Warn(finding.WallsRestarted.Says("%s: the checkpoint was written by a version with other corrections of the wall model (factors of other groups of walls, or no densities of bodies): they start over, and forces adjust over about %.0f steps; start means after that",
			strings.Join(lost, ", "), frictionMean+1/frictionGain))
	}
	return f.recall(next)
}

// together reports whether a type of wall has the same types in its group in two lists of groups.
func together(a, b []int, k int) bool {
	for i := range b {
		if len(a) != len(b) || (a[i] == a[k]) != (b[i] == b[k]) {
			return false
		}
	}
	return true
}

// memory returns the corrections for a checkpoint; nil: there is nothing to correct.
func (f *friction) memory() *output.WallTuning {
	if len(f.Of) == 0 {
		return nil
	}
	m := f.WallTuning
	m.Groups, m.Densities = slices.Clone(m.Groups), slices.Clone(m.Densities)
	return &m
}

// set passes the corrections to the device.
func (f *friction) set() error {
	walls := make([]device.WallTuning, len(f.Of))
	for k, i := range f.Of {
		walls[k] = device.WallTuning{Factor: f.Groups[i].Factor, Density: f.Eps, Exchange: f.Densities[k]}
	}
	for _, l := range f.walls() {
		if err := level.Walls(l).TuneWalls(walls); err != nil {
			return err
		}
	}
	return nil
}

// of returns the mean momentum exchanged by the walls that share a type's factor, relative to the law, and the factor; 0:
// unknown, or not friction.
func (f *friction) of(k uint8) (share, factor float64) {
	if len(f.Of) < int(k) {
		return 0, 0
	}
	w := f.Groups[f.Of[k-1]]
	if share = w.Exchanged / w.Law; !(share >= leastShare && share <= mostShare) {
		return 0, 0
	}
	return share, w.Factor
}
