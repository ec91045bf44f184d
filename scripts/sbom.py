# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Writes the bill of materials of a built lbmsim as CycloneDX 1.5 JSON (ECMA-424) to the standard output.

    python3 scripts/sbom.py PROGRAM VERSION LICENCES

The Go modules are those that the program itself records (`go version -m`). What is linked
statically beside them, HDF5 and what it compresses with, is in LICENCES: the folder that
scripts/dist.sh writes has a file for each Debian package, whose version dpkg knows. uPlot is
part of the live page. Licences are named by the text of their file; Debian's files, which list
many, are named themselves. It fails where a part or its licence is missing on either side, or
has a licence that it does not know, rather than write half a bill.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

PAGE = Path(__file__).parent.parent / "live" / "page"


def output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


# A part of each licence's text, by its SPDX identifier.
PHRASES = {
    "Apache-2.0": "Apache License Version 2.0",
    "BSD-3-Clause": "Neither the name of",
    "BSD-2-Clause": "Redistributions in binary form must reproduce",
    "FTL OR GPL-2.0-or-later": "your choice of exactly one of the following two licenses: * The FreeType License",
    "MIT": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
}


def licence(file: Path) -> str:
    """The SPDX expression of the licences in a file."""
    if not file.is_file():
        sys.exit(f"sbom.py: the licence {file} is missing")
    text = " ".join(file.read_text(encoding="ascii", errors="replace").split())  # phrases are ASCII, names of authors may be Latin-1
    found = [name for name, phrase in PHRASES.items() if phrase in text]
    if "BSD-3-Clause" in found:
        found = [name for name in found if name != "BSD-2-Clause"]  # which is its first half
    if not found:
        sys.exit(f"sbom.py: the licence {file} is not one of {', '.join(PHRASES)}")
    return " AND ".join(found)


def component(name: str, version: str, purl: str, licences: dict[str, Any]) -> dict[str, Any]:
    return {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl, "licenses": [licences]}


def modules(program: str, licences: Path) -> list[dict[str, Any]]:
    """The modules of a Go program, and its compiler's library."""
    found = []
    lines = output("go", "version", "-m", program).splitlines()
    go = lines[0].split(": ")[1].split()[0].removeprefix("go")
    found.append(component("std", go, f"pkg:golang/std@{go}", {"expression": licence(licences / "go.txt")}))
    for line in lines[1:]:
        words = line.split()
        # A replaced module ("=>") is a copy of the one in the line before it, without some of its files.
        if words[:1] == ["dep"]:
            _, name, version = words[:3]
            text = licence(licences / f"{name.replace('/', '_')}.txt")
            found.append(component(name, version, f"pkg:golang/{name}@{version}", {"expression": text}))
    return found


def uplot(licences: Path) -> dict[str, Any]:
    """The plots of the live page."""
    version = re.search(r"uPlot \(v([\d.]+)\)", (PAGE / "uplot.js").read_text(encoding="utf-8"))
    if version is None:
        sys.exit(f"sbom.py: {PAGE / 'uplot.js'} does not name its version")
    return component("uplot", version[1], f"pkg:npm/uplot@{version[1]}", {"expression": licence(licences / "npm_uplot.txt")})


def packages(licences: Path) -> list[dict[str, Any]]:
    """The Debian packages whose static libraries are inside."""
    found = []
    # A module's file has its path with _ for /; no name of a Debian package has a _.
    for name in sorted(p.stem for p in licences.glob("*.txt") if p.stem != "go" and "_" not in p.stem):
        version = output("dpkg-query", "-W", "-f", "${Version}", name)
        purl = f"pkg:deb/debian/{quote(name)}@{quote(version, safe=':~')}"
        found.append(component(name, version, purl, {"license": {"name": f"licences/{name}.txt"}}))
    return found


def main(program: str, version: str, folder: str) -> int:
    licences = Path(folder)
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
    parts = [*modules(program, licences), uplot(licences), *debian]
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
