# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""The version of the wheel: LBMSIM_VERSION, otherwise the output of scripts/version.sh for the source tree."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def checked(text: str) -> str:
    """A version as PEP 440 and scripts/version.sh have it: 1.2.3, 1.2.3rc1, 1.2.3+g0123abcd.dirty."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?", text):
        raise ValueError(f"{text!r} is not a version such as 1.2.3, 1.2.3rc1 or 1.2.3+g0123abcd")
    return text


def version() -> str:
    """The version, from the environment, the source distribution or the source tree."""
    if named := os.environ.get("LBMSIM_VERSION"):
        return checked(named)
    packed = HERE / "PKG-INFO"
    if packed.exists():
        m = re.search(r"^Version: (.+)$", packed.read_text(encoding="utf-8"), re.MULTILINE)
        assert m is not None
        return m[1]
    script = HERE.parent / "scripts" / "version.sh"
    return checked(subprocess.run([script, "file"], capture_output=True, text=True, check=True).stdout.strip())
