package sim

import (
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
	signals int64     // caught so far
	asked   time.Time // rank 0 looked for orders
	rows    int64     // how it stood with rows that cannot be written at the last meeting
	wallDue []time.Time
}

// meetEvery is how much wall time may pass between two meetings.
const meetEvery = 100 * time.Millisecond

// What each rank puts on the table; the largest value counts.
const (
	metSignal   = iota
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
	table[metSignal] = c.signals
	table[metNanos] = int64(now.Sub(c.met))
	if r.busy() {
		table[metBusy] = 1
	}
	if r.root {
		table[metStop], table[metSave] = c.orders(r, now)
		table[metRows], _ = r.rowsFail()
		if limit := r.Case.Run.WallTime; limit > 0 && now.Sub(c.began) > limit {
			table[metWallTime] = 1
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
	steps := r.n - c.metAt
	r.report(time.Duration(table[metNanos]), steps)
	if table[metNanos] > 0 && steps > 0 {
		steps = min(max(int(int64(meetEvery)*int64(steps)/table[metNanos]), 1), 2*steps+1)
	}
	c.met, c.metAt, c.next = now, r.n, r.n+max(steps, 1)
	if table[metBusy] == 0 {
		if err := r.drain(); err != nil { // nobody waits
			return err
		}
	}
	if err := r.lookAtRows(table[metRows]); err != nil {
		return err
	}
	switch {
	case r.n >= r.last:
	case table[metSignal] > 0:
		r.reason = interrupted
	case table[metStop] > 0:
		r.reason = ordered
	case table[metWallTime] > 0:
		r.reason = wallTime
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

// Files that somebody puts into a run's output folder to ask for something. The run takes
// them away.
const (
	stopOrder = "stop.now"       // end as a signal does
	saveOrder = "checkpoint.now" // write a checkpoint and go on
)

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
			r.Report.Warn("a checkpoint was asked for, but the case has no [checkpoint]")
		}
	}
	return stop, save
}

// listen takes the signals that came since the last meeting.
func (c *control) listen(r *run) {
	for {
		select {
		case <-r.Signals:
			c.signals++
		default:
			return
		}
	}
}

// report tells rank 0's reporter how the run is doing.
func (r *run) report(since time.Duration, steps int) {
	if !r.root || steps == 0 || since <= 0 {
		return
	}
	p := Progress{
		Step: r.n, Last: r.last, Time: float64(r.n) * r.Case.Units.Time,
		Elapsed: time.Since(r.control.began), MaxMach: r.maxMach,
		MLUPS: float64(steps) * float64(r.Case.Box().Cells()) / since.Seconds() / 1e6,
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
	r.Report.Progress(p)
}
