#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim on several GPUs of one node, as a SLURM job: a rank for each GPU.
#
#   sbatch jobs/slurm/node.sh case.toml
#   sbatch --ntasks-per-node=8 --gpus-per-node=8 jobs/slurm/node.sh case.toml
#
# All arguments go to `lbmsim run`; options before the script's name go to sbatch and
# win over the lines below.

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# As many ranks as GPUs; lbmsim refuses more. Every rank sees all GPUs of the job and
# takes the GPU of its local rank. --gpus-per-task=1 and --gpu-bind=none work
# too; docs/slurm.md compares them.
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --mem=64G
#SBATCH --time=01:00:00
# Two minutes before the time is over lbmsim writes a checkpoint and ends.
#SBATCH --signal=USR1@120
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# The MPI library and the CUDA that the program finds when it starts (docs/admins.md):
# module load openmpi cuda
program=${LBMSIM:-$(command -v bin/lbmsim || echo lbmsim)} # bin/lbmsim here, or the one in PATH
mpi=${LBMSIM_SRUN_MPI:-pmix}  # `srun --mpi=list`: pmix for Open MPI, pmi2 for MPICH and Intel MPI
# --- end of what a site changes ---

set -euo pipefail
: "${1:?which case? sbatch jobs/slurm/node.sh case.toml}"
# A rank that fails takes all others down at once.
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=1 \
	"$program" run --device cuda "$@"
