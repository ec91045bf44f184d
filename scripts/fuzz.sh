#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Fuzzes the readers of untrusted files, each target for some time, two in parallel. A
# target that needs more than 1 GiB of memory fails like one that crashes. Called by
# `make fuzz` and, for some seconds a target, by .ci/run.
#
#   scripts/fuzz.sh [TIME]     default: 60s
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-60s}
limit=$((1 << 20)) # KiB, of a process

command -v pgrep >/dev/null || { echo "fuzz.sh: pgrep is missing (Debian: procps): the fuzzers' memory could not be watched" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rc=0

# timed_out OUTPUT: before 1.27 go now and then calls the end of the time a failure (https://go.dev/issue/75804). Of an input
# that fails it says where it has written it.
timed_out() {
	grep -qx ' *context deadline exceeded' "$1" && ! grep -Eq 'Failing input|panic|[.]go:[0-9]|took [0-9]+ MiB' "$1"
}

# fuzz PACKAGE TARGET: a limit of the address space would stop go's own runtime, so the
# peak memory of each process is checked, which the system records.
fuzz() {
	local out="$work/${1//\//_}.$2" pid most=0 p kb
	set -m
	# By default go spends a minute on making each new input smaller: all of the time.
	go test -tags "$LBMSIM_TAGS" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 10x -parallel 1 "./$1" >"$out" 2>&1 &
	pid=$!
	set +m
	while kill -0 "$pid" 2>/dev/null; do
		for p in $(pgrep -g "$pid" '\.test$' || true); do
			kb=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$p/status" 2>/dev/null || true)
			if [ "${kb:-0}" -gt "$most" ]; then most=$kb; fi
		done
		if [ "$most" -gt "$limit" ]; then
			kill -- "-$pid" 2>/dev/null || true
			echo "a process took $((most >> 10)) MiB of memory, more than $((limit >> 10))" >>"$out"
			break
		fi
		sleep 0.2
	done
	if { wait "$pid" || timed_out "$out"; } && [ "$most" -le "$limit" ]; then
		echo "fuzz $1 $2: $(grep -o 'execs: [0-9]*' "$out" | tail -1), at most $((most >> 10)) MiB"
	else
		echo "fuzz $1 $2: FAILED"
		cat "$out"
		return 1
	fi
}

targets=$(git grep -n --untracked '^func Fuzz' -- '*_test.go' | sed 's#\(.*\)/[^/]*_test.go:[0-9]*:func \(Fuzz[A-Za-z0-9]*\).*#\1 \2#')
# Compiled before, so that the time is the fuzzers'.
# shellcheck disable=SC2046
go test -tags "$LBMSIM_TAGS" -run '^$' $(echo "$targets" | awk '{print "./" $1}' | sort -u) >/dev/null
pids=()
while read -r package target; do
	fuzz "$package" "$target" &
	pids+=($!)
	while [ "$(jobs -r | wc -l)" -ge 2 ]; do sleep 0.2; done
done <<<"$targets"
for pid in "${pids[@]}"; do wait "$pid" || rc=1; done
exit $rc
