#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds lbmsim and shows its progress: the kernels take most of the time of a first build, and the compiler prints
# nothing meanwhile. Called by `make build`, with the environment of scripts/env.sh.
#
#   scripts/build.sh PROGRAM VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 version=${2:?the version is empty} log=.build/build.log
mkdir -p .build
build=(go build -buildvcs=false -tags "$LBMSIM_TAGS" -ldflags "-X 'main.version=$version'" -o "$program" ./cmd/lbmsim)

if [ "$(go list -buildvcs=false -tags "$LBMSIM_TAGS" -f '{{.Stale}}' ./kernels)" = true ]; then
	units=$(go list -buildvcs=false -tags "$LBMSIM_TAGS" -f '{{len .CXXFiles}}' ./kernels)
	echo "building lbmsim: $units units of C++ kernels, then Go (some minutes on two cores)"
	# go build -x prints each command when it starts. Where that fails, the plain build below prints the error alone.
	"${build[@]:0:2}" -x "${build[@]:2}" 2>&1 >/dev/null | tee "$log" | {
		n=0
		while IFS= read -r line; do # not awk: Debian's reads ahead, and the progress would come in bursts
			case $line in *' '*.cpp) line=${line##* } && echo "  unit $((n += 1)) of $units: ${line#./}" ;; esac
		done
	} || true
fi
"${build[@]}"
gpus=
case ,$LBMSIM_TAGS, in *,cuda,*) gpus=" and NVIDIA GPUs" ;; esac
echo "built: $program $version for CPUs$gpus, any MPI, in $SECONDS s"
