#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs the tests that scripts/gpu-pack.sh packed, on a machine with a GPU and without
# Go, and leaves one report. A failure does not stop it; it exits with 1 if there was any.
#
#   gpu-test.sh [--bench] [--report FILE] [NAME...]
#
# --bench adds the table of `lbmsim bench` at the end. NAME is one or more of
#   info cuda huge sanitizer halo transports sim program cpu      (default: all of them)
# The report is gpu-report.txt in the current folder unless named.
# LBMSIM_TEST_DEVICE=cpu runs everything that needs no GPU, to try the bundle.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
report=gpu-report.txt
bench=
names=()
while [ $# -gt 0 ]; do
	case $1 in
	--bench) bench=1 ;;
	--report) report=${2:?--report needs a file}; shift ;;
	-h|--help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	info|cuda|huge|sanitizer|halo|transports|sim|program|cpu) names+=("$1") ;;
	*) echo "gpu-test.sh: $1 is unknown; see gpu-test.sh --help" >&2; exit 2 ;;
	esac
	shift
done
if [ ${#names[@]} -eq 0 ]; then names=(info cuda sanitizer halo transports sim program cpu huge); fi
if [ ! -f "$here/bundle.tar.gz" ]; then
	echo "gpu-test.sh: no bundle.tar.gz beside this script; scripts/gpu-pack.sh (or make test-gpu) makes the folder with both" >&2
	exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$here/bundle.tar.gz" || exit 2
logs=$work/logs
mkdir "$logs"
tags=$(sed -n 's/^tags=//p' "$work/built")
export LBMSIM_TEST_DEVICE=${LBMSIM_TEST_DEVICE:-cuda}
case $LBMSIM_TEST_DEVICE,$tags in
cuda,*cuda*) export LBMSIM_REQUIRE_GPU=1 LBMSIM_REQUIRE_NVRTC=1 ;; # without them nothing is tested
cuda,*)
	echo "gpu-test.sh: this bundle was built without CUDA (tags $tags); LBMSIM_TEST_DEVICE=cpu tests the rest" >&2
	exit 2
	;;
esac
export LBMSIM_REQUIRE_MPI=1 LBMSIM_TEST_PROGRAM=$work/bin/lbmsim
export LBMSIM_CACHE=$work/cache # kernels are recompiled, once
# More ranks than cores, several jobs at a time, as root in a container (Open MPI).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none

transports='^(TestTransportsGiveTheSameBits|TestTransportIsRefused|TestKilledRankIsNamed)$'

failures=0
: >"$work/summary"
: >"$work/results"
: >"$work/failed"

# say KIND NAME TEXT: one line of the summary, shown at once.
say() { printf '%-4s %-24s %s\n' "$@" | tee -a "$work/summary"; }

# attempt NAME SECONDS FOLDER COMMAND...: runs one thing under a time limit. Its log
# stays in $logs/NAME; seconds and code report how it ended.
attempt() {
	local name=$1 limit=$2 folder=$3 start=$SECONDS
	shift 3
	(cd "$work/$folder" && exec timeout -k 10 "$limit" "$@") >"$logs/$name" 2>&1 </dev/null
	code=$?
	seconds=$((SECONDS - start))
	if [ $code -eq 124 ] || [ $code -eq 137 ]; then ended="stopped after $seconds s"; else ended="exit code $code after $seconds s"; fi
}

# failed NAME WHY: the whole log goes into the report.
failed() {
	failures=$((failures + 1))
	say FAIL "$1" "$2"
	{ printf '\n---- %s: %s ----\n' "$1" "$2"; cat "$logs/$1"; } >>"$work/failed"
}

# A test binary's -test.v output as lines "PASS|FAIL|SKIP  BINARY.TEST  seconds", each
# skip with what the test said.
# shellcheck disable=SC2016  # awk's own variables
outcomes='
$1 == "===" && ($2 == "RUN" || $2 == "NAME" || $2 == "CONT") { test = $3; next }
$1 == "---" && $2 ~ /^(PASS|FAIL|SKIP):$/ {
	kind = substr($2, 1, 4); time = $4 " " $5; gsub(/[()]/, "", time); sub(/s? *$/, " s", time)
	printf "%s %s.%s  %s\n", kind, binary, $3, time
	if (kind != "PASS") printf "%s", said[$3]
	next
}
test != "" { said[test] = said[test] "         " $0 "\n" }
'

# tests NAME SECONDS PACKAGE [FLAGS...]: one test binary.
tests() {
	local name=$1 limit=$2 package=$3 counts
	shift 3
	# The binary gives up a little earlier, with the stacks of what hangs.
	attempt "$name" "$limit" "$package" "./${package##*/}.test" -test.v -test.timeout "$((limit - 10))s" "$@"
	awk -v "binary=$package" "$outcomes" "$logs/$name" >>"$work/results"
	counts=$(awk -v "binary=$package" "$outcomes" "$logs/$name" | awk '/^(PASS|FAIL|SKIP) /{n[$1]++} END {printf "%d passed, %d failed, %d skipped", n["PASS"], n["FAIL"], n["SKIP"]}')
	if [ $code -ne 0 ]; then
		failed "$name" "$ended; $counts"
	elif ! grep -q '^PASS$' "$logs/$name" || [ "${counts%% *}" = 0 ]; then
		failed "$name" "nothing was tested; $counts"
	else
		say PASS "$name" "$counts, $seconds s"
	fi
}

