#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Tries the job scripts of jobs/slurm in a real SLURM: clusters of 2 and 4 virtual
# nodes on this machine (scripts/slurm-cluster.sh). Called by `make test-slurm`, which
# has installed what is needed; needs root.
#
# Every script runs a case on CPU ranks, whose last state must equal the last state of a
# plain run bit for bit. For the GPUs, which are device files here, the choice of
# a rank's GPU is tested within jobs, for each way in which SLURM assigns them
# (cmd/lbmsim/slurm_test.go). All logs: .build/slurm.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "test-slurm.sh: SLURM's daemons and device files need root" >&2; exit 1; }
root=$PWD
work=$root/.build/slurm
rm -rf "$work"
mkdir -p "$work"
found=$(scripts/env.sh openmpi)
eval "$found"

export LBMSIM=$work/lbmsim LBMSIM_MPIRUN
echo "building with $LBMSIM_FOUND"
go build -buildvcs=false -tags "$LBMSIM_TAGS" -o "$LBMSIM" ./cmd/lbmsim
go test -c -buildvcs=false -tags "$LBMSIM_TAGS" -o "$work/lbmsim.test" ./cmd/lbmsim

# Separate state and ports, so that a cluster that a user tries jobs on stays.
export LBMSIM_SLURM LBMSIM_SLURM_PORT=16950 SLURM_CONF LBMSIM_SLURM_DEV
LBMSIM_SLURM=$(mktemp -d)
LBMSIM_SLURM_DEV=$LBMSIM_SLURM/dev
SLURM_CONF=$(scripts/slurm-cluster.sh conf)
# on_limits turns to a separate cluster for time limits, which run out in minutes, while
# the others come and go.
limits=$LBMSIM_SLURM.limits
on_limits() {
	LBMSIM_SLURM=$limits LBMSIM_SLURM_PORT=16980
	SLURM_CONF=$("$root/scripts/slurm-cluster.sh" conf)
}
cleanup() {
	local code=$? running
	trap - EXIT
	running=$(jobs -p)
	[ -z "$running" ] || { kill $running && wait; } 2>/dev/null || true
	scripts/slurm-cluster.sh stop || true
	(on_limits && scripts/slurm-cluster.sh stop) || true
	[ $code -eq 0 ] || tail -n 3 "$LBMSIM_SLURM"/log/*.log "$limits"/log/*.log >&2 || true
	rm -rf "$LBMSIM_SLURM" "$limits"
	[ $code -eq 0 ] && echo "slurm: all is well" || { echo "slurm: FAILED (logs: $work)"; cat "$work/failed" 2>/dev/null || true; } >&2
	exit $code
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# The virtual nodes have one address, and more ranks than the machine has cores.
export OMPI_MCA_btl=self,tcp OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1

# failed WHAT [LOG...]: reports the failure, with the ends of its logs. It is said once more
# at the very end, with the last lines, below what other jobs still write.
failed() {
	local what="FAILED: $1"
	shift
	{ echo "$what"; [ $# -eq 0 ] || tail -n 5 "$@"; } >>"$work/failed" 2>&1 || true
	{ echo "$what"; [ $# -eq 0 ] || tail -n 30 "$@"; } >&2 || true
	return 1
}

# write_case FILE STEPS EVERY CELLS
write_case() {
	cat >"$1" <<-T
		[domain]
		cells = $4
		periodic = ["y"]
		[fluid]
		viscosity = 0.03
		[boundary.walls]
		type = "wall"
		faces = ["x-", "x+", "z-"]
		[boundary.lid]
		type = "moving_wall"
		faces = ["z+"]
		velocity = [0.05, 0.01, 0]
		[run]
		steps = $2
		[checkpoint]
		every = $3
	T
}

# in_folder NAME: makes a folder with the case in it and goes there.
in_folder() {
	mkdir -p "$work/$1"
	cd "$work/$1"
	[ -e case.toml ] || write_case case.toml 100 50 "[30, 22, 17]"
}

# queued JOB: whether the job waits, runs or is being cleaned up; true as well where SLURM is too
# busy to say.
queued() {
	local said
	said=$(squeue -h -j "$1" 2>&1) || [[ $said != *'Invalid job id'* ]] || return 1
	[ -n "$said" ]
}

# ended JOB [LOG]: waits until the job has left the queue, and has ended well. (sbatch
# --wait looks ever more rarely.) The logs are log-*.txt here if none is named. SLURM repeats
# a message to a node that was too busy to answer after a minute, or after two.
ended() {
	local id=$1 end=$((SECONDS + 300)) states
	shift
	while queued "$id" && [ $SECONDS -lt $end ]; do sleep 0.3; done
	states=$(scontrol -o show job "$id" | grep -oE '(JobState|Reason|ExitCode)=[^ ]*' | sort -u | paste -sd ' ')
	[[ $states == *JobState=COMPLETED* && $states != *JobState=*JobState=* ]] && return
	[ $# -gt 0 ] || set -- log-*.txt
	failed "job $id: $states" "$@"
}

# late LOG...: SLURM's PMIx plugin gave a step up because one of its nodes was not there
# within a second or two. That is no fault of the script: on a busy machine try again.
late() { grep -qsE 'pmix.*exceeded the retry limit' "$@" && echo "note: SLURM's PMIx plugin found a node too slow; once more"; }

# job NAME SBATCH_OPTION... SCRIPT ARGUMENT...: a job that must end well, in a folder NAME.
# Started in the background, as a separate shell that cleanup ends.
job() {
	local name=$1 start=$SECONDS
	in_folder "$1"
	shift
	ended "$(sbatch --parsable --output=log-%j.txt "$@")" ||
		{ late log-*.txt && ended "$(sbatch --parsable --output=log-%j.txt "$@")"; } || exit 1
	echo "ok: job $name ($((SECONDS - start)) s)"
}

# same NAME...: the runs in these folders end as the plain one does.
same() {
	local plain=$work/$1 list=$work/$1 name
	shift
	for name; do list=$list:$work/$name; done
	local said=$work/states-${plain##*/}.txt
	LBMSIM_SLURM_RUNS=$list "$work/lbmsim.test" -test.run '^TestSlurmStates$' >"$said" 2>&1 ||
		{ cat "$said" >&2; exit 1; }
	grep -q '^PASS' "$said"
	echo "ok: the same last state as a plain run, bit for bit: $*"
}

