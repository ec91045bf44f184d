// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"lbmsim/comm"
	"lbmsim/comm/commtest"
)

func TestLocal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8} {
		for _, check := range commtest.Checks {
			t.Run(fmt.Sprintf("%d ranks/%s", n, check.Name), func(t *testing.T) {
				if err := comm.RunLocal(n, check.Run); err != nil {
					t.Error(err)
				}
				bare := func(c comm.Comm) error { return check.Run(commtest.Bare(c)) }
				if err := comm.RunLocal(n, bare); err != nil {
					t.Errorf("with messages only: %v", err)
				}
			})
		}
	}
}

func TestSerial(t *testing.T) {
	c := comm.Serial()
	for _, check := range commtest.Checks {
		if err := check.Run(c); err != nil {
			t.Errorf("%s: %v", check.Name, err)
		}
	}
	if _, ok := c.(interface {
		comm.NonBlocking
		comm.Collective
		comm.Aborter
		comm.Node
		comm.Describer
	}); !ok {
		t.Error("the serial communicator lacks an ability")
	}
	if err := c.Send(comm.Raw{1}, 0, 0); err == nil || !strings.Contains(err.Error(), "Isend") {
		t.Errorf("a blocking send to oneself: %v", err)
	}
}

// The trees stay shallow: thousands of ranks start as fast as a few.
func TestManyRanks(t *testing.T) {
	err := comm.RunLocal(1500, func(c comm.Comm) error {
		if err := comm.Barrier(c); err != nil {
			return err
		}
		if _, err := comm.Broadcast(c, []byte("case")); err != nil {
			return err
		}
		parts, err := comm.Gather(c, []byte(fmt.Sprint(c.Rank())))
		if err != nil {
			return err
		}
		for r, p := range parts {
			if string(p) != fmt.Sprint(r) {
				return fmt.Errorf("part of rank %d is %q", r, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAbortEndsPendingCalls(t *testing.T) {
	ranks := comm.Local(3)
	var wg sync.WaitGroup
	for _, wait := range []func() error{
		func() error { return ranks[0].Receive(&comm.Raw{0}, 1, 0) },
		func() error { return comm.Barrier(ranks[1]) },
	} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var abort *comm.AbortError
			if err := wait(); !errors.As(err, &abort) || abort.Code != 7 || abort.Rank != 2 {
				t.Errorf("the pending call returned %v", err)
			}
		}()
	}
	time.Sleep(10 * time.Millisecond)
	ranks[2].(comm.Aborter).Abort(7)
	wg.Wait()
	if err := ranks[0].Send(comm.Raw{1}, 1, 0); err == nil {
		t.Error("a call after the abort went through")
	}
}

func TestRunLocalReportsPanics(t *testing.T) {
	err := comm.RunLocal(3, func(c comm.Comm) error {
		if c.Rank() == 1 {
			panic("out of cheese")
		}
		return comm.Barrier(c)
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1 panicked: out of cheese") {
		t.Errorf("got %v", err)
	}
}

func TestMixedKindsAreExplained(t *testing.T) {
	err := comm.RunLocal(2, func(c comm.Comm) error {
		if c.Rank() == 0 {
			return c.Send("text", 1, 0)
		}
		return c.Receive(comm.Raw{0}, 0, 0)
	})
	if err == nil || !strings.Contains(err.Error(), "raw bytes") {
		t.Errorf("got %v", err)
	}
}

// environment returns a lookup function for the variables in "NAME=VALUE NAME=VALUE".
func environment(text string) func(string) (string, bool) {
	env := map[string]string{}
	for _, kv := range strings.Fields(text) {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	return func(k string) (string, bool) { v, ok := env[k]; return v, ok }
}

func TestLocalByLauncher(t *testing.T) {
	for _, test := range []struct {
		env  string // of rank 2 of 4
		want int
		by   string // "" when the launcher does not set it
	}{
		{"", 0, ""},
		{"OMPI_COMM_WORLD_LOCAL_RANK=1", 1, "OMPI_COMM_WORLD_LOCAL_RANK"},
		{"MPI_LOCALRANKID=3", 3, "MPI_LOCALRANKID"},
		{"MV2_COMM_WORLD_LOCAL_RANK=0", 0, "MV2_COMM_WORLD_LOCAL_RANK"},
		{"PMI_LOCAL_RANK=2", 2, "PMI_LOCAL_RANK"},
		{"PALS_LOCAL_RANKID=5", 5, "PALS_LOCAL_RANKID"},
		{"FLUX_TASK_LOCAL_ID=1", 1, "FLUX_TASK_LOCAL_ID"},
		{"SLURM_LOCALID=1 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4", 1, "SLURM_LOCALID"},
		// In the order of trust, whatever else is set.
		{"FLUX_TASK_LOCAL_ID=6 PALS_LOCAL_RANKID=5 PMI_LOCAL_RANK=4 MV2_COMM_WORLD_LOCAL_RANK=3 MPI_LOCALRANKID=2 OMPI_COMM_WORLD_LOCAL_RANK=1", 1, "OMPI_COMM_WORLD_LOCAL_RANK"},
		{"FLUX_TASK_LOCAL_ID=6 PALS_LOCAL_RANKID=5 PMI_LOCAL_RANK=4 MV2_COMM_WORLD_LOCAL_RANK=3 MPI_LOCALRANKID=2", 2, "MPI_LOCALRANKID"},
		{"FLUX_TASK_LOCAL_ID=6 PALS_LOCAL_RANKID=5 PMI_LOCAL_RANK=4 MV2_COMM_WORLD_LOCAL_RANK=3", 3, "MV2_COMM_WORLD_LOCAL_RANK"},
		{"FLUX_TASK_LOCAL_ID=6 PALS_LOCAL_RANKID=5 PMI_LOCAL_RANK=4", 4, "PMI_LOCAL_RANK"},
		{"FLUX_TASK_LOCAL_ID=6 PALS_LOCAL_RANKID=5", 5, "PALS_LOCAL_RANKID"},
		{"SLURM_LOCALID=1 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 FLUX_TASK_LOCAL_ID=6", 6, "FLUX_TASK_LOCAL_ID"},
		// mpirun inside a job: SLURM's numbers belong to mpirun's daemon or to the script.
		{"SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 OMPI_COMM_WORLD_LOCAL_RANK=2", 2, "OMPI_COMM_WORLD_LOCAL_RANK"},
		{"SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", 0, ""},
		{"SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_NTASKS=4", 0, ""},
		{"SLURM_LOCALID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3", 0, ""},
		// A value that is not a number is ignored.
		{"OMPI_COMM_WORLD_LOCAL_RANK=x MPI_LOCALRANKID=-1 PMI_LOCAL_RANK=1", 1, "PMI_LOCAL_RANK"},
	} {
		c := comm.Local(4)[2]
		got, by, ok := comm.LocalByLauncher(c, environment(test.env))
		if got != test.want || by != test.by || ok != (test.by != "") {
			t.Errorf("%q: %d by %q (%v), want %d by %q", test.env, got, by, ok, test.want, test.by)
		}
	}
}

func TestLaunched(t *testing.T) {
	for _, test := range []struct {
		env  string
		want comm.Launch
		ok   bool
	}{
		{"", comm.Launch{}, false},
		{"SLURM_PROCID=0 SLURM_NTASKS=4", comm.Launch{}, false}, // a batch script
		{"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 PMIX_RANK=0", comm.Launch{By: "srun", Ranks: 4}, true},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", comm.Launch{By: "Open MPI", Rank: 1, Ranks: 3}, true},
		{"PMI_RANK=2 PMI_SIZE=5", comm.Launch{By: comm.PMI, Rank: 2, Ranks: 5}, true},
		{"PMI_RANK=2", comm.Launch{By: comm.PMI, Rank: 2}, true},
		{"PMIX_RANK=2", comm.Launch{By: "a PMIx launcher", Rank: 2}, true},
		{"PALS_RANKID=1 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4", comm.Launch{By: "PALS", Rank: 1, Ranks: 4}, true},
	} {
		got, ok := comm.Launched(environment(test.env))
		if got != test.want || ok != test.ok {
			t.Errorf("%q: %+v %v, want %+v %v", test.env, got, ok, test.want, test.ok)
		}
	}
}

// Together distributes values to all ranks, in order, for any number of ranks.
func TestTogether(t *testing.T) {
	for n := 1; n <= 5; n++ {
		err := comm.RunLocal(n, func(c comm.Comm) error {
			type pair struct{ Rank, Square int }
			all, err := comm.Together(c, pair{c.Rank(), c.Rank() * c.Rank()})
			if err != nil || len(all) != n {
				return fmt.Errorf("%v %v", all, err)
			}
			for r, p := range all {
				if p != (pair{r, r * r}) {
					return fmt.Errorf("rank %d gave %v", r, p)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}
