// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package sim takes a resolved case from its first step to its last: it builds
// the parts, owns the loop around the steps of its level, and calls outputs, checkpoints and
// watches on their schedules. The physics numbers live in kernels and model.
package sim

import (
	"errors"
	"fmt"
	"os"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/sim/domain"
	"lbmsim/sim/exit"
	"lbmsim/sim/output"
	"lbmsim/sim/postmortem"
	"lbmsim/sim/transfer"
	"lbmsim/sim/watch"
)

// Options are the parts of a run, chosen by the caller.
type Options struct {
	Case    *config.Case
	Comm    comm.Comm
	Device  device.Device
	Threads int           // of the host, for initial states and outputs; 0: the device's number
	Report  Reporter      // called on rank 0
	Shelf   *domain.Shelf // files of bodies that were read already; nil: none
	Restart string        // "", Latest, Auto or the path of a checkpoint
	// Of a run that starts over, on rank 0: Keep refuses an output folder with results of another run,
	// Overwrite removes old results that would be mixed with the new ones.
	Keep      *output.Results
	Overwrite bool
	Version   string // of the program, stored in every output
	// Libraries known to the caller, such as CUDA's, for the outputs' provenance.
	Libraries []string
	Signals   <-chan os.Signal // a signal ends the run with a checkpoint
	Stepping  func(bool)       // called on every rank: false before there is a state, true ahead of the first step
	// JobEnd, on rank 0, returns the end of the job's time, as currently known; zero: unknown, or
	// never. The run ends before it, with a checkpoint. It must not block.
	JobEnd func() time.Time
	Orders []Orders // on rank 0, beside the output folder
	Viewer Viewer   // on rank 0; may be nil
}

func (o *Options) stepping(yes bool) {
	if o.Stepping != nil {
		o.Stepping(yes)
	}
}

// run is one rank's part of a run in progress.
type run struct {
	*stepper
	options    Options
	fromStart  bool          // no checkpoint was requested, not even an optional one
	last       int           // step
	ranks      []RankInfo    // on rank 0
	limit      float64       // the memory's roofline in MLUPS, 0 when unknown
	found      transfer.File // source of the initial state, once known
	reason     string        // to end before the last step
	converged  bool          // the reason is [run] stop_when
	outputs    *output.Set
	loads      loads
	driver     driver
	friction   friction
	control    control
	viewing    viewing
	watch      *watch.Watch
	postmortem *postmortem.Search
}

// Reasons for the end of a run.
const (
	allDone     = "all steps done"
	wallTime    = "wall time limit"
	interrupted = "signal"
	byUser      = "interrupt signal"
	jobTime     = "time limit of the SLURM job"
	ordered     = StopFile
)

// Run computes the case and returns when its end is reached on every rank. All
// ranks call it. An *Error is known to all ranks; any other error is this rank's
// alone, and the caller must end the others (comm.Aborter).
func Run(o Options) error {
	o.stepping(false)
	r, err := start(o)
	o.stepping(true)
	if err == nil {
		err = r.loop()
	}
	if err == nil {
		err = r.finish()
	}
	if _, agreed := ExitCode(err); !agreed {
		// The others may wait for this rank: no more collective calls, and the state is not freed,
		// because kernels and messages may still use it.
		return err
	}
	if err != nil {
		err = r.advise(err)
	}
	r.close()
	return err
}

func (r *run) loop() error {
	if err := r.begin(); err != nil {
		return err
	}
	return r.steps()
}

// steps computes until the last step, or until a reason to end has come up.
func (r *run) steps() error {
	for r.Step() < r.last && r.reason == "" {
		r.Rank.Heartbeat.Computing(r.Step())
		if err := r.steer(); err != nil {
			return err
		}
		k := 1
		if r.grid == nil || r.grid.Queued() {
			k = r.untilHook()
		}
		r.expect(r.Step() + k)
		first := r.Step() + 1
		if err := r.advance(k); err != nil {
			return fmt.Errorf("rank %d, %s: %w", r.Rank.ID, steps(first, first+k-1), err)
		}
		if err := r.hooks(); err != nil {
			return err
		}
	}
	return nil
}

