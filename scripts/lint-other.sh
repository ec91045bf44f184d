#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Checks files other than Go: the licence of every file (REUSE), how to cite (CITATION.cff), that the files with lbmsim's metadata
# are of one version, the metadata of a wheel as PyPI checks it (twine), and the Python package by ruff. Called by `make lint`; the tools are in .build/metadata.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="reuse==6.2.0 cffconvert==2.0.0 setuptools==80.9.0 build==1.6.1 hatchling==1.33.0 twine==7.0.0 $(grep ^ruff= python/requirements-test.txt)" # jsonschema 3 of cffconvert imports pkg_resources
venv=.build/metadata
fail() { echo "lint-other: $*" >&2; exit 1; }
if [ "$(cat $venv/tools 2>/dev/null)" != "$tools" ]; then
	echo "installing $tools into $venv"
	rm -rf $venv
	python3 -m venv $venv
	# shellcheck disable=SC2086  # several words
	$venv/bin/pip install --quiet --disable-pip-version-check $tools
	echo "$tools" >$venv/tools
fi
$venv/bin/reuse lint --quiet || { $venv/bin/reuse lint >&2; exit 1; }
cmp -s LICENSE LICENSES/BSD-3-Clause.txt || fail "LICENSE and LICENSES/BSD-3-Clause.txt differ"
$venv/bin/python -W ignore $venv/bin/cffconvert --validate -i CITATION.cff >/dev/null 2>$venv/log || { cat $venv/log >&2; exit 1; }
number=$(scripts/version.sh number)
for file in CITATION.cff codemeta.json .zenodo.json packaging/easybuild/lbmsim-"$number".eb; do
	grep -qE "version[\"']?( =|:) [\"']?${number//./\\.}[\"']?,?\$" "$file" || fail "$file is not of version $number"
done
for file in codemeta.json .zenodo.json; do
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file" || fail "$file is not JSON"
done
# Without the program the wheel takes a second, and its metadata are the same.
rm -rf $venv/wheel
LBMSIM_BINARY=none $venv/bin/python -m build --wheel --no-isolation --outdir $venv/wheel python >$venv/log 2>&1 &&
	$venv/bin/twine check --strict $venv/wheel/*.whl >>$venv/log 2>&1 || { cat $venv/log >&2; exit 1; }
(cd python && "../$venv/bin/ruff" check --quiet && "../$venv/bin/ruff" format --check --quiet)
