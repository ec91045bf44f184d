package sim

import (
	"fmt"
	"maps"
	"os"
	"time"

	"lbmsim/comm"
)

// control brings the ranks together every fraction of a second, so that signals,
// clocks and finished writers lead to the same decision on every rank at the same
// step. Between two meetings ranks only exchange ghost planes.
type control struct {
	began   time.Time // first step
	met     time.Time // last meeting
	metAt   int       // its step
	next    int       // step of the next meeting
	pace    pace
	signal  int64         // the gravest caught so far: 0, byLauncher or byHand
	ending  time.Duration // what the files of the end may take, of the slowest rank
	asked   time.Time     // rank 0 looked for orders
	rows    int64         // how it stood with rows that cannot be written at the last meeting
	wallDue []time.Time
}

// meetEvery is how much wall time may pass between two meetings.
const meetEvery = 100 * time.Millisecond

// What each rank puts on the table; the largest value counts.
const (
	metSignal   = iota
	metJobTime  // the job's time is nearly over
	metEnding   // nanoseconds that the files of the end may take
	metWallTime // rank 0's clock has passed the limit
	metBusy     // writers still at work
	metNanos    // wall time since the last meeting
	metStop     // rank 0 found an order to stop
	metSave     // or to write a checkpoint
	metRows     // rank 0 has rows that it cannot write
	metOutputs  // from here on: output k is due by rank 0's clock
)

// agree holds the meeting when it is due.
func (r *run) agree() error {
	if r.n < r.control.next && r.n < r.last {
		return nil
	}
	return spend(&r.clock.watch, r.meet)
}

func (r *run) meet() error {
	c := &r.control
	c.listen(r)
	now := time.Now()
	table := make([]int64, metOutputs+len(r.outputs))
	table[metSignal] = c.signal
	table[metEnding] = int64(r.expectedEnding())
	table[metNanos] = int64(now.Sub(c.met))
	if r.busy() {
		table[metBusy] = 1
	}
	if r.Root {
		table[metStop], table[metSave] = c.orders(r, now)
		table[metRows], _ = r.rowsFail()
		if limit := r.Case.Run.WallTime; limit > 0 && now.Sub(c.began) > limit {
			table[metWallTime] = 1
		}
		if r.jobTimeOver(now) {
			table[metJobTime] = 1
		}
		for k, o := range r.outputs {
			if every := o.schedule().WallTime; every > 0 && now.Sub(c.wallDue[k]) > every {
				table[metOutputs+k] = 1
			}
		}
	}
	if err := comm.Max(r.Comm, table); err != nil {
		return err
	}
	c.ending = time.Duration(table[metEnding])
	steps := r.n - c.metAt
	r.report(steps)
	if table[metNanos] > 0 && steps > 0 {
		steps = min(max(int(int64(meetEvery)*int64(steps)/table[metNanos]), 1), 2*steps+1)
	}
	c.met, c.metAt, c.next = now, r.n, r.n+max(steps, 1)
	if table[metBusy] == 0 && r.n < r.last { // what fails at the end is lastOutputs' to tell
		if err := r.drain(); err != nil { // nobody waits
			return err
		}
	}
	if err := r.lookAtRows(table[metRows]); err != nil {
		return err
	}
	switch {
	case r.n >= r.last:
	case table[metSignal] == byHand:
		r.reason = byUser
	case table[metSignal] > 0:
		r.reason = interrupted
	case table[metStop] > 0:
		r.reason = ordered
	case table[metWallTime] > 0:
		r.reason = wallTime
	case table[metJobTime] > 0:
		r.reason = jobTime
	}
	for k, o := range r.outputs {
		_, saves := o.(*checkpoints)
		if table[metOutputs+k] > 0 || saves && table[metSave] > 0 {
			c.wallDue[k] = now
			if o.written() == r.n {
				continue // its period was due too
			}
			if err := r.write(o); err != nil {
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
func (r *run) jobTimeOver(now time.Time) bool {
	margin := r.Case.Run.EndMargin
	if r.options.JobEnd == nil || margin < 0 {
		return false
	}
	end := r.options.JobEnd()
	return !end.IsZero() && now.Add(margin+2*r.control.ending).After(end)
}

// presumed speed of the disk, bytes a second, until a checkpoint has been written.
const presumed = 500e6

// expectedEnding is what writing a file of each kind may take, one after the other: the
// longest that each kind took on this rank.
func (r *run) expectedEnding() (sum time.Duration) {
	for _, took := range r.took {
		sum += took
	}
	if _, known := r.took["checkpoint"]; r.Case.Checkpoint.On && !known {
		bytes := float64(r.Case.Box().Cells()) * float64(r.Case.Spec.Components()*r.Case.Spec.Precision.Bytes())
		sum += time.Duration(bytes / presumed * 1e9)
	}
	return sum
}

// Files that somebody puts into a run's output folder to ask for something. The run takes
// them away.
const (
	stopOrder = "stop.now"       // end as a signal does
	saveOrder = "checkpoint.now" // write a checkpoint and go on
)

// forget takes away orders that an earlier run did not live to see. On rank 0, which holds
// the folder.
func (r *run) forget() {
	for _, order := range []string{stopOrder, saveOrder} {
		if os.Remove(r.outputDir(order)) == nil {
			r.options.Report.Warn(fmt.Sprintf("%s was left in %s from before the start: removed, not obeyed", order, r.outputDir()))
		}
	}
}

// orders looks for them, once a second. An order counts when its file is gone, so that one
// that cannot be removed is not obeyed for ever.
func (c *control) orders(r *run, now time.Time) (stop, save int64) {
	if now.Sub(c.asked) < time.Second || r.lock == nil {
		return 0, 0
	}
	c.asked = now
	if os.Remove(r.outputDir(stopOrder)) == nil {
		stop = 1
	}
	if os.Remove(r.outputDir(saveOrder)) == nil {
		save = 1
		if !r.Case.Checkpoint.On {
			r.options.Report.Warn("a checkpoint was asked for, but the case has no [checkpoint]")
		}
	}
	return stop, save
}

// listen takes the signals that came since the last meeting.
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

// report tells rank 0's reporter how the run is doing.
func (r *run) report(steps int) {
	if !r.Root || steps == 0 {
		return
	}
	speed := r.control.pace.at(r.n-r.first, r.clock.wall)
	p := Progress{
		Step: r.n, Last: r.last, Time: float64(r.n) * r.Case.Units.Time,
		Elapsed: time.Since(r.control.began), MaxMach: r.maxMach, LeftOut: maps.Clone(r.faults.counts),
		Health: r.health(), MLUPS: speed * float64(r.Case.Box().Cells()) / 1e6,
	}
	if r.limit > 0 {
		p.Roofline = p.MLUPS / r.limit
	}
	if r.clock.wall > 0 && r.halo.Stats().Messages > 0 {
		p.Communication = r.clock.exposed() / r.clock.wall
	}
	if done := r.n - r.first; done > 0 {
		p.ETA = time.Duration(float64(p.Elapsed) / float64(done) * float64(r.last-r.n))
	}
	r.options.Report.Progress(p)
}
