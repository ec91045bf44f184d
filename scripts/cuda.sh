#!/bin/sh

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Unpacks the parts of CUDA that lbmsim can use without a toolkit into .build/cuda,
# from NVIDIA's wheels on PyPI, with any Python that has pip:
#
#   scripts/cuda.sh headers   cuda.h and its like, to build (4 MB)
#   scripts/cuda.sh nvrtc     the run-time compiler, to compile kernels (90 MB)
#
# gorgonia.org/cu does not compile with the headers of CUDA 13. A program built with
# the headers of CUDA 12 runs with any newer driver.
set -eu
cd "$(dirname "$0")/.."
version=12.9
dir=.build/cuda

# A Python with pip: the user's, Debian's, or the tests' environment.
for python in python3 /usr/bin/python3 .build/vtk/bin/python; do
	"$python" -m pip --version >/dev/null 2>&1 && break
	python=
done

# fetch WHEEL VERSION PATTERN...: the files of the wheel whose names match, in $dir.
fetch() {
	[ -n "$python" ] || {
		echo "scripts/cuda.sh: there is no Python with pip here to fetch $1 (Debian: apt-get install python3-pip)" >&2
		exit 1
	}
	wheel=$1==$2
	shift 2
	rm -rf "$dir/wheel"
	mkdir -p "$dir/wheel"
	echo "fetching $wheel into $dir"
	"$python" -m pip download --quiet --retries 1 --timeout 20 --disable-pip-version-check --no-deps --only-binary=:all: -d "$dir/wheel" "$wheel"
	"$python" - "$dir" "$@" <<'X'
import fnmatch, glob, os, sys, zipfile
dir, patterns = sys.argv[1], sys.argv[2:]
(wheel,) = glob.glob(os.path.join(dir, "wheel", "*.whl"))
with zipfile.ZipFile(wheel) as z:
    for name in z.namelist():
        # nvidia/PACKAGE/include/... and nvidia/PACKAGE/lib/...
        short = "/".join(name.split("/")[2:])
        if name.startswith("nvidia/") and not name.endswith("/") and any(fnmatch.fnmatch(short, p) for p in patterns):
            path = os.path.join(dir, short)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".part", "wb") as f:
                f.write(z.read(name))
            os.rename(path + ".part", path)
X
	rm -rf "$dir/wheel"
}

case ${1:-} in
headers)
	[ -e "$dir/include/cuda.h" ] || fetch nvidia-cuda-runtime-cu12 $version.79 'include/*.h'
	;;
nvrtc)
	ls "$dir"/lib/libnvrtc.so.*[0-9] >/dev/null 2>&1 ||
		fetch nvidia-cuda-nvrtc-cu12 $version.86 'lib/libnvrtc-builtins.so.*' 'lib/libnvrtc.so.*'
	;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
