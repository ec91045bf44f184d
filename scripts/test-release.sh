#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Tries scripts/version.sh and scripts/release.sh in a small repository of its own, whose builds are copies of a text: what is refused,
# what is dated, tagged and packed, and that a dry run changes nothing. Then it tries scripts/sbom.py. Takes seconds; called by
# `make test-release`.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT
fail() { echo "test-release: FAILED: $*" >&2; exit 1; }
is() { [ "$2" = "$3" ] || fail "$1: \"$2\", not \"$3\""; }
# Nothing of this machine's settings, nor of a repository around.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE MAKE MAKEFLAGS MAKELEVEL

mkdir -p "$try/tree/scripts" "$try/tree/packaging/easybuild"
cd "$try/tree"
cp "$root"/scripts/{version,release}.sh scripts/
echo 1.2.3 >VERSION
echo "1.2 (draft)" >"$try/wrong"
is "outside of git" "$(scripts/version.sh) $(scripts/version.sh file)" "1.2.3 1.2.3"
cp "$try/wrong" VERSION
! scripts/version.sh 2>/dev/null || fail "a VERSION that is not one passes"
echo 1.2.3 >VERSION

# The builds: the same bytes twice, or, where COUNTER names a file, with its content, a line more in each.
cat >Makefile <<'M'
docs:
	@echo built the pages
pages:
	@echo committed the pages of $$(scripts/version.sh)
	if [ -n "$$TORN" ]; then git branch -f gh-pages "$$(git commit-tree -m pages HEAD^{tree})"; false; fi
dist:
	[ -z "$$BROKEN" ]
	mkdir -p dist .build/dist
	scripts/version.sh >.build/dist/lbmsim
	if [ -n "$$COUNTER" ]; then echo x >>"$$COUNTER"; cat "$$COUNTER" >>.build/dist/lbmsim; fi
	cp .build/dist/lbmsim dist/lbmsim-$$(scripts/version.sh file)-linux-x86_64.tar.gz
wheel:
	cp .build/dist/lbmsim dist/lbmsim-$$(scripts/version.sh file)-py3-none-any.whl
M
echo 'import sys; print("bill of", *sys.argv[1:])' >scripts/sbom.py
cat >CHANGELOG.md <<'C'
# Changelog

## [1.2.3] - Unreleased

### Added

- A thing.

## [1.2.2] - 2020-01-01

- An old thing.
C
printf 'title: x\nversion: 1.2.3\nlicense: y\n' >CITATION.cff
echo '{"version": "1.2.3"}' | tee codemeta.json >.zenodo.json
echo "version = '1.2.3'" >packaging/easybuild/lbmsim-1.2.3.eb
printf '/dist/\n/.build/\n' >.gitignore
git init -q -b main .
git add -A
git commit -q -m one
commit=$(git rev-parse --short=8 HEAD)
is "a commit" "$(scripts/version.sh) $(scripts/version.sh file)" "1.2.3 ($commit) 1.2.3+g$commit"
mkdir inside && cp -r scripts VERSION inside/
is "an archive unpacked inside a repository" "$(inside/scripts/version.sh)" "1.2.3"
rm -r inside
is "a repository of another owner" "$(export GIT_TEST_ASSUME_DIFFERENT_OWNER=1 && scripts/version.sh && scripts/version.sh file)" "1.2.3 (unknown)
1.2.3+unknown"

