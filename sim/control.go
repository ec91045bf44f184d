package sim

import (
	"fmt"
	"os"
	"time"

	"lbmsim/comm"
	"lbmsim/sim/output"
)

// control brings the ranks together every fraction of a second, so that signals,
// clocks and finished writers lead to the same decision on every rank at the same
// step. Between two synchronizations ranks only exchange ghost planes.
type control struct {
	began    time.Time // first step
	synced   time.Time // last synchronization
	syncedAt int       // its step
	next     int       // step of the next synchronization
	pace     pace
	signal   int64         // the gravest caught so far: 0, byLauncher or byHand
	ending   time.Duration // what the files of the end may take, of the slowest rank
	asked    time.Time     // rank 0 looked for orders
	wallDue  []time.Time
}

// begin starts the clocks of a run, and of its outputs, at a step.
func (c *control) begin(step, outputs int) {
	now := time.Now()
	c.began, c.synced, c.syncedAt, c.next = now, now, step, step+1
	for range outputs {
		c.wallDue = append(c.wallDue, now)
	}
}

// syncEvery is how much wall time may pass between two synchronizations.
const syncEvery = 100 * time.Millisecond

// What each rank puts on the table; the largest value counts.
const (
	syncSignal   = iota
	syncJobTime  // the job's time is nearly over
	syncEnding   // nanoseconds that the files of the end may take
	syncWallTime // rank 0's clock has passed the limit
	syncBusy     // writers still at work
	syncNanos    // wall time since the last synchronization
	syncStop     // rank 0 found an order to stop
	syncSave     // or to write a checkpoint
	syncRows     // rank 0 has rows that it cannot write
	syncOutputs  // from here on: output k is due by rank 0's clock
)

// synchronizeWhenDue brings the ranks together when that is due.
func (r *run) synchronizeWhenDue() error {
	if r.n < r.control.next && r.n < r.last {
		return nil
	}
	return spend(&r.clock.watch, r.synchronize)
}

func (r *run) synchronize() error {
	c := &r.control
	c.listen(r)
	now := time.Now()
	table := make([]int64, syncOutputs+len(r.outputs.List))
	table[syncSignal] = c.signal
	table[syncEnding] = int64(r.outputs.Files.Expected())
	table[syncNanos] = int64(now.Sub(c.synced))
	if r.outputs.Files.Busy() {
		table[syncBusy] = 1
	}
	if r.Root {
		table[syncStop], table[syncSave] = c.orders(r, now)
		table[syncRows] = r.outputs.RowsFail()
		if limit := r.Case.Run.WallTime; limit > 0 && now.Sub(c.began) > limit {
			table[syncWallTime] = 1
		}
		if c.jobTimeOver(r, now) {
			table[syncJobTime] = 1
		}
		for k, o := range r.outputs.List {
			if every := o.When().WallTime; every > 0 && now.Sub(c.wallDue[k]) > every {
				table[syncOutputs+k] = 1
			}
		}
	}
	if err := comm.Max(r.Comm, table); err != nil {
		return err
	}
	c.ending = time.Duration(table[syncEnding])
	steps := r.n - c.syncedAt
	r.report(steps)
	if table[syncNanos] > 0 && steps > 0 {
		steps = min(max(int(int64(syncEvery)*int64(steps)/table[syncNanos]), 1), 2*steps+1)
	}
	c.synced, c.syncedAt, c.next = now, r.n, r.n+max(steps, 1)
	if table[syncBusy] == 0 && r.n < r.last { // what fails at the end is lastOutputs' to tell
		if err := r.outputs.Files.CommitAll(); err != nil { // nobody waits
			return err
		}
	}
	if err := r.outputs.JudgeRows(table[syncRows]); err != nil {
		return err
	}
	switch {
	case r.n >= r.last:
	case table[syncSignal] == byHand:
		r.reason = byUser
	case table[syncSignal] > 0:
		r.reason = interrupted
	case table[syncStop] > 0:
		r.reason = ordered
	case table[syncWallTime] > 0:
		r.reason = wallTime
	case table[syncJobTime] > 0:
		r.reason = jobTime
	}
	for k, o := range r.outputs.List {
		if table[syncOutputs+k] > 0 || table[syncSave] > 0 && o.DueOn(output.SaveOrder) {
			c.wallDue[k] = now
			if o.Written() == r.n {
				continue // its period was due too
			}
			if err := r.outputs.Write(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Who sent a signal.
const (
	byLauncher = 1 // SIGTERM, SIGHUP, SIGUSR1, SIGUSR2: the run may go on in another job
	byHand     = 2 // Ctrl-C
)

// jobTimeOver tells, on rank 0, that what is left of the job's time is what the end of the
// run may need: twice what its files took until now, and the case's own margin.
func (c *control) jobTimeOver(r *run, now time.Time) bool {
	margin := r.Case.Run.EndMargin
	if r.options.JobEnd == nil || margin < 0 {
		return false
	}
	end := r.options.JobEnd()
	return !end.IsZero() && now.Add(margin+2*c.ending).After(end)
}

// Files that somebody puts into a run's output folder to ask for something. The run takes
// them away.
const (
	stopOrder = "stop.now"       // end as a signal does
	saveOrder = "checkpoint.now" // write a checkpoint and go on
)

// forgetOrders takes away orders that an earlier run did not live to see. On rank 0, which holds
// the folder.
func forgetOrders(s *output.Set) {
	for _, order := range []string{stopOrder, saveOrder} {
		if os.Remove(s.Path(order)) == nil {
			s.Warn(fmt.Sprintf("%s was left in %s from before the start: removed, not obeyed", order, s.Path()))
		}
	}
}

// orders looks for them, once a second. An order counts when its file is gone, so that one
// that cannot be removed is not obeyed for ever.
func (c *control) orders(r *run, now time.Time) (stop, save int64) {
	if now.Sub(c.asked) < time.Second || !r.outputs.Holds() {
		return 0, 0
	}
	c.asked = now
	if os.Remove(r.outputs.Path(stopOrder)) == nil {
		stop = 1
	}
	if os.Remove(r.outputs.Path(saveOrder)) == nil {
		save = 1
		if !r.Case.Checkpoint.On {
			r.options.Report.Warn("a checkpoint was asked for, but the case has no [checkpoint]")
		}
	}
	return stop, save
}

// listen takes the signals that came since the last synchronization.
func (c *control) listen(r *run) {
	for {
		select {
		case s := <-r.options.Signals:
			c.signal = max(c.signal, byLauncher)
			if s == os.Interrupt {
				c.signal = byHand
			}
		default:
			return
		}
	}
}

// elapsed is the wall time since the first step.
func (c *control) elapsed() time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return time.Since(c.began)
}
