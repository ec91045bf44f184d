# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""The gallery's cases on coarse grids, and its pictures of them: all of it runs; the content is not checked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]

# Keys that make a case coarse and short.
COARSE = {
    "car": {
        "domain.spacing": '"12 cm"',
        "domain.size": '["14.4 m", "5.76 m", "3.36 m"]',
        "body.patch_1.to": '["0.937 m", "-0.68 m", "7 cm"]',  # with a cell's centre in it
        "run.time": '"20 ms"',
        "output.force.car.start": '"10 ms"',
        "output.view.vortices.start": '"15 ms"',
        "output.view.vortices.every": '"5 ms"',
    },
    "convection": {"domain.cells": "[48, 48, 12]", "run.time": '"1 s"', "output.force.bottom.start": '"0.5 s"'},
    "mixer": {"domain.spacing": '"5 cm"', "run.time": '"0.3 s"', "output.force.rotor.start": '"0.1 s"'},
    "porous": {"domain.spacing": '"40 um"', "run.time": '"5 ms"'},
    "sound": {
        "domain.spacing": '"0.5 m"',
        "run.time": '"5 s"',
        "output.averages.start": '"1 s"',
        "output.force.cylinder.start": '"1 s"',
    },
    "stenosis": {"domain.spacing": '"187.5 um"', "run.time": '"1 ms"'},
    "street": {"domain.spacing": '"10 cm"', "run.time": '"2 s"', "output.force.cylinder.start": '"1 s"'},
    "tandem": {
        "domain.spacing": '"0.25 m"',
        "run.time": '"2 s"',
        "output.force.front.start": '"1 s"',
        "output.force.rear.start": '"1 s"',
    },
    "taylor_green": {"domain.cells": "[32, 32, 32]", "run.time": '"1 s"'},
}


def size(picture: Path) -> tuple[int, int]:
    with Image.open(picture) as image:
        return image.size


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the gallery with its bodies."""
    folder = tmp_path_factory.mktemp("gallery") / "gallery"
    shutil.copytree(ROOT / "cases" / "gallery", folder, ignore=shutil.ignore_patterns("*.stl", "*.raw", "__pycache__"))
    subprocess.run([sys.executable, folder / "shapes.py"], check=True)
    return folder


def test_each_case_is_here_and_on_its_page() -> None:
    cases = {file.stem for file in (ROOT / "cases" / "gallery").glob("*.toml")}
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert cases == set(COARSE)
    assert cases == {name for name in cases if f"(gallery_{name}.webp)" in page and f"gallery/{name}.toml" in page}


@pytest.mark.parametrize("name", COARSE)
def test_runs_and_is_drawn(gallery: Path, name: str) -> None:
    case, out = gallery / f"{name}.toml", gallery.parent / "out"
    subprocess.run([os.environ["LBMSIM"], "check", case], check=True, capture_output=True)
    changes = [word for key, value in COARSE[name].items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run(
        [os.environ["LBMSIM"], case, *changes, "--set", 'device.kind="cpu"', "--output", out / name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run([sys.executable, gallery / "draw.py", "--out", out, "--to", out, name], check=True)
    assert size(out / f"gallery_{name}.webp") == size(ROOT / "docs" / f"gallery_{name}.webp")