# all_of PID...: waits for jobs that run side by side.
all_of() {
	local pid code=0
	for pid; do wait "$pid" || code=1; done
	return $code
}

ranktest=("$work/lbmsim.test" -test.run '^TestSlurmBinding$' -test.v)
export LBMSIM_MPITEST_RANK_OF=TestSlurmBinding

# report LOG WHAT: the ranks' report of their GPUs, which must not be empty.
report() {
	grep -hE '^(rank|refused)' "$1" | sed 's/^/    /' || { cat "$1" >&2; exit 1; }
	echo "ok: binding, $2"
}

# binding NODES OPTION...: a rank for each of the nodes' GPUs, started by srun.
binding() {
	local nodes=$1 log=$work/binding.txt
	local line=(timeout 60 srun --mpi=pmix --nodes="$nodes" --ntasks=$((2 * nodes)) --ntasks-per-node=2 "${@:2}" "${ranktest[@]}")
	export LBMSIM_SLURM_NODES
	LBMSIM_SLURM_NODES=$(seq -s ' ' -f 'n%g' "$nodes")
	shift
	"${line[@]}" >"$log" 2>&1 || { late "$log" && "${line[@]}" >"$log" 2>&1; } ||
		{ failed "binding $*" "$log"; exit 1; }
	report "$log" "$nodes nodes, srun $*"
}

# binding_mpirun NODES OPTION...: the same, started by mpirun within a job.
binding_mpirun() {
	local nodes=$1 log=$work/binding-mpirun.txt
	shift
	rm -f "$log"
	ended "$(LBMSIM_SLURM_NODES=$(seq -s ' ' -f 'n%g' "$nodes") sbatch --parsable --output="$log" --nodes="$nodes" \
		--ntasks-per-node=2 "$@" --wrap "'$LBMSIM_MPIRUN' --bind-to none -np $((2 * nodes)) ${ranktest[*]@Q}")" "$log" || exit 1
	report "$log" "$nodes nodes, mpirun in sbatch $*"
}

