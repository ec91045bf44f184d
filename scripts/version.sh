#!/bin/sh

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Prints the version of this tree: VERSION, and the commit beside it where git knows one.
#
#   scripts/version.sh            1.0.0 (0123abcd), with changes 1.0.0 (0123abcd+dirty): what lbmsim prints
#   scripts/version.sh file       1.0.0 at the tag v1.0.0 without changes, otherwise 1.0.0+g0123abcd[.dirty]: for the
#                                 names of archives, and of wheels, as PEP 440 wants it
#   scripts/version.sh number     1.0.0
#
# Where the tree has a .git and git does not answer, as in a repository of another owner: 1.0.0 (unknown) and 1.0.0+unknown.
set -eu
cd "$(dirname "$0")/.."
number=$(cat VERSION)
if ! echo "$number" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+(rc[0-9]+)?'; then
	echo "version.sh: VERSION contains \"$number\", which is not a version such as 1.2.3 or 1.2.3rc1" >&2
	exit 1
fi
commit= mark= dirty= tagged=
# An unpacked archive inside another repository does not have its commit.
if [ ! -e .git ]; then
	:
elif [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] && found=$(git rev-parse --short=8 HEAD 2>/dev/null) &&
	changes=$(git status --porcelain --untracked-files=no 2>/dev/null); then
	commit=$found mark=g$found
	[ -z "$changes" ] || dirty=dirty
	[ "$(git rev-parse -q --verify "v$number^{commit}" 2>/dev/null)" != "$(git rev-parse HEAD)" ] || tagged=yes
else
	commit=unknown mark=unknown # a bare number is a release's
fi
case ${1:-} in
number) echo "$number" ;;
file) if [ -z "$commit" ] || [ "$tagged$dirty" = yes ]; then echo "$number"; else echo "$number+$mark${dirty:+.dirty}"; fi ;;
'') echo "$number${commit:+ ($commit${dirty:++dirty})}" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
