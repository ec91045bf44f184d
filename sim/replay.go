package sim

import (
	"fmt"
	"time"

	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
)

// replay is a run as its post-mortem sees it.
type replay struct{ *run }

// Again computes one step as it was computed, and writes nothing. Collective.
func (r replay) Again() error {
	r.Heartbeat.Computing(r.n)
	if err := r.driver.steer(); err != nil {
		return err
	}
	if err := r.advance(1); err != nil {
		return fmt.Errorf("rank %d, step %d: %w", r.Rank, r.n+1, err)
	}
	return nil
}

// Save copies the current state of this rank's own cells, and what the coming steps depend
// on besides.
func (r replay) Save(image []byte) (postmortem.Circumstances, error) {
	return postmortem.Circumstances{Step: r.n, Drive: r.driver.drive, Force: r.params.Force}, r.ReadImage(image)
}

// Back makes a state that was saved the current one, or the initial one where image is nil.
// Collective.
func (r replay) Back(image []byte, c postmortem.Circumstances) error {
	// States take turns in exchanges: the other one comes next.
	r.state[0], r.state[1] = r.state[1], r.state[0]
	var err error
	if image == nil {
		r.n, r.driver.drive, r.params.Force = 0, output.Drive{}, r.Case.Params().Force
		err = origin(r).state()
	} else {
		r.n, r.driver.drive, r.params.Force = c.Step, c.Drive, c.Force
		err = imaging{r.stepper}.writeAll(image)
	}
	r.watch.Forget()
	if err := r.all("going back", err); err != nil {
		return err
	}
	return r.fillGhosts()
}

// Heard is more than 0 when this rank has got a signal, or knows that the job's time is over.
func (r replay) Heard() int64 {
	r.control.listen(r.options.Signals)
	if r.Root && r.control.jobTimeOver(r.options.JobEnd, r.Case.Run.EndMargin, time.Now()) {
		return byLauncher
	}
	return r.control.signal
}
