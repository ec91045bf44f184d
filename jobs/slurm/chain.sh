#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# A run that is longer than a job may be: when the job's time is nearly over, lbmsim writes
# a checkpoint and puts the job back into the queue, which then resumes from it.
#
#   sbatch jobs/slurm/chain.sh case.toml
#   scancel JOB                                 ends the chain; so does a file out/CASE/stop.now
#
# One job number and one log for the whole chain. A job that SLURM itself requeues,
# after a node failed or for one that is more urgent, continues in the same way; so
# does a second sbatch of the same case. The case needs [checkpoint]; how much time is
# kept free for the last one is end_margin in its [run].
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
# A job that may be requeued, and a log that is continued.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# The MPI library and the CUDA that the program finds when it starts (docs/admins.md):
# module load openmpi cuda
program=${LBMSIM:-$(command -v bin/lbmsim || echo lbmsim)} # bin/lbmsim here, or the one in PATH
mpi=${LBMSIM_SRUN_MPI:-pmix}  # `srun --mpi=list`: pmix for Open MPI, pmi2 for MPICH and Intel MPI
# --- end of what a site changes ---

set -euo pipefail
: "${1:?which case? sbatch jobs/slurm/chain.sh case.toml}"
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=1 \
	"$program" run --requeue-self --device cuda "$@"
