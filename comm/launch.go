package comm

import "strconv"

// Launch is what the environment tells about the launcher that started this
// process as one of several ranks.
type Launch struct {
	By    string // "Open MPI", "a PMI launcher", ...
	Ranks int    // 0 when the launcher does not say
}

// launchers in the order of trust. SLURM comes last: under mpirun inside a SLURM
// job its variables belong to mpirun's own daemons and are the same in every
// rank. SLURM_STEP_NUM_TASKS rather than SLURM_NTASKS, for the latter is set in a
// batch script too, which is no rank.
var launchers = []struct{ by, rank, ranks string }{
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{"a PMI launcher", "PMI_RANK", "PMI_SIZE"},
	{"PALS", "PALS_RANKID", "PALS_SIZE"},
	{"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
	{"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
	{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
	{"a PMIx launcher", "PMIX_RANK", ""},
}

// Launched tells whether this process was started as a rank by a launcher that
// it knows; lookup is os.LookupEnv. Without one, Serial is the right Comm: an MPI
// library started by itself may spawn daemons, open network devices, or end the
// process where those are forbidden. With one, and more than one rank, Serial
// would be that many copies of one run that overwrite each other's files: refuse.
func Launched(lookup func(string) (string, bool)) (Launch, bool) {
	for _, l := range launchers {
		if _, ok := lookup(l.rank); !ok {
			continue
		}
		size, ok := lookup(l.ranks)
		n, err := strconv.Atoi(size)
		if err != nil {
			n = 0
		}
		if !ok && l.by == "srun" {
			continue // a batch script
		}
		return Launch{By: l.by, Ranks: n}, true
	}
	return Launch{}, false
}
