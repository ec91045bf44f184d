#!/bin/sh

# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# Fetches axe-core (Deque Systems, MPL-2.0) from the npm registry into .build/axe,
# with python3, which tests need anyway. It checks the live page for accessibility
# in the tests of package live and is not part of lbmsim.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .build/axe
python3 - .build/axe/axe.min.js <<'X'
import base64, hashlib, io, os, sys, tarfile, urllib.request
VERSION = "4.14.1"
# As the registry lists it: dist.integrity.
SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
path = sys.argv[1]
if os.path.exists(path) and f"axe v{VERSION}".encode() in open(path, "rb").read(200):
    sys.exit()
url = f"https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz"
print(f"fetching axe-core {VERSION} into {os.path.dirname(path)}")
package = urllib.request.urlopen(url, timeout=60).read()
if base64.b64encode(hashlib.sha512(package).digest()).decode() != SHA512:
    sys.exit(f"{url} does not have the expected checksum")
with tarfile.open(fileobj=io.BytesIO(package)) as t:
    text = t.extractfile("package/axe.min.js").read()
with open(path + ".part", "wb") as f:
    f.write(text)
os.rename(path + ".part", path)
X
