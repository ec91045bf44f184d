#!/bin/bash
# Packs prebuilt programs into dist: one for Open MPI 4 and one for MPICH (and what has its
# ABI), for CPUs and NVIDIA GPUs, with documents, examples, job scripts and a module file.
#
#   scripts/dist.sh [openmpi|mpich]...     both, if none is named
#
# They need nothing but the MPI library and a glibc no older than `glibc` below, which is
# Debian 12's: HDF5 and the compiler's libraries are inside. CUDA is looked for when they
# run. What a program links is held against a list, then an example runs from the archive.
# Needs the static libraries of HDF5 and what it compresses with (Debian: libhdf5-dev).
set -euo pipefail
cd "$(dirname "$0")/.."
glibc=2.36
version=$(git describe --always --dirty --tags 2>/dev/null || echo unknown)
machine=$(uname -m)
[ $# -gt 0 ] || set -- openmpi mpich
fail() { echo "dist.sh: $*" >&2; exit 1; }

# Folders in which the linker finds archives and nothing else.
static=$PWD/.build/dist/static
rm -rf dist "$static"
mkdir -p dist "$static"
archives=$(h5cc -show | tr ' ' '\n' | grep '^/.*\.a$') || fail "h5cc -show names no static HDF5 (a parallel or shared build?)"
for a in $archives $(for l in sz aec z; do "${CC:-gcc}" -print-file-name=lib$l.a; done); do
	[ -e "$a" ] || fail "the static library $a is missing"
	ln -s "$a" "$static/"
done

# holds PROGRAM: it links no more than it may.
holds() {
	local needed newest more
	needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	more=$(grep -vxE 'lib(c|m|dl|rt|pthread)\.so\.6|lib(dl|rt|pthread)\.so\.[0-9]|ld-linux.*|libmpi\.so\.40|libmpich\.so\.12' <<<"$needed") &&
		fail "$1 needs libraries that a machine may not have: $more"
	newest=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
	[ "$(printf '%s\n' "$newest" "$glibc" | sort -V | tail -n 1)" = "$glibc" ] ||
		fail "$1 needs glibc $newest, newer than $glibc: build it on an older system"
	if readelf -d "$1" | grep -qE 'RPATH|RUNPATH'; then fail "$1 has a run path of this machine"; fi
	echo "ok: $1 needs glibc $newest and $(paste -sd ' ' <<<"$needed")"
}

# licences FOLDER: of all that is inside the program.
licences() {
	mkdir -p "$1"
	go list -deps -tags "$LBMSIM_TAGS" -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/lbmsim | sort -u |
		while read -r path dir; do
			local file
			file=$(find "$dir" -maxdepth 1 -iname 'licen[sc]e*' -o -maxdepth 1 -iname 'copying*' | sort | head -n 1)
			[ -n "$file" ] || fail "the module $path has no licence in $dir"
			install -m 644 "$file" "$1/$(tr / _ <<<"$path").txt"
		done
	install -m 644 "$(go env GOROOT)/LICENSE" "$1/go.txt"
	local package
	for package in $(dpkg -S $archives "$(readlink -f "$static/libz.a")" "$(readlink -f "$static/libaec.a")" \
		"$(readlink -f "$(g++ -print-file-name=libstdc++.a)")" | sed 's/:.*//' | sort -u); do
		install -m 644 "/usr/share/doc/$package/copyright" "$1/$package.txt"
	done
}

for mpi; do
	name=lbmsim-$version-linux-$machine-$mpi
	stage=.build/dist/$name
	rm -rf "$stage"
	mkdir -p "$stage/bin"
	found=$(CUDA=yes scripts/env.sh "$mpi")
	eval "$found"
	[ -z "$LBMSIM_MISSING" ] || fail "missing for $mpi: $LBMSIM_MISSING"
	echo "building $name with $LBMSIM_FOUND"
	CGO_LDFLAGS="-L$static $CGO_LDFLAGS" go build -buildvcs=false -trimpath -tags "$LBMSIM_TAGS" -o "$stage/bin/lbmsim" -ldflags "-s -w
		-X main.version=$version -extldflags '-static-libstdc++ -static-libgcc -L$static -lhdf5_hl -lhdf5 -lsz -laec -lz -ldl -lm'" ./cmd/lbmsim
	holds "$stage/bin/lbmsim"
	cp README.md LICENSE "$stage/"
	cp -R docs examples jobs site "$stage/"
	licences "$stage/licences"
	tar -C .build/dist --owner=0 --group=0 --numeric-owner -czf "dist/$name.tar.gz" "$name"

	try=$(mktemp -d)
	tar -C "$try" -xzf "dist/$name.tar.gz"
	(cd "$try/$name" && $LBMSIM_MPIRUN -np 2 bin/lbmsim run examples/gaussian_pulse.toml --device cpu >"$try/log" 2>&1) ||
		{ cat "$try/log" >&2; fail "the example does not run from dist/$name.tar.gz"; }
	grep -q 'all steps done' "$try/log" || { cat "$try/log" >&2; fail "the example did not end"; }
	rm -rf "$try" "$stage"
	echo "ok: dist/$name.tar.gz, from which an example ran on 2 ranks"
done
(cd dist && sha256sum ./*.tar.gz | tee SHA256SUMS)
