"""The version of the wheel, as PEP 440 has it: that of the program.

LBMSIM_VERSION names it, else git describes it, both in the form of `git describe`.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def pep440(described: str) -> str:
    """v1.2.3 is 1.2.3; what comes after it, or before the first tag, has its commit in a local part."""
    dirty = described.endswith("-dirty")
    described = described[: -len("-dirty")] if dirty else described
    if m := re.fullmatch(r"(?:(?P<tag>.+)-(?P<n>\d+)-g)?(?P<commit>[0-9a-f]{7,40})", described):
        base = f"{_tag(m['tag'])}.post{m['n']}" if m["tag"] else "0.0.0"
        local = [f"g{m['commit']}"]
    else:
        base, local = _tag(described), []
    local += ["dirty"] * dirty
    return base + (f"+{'.'.join(local)}" if local else "")


def _tag(tag: str) -> str:
    version = tag[1:] if tag.startswith("v") else tag
    if not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.(post|dev)\d+)*(\+[a-z0-9]+(\.[a-z0-9]+)*)?", version):
        raise ValueError(f"{tag!r} is no version: v1.2.3, v1.2.3rc1, or what git describe makes of it")
    return version


def version() -> str:
    """The version, from the environment, the source distribution or git."""
    if named := os.environ.get("LBMSIM_VERSION"):
        return pep440(named)
    packed = HERE / "PKG-INFO"
    if packed.exists():
        m = re.search(r"^Version: (.+)$", packed.read_text(encoding="utf-8"), re.MULTILINE)
        assert m is not None
        return m[1]
    try:
        git = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--tags"], cwd=HERE, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "0.0.0"
    return pep440(git.stdout.strip())
