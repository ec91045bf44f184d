# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Wheels: their contents, and refused builds."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import lbmsim

HERE = ROOT / "python"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(to: Path, binary: str, version: str = "1.2.3", **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LBMSIM_BINARY": binary, "LBMSIM_VERSION": version, **more}
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(to)]
    return subprocess.run(words, cwd=HERE, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("dist")
    licences = tmp_path_factory.mktemp("licences")
    (licences / "hdf5.txt").write_text("a licence\n")
    done = build(to, str(lbmsim.program()), LBMSIM_LICENCES=str(licences))
    assert done.returncode == 0, done.stderr
    (file,) = to.iterdir()
    return file


def test_the_wheel_has_all(wheel: Path) -> None:
    assert wheel.name.startswith("lbmsim-1.2.3-py3-none-manylinux_2_")
    assert wheel.name.endswith("_x86_64.whl")
    with zipfile.ZipFile(wheel) as z:
        names = set(z.namelist())
        assert "Root-Is-Purelib: false" in z.read("lbmsim-1.2.3.dist-info/WHEEL").decode()
    assert {"lbmsim/py.typed", "lbmsim/licences/hdf5.txt", "lbmsim-1.2.3.data/scripts/lbmsim"} < names
    assert "lbmsim-1.2.3.dist-info/licenses/LICENSE" in names
    assert {f"lbmsim/_examples/{p.name}" for p in (ROOT / "cases" / "examples").glob("*.toml")} < names


def test_a_fresh_environment_runs_the_cavity(wheel: Path, folder: Path) -> None:
    """pip installs the program beside python, where the package finds it."""
    venv.create("fresh", with_pip=False)
    python = folder / "fresh/bin/python"
    at = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True
    )
    # The tests' environment has all required libraries: nothing is downloaded.
    (Path(at.stdout.strip()) / "tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(pip, check=True, stdout=subprocess.DEVNULL)
    env = {k: v for k, v in os.environ.items() if k not in ("LBMSIM", "VIRTUAL_ENV", "PYTHONPATH")}
    env["PATH"] = "/usr/bin:/bin"
    script = """
import lbmsim
assert lbmsim.__version__ == "1.2.3", lbmsim.__version__
assert "fresh/lib" in lbmsim.__file__, lbmsim.__file__
print(lbmsim.program())
case = lbmsim.example("cavity")
case.update({"domain.cells": [32, 32], "run.time": "400 s", "device.kind": "cpu"})
del case["expect"]
print(lbmsim.run(case, progress=False).pictures[-1])
"""
    done = subprocess.run([python, "-c", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program, picture = done.stdout.split()
    assert program == str(folder / "fresh/bin/lbmsim")
    assert Path(picture).read_bytes().startswith(b"\x89PNG")


def test_without_the_program(folder: Path) -> None:
    done = build(folder, "none")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile("lbmsim-1.2.3-py3-none-any.whl") as z:
        assert not [name for name in z.namelist() if "scripts" in name]


@pytest.mark.parametrize(
    ("binary", "told"),
    [
        ("", "LBMSIM_BINARY has to name the program"),
        ("/no/such/program", "No such file"),
        (str(HERE / "README.md"), "no program for 64-bit Linux"),
    ],
)
def test_what_is_refused(folder: Path, binary: str, told: str) -> None:
    done = build(folder, binary)
    assert done.returncode != 0
    assert told in done.stderr
    assert list(folder.iterdir()) == []


def test_the_platform_is_what_the_program_needs(folder: Path) -> None:
    hook = load("hatch_build")
    program = folder / "program"

    def elf(*versions: str, machine: int = 62) -> str:
        head = b"\x7fELF\x02\x01" + bytes(12) + machine.to_bytes(2, "little")
        program.write_bytes(head + b"\0" + b"".join(f"GLIBC_{v}\0".encode() for v in versions))
        program.chmod(0o755)
        return str(hook.platform(program))

    assert elf("2.2.5", "2.17") == "manylinux_2_28_x86_64"
    assert elf("2.2.5", "2.28") == "manylinux_2_28_x86_64"
    assert elf("2.2.5", "2.34", "2.9") == "manylinux_2_34_x86_64"
    assert elf("2.17", machine=183) == "manylinux_2_28_aarch64"
    with pytest.raises(SystemExit, match="untried"):
        elf("2.17", machine=8)


@pytest.mark.parametrize("version", ["1.2.3", "1.2.3rc1", "1.2.3+gabcdef12", "1.2.3+gabcdef12.dirty"])
def test_version(version: str) -> None:
    assert load("hatch_version").checked(version) == version


@pytest.mark.parametrize("text", ["nightly build", "v1.2.3", "1.2", "1.2.3 (abcdef12)", "1.2.3-4-gabcdef1"])
def test_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        load("hatch_version").checked(text)


def test_version_of_the_source_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel has the version of VERSION, with the commit unless the tree is a release."""
    monkeypatch.delenv("LBMSIM_VERSION", raising=False)
    number = (ROOT / "VERSION").read_text().strip()
    assert load("hatch_version").version().split("+")[0] == number
