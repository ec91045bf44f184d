#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim on the GPUs of several nodes, as a SLURM job: a rank for each GPU.
#
#   sbatch jobs/slurm/nodes.sh case.toml
#   sbatch --nodes=16 jobs/slurm/nodes.sh case.toml
#
# All arguments go to `lbmsim run`; options before the script's name go to sbatch and
# win over the lines below. jobs/slurm/mpirun.sh does the same with mpirun.

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# As many ranks as GPUs on every node.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
# Whole nodes: ranks that wait for a neighbour are as slow as the slowest.
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=01:00:00
# Two minutes before the time is over every rank gets USR1: lbmsim writes a checkpoint
# and ends.
#SBATCH --signal=USR1@120
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# The MPI library and the CUDA that the program finds when it starts (docs/admins.md):
# module load openmpi cuda
program=${LBMSIM:-$(command -v bin/lbmsim || echo lbmsim)} # bin/lbmsim here, or the one in PATH
mpi=${LBMSIM_SRUN_MPI:-pmix}  # `srun --mpi=list`: pmix for Open MPI, pmi2 for MPICH and Intel MPI
# --- end of what a site changes ---

set -euo pipefail
: "${1:?which case? sbatch jobs/slurm/nodes.sh case.toml}"
# Ranks lie in blocks: neighbours in the domain share a node, so that few faces of a
# node's part cross the network. A rank that fails takes all others down at once.
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --distribution=block \
	--kill-on-bad-exit=1 "$program" run --device cuda "$@"
