#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# A SLURM cluster of virtual nodes on this one machine, to try job scripts for
# real: several slurmd side by side, each a node with its own name. Needs root and
# the packages slurm-wlm and munge; needs no systemd.
#
#   scripts/slurm-cluster.sh start [NODES] [CORES] [GPUS]
#                                  default: 2 nodes of 2 cores, without GPUs
#   export SLURM_CONF="$(scripts/slurm-cluster.sh conf)"
#   sbatch, srun, squeue ...
#   scripts/slurm-cluster.sh stop
#
# All state is in one folder, LBMSIM_SLURM (default: lbmsim-slurm in TMPDIR). The
# cores are claimed, not owned: all nodes run on the same ones. The GPUs are device
# files with nothing behind them: SLURM hands them out and sets CUDA_VISIBLE_DEVICES
# as it does for real ones.
set -euo pipefail
dir=${LBMSIM_SLURM:-${TMPDIR:-/tmp}/lbmsim-slurm}
conf=$dir/slurm.conf

# launch NAME COMMAND...: in the background, its number kept in NAME.pid.
launch() {
	local name=$1
	shift
	setsid "$@" >"$dir/log/$name.out" 2>&1 </dev/null &
	echo $! >"$dir/pid/$name"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local tries=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

write_conf() {
	local nodes=$1 cores=$2 gpus=$3 host n
	host=$(hostname -s)
	cat >"$conf" <<X
ClusterName=lbmsim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${LBMSIM_SLURM_PORT:-16900}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A requeued job must wait until its credential has expired: 5 s, not 120.
AuthInfo=cred_expire=5
MpiDefault=pmix
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
# One folder for each node: PMIx keeps its sockets there, under equal names.
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/pid/slurmctld.own
SlurmdPidFile=$dir/pid/%n.own
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
# Nothing that needs cgroups, a database or the right to bind cores.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
# Where there are fewer nodes than this (50 by default), the tree in which SLURM's PMIx
# plugin (22.05.8) runs fences without data contains each node alone: ranks leave
# MPI_Init while other nodes' ranks have hardly entered it.
TreeWidth=2
# The nodes are as in this file, whatever the machine has.
SlurmdParameters=config_overrides
# Tests wait for jobs: check the queue every second.
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
ReturnToService=2
# SLURM's default: what a run has, at its time limit, for a last checkpoint.
KillWait=30
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((${LBMSIM_SLURM_PORT:-16900} + 1))-$((${LBMSIM_SLURM_PORT:-16900} + nodes))] CPUs=$cores CoresPerSocket=$cores RealMemory=2000 ${gpus:+Gres=gpu:$gpus }State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
X
	if [ -n "$gpus" ]; then
		# SLURM asks for device files; these are more of /dev/null.
		mkdir -p "$dir/dev"
		for n in $(seq 0 $((gpus - 1))); do mknod -m 666 "$dir/dev/gpu$n" c 1 3; done
		echo "GresTypes=gpu" >>"$conf"
		echo "NodeName=n[1-$nodes] Name=gpu File=$dir/dev/gpu[0-$((gpus - 1))]" >"$dir/gres.conf"
	fi
	# Read even where no plugin uses cgroups; v1 is not looked for in systemd.
	echo "CgroupPlugin=cgroup/v1" >"$dir/cgroup.conf"
}

start() {
	local nodes=${1:-2} cores=${2:-2} gpus=${3:-} n
	[ "$gpus" != 0 ] || gpus=
	for p in slurmctld slurmd munged; do
		command -v $p >/dev/null || {
			echo "slurm-cluster.sh: $p is missing: apt-get install --no-install-recommends slurm-wlm munge" >&2
			exit 1
		}
	done
	[ ! -e "$dir/pid/slurmctld" ] || stop
	rm -rf "$dir"
	mkdir -p "$dir"/{state,log,spool,pid,tmp}
	write_conf "$nodes" "$cores" "$gpus"
	if ! munge -n >/dev/null 2>&1; then
		install -d -o munge -g munge -m 0755 /run/munge
		install -d -o munge -g munge -m 0700 /var/log/munge /var/lib/munge
		launch munged setpriv --reuid munge --regid munge --clear-groups munged --foreground
		wait_for 5 munge -n || { cat "$dir/log/munged.out" >&2; exit 1; }
	fi
	export SLURM_CONF=$conf
	launch slurmctld slurmctld -D
	for n in $(seq "$nodes"); do
		mkdir -p "$dir/tmp/n$n" "$dir/spool/n$n"
		launch "n$n" slurmd -D -N "n$n"
	done
	ready() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = "$nodes" ]; }
	wait_for 20 ready || { tail -n 3 "$dir"/log/*.log >&2; exit 1; }
	sinfo
}

stop() {
	local f pid
	export SLURM_CONF=$conf
	[ -e "$conf" ] || return 0
	timeout 5 scancel -u root 2>/dev/null || true
	# The nodes first, the controller after them, munge last: each needs the next.
	for f in "$dir"/pid/n[0-9]* "$dir/pid/slurmctld" "$dir/pid/munged"; do
		case $f in *.own) continue ;; esac
		[ -e "$f" ] || continue
		pid=$(cat "$f")
		kill "$pid" 2>/dev/null || true
		gone() { ! kill -0 "$pid" 2>/dev/null || grep -q '^State:.Z' "/proc/$pid/status"; }
		wait_for 10 gone || kill -9 "$pid" 2>/dev/null || true
		rm -f "$f"
	done
}

case ${1:-} in
start) shift && start "$@" ;;
stop) stop ;;
conf) echo "$conf" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
