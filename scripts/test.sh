#!/bin/bash
# Runs all tests: everything with Open MPI, and what talks to MPI once more with
# MPICH. Called by `make test`, which has installed what is needed; so nothing
# may be skipped here (scripts/allowed-skips.txt has the exceptions).
#
#   scripts/test.sh [openmpi|mpich] [PACKAGE...]     default: both
set -euo pipefail
cd "$(dirname "$0")/.."

# A test that does not find MPI, or a program that reads the output, has to
# fail: these say that all of them are there.
export LBMSIM_REQUIRE_MPI=1 LBMSIM_REQUIRE_READERS=1
# Kernels for GPUs are compiled here too, if not run.
export CUDA=${CUDA:-yes} LBMSIM_REQUIRE_NVRTC=1
# Debian's h5py belongs to Debian's Python, whatever python3 is in PATH.
export LBMSIM_PYTHON=${LBMSIM_PYTHON:-/usr/bin/python3}
export LBMSIM_VTK_PYTHON=${LBMSIM_VTK_PYTHON:-$PWD/.build/vtk/bin/python}

mkdir -p .build
go build -buildvcs=false -o .build/testreport ./scripts/testreport

# with MPI PACKAGE...: the tests of these packages, built and run with this MPI. In a
# shell of its own: what one library needs in the environment is wrong for the next.
with() (
	local mpi=$1 found
	shift
	found=$(scripts/env.sh "$mpi")
	eval "$found"
	# The mpirun of this library. Tests start more ranks than there are cores,
	# several at a time: Open MPI has to allow it, and not to bind them all to
	# the first core (the second line is for version 5).
	export LBMSIM_MPIRUN OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
	export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
	# hwloc looks for GPUs at the X server of another test, which ends when that test does,
	# and takes mpirun with it.
	export HWLOC_COMPONENTS=-gl
	echo "tests with $mpi: $LBMSIM_FOUND (all output: .build/test-$mpi.log)"
	go test -json -count=1 -timeout 30m -tags "$LBMSIM_TAGS" "$@" 2>&1 |
		.build/testreport -allow scripts/allowed-skips.txt -log ".build/test-$mpi.log"
)

# The packages whose tests start ranks with mpirun, or link the MPI library.
ranks() { go list -tags mpi -f '{{.ImportPath}} {{join .Deps " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
	awk '/lbmsim\/comm\/mpi(\/mpitest)?( |$)/ {print $1}'; }

which=${1:-both}
[ $# -eq 0 ] || shift
rc=0
case $which in
both)
	with openmpi ./... || rc=1
	# shellcheck disable=SC2046
	with mpich $(ranks) || rc=1
	;;
openmpi|mpich) with "$which" "${@:-./...}" || rc=1 ;;
*) echo "scripts/test.sh: openmpi or mpich, not $which" >&2; exit 2 ;;
esac
exit $rc
