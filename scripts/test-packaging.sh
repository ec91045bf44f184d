#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Tries what a site installs and checks lbmsim with, on this machine, in a few minutes:
#
#   scripts/test-packaging.sh [lint|easybuild|modules|reframe|slurm|container]...    all, if none is named
#
#   lint        Spack's package and ReFrame's files by ruff
#   easybuild   an installation from the archive by EasyBuild, its style and its contribution checks
#   modules     that installation's own module, and the module files of packaging, loaded by Lmod
#   reframe     the ReFrame check with two ranks of that installation, and that it fails where it must
#   slurm       the same check in a SLURM of two virtual nodes (as root)
#   container   the lines of the Apptainer file in a bare Debian (as root)
#
# The archive is ARCHIVE or the one in dist; without either, bin/lbmsim is packed for the
# occasion. Tools are in .build/packaging, of the versions below. What cannot be tried is reported.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="ReFrame-HPC==4.10.4 easybuild==5.4.1 pycodestyle==2.15.0 ruff==0.17.6"
root=$PWD
kit=$root/.build/packaging
work=$kit/work
say() { echo "test-packaging: $*"; }
fail() { echo "test-packaging: FAILED: $*" >&2; exit 1; }
known="lint easybuild modules reframe slurm container"
[ $# -gt 0 ] || set -- $known
for part; do [[ " $known " = *" $part "* ]] || fail "the parts are $known, not $part"; done
trap 'code=$?; [ $code = 0 ] || echo "test-packaging: FAILED after $SECONDS s (logs: $work)" >&2; exit $code' EXIT

# Debian's own Python, that users other than root can reach, too.
if [ "$(cat "$kit/tools" 2>/dev/null)" != "$tools" ]; then
	say "installing $tools into $kit"
	rm -rf "$kit"
	/usr/bin/python3 -m venv "$kit"
	"$kit/bin/python" -m pip install --quiet --disable-pip-version-check $tools
	echo "$tools" >"$kit/tools"
fi
export PATH=$kit/bin:$PATH EB_PYTHON=$kit/bin/python NO_COLOR=1 RFM_COLORIZE=0
rm -rf "$work"
mkdir -p "$work"

# --- the archive, under the name that the easyconfig has ---
version=$(scripts/version.sh number)
name=lbmsim-$version-linux-x86_64
archive=${ARCHIVE:-$(find dist -name 'lbmsim-*-linux-x86_64.tar.gz' 2>/dev/null | sort | tail -n 1 || true)}
mkdir -p "$work/sources" "$work/$name"
if [ -n "$archive" ]; then
	tar -C "$work/$name" --strip-components=1 -xzf "$archive"
else
	[ -x bin/lbmsim ] || fail "there is neither an archive in dist nor bin/lbmsim: make dist, or make build"
	archive="bin/lbmsim, packed for the occasion"
	mkdir -p "$work/$name/bin" "$work/$name/licences"
	cp bin/lbmsim "$work/$name/bin/"
	cp LICENSE "$work/$name/licences/lbmsim.txt"
fi
# What is tried is this tree's.
for tree in README.md LICENSE docs cases examples jobs packaging; do
	rm -rf "${work:?}/$name/$tree"
	cp -R "$tree" "$work/$name/"
done
tar -C "$work" --owner=0 --group=0 --numeric-owner -czf "$work/sources/$name.tar.gz" "$name"
say "the archive is $archive"

# Open MPI refuses root, and more ranks than cores, unless told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
if [ -z "${LBMSIM_MPIRUN:-}" ]; then
	LBMSIM_MPIRUN=$(command -v mpirun.openmpi || command -v mpirun || true)
fi
export LBMSIM_MPIRUN

lint() {
	# Both fill their files' name spaces with directives of their own.
	local options=(--isolated --quiet --target-version py37 --line-length 130 --select E,F,W,B,UP)
	ruff check "${options[@]}" --config 'builtins=["variable","parameter","run_after","run_before","sanity_function"]' packaging/reframe
	ruff check "${options[@]}" --ignore F403,F405 packaging/spack
	python3 -m py_compile packaging/reframe/*.py packaging/spack/spack_repo/lbmsim/packages/lbmsim/package.py
	find packaging -name __pycache__ -exec rm -r {} +
	say "ok: ruff finds nothing in packaging/reframe and packaging/spack"
	say "not tried: Spack itself (no package of it on PyPI)"
}

# lmod: the function `module`, where Lmod is installed.
lmod() {
	local init
	for init in "${LMOD_PKG:-/nowhere}/init/bash" /usr/share/lmod/lmod/init/bash; do
		[ -e "$init" ] || continue
		set +u
		# shellcheck disable=SC1090
		. "$init"
		return
	done
	return 1
}

# eb_ OPTION...: EasyBuild with all it writes in the work folder.
eb_() (
	lmod
	as_root=()
	[ "$(id -u)" != 0 ] || as_root=(--allow-use-as-root-and-accept-consequences)
	HOME=$work EASYBUILD_PREFIX=$work/eb EASYBUILD_SOURCEPATH=$work/sources EASYBUILD_MODULES_TOOL=Lmod \
		eb "${as_root[@]}" "$@" >"$work/eb.log" 2>&1 || { cat "$work/eb.log" >&2; fail "eb $*"; }
)

easybuild() {
	cp packaging/easybuild/lbmsim-$version.eb "$work/"
	local file=$work/lbmsim-$version.eb
	eb_ "$file" --inject-checksums
	eb_ "$file" --check-contrib
	eb_ "$file" --dry-run
	eb_ "$file"
	grep -q 'COMPLETED: Installation ended successfully' "$work/eb.log" || fail "EasyBuild did not install"
	say "ok: EasyBuild takes the style of lbmsim-$version.eb, and has installed from the archive and run its sanity checks"
}

# loaded FOLDER WHAT: the module lbmsim/VERSION of this folder provides lbmsim, and removes it.
loaded() (
	lmod
	module use "$1"
	module load lbmsim/$version
	[ "$LBMSIM" = "$(command -v lbmsim)" ] && [ -d "$LBMSIM_HOME/cases/examples" ] || fail "$2: lbmsim is $(command -v lbmsim), LBMSIM $LBMSIM"
	lbmsim --version >/dev/null
	module unload lbmsim
	[ -z "${LBMSIM:-}" ] || fail "$2: LBMSIM stays after module unload"
	say "ok: module load lbmsim/$version, $2"
)

modules() {
	loaded "$work/eb/modules/all" "EasyBuild's"
	local kind
	for kind in lua tcl; do
		mkdir -p "$work/modules-$kind/lbmsim"
		sed "s|/opt/lbmsim/\$version|$work/$name|; s|pathJoin(\"/opt/lbmsim\", myModuleVersion())|\"$work/$name\"|" \
			packaging/lbmsim.$kind >"$work/modules-$kind/lbmsim/$version$([ $kind = tcl ] || echo .lua)"
		loaded "$work/modules-$kind" "packaging/lbmsim.$kind"
	done
}

# checks NAME OPTION...: the ReFrame check as it is in the archive, with small sizes.
checks() {
	local log=$work/reframe-$1.log
	shift
	TMPDIR=$work reframe -C "${settings:-$work/$name/packaging/reframe/settings.py}" -c "$work/$name/packaging/reframe/lbmsim_check.py" \
		--prefix="$work/reframe" --report-file="$work/reframe/report.json" \
		-S LbmsimScaling.weak=64 -S LbmsimScaling.strong=64 -S LbmsimScaling.rounds=2 "${do:--r}" "$@" >"$log" 2>&1
}

# passed NAME: what a check has printed, and how many cases have run.
passed() {
	local log=$work/reframe-$1.log
	grep -E '^\[ +(OK|FAIL) |^P: ' "$log" | sed 's/^/    /'
	say "ok: $(grep -oE 'Ran [0-9]+/[0-9]+ test case' "$log" | sed 's/Ran \([0-9]*\).*/\1/') checks of ReFrame, $2"
}

# fails NAME REASON OPTION...: a check that must fail, for this reason.
fails() {
	local log=$work/reframe-$1.log reason=$2
	if checks "$1" "${@:3}"; then fail "the ReFrame check passes, but must not: $1"; fi
	grep -q "$reason" "$log" || { tail -n 40 "$log" >&2; fail "the ReFrame check fails for another reason: $1"; }
	say "ok: the ReFrame check fails with $1"
}

reframe_() {
	[ -n "$LBMSIM_MPIRUN" ] || { say "NOT TRIED: ReFrame: no mpirun"; return; }
	export LBMSIM=$work/eb/software/lbmsim/$version/bin/lbmsim
	[ -x "$LBMSIM" ] || LBMSIM=$work/$name/bin/lbmsim
	checks local --system=local || { tail -n 60 "$work/reframe-local.log" >&2; fail "ReFrame, local"; }
	passed local "two ranks, $LBMSIM_MPIRUN"

	# Job scripts for the cluster that the settings stand for, which nothing runs.
	if (lmod); then
		(lmod && do=--dry-run SCRATCH=$work/stages checks cluster --system=cluster -n '(Doctor|Scaling|SameState).*num_nodes=4$') ||
			{ tail -n 40 "$work/reframe-cluster.log" >&2; fail "ReFrame's settings for a cluster"; }
		local job
		job=$(cat "$work"/stages/reframe/stage/cluster/gpu/lbmsim/LbmsimDoctor_*/rfm_job.sh)
		for line in '#SBATCH --ntasks=16' '#SBATCH --gpus-per-node=4' '^srun .*doctor --device cuda'; do
			grep -q -- "$line" <<<"$job" || { echo "$job" >&2; fail "a job script for 4 nodes of GPUs has no $line"; }
		done
		say "ok: ReFrame writes job scripts for the cluster of settings.py"
	fi

	# A launcher whose ranks do not find each other, a value that is missed, a machine that is too slow.
	LBMSIM_MPIRUN="bash -c 'shift; exec \"\$@\"'" fails "a launcher of another MPI" 'not all ranks found each other' --system=local -n 'LbmsimDoctor.*num_nodes=1$'
	mkdir -p "$work/missed/cases/validation"
	sed 's/^linf = .*/linf = 1e-30/' cases/validation/couette.toml >"$work/missed/cases/validation/couette.toml"
	LBMSIM_HOME=$work/missed fails "a value that is missed" 'the program failed' --system=local -n 'LbmsimValidation.*case=couette$'
	sed "s/'weak_64_host_efficiency': \[0.2, /'weak_64_host_efficiency': [20, /" packaging/reframe/settings.py >"$work/slow.py"
	settings=$work/slow.py fails "a machine that is too slow" "weak_64_host_efficiency.*20" --system=local -n 'LbmsimScaling.*num_nodes=1$'
}

slurm() (
	export PATH=$PATH:/usr/sbin
	if [ "$(id -u)" != 0 ] || ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
		say "NOT TRIED: the check in SLURM (needs root, and Debian's slurm-wlm and munge)"
		return
	fi
	export LBMSIM=$work/$name/bin/lbmsim LBMSIM_SLURM_PORT=17010 LBMSIM_SLURM SLURM_CONF
	LBMSIM_SLURM=$(mktemp -d)
	SLURM_CONF=$(scripts/slurm-cluster.sh conf)
	trap 'scripts/slurm-cluster.sh stop >/dev/null 2>&1 || true; rm -rf "$LBMSIM_SLURM"' EXIT
	scripts/slurm-cluster.sh start 2 2 >"$work/slurm.log" 2>&1 || { cat "$work/slurm.log" >&2; fail "no SLURM cluster"; }
	# The virtual nodes have one address.
	cat >"$work/virtual.py" <<-T
		site_configuration = {'systems': [{'name': 'virtual', 'hostnames': ['.*'], 'partitions': [{
		    'name': 'cpu', 'scheduler': 'squeue', 'launcher': 'srun', 'environs': ['lbmsim'], 'max_jobs': 1,
		    'env_vars': [['SLURM_MPI_TYPE', 'pmix'], ['OMPI_MCA_btl', 'self,tcp'], ['OMPI_MCA_pml', 'ob1'],
		                 ['OMPI_MCA_mpi_yield_when_idle', '1']],
		    'extras': {'lbmsim': {'ranks_per_node': 2, 'cpus_per_rank': 1, 'max_nodes': 2}}}]}]}
	T
	checks slurm -C "$work/virtual.py" --system=virtual || { tail -n 60 "$work/reframe-slurm.log" >&2; fail "ReFrame, in SLURM"; }
	passed slurm "one and two virtual nodes of SLURM"
)

# section NAME: its lines of the Apptainer file.
section() { sed -n "/^%$1\$/,/^%/p" packaging/lbmsim.def | grep -v '^%'; }

container() {
	if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
		say "NOT TRIED: the Apptainer file (needs root and debootstrap)"
		return
	fi
	local log=$work/container.log more=
	# A program of this machine wants its libraries; an archive of make dist has them inside.
	[[ $(ldd "$work/$name/bin/lbmsim") != *libhdf5* ]] || more='apt-get update && apt-get install -y --no-install-recommends libhdf5-103-1 libhdf5-hl-100'
	{
		echo "mv /srv/$name.tar.gz /opt/lbmsim.tar.gz"
		section post
		echo "$more"
	} >"$work/post.sh"
	section environment >"$work/environment.sh"
	section test >"$work/test.sh"
	cp packaging/lbmsim.def "$work/"
	LBMSIM_BARE=${LBMSIM_BARE:-$kit/bare} scripts/bare.sh -f "$work/sources/$name.tar.gz" -f "$work/post.sh" -f "$work/environment.sh" -f "$work/test.sh" '
		cd / && sh -e /srv/post.sh && . /srv/environment.sh && sh -ex /srv/test.sh &&
		export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 &&
		mpirun -np 2 lbmsim doctor --device cpu --output /tmp/doctor' >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "the lines of lbmsim.def"; }
	grep -q 'NVRTC 12' "$log" || { tail -n 40 "$log" >&2; fail "the program finds no NVRTC in the container"; }
	grep -q '^lbmsim .*2 ranks' "$log" || fail "the ranks in the container do not find each other"
	say "ok: the lines of lbmsim.def in a bare Debian, then doctor on two ranks by the mpirun inside"
	say "not tried: Apptainer itself (Debian has no package of it)"
}

for part; do
	case $part in
	easybuild | modules)
		if ! (lmod); then say "NOT TRIED: $part: no Lmod (Debian: apt-get install lmod)"; continue; fi
		;;
	esac
	case $part in
	modules) [ -d "$work/eb/modules" ] || easybuild ;;
	esac
	if [ "$part" = reframe ]; then reframe_; else "$part"; fi
done
say "all is well ($SECONDS s)"
