#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim on the CPUs of one or more nodes, as a SLURM job:
#
#   sbatch jobs/slurm/cpu.sh case.toml
#   sbatch --nodes=4 jobs/slurm/cpu.sh case.toml
#   sbatch jobs/slurm/cpu.sh case.toml --restart latest     resume from the last checkpoint
#
# All arguments go to `lbmsim run`; options before the script's name go to
# sbatch and win over the lines below. Try the case first, which costs nothing:
# `lbmsim check case.toml -n RANKS` prints the memory per rank.

# --- what a site changes ---------------------------------------------------
# The partition and the account, where the site wants them (## are comments):
##SBATCH --partition=standard
##SBATCH --account=project

# Ranks times cores = the cores of a node. A rank's threads share its part of the
# domain; a rank per memory domain (socket, or NUMA node: `lscpu` counts them)
# keeps every thread beside its memory. The flow solver is bound by memory: where
# cores outnumber what the memory feeds, fewer are as fast.
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1

# The whole node: a neighbour on the same memory would slow all ranks down.
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=01:00:00

# Two minutes before the time is over every rank gets USR1: lbmsim then writes a
# checkpoint and ends. Large cases on slow disks need more than 120 seconds.
#SBATCH --signal=USR1@120

#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%j.log
# A job that is put back into the queue continues the same log.
#SBATCH --open-mode=append

# The MPI library that the program finds when it starts (docs/admins.md):
# module load openmpi

# The program: LBMSIM=/path/to/lbmsim, or bin/lbmsim here, or the one in PATH.
program=${LBMSIM:-}
if [ -z "$program" ]; then
	program=lbmsim
	[ -x bin/lbmsim ] && program=bin/lbmsim
fi

# How srun and the MPI library find each other: pmix for Open MPI, pmi2 for MPICH,
# Intel MPI and MVAPICH; cray_shasta on HPE Cray. `srun --mpi=list` names the
# site's.
mpi=${LBMSIM_SRUN_MPI:-pmix}
# --- end of what a site changes --------------------------------------------

set -euo pipefail
if [ $# -eq 0 ]; then
	echo "cpu.sh: which case? sbatch jobs/slurm/cpu.sh case.toml" >&2
	exit 2
fi
if ! command -v "$program" >/dev/null; then
	echo "cpu.sh: no program $program; build it here with 'make build', or set LBMSIM" >&2
	exit 2
fi
echo "cpu.sh: $SLURM_JOB_NUM_NODES node(s) $SLURM_JOB_NODELIST, $SLURM_NTASKS ranks of ${SLURM_CPUS_PER_TASK:-1} core(s)"

# srun does not take the number of cores over from sbatch since SLURM 22.05, so it
# is said again. A rank that fails takes all others down at once.
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --cpu-bind=cores \
	--kill-on-bad-exit=1 "$program" run "$@"
