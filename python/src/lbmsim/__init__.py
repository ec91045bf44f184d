# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs cases of lbmsim, a lattice-Boltzmann flow simulator, and reads their results.

    import lbmsim

    case = lbmsim.example("cavity")
    case["domain.cells"] = [64, 64]
    result = lbmsim.run(case, ranks=2)
    result.fields.velocity.sel(component="x").isel(time=-1).plot()

The lbmsim executable does the work: it checks the cases, and its messages are the errors.
"""

from importlib.metadata import PackageNotFoundError, version

from .binary import program
from .case import Case, example, examples
from .errors import CaseError, Error, MissingExtraError, Problem, RunError, RunWarning, ValueTypeError
from .levels import Levels
from .reports import Check, Diff, Refinement, Study
from .result import Checkpoint, Result, open
from .running import check, diff, refine, run, study

try:
    __version__ = version("lbmsim")
except PackageNotFoundError:  # the source tree, not installed
    __version__ = "0.0.0"

__all__ = [
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
    "__version__",
    "check",
    "diff",
    "example",
    "examples",
    "open",
    "program",
    "refine",
    "run",
    "study",
]
