# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Puts the program and the examples into the wheel.

LBMSIM_BINARY names the program: it becomes the command `lbmsim` of the environment that the
wheel is installed into. With LBMSIM_BINARY=none the wheel has no executable, and the package searches PATH.
LBMSIM_LICENCES names a folder with the licences of linked libraries, which are added to the wheel.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GLIBC = (2, 28)  # of manylinux_2_28, the oldest supported one
MACHINES = {62: "x86_64", 183: "aarch64"}  # of ELF


class BuildHook(BuildHookInterface[Any]):
    """For wheels and source distributions; an editable install is the source tree itself."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before each build."""
        if version == "editable":
            return
        include = build_data["force_include"]
        root = Path(self.root)
        # In the source tree they lie above this folder, in a source distribution within it.
        examples = next((f for f in (root / "examples", root.parent / "cases" / "examples") if f.is_dir()), None)
        if examples is None:
            raise SystemExit(f"lbmsim: the folder of the examples is missing: {root.parent / 'cases' / 'examples'}")
        if self.target_name == "sdist":
            include[str(examples)] = "examples"
            return
        include[str(examples)] = "lbmsim/_examples"

        named = os.environ.get("LBMSIM_BINARY", "")
        if not named:
            raise SystemExit(
                "lbmsim: LBMSIM_BINARY has to name the program that goes into the wheel (make wheel does it all); "
                "LBMSIM_BINARY=none leaves it out, and lbmsim is looked for in PATH"
            )
        if named == "none":
            return
        program = Path(named).absolute()
        build_data["shared_scripts"][str(program)] = "lbmsim"
        build_data["tag"] = f"py3-none-{platform(program)}"
        build_data["pure_python"] = False
        if licences := os.environ.get("LBMSIM_LICENCES"):
            include[str(Path(licences).absolute())] = "lbmsim/licences"


def platform(program: Path) -> str:
    """The platform of a program's wheel, by what it needs: its machine, and the C library."""
    try:
        content = program.read_bytes()
    except OSError as e:
        raise SystemExit(f"lbmsim: LBMSIM_BINARY: {e}") from None
    if content[:6] != b"\x7fELF\x02\x01":
        raise SystemExit(f"lbmsim: LBMSIM_BINARY names {program}, which is no program for 64-bit Linux")
    if not os.access(program, os.X_OK):
        raise SystemExit(f"lbmsim: LBMSIM_BINARY names {program}, which may not be executed")
    (machine,) = struct.unpack_from("<H", content, 18)
    if machine not in MACHINES:
        raise SystemExit(f"lbmsim: LBMSIM_BINARY names {program}, a program for the machine {machine} of ELF, untried")
    # Versions of symbols are texts in the file. Too many could be found, but not too few.
    needed = {(int(a), int(b)) for a, b in re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", content)}
    major, minor = max([GLIBC, *needed])
    if (major, minor) > GLIBC:
        print(f"lbmsim: the program needs glibc {major}.{minor}, and so does the wheel: build it on an older system")
    return f"manylinux_{major}_{minor}_{MACHINES[machine]}"