// steer sets the inputs of the coming steps other than the state, when due. Collective.
func (r *run) steer() error {
	if err := r.driver.steer(); err != nil {
		return err
	}
	return r.friction.correct()
}

// expect prepares for the outputs of step n, the end of the coming steps.
func (r *run) expect(n int) {
	box, ok := r.outputs.Snaps(n)
	if !ok || r.grid != nil {
		n = 0
	}
	r.level.FuseFields(n, box)
}

// steps describes a number of steps for messages.
func steps(first, last int) string {
	if first == last {
		return fmt.Sprintf("step %d", first)
	}
	return fmt.Sprintf("steps %d to %d", first, last)
}

// untilHook returns the number of steps until the next hook is due. Synchronizations occur every
// tenth of a second, and so do checks of signals and clocks.
func (r *run) untilHook() int {
	every := r.Case.Run.WatchEvery
	next := min(r.last, r.Step()+ahead, r.control.next, (r.Step()/every+1)*every)
	if d := r.Case.Force.Drive; d != nil {
		next = min(next, (r.Step()/d.Every+1)*d.Every)
	}
	if len(r.friction.Of) > 0 {
		next = min(next, (r.Step()/frictionEvery+1)*frictionEvery)
	}
	return min(next, r.outputs.Next(r.Step())) - r.Step()
}

// hooks runs the hooks due after a step. Everything that talks to other ranks is
// decided by the step number or by agreement, never by a rank's own clock.
func (r *run) hooks() error {
	if r.Step()%r.Case.Run.WatchEvery == 0 {
		if err := r.Look(); err != nil {
			return err
		}
	}
	if err := r.outputs.Due(); err != nil {
		return err
	}
	return r.synchronizeWhenDue()
}

// finish writes the outputs due at the end, waits for the writers and closes the run.
func (r *run) finish() error {
	if r.reason == "" {
		r.reason = allDone
	}
	if r.reason == jobTime && r.Step() == r.first { // a chain of such jobs would never end
		return exit.With(exit.Failure, fmt.Errorf("no step was computed: the remaining time of the SLURM job is less than [run] end_margin (%v) plus the time to write the final files; request more time, or set a smaller end_margin", r.Case.Run.EndMargin))
	}
	r.warnOfWidths()
	r.warnOfCoefficients()
	r.watch.Ends()
	if err := r.Look(); err != nil {
		return err
	}
	if err := spend(&r.clock.ending, r.lastOutputs); err != nil {
		return err
	}
	var verdicts []Verdict
	if r.complete() { // what a case expects is meant for its end
		var err error
		if verdicts, err = r.judge(); err != nil {
			return err
		}
	}
	if err := r.summarize(verdicts); err != nil {
		return err
	}
	for i, v := range verdicts {
		if !v.OK {
			return exit.With(exit.Expect, fmt.Errorf("%s: [expect] %s", r.Case.Path, v.miss(r.Case.Expect[i])))
		}
	}
	return nil
}

// complete reports whether a run has reached the end defined by its case.
func (r *run) complete() bool { return r.reason == allDone || r.converged }

// advise ends the files of a run that an error has ended, and reports how to resume.
func (r *run) advise(err error) error {
	if r.outputs == nil {
		return err
	}
	return r.outputs.Advise(errors.Join(err, r.outputs.Files.CommitAll()), r.options.Restart)
}

// lastOutputs writes the outputs due at the end and waits until all files are on disk.
func (r *run) lastOutputs() error {
	if r.complete() {
		return r.outputs.Last(output.CaseEnds)
	}
	return r.outputs.Last(output.EndsEarly)
}

// close frees the parts of the run; the device and the ranks are the caller's.
func (r *run) close() {
	if r.outputs != nil {
		defer r.outputs.Release()
		r.outputs.Close()
	}
	if r.stepper != nil {
		r.free()
	}
}

// warnOfWidths warns that the run ended before stop_when.
func (r *run) warnOfWidths() {
	if r.Rank.Root && r.reason == allDone && len(r.Case.Run.StopWhen) > 0 {
		text, _ := r.outputs.Widths()
		r.options.Report.Warn(finding.NotConverged.Says("run ended before the stop_when criterion was met: " + text))
	}
}
