#!/bin/bash
# Tests the Python package with the program that is built: ruff, mypy, pytest. Called by
# `make test-python`. What it needs is installed into .build/python, in the versions of
# python/requirements-test.txt; LBMSIM_PYTHON names another Python (Debian: python3-venv).
#
#   scripts/test-python.sh [ARGUMENTS OF PYTEST]...
set -euo pipefail
cd "$(dirname "$0")/.."
python=${LBMSIM_PYTHON:-python3}
venv=$PWD/.build/python
wants=python/requirements-test.txt
log=.build/python.log
fail() { echo "test-python: FAILED: $*" >&2; exit 1; }

export LBMSIM=${LBMSIM:-$PWD/bin/lbmsim}
[ -x "$LBMSIM" ] || fail "there is no program $LBMSIM: make build"

if ! cmp -s "$wants" "$venv/requirements.txt"; then
	echo "installing $wants into .build/python (log: $log)"
	mkdir -p .build
	if ! { rm -rf "$venv" && "$python" -m venv "$venv" &&
		"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$wants"; } >"$log" 2>&1; then
		tail -n 5 "$log" >&2
		fail "pip could not install $wants; the whole story is in $log"
	fi
	cp "$wants" "$venv/requirements.txt"
fi
# A link to the source tree: quick, and each time, for the version may be another.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable python ||
	fail "python/ cannot be installed"

# The launcher of the MPI library that the program was built for.
if [ -z "${LBMSIM_MPIRUN:-}" ] && found=$(scripts/env.sh "${MPI:-auto}" 2>/dev/null); then
	eval "$(grep '^LBMSIM_MPIRUN=\|^export LBMSIM_MPIRUN=' <<<"$found")"
fi
[ -z "${LBMSIM_MPIRUN:-}" ] || export LBMSIM_MPIRUN LBMSIM_REQUIRE_MPI=1
export LBMSIM_NO_SKIPS=1 PYTHONDONTWRITEBYTECODE=1

said=()
try() {
	local name=$1
	shift
	if (cd python && "$@"); then said+=("ok: $name"); else said+=("FAILED: $name"); fi
}
try "ruff check" "$venv/bin/ruff" check
try "ruff format" "$venv/bin/ruff" format --check
try "mypy --strict" "$venv/bin/mypy"
try "pytest with $("$LBMSIM" version), MPI by ${LBMSIM_MPIRUN:-nothing}" "$venv/bin/python" -m pytest -q "$@"
echo
printf 'test-python: %s\n' "${said[@]}"
! printf '%s\n' "${said[@]}" | grep -q FAILED
