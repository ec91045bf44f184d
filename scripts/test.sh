#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs the tests. Called by `make test` and `make test-all`, which have installed what is
# needed; so nothing may be skipped here (scripts/allowed-skips.txt has the exceptions).
#
#   scripts/test.sh short             what every change needs: all but the long tests with Open MPI,
#                                     MPI's own tests and some whole runs with MPICH
#   scripts/test.sh long              the long tests that the last `short` has left, with Open MPI
#   scripts/test.sh openmpi|mpich [PACKAGE...]    all tests with this library (MPICH: of packages that start ranks)
set -euo pipefail
cd "$(dirname "$0")/.."
GOTESTSUM=v1.13.0

# A test that does not find MPI, a browser or a program that reads the output has to
# fail: these say that all of them are there.
export LBMSIM_REQUIRE_MPI=1 LBMSIM_REQUIRE_READERS=1 LBMSIM_REQUIRE_BROWSER=${LBMSIM_REQUIRE_BROWSER-1}
# Kernels for GPUs are compiled here too, if not run.
export CUDA=${CUDA:-yes} LBMSIM_REQUIRE_NVRTC=1
# Debian's h5py belongs to Debian's Python, whatever python3 is in PATH.
export LBMSIM_PYTHON=${LBMSIM_PYTHON:-/usr/bin/python3}
export LBMSIM_VTK_PYTHON=${LBMSIM_VTK_PYTHON:-$PWD/.build/vtk/bin/python}

mkdir -p .build
# Failures are printed again at the end: of a long log people, and CI, keep the tail.
wrong=.build/test-wrong.txt
: >"$wrong"
runner=.build/gotestsum-$GOTESTSUM
if [ ! -x "$runner" ]; then
	GOBIN="$PWD/.build" GOFLAGS='' go install "gotest.tools/gotestsum@$GOTESTSUM"
	mv .build/gotestsum "$runner"
fi
go build -buildvcs=false -o .build/ ./tools/skips ./tools/cputime

# CPU seconds that the tests of `short` with Open MPI may take, and one of them, or of a test with subtests each of these.
# .ci/run asks for them (LBMSIM_REQUIRE_CPU=1): they are of its machine. Set after a run beside other
# work on two cores, which took 2,200 in all; its longest test, of the kernels that NVRTC compiles, took 180.
most_cpu=3000 most_cpu_of_one=300

# with MPI NAME FLAGS... -- go test's arguments: tests whose ranks this MPI starts.
# FLAGS are skips's flags; $bounds are cputime's. In a separate shell: what one library needs in the
# environment is wrong for the next.
with() (
	local mpi=$1 log=.build/test-$2.json times=$PWD/.build/test-$2.cpu found flags=()
	shift 2
	while [ "$1" != -- ]; do flags+=("$1") && shift; done
	shift
	found=$(scripts/env.sh "$mpi")
	eval "$found"
	# The mpirun of this library. Tests start more ranks than there are cores,
	# several at a time: Open MPI has to allow it, and not to bind them all to
	# the first core (the second line is for version 5).
	export LBMSIM_MPIRUN OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
	export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
	# Open MPI's launchers share a folder: one took it away while another made it, and the other's ranks never
	# started. With something in it, it stays.
	mkdir -p "${TMPDIR:-/tmp}/ompi.$(hostname -s).$(id -u)/kept"
	# hwloc looks for GPUs at the X server of another test, which ends when that test does,
	# and takes mpirun with it.
	export HWLOC_COMPONENTS=-gl
	# One package more than there are cores: many tests wait for a process that is to end. `make lint` is what vets.
	echo "tests with $mpi: $LBMSIM_FOUND (all output: $log)"
	rc=0
	rm -f "$times"
	"$runner" --format pkgname --hide-summary skipped --format-icons text --jsonfile "$log" -- \
		-exec "'$PWD/.build/cputime' run '$times'" -p "$(($(nproc) + 1))" -vet=off -count=1 -timeout 45m -tags "$LBMSIM_TAGS" "$@" || rc=1
	.build/skips -allow scripts/allowed-skips.txt "${flags[@]}" "$log" 2>"$log.skips" || rc=1
	.build/cputime judge "${bounds[@]}" "$times" 2>>"$log.skips" || rc=1
	tee -a "$wrong" <"$log.skips" >&2
	[ $rc = 0 ] || sed -n -e "s|.*\"Action\":\"fail\",\"Package\":\"\([^\"]*\)\",\"Elapsed.*|failed with $mpi: \1|p" -e "s|.*\"Action\":\"fail\",\"Package\":\"\([^\"]*\)\",\"Test\":\"\([^\"]*\)\".*|failed with $mpi: \1.\2|p" "$log" >>"$wrong"
	exit $rc
)

# The packages whose tests start ranks with mpirun.
ranks() { go list -f '{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk '/lbmsim\/comm\/mpi(\/mpitest)?( |$)/ {print $1}'; }

# The longest first, so that no core rests while the last one runs.
all=(./sim ./device/cpu ./cmd/lbmsim ./device/cuda ./tools/validate ./...)

bounds=()
which=${1:-short}
[ $# -eq 0 ] || shift
rc=0
case $which in
short)
	# Tests allocate much and keep little: fewer collections take a quarter of the CPU time of package config's.
	# Tests that measure memory set it back. `make test-long` and `make test-all` have Go's default.
	export GOGC=400
	[ -z "${LBMSIM_REQUIRE_CPU:-}" ] || bounds=(-total "$most_cpu" -test "$most_cpu_of_one")
	with openmpi openmpi -short -later .build/long-tests.txt -- -short "${all[@]}" || rc=1
	bounds=()
	with mpich mpich -short -- -short ./comm/mpi || rc=1
	with mpich mpich-runs -short -- -short -run '^(TestRealRanksGiveTheSameBits|TestInterruptCheckpointsAndRestartGoesOn|TestKilledRankEndsTheJobAndLeavesACheckpoint)$' ./cmd/lbmsim || rc=1
	;;
long)
	[ -f .build/long-tests.txt ] || { echo "scripts/test.sh: run make test first: it lists the tests that it leaves out" >&2; exit 2; }
	while read -r package; do
		names=$(awk -v p="$package" '$1 == p {print $2}' .build/long-tests.txt | paste -sd '|')
		with openmpi "long-${package//\//-}" -- -run "^($names)\$" "$package" || rc=1
	done < <(cut -d' ' -f1 .build/long-tests.txt | sort -u)
	;;
openmpi)
	[ $# -gt 0 ] || set -- "${all[@]}"
	with openmpi openmpi -- "$@" || rc=1
	;;
mpich)
	# shellcheck disable=SC2046
	[ $# -gt 0 ] || set -- $(ranks)
	with mpich mpich -- "$@" || rc=1
	;;
*) echo "scripts/test.sh: short, long, openmpi or mpich, not $which" >&2; exit 2 ;;
esac
sed 's/^/test.sh: /' "$wrong"
times >.build/test-times.txt # the shell in the first line, all that it started in the second
awk -F '[ms ]+' -v wall="$SECONDS" 'NR == 2 {printf "test.sh: %.0f CPU minutes in %.0f minutes\n", $1 + $3 + ($2 + $4) / 60, wall / 60}' .build/test-times.txt
exit $rc
