#!/bin/bash

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Fills a folder with what a linker needs of an old glibc: the files that start a program,
# and libraries that have the old one's symbols and versions, but nothing behind them.
# The compiler never sees the folder: a program linked with it has the same code as any.
#
#   scripts/old-glibc/stubs.sh VERSION FOLDER      for example: stubs.sh 2.28 .build/glibc
#
# Zig knows the symbols of every glibc. Its wheel on PyPI is fetched for that, and removed.
set -euo pipefail
zig=0.13.0
version=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: "ziglang==$zig"
echo 'int main(void) { return 0; }' >"$tmp/a.c"
# Without -O: what of it ends up in the program (the stat family, which the old library has
# as static functions) would be LLVM's bitcode.
(cd "$tmp" && ZIG_GLOBAL_CACHE_DIR=$tmp/cache ZIG_LOCAL_CACHE_DIR=$tmp/cache venv/bin/python -m ziglang cc -v -g0 \
	-fno-sanitize=undefined -fno-stack-protector -target "$(uname -m)-linux-gnu.$version" a.c -o a) >"$tmp/log" 2>&1 ||
	{ tail -n 5 "$tmp/log" >&2; exit 1; }

rm -rf "$folder"
mkdir -p "$folder"
# The last link is the program's.
for f in $(grep '^ld.lld' "$tmp/log" | tail -n 1); do
	case $f in "$tmp"/*/Scrt1.o | "$tmp"/*/crt[in].o | "$tmp"/*/libc_nonshared.a | "$tmp"/*/lib*.so.*) cp "$f" "$folder/" ;; esac
done
cd "$folder"
ln -s Scrt1.o crt1.o
ln -s libm.so.6 libm.so
for lib in dl ld pthread resolv rt util; do
	ln -s lib$lib.so.* lib$lib.so
done
# Today's glibc has all in libc. So what is looked for there is found in the old one's parts.
echo "GROUP(libc.so.6 libc_nonshared.a AS_NEEDED(libpthread.so libdl.so libresolv.so librt.so libutil.so libld.so))" >libc.so
"${CC:-gcc}" -O2 -Wall -Wextra -Werror -c "$here/newer.c" -o newer.o
