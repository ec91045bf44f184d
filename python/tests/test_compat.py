"""The promise of docs/compatibility.md for the package: what version 1.0 exported stays through 1.x."""

from __future__ import annotations

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
    "run",
    "study",
}


def test_names_stay() -> None:
    assert set(lbmsim.__all__) >= ONE_ZERO
    assert all(hasattr(lbmsim, name) for name in lbmsim.__all__)
