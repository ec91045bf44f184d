# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Writes the bill of materials of a built lbmsim as CycloneDX 1.5 JSON (ECMA-424) to the standard output.

    python3 scripts/sbom.py PROGRAM VERSION LICENCES

The Go modules are those that the program itself records (`go version -m`). What is linked
statically beside them, HDF5 and what it compresses with, is in LICENCES: the folder that
scripts/dist.sh writes has a file for each Debian package, whose version dpkg knows. It fails
where one is missing on either side, rather than write half a bill.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote


def output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}


def modules(program: str) -> list[dict[str, Any]]:
    """The modules of a Go program, and its compiler's library."""
    found = []
    lines = output("go", "version", "-m", program).splitlines()
    go = lines[0].split(": ")[1].split()[0].removeprefix("go")
    found.append(component("std", go, f"pkg:golang/std@{go}"))
    for line in lines[1:]:
        words = line.split()
        # A replaced module ("=>") is a copy of the one in the line before it, without some of its files.
        if words[:1] == ["dep"]:
            found.append(component(words[1], words[2], f"pkg:golang/{words[1]}@{words[2]}"))
    return found


def packages(licences: Path) -> list[dict[str, Any]]:
    """The Debian packages whose static libraries are inside."""
    found = []
    # A module's file has its path with _ for /; no name of a Debian package has a _.
    for name in sorted(p.stem for p in licences.glob("*.txt") if p.stem != "go" and "_" not in p.stem):
        version = output("dpkg-query", "-W", "-f", "${Version}", name)
        found.append(component(name, version, f"pkg:deb/debian/{quote(name)}@{quote(version, safe=':~')}"))
    return found


def main(program: str, version: str, folder: str) -> int:
    licences = Path(folder)
    linked = modules(program)
    for m in linked[1:]:
        file = licences / (m["name"].replace("/", "_") + ".txt")
        if not file.is_file():
            sys.exit(f"sbom.py: the module {m['name']} has no licence {file}")
    debian = packages(licences)
    if not any("hdf5" in p["name"] for p in debian):
        sys.exit(f"sbom.py: {licences} has no licence of HDF5, which is linked statically")
    about = {
        "type": "application",
        "bom-ref": "lbmsim",
        "name": "lbmsim",
        "version": version,
        "licenses": [{"license": {"id": "BSD-3-Clause"}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(Path(program).read_bytes()).hexdigest()}],
    }
    parts = linked + debian
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": about},
        "components": parts,
        "dependencies": [{"ref": "lbmsim", "dependsOn": [p["bom-ref"] for p in parts]}],
    }
    json.dump(bill, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
