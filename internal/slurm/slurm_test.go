// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package slurm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inJob gives the test the environment of a job.
func inJob(t *testing.T, env map[string]string) Job {
	t.Helper()
	for _, name := range []string{"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_HET_JOB_ID", "SLURM_JOB_END_TIME"} {
		t.Setenv(name, env[name])
	}
	j, inside := Here()
	if inside != (env["SLURM_JOB_ID"] != "") {
		t.Fatalf("%v: inside a job is %v", env, inside)
	}
	return j
}

// controller puts a program named scontrol into PATH.
func controller(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestNames(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"":     {},
		"7":    {"SLURM_JOB_ID": "7"},
		"5_2":  {"SLURM_JOB_ID": "7", "SLURM_ARRAY_JOB_ID": "5", "SLURM_ARRAY_TASK_ID": "2"},
		"6":    {"SLURM_JOB_ID": "7", "SLURM_HET_JOB_ID": "6"},
		"  7 ": {"SLURM_JOB_ID": "  7 ", "SLURM_JOB_END_TIME": "tomorrow"},
	} {
		if j := inJob(t, env); j.name != want || !j.end.IsZero() {
			t.Errorf("%v: %+v, want the name %q and no end", env, j, want)
		}
	}
}

const running = "JobId=7 JobName=EndTime=3 JobState=RUNNING Reason=None Requeue=1 BatchFlag=1 EndTime=%s Comment=JobState=DONE EndTime=5"

func TestAnswers(t *testing.T) {
	at := time.Unix(1800000000, 0)
	iso := at.In(time.Local).Format("2006-01-02T15:04:05")
	for text, want := range map[string]State{
		fmt.Sprintf(running, "1800000000"): {Name: "RUNNING", Reason: "None", End: at, Batch: true, Again: true},
		fmt.Sprintf(running, iso):          {Name: "RUNNING", Reason: "None", End: at, Batch: true, Again: true},
		fmt.Sprintf(running, "Unknown"):    {Name: "RUNNING", Reason: "None", Batch: true, Again: true},
		"JobState=COMPLETING Reason=TimeLimit Requeue=0 BatchFlag=0 EndTime=1800000000\n": {Name: "COMPLETING", Reason: "TimeLimit", End: at},
		// of several components
		"JobState=RUNNING EndTime=Unknown\nJobState=RUNNING EndTime=1800000009\nJobState=RUNNING EndTime=1800000000": {Name: "RUNNING", End: at, Batch: true, Again: true},
	} {
		if s, err := parse(text); err != nil || s != want {
			t.Errorf("%q: %+v (%v), want %+v", text, s, err, want)
		}
	}
	for _, text := range []string{"", "\n", "slurm_load_jobs error: nonsense", "JobState="} {
		if s, err := parse(text); err == nil {
			t.Errorf("%q is taken for an answer: %+v", text, s)
		}
	}
}

func TestQuestions(t *testing.T) {
	j := inJob(t, map[string]string{"SLURM_JOB_ID": "7"})
	controller(t, `echo "JobState=$SLURM_TIME_FORMAT Reason=$1,$2,$3,$4"`)
	if s, err := j.Ask(); err != nil || s.Name != "%s" || s.Reason != "-o,show,job,7" {
		t.Errorf("%+v %v", s, err)
	}
	controller(t, `echo "Requested operation is presently disabled for job $2" >&2; exit 1`)
	if err := j.Requeue(); err == nil || !strings.Contains(err.Error(), "scontrol requeue 7: Requested operation is presently disabled for job 7") {
		t.Error(err)
	}
	controller(t, "kill -TERM $$; kill -TERM $$; echo JobState=COMPLETING\n")
	if s, err := j.Ask(); err != nil || s.Name != "COMPLETING" {
		t.Errorf("SLURM ends the job while scontrol asks: %+v %v", s, err)
	}
	if err := j.Requeue(); err != nil {
		t.Errorf("SLURM ends the job while scontrol puts it back: %v", err)
	}
	// A signal that came before the shell was deaf.
	controller(t, "echo JobState=COMPLETING\n")
	shell := filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], "sh")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\n[ -e \"$0.begun\" ] || { : >\"$0.begun\"; kill -TERM $$; }; exec /bin/sh \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if s, err := j.Ask(); err != nil || s.Name != "COMPLETING" {
		t.Errorf("SLURM ends scontrol before it is deaf: %+v %v", s, err)
	}
	if _, err := os.Stat(shell + ".begun"); err != nil {
		t.Error("the shell was not asked for")
	}
	controller(t, "kill -SEGV $$\n")
	if _, err := j.Ask(); err == nil || !strings.Contains(err.Error(), "scontrol -o show job 7: signal: segmentation fault") {
		t.Errorf("scontrol that crashes: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := j.Ask(); !errors.Is(err, ErrNoScontrol) {
		t.Error(err)
	}
	if err := j.Requeue(); !errors.Is(err, ErrNoScontrol) {
		t.Error(err)
	}
}

// after returns the end by the clock of a job that has received these answers.
func after(j Job, answers ...any) time.Time {
	c := j.clock()
	for _, a := range answers {
		_ = c.ask(func() (State, error) {
			if err, bad := a.(error); bad {
				return State{}, err
			}
			return a.(State), nil
		})
	}
	return c.End()
}

func TestClock(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	in := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	env := func(end time.Time) Job {
		return inJob(t, map[string]string{"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": fmt.Sprint(end.Unix())})
	}
	unknown := inJob(t, map[string]string{"SLURM_JOB_ID": "7"})
	runs := func(end time.Time) State { return State{Name: "RUNNING", End: end} }
	for _, c := range []struct {
		what    string
		job     Job
		answers []any
		want    time.Time
	}{
		{"by the environment", env(in(10)), nil, in(10)},
		{"in the environment of a job which has ended", env(in(-10)), nil, time.Time{}},
		{"no answer", env(in(10)), []any{errors.New("away")}, in(10)},
		{"no scontrol", env(in(10)), []any{ErrNoScontrol}, in(10)},
		{"by the controller", unknown, []any{runs(in(5))}, in(5)},
		{"moved", env(in(10)), []any{runs(in(10)), errors.New("away"), runs(in(60))}, in(60)},
		{"taken away", env(in(10)), []any{runs(time.Time{})}, time.Time{}},
		{"of a job that has ended", unknown, []any{State{Name: "COMPLETED", End: in(-1)}}, time.Time{}},
	} {
		if got := after(c.job, c.answers...); !got.Equal(c.want) {
			t.Errorf("%s: the end is %v, want %v", c.what, got, c.want)
		}
	}
}

// Where the environment does not give the end, it is known before the run begins.
func TestFollow(t *testing.T) {
	end := time.Now().Add(time.Hour).Unix()
	controller(t, fmt.Sprintf("echo JobState=RUNNING EndTime=%d", end))
	c := inJob(t, map[string]string{"SLURM_JOB_ID": "7"}).Follow()
	defer c.Close()
	if got := c.End().Unix(); got != end {
		t.Errorf("the end is %d, want %d", got, end)
	}
}
