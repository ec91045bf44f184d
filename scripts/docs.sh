#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds the HTML documentation from docs/, strictly: a broken link fails. Called by `make docs`,
# `make pages` and `make test-docs`. The tools are installed once into .build/docs, in the versions of
# scripts/docs/requirements.txt; after that no network is needed, and the pages need none.
# LBMSIM_PYTHON names another Python, 3.10 or newer (Debian: python3-venv).
#
#   scripts/docs.sh build      .build/html: open its index.html, or serve the folder. Checks links and the README's length
#   scripts/docs.sh check      the same, and the blocks of the pages to be run: RUN in scripts/docs/check.py. cluster.md's blocks
#                              run in scripts/test-slurm.sh, python_results.md's in test-python.sh
#   scripts/docs.sh pages      commits the pages of this version to the branch gh-pages, beside other versions'
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.build/docs log=.build/docs.log
fail() { echo "docs: FAILED: $*" >&2; exit 1; }

tools() {
	local list=scripts/docs/requirements.txt
	cmp -s $list "$venv/requirements.txt" && return
	mkdir -p .build
	rm -rf "$venv"
	echo "installing $list into .build/docs (log: $log)"
	"${LBMSIM_PYTHON:-python3}" -m venv "$venv" >"$log" 2>&1 || { tail -n 5 "$log" >&2; fail "there is no venv"; }
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r $list >>"$log" 2>&1 ||
		{ tail -n 5 "$log" >&2; fail "pip could not install $list; the whole story is in $log"; }
	cp $list "$venv/requirements.txt"
}

# laid: .build/pages is the Markdown of the pages, and the generator may run.
laid() {
	tools
	rm -rf .build/pages
	python3 scripts/docs/lay.py .build/pages || fail "the pages cannot be laid out"
	LBMSIM_PAGES="lbmsim $(scripts/version.sh number)"
	export LBMSIM_PAGES NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1
}

build() {
	laid
	"$venv/bin/mkdocs" --quiet build --strict --clean || fail "the pages are not in order"
	# mkdocs does not check every anchor
	"$venv/bin/python" scripts/docs/check.py --links .build/html || fail "the pages have mistakes"
	echo "ok: .build/html/index.html"
}

# pages: of MAJOR.MINOR, whose pages a correction replaces. A candidate of a release is not yet the latest.
pages() {
	laid
	local number version mike=("$venv/bin/mike" -q) PATH=$venv/bin:$PATH # where it finds mkdocs
	number=$(scripts/version.sh number)
	version=${number%.*}
	if [[ $number == *rc* ]]; then
		"${mike[@]}" deploy --title "$number" "$version-rc"
	else
		"${mike[@]}" deploy --update-aliases --alias-type redirect --title "$number" "$version" latest
		"${mike[@]}" set-default latest
	fi
	echo "ok: the branch gh-pages has the pages of $("${mike[@]}" list | paste -sd ' ')"
}

case ${1:-} in
build) build ;;
pages) pages ;;
check)
	build
	# internal/archtest defines sentences and their largest length.
	go test ./internal/archtest -run 'Prose|Sentences|Cells' || fail "sentences are too long"
	"$venv/bin/python" scripts/docs/check.py "${LBMSIM:-$PWD/bin/lbmsim}"
	;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