# sanitize TOOL: the small cases of every kernel instance under compute-sanitizer.
sanitize() {
	local tool=$1 name=sanitizer-$1 count
	attempt "$name" 600 device/cuda "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 20 ./cuda.test -test.v -test.run '^TestSmall$' -test.timeout 590s
	count=$(grep -c '^ *--- PASS: TestSmall/' "$logs/$name")
	{ printf '\n%s:\n' "$name"; grep '^=========' "$logs/$name" | tail -n 40; } >>"$work/sanitizer"
	# No errors, and the tool has seen the work.
	if [ $code -ne 0 ] || ! grep -Eq 'SUMMARY: 0 (errors|hazards)' "$logs/$name" || [ "$count" -eq 0 ]; then
		failed "$name" "$ended; $count kernel instances passed"
	else
		say PASS "$name" "$count kernel instances, $seconds s"
	fi
}

# needs_gpu NAME: reports tests that cannot run on the CPU.
needs_gpu() {
	[ "$LBMSIM_TEST_DEVICE" = cuda ] && return 0
	say SKIP "$1" "needs a GPU, and LBMSIM_TEST_DEVICE is $LBMSIM_TEST_DEVICE"
	return 1
}

say TEST "$LBMSIM_TEST_DEVICE" "$(tr '\n' ' ' <"$work/built")"
for name in "${names[@]}"; do
	case $name in
	info)
		libraries=$(ldd "$work/bin/lbmsim" | grep 'not found')
		attempt info 60 . bin/lbmsim info
		if [ -n "$libraries" ]; then
			failed info "libraries are missing: $(echo "$libraries" | awk '{printf "%s ", $1}')"
		elif [ $code -ne 0 ]; then
			failed info "$ended"
		else
			say PASS info "$seconds s"
		fi
		;;
	cuda) needs_gpu cuda && tests cuda 600 device/cuda ;;
	huge) needs_gpu huge && LBMSIM_HUGE_TESTS=1 tests huge 600 device/cuda -test.run '^TestDevice$/^LargeOffsets$' ;;
	sanitizer)
		needs_gpu sanitizer || continue
		sanitizer=
		for s in compute-sanitizer "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
			if sanitizer=$(command -v "$s"); then break; fi
		done
		if [ -z "$sanitizer" ]; then
			echo "looked in PATH and ${CUDA_HOME:-/usr/local/cuda}" >"$logs/sanitizer"
			failed sanitizer "compute-sanitizer, a part of the CUDA toolkit, is not on this machine"
			continue
		fi
		# No synccheck: it wants all threads of a block at one place when they meet, and the
		# march's warps have two loops. PTX counts those that arrive, wherever (bar.sync).
		for tool in memcheck racecheck initcheck; do sanitize $tool; done
		;;
	halo) tests halo 300 halo ;;
	sim) tests sim 600 sim ;;
	transports)
		# Runs over every transport, on as many GPUs as there are; the same bits, or ended.
		tests transports 400 cmd/lbmsim -test.run "$transports"
		grep -E 'ranks: state|after the kill|NOT TESTED' "$logs/transports" >>"$work/transports"
		;;
	program) tests program 600 cmd/lbmsim -test.skip "$transports" ;;
	cpu) tests cpu 300 device/cpu ;;
	esac
done
if [ -n "$bench" ]; then
	attempt bench 600 . bin/lbmsim bench
	if [ $code -eq 0 ]; then say PASS bench "$seconds s"; else failed bench "$ended"; fi
fi

# part HEADING FILE: a part of the report, if the file has content.
part() { if [ -s "$2" ]; then printf '\n==== %s ====\n' "$1"; cat "$2"; fi; }
first() { "$@" 2>/dev/null | head -n 1; }
{
	echo "Tests of lbmsim on a GPU"
	cat "$work/built"
	echo "host: $(uname -srm), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
	echo "processor: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(awk '/^MemTotal/ {printf "%.0f GB", $2 / 1e6}' /proc/meminfo)"
	echo "mpirun: $(first mpirun --version)"
	echo "nvcc: $(nvcc --version 2>/dev/null | sed -n 's/.*release //p')"
	if command -v nvidia-smi >/dev/null; then
		nvidia-smi --query-gpu=index,name,pci.bus_id,driver_version,memory.total,clocks.max.sm --format=csv 2>&1
	else
		echo "nvidia-smi: not found"
	fi
	part "summary" "$work/summary"
	if [ $failures -eq 0 ]; then echo "nothing failed"; else echo "FAILED: $failures"; fi
	part "lbmsim info" "$logs/info"
	part "transports: the same bits, and a killed rank" "$work/transports"
	part "compute-sanitizer" "$work/sanitizer"
	part "each test" "$work/results"
	part "lbmsim bench" "$logs/bench"
	part "output of what failed" "$work/failed"
} >"$report"
echo "report: $report"
[ $failures -eq 0 ]
