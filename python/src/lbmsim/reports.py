# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Reports of checks, studies and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import need

if TYPE_CHECKING:
    import pandas as pd

    from .case import Case


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> Iterator[str]:
    """Formats rows in columns, the first ones left-aligned, numbers right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [f"{cell:{'<' if i < left else '>'}{width}}" for i, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


@dataclass(frozen=True)
class Check:
    """The report of `lbmsim check` for a valid case."""

    text: str
    """The derived numbers, the memory per rank, and the files and bytes of every output."""
    warnings: list[str] = field(default_factory=list)
    """Warnings, for example of a Mach number above 0.1."""

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


@dataclass(frozen=True)
class Refinement:
    """The proposal of `lbmsim refine`. Prints as its tables."""

    case: Case
    """The case with boxes, not saved: `refinement.case.save("refined.toml")`."""
    text: str
    """The boxes, the levels, and the cost of the run with boxes and with the finest cells everywhere."""
    warnings: list[str] = field(default_factory=list)
    """Warnings of the case with boxes."""

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


@dataclass(frozen=True)
class Study:
    """A grid study. Prints as a table."""

    data: dict[str, Any]
    """The output of `lbmsim study --json`: `levels`, the grids, `results`, the quantities, and
    `warnings`, the warnings of the runs with the `refined` factors of the grids that have them.

    The folder with the tables of a grid is the `output` of its level.
    """

    @property
    def table(self) -> pd.DataFrame:
        """A row per quantity of [expect]: its value on each grid (columns are the spacings), the
        observed order, the value extrapolated to spacing 0, the grid convergence index of the finest
        grid, relative to its value, and the study's warnings."""
        pandas = need("pandas", "pandas")
        rows = []
        for result in self.data["results"]:
            row = {level["spacing"]: value for level, value in zip(self.data["levels"], result["values"])}
            row |= {key: result[key] for key in ("order", "extrapolated", "gci")}
            rows.append({**row, "warnings": "; ".join(result["warnings"] or [])})
        names = [result["quantity"] for result in self.data["results"]]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=pandas.Index(names, name="quantity"))
        return frame

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    __str__ = __repr__

    def _lines(self) -> Iterator[str]:
        yield f"{self.data['title'] or self.data['case']}: {self.data['scaling']} scaling"
        grids = [
            f"{level['all']} in all" if level.get("all") else "x".join(str(n) for n in level["cells"])
            for level in self.data["levels"]
        ]
        rows = [["quantity", *grids, "order", "extrapolated", "GCI"]]
        for result in self.data["results"]:
            values = [_number(value, ".6g") for value in result["values"]]
            rest = (
                _number(result["order"], ".3f"),
                _number(result["extrapolated"], ".6g"),
                _number(result["gci"], ".2%"),
            )
            rows.append([result["quantity"], *values, *rest])
        yield from columns(rows)
        for warning in self.data.get("warnings") or []:
            factors = ", ".join(f"{factor:.6g}" for factor in warning["refined"])
            yield f"warning: refined by {factors}: {warning['text']}"
        for result in self.data["results"]:
            for warning in result["warnings"] or []:
                yield f"warning: {result['quantity']}: {warning}"


