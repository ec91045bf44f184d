package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"lbmsim/comm"
	"lbmsim/io/checkpoint"
	"lbmsim/sim/exit"
)

// What becomes of a run whose files cannot be written: it stops, or goes on without them,
// as on_error of [output] and [checkpoint] says. At its end it fails in any case, for
// there is no next time.

// faults are what a run knows of files that it could not write.
type faults struct {
	counts map[string]int  // by kind of file, of those that the run went on without
	disk   bool            // the run ends because of one
	ending bool            // the last outputs are being written
	missed map[output]bool // a file was missed when the output was written last
}

// rowsOfCheckpoint is the kind of a checkpoint that fails because the rows that it counts
// are not on disk.
const rowsOfCheckpoint = "rows before a checkpoint"

// left is how many files the run went on without.
func (f *faults) left() (n int) {
	for _, k := range f.counts {
		n += k
	}
	return n
}

// goesOn tells what on_error says of a kind of file.
func (r *run) goesOn(kind string) bool {
	switch kind {
	case "checkpoint", averageJob:
		return r.Case.Checkpoint.GoOn
	case rowsOfCheckpoint:
		return r.Case.GoOn && r.Case.Checkpoint.GoOn
	}
	return r.Case.GoOn
}

// missed decides about a file that could not be written: nil when the run goes on without
// it. All ranks have the same error.
func (r *run) missed(kind string, err error) error {
	if err == nil {
		return nil
	}
	if _, agreed := ExitCode(err); !agreed {
		return err
	}
	if r.faults.ending || !r.goesOn(kind) {
		r.faults.disk = true
		return err
	}
	if r.faults.counts == nil {
		r.faults.counts = map[string]int{}
	}
	r.faults.counts[kind]++
	if r.Root {
		r.options.Report.Warn(fmt.Sprintf("%v; the run goes on without it (on_error), %d left out by now", err, r.faults.counts[kind]))
	}
	return nil
}

// ofFiles is collective: do the errors that ranks have all come from the system's calls for
// files? Others, of a device or of the program itself, end the run.
func (r *run) ofFiles(mine error) (bool, error) {
	table := []int64{0}
	var number syscall.Errno
	var path *fs.PathError
	if mine != nil && !errors.As(mine, &number) && !errors.As(mine, &path) {
		table[0] = 1
	}
	err := comm.Max(r.Comm, table)
	return table[0] == 0, err
}

// whatHelps adds to the error of a run that a file has ended how to go on.
func (r *run) whatHelps(err error) error {
	if !r.faults.disk || !r.Case.Checkpoint.On {
		return err
	}
	last := r.files["checkpoint"]
	if last == "" {
		last = r.options.Restart
	}
	gone := ""
	if _, err := os.Stat(last); last != "" && errors.Is(err, fs.ErrNotExist) { // a disk that fails says something else
		gone, last = last, ""
		if left, err := checkpoint.Latest(r.outputDir(checkpointDir)); err == nil && len(left) > 0 && checkpoint.Look(left[0]) == nil {
			last = left[0]
		}
	}
	help := "there is no checkpoint yet"
	if gone != "" {
		help = fmt.Sprintf("the last good checkpoint, %s, is gone, and there is no other", gone)
	}
	if last != "" {
		help = fmt.Sprintf("the last good checkpoint is %s; once the disk is well, go on with: lbmsim run %q --output %q --restart latest", last, r.Case.Path, r.Case.OutputDir)
	}
	code, _ := ExitCode(err)
	return exit.With(code, fmt.Errorf("%w\n  %s", err, help))
}

// patience is how long a rank waits for the disk before it says so, and then twice as
// long. Whether it waits for ever is the watchdog's to decide.
const patience = 30 * time.Second

// await waits for this rank's part of a job.
func (r *run) await(j *job) {
	for limit, start := patience, time.Now(); ; limit *= 2 {
		select {
		case <-j.ended:
			return
		case <-time.After(limit):
		}
		text := fmt.Sprintf("step %d: rank %d has waited %v for the disk, to write %s of step %d: %s", r.n, r.Rank, time.Since(start).Round(time.Second), j.kind, j.step, j.path)
		if r.Root {
			r.options.Report.Warn(text)
		} else {
			fmt.Fprintln(os.Stderr, "lbmsim: warning:", text)
		}
	}
}

// Rows of CSV files that cannot be written wait in memory.
const (
	rowsWait = 1 + iota
	rowsLost // there were too many
)

// rowsFail tells, on rank 0, how it stands with them.
func (r *run) rowsFail() (state int64, failed error) {
	for _, t := range r.tables() {
		f := t.table().file
		if f == nil {
			continue
		}
		err, final := f.Failing()
		switch {
		case final:
			state = rowsLost
		case err != nil:
			state = max(state, rowsWait)
		}
		failed = errors.Join(failed, err)
	}
	return state, failed
}

// lookAtRows is collective: rows that cannot be written stop the run or are told, once
// each time that it begins. Rows that are lost stop it in any case.
func (r *run) lookAtRows(state int64) error {
	before := r.control.rows
	r.control.rows = state
	if state <= before {
		return nil
	}
	_, err := r.rowsFail()
	err = r.all("rows of CSV files", err)
	if _, agreed := ExitCode(err); state == rowsLost || !agreed || err == nil || !r.goesOn("rows") {
		r.faults.disk = err != nil
		return err
	}
	if r.Root {
		r.options.Report.Warn(fmt.Sprintf("step %d: rows of CSV files wait in memory, the disk does not take them (%v); the run goes on (on_error)", r.n, errors.Unwrap(err)))
	}
	return nil
}
