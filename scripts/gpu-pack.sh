#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Packs the GPU tests into one folder for a machine with a GPU and without Go: lbmsim,
# the test binaries and their data, and the script that runs them there. Called by
# `make test-gpu`.
#
#   scripts/gpu-pack.sh [MPI]      openmpi or mpich (default: as scripts/env.sh finds)
#
# The other machine needs the same MPI and HDF5 libraries (the major numbers of their
# .so files; the report names what is missing), and an NVIDIA driver with NVRTC.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=gpu-tests
limit=60 # MB: it goes over slow links

found=$(ISA=all scripts/env.sh "${1:-auto}") # the other machine may have another instruction set
eval "$found"
case ,$LBMSIM_TAGS, in
*,cuda,*) packages=(device/cuda device/cpu halo sim cmd/lbmsim) ;;
*)
	packages=(device/cpu halo sim cmd/lbmsim)
	echo "gpu-pack.sh: no CUDA headers were found here, so this bundle has no CUDA in it: it tests the CPU device alone" >&2
	;;
esac

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
version=$(scripts/version.sh)
# Without the tables for debuggers a program has half the size; traces of panics stay.
strip="-s -w -X 'main.version=$version'"
echo "building with $LBMSIM_FOUND, tags $LBMSIM_TAGS"
nice go build -buildvcs=false -tags "$LBMSIM_TAGS" -ldflags "$strip" -o "$tree/bin/lbmsim" ./cmd/lbmsim
for p in "${packages[@]}"; do
	mkdir -p "$tree/$p"
	nice go test -c -tags "$LBMSIM_TAGS" -ldflags "$strip" -o "$tree/$p/${p##*/}.test" "./$p"
	if [ -d "$p/testdata" ]; then cp -r "$p/testdata" "$tree/$p/"; fi
done
mkdir "$tree/cases"
cp -r cases/examples "$tree/cases/" # sim's tests run them
cp VERSION "$tree/"
printf 'version=%s\ntags=%s\n' "$version" "$LBMSIM_TAGS" >"$tree/built"

rm -rf "$folder"
mkdir "$folder"
tar -C "$tree" -cf - . | gzip -9 >"$folder/bundle.tar.gz"
install -m 755 scripts/gpu-test.sh "$folder/gpu-test.sh"
size=$(($(du -sk "$folder" | cut -f 1) / 1000))
if [ "$size" -ge "$limit" ]; then
	echo "gpu-pack.sh: $folder has $size MB, more than the $limit MB that are allowed" >&2
	exit 1
fi
echo "packed: $folder, $size MB"
