// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package slurm is a run's interface to its SLURM job: the end of the job's time
// and requeueing. It reads the job's environment and queries
// scontrol; no part of SLURM is linked.
package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Job is a job as scontrol names it.
type Job struct {
	name string
	end  time.Time // from the environment; zero if it is not there
}

// Here returns the job that this process is in.
func Here() (j Job, inside bool) {
	id := os.Getenv("SLURM_JOB_ID")
	if id == "" {
		return Job{}, false
	}
	// A part of an array is named as such: the number of its last job is also the number of the whole
	// array. A job of several components goes back as a whole, by the number of its first.
	array, task := os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_ARRAY_TASK_ID")
	if array != "" && task != "" {
		j.name = array + "_" + task
	} else {
		j.name = cmp.Or(os.Getenv("SLURM_HET_JOB_ID"), id)
	}
	j.end = unixTime(os.Getenv("SLURM_JOB_END_TIME")) // since SLURM 23
	return j, true
}

func (j Job) String() string { return "SLURM job " + j.name }

// State is scontrol's report on a job.
type State struct {
	Name   string    // RUNNING, COMPLETING ...
	Reason string    // why it is in that state
	End    time.Time // of its time; zero: no limit
	Batch  bool      // there is a batch script that could be run again
	Again  bool      // the job may be put back into the queue
}

// patience is the time limit for scontrol: a busy controller answers late, and an unreachable one
// must not delay a run.
const patience = 20 * time.Second

// Ask queries the controller.
func (j Job) Ask() (State, error) {
	text, err := scontrol("-o", "show", "job", j.name)
	if err != nil {
		return State{}, err
	}
	return parse(text)
}

// Requeue puts the job back into the queue. SLURM then ends its remaining processes here.
func (j Job) Requeue() error {
	_, err := scontrol("requeue", j.name)
	return err
}

// ErrNoScontrol means that the job's state cannot be queried.
var ErrNoScontrol = errors.New("scontrol is not on PATH")

// deaf runs scontrol with SIGTERM ignored. At the limit of a job's time SLURM sends that
// to all processes of the job, twice: milliseconds apart, or seconds on a busy node. The first one
// has ended the run, and the second one would end the scontrol that is still waiting for its answer.
const deaf = `trap "" TERM; exec scontrol "$@"`

// scontrol runs it, and once more if SIGTERM came before the shell was deaf. Go starts
// processes by vfork, which memory that is registered with a network card survives.
func scontrol(args ...string) (string, error) {
	if _, err := exec.LookPath("scontrol"); err != nil {
		return "", ErrNoScontrol
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	line := strings.Join(append([]string{"scontrol"}, args...), " ")
	for {
		c := exec.CommandContext(ctx, "sh", append([]string{"-c", deaf, "scontrol"}, args...)...)
		c.Env = append(os.Environ(), "SLURM_TIME_FORMAT=%s") // otherwise times of a zone that is not stated
		c.WaitDelay = time.Second
		out, err := c.Output()
		var failed *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return "", fmt.Errorf("%s: no answer within %v", line, patience)
		case errors.As(err, &failed) && failed.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM:
			continue
		case errors.As(err, &failed):
			return "", fmt.Errorf("%s: %s", line, cmp.Or(strings.TrimSpace(string(failed.Stderr)), failed.String()))
		case err != nil:
			return "", fmt.Errorf("%s: %w", line, err)
		default:
			return string(out), nil
		}
	}
}

// parse reads the lines of `scontrol -o show job`, one for each component of the job. The
// first one that ends, ends the job; the other values are the first component's.
func parse(text string) (s State, err error) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		values := map[string]string{}
		for _, word := range strings.Fields(line) {
			key, value, _ := strings.Cut(word, "=")
			if _, again := values[key]; !again { // a comment may look like a key
				values[key] = value
			}
		}
		if values["JobState"] == "" {
			return State{}, fmt.Errorf("scontrol show job: no JobState in %.80q", line)
		}
		if i == 0 {
			s = State{Name: values["JobState"], Reason: values["Reason"], Batch: values["BatchFlag"] != "0", Again: values["Requeue"] != "0"}
		}
		if end := unixTime(values["EndTime"]); s.End.IsZero() || !end.IsZero() && end.Before(s.End) {
			s.End = end
		}
	}
	return s, nil
}

// unixTime reads seconds since 1970, and as scontrol writes times where it does not know
// SLURM_TIME_FORMAT; zero is anything else, such as Unknown.
func unixTime(text string) time.Time {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return time.Unix(n, 0)
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local); err == nil {
		return t
	}
	return time.Time{}
}
