#!/bin/sh

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Finds the compiler, HDF5, CUDA and the MPI launcher of this machine and prints the
# shell assignments that `go build` needs, to be used as: eval "$(scripts/env.sh)".
#
#   scripts/env.sh [auto|openmpi|mpich|none]
#
# lbmsim links no MPI: the word chooses the launcher that `make run` and the tests use. Programs in PATH are queried
# first (h5cc knows what `module load` or the distribution chose), pkg-config second. Where neither knows, or a site
# has its own ways, these variables are taken as they are:
#   HDF5_CFLAGS HDF5_LDFLAGS (instead of h5cc; a parallel HDF5 wants MPI's -I folder, too)
#   LBMSIM_MPIRUN            the launcher, options included
# ISA=auto builds the kernels for the best instruction set of this machine and for its baseline, ISA=all for every set,
# ISA=avx512, avx2 or baseline for that one and the baseline.
# CUDA=none builds lbmsim without NVIDIA GPUs. CUDA=yes calls it missing where
# its headers are not found; without either, lbmsim is built as it can be.
# LBMSIM_FOUND lists findings, LBMSIM_MISSING missing parts (words: go c++ hdf5 mpirun cuda), LBMSIM_WITHOUT omitted
# parts with the reason; setup.sh installs, this script does not.
set -eu
mpi=${1:-auto}
missing=
found=
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

# quote WORD...: one shell word.
quote() { printf "'%s'" "$(printf '%s' "$*" | sed "s/'/'\\\\''/g")"; }

