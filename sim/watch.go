package sim

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"lbmsim/comm"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/sim/derive"
	"lbmsim/sim/exit"
)

// watch is the stability watch: fixed-order sums of the whole domain.
type watch struct {
	at     int           // step of the last look, -1 before the first
	start  derive.Totals // of the initial state
	totals derive.Totals

	grid      float64 // share of the kinetic energy at the scale of the grid
	gridAt    int     // its step, -1 before the first
	gridStart float64 // of the initial state
	warned    map[string]int
	last      bool // the run ends here
}

// lookForTrouble stops every rank when a value is not finite or the Mach number
// has passed its limit.
func (r *run) lookForTrouble() error { return spend(&r.clock.watch, r.look) }

func (r *run) look() error {
	c := &r.Case.Run
	grid := c.WarnGridScale > 0 && r.watch.gridAt != r.n && (r.watch.last || r.n%c.WatchEvery == 0 && r.n/c.WatchEvery%c.GridScaleEvery == 0)
	fresh := r.watch.at != r.n
	if !fresh && !grid {
		return nil
	}
	r.watch.at = r.n
	planes, totals, err := r.view().Census()
	if err != nil {
		return fmt.Errorf("rank %d: stability watch at step %d: %w", r.Rank, r.n, err)
	}
	// [0] trouble, [1] the largest speed; a non-negative float keeps its order as bits;
	// nanoseconds: [2] since the last copy of the state, [3] that it took, [4] of the run;
	// [5] the mean density has drifted away.
	table := []int64{0, 0, int64(time.Since(r.snapshot.taken)), int64(r.snapshot.cost), int64(r.elapsed()), 0}
	var mine *trouble
	for k, p := range planes {
		if table[1] = max(table[1], int64(math.Float64bits(math.Abs(derive.Finite(p.MaxSpeed))))); mine == nil && r.bad(p) {
			mine = r.describe(k, p)
			table[0] = 1
		}
	}
	if grid {
		if _, err := r.gridScale(); err != nil {
			return err
		}
	}
	if r.Root {
		if r.watch.totals = totals; r.judgeHealth(fresh, grid) {
			table[5] = 1
		}
	}
	if err := comm.Max(r.Comm, table); err != nil {
		return err
	}
	r.maxMach = math.Float64frombits(uint64(table[1])) / soundSpeed
	switch {
	case table[0] != 0:
		return r.stop(mine, time.Duration(table[4]))
	case table[5] != 0:
		return r.tooFar()
	case r.n < r.last && r.snapshot.due(table[2], table[3]):
		return r.keep()
	}
	return nil
}

// trouble is the first bad cell of a rank, in words.
type trouble struct{ text string }

// describe tells where the cell is and what surrounds it.
func (r *run) describe(k int, p device.Plane) *trouble {
	at, what := p.BadAt, "a value that is not finite"
	if p.Bad == 0 {
		at, what = p.MaxAt, fmt.Sprintf("Mach %.3g above the limit %.3g", p.MaxSpeed/soundSpeed, r.Case.Run.MaxMach)
	}
	var b strings.Builder
	global := r.Global(at)
	fmt.Fprintf(&b, "step %d: %s in cell (%d, %d, %d) of rank %d", r.n, what, global[0], global[1], global[2], r.Rank)
	if p.Bad > 1 {
		fmt.Fprintf(&b, " and %d more of its plane", p.Bad-1)
	}
	if near := r.near(global); len(near) > 0 {
		fmt.Fprintf(&b, "\n  nearest boundary: %s", near[0].text)
	}
	what = "rho, u"
	if r.Case.Spec.Scalar {
		what += ", T less its reference"
	}
	fmt.Fprintf(&b, "\n  its neighbourhood along x (%s in lattice units):", what)
	box := decomp.Box{Lo: at, Hi: [3]int{at[0] + 1, at[1] + 1, at[2] + 1}}
	box.Lo[0], box.Hi[0] = max(0, at[0]-2), min(r.Layout.N[0], at[0]+3)
	nc, n := r.Case.Spec.FieldValues(), box.Size()[0]
	values := make([]float64, nc*n)
	if err := r.program.Fields(r.state[0], box, values, r.params); err == nil {
		for i := 0; i < n; i++ {
			fmt.Fprintf(&b, "\n    x = %d: %.5g", box.Lo[0]+i, 1+values[i])
			for c := 1; c < nc; c++ {
				fmt.Fprintf(&b, " %.4g", values[c*n+i])
			}
		}
	}
	return &trouble{b.String()}
}

// stop ends an unstable run on every rank with one message, after the last
// fields are on disk.
func (r *run) stop(mine *trouble, elapsed time.Duration) error {
	text := []byte{}
	if mine != nil {
		text = []byte(mine.text)
	}
	parts, err := comm.Gather(r.Comm, text)
	if err != nil {
		return err
	}
	var message []byte
	for _, p := range parts {
		if len(p) > 0 {
			message = fmt.Appendf(p, "\n  what helps: a smaller lattice velocity (time step) or a larger tau (now %.4g), a finer grid, a smoother start", r.Case.Tau)
			break
		}
	}
	files := r.lastFields()
	if _, agreed := ExitCode(files); agreed {
		if r.Root {
			r.forgetBlowup()
		}
		report, err := r.investigate(elapsed)
		if _, agreed := ExitCode(err); !agreed {
			return err
		}
		files = errors.Join(files, err)
		if r.Root && report != nil {
			message = r.tell(report, message)
		}
	}
	if message, err = comm.Broadcast(r.Comm, message); err != nil {
		return err
	}
	return errors.Join(exit.With(exit.Unstable, errors.New("the run is unstable, "+string(message))), files)
}

// lastFields brings the fields of this step, and all files before, to the disk. Collective.
func (r *run) lastFields() (files error) {
	for _, o := range r.outputs {
		if _, ok := o.(*fieldFiles); ok && o.written() != r.n {
			files = errors.Join(files, r.write(o))
		}
	}
	files = errors.Join(files, r.drain())
	if _, agreed := ExitCode(files); agreed {
		files = errors.Join(files, r.syncTables())
	}
	return files
}

// elapsed is the wall time since the first step.
func (r *run) elapsed() time.Duration {
	if r.control.began.IsZero() {
		return 0
	}
	return time.Since(r.control.began)
}
