# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# To be sourced in the root of the source tree: makes .build/python, a virtual environment
# with the Python package as a link to its source, and what tests it, in fixed versions.
#
#   python_env NAME FILE...     for messages; files of python/ that list what is needed
#
# It sets venv, and exports what the tests look for. LBMSIM_PYTHON names another Python
# (Debian: python3-venv).
python_env() {
	local name=$1 log=.build/python.log file found
	shift
	venv=$PWD/.build/python
	fail() { echo "$name: FAILED: $*" >&2; exit 1; }

	export LBMSIM=${LBMSIM:-$PWD/bin/lbmsim}
	[ -x "$LBMSIM" ] || fail "there is no program $LBMSIM: make build"

	mkdir -p .build
	: >"$log"
# A changed list of the package's own tests starts from an empty environment, so that nothing old stays.
	if ! cmp -s python/requirements-test.txt "$venv/requirements-test.txt"; then
		rm -rf "$venv"
		"${LBMSIM_PYTHON:-python3}" -m venv "$venv" >"$log" 2>&1 || { tail -n 5 "$log" >&2; fail "there is no venv"; }
	fi
	for file in requirements-test.txt "$@"; do
		if ! cmp -s "python/$file" "$venv/$file"; then
			echo "installing python/$file into .build/python (log: $log)"
			if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "python/$file" >>"$log" 2>&1; then
				tail -n 5 "$log" >&2
				fail "pip could not install python/$file; the whole story is in $log"
			fi
			cp "python/$file" "$venv/$file"
		fi
	done
	# A link to the source tree: fast, and each time, since the version may have changed.
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable python ||
		fail "python/ cannot be installed"

	# The launcher of the MPI library that lbmsim was built for.
	if [ -z "${LBMSIM_MPIRUN:-}" ] && found=$(scripts/env.sh "${MPI:-auto}" 2>/dev/null); then
		eval "$(grep '^LBMSIM_MPIRUN=\|^export LBMSIM_MPIRUN=' <<<"$found")"
	fi
	[ -z "${LBMSIM_MPIRUN:-}" ] || export LBMSIM_MPIRUN LBMSIM_REQUIRE_MPI=1
	export LBMSIM_NO_SKIPS=1 PYTHONDONTWRITEBYTECODE=1
}
