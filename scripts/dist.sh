#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds the distribution: one executable for CPUs and NVIDIA GPUs that needs only a glibc no older than `glibc` below,
# which is RHEL 8's. HDF5 and the compiler's libraries are inside, CUDA is looked for when it runs.
#
#   scripts/dist.sh program     .build/dist/lbmsim, and the licences of what is inside
#   scripts/dist.sh archive     dist/lbmsim-VERSION-linux-x86_64.tar.gz: lbmsim with
#                               documents, examples, job scripts and module files
#   scripts/dist.sh wheel       dist/lbmsim-VERSION-py3-none-manylinux_*.whl: for pip install
#
# It is compiled here and now, and linked with stubs of the old glibc (scripts/old-glibc).
# Builds of one commit with the same compilers and libraries give the same bytes in any folder: no paths (-trimpath), no
# build ID, which follows from flags with paths, names in order, one time for all files, no users.
# What a program needs is checked against a list, then an example runs from the archive.
# Needs the static libraries of HDF5 and what it compresses with (Debian: libhdf5-dev), and
# a python3 that can make environments (Debian: python3-venv).
set -euo pipefail
cd "$(dirname "$0")/.."
glibc=2.28
version=$(scripts/version.sh file)
machine=$(uname -m)
build=.build/dist
link=$build/link # where scripts/old-glibc/link looks
program=$build/lbmsim
fail() { echo "dist.sh: $*" >&2; exit 1; }
# The time of the files in an archive or a wheel: of the commit, without git of the version.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)}

# fresh FILE SOURCE...: FILE is newer than these.
fresh() {
	local file=$1 source
	shift
	for source; do [ "$file" -nt "$source" ] || return 1; done
}

program() {
	local found lib
	found=$(CUDA=yes ISA=all scripts/env.sh none)
	eval "$found"
	[ -z "$LBMSIM_MISSING" ] || fail "missing: $LBMSIM_MISSING"
	fresh $link/newer.o scripts/old-glibc/{stubs.sh,newer.c} || scripts/old-glibc/stubs.sh $glibc $link
	# HDF5, and what it compresses with.
	static=$(h5cc -show | tr ' ' '\n' | grep '^/.*\.a$') || fail "h5cc -show names no static HDF5 (a parallel or shared build?)"
	for lib in sz aec z; do static+=" $("${CC:-gcc}" -print-file-name=lib$lib.a)"; done
	for lib in $static; do
		[ -e "$lib" ] || fail "the static library $lib is missing"
		# Without its tables for unwinding, 0.41 MB of the program: no exception passes through C.
		rm -f "$link/$(basename "$lib")"
		objcopy -D --remove-section=.eh_frame "$lib" "$link/$(basename "$lib")"
	done
	scripts/old-glibc/link -O2 scripts/old-glibc/try.cpp -o $build/try
	$build/try || fail "a program that is linked with the old glibc's stubs does not run here"
	echo "building lbmsim $version with $LBMSIM_FOUND"
	fonts
	go build -buildvcs=false -trimpath -modfile $build/go.mod -tags "$LBMSIM_TAGS" -ldflags "-s -w -buildid= -X 'main.version=$(scripts/version.sh)' -extld=scripts/old-glibc/link" -o $program ./cmd/lbmsim
	holds $program
	rm -rf $build/licences
	licences $build/licences
}

# fonts: writes a go.mod that leaves out the fonts that no picture is written in. gonum/plot brings twelve, 4.4 MB; serifs,
# italics and typewriter become the plain sans, since plot wants to find something under their names. For formulas in LaTeX,
# which no picture has, it brings four more, 0.6 MB; they are parsed at every start, so they become fonts, too.
fonts() {
	local module name plain=codeberg.org/go-fonts/liberation/liberationsansregular
	rm -rf $build/fonts
	cp go.mod go.sum $build/
	for module in codeberg.org/go-fonts/liberation codeberg.org/go-latex/latex; do
		mkdir -p $build/fonts/$module
		cp -r --no-preserve=mode "$(go list -m -f '{{.Dir}}' $module)/." $build/fonts/$module
		go mod edit -replace "$module=./$build/fonts/$module" $build/go.mod
	done
	for name in $build/fonts/codeberg.org/go-fonts/liberation/liberation*/; do
		case $name in */liberationsansregular/ | */liberationsansbold/) continue ;; esac
		rm "$name"*
		printf 'package %s\n\nimport plain "%s"\n\nvar TTF = plain.TTF\n' "$(basename "$name")" $plain >"$name"data.go
	done
	sed -i "s,\"golang.org/x/image/font/gofont/\(.*\)\",\1 \"$plain\"," $build/fonts/codeberg.org/go-latex/latex/font/ttf/ttf.go
}

