#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Tests the Python package with the built lbmsim: ruff, mypy, pytest (the gallery,
# too), and the blocks of docs/python_results.md. Called by `make test-python`. What it needs
# is installed into .build/python, in the versions of python/requirements-test.txt; LBMSIM_PYTHON names another Python (Debian: python3-venv).
#
#   scripts/test-python.sh [ARGUMENTS OF PYTEST]...
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/python-env.sh
python_env test-python

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
# The tutorial, as its reader does it. The tutorial on cases and runs is in tests/test_docs.py.
PATH=$venv/bin:$PATH try "docs/python_results.md" python3 ../scripts/docs/check.py --page docs/python_results.md "$LBMSIM"
echo
printf 'test-python: %s\n' "${said[@]}"
! printf '%s\n' "${said[@]}" | grep -q FAILED
