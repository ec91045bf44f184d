#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs the notebooks of the Python package with the built lbmsim. Called by
# `make test-notebooks`. A cell that raises is a failure, and so is anything on stderr.
# What they showed is left in .build/notebooks: the notebooks with their outputs, and the
# pictures as PNG.
#
#   scripts/test-notebooks.sh [NAME]...        those whose name begins so: 2 is 2_wake
#   scripts/test-notebooks.sh --strip          takes the outputs out of the notebooks, before a commit
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/python-env.sh
python_env test-notebooks requirements-notebooks.txt
exec "$venv/bin/python" scripts/notebooks.py "$@"