# holds PROGRAM: it has only allowed dependencies, and is within its size limit.
holds() {
	local needed versions size
	size=$(stat -c %s "$1")
	[ "$size" -le 25000000 ] || fail "$1 has $size bytes, more than 25 MB"
	needed=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort)
	if grep -vxE 'lib(c|m)\.so\.6|lib(dl|resolv)\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-.*' <<<"$needed"; then
		fail "$1 needs libraries that a machine may not have"
	fi
	# The loader checks the required versions before all else. Features that only a
	# newer loader has, such as packed relocations, are versions, too (GLIBC_ABI_DT_RELR).
	versions=$(readelf -VW "$1" | sed -n '/version_r/,$ s/.*Name: \([^ ]*\) .*/\1/p' | sort -uV)
	if grep -vxE 'GLIBC_[0-9.]+' <<<"$versions"; then fail "$1 needs more than versions of glibc"; fi
	if [ "$(printf '%s\n' "$versions" "GLIBC_$glibc" | sort -V | tail -n 1)" != "GLIBC_$glibc" ]; then
		fail "$1 needs $(tail -n 1 <<<"$versions"), newer than $glibc"
	fi
	if readelf -dW "$1" | grep -E 'RPATH|RUNPATH|RELR'; then fail "$1 has a run path of this machine, or packed relocations"; fi
	echo "ok: $1 has $size bytes, needs $(tail -n 1 <<<"$versions") and $(paste -sd ' ' <<<"$needed")"
}

# licences FOLDER: of all that is linked into lbmsim.
licences() {
	mkdir -p "$1"
	go list -deps -tags "$LBMSIM_TAGS" -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/lbmsim | sort -u |
		while read -r path dir; do
			local files # several where fonts have a licence of their own, or a folder has a choice
			files=$(find "$dir" -maxdepth 2 -type f \( -ipath "$dir/licen[sc]e*" -o -ipath "$dir/copying*" \) | sort)
			[ -n "$files" ] || fail "the module $path has no licence in $dir"
			xargs -d '\n' cat <<<"$files" >"$1/$(tr / _ <<<"$path").txt"
		done
	install -m 644 live/page/uplot.license.txt "$1/npm_uplot.txt"
	install -m 644 "$(go env GOROOT)/LICENSE" "$1/go.txt"
	local package
	for package in $(dpkg -S $(readlink -f $static "$(g++ -print-file-name=libstdc++.a)") | sed 's/:.*//' | sort -u); do
		install -m 644 "/usr/share/doc/$package/copyright" "$1/$package.txt"
	done
}

archive() {
	local name=lbmsim-$version-linux-$machine stage try
	stage=$build/$name
	rm -rf "$stage" dist/lbmsim-*.tar.gz
	mkdir -p "$stage/bin" dist
	cp $program "$stage/bin/"
	cp README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md AUTHORS CITATION.cff LICENSE VERSION "$stage/"
	# A site checks an installation with the cases of the validation book (packaging/reframe).
	cp -R docs cases examples jobs packaging $build/licences "$stage/"
	mkdir "$stage/python"
	cp -R python/notebooks "$stage/python/"
	# Go files beside the cases are for the build; the gallery's bodies are made by its shapes.py.
	find "$stage" \( -name '*.go' -o -path '*/gallery/*.stl' -o -path '*/gallery/*.raw' -o -name __pycache__ \) -exec rm -r {} +
	tar -C $build --sort=name --mtime="@$SOURCE_DATE_EPOCH" --mode=u+rwX,go+rX,go-w --owner=0 --group=0 --numeric-owner -cf - "$name" |
		gzip -9n >"dist/$name.tar.gz"
	rm -rf "$stage"

	try=$(mktemp -d)
	tar -C "$try" -xzf "dist/$name.tar.gz"
	(cd "$try/$name" && bin/lbmsim run cases/examples/gaussian_pulse.toml --device cpu >"$try/log" 2>&1) ||
		{ cat "$try/log" >&2; fail "the example does not run from dist/$name.tar.gz"; }
	grep -q 'all steps done' "$try/log" || { cat "$try/log" >&2; fail "the example did not end"; }
	rm -rf "$try"
	echo "ok: dist/$name.tar.gz, from which an example ran"
}

wheel() {
	local tools=$build/tools tag
	fresh $tools/done scripts/dist.sh || {
		rm -rf $tools
		python3 -m venv $tools
		$tools/bin/pip install --quiet --disable-pip-version-check build==1.6.1 hatchling==1.33.0 auditwheel==6.8.2
		touch $tools/done
	}
	rm -f dist/lbmsim-*.whl
	LBMSIM_VERSION=$version LBMSIM_BINARY=$PWD/$program LBMSIM_LICENCES=$PWD/$build/licences \
		$tools/bin/python -m build --wheel --no-isolation --outdir dist python
	tag=$($tools/bin/auditwheel show dist/lbmsim-*.whl | grep -o 'manylinux_[0-9]*_[0-9]*' | head -n 1) || fail "auditwheel takes the wheel for no manylinux"
	[ "$(printf '%s\n' "$tag" "manylinux_${glibc/./_}" | sort -V | tail -n 1)" = "manylinux_${glibc/./_}" ] || fail "the wheel is $tag"
	echo "ok: $(ls dist/lbmsim-*.whl), $tag by its contents"
}

what=${1:-}
case $what in
program) program ;;
archive | wheel)
	program
	$what
	(cd dist && sha256sum lbmsim-* | tee SHA256SUMS)
	;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
