#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim on one GPU, as a SLURM job:
#
#   sbatch jobs/slurm/gpu.sh case.toml
#   sbatch jobs/slurm/gpu.sh case.toml --restart latest     resume from the last checkpoint
#
# All arguments go to `lbmsim run`; options before the script's name go to sbatch and
# win over the lines below. `lbmsim check case.toml` prints the memory that a case needs.

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# Where GPUs have types: --gpus-per-node=h200:1. Where SLURM is older: --gres=gpu:1.
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
# A few cores, for output beside the computation.
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
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
: "${1:?which case? sbatch jobs/slurm/gpu.sh case.toml}"
# --device cuda: a job that finds no GPU ends at once, instead of computing on the CPU.
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" "$program" run --device cuda "$@"
