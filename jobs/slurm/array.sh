#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Several cases side by side, each a separate job on one GPU, as an array:
#
#   sbatch --array=0-2 jobs/slurm/array.sh a.toml b.toml c.toml
#   sbatch --array=0-99%8 jobs/slurm/array.sh sweep/*.toml       8 at a time
#   sbatch --array=1 jobs/slurm/array.sh a.toml b.toml c.toml --restart latest
#
# Job N of the array takes the Nth case, counted from 0; arguments that do not end in .toml
# go to every `lbmsim run`. The names of the cases must differ, for each writes to out/NAME.

# --- what a site changes (## are comments) ---
##SBATCH --partition=gpu
##SBATCH --account=project
# For each case:
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=01:00:00
# Two minutes before the time is over lbmsim writes a checkpoint and ends.
#SBATCH --signal=USR1@120
#SBATCH --job-name=lbmsim
#SBATCH --output=lbmsim-%A_%a.log
# The MPI library and the CUDA that the program finds when it starts (docs/admins.md):
# module load openmpi cuda
program=${LBMSIM:-$(command -v bin/lbmsim || echo lbmsim)} # bin/lbmsim here, or the one in PATH
mpi=${LBMSIM_SRUN_MPI:-pmix}  # `srun --mpi=list`: pmix for Open MPI, pmi2 for MPICH and Intel MPI
# --- end of what a site changes ---

set -euo pipefail
cases=()
options=()
for word; do
	case $word in
	*.toml) cases+=("$word") ;;
	*) options+=("$word") ;;
	esac
done
number=${SLURM_ARRAY_TASK_ID:?no array: sbatch --array=0-2 jobs/slurm/array.sh a.toml b.toml c.toml}
if [ "$number" -ge ${#cases[@]} ]; then
	echo "array.sh: --array asks for case $number, counted from 0; there are ${#cases[@]}" >&2
	exit 2
fi
exec srun --mpi="$mpi" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
	"$program" run --device cuda "${cases[$number]}" ${options[@]+"${options[@]}"}