@dataclass(frozen=True)
class Diff:
    """The differences of two outputs, runs or cases. Prints as a table."""

    data: dict[str, Any]
    """The output of `lbmsim diff --json`."""
    a: str = "a"
    """Name of the first one."""
    b: str = "b"
    """Name of the second one."""
    tolerance: float = 0.0
    """Numbers are equal if their largest difference, relative to the largest number of b, is at most this."""

    @property
    def same(self) -> bool:
        """Whether there is no difference: all numbers are equal, and both sides have the same files.

        For two cases: whether all keys are the same, with defaults filled in.
        """
        return bool(self.data["same"]) and not self.only_in_one

    @property
    def same_numbers(self) -> bool:
        """Whether all numbers of the common files are the same, bit for bit or within the tolerance.

        For two cases: whether all keys are the same.
        """
        return all(map(self._within, self._reports))

    @property
    def only_in_one(self) -> list[str]:
        """The files found in only one of the two folders."""
        return list(self.data.get("only") or [])

    @property
    def case_keys(self) -> dict[str, str]:
        """The keys of the two cases that differ, with both values: `{"fluid.viscosity": "1e-6 m2/s / 2e-6 m2/s"}`.

        For two results these are the keys of their cases. They do not affect `same`.
        """
        lines = (line for report in self._reports for line in report["case"] or [])
        return {key: values for key, _, values in (line.partition(": ") for line in lines)}

    @property
    def table(self) -> pd.DataFrame:
        """A row per field or column of each pair of files: the norms `l2` and `linf` of the difference,
        relative to the norms of b, how many `numbers` there are, how many of them `differ`, and how many
        of these are `not_finite`. Two cases have no rows: see `case_keys`."""
        pandas = need("pandas", "pandas")
        keys = ("unit", "numbers", "differ", "not_finite", "l2", "linf")
        rows = [
            {"file": report["a"], "name": part["name"], **{key: part[key] for key in keys}}
            for report in self._reports
            for part in report["parts"] or []
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows, columns=["file", "name", *keys])
        return frame

    @property
    def _reports(self) -> list[dict[str, Any]]:
        return list(self.data["reports"] or [])

    def _equal(self, part: dict[str, Any]) -> bool:
        return not part["not_finite"] and (not part["differ"] or 0 < self.tolerance >= part["linf"])

    def _within(self, report: dict[str, Any]) -> bool:
        if report["note"]:
            return False
        if report["kind"] in ("case", ""):
            return not report["case"]
        return all(map(self._equal, report["parts"] or []))

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    __str__ = __repr__

    def _lines(self) -> Iterator[str]:
        how = f"within {self.tolerance:g}" if self.tolerance else "bit for bit"
        cases = all(report["kind"] in ("case", "") for report in self._reports)
        if self.same:
            verdict = "the same" if cases else f"the same, {how}"
        elif self._reports and self.same_numbers:
            verdict = f"all numbers are the same, {how}, but some files are only in one"
        else:
            verdict = "different"
        yield f"{self.a} and {self.b}: {verdict}"
        if keys := self.case_keys:
            yield "keys of the cases that differ:"
            yield from (f"  {key}: {values}" for key, values in keys.items())
        for report in self._reports:
            if report["kind"] not in ("case", "") and report["steps"][0] != report["steps"][1]:
                yield "{}: step {} and step {}".format(self._short(report["a"]), *report["steps"])
            if report["note"]:
                yield f"{self._short(report['a'])}: {report['note']}"
        parts = [(report, part) for report in self._reports for part in report["parts"] or []]
        unequal = [(report, part) for report, part in parts if part["differ"] or part["not_finite"]]
        if unequal:
            rows = [["file", "name", "L2", "Linf", "differ", "of", ""]]
            for report, part in unequal:
                name = f"{part['name']} ({part['unit']})" if part["unit"] else part["name"]
                counts = (str(part["differ"]), str(part["numbers"]))
                lost = f"{part['not_finite']} not finite" if part["not_finite"] else ""
                note = lost or ("within the tolerance" if self._equal(part) else "")
                rows.append([self._short(report["a"]), name, f"{part['l2']:.3g}", f"{part['linf']:.3g}", *counts, note])
            yield from columns(rows, left=2)
        if equal := len(parts) - len(unequal):
            yield f"bit-identical: {equal} of {len(parts)} fields and columns"
        for path in self.only_in_one:
            yield f"only in one: {path}"

    def _short(self, path: str) -> str:
        """Returns the path of a file relative to its folder."""
        file, folder = Path(path).absolute(), Path(self.a).absolute()
        return str(file.relative_to(folder)) if folder in file.parents else path