# refused REASON: --check names it.
refused() {
	local told
	! told=$(scripts/release.sh --check 2>&1) || fail "passes: $1"
	grep -qF "$1" <<<"$told" || fail "\"$1\" is not in: $told"
	git reset -q --hard
	git clean -qfd
}
echo x >>Makefile
is "a change" "$(scripts/version.sh) $(scripts/version.sh file)" "1.2.3 ($commit+dirty) 1.2.3+g$commit.dirty"
refused "the tree has changes"
echo x >stray
refused "the tree has changes"
sed -i 's/1.2.3/1.2.4/' CITATION.cff
refused "CITATION.cff does not have: version: 1.2.3"
sed -i 's/- Unreleased/- 2021-01-01/' CHANGELOG.md
refused 'CHANGELOG.md has no line "## [1.2.3] - Unreleased"'
sed -i '/thing/d; /Added/d' CHANGELOG.md
refused "CHANGELOG.md has nothing about 1.2.3"
rm packaging/easybuild/*
refused "packaging/easybuild/lbmsim-1.2.3.eb does not have"

before=$(git rev-parse HEAD)
scripts/release.sh --dry-run >"$try/log" 2>&1 || { cat "$try/log" >&2; fail "a dry run"; }
is "after a dry run" "$(git rev-parse HEAD) $(git status --porcelain)$(git tag)" "$before "
[ -e "dist/lbmsim-1.2.3+g$commit-linux-x86_64.tar.gz" ] || fail "a dry run has built no archive"
grep -q "^built the pages" "$try/log" && ! grep -q "^committed the pages" "$try/log" || fail "a dry run builds the pages and does not commit them"

# undone REASON: a release ends, and its printed commands undo exactly what it did.
undone() {
	! scripts/release.sh >"$try/log" 2>&1 || fail "a release passes: $1"
	grep -q "start over: git " "$try/log" || fail "$1: nothing undoes it: $(cat "$try/log")"
	(eval "$(sed -n 's/^release: FAILED.* start over: //p' "$try/log")") >/dev/null 2>"$try/undo" || fail "$1: $(cat "$try/log" "$try/undo")"
	is "$1" "$(git rev-parse HEAD) $(git status --porcelain)$(git tag)$(git branch --list gh-pages --format='%(objectname)')" "$before ${2:-}"
}
mkdir -p .git/hooks
printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
undone "a hook refuses the commit"
rm .git/hooks/pre-commit
BROKEN=yes undone "a build fails"
TORN=yes undone "pages fail after their commit, the first"
git branch gh-pages
TORN=yes undone "pages fail after their commit, beside others" "$before"
git branch -q -D gh-pages
! MAKE=false scripts/release.sh >"$try/log" 2>&1 || fail "a release without pages"
is "pages fail" "$(git rev-parse HEAD) $(git status --porcelain)$(git tag)" "$before "

scripts/release.sh >"$try/log" 2>&1 || { cat "$try/log" >&2; fail "a release"; }
grep -qF "committed the pages of 1.2.3 ($(git rev-parse --short=8 HEAD))" "$try/log" || fail "a release commits no pages"
is "the tag" "$(git cat-file -t v1.2.3) $(git rev-parse 'v1.2.3^{commit}')" "tag $(git rev-parse HEAD)"
is "the tree" "$(git status --porcelain)" ""
is "the release" "$(scripts/version.sh file)" "1.2.3"
day=$(sed -n 's/^date-released: //p' CITATION.cff)
grep -qxE '[0-9]{4}-[0-9]{2}-[0-9]{2}' <<<"$day" && grep -qxF "## [1.2.3] - $day" CHANGELOG.md || fail "the day is \"$day\""
is "dist" "$(ls dist | sort | paste -sd ' ')" "SHA256SUMS lbmsim-1.2.3-linux-x86_64.tar.gz lbmsim-1.2.3-notes.md lbmsim-1.2.3-py3-none-any.whl lbmsim-1.2.3.cdx.json"
(cd dist && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS"
is "the sums" "$(wc -l <dist/SHA256SUMS)" 4
is "the notes" "$(grep -v '^$' dist/lbmsim-1.2.3-notes.md | head -n 3 | paste -sd '|')" "# lbmsim 1.2.3|### Added|- A thing."
! grep -q "old thing" dist/lbmsim-1.2.3-notes.md || fail "the notes go beyond the version's section"
grep -q "gave the same bytes" dist/lbmsim-1.2.3-notes.md || fail "equal builds are not reported"
refused "the tag v1.2.3 exists"

# Builds that differ are reported, too.
git tag -d v1.2.3 >/dev/null
git reset -q --keep HEAD^
COUNTER=$try/counter scripts/release.sh --dry-run >"$try/log" 2>&1 || { cat "$try/log" >&2; fail "a dry run whose builds differ"; }
grep -q "gave different bytes: lbmsim-.*tar.gz lbmsim-.*whl" dist/lbmsim-1.2.3-notes.md || fail "different builds are not reported"

# The bill of materials of a program with modules: make has built it for lint.
program=$(ls "$root"/.build/staticcheck-* | tail -n 1) bills=$try/licences
mkdir "$bills"
modules=$(go version -m "$program" | awk '$1 == "dep" { print $2 }')
for name in go npm_uplot $(tr / _ <<<"$modules"); do echo "Neither the name of" >"$bills/$name.txt"; done
bill() { python3 "$root/scripts/sbom.py" "$program" 1.2.3 "$bills"; }
# incomplete REASON: no bill is written.
incomplete() {
	! bill >"$try/bill" 2>"$try/log" || fail "a bill: $1"
	grep -qF "$1" "$try/log" || fail "\"$1\" is not in: $(cat "$try/log")"
}
incomplete "has no licence of HDF5"
touch "$bills/libhdf5-dev.txt"
bill >"$try/bill" || fail "no bill"
is "the bill" "$(python3 -c 'import json, sys
b = json.load(sys.stdin)
print(b["bomFormat"], b["metadata"]["component"]["version"], len(b["components"]), len(b["dependencies"][0]["dependsOn"]), {c["version"] != "" for c in b["components"]})' <"$try/bill")" \
	"CycloneDX 1.2.3 $(($(wc -w <<<"$modules") + 3)) $(($(wc -w <<<"$modules") + 3)) {True}"
echo "All rights reserved." >"$bills/go.txt"
incomplete "go.txt is not one of"
rm "$bills/go.txt"
incomplete "go.txt is missing"
echo "test-release: ok"
