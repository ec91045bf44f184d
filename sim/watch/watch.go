// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package watch is the stability watch of a run: it checks the state at intervals of steps, finds
// non-finite values and speeds beyond the limit, and warns of runs that are stable but wrong. The
// caller decides what to do with the run.
package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/sim/derive"
)

// Watch holds rank 0's results of the checks so far; the other ranks only participate in them.
type Watch struct {
	view      derive.View
	Start     derive.Totals // of the initial state
	GridStart float64       // share of the kinetic energy at the scale of the grid, of the initial state
	MaxMach   float64       // at the last check, on all ranks
	Fastest   float64       // the largest speed of all checks, also before a restart; on rank 0

	at       int // step of the last check, -1 before the first
	totals   derive.Totals
	sample   derive.Sample
	passages []derive.Passage // of the boundaries, at the last sample
	// Steps of the last sample, and of the last one that was judged; -1 before the first.
	sampledAt, judgedAt int
	wrong               string // why the run must stop although it is stable
	warned              map[string]int
	last                bool // the run ends here
}

// New returns the watch of a run that has not been checked.
func New(v derive.View) *Watch { return &Watch{view: v, at: -1, sampledAt: -1, judgedAt: -1} }

// Begins marks the state of the last check as the initial state.
func (w *Watch) Begins() { w.Start, w.GridStart = w.totals, w.sample.GridScale }

// Ends makes the coming check the last one, which is complete.
func (w *Watch) Ends() { w.last = true }

// Forget makes the watch check a step again: the state has changed.
func (w *Watch) Forget() { w.at = -1 }

// Finding is the outcome of a check, the same on all ranks except for Mine.
type Finding struct {
	New     bool   // the step had not been checked in all respects
	Trouble bool   // a value is not finite, or the Mach number has passed its limit
	Mine    string // description of the trouble on this rank; "": none
	Wrong   bool   // the run is stable, but its results exceed the case's limits: Watch.Wrong
	Largest []int64
}

// Look checks the present step. It also reduces the given non-negative numbers to the largest over
// the ranks. Collective.
func (w *Watch) Look(largest ...int64) (f Finding, err error) {
	sample, fresh := w.due(), w.at != w.view.Step()
	if !fresh && !sample {
		return f, nil
	}
	f.New = true
	w.at = w.view.Step()
	sections, totals, err := w.view.Census()
	if err != nil {
		return f, fmt.Errorf("rank %d: stability watch at step %d: %w", w.view.Rank.ID, w.view.Step(), err)
	}
	// [0] trouble, [1] the largest speed; a non-negative float keeps its order as bits;
	// [2] wrong; then the caller's.
	table := append([]int64{0, 0, 0}, largest...)
	for _, s := range sections {
		if table[1] = max(table[1], int64(math.Float64bits(math.Abs(derive.Finite(s.MaxSpeed))))); f.Mine == "" && w.view.Bad(s.Plane) {
			f.Mine = w.describe(s)
			table[0] = 1
		}
	}
	if sample {
		w.judgedAt = w.view.Step()
		if _, err := w.GridScale(); err != nil {
			return f, err
		}
		if err := w.lookAtFaces(math.Float64frombits(uint64(table[1]))); err != nil {
			return f, err
		}
	}
	if w.view.Rank.Root {
		w.totals = totals
		w.Fastest = max(w.Fastest, derive.Finite(totals.MaxSpeed))
		if w.wrong = w.judge(fresh, sample); w.wrong != "" {
			table[2] = 1
		}
	}
	if err := comm.Max(w.view.Rank.Comm, table); err != nil {
		return f, err
	}
	w.MaxMach = math.Float64frombits(uint64(table[1])) / derive.SoundSpeed
	f.Trouble, f.Wrong, f.Largest = table[0] != 0, table[2] != 0, table[3:]
	return f, nil
}

// due reports whether the check of the present step samples the fields.
func (w *Watch) due() bool {
	c := &w.view.Case.Run
	temperature := w.view.Case.Temperature.Bounds != nil && (c.WarnTemperature > 0 || c.MaxTemperature > 0)
	return (c.WarnGridScale > 0 || temperature || slices.ContainsFunc(w.view.Case.Boundaries, w.guards)) && w.judgedAt != w.view.Step() &&
		(w.last || w.view.Step()%c.WatchEvery == 0 && w.view.Step()/c.WatchEvery%c.GridScaleEvery == 0)
}

// Wrong returns, on rank 0, why a run that is stable must be stopped.
func (w *Watch) Wrong() string { return w.wrong }

// describe reports where the cell is and what surrounds it.
func (w *Watch) describe(s derive.Section) string {
	at, what := s.BadAt, "a value that is not finite"
	if s.Bad == 0 {
		at, what = s.MaxAt, fmt.Sprintf("Mach %.3g above the limit %.3g", s.MaxSpeed/derive.SoundSpeed, w.view.Case.Run.MaxMach)
	}
	var b strings.Builder
	global := s.Of.Part.Global(at)
	fmt.Fprintf(&b, "step %d: %s in cell (%d, %d, %d)", w.view.Step(), what, global[0], global[1], global[2])
	if w.view.Refined != nil {
		fmt.Fprintf(&b, " of level %d,", s.Level)
	}
	fmt.Fprintf(&b, " of rank %d", w.view.Rank.ID)
	if s.Bad > 1 {
		fmt.Fprintf(&b, " and %d more of its plane", s.Bad-1)
	}
	if near := w.view.Part.Near(s.Parent(at)); len(near) > 0 {
		fmt.Fprintf(&b, "\n  nearest boundary: %s", near[0].Text)
	}
	what = "rho, u"
	if w.view.Case.Spec.Scalar {
		what += ", T less its reference"
	}
	fmt.Fprintf(&b, "\n  its neighbourhood along x (%s in lattice units):", what)
	box := decomp.Box{Lo: at, Hi: [3]int{at[0] + 1, at[1] + 1, at[2] + 1}}
	box.Lo[0], box.Hi[0] = max(0, at[0]-2), min(s.Of.Part.Layout.N[0], at[0]+3)
	nc, n := w.view.Case.Spec.FieldValues(), box.Size()[0]
	values := make([]float64, nc*n)
	if err := s.Of.State.Fields(box, values); err == nil {
		for i := 0; i < n; i++ {
			fmt.Fprintf(&b, "\n    x = %d: %.5g", global[0]-at[0]+box.Lo[0]+i, 1+values[i])
			for c := 1; c < nc; c++ {
				fmt.Fprintf(&b, " %.4g", values[c*n+i])
			}
		}
	}
	return b.String()
}

// Totals returns the totals of the present step, on rank 0. Collective.
func (w *Watch) Totals() (derive.Totals, error) {
	if w.at == w.view.Step() {
		return w.totals, nil
	}
	_, t, err := w.view.Census()
	return t, err
}

// GridScale returns the share of the kinetic energy at the scale of the grid, on rank 0. Collective.
func (w *Watch) GridScale() (float64, error) {
	if w.sampledAt == w.view.Step() {
		return w.sample.GridScale, nil
	}
	s, err := w.view.Sample()
	if err == nil {
		w.sample, w.sampledAt = s, w.view.Step()
	}
	return s.GridScale, err
}

// Cells returns the number of fluid cells of the domain, on rank 0 after a check.
func (w *Watch) Cells() int { return w.totals.Cells }
