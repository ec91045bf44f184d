#!/bin/bash
# A run that is longer than a job may be: each time the time is over, lbmsim writes a
# checkpoint, the job goes back into the queue, and then continues from it.
#
#   sbatch jobs/slurm/chain.sh case.toml
#   scancel JOB                                 ends the chain
#
# One job number and one log for the whole chain. A job that SLURM itself requeues,
# after a node failed or for one that is more urgent, continues in the same way; so
# does a second sbatch of the same case. The case needs [checkpoint]; its outputs go to
# out/CASE.
#
# Where a site forbids requeueing, chain by dependency, a link for each job:
#   job=$(sbatch --parsable jobs/slurm/nodes.sh case.toml)
#   job=$(sbatch --parsable --dependency=afterok:$job jobs/slurm/nodes.sh case.toml --restart latest)

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# Nodes, ranks and GPUs as in nodes.sh.
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --mem=64G
#SBATCH --time=12:00:00
# B: this script gets the signal five minutes before the time is over, and hands it on.
# It is the time that the checkpoint may take.
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# The modules that the program was built with:
# module load gcc openmpi hdf5
program=${LBMSIM:-bin/lbmsim} # as seen from the folder where sbatch is called
mpi=${LBMSIM_SRUN_MPI:-pmix}  # `srun --mpi=list`: pmix for Open MPI, pmi2 for MPICH
# --- end of what a site changes ---

set -euo pipefail
: "${1:?which case? sbatch jobs/slurm/chain.sh case.toml}"
out=out/$(basename "$1" .toml)

# newest prints the newest checkpoint, or nothing.
newest() {
	find "$out/checkpoints" -type f ! -name '.*' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 || true
}

before=$(newest)
restart=()
[ -z "$before" ] || restart=(--restart latest)

srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=1 \
	"$program" run --device cuda "$@" --output "$out" ${restart[@]+"${restart[@]}"} &
run=$!
over=
trap 'over=yes; kill -USR1 $run || true' USR1 # srun hands it to every rank
wait $run && code=0 || code=$?
# The signal ends `wait` as well, while the ranks still write their checkpoint.
[ -z "$over" ] || { wait $run && code=0 || code=$?; }

# A failed run would fail again; one that got no further would never end.
[ $code -eq 0 ] || { echo "chain.sh: the run failed with code $code: the chain ends" >&2; exit $code; }
[ -n "$over" ] || exit 0
[ "$(newest)" != "$before" ] || { echo "chain.sh: no new checkpoint within this job: the chain ends" >&2; exit 1; }
echo "chain.sh: the time is over: back into the queue"
scontrol requeue "$SLURM_JOB_ID"
