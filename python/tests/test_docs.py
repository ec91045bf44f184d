# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""The Python code of the user page and the README runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import lbmsim

# Matplotlib's warnings are not ours.
pytestmark = pytest.mark.filterwarnings("default")


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs of the pages, shortened and on one rank; without a window for pictures."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run = lbmsim.run

    def short(case: Any, ranks: int = 1, **more: Any) -> lbmsim.Result:
        if isinstance(case, str):
            case = lbmsim.example(Path(case).stem)
        case = case.copy()
        case.update({"run.time": "1 s" if "body" in case else "500 s", "device.kind": "cpu"})
        case.pop("expect", None)
        return run(case, **{**more, "device": "cpu", "progress": False})

    monkeypatch.setattr(lbmsim, "run", short)


def test_readme() -> None:
    (block,) = blocks(ROOT / "python" / "README.md")
    exec(block, {})


def test_page(folder: Path, cavity_run: lbmsim.Result) -> None:
    first, assigned, stl, errors, plane, _, sweep = blocks(ROOT / "docs" / "python.md")
    names: dict[str, Any] = {}
    exec(first, names)
    exec(assigned, names)
    lbmsim.check(names["case"])
    ball: dict[str, Any] = {}
    exec(stl, ball)
    assert ball["drag"] > 0
    exec(errors.replace("case.toml", "taylor_green_2d.toml"), names)
    exec(plane, ball)
    assert ball["speed"].isnull().any()
    names["case"] = lbmsim.example("cavity")
    exec(sweep, names)
    assert list(names["speeds"]) == [32, 64, 128]
    assert all(0 < speed < 2e-3 for speed in names["speeds"].values())


@pytest.mark.parametrize("refined", [3], indirect=True)
def test_page_of_levels(refined: lbmsim.Result) -> None:
    levels = blocks(ROOT / "docs" / "python.md")[5]
    names: dict[str, Any] = {"result": refined}
    exec(levels, names)
    assert names["u"].shape == (len(names["z"]), len(names["y"]), len(names["x"]), 3)
    assert names["total"] > 0


def test_page_names_all() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    missing = [name for name in dir(lbmsim.Result) if not name.startswith("_") and f"`{name}" not in page]
    assert missing == []
    exported = [
        name for name in lbmsim.__all__ if name not in ("Check", "Checkpoint", "Problem", "__version__", "program")
    ]
    assert [name for name in exported if name not in page] == []