scripts=$root/jobs/slurm

# until_limit NAME MARGIN ENDS RANKS OTHERS: a chain of jobs of a minute each, with an unlimited run
# until the time limit has ended ENDS of them; then the run gets a last step. It keeps MARGIN free.
# Its final state must equal the state of an uninterrupted run on OTHERS ranks. Its steps wait for
# the disk at low priority, so it costs little. Started in the background, like job.
until_limit() {
	name=$1 ends=$3 start=$SECONDS
	mkdir -p "$work/$name"
	cd "$work/$name"
	write_case case.toml 1000000000 2 "[12, 10, 9]"
	sed -i "s/^\\[run\\]/&\nend_margin = \"$2\"/" case.toml
	printf '#!/bin/sh\nexec nice -n 19 "%s" "$@"\n' "$LBMSIM" >patient
	chmod +x patient
	on_limits
	id=$(LBMSIM=$PWD/patient sbatch --parsable --time=1 --output=log.txt --ntasks-per-node="$4" --gpus-per-node=0 \
		--cpus-per-task=1 --mem=100M "$scripts/chain.sh" case.toml --device cpu)
	back() { cat log.txt 2>/dev/null | grep -c 'is requeued, to resume from' || true; }
	until [ "$(back)" -ge "$ends" ]; do
		sleep 0.3
		queued "$id" || [ "$(back)" -ge "$ends" ] || { failed "$name: the job did not go back into the queue" log.txt; exit 1; }
		[ $SECONDS -lt $((start + 180 + 120 * ends)) ] || { failed "$name: $ends time limits in as many minutes and more" log.txt; exit 1; }
	done
	last=$(sed -n 's/.*is requeued, to resume from.*checkpoint_0*\([0-9]*\).h5.*/\1/p' log.txt | tail -n 1)
	sed "s/^steps = .*/steps = $((last + 100))/" case.toml >next.toml
	mv next.toml case.toml
	ended "$id" log.txt || exit 1
	in_folder "$name-plain"
	sed 's/^every = .*/every = 1000000000/' "../$name/case.toml" >case.toml
	"$LBMSIM_MPIRUN" --oversubscribe -np "$5" "$LBMSIM" case.toml --device cpu >log.txt 2>&1 || { cat log.txt >&2; exit 1; }
	same "$name-plain" "$name"
	echo "ok: $name: a time limit of a minute, $ends times and more ($((SECONDS - start)) s)"
}

echo "--- time limits, beside all others"
(on_limits && scripts/slurm-cluster.sh start 2 2 >/dev/null)
until_limit limit "15 s" 3 2 3 & waiting=($!)
# SLURM's signals at the limit: the job is requeued, too.
until_limit limit-off off 1 1 2 & waiting+=($!)

(in_folder plain && "$LBMSIM" case.toml --device cpu >log.txt)

echo "--- 2 nodes of 2 cores and 2 GPUs"
scripts/slurm-cluster.sh start 2 2 2 >/dev/null
binding 2 --gres=gpu:2
binding 2 --gpus-per-node=2
binding 2 --gpus-per-task=1
binding 2 --gres=gpu:2 --gpu-bind=none
binding 2 --gpus-per-task=1 --gpu-bind=none
binding 2 --gres=gpu:2 --gpu-bind=single:1
binding 2 --gres=gpu:2 --gpu-bind=map_gpu:1,0
binding_mpirun 2 --gres=gpu:2
binding_mpirun 2 --gpus-per-node=2
LBMSIM_SLURM_REFUSED="would both use the GPU" binding 2 --gres=gpu:1

on_cpu=(--device cpu)
small=(--cpus-per-task=1 --mem=100M)

# interrupted NAME SCANCEL_OPTION...: once the run in the folder has a checkpoint, ends it with the
# signal that SLURM sends before the time limit.
checkpointed() { find "$work/$1/out/case/checkpoints" -type f ! -name '.*' 2>/dev/null | grep -q .; }
interrupted() {
	local name=$1 tries=600
	shift
	until checkpointed "$name"; do
		sleep 0.1
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { failed "$name: no checkpoint in a minute"; return 1; }
	done
	scancel --signal=USR1 "$@"
}

