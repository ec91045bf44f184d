// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lbmsim/io/status"
)

// Runs in a simulated SLURM job, whose scontrol is a script. make test-slurm does the same on a
// real SLURM.

// controller creates a scontrol that reports the test's state of its job and logs requests. It
// returns its folder.
func controller(t *testing.T, job, requeue string) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in\n*show*) echo \"%s\" ;;\n*) echo \"$*\" >>%s/asked; %s ;;\nesac\n", job, dir, requeue)
	if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inJob returns the command of a case run as the job of that controller, with additional environment variables.
func inJob(t *testing.T, ctx context.Context, dir, controller string, ranks int, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t, ctx, dir, ranks, args...)
	path := "PATH=" + controller + ":" + os.Getenv("PATH")
	cmd.Env = append(cmd.Env, "SLURM_JOB_ID=7", path)
	if ranks == 0 {
		cmd.Env = append(cmd.Env, env...)
	} else { // launchers prepend their own folders
		bin, _ := binary()
		cmd.Args = slices.Insert(cmd.Args, slices.Index(cmd.Args, bin), append([]string{"/usr/bin/env", path}, env...)...)
	}
	return cmd
}

func asked(t *testing.T, controller string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(controller, "asked"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

const batchJob = "JobState=RUNNING Reason=None Requeue=1 BatchFlag=1"

// A job whose time ends is requeued repeatedly until its run is done.
func TestRequeueSelf(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	writeCase(t, dir, fmt.Sprintf(box, 1_000_000_000, 1_000_000))
	out := filepath.Join(dir, "out", "case")
	last := 0
	for leg, ranks := range []int{2, 0, 3} {
		job := controller(t, batchJob, "exit 0")
		r := finish(t, inJob(t, ctx, dir, job, ranks, nil, "run", "case.toml", "--requeue-self", "--set", "run.wall_time=0.3 s"))
		if r.code != 0 || asked(t, job) != "requeue 7" || !strings.Contains(r.out, "wall time limit: step") || strings.Count(r.out, "is requeued") != 1 {
			t.Fatalf("leg %d: exit code %d, scontrol was asked %q\n%s", leg, r.code, asked(t, job), r.out)
		}
		s, err := status.Read(out)
		if err != nil || s.First != last || s.Step <= s.First || s.Reason != "wall time limit" || *s.ExitCode != 0 {
			t.Fatalf("leg %d: %+v %v", leg, s, err)
		}
		last = s.Step
	}
	job := controller(t, batchJob, "exit 0")
	r := finish(t, inJob(t, ctx, dir, job, 2, nil, "run", "case.toml", "--requeue-self", "--set", fmt.Sprintf("run.steps=%d", last+30)))
	if r.code != 0 || asked(t, job) != "" || !strings.Contains(r.out, "all steps done") {
		t.Fatalf("the last leg: exit code %d, scontrol was asked %q\n%s", r.code, asked(t, job), r.out)
	}
	straight := t.TempDir()
	if r := runProgram(t, straight, 3, writeCase(t, straight, fmt.Sprintf(box, last+30, 1_000_000))); r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.out)
	}
	if !bytes.Equal(lastState(t, dir), lastState(t, straight)) {
		t.Error("the state after four jobs differs from a single run's")
	}
}

// Obstacles to a requeue are reported before the run, on all ranks with code 2; those known only at
// its end, then.
func TestRequeueSelfIsRefused(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	const save = "[checkpoint]"
	over := fmt.Sprintf("SLURM_JOB_END_TIME=%d", time.Now().Unix()+3600)
	for name, c := range map[string]struct {
		job, requeue string
		env          []string // instead of the job's
		text         string   // of the case; empty: the usual
		args         []string
		code         int
		want         string
		asked        string
	}{
		"no job":          {job: batchJob, env: []string{"SLURM_JOB_ID="}, code: 2, want: "not a SLURM job"},
		"no checkpoint":   {job: batchJob, text: "none", code: 2, want: "has no [checkpoint]"},
		"no scontrol":     {job: batchJob, env: []string{"PATH=/nowhere"}, code: 2, want: "scontrol, which requeues a job, is not on PATH"},
		"no batch script": {job: "JobState=RUNNING Requeue=1 BatchFlag=0", code: 2, want: "has no batch script"},
		"not again":       {job: "JobState=RUNNING Requeue=0 BatchFlag=1", code: 2, want: "sbatch --requeue"},
		"a restart":       {job: batchJob, args: []string{"--restart", "latest"}, code: 2, want: "remove --restart"},
		"not one step":    {job: batchJob, env: []string{over}, args: []string{"--set", "run.end_margin=2 h"}, code: 1, want: "no step was computed"},
		"refused at last": {job: batchJob, requeue: "echo not today >&2; exit 1", args: []string{"--set", "run.wall_time=0.5 s"}, code: 1, want: "scontrol requeue 7: not today; the run is on disk", asked: "requeue 7"},
		"cancelled":       {job: "JobState=COMPLETING Reason=None Requeue=1 BatchFlag=1", args: []string{"--set", "run.wall_time=0.5 s"}, want: "was ended externally"},
		"at SLURM's end":  {job: "JobState=COMPLETING Reason=TimeLimit Requeue=1 BatchFlag=1", args: []string{"--set", "run.wall_time=0.5 s"}, want: "is requeued", asked: "requeue 7"},
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(box, 1_000_000_000, 1_000_000)
		if c.text == "none" {
			text = text[:strings.Index(text, save)]
		}
		writeCase(t, dir, text)
		job := controller(t, c.job, cmp.Or(c.requeue, "exit 0"))
		ranks := 0
		if c.code == 1 || name == "no job" { // all of them end alike
			ranks = 2
		}
		cmd := inJob(t, ctx, dir, job, ranks, c.env, append([]string{"run", "case.toml", "--requeue-self"}, c.args...)...)
		r := finish(t, cmd)
		if r.code != c.code || strings.Count(r.out, c.want) != 1 || asked(t, job) != c.asked {
			t.Errorf("%s: exit code %d, scontrol was asked %q\n%s", name, r.code, asked(t, job), r.out)
		}
	}
}
