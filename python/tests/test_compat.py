# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""The promise of docs/compatibility.md for the package: what version 1.0 exported stays through 1.x."""

from __future__ import annotations

from pathlib import Path

import lbmsim

ONE_ZERO = {
    "Case",
    "CaseError",
    "Check",
    "Checkpoint",
    "Diff",
    "Error",
    "Levels",
    "MissingExtraError",
    "Problem",
    "Refinement",
    "Result",
    "RunError",
    "RunWarning",
    "Study",
    "ValueTypeError",
    "check",
    "diff",
    "example",
    "examples",
    "open",
    "program",
    "refine",
    "run",
    "study",
}
LISTS = {"1.0": ONE_ZERO}  # exports of each minor version


def test_names_stay() -> None:
    for names in LISTS.values():
        assert set(lbmsim.__all__) >= names
    assert all(hasattr(lbmsim, name) for name in lbmsim.__all__)


def test_the_list_of_this_version_is_complete() -> None:
    version = (Path(__file__).parents[2] / "VERSION").read_text(encoding="utf-8").rpartition(".")[0]
    assert set(lbmsim.__all__) - {"__version__"} <= LISTS.get(version, set())