two=(--ntasks-per-node=2 --gpus-per-node=2)
# The queue runs them one after the other, or concurrently.
(in_folder array && for name in a b c; do cp case.toml $name.toml; done)
pids=()
job gpu "${small[@]}" "$scripts/gpu.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job node "${two[@]}" "${small[@]}" "$scripts/node.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job nodes --nodes=2 "${two[@]}" --cpus-per-task=1 "$scripts/nodes.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job mpirun --nodes=2 "${two[@]}" --cpus-per-task=1 "$scripts/mpirun.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job cpu --nodes=2 "$scripts/cpu.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job array --array=0-2 "${small[@]}" "$scripts/array.sh" a.toml b.toml c.toml "${on_cpu[@]}" & pids+=($!)
all_of "${pids[@]}"
for name in a b c; do mkdir -p "$work/array-$name/out" && ln -s "$work/array/out/$name" "$work/array-$name/out/case"; done
same plain gpu node nodes mpirun cpu array-a array-b array-c

# Longer runs, which are interrupted.
for name in plain-long chain links links-mpirun; do
	mkdir -p "$work/$name"
	write_case "$work/$name/case.toml" 2000 100 "[60, 44, 34]"
done
(in_folder plain-long && "$LBMSIM" case.toml --device cpu >log.txt)

# A chain by requeueing, whose first job is ended by a signal.
job chain --job-name=chain "${two[@]}" "${small[@]}" "$scripts/chain.sh" case.toml "${on_cpu[@]}" & pids=($!)
interrupted chain --name=chain
all_of "${pids[@]}"
grep -q 'is requeued, to resume from' "$work"/chain/log-*.txt || { failed "chain: the run was not interrupted"; exit 1; }

# chained NAME SCRIPT SCANCEL_OPTION...: a chain by dependency, of two jobs.
chained() {
	local name=$1 script=$2 first log
	shift 2
	local options=(--nodes=2 "${two[@]}" --cpus-per-task=1)
	log=$work/$name/first.txt
	first=$(sbatch --parsable --output="$log" --chdir="$work/$name" "${options[@]}" "$script" case.toml "${on_cpu[@]}")
	job "$name" "${options[@]}" --dependency="afterok:$first" "$script" case.toml "${on_cpu[@]}" --restart latest & pids=($!)
	interrupted "$name" "$@" "$first"
	all_of "${pids[@]}"
	grep -q 'restart latest' "$log" || { failed "$name: the first job was not interrupted" "$log"; exit 1; }
}
chained links "$scripts/nodes.sh"
chained links-mpirun "$scripts/mpirun.sh" --batch
same plain-long chain links links-mpirun

# The tutorial, as a reader follows it: lbmsim on PATH, and the source tree in ~/lbmsim.
mkdir "$work/home"
ln -s "$root" "$work/home/lbmsim"
HOME=$work/home env -u LBMSIM python3 -B "$root/scripts/docs/check.py" --page docs/cluster.md "$LBMSIM"
scripts/slurm-cluster.sh stop

echo "--- 4 nodes of 2 cores and 2 GPUs"
scripts/slurm-cluster.sh start 4 2 2 >/dev/null
binding 4 --gres=gpu:2
binding 4 --gpus-per-task=1
binding 4 --gpus-per-node=2
binding 4 --gres=gpu:2 --gpu-bind=none
binding 4 --gpus-per-task=1 --gpu-bind=none
binding_mpirun 4 --gres=gpu:2
pids=()
job nodes4 --nodes=4 "${two[@]}" --cpus-per-task=1 "$scripts/nodes.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job mpirun4 --nodes=4 "${two[@]}" --cpus-per-task=1 "$scripts/mpirun.sh" case.toml "${on_cpu[@]}" & pids+=($!)
job cpu4 --nodes=4 "$scripts/cpu.sh" case.toml "${on_cpu[@]}" & pids+=($!)
all_of "${pids[@]}"
same plain nodes4 mpirun4 cpu4
all_of "${waiting[@]}"
