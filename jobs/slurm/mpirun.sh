#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim on the GPUs of several nodes, started by mpirun instead of srun: for a site
# whose srun and MPI library do not find each other.
#
#   sbatch jobs/slurm/mpirun.sh case.toml
#
# All arguments go to `lbmsim run`; options before the script's name go to sbatch and
# win over the lines below.

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# As many ranks as GPUs on every node. --gpus-per-node, not --gpus-per-task: mpirun
# starts one process a node through SLURM, which would get the GPU of one task.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=01:00:00
# B: the script below gets the signal two minutes before the time is over, and hands
# it to mpirun, which hands it to the ranks: lbmsim writes a checkpoint and ends.
#SBATCH --signal=B:USR1@120
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# The MPI library and the CUDA that the program finds when it starts (docs/admins.md):
# module load openmpi cuda
program=${LBMSIM:-$(command -v bin/lbmsim || echo lbmsim)} # bin/lbmsim here, or the one in PATH
# Open MPI, which learns the nodes from SLURM by itself. A rank is not bound to one core, because its threads share
# --cpus-per-task of them. MPICH: mpiexec -bind-to none.
mpirun=("${LBMSIM_MPIRUN:-mpirun}" --bind-to none -np "$SLURM_NTASKS")
# --- end of what a site changes ---

set -euo pipefail
: "${1:?which case? sbatch jobs/slurm/mpirun.sh case.toml}"
"${mpirun[@]}" "$program" run --device cuda "$@" &
run=$!
over=
trap 'over=yes; kill -USR1 $run || true' USR1
wait $run && code=0 || code=$?
# The signal ends `wait` as well, while the ranks still write their checkpoint.
[ -z "$over" ] || { wait $run && code=0 || code=$?; }
exit $code
