#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Makes the release of the version in VERSION. Called by `make release`.
#
#   scripts/release.sh                check, date, commit, tag, build, build again and compare
#   scripts/release.sh --dry-run      check and build as the tree is: no commit, no tag
#   scripts/release.sh --check        check only
#
# In dist: archive and wheel, a bill of materials (CycloneDX), the notes of the release, which are the version's
# section of CHANGELOG.md, and SHA256SUMS of all. The second build compiles a clone again, in another folder
# (.build/release-second) and with an empty cache; whether it gave the same bytes is printed and is the last line of the
# notes. The HTML pages are built first, since a broken link is repaired before a tag; a release commits them last, to
# the branch gh-pages beside older versions'. Nothing is pushed.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-release}
case $mode in
release | --dry-run | --check) ;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
number=$(scripts/version.sh number)
tag=v$number
say() { echo "release: $*"; }
problems=0
problem() { echo "release: $*" >&2; problems=$((problems + 1)); }

# section: the version's part of CHANGELOG.md, without its heading and without empty lines around it.
section() { awk -v head="## [$number]" 'index($0, "## [") == 1 { on = index($0, head) == 1; next } on' CHANGELOG.md | sed -e '/./,$!d' | sed -e ':a' -e '/^\n*$/{$d;N;ba' -e '}'; }

# states FILE TEXT: the file names this version.
states() { grep -qF -- "$2" "$1" 2>/dev/null || problem "$1 does not have: $2"; }

check() {
	[ -z "$(git status --porcelain)" ] || problem "the tree has changes or untracked files: commit or remove them (git status)"
	! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || problem "the tag $tag exists: a release is made once; change VERSION"
	grep -qxF "## [$number] - Unreleased" CHANGELOG.md || problem "CHANGELOG.md has no line \"## [$number] - Unreleased\""
	[ -n "$(section)" ] || problem "CHANGELOG.md has nothing about $number"
	states CITATION.cff "version: $number"
	states codemeta.json "\"version\": \"$number\""
	states .zenodo.json "\"version\": \"$number\""
	states "packaging/easybuild/lbmsim-$number.eb" "version = '$number'"
	if [ $problems != 0 ]; then
		say "$number cannot be released: $problems reasons" >&2
		exit 1
	fi
	say "$number can be released"
}

# dated: writes the day of the release where readers look for it.
dated() {
	local day
	day=$(date -u +%Y-%m-%d)
	sed -i "s/^## \[$number\] - Unreleased$/## [$number] - $day/" CHANGELOG.md
	sed -i -e '/^date-released:/d' -e "s/^version: .*/&\ndate-released: $day/" CITATION.cff
}

# build: archive and wheel, from the first file on.
build() {
	rm -rf dist .build/dist/lbmsim
	"${MAKE:-make}" dist wheel
}

# again: the same of a clone, with no file of the first build but CUDA's headers.
again() {
	local second=.build/release-second
	rm -rf $second .build/release-cache
	git clone -q . $second
	mkdir -p $second/.build
	[ ! -e .build/cuda ] || ln -s "$PWD/.build/cuda" $second/.build/cuda
	(export GOCACHE=$PWD/.build/release-cache && cd $second && build)
}

# pages: the commit of the branch gh-pages, empty where there is no such branch.
pages() { git rev-parse -q --verify refs/heads/gh-pages || true; }

# undo: the commands that restore the previous state, depending on the steps done so far.
undo() {
	! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || echo -n "git tag -d $tag; "
	if [ "$(pages)" != "$pages_before" ]; then
		[ -n "$pages_before" ] && echo -n "git branch -f gh-pages $pages_before; " || echo -n "git branch -D gh-pages; "
	fi
	echo "git reset --keep $before; git checkout HEAD -- CHANGELOG.md CITATION.cff"
}

# sums [FOLDER]: checksums of the built files.
sums() { (cd "${1:-.}/dist" && sha256sum -- *.tar.gz *.whl); }

check
[ "$mode" != --check ] || exit 0
"${MAKE:-make}" docs
if [ "$mode" = release ]; then
	before=$(git rev-parse HEAD)
	pages_before=$(pages)
	trap '[ $? = 0 ] || echo "release: FAILED; once repaired, undo it and start over: $(undo)" >&2' EXIT
	dated
	git commit -q -m "release: $number" -- CHANGELOG.md CITATION.cff
	git tag -a "$tag" -m "lbmsim $number"
	say "committed and tagged $tag"
fi
build
first=$(sums)
python3 scripts/sbom.py .build/dist/lbmsim "$(scripts/version.sh file)" .build/dist/licences >.build/release-sbom.json
again
second=$(sums .build/release-second)
rm -rf .build/release-cache
if [ "$first" = "$second" ]; then
	same="Two builds in different folders gave the same bytes."
	rm -rf .build/release-second
else
	say "the second build stays in .build/release-second for a comparison"
	same="Two builds in different folders gave different bytes:$(comm -13 <(sort <<<"$first") <(sort <<<"$second") | awk '{ printf " %s", $2 }')."
fi
say "$same"
mv .build/release-sbom.json "dist/lbmsim-$number.cdx.json"
{
	echo "# lbmsim $number"
	echo
	section
	echo
	echo "Check the files with \`sha256sum -c --ignore-missing SHA256SUMS\`. $same"
} >"dist/lbmsim-$number-notes.md"
(cd dist && sha256sum lbmsim-* >SHA256SUMS)
say "in dist: $(cd dist && echo lbmsim-*)"
if [ "$mode" = release ]; then
	"${MAKE:-make}" pages
	say "$(scripts/version.sh) is ready; publish it: git push --follow-tags, git push origin gh-pages, then upload dist"
else
	say "dry run: no commit, no tag"
fi
