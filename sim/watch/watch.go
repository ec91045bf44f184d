// Package watch is the stability watch of a run: it looks at the state every so many steps,
// finds values that are not finite and speeds beyond the limit, and warns of runs that are
// stable and wrong. What becomes of the run is its caller's to do.
package watch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/sim/derive"
)

// Watch is what rank 0 knows of the looks until now; the other ranks only take part in them.
type Watch struct {
	derive.View
	Start     derive.Totals // of the initial state
	GridStart float64       // share of the kinetic energy at the scale of the grid, of the initial state
	MaxMach   float64       // at the last look, on all ranks
	Fastest   float64       // the largest speed of all looks, those before a restart too; on rank 0

	at       int // step of the last look, -1 before the first
	totals   derive.Totals
	sample   derive.Sample
	passages []derive.Passage // of the boundaries, at the last sample
	// Steps of the last sample, and of the last one that was judged; -1 before the first.
	sampledAt, judgedAt int
	wrong               string // why the run must stop although it is stable
	warned              map[string]int
	last                bool // the run ends here
}

// New is the watch of a run that has not been looked at.
func New(v derive.View) *Watch { return &Watch{View: v, at: -1, sampledAt: -1, judgedAt: -1} }

// Begins makes the state of the last look the initial one.
func (w *Watch) Begins() { w.Start, w.GridStart = w.totals, w.sample.GridScale }

// Ends makes the coming look the last one, which leaves nothing out.
func (w *Watch) Ends() { w.last = true }

// Forget makes the watch look anew at a step that it has seen: the state is another one.
func (w *Watch) Forget() { w.at = -1 }

// Finding is the outcome of a look, the same on all ranks but for Mine.
type Finding struct {
	New     bool   // the step had not been looked at in all respects
	Trouble bool   // a value is not finite, or the Mach number has passed its limit
	Mine    string // what of it this rank has seen; "" for nothing
	Wrong   bool   // it is stable, but further from what can be than the case allows: Watch.Wrong
	Largest []int64
}

// Look looks at the present step. The ranks agree on the largest of some numbers of
// theirs, not negative, on the way. Collective.
func (w *Watch) Look(largest ...int64) (f Finding, err error) {
	sample, fresh := w.due(), w.at != w.Step()
	if !fresh && !sample {
		return f, nil
	}
	f.New = true
	w.at = w.Step()
	planes, totals, err := w.Census()
	if err != nil {
		return f, fmt.Errorf("rank %d: stability watch at step %d: %w", w.Rank, w.Step(), err)
	}
	// [0] trouble, [1] the largest speed; a non-negative float keeps its order as bits;
	// [2] it is wrong; then the caller's.
	table := append([]int64{0, 0, 0}, largest...)
	for _, p := range planes {
		if table[1] = max(table[1], int64(math.Float64bits(math.Abs(derive.Finite(p.MaxSpeed))))); f.Mine == "" && w.Bad(p) {
			f.Mine = w.describe(p)
			table[0] = 1
		}
	}
	if sample {
		w.judgedAt = w.Step()
		if _, err := w.GridScale(); err != nil {
			return f, err
		}
		if err := w.lookAtFaces(math.Float64frombits(uint64(table[1]))); err != nil {
			return f, err
		}
	}
	if w.Root {
		w.totals = totals
		w.Fastest = max(w.Fastest, derive.Finite(totals.MaxSpeed))
		if w.wrong = w.judge(fresh, sample); w.wrong != "" {
			table[2] = 1
		}
	}
	if err := comm.Max(w.Comm, table); err != nil {
		return f, err
	}
	w.MaxMach = math.Float64frombits(uint64(table[1])) / derive.SoundSpeed
	f.Trouble, f.Wrong, f.Largest = table[0] != 0, table[2] != 0, table[3:]
	return f, nil
}

// due reports whether the look at the present step samples the fields.
func (w *Watch) due() bool {
	c := &w.Case.Run
	temperature := w.Case.Temperature.Bounds != nil && (c.WarnTemperature > 0 || c.MaxTemperature > 0)
	return (c.WarnGridScale > 0 || temperature || slices.ContainsFunc(w.Case.Boundaries, w.guards)) && w.judgedAt != w.Step() &&
		(w.last || w.Step()%c.WatchEvery == 0 && w.Step()/c.WatchEvery%c.GridScaleEvery == 0)
}

// Wrong says, on rank 0, why a run that is stable must be stopped.
func (w *Watch) Wrong() string { return w.wrong }

// describe reports where the cell is and what surrounds it.
func (w *Watch) describe(p device.Plane) string {
	at, what := p.BadAt, "a value that is not finite"
	if p.Bad == 0 {
		at, what = p.MaxAt, fmt.Sprintf("Mach %.3g above the limit %.3g", p.MaxSpeed/derive.SoundSpeed, w.Case.Run.MaxMach)
	}
	var b strings.Builder
	global := w.Global(at)
	fmt.Fprintf(&b, "step %d: %s in cell (%d, %d, %d) of rank %d", w.Step(), what, global[0], global[1], global[2], w.Rank)
	if p.Bad > 1 {
		fmt.Fprintf(&b, " and %d more of its plane", p.Bad-1)
	}
	if near := w.Near(global); len(near) > 0 {
		fmt.Fprintf(&b, "\n  nearest boundary: %s", near[0].Text)
	}
	what = "rho, u"
	if w.Case.Spec.Scalar {
		what += ", T less its reference"
	}
	fmt.Fprintf(&b, "\n  its neighbourhood along x (%s in lattice units):", what)
	box := decomp.Box{Lo: at, Hi: [3]int{at[0] + 1, at[1] + 1, at[2] + 1}}
	box.Lo[0], box.Hi[0] = max(0, at[0]-2), min(w.Layout.N[0], at[0]+3)
	nc, n := w.Case.Spec.FieldValues(), box.Size()[0]
	values := make([]float64, nc*n)
	if err := w.Fields(box, values); err == nil {
		for i := 0; i < n; i++ {
			fmt.Fprintf(&b, "\n    x = %d: %.5g", box.Lo[0]+i, 1+values[i])
			for c := 1; c < nc; c++ {
				fmt.Fprintf(&b, " %.4g", values[c*n+i])
			}
		}
	}
	return b.String()
}

// Totals of the present step, on rank 0. Collective.
func (w *Watch) Totals() (derive.Totals, error) {
	if w.at == w.Step() {
		return w.totals, nil
	}
	_, t, err := w.Census()
	return t, err
}

// GridScale is the share of the kinetic energy at the scale of the grid, on rank 0. Collective.
func (w *Watch) GridScale() (float64, error) {
	if w.sampledAt == w.Step() {
		return w.sample.GridScale, nil
	}
	s, err := w.Sample()
	if err == nil {
		w.sample, w.sampledAt = s, w.Step()
	}
	return s.GridScale, err
}

// Cells is the number of fluid cells of the domain, on rank 0 after a look.
func (w *Watch) Cells() int { return w.totals.Cells }