# compileflags and linkflags pick their part out of the command line that a
# compiler wrapper would run. Static archives become their folder: the same
# names are linked from there with -l. Words for the linker are left out (some
# come in pairs, some harden Debian's own builds): rpaths says what is needed.
compileflags() { for w in $1; do case $w in -I*|-D*|-pthread) printf '%s ' "$w" ;; esac; done; }
linkflags() {
	for w in $1; do
		case $w in
		-L*|-l*|-pthread) printf '%s ' "$w" ;;
		/*.a) printf '%s ' "-L${w%/*}" ;;
		esac
	done
}

# compiles FLAGS HEADER: the preprocessor finds the header with these flags.
compiles() {
	printf '#include <%s>\nint main(void) { return 0; }\n' "$2" >"$tmp/try.c"
	# shellcheck disable=SC2086  # the flags are several words
	"${CC:-gcc}" $1 -fsyntax-only "$tmp/try.c" 2>/dev/null
}

# rpaths FLAGS: a run path for each library folder that the system's loader does
# not know, so that lbmsim starts where the modules are not loaded. It is of
# the kind that LD_LIBRARY_PATH overrides, for users of another library.
rpaths() {
	for w in $1; do
		case $w in
		-L/usr/lib|-L/usr/lib64|-L/lib|-L/lib64|-L/usr/lib/*-linux-gnu*) ;;
		-L*) printf '%s ' "-Wl,--enable-new-dtags -Wl,-rpath,${w#-L}" ;;
		esac
	done
}

# --- Go ---------------------------------------------------------------------
# Asked in this module's folder, where a newer Go may fetch the one that go.mod names.
need=$(sed -n 's/^go //p' go.mod)
if ! have go; then
	missing="$missing go"
	gosays="Go is not installed (or not in PATH); lbmsim needs Go $need or newer: https://go.dev/dl"
elif ! version=$(go env GOVERSION 2>"$tmp/go"); then
	missing="$missing go"
	gosays="Go does not run here: $(head -n 1 "$tmp/go")"
else
	version=${version#go}
	oldest=$(printf '%s\n%s\n' "$need" "${version%%[!0-9.]*}" | sort -V | head -n 1)
	if [ "$oldest" != "$need" ]; then
		missing="$missing go"
		gosays="Go $version is too old; lbmsim needs Go $need or newer: https://go.dev/dl"
	fi
	found="Go $version"
fi

# --- compiler ---------------------------------------------------------------
if have "${CXX:-g++}" && have "${CC:-gcc}" && compiles "" stdio.h; then
	found="$found, ${CXX:-g++} $("${CXX:-g++}" -dumpfullversion -dumpversion)"
else
	missing="$missing c++"
fi

# --- MPI --------------------------------------------------------------------
# mpirun.openmpi and mpirun.mpich are Debian's names where both are installed.
# kind LAUNCHER: which library a launcher belongs to.
kind() {
	case $("$1" --version 2>/dev/null) in
	*open-mpi.org*) echo openmpi ;;
	*) echo mpich ;;
	esac
}
mpirun=${LBMSIM_MPIRUN:-}
case $mpi in
none) ;;
auto) [ -n "$mpirun" ] || ! have mpirun || mpirun=mpirun ;;
openmpi|mpich)
	if [ -n "$mpirun" ]; then
		:
	elif have "mpirun.$mpi"; then
		mpirun=mpirun.$mpi
	elif have mpirun && [ "$(kind mpirun)" = "$mpi" ]; then
		mpirun=mpirun
	fi
	;;
*)
	echo "scripts/env.sh: MPI=$mpi is unknown; give auto, openmpi, mpich or none" >&2
	exit 2
	;;
esac
if [ -n "$mpirun" ]; then
	found="$found, $mpirun"
elif [ "$mpi" != none ]; then
	missing="$missing mpirun"
fi

# --- HDF5 -------------------------------------------------------------------
hcflags=
hldflags=
hfrom=nothing
if [ -n "${HDF5_CFLAGS:-}${HDF5_LDFLAGS:-}" ]; then
	hcflags=${HDF5_CFLAGS:-}
	hldflags=${HDF5_LDFLAGS:-}
	hfrom="given flags"
else
	for w in h5cc h5pcc; do
		have $w || continue
		line=$($w -show 2>/dev/null) || continue
		hcflags=$(compileflags "$line")
		# Only the folders: which libraries, and that they are the shared
		# ones, is known by the binding (-lhdf5_hl -lhdf5).
		hldflags=$(for f in $(linkflags "$line"); do case $f in -L*) printf '%s ' "$f" ;; esac; done)
		hfrom=$w
		break
	done
	# The header of a parallel HDF5 wants mpi.h.
	if ! compiles "$hcflags" hdf5.h && have mpicc; then
		hcflags="$hcflags $(compileflags "$(mpicc -show)")"
	fi
	if ! compiles "$hcflags" hdf5.h && have pkg-config; then
		for p in hdf5-serial hdf5; do
			pkg-config --exists $p || continue
			hcflags=$(pkg-config --cflags $p)
			hldflags=$(pkg-config --libs-only-L $p)
			hfrom="pkg-config $p"
			break
		done
	fi
	hldflags="$hldflags$(rpaths "$hldflags")"
fi
# Where HDF5 is in the system's folders no flag is needed at all.
if compiles "$hcflags" hdf5.h; then
	found="$found, HDF5 by $hfrom"
else
	missing="$missing hdf5"
fi

# --- CUDA -------------------------------------------------------------------
# Only cuda.h is needed, of a version that gorgonia.org/cu compiles with; the driver
# and the run-time compiler are looked for when lbmsim runs. A folder's name
# may hold a space: then Go wants it in quotes, and so it stays out of the lists above.
cuda=${CUDA:-auto}
case $cuda in
auto|yes|none) ;;
*)
	echo "scripts/env.sh: CUDA=$cuda is unknown; give auto, yes or none" >&2
	exit 2
	;;
esac
# goflag FLAG: as one word of CGO_CFLAGS or CGO_LDFLAGS.
goflag() { case $1 in *[[:space:]]*) printf "'%s'" "$1" ;; *) printf %s "$1" ;; esac; }
cudacflags=
cudaldflags=
without=
if [ "$cuda" != none ]; then
	unfit=
	nvcc=
	if have nvcc; then
		nvcc=$(readlink -f "$(command -v nvcc)")
		nvcc=${nvcc%/bin/nvcc}
	fi
	for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$nvcc" /usr/local/cuda /opt/cuda "$PWD/.build/cuda" /usr; do
		[ -n "$root" ] || continue
		for include in "$root/include" "$root"/targets/*-linux/include; do
			[ -e "$include/cuda.h" ] || continue
			number=$(sed -n 's/^#define CUDA_VERSION  *\([0-9]*\).*/\1/p' "$include/cuda.h")
			if [ "${number:-0}" -lt 11040 ] || [ "$number" -ge 13000 ]; then
				unfit="$unfit; $include is of CUDA $((${number:-0} / 1000)), not 11.4 to 12"
				continue
			fi
			cudacflags=$(goflag "-I$include")
			cudaldflags=$(goflag "-L$PWD/device/cuda/link")
			found="$found, CUDA $((number / 1000)).$((number % 1000 / 10)) by $include"
			break 2
		done
	done
	if [ -z "$cudacflags" ]; then
		without="NVIDIA GPUs (cuda.h is not found; make cuda-headers fetches it$unfit)"
		[ "$cuda" = auto ] || missing="$missing cuda"
	fi
