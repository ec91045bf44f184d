#!/bin/sh

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Ensures that lbmsim's dependencies are on this machine: queries env.sh for missing ones, and
# installs them with apt if that is possible without a question (root, or sudo without a
# password). Otherwise it names the packages and stops.
#
#   scripts/setup.sh build         to build: compiler, HDF5
#   scripts/setup.sh run [MPI]     to run on several ranks: in addition an mpirun, if it
#                                  can be had without a question
#   scripts/setup.sh test          to run all tests: in addition both MPI libraries,
#                                  CUDA's headers and run-time compiler, a browser,
#                                  and the programs that read the output
#   scripts/setup.sh slurm openmpi to run job scripts: SLURM itself
#   scripts/setup.sh mpis          to try many MPI libraries: Debian's two, SLURM, venv
#   scripts/setup.sh python        to test the Python package: venv, drawing without a display
#   scripts/setup.sh docs none     to build the documentation: Python's environments
#   scripts/setup.sh packaging     to try the files of packaging: Lmod, Python's venv
#   scripts/setup.sh dist none     to pack programs: Python's environments
#   scripts/setup.sh roots none    to try them on bare systems: debootstrap
set -eu
what=${1:-build}
mpi=${2:-auto}
log=.build/setup.log
mkdir -p .build
# Tests that need CUDA's headers or compiler must not be skipped.
case $what in test | dist | roots) export CUDA=yes ;; esac

fail() { printf 'lbmsim: %s\n' "$*" >&2; exit 1; }

# packages WORD...: Debian's and Ubuntu's names of what env.sh and this script miss.
packages() {
	for w in "$@"; do
		case $w in
		c++) echo gcc g++ libc6-dev ;;
		mpirun) if [ "$mpi" = mpich ]; then packages mpich; else packages openmpi; fi ;;
		openmpi) echo openmpi-bin ;;
		mpich) echo mpich ;;
		mpi.h) echo libopenmpi-dev libmpich-dev ;;
		hdf5) echo libhdf5-dev ;;
		h5py) echo python3-h5py ;;
		paraview) echo paraview python3-paraview ;;
		xvfb) echo xvfb xauth ;;
		slurm) echo slurm-wlm munge ;;
		pmi2) echo libpmi2-0 ;;
		venv) echo python3-venv ;;
		egl) echo libegl1 ;;
		disks) echo e2fsprogs mount ;;
		pgrep) echo procps ;;
		browser) echo chromium ;;
		cuda) echo python3-pip ;; # which fetches the headers
		*) echo "$w" ;;
		esac
	done
}

# silent: apt can be used without a question; sudo is what it needs before its name.
silent() {
	sudo=
	[ "$(id -u)" = 0 ] || { sudo=sudo && command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

# without WORD WORDS...: the words but the first.
without() { w=$1; shift; for x in "$@"; do [ "$x" = "$w" ] || echo "$x"; done; }

install() {
	# shellcheck disable=SC2046  # several words
	set -- $(packages "$@")
	if ! command -v apt-get >/dev/null; then
		fail "missing here: $*
This machine has no apt. Install these packages' counterparts, or load them
(on a cluster for example: module load gcc openmpi hdf5), so that mpirun and h5cc are in PATH."
	fi
	if ! silent; then
		fail "missing here; please run this, then make again:
    sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
	fi
	echo "installing with apt: $* (log: $log)"
	if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 </dev/null; then
		tail -n 5 "$log" >&2
		fail "apt could not install $*; the whole story is in $log"
	fi
}

have() { command -v "$1" >/dev/null 2>&1; }
missing() { e=$(scripts/env.sh "$1"); eval "$e"; echo "$LBMSIM_MISSING"; }

# cuda PART: fetches a part of CUDA; true if it is there now.
cuda() { scripts/cuda.sh "$1" >>"$log" 2>&1; }

# Go is not installed: which Go, and from where, is the user's choice.
e=$(scripts/env.sh "$mpi")
eval "$e"
[ -z "$LBMSIM_GO_SAYS" ] || fail "$LBMSIM_GO_SAYS"

# Headers of CUDA are fetched where there is a driver to use them, or CUDA=yes asks for them: a first build without a GPU
# waits for nothing that it cannot use.
listed() { (PATH=$PATH:/usr/sbin:/sbin; ldconfig -p 2>/dev/null) | grep -q "$1"; }
driver() { listed 'libcuda\.so\.1'; }
case $LBMSIM_MISSING$LBMSIM_WITHOUT in *cuda*)
	if [ "${CUDA:-auto}" = yes ] || driver; then
		: >"$log"
		echo "fetching CUDA's headers with pip (log: $log)"
		cuda headers || true
		e=$(scripts/env.sh "$mpi")
		eval "$e"
	fi
	;;
esac
# And the compiler where there is a GPU, and nothing else brings it.
if { [ "$what" = build ] || [ "$what" = run ]; } && [ "${CUDA:-auto}" != none ] && driver &&
	! listed libnvrtc && [ -z "${CUDA_HOME:-}${LBMSIM_NVRTC:-}" ] && [ ! -e /usr/local/cuda ]; then
	echo "fetching CUDA's run-time compiler with pip (log: $log)"
	cuda nvrtc || echo "it cannot be fetched: the program will ask for it when it uses a GPU"
fi

case $what in
build)
	need=$(without mpirun $LBMSIM_MISSING)
	;;
run)
	need=$LBMSIM_MISSING
	if [ "$need" = mpirun ] && ! { have apt-get && silent; }; then
		echo "no mpirun here (it comes with Open MPI or MPICH): the case runs on one rank"
		need=
	fi
	;;
