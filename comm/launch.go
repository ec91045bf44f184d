// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package comm

import "strconv"

// Launch is the environment's information on the launcher that started this
// process as one of several ranks.
type Launch struct {
	By    string // "Open MPI", "a PMI launcher", ...
	Rank  int    // of this process
	Ranks int    // 0 if the launcher does not set it
}

// PMI is the name of launchers with PMI, version 1 or 2: Hydra and srun.
const PMI = "a PMI launcher"

// launchers in the order of trust. SLURM comes last: under mpirun inside a SLURM
// job its variables belong to mpirun's own daemons and are the same in every
// rank. SLURM_STEP_NUM_TASKS rather than SLURM_NTASKS, since the latter is also set in a batch
// script, which is not a rank.
var launchers = []struct{ by, rank, ranks string }{
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{PMI, "PMI_RANK", "PMI_SIZE"},
	{"PALS", "PALS_RANKID", "PALS_SIZE"},
	{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
	{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
	{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
	{"a PMIx launcher", "PMIX_RANK", ""},
}

// Launched reports whether this process was started as a rank by a known launcher; lookup is
// os.LookupEnv. Without one, Serial is the right Comm: an MPI library started without a launcher
// may spawn daemons, open network devices, or end the process where these are forbidden. With one,
// and more than one rank, Serial would run as many copies that overwrite each other's files:
// refuse.
func Launched(lookup func(string) (string, bool)) (Launch, bool) { return launchedBy(lookup, "") }

// LaunchedByPMI is Launched for a process whose launcher is known to use PMI, whatever an outer launcher has
// set in the environment.
func LaunchedByPMI(lookup func(string) (string, bool)) (Launch, bool) {
	return launchedBy(lookup, PMI)
}

func launchedBy(lookup func(string) (string, bool), only string) (Launch, bool) {
	number := func(name string) int {
		text, _ := lookup(name)
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0
		}
		return n
	}
	for _, l := range launchers {
		if _, ok := lookup(l.rank); !ok || only != "" && l.by != only {
			continue
		}
		if _, ok := lookup(l.ranks); !ok && l.by == "srun" {
			continue // a batch script
		}
		found := Launch{By: l.by, Rank: number(l.rank), Ranks: number(l.ranks)}
		if _, step := lookup("SLURM_PROCID"); step && found.Ranks == 0 {
			found.Ranks = number("SLURM_STEP_NUM_TASKS")
		}
		return found, true
	}
	return Launch{}, false
}

// localRanks are the variables that number the ranks of one node, in the order of trust: the
// variables of MPI launchers before the batch systems'.
var localRanks = []string{
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID", // Hydra: MPICH, Intel MPI
	"MV2_COMM_WORLD_LOCAL_RANK",
	"PMI_LOCAL_RANK",
	"PALS_LOCAL_RANKID",
	"FLUX_TASK_LOCAL_ID",
	slurmLocal,
}

const slurmLocal = "SLURM_LOCALID"

// LocalByLauncher returns this rank's number on its node from the launcher's environment, and the variable that has it; lookup is
// os.LookupEnv. If no variable has it, LocalRank queries the message layer instead. SLURM's number counts only in processes
// started by srun, whose SLURM rank is the rank of c: under mpirun inside a job it belongs to mpirun's daemon.
func LocalByLauncher(c Comm, lookup func(string) (string, bool)) (local int, by string, ok bool) {
	number := func(name string) (int, bool) {
		text, _ := lookup(name)
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= 0
	}
	for _, name := range localRanks {
		n, ok := number(name)
		if !ok {
			continue
		}
		if name == slurmLocal {
			rank, ok1 := number("SLURM_PROCID")
			size, ok2 := number("SLURM_STEP_NUM_TASKS")
			if !ok1 || !ok2 || rank != c.Rank() || size != c.Size() {
				continue
			}
		}
		return n, name, true
	}
	return 0, "", false
}
