#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs commands in a clean clone of the last commit on a bare Debian: nothing but
# Go, make and git, as docs/start.md promises is enough. Needs root and debootstrap.
#
#   scripts/bare.sh [-k] [-n] [-u] COMMAND       for example: scripts/bare.sh 'make run'
#     -k  keep on in the clone and system of the last call, rather than afresh
#     -n  without a network (what was installed once has to be enough)
#     -u  as a user who may not install anything
#     -f FILE  copy this file, which git may not know, to /srv; may be given again
#
# The system is in LBMSIM_BARE (default: a folder in TMPDIR); what a call
# changes is laid over it, in its own mount namespace, so that nothing is left
# mounted afterwards. Certificates, proxies and package sources are this machine's.
set -euo pipefail
keep= net= user= files=
while getopts knuf: o; do
	case $o in k) keep=1 ;; n) net=--net ;; u) user=1 ;; f) files+=$(readlink -f "$OPTARG")$'\n' ;; *) exit 2 ;; esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
repo=$(cd "$(dirname "$0")/.." && pwd)
bare=${LBMSIM_BARE:-${TMPDIR:-/tmp}/lbmsim-bare}
release=${LBMSIM_BARE_RELEASE:-bookworm}
base=$bare/$release
goroot=$(go env GOROOT)
mkdir -p "$bare"

if [ ! -e "$base/ready" ]; then
	echo "making a bare $release in $base"
	rm -rf "$base"
	debootstrap --variant=minbase --include=ca-certificates,git,make "$release" "$base" >"$bare/debootstrap.log" 2>&1 </dev/null ||
		{ tail -n 3 "$bare/debootstrap.log" >&2; exit 1; }
	cp /etc/apt/apt.conf.d/* "$base/etc/apt/apt.conf.d/" 2>/dev/null || true
	if [ -e /etc/apt/sources.list.d/debian.sources ]; then
		cp /etc/apt/sources.list.d/debian.sources "$base/etc/apt/sources.list.d/"
		: >"$base/etc/apt/sources.list"
	fi
	cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
	cp /etc/pip.conf "$base/etc/" 2>/dev/null || true
	mkdir -p "$base/usr/local/go"
	touch "$base/ready"
fi

over=$bare/over
[ -n "$keep" ] || rm -rf "$over"
mkdir -p "$over/upper" "$over/work" "$over/root"
# The space is on purpose: paths may have one.
src="/srv/lbm sim"
# What the tools need to reach the network as this machine does.
pass=$(env | grep -E '^(GOPROXY|GOSUMDB|GOTOOLCHAIN|(SSL|PIP|CURL|GIT|REQUESTS)_[A-Z_]*CERT[A-Z_]*|PIP_CERT|[A-Za-z]+_(proxy|PROXY))=' || true)

export base over src goroot repo user pass net files
export command="$*"
exec unshare --mount --pid --fork --kill-child $net bash -euc '
mount -t overlay overlay -o "lowerdir=$base,upperdir=$over/upper,workdir=$over/work" "$over/root"
cd "$over/root"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount --bind "$goroot" usr/local/go
mount -o remount,ro,bind usr/local/go
cp /etc/resolv.conf /etc/hosts etc/
[ -z "$net" ] || ip link set lo up
[ -d ".$src" ] || git -c advice.detachedHead=false clone -q --no-hardlinks "$repo" ".$src"
while read -r file; do
	[ -z "$file" ] || cp "$file" srv/
done <<<"$files"
as=root
if [ -n "$user" ]; then
	as=$(chroot . id -un 1000 2>/dev/null) || { chroot . useradd -m -u 1000 guest; as=guest; }
	chroot . chown -R "$as" "$src"
fi
mapfile -t vars <<<"$pass"
[ -n "${vars[0]}" ] || vars=()
home=$(chroot . sh -c "echo ~$as")
exec chroot --userspec="$as" . /usr/bin/env -i "HOME=$home" LANG=C.UTF-8 CI="${CI:-}" \
	PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	"${vars[@]}" bash -c "cd \"\$1\" && shift && eval \"\$1\"" bash "$src" "$command"
'