slurm)
	need=$LBMSIM_MISSING
	# Debian's slurmctld, slurmd and munged lie where only root's PATH looks.
	(PATH=$PATH:/usr/sbin; have slurmctld && have slurmd && have munged && have srun) || need="$need slurm"
	;;
mpis)
	need="$(missing openmpi | sed 's/mpirun/openmpi/') $(missing mpich | sed 's/mpirun/mpich/')"
	have mpicc.openmpi && have mpicc.mpich || need="$need mpi.h"
	/usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || need="$need venv"
	[ "$(id -u)" != 0 ] || (PATH=$PATH:/usr/sbin; have slurmctld && have slurmd && have munged && have srun) || need="$need slurm"
	[ "$(id -u)" != 0 ] || [ -e /usr/lib/x86_64-linux-gnu/libpmi2.so.0 ] || need="$need pmi2"
	;;
python)
	need=
	python3 -c 'import venv, ensurepip' 2>/dev/null || need="$need venv"
	(PATH=$PATH:/usr/sbin:/sbin; ldconfig -p) | grep -q 'libEGL\.so\.1' || need="$need egl"
	;;
docs)
	need=
	python3 -c 'import venv, ensurepip' 2>/dev/null || need=venv
	;;
packaging)
	need=
	[ -e /usr/share/lmod/lmod/init/bash ] || [ -n "${LMOD_PKG:-}" ] || need=lmod
	/usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || need="$need venv"
	;;
dist | roots)
	need=$LBMSIM_MISSING
	python3 -c 'import venv, ensurepip' 2>/dev/null || need="$need venv"
	[ "$what" = dist ] || (PATH=$PATH:/usr/sbin; have debootstrap) || need="$need debootstrap"
	;;
test)
	need="$(missing openmpi | sed 's/mpirun/openmpi/') $(missing mpich | sed 's/mpirun/mpich/')"
	have mpicc.openmpi && have mpicc.mpich || need="$need mpi.h" # a test holds our numbers against theirs
	# Debian's own Python: its h5py and ParaView are not in any other.
	/usr/bin/python3 -c 'import h5py' 2>/dev/null || need="$need h5py"
	have pvpython && have pvbatch || need="$need paraview"
	have xvfb-run && have xauth || need="$need xvfb"
	/usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || need="$need venv"
	(PATH=$PATH:/usr/sbin:/sbin; have mkfs.ext4 && have mount) || need="$need disks"
	have pgrep || need="$need pgrep" # make fuzz
	[ -e .build/cuda/lib ] || python3 -m pip --version >/dev/null 2>&1 || need="$need cuda"
	;;
*)
	fail "scripts/setup.sh: build, run, mpis, python, docs, packaging, dist, roots, test or slurm, not $what"
	;;
esac
need=$(printf '%s\n' $need | sort -u)
if [ -n "$need" ]; then
	# shellcheck disable=SC2086
	install $need
	case $need in *cuda*) cuda headers || { tail -n 5 "$log" >&2; fail "pip could not fetch CUDA's headers; the whole story is in $log"; } ;; esac
	# A wish that apt fulfilled and the search still misses must not loop or pass.
	for m in "$mpi" $([ "$what" = test ] && echo openmpi mpich); do
		left=$(missing "$m")
		[ "$what" != build ] || left=$(without mpirun $left)
		[ -z "$left" ] || fail "apt installed the packages, but this is still not found (MPI=$m): $left"
	done
fi

# A browser for the page of a run. Ubuntu has Chromium as a snap alone, which tests cannot drive.
browser() { have chromium || have google-chrome || have chromium-headless-shell; }
if [ "$what" = test ] && [ "${LBMSIM_REQUIRE_BROWSER-1}" = 1 ] && ! browser; then
	(install browser) || fail "there is no Chromium for the tests of the page: put google-chrome into PATH, or leave them out with LBMSIM_REQUIRE_BROWSER=0"
fi
# And axe-core, which checks the page in it.
if [ "$what" = test ] && ! scripts/axe.sh >>"$log" 2>&1; then
	tail -n 5 "$log" >&2
	[ "${LBMSIM_REQUIRE_BROWSER-1}" != 1 ] || fail "axe-core could not be fetched from registry.npmjs.org: leave out the tests of the page with LBMSIM_REQUIRE_BROWSER=0"
fi

# The newest VTK, from its wheel, reads the output beside Debian's ParaView: a
# file that one of the two refuses is of no use to half of the readers.
venv=.build/vtk
if [ "$what" = test ] && ! "$venv/bin/python" -c 'import vtkmodules.vtkIOHDF' 2>/dev/null; then
	echo "installing the newest VTK into $venv (log: $log)"
	if ! { rm -rf "$venv" && /usr/bin/python3 -m venv "$venv" &&
		"$venv/bin/python" -m pip install --quiet --disable-pip-version-check vtk numpy; } >"$log" 2>&1; then
		tail -n 5 "$log" >&2
		fail "pip could not install vtk into $venv; the whole story is in $log"
	fi
	"$venv/bin/python" -c 'import vtkmodules.vtkIOHDF' || fail "the vtk wheel in $venv does not load"
fi
if [ "$what" = test ] && ! cuda nvrtc; then
	tail -n 5 "$log" >&2
	fail "pip could not fetch CUDA's run-time compiler; the whole story is in $log"
fi
e=$(scripts/env.sh "$mpi")
eval "$e"
echo "found: $LBMSIM_FOUND"
[ -z "$LBMSIM_WITHOUT" ] || echo "left out: $LBMSIM_WITHOUT"