fi
# --- instruction set --------------------------------------------------------
isa=${ISA:-auto}
if [ "$isa" = auto ]; then
	isa=baseline
	flags=" $(sed -n 's/^flags[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1) "
	# haves FLAG...: the processor has all of them.
	haves() { for f in "$@"; do case $flags in *" $f "*) ;; *) return 1 ;; esac; done; }
	if haves avx512f avx512dq avx512bw avx512vl; then isa=avx512; elif haves avx2 f16c fma; then isa=avx2; fi
fi
case $isa in
all) isatag= ;;
avx512|avx2|baseline)
	isatag=isa_$isa
	found="$found, kernels for $isa"
	;;
*)
	echo "scripts/env.sh: ISA=$isa is unknown; give auto, all, avx512, avx2 or baseline" >&2
	exit 2
	;;
esac
[ "$(uname -m)" = x86_64 ] || isatag= # other architectures have one set
# gonum/plot leaves out its writers of PDF, SVG, EPS and TeX, and what they need: lbmsim draws into PNG only.
tags=minimal${cudacflags:+,cuda}${isatag:+,$isatag}

words() { printf '%s\n' "$*" | tr -s ' ' '\n' | awk 'NF && !seen[$0]++' | paste -sd ' '; } # each once

# Setting CGO_CFLAGS replaces Go's own "-O2 -g", so it is said again.
cat <<X
export CGO_CFLAGS=$(quote "$(words "-O2 -g $hcflags")${cudacflags:+ $cudacflags}")
export CGO_CXXFLAGS=$(quote "$(words "-O2 -g $hcflags")")
export CGO_LDFLAGS=$(quote "${cudaldflags:+$cudaldflags }$(words "-O2 -g $hldflags")")
export LBMSIM_TAGS=$tags
export CGO_CFLAGS_ALLOW='.*' CGO_LDFLAGS_ALLOW='.*'
LBMSIM_MPIRUN=$(quote "$mpirun")
LBMSIM_FOUND=$(quote "$found")
LBMSIM_MISSING=$(quote "${missing# }")
LBMSIM_WITHOUT=$(quote "$without")
LBMSIM_GO_SAYS=$(quote "${gosays:-}")
X
# Open MPI refuses root, and more ranks than cores, unless told: in a container
# or on a one-core machine there is no other way. MPICH ignores these.
if [ "$(id -u)" = 0 ]; then
	echo "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
fi
if [ "$(nproc)" -lt "${NP:-2}" ]; then
	echo "export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe"
fi
