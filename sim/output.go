package sim

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/sim/domain"
)

// output is something written on a schedule. write is collective: every rank
// calls it at the same step.
type output interface {
	schedule() config.Schedule
	write(r *run) error
	written() int // step of the last write, -1 when there was none
	close()
}

// write runs an output and counts the time that the run waits for it.
func (r *run) write(o output) error {
	return spend(&r.clock.output, func() error {
		r.Pulse.Doing("taking an output")
		return r.put(o)
	})
}

func (r *run) put(o output) error {
	r.begun = time.Now()
	left := r.faults.left()
	err := o.write(r)
	if r.faults.missed == nil {
		r.faults.missed = map[output]bool{}
	}
	r.faults.missed[o] = r.faults.left() > left
	return err
}

// job is a file that a goroutine is writing from a snapshot while the steps go
// on. Goroutines make no MPI calls; the file becomes valid in commit, which is
// collective.
type job struct {
	kind   string
	path   string
	done   atomic.Bool
	finish func() error // collective
	step   int
	failed error // of the writing part
	begun  time.Time
	took   time.Duration // until this rank's part was on disk
	ended  chan struct{}
}

// launch starts the writing part of a job in the background.
func (r *run) launch(j *job, work func() error) {
	j.step, j.begun, j.ended = r.n, r.begun, make(chan struct{})
	r.jobs = append(r.jobs, j)
	go func() {
		defer close(j.ended)
		j.failed = domain.Guarded(work)
		j.took = time.Since(j.begun)
		j.done.Store(true)
	}()
}

// busy reports whether a job of this rank is still writing.
func (r *run) busy() bool {
	for _, j := range r.jobs {
		if !j.done.Load() {
			return true
		}
	}
	return false
}

// commit makes the files of r.jobs that wanted picks valid, in the order they were
// begun; on each rank it waits for that rank's part. Collective: all ranks have the
// same jobs.
func (r *run) commit(wanted func(*job) bool) error {
	var jobs, others []*job
	for _, j := range r.jobs {
		if wanted(j) {
			jobs = append(jobs, j)
		} else {
			others = append(others, j)
		}
	}
	r.jobs = others
	var failed error
	for _, j := range jobs {
		r.Pulse.Doing("writing " + j.kind + ": " + j.path)
		r.await(j)
		ready := time.Now()
		err := r.allAt(j.step, j.kind, j.failed)
		_, agreed := ExitCode(err)
		file := true // what failed is a file
		if agreed && err != nil {
			var e error
			if file, e = r.ofFiles(j.failed); e != nil {
				return errors.Join(failed, err, e)
			}
		}
		if agreed { // finish ends the file in any case
			if e := r.agreedAt(j.step, j.kind, j.finish()); err == nil {
				err = e
			}
		}
		if err != nil && file {
			err = r.missed(j.kind, err)
			if err == nil {
				continue
			}
		}
		if err != nil {
			failed = errors.Join(failed, err)
			if _, agreed := ExitCode(err); !agreed {
				return failed
			}
			continue
		}
		r.took[j.kind] = max(r.took[j.kind], j.took+time.Since(ready))
		r.files[j.kind] = j.path
		if r.Root {
			r.options.Report.Wrote(j.kind, j.path)
		}
	}
	return failed
}

// settle waits for the last file of a kind before the next one begins, so that
// memory and unfinished files stay bounded when the disk is slower than the run.
func (r *run) settle(kind string) error {
	return r.commit(func(j *job) bool { return j.kind == kind })
}

// settleInTurn is settle that also makes valid all that was begun before that file.
// Checkpoints must not overtake it: a run that goes on from one does not write it again.
// Nor may they wait until nothing is being written, which may never be: fields that
// follow each other on a slow disk take them along.
func (r *run) settleInTurn(kind string) error {
	n := len(r.jobs)
	for n > 0 && r.jobs[n-1].kind != kind {
		n--
	}
	turn := slices.Clone(r.jobs[:n])
	return r.commit(func(j *job) bool { return slices.Contains(turn, j) })
}

// drain waits for all writers and commits their files.
func (r *run) drain() error { return r.commit(func(*job) bool { return true }) }

// all makes an error of one rank an error of all, so that every rank takes the
// same way out.
func (r *run) all(what string, err error) error { return r.allAt(r.n, what, err) }

func (r *run) allAt(step int, what string, err error) error {
	if err != nil {
		err = fmt.Errorf("step %d: %s: %w", step, what, err)
	}
	return Agreed(ExitFailure, comm.Agree(r.Comm, err))
}

// agreedAt says of an error that all ranks have where it comes from.
func (r *run) agreedAt(step int, what string, err error) error {
	if err != nil {
		err = fmt.Errorf("step %d: %s: %w", step, what, err)
	}
	return Agreed(ExitFailure, err)
}
