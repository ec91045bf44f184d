"""Where the program is, and what it is started with."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Union

from .errors import Error

Launcher = Union[str, Sequence[str], None]


def program() -> Path:
    """The program `lbmsim`.

    It is looked for in three places: the environment variable `LBMSIM`, which names it,
    the folder of Python's own programs, where pip puts that of the wheel, and `PATH`.

    Returns:
        its path.

    Raises:
        Error: there is none, or `LBMSIM` names none.
    """
    if named := os.environ.get("LBMSIM"):
        found = shutil.which(named)
        if found is None:
            raise Error(f"the environment variable LBMSIM names {named}, which is no program")
        return Path(found).absolute()
    # sys.executable is not resolved: in a virtual environment it is a link that leads out of it.
    folders = [str(Path(sys.executable).parent), sysconfig.get_path("scripts"), None]
    for folder in folders:
        if found := shutil.which("lbmsim", path=folder):
            return Path(found).absolute()
    raise Error(
        "the program lbmsim is not found: install a wheel of lbmsim that has it (Linux, x86-64), "
        "put the program's folder into PATH, or name it in the environment variable LBMSIM"
    )


def environment() -> dict[str, str]:
    """The environment of the program."""
    env = dict(os.environ)
    # The program looks for pip's NVRTC there; a virtual environment that is used without
    # having been activated does not say where it is.
    if sys.prefix != sys.base_prefix:
        env.setdefault("VIRTUAL_ENV", sys.prefix)
    return env


def launch(ranks: int, launcher: Launcher) -> list[str]:
    """The words that start the program on ranks, [] for one rank without a launcher."""
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
    if not words or shutil.which(words[0]) is None:
        raise Error(
            f"the launcher {words[0] if words else launcher!r} is not found: load the module of the MPI library "
            'that lbmsim was built for, or name its launcher: "srun", or ["mpirun", "--bind-to", "core"]'
        )
    # -n is the one option that all launchers have.
    return [*words, "-n", str(ranks)]
