// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package mpitest runs a test's body as the ranks of a real MPI job: the test
// starts its own binary again under mpirun. Where that is missing the test is skipped
// with the reason, or fails if LBMSIM_REQUIRE_MPI=1. LBMSIM_MPIRUN names another
// mpirun, options included.
package mpitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/mpi"
)

// child holds the name of the test whose body a process runs as a rank.
const child = "LBMSIM_MPITEST_RANK_OF"

// Run runs body on each of the given numbers of ranks, as subtests. A rank that
// fails or panics ends its job. A call of Run must be the only one in its test
// (subtests allowed).
func Run(t *testing.T, ranks []int, body func(c comm.Comm) error) {
	t.Helper()
	if Rank(t, body) {
		return
	}
	for _, n := range ranks {
		t.Run(fmt.Sprintf("%d ranks", n), func(t *testing.T) {
			// The ranks run the test above this subtest.
			name := t.Name()[:strings.LastIndex(t.Name(), "/")]
			if job := Launch(t, name, n); job.Code != 0 {
				t.Errorf("exit code %d after %v:\n%s", job.Code, job.Time.Round(time.Millisecond), job.Output)
			}
		})
	}
}

// Rank runs body if this process is a rank of test t, and reports whether it is.
func Rank(t *testing.T, body func(c comm.Comm) error) bool {
	t.Helper()
	if os.Getenv(child) != t.Name() {
		return false
	}
	c := mpi.New()
	fail := func(code int, err any) {
		fmt.Fprintf(os.Stderr, "%s, rank %d: %v\n", t.Name(), c.Rank(), err)
		c.Abort(code)
	}
	defer func() {
		if p := recover(); p != nil {
			fail(3, fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := c.Init(); err != nil {
		fail(1, err)
	}
	if err := body(c); err != nil {
		fail(1, err)
	}
	c.Finalize()
	if t.Failed() {
		mpi.Exit(1)
	}
	mpi.Exit(0) // not by the test's own end: see mpi.Exit
	return true
}

// Job is the outcome of a launched job.
type Job struct {
	Code   int // mpirun's exit code, -1 if it had to be killed
	Output string
	Time   time.Duration
}

// Launch runs the test called name of this binary on n ranks, whose process then
// finds itself in Rank. env is added to the environment.
func Launch(t *testing.T, name string, n int, env ...string) Job {
	t.Helper()
	args, more := Mpirun(t)
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "-np", strconv.Itoa(n), self, "-test.run="+strings.Join(parts, "/"), "-test.timeout=120s")
	return run(t, args, append(append(more, child+"="+name), env...))
}

func run(t *testing.T, args, env []string) Job {
	t.Helper()
	limit, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limit, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	// mpirun passes a polite end on to its ranks, even those on other nodes.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && limit.Err() == nil {
		t.Fatalf("start %q: %v", args, err)
	}
	return Job{cmd.ProcessState.ExitCode(), out.String(), time.Since(start)}
}

// Mpirun returns the command line of the launcher, up to -np, and the environment that it
// needs; the ranks find the library that belongs to it. Tests may put more ranks on a
// machine than it has cores, run as root in containers, and use threads.
func Mpirun(t *testing.T) (args, env []string) {
	t.Helper()
	if own := strings.Fields(os.Getenv("LBMSIM_MPIRUN")); len(own) > 0 {
		if OpenMPI(own[0]) {
			env = rootMayRun
		}
		return own, env
	}
	for _, name := range []string{"mpirun", "mpiexec"} {
		path, err := exec.LookPath(name)
		switch {
		case err != nil:
		case OpenMPI(path):
			return []string{path, "--oversubscribe", "--bind-to", "none"}, rootMayRun
		default:
			return []string{path}, nil
		}
	}
	const reason = "no mpirun or mpiexec on PATH: this test needs one, or LBMSIM_MPIRUN"
	if os.Getenv("LBMSIM_REQUIRE_MPI") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
	return nil, nil
}

var rootMayRun = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}

// OpenMPI reports whether a launcher is Open MPI's.
func OpenMPI(launcher string) bool {
	version, err := exec.Command(launcher, "--version").Output()
	return err == nil && strings.Contains(string(version), "open-mpi.org")
}
