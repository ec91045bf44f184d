// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"os"
	"time"

	"lbmsim/comm"
	"lbmsim/internal/finding"
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
	ending   time.Duration // estimated time of the final files, on the slowest rank
	asked    time.Time     // time at which rank 0 last checked for orders
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

// syncEvery is the longest wall time between two synchronizations.
const syncEvery = 100 * time.Millisecond

// Entries of each rank in the table; the largest value counts.
const (
	syncSignal   = iota
	syncJobTime  // the job's time is nearly over
	syncEnding   // estimated nanoseconds of the final files
	syncWallTime // rank 0's clock has passed the limit
	syncBusy     // writers still at work
	syncNanos    // wall time since the last synchronization
	syncStop     // rank 0 has an order to stop
	syncSave     // rank 0 has an order to write a checkpoint
	syncDraw     // rank 0 has an order to write pictures
	syncMean     // rank 0 has an order to restart averages
	syncShow     // the code of a picture that a viewer of rank 0 waits for ...
	syncShown    // ... and its second number
	syncRows     // rank 0 has rows that it cannot write
	syncOutputs  // from here on: output k is due by rank 0's clock
)

// synchronizeWhenDue synchronizes the ranks when due.
func (r *run) synchronizeWhenDue() error {
	if r.Step() < r.control.next && r.Step() < r.last {
		return nil
	}
	outputs := r.outputs.Spent
	err := spend(&r.clock.watch, r.synchronize)
	r.clock.watch -= r.outputs.Spent - outputs // slices and outputs by the clock or an order have counted their own time
	return err
}

// synchronize shares the knowledge of each rank with all, so that they act alike. Collective.
func (r *run) synchronize() error {
	c := &r.control
	c.listen(r.options.Signals)
	now := time.Now()
	table := r.proposals(now)
	if err := comm.Max(r.Rank.Comm, table); err != nil {
		return err
	}
	c.ending = time.Duration(table[syncEnding])
	steps := r.Step() - c.syncedAt
	r.report(steps)
	c.schedule(now, r.Step(), steps, table[syncNanos])
	if table[syncBusy] == 0 && r.Step() < r.last { // Set.Last reports failures at the end
		if err := r.outputs.Files.CommitAll(); err != nil { // without waiting
			return err
		}
	}
	if err := r.outputs.JudgeRows(table[syncRows]); err != nil {
		return err
	}
	if r.Step() < r.last {
		r.reason = reasonIn(table, r.reason)
	}
	if err := r.viewing.show(r.outputs, [2]int64{table[syncShow], table[syncShown]}); err != nil {
		return err
	}
	if err := r.writeOrdered(table, now); err != nil || table[syncMean] == 0 {
		return err
	}
	if r.Step() >= r.last || r.reason != "" { // no sample would follow
		if r.Rank.Root {
			r.Rank.Warn(finding.NoAverages.Says("restart of averages requested in the last step: ignored"))
		}
		return nil
	}
	return output.RestartAverages(r.outputs)
}

// proposals returns this rank's entries of the table.
func (r *run) proposals(now time.Time) []int64 {
	c := &r.control
	table := make([]int64, syncOutputs+len(r.outputs.List))
	table[syncSignal] = c.signal
	table[syncEnding] = int64(r.outputs.Files.Expected())
	table[syncNanos] = int64(now.Sub(c.synced))
	table[syncBusy] = one(r.outputs.Files.Busy())
	if !r.Rank.Root {
		return table
	}
	order := r.orders(now)
	table[syncStop], table[syncSave], table[syncDraw], table[syncMean] = one(order.Stop), one(order.Save), one(order.Draw), one(order.Mean)
	busy, took := r.outputs.Rays.Taken()
	r.viewing.charge(now, took)
	if !busy {
		shown := r.viewing.wanted(now)
		table[syncShow], table[syncShown] = shown[0], shown[1]
	}
	table[syncRows] = r.outputs.RowsFail()
	if limit := r.Case.Run.WallTime; limit > 0 && now.Sub(c.began) > limit {
		table[syncWallTime] = 1
	}
	if c.jobTimeOver(r.options.JobEnd, r.Case.Run.EndMargin, now) {
		table[syncJobTime] = 1
	}
	for k, o := range r.outputs.List {
		if when := o.When(); when.WallTime > 0 && r.Step() >= when.From && now.Sub(c.wallDue[k]) > when.WallTime {
			table[syncOutputs+k] = 1
		}
	}
	return table
}

// one returns 1 for true, 0 for false.
func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// schedule sets the step of the next synchronization, from the steps since the last one and their
// duration on the slowest rank in nanoseconds.
func (c *control) schedule(now time.Time, step, steps int, nanos int64) {
	if nanos > 0 && steps > 0 {
		steps = min(max(int(int64(syncEvery)*int64(steps)/nanos), 1), 2*steps+1)
	}
	c.synced, c.syncedAt, c.next = now, step, step+max(steps, 1)
}

// reasonIn returns the reason to end that the table has, or the given one.
func reasonIn(table []int64, reason string) string {
	switch {
	case table[syncSignal] == byHand:
		return byUser
	case table[syncSignal] > 0:
		return interrupted
	case table[syncStop] > 0:
		return ordered
	case table[syncWallTime] > 0:
		return wallTime
	case table[syncJobTime] > 0:
		return jobTime
	}
	return reason
}

// writeOrdered writes outputs that are due by rank 0's clock, or by an order. Collective.
func (r *run) writeOrdered(table []int64, now time.Time) error {
	for k, o := range r.outputs.List {
		if table[syncOutputs+k] > 0 || table[syncSave] > 0 && o.DueOn(output.SaveOrder) || table[syncDraw] > 0 && o.DueOn(output.DrawOrder) {
			r.control.wallDue[k] = now
			if o.Written() == r.Step() {
				continue // its period was due, too
			}
			if err := r.outputs.Write(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Senders of a signal.
const (
	byLauncher = 1 // SIGTERM, SIGHUP, SIGUSR1, SIGUSR2: the run may resume in another job
	byHand     = 2 // Ctrl-C
)

// jobTimeOver reports, on rank 0, whether the remaining job time is needed for the end of the run: twice the time that its
// files took so far, plus the case's margin.
func (c *control) jobTimeOver(jobEnd func() time.Time, margin time.Duration, now time.Time) bool {
	if jobEnd == nil || margin < 0 {
		return false
	}
	end := jobEnd()
	return !end.IsZero() && now.Add(margin+2*c.ending).After(end)
}

// listen reads the signals received since the last synchronization.
func (c *control) listen(signals <-chan os.Signal) {
	for {
		select {
		case s := <-signals:
			c.signal = max(c.signal, byLauncher)
			if s == os.Interrupt {
				c.signal = byHand
			}
		default:
			return
		}
	}
}

// elapsed returns the wall time since the first step.
func (c *control) elapsed() time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return time.Since(c.began)
}

// stopIfKnown ends the run on all ranks once every mean of [run] stop_when has converged.
// Collective.
func (r *run) stopIfKnown() error {
	if len(r.Case.Run.StopWhen) == 0 || r.reason != "" {
		return nil
	}
	var why []byte
	if r.Rank.Root {
		text, enough := r.outputs.Widths()
		if enough {
			why = []byte(text)
		}
	}
	why, err := comm.Broadcast(r.Rank.Comm, why)
	if err == nil && len(why) > 0 {
		r.reason, r.converged = string(why), true
	}
	return err
}
